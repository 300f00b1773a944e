//! Preferences that are suggested, and what is said to them.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{local_day, plural};
use crate::open;
use crate::ui::{BOLD, CODE, DIM, Ui, paint};
use crate::untrusted::one_line;
use backstory_api as api;
use backstory_engine::ledger::{self, Suggestion, TakenBack};
use backstory_store::Home;

/// Places that are told of a suggestion.
const PLACES: usize = 3;

/// Arguments of `decisions accept`, `reject` and `reset`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, as `backstory decisions suggested` tells it
    #[arg(value_name = "ID")]
    id: String,
}

/// Lists suggestions nothing was said to yet.
pub(super) fn list(context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let found = ledger::suggested(&context.vault(ui)?)?;
    if found.is_empty() {
        ui.status("no preference is suggested");
        return Ok(Exit::NothingFound);
    }
    if ui.json {
        found.iter().try_for_each(|suggestion| ui.json_line(&shape(suggestion)))?;
        return Ok(Exit::Success);
    }
    for (at, suggestion) in found.iter().enumerate() {
        if at > 0 {
            ui.line("")?;
        }
        lines(suggestion, context).into_iter().try_for_each(|line| ui.line(line))?;
    }
    let hint =
        "`backstory decisions accept ID` lets agents know, `reject ID` never suggests it again";
    ui.status(paint(DIM, hint));
    Ok(Exit::Success)
}

fn lines(suggestion: &Suggestion, context: &Context) -> Vec<String> {
    let place = suggestion.repo.as_deref().map(|repo| format!(" in {}", one_line(repo)));
    let last = suggestion.last.map(|at| format!(", last on {}", local_day(at, context.zone())));
    let mut lines = vec![
        paint(CODE, one_line(&suggestion.id)),
        format!("  {}", one_line(&suggestion.question)),
        format!("  {}", paint(BOLD, one_line(&suggestion.answer))),
        format!(
            "  answered so {} in a row{}{}",
            plural(suggestion.times as u64, "time"),
            place.unwrap_or_default(),
            last.unwrap_or_default()
        ),
    ];
    let places = suggestion.places.iter().take(PLACES);
    lines.extend(places.map(|place| format!("  {}", paint(DIM, one_line(place)))));
    lines
}

fn shape(suggestion: &Suggestion) -> api::Preference {
    api::Preference {
        id: suggestion.id.clone(),
        question_id: suggestion.question_id.clone(),
        question: suggestion.question.clone(),
        answer: suggestion.answer.clone(),
        times: suggestion.times,
        repo: suggestion.repo.clone(),
        last: suggestion.last.map(|at| at.to_string()),
        addresses: suggestion.places.clone(),
    }
}

fn home(context: &Context, ui: &mut Ui) -> Result<Home, Failure> {
    Ok(open::archive(&context.settings(ui)?)?.home)
}

/// Makes a memory of a suggestion.
pub(super) fn accept(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let memory = ledger::accept(&home(context, ui)?, &args.id, context.now)?;
    let told = format!("agents are told from now on: {memory}");
    tell(&args.id, "accepted", Some(memory), &told, ui)
}

/// Never suggests it again.
pub(super) fn reject(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    ledger::reject(&home(context, ui)?, &args.id, context.now)?;
    tell(&args.id, "rejected", None, "it is not suggested again", ui)
}

/// Takes back what was said.
pub(super) fn reset(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let home = home(context, ui)?;
    let verdicts = ledger::verdicts(&home).map_err(backstory_store::StoreError::from)?;
    let verdict = verdicts.get(&args.id).cloned();
    let memory = verdict.and_then(|verdict| verdict.memory);
    let (memory, told) = match ledger::reset(&home, &args.id, context.now)? {
        TakenBack::Nothing => {
            return Err(Failure::not_found(format!("nothing was said to {:?}", args.id))
                .hint("`backstory decisions suggested` lists what is suggested"));
        }
        TakenBack::Verdict => (None, "it may be suggested again"),
        TakenBack::Memory => (memory, "it may be suggested again; the memory is gone"),
        TakenBack::MemoryKept => {
            (None, "it may be suggested again; the memory stays, for somebody changed it")
        }
    };
    tell(&args.id, "reset", memory, told, ui)
}

fn tell(
    id: &str,
    verdict: &'static str,
    memory: Option<String>,
    told: &str,
    ui: &mut Ui,
) -> Result<Exit, Failure> {
    if ui.json {
        ui.json_line(&api::PreferenceVerdict { id: id.to_owned(), verdict, memory })?;
    } else {
        ui.line(format!("{verdict} {}: {told}", one_line(id)))?;
    }
    Ok(Exit::Success)
}
