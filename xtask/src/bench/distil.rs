//! Distilling a corpus beside taking it in.

use super::place::{Place, cold_sync, size_of};
use super::report::{Goal, Stage, table, verdict};
use super::{measure, say};
use backstory_store::Vault;
use clap::Args;
use std::io;

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
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let place = Place::prepare()?;
    let corpus = place.corpus(&options.size, &["--size", &options.size], options.seed)?;
    let home = corpus.join("home");
    let source = size_of(&home);
    let mut stages = [Stage::new("sync --no-distil"), Stage::new("distil")];
    let mut distilled = 0;
    for _ in 0..options.reps.max(1) {
        let synced = cold_sync(&place, &home, "store-distil")?;
        stages[0].add(Ok((synced.cost, Some(synced.stored))));
        let cost = measure::run(place.product(&home, &synced.store).arg("distil"))?;
        let vault =
            Vault::open(&backstory_store_sqlite::home(&synced.store)).map_err(io::Error::other)?;
        distilled = vault.tiers(0).map_err(io::Error::other)?.distilled;
        stages[1].add(Ok((cost, Some(distilled))));
    }
    table(&stages, source)?;
    say(&format!("source {} MB, distilled tier {} kB", source / 1_000_000, distilled / 1_000))?;
    let [sync, distil] = &stages;
    let goals = [
        verdict(
            "time of distilling over taking in",
            distil.wall() / sync.wall(),
            Goal::AtMost(1.0),
        )?,
        verdict("peak memory, MB", distil.rss_mb(), Goal::AtMost(300.0))?,
        verdict(
            "distilled over source, %",
            distilled as f64 * 100.0 / source as f64,
            Goal::AtMost(2.0),
        )?,
    ];
    Ok(goals.iter().all(|met| *met))
}
