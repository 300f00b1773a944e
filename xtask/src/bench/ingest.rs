//! A cold sync beside the floors and the peer, interleaved.

use super::measure;
use super::place::{Place, cold_sync, size_of};
use super::report::{Goal, Stage, table, verdict};
use super::{peer, say};
use crate::corpus::parse_size;
use clap::Args;
use std::io;
use std::path::Path;

/// Above this size the peer runs once only: it takes minutes.
const PEER_ONCE_ABOVE: u64 = 500_000_000;

/// What to measure.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Size of the corpus.
    #[arg(long, default_value = "1GB")]
    size: String,
    /// Runs of each stage.
    #[arg(long, default_value_t = 3)]
    reps: usize,
    /// Seed of the corpus.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave the peer out.
    #[arg(long)]
    no_peer: bool,
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let size = parse_size(&options.size).map_err(io::Error::other)?;
    let place = Place::prepare()?;
    let corpus = place.corpus(&options.size, &["--size", &options.size], options.seed)?;
    let home = corpus.join("home");
    let source = size_of(&home);
    let mut stages = [
        Stage::new("a read"),
        Stage::new("b parse, take text"),
        Stage::new("c + zstd blocks + bare rows"),
        Stage::new("d backstory sync"),
        Stage::new("e agentsview sync"),
    ];
    let program =
        if options.no_peer { Err(io::Error::other("left out")) } else { peer::install(&place) };
    for rep in 0..options.reps.max(1) {
        for (at, stage) in ["a", "b", "c"].into_iter().enumerate() {
            stages[at].add(floor(&place, stage, &home));
        }
        stages[3]
            .add(cold_sync(&place, &home, "store-d").map(|sync| (sync.cost, Some(sync.stored))));
        if rep == 0 || size <= PEER_ONCE_ABOVE {
            stages[4].add(match &program {
                Ok(program) => peer::sync(&place, program, &home),
                Err(error) => Err(io::Error::other(error.to_string())),
            });
        }
        say(&format!("round {} of {} done", rep + 1, options.reps.max(1)))?;
    }
    table(&stages, source)?;
    let text: f64 = stages[1]
        .runs
        .first()
        .and_then(|(cost, _)| cost.stdout.split(' ').next()?.parse().ok())
        .unwrap_or(f64::NAN);
    say(&format!(
        "source {} MB, text {:.0} MB ({:.0} %)",
        source / 1_000_000,
        text / 1e6,
        text / source as f64 * 100.0
    ))?;
    goals(&stages, source)
}

fn floor(place: &Place, stage: &str, home: &Path) -> io::Result<(measure::Cost, Option<u64>)> {
    let store = place.fresh("store-floor")?;
    let mut command = place.xtask();
    command.args(["bench-stage", stage, "--home"]).arg(home).arg("--store").arg(&store);
    let cost = measure::run(&mut command)?;
    Ok((cost, store.exists().then(|| size_of(&store))))
}

fn goals(stages: &[Stage; 5], source: u64) -> io::Result<bool> {
    let [_, _, floor, product, peer] = stages;
    let stored = product.stored().map_or(f64::NAN, |stored| stored as f64 / source as f64);
    let results = [
        verdict("CPU of the sync over floor c", product.cpu() / floor.cpu(), Goal::AtMost(2.0))?,
        verdict("CPU of agentsview over the sync", peer.cpu() / product.cpu(), Goal::AtLeast(5.0))?,
        verdict("stored over source", stored, Goal::AtMost(0.30))?,
        verdict("peak memory, MB", product.rss_mb(), Goal::AtMost(256.0))?,
    ];
    Ok(results.into_iter().all(|met| met))
}
