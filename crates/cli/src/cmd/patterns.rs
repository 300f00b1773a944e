//! `backstory patterns`: what happens again and again.

use super::signals::kind_parser;
use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::count;
use crate::pattern;
use crate::ui::{DIM, Ui, paint};
use crate::when::End;
use backstory_distill::patterns::patterns;
use backstory_model::SignalKind;
use backstory_store::SignalFilter;

/// Patterns listed on a terminal unless asked otherwise.
const TERMINAL_LIMIT: usize = 15;

/// Arguments of `patterns`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_help = "A moment is 2026-11-01, 2026-11-01T10:00:00Z, 7d, 3h, today or yesterday.")]
pub(crate) struct Args {
    /// Only this kind; may be repeated [default: all but idle_gap]
    #[arg(long = "kind", value_name = "KIND", value_parser = kind_parser())]
    pub(crate) kinds: Vec<SignalKind>,
    /// Only this repository, by its name
    #[arg(long, value_name = "NAME")]
    pub(crate) repo: Option<String>,
    /// Only what was noticed at or after this moment
    #[arg(long, value_name = "MOMENT")]
    pub(crate) since: Option<String>,
    /// Only what shows in at least so many sessions
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) min_sessions: u32,
    /// List at most so many; 0 lists all [default: 15 on a terminal, else all]
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let mut kinds = args.kinds.clone();
    if kinds.is_empty() {
        // Everybody sleeps; that is no pattern unless asked for.
        kinds.extend(SignalKind::ALL.into_iter().filter(|kind| *kind != SignalKind::IdleGap));
    }
    // An error and its fix are one pattern.
    if kinds.contains(&SignalKind::Error) {
        kinds.push(SignalKind::ErrorFix);
    }
    let sightings = vault.signals(&SignalFilter {
        kinds,
        repo: args.repo.clone(),
        since: context.moment(args.since.as_deref(), End::Since)?,
        ..SignalFilter::default()
    })?;
    let mut found = patterns(&sightings, context.now);
    found.retain(|pattern| pattern.sessions >= args.min_sessions);
    let limit = ui.limit(args.limit, TERMINAL_LIMIT).unwrap_or(usize::MAX);
    let left_out = found.len().saturating_sub(limit);
    found.truncate(limit);
    if found.is_empty() {
        ui.status("no pattern matches");
        return Ok(Exit::NothingFound);
    }
    if ui.json {
        found.iter().try_for_each(|found| ui.json_line(&pattern::shape(found)))?;
        return Ok(Exit::Success);
    }
    for (at, found) in found.iter().enumerate() {
        if at > 0 {
            ui.line("")?;
        }
        pattern::lines(found, context).into_iter().try_for_each(|line| ui.line(line))?;
    }
    if left_out > 0 {
        let more = count(left_out as u64);
        ui.status(paint(DIM, format_args!("and {more} less widespread; --limit 0 lists all")));
    }
    Ok(Exit::Success)
}
