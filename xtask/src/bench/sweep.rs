//! A sync with nothing to do, beside `find` over the same files.

use super::measure::{self, median};
use super::place::{Place, cold_sync};
use super::report::{Goal, verdict};
use super::say;
use clap::Args;
use std::io;
use std::path::Path;
use std::process::Command;

/// What to measure.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Numbers of sessions.
    #[arg(long, default_values_t = [10_000, 100_000])]
    many: Vec<u64>,
    /// Runs of each.
    #[arg(long, default_value_t = 5)]
    reps: usize,
    /// Seed of the corpora.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let place = Place::prepare()?;
    let mut all_met = true;
    for many in &options.many {
        let count = many.to_string();
        let corpus = place.corpus(&format!("many-{count}"), &["--many", &count], options.seed)?;
        let home = corpus.join("home");
        let store = cold_sync(&place, &home, "store-sweep")?.store;
        measure::run(place.product(&home, &store).arg("sync"))?;
        let (mut find, mut sync) = (Vec::new(), Vec::new());
        for _ in 0..options.reps.max(1) {
            find.push(measure::run(&mut find_command(&home))?);
            sync.push(measure::run(place.product(&home, &store).arg("sync"))?);
        }
        let cpu = |runs: &[measure::Cost]| median(runs.iter().map(|run| run.cpu));
        let files = find[0].stdout.lines().count();
        say(&format!(
            "{files} files: find {:.3} s CPU, sync {:.3} s CPU, {:.3} s wall, {:.0} MB",
            cpu(&find),
            cpu(&sync),
            median(sync.iter().map(|run| run.wall)),
            median(sync.iter().map(|run| run.rss as f64 / 1e6)),
        ))?;
        let what = format!("CPU over find, {count} sessions");
        all_met &= verdict(&what, cpu(&sync) / cpu(&find), Goal::AtMost(4.0))?;
    }
    Ok(all_met)
}

fn find_command(home: &Path) -> Command {
    let mut command = Command::new("find");
    command.args([".claude", ".codex", ".grok"].map(|folder| home.join(folder)));
    command.args(["-type", "f", "-printf", "%p %s %T@ %i\n"]);
    command
}
