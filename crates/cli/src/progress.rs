//! A progress bar for sweeps that take longer than a second.

use crate::figures::{bytes, count};
use backstory_engine::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// A sweep shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Draws what a sweep reports.
pub(crate) struct SweepBar {
    /// Nobody watches.
    hidden: bool,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl SweepBar {
    /// A bar that waits before it appears.
    pub(crate) fn new(may_draw: bool) -> Self {
        Self { hidden: !may_draw, started: Instant::now(), bar: None }
    }

    /// Shows how far the sweep is.
    pub(crate) fn update(&mut self, progress: Progress) {
        if self.hidden || (self.bar.is_none() && self.started.elapsed() < PATIENCE) {
            return;
        }
        if progress.sessions_done < progress.sessions_total {
            self.sessions("Distilling", progress.sessions_done, progress.sessions_total);
            return;
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(progress.bytes_total));
        bar.set_prefix("Reading");
        bar.set_length(progress.bytes_total);
        bar.set_position(progress.bytes_done.min(progress.bytes_total));
        bar.set_message(format!(
            "{} of {}, {} of {} files, {} events",
            bytes(progress.bytes_done),
            bytes(progress.bytes_total),
            count(progress.files_done),
            count(progress.files_total),
            count(progress.events)
        ));
    }

    /// Shows how many sessions are done.
    pub(crate) fn sessions(&mut self, doing: &'static str, done: u64, total: u64) {
        if self.hidden || (self.bar.is_none() && self.started.elapsed() < PATIENCE) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(total));
        bar.set_prefix(doing);
        bar.set_length(total);
        bar.set_position(done);
        bar.set_message(format!("{} of {} sessions", count(done), count(total)));
    }

    /// Removes the bar.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar:.cyan/dim} {msg}  {eta} ") {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar
}
