//! Whether the cost per byte and the memory stay the same when there is more.

use super::place::{Place, cold_sync, size_of};
use super::report::{Goal, Stage, table, verdict};
use clap::Args;
use std::io;

/// What to measure.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// The ordinary corpus.
    #[arg(long, default_value = "1GB")]
    size: String,
    /// The large corpus.
    #[arg(long, default_value = "4GB")]
    large: String,
    /// The huge session.
    #[arg(long, default_value = "500MB")]
    single: String,
    /// Seed of the corpora.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let place = Place::prepare()?;
    let mut speeds = Vec::new();
    let mut memory: f64 = 0.0;
    let corpora = [
        ("--size", &options.size, "ordinary", "ordinary corpus"),
        ("--size", &options.large, "large", "large corpus"),
        ("--single", &options.single, "single", "one session"),
    ];
    for (flag, size, store, name) in corpora {
        let label = if flag == "--single" { format!("single-{size}") } else { size.clone() };
        let home = place.corpus(&label, &[flag, size], options.seed)?.join("home");
        let source = size_of(&home);
        let mut stage = Stage::new(name);
        stage.add(
            cold_sync(&place, &home, &format!("store-{store}"))
                .map(|sync| (sync.cost, Some(sync.stored))),
        );
        speeds.push(source as f64 / 1e6 / stage.cpu());
        memory = if stage.runs.is_empty() { f64::NAN } else { memory.max(stage.rss_mb()) };
        table(&[stage], source)?;
    }
    let speed = verdict(
        "speed of the large corpus over the ordinary",
        speeds[1] / speeds[0],
        Goal::AtLeast(0.8),
    )?;
    let rss = verdict("peak memory, MB", memory, Goal::AtMost(256.0))?;
    Ok(speed && rss)
}
