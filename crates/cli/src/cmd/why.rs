//! `backstory why`: what an agent was told, and why.

use crate::context::Context;
use crate::error::{Exit, Failure, Kind};
use crate::figures::{count, local_minute};
use crate::open;
use crate::table::{Cell, Column, Table};
use crate::ui::{BOLD, CODE, DIM, Ui, paint};
use crate::untrusted::one_line;
use backstory_api as api;
use backstory_engine::recall::{InjectedItem, Injection, Wording, injections};

/// Injections listed unless asked otherwise.
const LISTED: usize = 20;

/// Arguments of `why`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The number of the injection; the latest if none is given
    #[arg(value_name = "N")]
    pub(crate) number: Option<u64>,
    /// List injections, the latest first
    #[arg(long, conflicts_with = "number")]
    pub(crate) list: bool,
    /// List at most so many; 0 lists all
    #[arg(long, short = 'n', value_name = "N", requires = "list")]
    pub(crate) limit: Option<usize>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let home = open::archive(&context.settings(ui)?)?.home;
    let mut known = injections(&home).map_err(|error| {
        Failure::new(Kind::Archive, "the record of injections could not be read").cause(&error)
    })?;
    if known.is_empty() {
        ui.nothing("no agent was told anything yet")?;
        return Ok(Exit::NothingFound);
    }
    known.reverse();
    if args.list {
        known.truncate(ui.limit(args.limit, LISTED).unwrap_or(usize::MAX));
        return list(&known, context, ui);
    }
    let wanted =
        |injection: &&Injection| args.number.is_none_or(|number| injection.number == number);
    let Some(injection) = known.iter().find(wanted) else {
        let number = args.number.unwrap_or_default();
        return Err(Failure::not_found(format!("there is no injection {number} on record"))
            .hint("`backstory why --list` lists them"));
    };
    if ui.json {
        ui.json_line(&shape(injection))?;
        return Ok(Exit::Success);
    }
    write(injection, context, ui)?;
    Ok(Exit::Success)
}

fn write(injection: &Injection, context: &Context, ui: &mut Ui) -> Result<(), Failure> {
    let number = injection.number;
    let at = local_minute(injection.at, context.zone());
    ui.line(paint(BOLD, format_args!("Injection {number}, {at}")))?;
    let event = one_line(&injection.event);
    let told = match injection.session_uid.as_str() {
        "" => format!("an agent that did not say which session it is, at {event}"),
        session => format!("{}, at {event}", paint(CODE, one_line(session))),
    };
    let size = format!(
        "{} bytes, about {} tokens",
        count(injection.bytes as u64),
        count(injection.tokens.into())
    );
    let prompt = one_line(&injection.prompt);
    let by = injection.wording.as_ref().map(|wording| format!("of {}", one_line(&wording.by)));
    let words = by.unwrap_or_default();
    for (name, text) in [("told", told), ("size", size), ("prompt", prompt), ("words", words)] {
        if !text.is_empty() {
            ui.line(format!("{}{text}", paint(DIM, format_args!("{name:<8}"))))?;
        }
    }
    if let Some(wording) = &injection.wording {
        for line in &wording.lines {
            ui.line(format!("  - {}", one_line(line)))?;
        }
        ui.line("")?;
        ui.line(paint(DIM, "made of:"))?;
    }
    for item in &injection.items {
        ui.line("")?;
        let InjectedItem { category, text, why, score, tokens, address } = item;
        ui.line(format!("[{}] {}", one_line(category), one_line(text)))?;
        ui.line(format!("  {}", paint(CODE, one_line(address))))?;
        let why = one_line(why);
        ui.line(paint(DIM, format_args!("  {why}; score {score:.2}; {tokens} tokens")))?;
    }
    ui.status(paint(DIM, "`backstory mute ADDRESS` keeps something from being told again"));
    Ok(())
}

fn list(known: &[Injection], context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    if ui.json {
        known.iter().try_for_each(|injection| ui.json_line(&shape(injection)))?;
        return Ok(Exit::Success);
    }
    let mut table = Table::new(&[
        Column::right("N"),
        Column::left("WHEN"),
        Column::left("AGENT"),
        Column::left("EVENT"),
        Column::right("THINGS"),
        Column::right("TOKENS"),
        Column::shrinking("PROMPT", 1),
    ]);
    for injection in known {
        table.row(vec![
            Cell::styled(CODE, injection.number.to_string()),
            Cell::styled(DIM, local_minute(injection.at, context.zone())),
            one_line(&injection.agent).into(),
            one_line(&injection.event).into(),
            count(injection.items.len() as u64).into(),
            count(injection.tokens.into()).into(),
            one_line(&injection.prompt).into(),
        ]);
    }
    let columns = ui.columns();
    table.write(ui.out(), columns).map_err(Failure::output)?;
    Ok(Exit::Success)
}

fn shape(injection: &Injection) -> api::Injection {
    api::Injection {
        number: injection.number,
        at: injection.at.to_string(),
        agent: injection.agent.clone(),
        session_uid: injection.session_uid.clone(),
        event: injection.event.clone(),
        prompt_hash: injection.prompt_hash.clone(),
        prompt: injection.prompt.clone(),
        items: injection.items.iter().map(item).collect(),
        bytes: injection.bytes,
        tokens: injection.tokens,
        compressed: injection
            .wording
            .as_ref()
            .map(|Wording { by, lines }| api::Compressed { by: by.clone(), lines: lines.clone() }),
    }
}

fn item(item: &InjectedItem) -> api::RecalledItem {
    api::RecalledItem {
        category: item.category.clone(),
        address: item.address.clone(),
        text: item.text.clone(),
        score: item.score,
        why: item.why.clone(),
        tokens: item.tokens,
    }
}
