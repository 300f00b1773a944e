//! `backstory index`: bring the search index up to date, and tell how it stands.

use crate::context::Context;
use crate::error::{Exit, Failure};
use crate::figures::{bytes, count, plural};
use crate::open;
use crate::progress::SweepBar;
use crate::ui::Ui;
use backstory_api as api;
use backstory_engine::{IndexReport, IndexStatus, index, index_status};
use backstory_store::Vault;

/// Arguments of `index`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_help = "The index is derived from the archive: a rebuild loses nothing.
Every sync keeps it up to date, and an index of another version is built anew by itself.")]
pub(crate) struct Args {
    /// Build it from nothing
    #[arg(long)]
    pub(crate) rebuild: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let archive = open::archive(&settings)?;
    let mut bar = SweepBar::new(ui.may_draw());
    let report = index(&archive, args.rebuild, &mut |done, total| {
        bar.sessions("Indexing", done, total);
    });
    bar.finish();
    let report = report?;
    let status = index_status(&Vault::open(&archive.home)?, &*archive.index)?;
    let shape = shape(&report, status);
    if ui.json {
        ui.json_line(&shape)?;
    } else {
        if !ui.is_quiet() {
            lines(&shape).into_iter().try_for_each(|line| ui.line(line))?;
        }
        if let Some(problem) = &shape.problem {
            ui.warning(problem);
        }
    }
    Ok(if shape.problem.is_some() { Exit::Problems } else { Exit::Success })
}

fn shape(report: &IndexReport, status: IndexStatus) -> api::Index {
    let stock = status.stock.unwrap_or_default();
    api::Index {
        name: status.name,
        is_new: report.is_new,
        sessions: report.sessions,
        events: report.events,
        documents: stock.documents,
        vectors: stock.vectors,
        segments: stock.segments,
        bytes: status.bytes,
        behind: status.behind,
        problem: report.failure.clone().or(status.problem),
    }
}

fn lines(index: &api::Index) -> Vec<String> {
    let mut lines = vec![match (index.is_new, index.sessions) {
        (true, sessions) => format!(
            "built anew: {}, {}",
            plural(sessions, "session"),
            plural(index.events, "event")
        ),
        (false, 0) => "the search index is up to date".to_owned(),
        (false, sessions) => format!(
            "brought up to date: {}, {}",
            plural(sessions, "session"),
            plural(index.events, "event")
        ),
    }];
    lines.push(format!(
        "{} holds {} and {} in {}",
        index.name,
        plural(index.documents, "passage"),
        plural(index.vectors, "vector"),
        bytes(index.bytes)
    ));
    if index.behind > 0 {
        lines.push(format!("{} sessions are still to be indexed", count(index.behind)));
    }
    lines
}
