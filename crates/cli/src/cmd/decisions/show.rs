//! One question with its options, and every answer to it.

use super::list::{place, when};
use super::shape;
use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{duration, plural};
use crate::ids::{self, ShortIds};
use crate::ui::{BOLD, CODE, DIM, GOOD, Ui, paint};
use crate::untrusted::{one_line, plain};
use backstory_engine::ledger;
use backstory_store::{DecisionFilter, LedgerEntry, Vault};

/// Answers to one question that are told beside the latest.
const MORE_ANSWERS: usize = 20;
/// The names of facts are padded to this.
const NAMES: usize = 12;

/// Arguments of `decisions show`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Where it was asked (`1f2e/12`, `hub/…`), a session, or the id of a question
    #[arg(value_name = "ID")]
    id: String,
}

/// Tells it.
pub(super) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let question = by_question(&vault, &args.id)?;
    let is_question = !question.is_empty();
    let found = if is_question { question } else { by_place(&vault, &args.id)? };
    if found.is_empty() {
        let nothing = format!("nothing was asked at {:?}", args.id);
        return Err(Failure::not_found(nothing).hint("`backstory decisions` lists what was asked"));
    }
    if ui.json {
        found.iter().try_for_each(|entry| ui.json_line(&shape(entry)))?;
        return Ok(Exit::Success);
    }
    let ids = ShortIds::few(&vault, found.iter().filter_map(|entry| entry.session_uid.as_ref()))?;
    let (told, others) = found.split_at(if is_question { 1 } else { found.len() });
    for (at, entry) in told.iter().enumerate() {
        if at > 0 {
            ui.line("")?;
        }
        block(entry, context).into_iter().try_for_each(|line| ui.line(line))?;
    }
    if !others.is_empty() {
        let many = plural(found.len() as u64, "time");
        ui.line(format!("\n{}", paint(DIM, format_args!("asked {many}; before that"))))?;
    }
    for entry in others.iter().take(MORE_ANSWERS) {
        let answer = one_line(&ledger::answer(&entry.decision));
        let (at, when) = (paint(CODE, place(entry, &ids)), paint(DIM, when(entry, context)));
        ui.line(format!("  {when}  {answer}  {at}"))?;
    }
    Ok(Exit::Success)
}

fn by_question(vault: &Vault, id: &str) -> Result<Vec<LedgerEntry>, Failure> {
    let filter = DecisionFilter { question_id: Some(id.to_owned()), ..DecisionFilter::default() };
    Ok(vault.decisions(&filter)?)
}

/// What was asked at an address; of a session all of it, in the order of the session.
fn by_place(vault: &Vault, id: &str) -> Result<Vec<LedgerEntry>, Failure> {
    let below = id.strip_prefix("backstory://decisions/").unwrap_or(id);
    let filter = if let Some(origin) = below.strip_prefix("hub/") {
        DecisionFilter { origin: Some(origin.to_owned()), ..DecisionFilter::default() }
    } else {
        let target = ids::resolve(vault, below)?;
        let (session, seq) = (Some(target.uid), target.seq);
        DecisionFilter { session, seq, ..DecisionFilter::default() }
    };
    let mut found = vault.decisions(&filter)?;
    found.sort_by_key(|entry| (entry.decision.seq, entry.decision.part));
    Ok(found)
}

/// A decision at length.
fn block(entry: &LedgerEntry, context: &Context) -> Vec<String> {
    let decision = &entry.decision;
    let header = one_line(&decision.header);
    let title = if header.is_empty() { decision.kind.name() } else { header.as_str() };
    let mut lines = vec![paint(BOLD, title)];
    lines.extend(plain(&decision.question).lines().map(|line| format!("  {line}")));
    for (option, at) in decision.options.iter().zip(0..) {
        let is_chosen = decision.chosen.contains(&at);
        let mark = if is_chosen { "✓" } else { " " };
        let key = one_line(&option.key);
        let key = if key.is_empty() { key } else { format!("{key}) ") };
        let mut text = format!("{mark} {key}{}", one_line(&option.label));
        if is_chosen {
            text = paint(GOOD, text);
        }
        if decision.recommended == Some(at) {
            text = format!("{text} {}", paint(DIM, "(recommended)"));
        }
        if !option.description.is_empty() {
            text = format!("{text} — {}", one_line(&option.description));
        }
        lines.push(format!("  {text}"));
    }
    lines.extend(
        facts(entry, context)
            .into_iter()
            .map(|(name, text)| format!("  {}{text}", paint(DIM, format_args!("{name:<NAMES$}")))),
    );
    lines
}

fn facts(entry: &LedgerEntry, context: &Context) -> Vec<(&'static str, String)> {
    let decision = &entry.decision;
    let mut answer = one_line(&ledger::answer(decision));
    if let Some(advice) = ledger::advice(decision) {
        answer = format!("{answer} ({})", one_line(&advice));
    }
    let mut asked = when(entry, context);
    if let Some(latency) = decision.latency_ms() {
        asked = format!("{asked}, answered after {}", duration(latency.unsigned_abs()));
    }
    let mut facts = vec![("answer", answer)];
    facts.extend(entry.rationale.as_deref().map(|why| ("because", one_line(why))));
    facts.push(("asked", asked));
    facts.extend(entry.repo.as_deref().map(|repo| ("repo", one_line(repo))));
    let key = if decision.is_preference_key() { "" } else { ", names no preference" };
    facts.push(("question id", format!("{}{key}", one_line(&decision.question_id))));
    let source = decision.source(entry.flavor());
    facts.push(("source", format!("{source}, {} % certain", decision.confidence)));
    facts.push(("where", one_line(&entry.address())));
    facts
}
