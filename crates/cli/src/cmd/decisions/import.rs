//! Decisions made elsewhere, as a hub recorded them.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{count, plural};
use crate::ui::Ui;
use crate::untrusted::one_line;
use crate::{hub_list, open};
use backstory_api as api;
use backstory_engine::ledger;

/// Entries that are named one by one when they cannot be understood.
const NAMED: usize = 20;

/// Arguments of `decisions import`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Taken are JSON lines, a list, or {\"decisions\": […]}; what a hub recorded twice is kept once.
BACKSTORY_HUB_TOKEN is sent to the hub of [hub] in config.toml alone."
)]
pub(crate) struct Args {
    /// A file, `-` for stdin, or the address of a hub's list: http://host/decisions
    #[arg(long, value_name = "SOURCE")]
    hub: String,
    /// What to call this hub; two hubs that number alike need two names
    #[arg(long, value_name = "NAME", default_value = "hub", value_parser = name)]
    name: String,
}

fn name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || !text.chars().all(is_plain) {
        return Err("a name has letters, digits, - and _ alone".into());
    }
    Ok(text.to_owned())
}

/// Takes them in.
pub(super) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let archive = open::archive(&settings)?;
    let (list, bad) = hub_list::read(&args.hub, &args.name, &settings)?;
    let report = ledger::record_hub(&archive, list.decisions)?;
    for reason in bad.iter().take(NAMED) {
        ui.warning(one_line(reason));
    }
    if bad.len() > NAMED {
        ui.warning(format!("and {} more", count((bad.len() - NAMED) as u64)));
    }
    if ui.json {
        ui.json_line(&api::HubImport {
            new: report.new,
            changed: report.changed,
            known: report.known,
            forgotten: report.forgotten,
            bad: bad.len() as u64,
        })?;
    } else {
        let mut text = format!(
            "{}, {} changed, {} known",
            plural(report.new, "new decision"),
            count(report.changed),
            count(report.known)
        );
        if report.forgotten > 0 {
            let forgotten = count(report.forgotten);
            text = format!("{text}, {forgotten} left out: their sessions are forgotten here");
        }
        ui.line(text)?;
    }
    Ok(if bad.is_empty() { Exit::Success } else { Exit::Problems })
}
