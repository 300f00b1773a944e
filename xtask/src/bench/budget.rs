//! A large corpus arrives in parts; after each the archive is within its budget.

use super::place::{Place, size_of};
use super::report::{Goal, verdict};
use super::{measure, say};
use backstory_index::{LocalShelf, Shelf as _};
use backstory_store::{SessionFilter, Vault};
use clap::Args;
use fs_err as fs;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// What to run.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Size of the corpus.
    #[arg(long, default_value = "2GB")]
    size: String,
    /// Parts it arrives in.
    #[arg(long, default_value_t = 10)]
    parts: usize,
    /// Soft cap in MB.
    #[arg(long, default_value_t = 50)]
    soft: u64,
    /// Hard cap in MB.
    #[arg(long, default_value_t = 80)]
    hard: u64,
    /// Seed of the corpus.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Evicted sessions that are asked for once more.
const SAMPLE: usize = 40;

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let place = Place::prepare()?;
    let corpus = place.corpus(&options.size, &["--size", &options.size], options.seed)?;
    let (home, store) = (place.fresh("home-budget")?, place.fresh("store-budget")?);
    fs::create_dir_all(&store)?;
    let config = format!(
        "[session_memory.retention]\nraw_soft_cap_bytes = \"{}MB\"\nraw_hard_cap_bytes = \"{}MB\"\n",
        options.soft, options.hard
    );
    fs::write(store.join("config.toml"), config)?;
    let soft = options.soft as f64 * 1e6;
    say(&format!(
        "{:>4} {:>9} {:>10} {:>10} {:>9} {:>10} {:>9} {:>9} {:>8}",
        "part",
        "read MB",
        "tier 1 MB",
        "tier 2 MB",
        "2 / read",
        "du MB",
        "evicted",
        "wall s",
        "RSS MB"
    ))?;
    let (mut read, mut met) = (0, true);
    for (number, part) in parts(&corpus.join("home"), options.parts)?.into_iter().enumerate() {
        for path in part {
            let target =
                home.join(path.strip_prefix(corpus.join("home")).map_err(io::Error::other)?);
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            read += fs::metadata(&path)?.len();
            fs::hard_link(&path, &target)?;
        }
        let cost = measure::run(place.product(&home, &store).arg("sync"))?;
        let vault = open(&store)?;
        let tiers = vault.tiers(LocalShelf::new(&store).bytes()).map_err(io::Error::other)?;
        // What the file system says, packs in whole pieces as it hands them out.
        let on_disk = disk_usage(&store) as f64;
        let told = (tiers.raw() + tiers.distilled) as f64;
        let share = tiers.distilled as f64 / read as f64;
        let evicted = sessions(&vault)?.iter().filter(|(_, is_evicted)| *is_evicted).count();
        say(&format!(
            "{:>4} {:>9} {:>10.2} {:>10.2} {:>8.2}% {:>10.2} {:>9} {:>9.2} {:>8.0}",
            number + 1,
            read / 1_000_000,
            tiers.raw() as f64 / 1e6,
            tiers.distilled as f64 / 1e6,
            share * 100.0,
            on_disk / 1e6,
            evicted,
            cost.wall,
            cost.rss as f64 / 1e6
        ))?;
        met &= tiers.raw() as f64 <= soft * 1.05 && share <= 0.02;
        // Folders, the lock and the settings are all that the tiers do not count.
        met &= (on_disk - told).abs() <= 2e6;
    }
    verdict("parts within the budget", f64::from(u8::from(met)), Goal::AtLeast(1.0))?;
    Ok(met & all_answer(&place, &home, &store)?)
}

fn open(store: &Path) -> io::Result<Vault> {
    Vault::open(&backstory_store_sqlite::home(store)).map_err(io::Error::other)
}

/// Every session and whether its raw events have left.
fn sessions(vault: &Vault) -> io::Result<Vec<(String, bool)>> {
    let all = SessionFilter { with_subagents: true, ..SessionFilter::default() };
    let sessions = vault.sessions(&all).map_err(io::Error::other)?;
    let evicted = |session: &backstory_model::Session| session.watermarks.evicted_at.is_some();
    Ok(sessions.iter().map(|session| (session.session_uid.to_string(), evicted(session))).collect())
}

/// Every evicted session has a digest, no loss was reported, and commands still answer.
fn all_answer(place: &Place, home: &Path, store: &Path) -> io::Result<bool> {
    let vault = open(store)?;
    let evicted: Vec<String> =
        sessions(&vault)?.into_iter().filter(|(_, evicted)| *evicted).map(|(uid, _)| uid).collect();
    let mut bare = 0;
    for uid in &evicted {
        let uid = backstory_model::SessionUid::from_stored(uid.clone());
        bare += usize::from(vault.account(&uid).map_err(io::Error::other)?.is_none());
    }
    let mut silent = 0;
    for uid in evicted.iter().step_by((evicted.len() / SAMPLE).max(1)) {
        silent +=
            usize::from(measure::run(place.product(home, store).args(["show", uid])).is_err());
    }
    for command in ["patterns", "signals"] {
        silent += usize::from(measure::run(place.product(home, store).arg(command)).is_err());
    }
    let lost = fs::read_to_string(store.join("events.jsonl")).unwrap_or_default();
    let goals = [
        verdict("evicted sessions", evicted.len() as f64, Goal::AtLeast(1.0))?,
        verdict("evicted sessions without a digest", bare as f64, Goal::AtMost(0.0))?,
        verdict("questions about them left unanswered", silent as f64, Goal::AtMost(0.0))?,
        verdict("losses reported", lost.matches("data_loss").count() as f64, Goal::AtMost(0.0))?,
    ];
    Ok(goals.iter().all(|met| *met))
}

/// Files in parts of about the same size; what lies in one folder of a session arrives together.
fn parts(home: &Path, count: usize) -> io::Result<Vec<Vec<PathBuf>>> {
    let mut groups: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for entry in walkdir::WalkDir::new(home) {
        let entry = entry.map_err(io::Error::other)?;
        if entry.file_type().is_file() {
            let path = entry.into_path();
            // `session.jsonl` and the folder `session/` of its sub-agents share a beginning.
            let below = path.strip_prefix(home).map_err(io::Error::other)?;
            let group: PathBuf = below.components().take(4).collect();
            groups.entry(group.with_extension("")).or_default().push(path);
        }
    }
    let mut parts = vec![Vec::new(); count.max(1)];
    let total = size_of(home).max(1);
    let mut seen = 0;
    // By a mixed order: each part has something of every agent and every age.
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(name, _)| backstory_store::path_key(name));
    for (_, files) in groups {
        let part = (seen * count as u64 / total).min(count as u64 - 1) as usize;
        seen += files
            .iter()
            .filter_map(|file| fs::metadata(file).ok())
            .map(|meta| meta.len())
            .sum::<u64>();
        parts[part].extend(files);
    }
    Ok(parts)
}

/// What `du` would say of the files, in whole pieces of the file system.
fn disk_usage(dir: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    walkdir::WalkDir::new(dir)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| entry.metadata().ok())
        .map(|metadata| metadata.blocks() * 512)
        .sum()
}
