//! `backstory errors`: has this error been seen, and what helped?

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::pattern;
use crate::typed;
use crate::ui::{BOLD, DIM, Ui, WARN, paint};
use backstory_api as api;
use backstory_distill::lookup::{Match, lookup};
use backstory_distill::patterns::patterns;
use backstory_model::SignalKind;
use backstory_store::SignalFilter;

/// More of a pasted output than this tells nothing more about the error in it.
const MAX_INPUT: u64 = 1 << 20;

/// Arguments of `errors`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// The message, or a whole output with the message in it; `-` reads it from stdin
    #[arg(value_name = "MESSAGE")]
    pub(crate) message: String,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let message =
        if args.message == "-" { typed::from_stdin(MAX_INPUT)? } else { args.message.clone() };
    if message.trim().is_empty() {
        return Err(Failure::usage("an empty message names no error"));
    }
    let sightings = vault.signals(&SignalFilter {
        kinds: vec![SignalKind::Error, SignalKind::ErrorFix, SignalKind::ToolchainTrouble],
        ..SignalFilter::default()
    })?;
    let found = lookup(&message, &patterns(&sightings, context.now));
    if found.is_empty() {
        ui.status("this error has never been seen, nor one like it");
        return Ok(Exit::NothingFound);
    }
    if ui.json {
        for known in &found {
            ui.json_line(&api::KnownError {
                is_same: known.is_same,
                similarity: known.similarity,
                pattern: pattern::shape(&known.pattern),
            })?;
        }
        return Ok(Exit::Success);
    }
    write(&found, context, ui)?;
    Ok(Exit::Success)
}

fn write(found: &[Match], context: &Context, ui: &mut Ui) -> Result<(), Failure> {
    let mut last_heading = "";
    for known in found {
        let heading = if known.is_same { "Seen before" } else { "Similar" };
        if heading != last_heading {
            if !last_heading.is_empty() {
                ui.line("")?;
            }
            ui.line(paint(if known.is_same { WARN.bold() } else { BOLD }, heading))?;
            last_heading = heading;
        }
        ui.line("")?;
        let mut lines = pattern::lines(&known.pattern, context);
        if let Some(first) = lines.first_mut().filter(|_| !known.is_same) {
            let share = format!("  {:.0} % alike", known.similarity * 100.0);
            first.push_str(&paint(DIM, share));
        }
        lines.into_iter().try_for_each(|line| ui.line(line))?;
        if known.pattern.fix.is_none() {
            ui.line(paint(DIM, "  nobody is known to have fixed it"))?;
        }
    }
    Ok(())
}
