//! Questions in numbers: how often advice is taken, what is asked over and over.

use super::Filters;
use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{count, duration, plural};
use crate::table::{Cell, Column, Table};
use crate::ui::{CODE, DIM, Ui, paint};
use crate::untrusted::one_line;
use backstory_api as api;
use backstory_engine::ledger::{self, Question, Stats, Suggestion};
use backstory_store::{LedgerEntry, Vault};
use std::collections::HashSet;

/// Questions listed on a terminal unless asked otherwise.
const TERMINAL_LIMIT: usize = 20;

/// Arguments of `decisions stats`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    filters: Filters,
    /// List at most so many questions; 0 lists all [default: 20 on a terminal, else all]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
}

/// Counts.
pub(super) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let found = vault.decisions(&args.filters.resolve(context)?)?;
    let mut stats = ledger::stats(&found);
    if stats.all.asked == 0 {
        ui.status("no decision matches");
        return Ok(Exit::NothingFound);
    }
    let suggested = suggested_by(&found, &vault)?;
    stats.questions.truncate(ui.limit(args.limit, TERMINAL_LIMIT).unwrap_or(usize::MAX));
    if ui.json {
        ui.json_line(&shape(&stats, suggested))?;
        return Ok(Exit::Success);
    }
    for (name, text) in facts(&stats) {
        ui.line(format!("{}{text}", paint(DIM, format_args!("{name:<10}"))))?;
    }
    if !stats.questions.is_empty() {
        ui.line("")?;
        write_table(&stats.questions, ui)?;
    }
    if suggested > 0 {
        let many = plural(suggested as u64, "preference");
        ui.status(paint(DIM, format_args!("{many} suggested: `backstory decisions suggested`")));
    }
    Ok(Exit::Success)
}

/// How many preferences are suggested by these rows, perhaps with others.
fn suggested_by(found: &[LedgerEntry], vault: &Vault) -> Result<usize, Failure> {
    let places: HashSet<String> = found.iter().map(LedgerEntry::address).collect();
    let suggested = ledger::suggested(vault)?;
    let is_here = |of: &&Suggestion| of.places.iter().any(|place| places.contains(place));
    Ok(suggested.iter().filter(is_here).count())
}

fn facts(stats: &Stats) -> Vec<(&'static str, String)> {
    let all = &stats.all;
    let mut facts = vec![(
        "asked",
        format!(
            "{}, {} answered, {} open, {} passed over",
            plural(all.asked, "time"),
            count(all.answered),
            count(all.open),
            count(all.unanswered)
        ),
    )];
    if let Some(share) = all.followed_share() {
        let (taken, advised) = (count(all.followed), plural(all.advised, "time"));
        facts.push(("advice", format!("taken {taken} of {advised} ({:.0} %)", share * 100.0)));
    }
    let latency = stats.median_latency_ms;
    facts.extend(
        latency.map(|ms| ("answered", format!("after {} (median)", duration(ms.unsigned_abs())))),
    );
    facts
}

fn write_table(questions: &[Question], ui: &mut Ui) -> Result<(), Failure> {
    let mut table = Table::new(&[
        Column::right("ASKED"),
        Column::right("ADVICE TAKEN"),
        Column::shrinking("QUESTION", 1),
        Column::shrinking("MOST OFTEN", 1),
        Column::right("TIMES"),
        Column::shrinking("ID", 2),
    ]);
    for question in questions {
        let tally = &question.tally;
        let taken = match tally.advised {
            0 => String::new(),
            advised => format!("{} of {advised}", tally.followed),
        };
        let (answer, times) = question.answers.first().cloned().unwrap_or_default();
        table.row(vec![
            count(tally.asked).into(),
            taken.into(),
            one_line(&question.question).into(),
            one_line(&answer).into(),
            if times > 0 { count(times).into() } else { Cell::default() },
            Cell::styled(CODE, one_line(&question.id)),
        ]);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)
}

fn shape(stats: &Stats, suggested: usize) -> api::DecisionStats {
    let all = &stats.all;
    api::DecisionStats {
        asked: all.asked,
        answered: all.answered,
        open: all.open,
        unanswered: all.unanswered,
        advised: all.advised,
        followed: all.followed,
        followed_share: all.followed_share(),
        median_latency_ms: stats.median_latency_ms,
        suggested,
        questions: stats.questions.iter().map(question).collect(),
    }
}

fn question(question: &Question) -> api::QuestionStats {
    let most = question.answers.first();
    api::QuestionStats {
        question_id: question.id.clone(),
        question: question.question.clone(),
        asked: question.tally.asked,
        answered: question.tally.answered,
        advised: question.tally.advised,
        followed: question.tally.followed,
        answer: most.map(|(answer, _)| answer.clone()),
        times: most.map_or(0, |(_, times)| *times),
        last: question.last.map(|at| at.to_string()),
    }
}
