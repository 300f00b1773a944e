//! Ten records more in a session of 48 MB and in an ordinary one.

use super::measure::{self, median};
use super::place::{Place, cold_sync};
use super::report::{Goal, verdict};
use super::say;
use clap::Args;
use fs_err as fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// What to measure.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Runs for each of the two sessions.
    #[arg(long, default_value_t = 11)]
    reps: usize,
    /// Seed of the corpora.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const RECORDS: usize = 10;

/// Runs the bench.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let place = Place::prepare()?;
    let home = place.fresh("home-append")?;
    for (name, arguments) in [("100MB", ["--size", "100MB"]), ("single-48MB", ["--single", "48MB"])]
    {
        let corpus = place.corpus(name, &arguments, options.seed)?;
        copy_tree(&corpus.join("home"), &home)?;
    }
    let store = cold_sync(&place, &home, "store-append")?.store;
    measure::run(place.product(&home, &store).arg("sync"))?;
    let sessions = main_sessions(&home);
    let (Some(large), Some(ordinary)) = (sessions.last(), sessions.get(sessions.len() / 2)) else {
        return Err(io::Error::other("the corpus has no session"));
    };
    let mut walls = [Vec::new(), Vec::new()];
    for rep in 0..options.reps.max(1) {
        for (at, (path, _)) in [large, ordinary].into_iter().enumerate() {
            append(path, rep * 2 + at)?;
            walls[at].push(measure::run(place.product(&home, &store).arg("sync"))?.wall * 1e3);
        }
    }
    let [large_ms, ordinary_ms] = walls.map(median);
    say(&format!(
        "{RECORDS} records: {large_ms:.1} ms into {} MB, {ordinary_ms:.1} ms into {} kB",
        large.1 / 1_000_000,
        ordinary.1 / 1_000
    ))?;
    let time = verdict("milliseconds, large session", large_ms, Goal::AtMost(50.0))?;
    let order = verdict("large over ordinary", large_ms / ordinary_ms, Goal::AtMost(2.0))?;
    Ok(time && order)
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.map_err(io::Error::other)?;
        let target = to.join(entry.path().strip_prefix(from).map_err(io::Error::other)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Main transcripts of Claude Code by size.
fn main_sessions(home: &Path) -> Vec<(PathBuf, u64)> {
    let mut found: Vec<(PathBuf, u64)> = walkdir::WalkDir::new(home.join(".claude/projects"))
        .max_depth(2)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with("agent-"))
        .filter_map(|entry| Some((entry.path().to_owned(), entry.metadata().ok()?.len())))
        .collect();
    found.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    found
}

/// Appends the last records again under new ids.
fn append(path: &Path, round: usize) -> io::Result<()> {
    let text = fs::read_to_string(path)?;
    let marker = "\"uuid\":\"";
    let mut fresh = String::new();
    let records = text.lines().rev().filter(|line| line.contains(marker)).take(RECORDS);
    for (at, line) in records.enumerate() {
        let start = line.find(marker).unwrap_or_default() + marker.len();
        let mut line = line.to_owned();
        line.replace_range(start..start + 8, &format!("{:08x}", round * RECORDS + at));
        fresh.push_str(&line);
        fresh.push('\n');
    }
    fs::OpenOptions::new().append(true).open(path)?.write_all(fresh.as_bytes())
}
