//! `backstory commit`: seal sessions now.

use crate::context::Context;
use crate::error::{Exit, Failure, Kind};
use crate::figures::plural;
use crate::progress::SweepBar;
use crate::sweep;
use crate::ui::Ui;
use crate::upkeep;
use crate::{behind, hub, ids};
use backstory_engine::live::{self, SealChoice, SealOptions, SealReport};
use backstory_engine::{SyncError, is_any_due};
use backstory_model::SessionUid;
use backstory_store::{Home, StoreError, Vault};
use std::time::{Duration, Instant};

/// Arguments of `commit`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// This session, live or not: an id or its beginning, or `last`
    #[arg(value_name = "ID", conflicts_with = "pending")]
    pub(crate) id: Option<String>,
    /// Only what waits: ended, about to be compacted, left behind, or silent for long
    #[arg(long)]
    pub(crate) pending: bool,
    /// Wait for a sync that is running: it may have begun before what is to be sealed was told
    #[arg(long, hide = true)]
    pub(crate) wait: bool,
}

/// How long a running sync is waited for, and how often it is looked at.
const PATIENCE: Duration = Duration::from_mins(2);
const GLANCE: Duration = Duration::from_millis(200);

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    if args.pending {
        behind::step_back();
    }
    let settings = context.settings(ui)?;
    let options = sweep::options(&settings, sweep::configured_roots(&settings))?;
    let choice = match &args.id {
        Some(id) => SealChoice::Session(session(&options.archive.home, id)?),
        None if args.pending => SealChoice::Pending,
        None => SealChoice::All,
    };
    let seal = SealOptions { knobs: settings.live, choice };
    let mut bar = SweepBar::new(ui.may_draw());
    let mut progress = |progress| bar.update(progress);
    let ends = Instant::now() + PATIENCE;
    let report = loop {
        let report = backstory_engine::commit(&options, &seal, context.now, &mut progress);
        let is_busy = matches!(report, Err(SyncError::Store(StoreError::Busy(_))));
        if !is_busy || !args.wait || Instant::now() > ends {
            break report;
        }
        std::thread::sleep(GLANCE);
        if !is_any_due(&options.archive.home, context.now, &seal.knobs) {
            // The sync that is running was told in time.
            return Ok(Exit::Success);
        }
    };
    bar.finish();
    let report = report?;
    if ui.json {
        ui.json_line(&upkeep::sealing_shape(&report.seals))?;
    } else if !ui.is_quiet() {
        write_report(&report.seals, ui)?;
    }
    hub::deliver(&settings, &options.archive.home, ui);
    let failed = upkeep::warn_of_unsealed(&report.seals, ui);
    let exit = sweep::exit(&report.sync, ui);
    Ok(if failed { Exit::Problems } else { exit })
}

/// The session an id names; hooks may have told of one that no sync has seen yet.
fn session(home: &Home, id: &str) -> Result<SessionUid, Failure> {
    let stored = Vault::open(home).map_err(Failure::from);
    match stored.and_then(|vault| ids::resolve(&vault, id)) {
        Ok(target) => Ok(target.uid),
        Err(failure) if failure.kind == Kind::NotFound => {
            let running: Vec<SessionUid> = live::live(home).iter().map(live::uid).collect();
            ids::resolve_among(&running, id)?.ok_or(failure)
        }
        Err(failure) => Err(failure),
    }
}

fn write_report(report: &SealReport, ui: &mut Ui) -> Result<(), Failure> {
    for sealed in &report.sealed {
        ui.line(upkeep::sealed_line(sealed))?;
    }
    if report.sealed.is_empty() {
        ui.line("nothing to seal")?;
    }
    if report.waiting > 0 {
        let sessions = plural(report.waiting, "session");
        ui.line(format!("{sessions} not yet: the end of the log is not written"))?;
    }
    Ok(())
}
