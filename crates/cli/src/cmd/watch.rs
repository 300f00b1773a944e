//! `backstory watch`: take in what is new the moment it is written.

use crate::context::Context;
use crate::error::{Exit, Failure, Kind};
use crate::figures::{local_clock, plural};
use crate::hub;
use crate::settings::Settings;
use crate::sweep;
use crate::ui::{DIM, Ui, paint};
use crate::untrusted::one_line;
use crate::watch::{Lookout, News, Pace};
use backstory_api as api;
use backstory_engine::live;
use backstory_engine::{Problem, Root, SyncOptions, SyncReport};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How often sessions that may still run are looked at.
const LIVE_PAUSE: Duration = Duration::from_mins(1);

/// Arguments of `watch`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Wait until nothing was written for so long
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = parse_seconds)]
    settle: Duration,
    /// Under constant writing, take in what is new at least this often
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    max_wait: Duration,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a number of seconds up to 86400, e.g. 2 or 0.5".to_owned();
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.0..=86_400.0).contains(seconds));
    Duration::try_from_secs_f64(seconds.ok_or_else(wrong)?).map_err(|_| wrong())
}

/// Runs the command.
pub(crate) fn run(args: &Args, context: &Context, ui: &mut Ui) -> Result<Exit, Failure> {
    let settings = context.settings(ui)?;
    let options = sweep::options(&settings, sweep::configured_roots(&settings))?;
    let (news, heard) = channel();
    stop_on_signals(news.clone())?;
    let mut lookout = Lookout::new(&options.roots, options.archive.home.dir(), news)?;
    lookout.place()?;
    ui.status(paint(DIM, format_args!("watching {}; Ctrl-C ends it", folders(&options.roots))));
    let mut watch = Watch {
        options: &options,
        settings: &settings,
        context,
        pace: Pace::new(args.settle, args.max_wait),
        known_problems: Vec::new(),
        told_failure: None,
    };
    // What was written while nobody watched. If this fails, later ones would too.
    watch.sweep(ui, true)?;
    watch.wait(&heard, &mut lookout, ui)?;
    Ok(Exit::Success)
}

/// `5 folders, 3 of which do not exist yet`.
fn folders(roots: &[Root]) -> String {
    let all = plural(roots.len() as u64, "folder");
    match roots.iter().filter(|root| !root.dir.is_dir()).count() {
        0 => all,
        missing => format!("{all}, {missing} of which do not exist yet"),
    }
}

fn stop_on_signals(news: Sender<News>) -> Result<(), Failure> {
    let stop = move || {
        // Once the main thread is gone there is nothing left to stop.
        let _ = news.send(News::Stop);
    };
    ctrlc::set_handler(stop).map_err(|error| {
        Failure::new(Kind::Problems, "signals cannot be listened to").cause(&error)
    })
}

struct Watch<'a> {
    options: &'a SyncOptions,
    settings: &'a Settings,
    context: &'a Context,
    pace: Pace,
    /// What the last sweep complained about; the same complaint is not made twice.
    known_problems: Vec<Problem>,
    told_failure: Option<String>,
}

impl Watch<'_> {
    /// Sleeps, and sweeps when something was written, until told to stop.
    fn wait(
        &mut self,
        heard: &Receiver<News>,
        lookout: &mut Lookout,
        ui: &mut Ui,
    ) -> Result<(), Failure> {
        loop {
            let now = Instant::now();
            let news = match self.pace.due() {
                // First of all: under constant writing there is always more news.
                Some(due) if due <= now => {
                    // Folders may have come or gone. First look, then sweep, so that nothing is
                    // written unseen in between.
                    lookout.place()?;
                    self.sweep(ui, false)?;
                    continue;
                }
                Some(due) => heard.recv_timeout(due - now),
                // Nobody writes anything when a running session falls silent.
                None if self.has_live_sessions() => heard.recv_timeout(LIVE_PAUSE),
                None => heard.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match news {
                Ok(News::Changed) => {
                    lookout.heard();
                    self.pace.changed(Instant::now());
                }
                Ok(News::Lost) => {
                    lookout.forget();
                    lookout.place()?;
                    self.pace.changed(Instant::now());
                }
                Ok(News::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    if self.pace.due().is_none() && self.has_to_seal()? {
                        self.pace.changed(Instant::now());
                    }
                }
            }
        }
    }

    fn has_live_sessions(&self) -> bool {
        !live::live(&self.options.archive.home).is_empty()
    }

    fn has_to_seal(&self) -> Result<bool, Failure> {
        let now = self.context.env.now()?;
        Ok(!live::pending(&self.options.archive.home, now, &self.settings.live).is_empty())
    }

    fn sweep(&mut self, ui: &mut Ui, is_first: bool) -> Result<(), Failure> {
        self.pace.begins();
        let moment = Context::new(self.context.env.clone(), self.context.global.clone())?;
        match sweep::run(self.options, &moment, ui) {
            Ok(report) => {
                self.pace.succeeded();
                self.told_failure = None;
                self.tell(&report, &moment, ui)?;
                hub::deliver(self.settings, &self.options.archive.home, ui);
            }
            Err(failure) if failure.kind == Kind::Busy => self.pace.was_busy(Instant::now()),
            Err(failure) if is_first => return Err(failure),
            Err(failure) => {
                self.pace.failed(Instant::now());
                if self.told_failure.as_ref() != Some(&failure.message) {
                    ui.failure(&failure);
                    self.told_failure = Some(failure.message);
                }
            }
        }
        Ok(())
    }

    /// One line if there is something new, nothing otherwise.
    fn tell(&mut self, report: &SyncReport, moment: &Context, ui: &mut Ui) -> Result<(), Failure> {
        let is_new = |problem: &&Problem| !self.known_problems.contains(problem);
        let problems: Vec<Problem> = report.problems.iter().filter(is_new).cloned().collect();
        self.known_problems.clone_from(&report.problems);
        let new_events = report.total(|agent| agent.new_events);
        let new_sessions = report.total(|agent| agent.new_sessions);
        if new_events + new_sessions == 0 && problems.is_empty() {
            return Ok(());
        }
        if ui.json {
            ui.json_line(&api::WatchedSweep {
                at: moment.now.to_string(),
                new_sessions,
                new_events,
                files_read: report.total(|agent| agent.files_read),
                bytes_read: report.total(|agent| agent.bytes_read),
                problems: problems.iter().map(sweep::problem_shape).collect(),
            })?;
        } else {
            if new_events + new_sessions > 0 {
                let clock = paint(DIM, local_clock(moment.now, moment.zone()));
                ui.line(format!("{clock}  {}", sweep::gist(report)))?;
            }
            for problem in &problems {
                let place = one_line(&moment.short_path(&problem.path));
                let line = problem.line.map_or_else(String::new, |line| format!(":{line}"));
                ui.warning(format!("{place}{line}: {}", one_line(&problem.what)));
            }
        }
        ui.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_have_fractions_and_must_be_sane() {
        assert_eq!(parse_seconds("0.25"), Ok(Duration::from_millis(250)));
        for wrong in ["", "-1", "NaN", "1e9", "soon"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }
}
