//! The ledger as lines of `question-log.jsonl`.

use super::Filters;
use crate::context::Context;
use crate::env::Env;
use crate::error::{Exit, Failure};
use crate::figures::plural;
use crate::question_log;
use crate::ui::Ui;
use std::path::PathBuf;

/// Arguments of `decisions export`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Rows the file has already are not written again. One that was answered since is
appended once more: of lines with the same session_uid, seq and part the last one holds."
)]
pub(crate) struct Args {
    #[command(flatten)]
    filters: Filters,
    /// Append to this file what it does not have yet, instead of writing all to stdout
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Exports, the oldest first.
pub(super) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let vault = context.vault(ui)?;
    let mut found = vault.decisions(&args.filters.resolve(context)?)?;
    if found.is_empty() {
        ui.status("no decision matches");
        return Ok(Exit::NothingFound);
    }
    // Those of one moment stay in the order of their session.
    found.sort_by_key(|entry| entry.at);
    let Some(out) = &args.out else {
        found.iter().try_for_each(|entry| ui.json_line(&question_log::line(entry)))?;
        return Ok(Exit::Success);
    };
    let out = Env::absolute(out);
    let report = question_log::append(&out, &found).map_err(|error| {
        Failure::usage(format!("{} cannot be written", out.display())).cause(&error)
    })?;
    if ui.json {
        ui.json_line(&report)?;
        return Ok(Exit::Success);
    }
    ui.status(format!(
        "{} added, {} updated, {} there already",
        plural(report.added, "decision"),
        report.updated,
        report.known
    ));
    Ok(Exit::Success)
}
