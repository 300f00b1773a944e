//! How long a start takes: the version, and a sync of a small home with nothing to do.

use super::measure::{self, median};
use super::place::{Place, cold_sync};
use super::report::{Goal, verdict};
use clap::Args;
use std::io;

/// What to measure.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Runs of each.
    #[arg(long, default_value_t = 51)]
    reps: usize,
    /// Seed of the corpus.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let place = Place::prepare()?;
    let home = place.corpus("many-50", &["--many", "50"], options.seed)?.join("home");
    let store = cold_sync(&place, &home, "store-start")?.store;
    measure::run(place.product(&home, &store).arg("sync"))?;
    let (mut version, mut sync) = (Vec::new(), Vec::new());
    for _ in 0..options.reps.max(1) {
        version.push(measure::run(place.product(&home, &store).arg("--version"))?.wall * 1e3);
        sync.push(measure::run(place.product(&home, &store).arg("sync"))?.wall * 1e3);
    }
    let version = verdict("milliseconds of --version", median(version), Goal::AtMost(5.0))?;
    let sync =
        verdict("milliseconds of a sync with nothing to do", median(sync), Goal::AtMost(20.0))?;
    Ok(version && sync)
}
