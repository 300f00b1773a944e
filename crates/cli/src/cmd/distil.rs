//! `backstory distil`: bring digests up to date.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::open;
use crate::progress::SweepBar;
use crate::ui::Ui;
use crate::upkeep;
use backstory_engine::Progress;

/// Arguments of `distil`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Make every digest anew whose session still has raw events
    #[arg(long)]
    pub(crate) all: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let archive = open::archive(&settings)?;
    let mut bar = SweepBar::new(ui.may_draw());
    let report = backstory_engine::distil(&archive, args.all, context.now, &mut |done, total| {
        bar.update(Progress { sessions_done: done, sessions_total: total, ..Progress::default() });
    });
    bar.finish();
    let report = report?;
    if ui.json {
        ui.json_line(&upkeep::distilled_shape(&report))?;
    } else if !ui.is_quiet() {
        ui.line(match upkeep::distilled_line(&report) {
            Some(line) => line,
            None if report.failure_count > 0 => "no session distilled".into(),
            None => "all digests are up to date".into(),
        })?;
    }
    Ok(if upkeep::warn_of_failures(&report, ui) { Exit::Problems } else { Exit::Success })
}
