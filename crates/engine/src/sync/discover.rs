//! Finding the files: one walk per root, one `stat` per claimed file.

use super::report::{FlavorProgress, Problem, SyncReport};
use super::{Root, SyncOptions, posted};
use backstory_adapters::{Adapter, Claim, Form};
use backstory_model::{Flavor, Timestamp};
use backstory_store::{SourceStat, path_key};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A claimed file.
pub(crate) struct Found {
    pub(crate) flavor: Flavor,
    pub(crate) adapter: &'static dyn Adapter,
    pub(crate) path: PathBuf,
    pub(crate) path_key: i64,
    pub(crate) claim: Claim,
    pub(crate) stat: SourceStat,
}

/// Every file below the roots that an adapter claims. Links, pipes and devices are never opened,
/// unreadable folders are reported and passed over.
pub(crate) fn discover(
    options: &SyncOptions,
    now: Timestamp,
    report: &mut SyncReport,
) -> Vec<Found> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for root in &options.roots {
        let Some(adapter) = backstory_adapters::of(root.flavor) else { continue };
        let problems = walk(root, adapter, &mut |file| {
            // Roots may overlap, and a file may be reachable through two of them.
            if seen.insert(file.path_key) {
                found.push(file);
            }
        });
        for problem in problems {
            report.problem(problem);
        }
    }
    if options.spool {
        found.extend(posted::files(&options.archive.home));
    }
    // They have no folders of their own, so nothing was expected of them.
    if found.iter().any(|file| file.flavor == Flavor::Pushed) {
        report.flavors.push(FlavorProgress::new(Flavor::Pushed));
    }
    let plain: HashSet<i64> = found.iter().map(|file| file.path_key).collect();
    found.retain(|file| !has_plain_sibling(file, &plain) && !waits(file, &plain, now));
    for file in &found {
        if let Some(flavor) = report.flavor(file.flavor) {
            flavor.files += 1;
        }
    }
    found
}

/// While a log is being compressed both forms exist for a moment; the plain one is the truth.
fn has_plain_sibling(file: &Found, known: &HashSet<i64>) -> bool {
    file.claim.form == Form::ZstdLines && known.contains(&path_key(&file.path.with_extension("")))
}

/// Milliseconds after which a file that tells less than another is believed to be all there is.
const YOUNG_MS: i64 = 60_000;

/// Read now, it would tell what the better file tells again in a moment, under other names.
fn waits(file: &Found, known: &HashSet<i64>, now: Timestamp) -> bool {
    let Some(better) = file.claim.better else { return false };
    let age = now.0 - file.stat.mtime_ns / 1_000_000;
    (0..YOUNG_MS).contains(&age) && !known.contains(&path_key(&file.path.with_file_name(better)))
}

fn walk(root: &Root, adapter: &'static dyn Adapter, each: &mut dyn FnMut(Found)) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !root.dir.exists() {
        return problems;
    }
    for entry in WalkDir::new(&root.dir).follow_links(false) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(&root.dir).display().to_string();
                let what = match error.io_error() {
                    Some(io) => format!("cannot be listed: {io}; check its permissions"),
                    None => "is a loop of links and was left out".to_owned(),
                };
                problems.push(Problem { flavor: Some(root.flavor), path, line: None, what });
                continue;
            }
        };
        if !entry.file_type().is_file() {
            continue;
        }
        let below = entry.path().strip_prefix(&root.dir).unwrap_or(entry.path());
        let Some(claim) = adapter.claim(below) else { continue };
        match entry.metadata() {
            Ok(meta) => each(Found {
                flavor: root.flavor,
                adapter,
                path_key: path_key(entry.path()),
                claim,
                stat: stat_of(&meta),
                path: entry.into_path(),
            }),
            Err(error) => problems.push(Problem {
                flavor: Some(root.flavor),
                path: entry.path().display().to_string(),
                line: None,
                what: format!("cannot be looked at: {error}"),
            }),
        }
    }
    problems
}

#[cfg(unix)]
pub(crate) fn stat_of(meta: &std::fs::Metadata) -> SourceStat {
    use std::os::unix::fs::MetadataExt;
    SourceStat {
        size: meta.size(),
        mtime_ns: meta.mtime() * 1_000_000_000 + meta.mtime_nsec(),
        inode: meta.ino(),
        dev: meta.dev(),
    }
}

#[cfg(not(unix))]
pub(crate) fn stat_of(meta: &std::fs::Metadata) -> SourceStat {
    let mtime_ns = meta
        .modified()
        .ok()
        .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_nanos() as i64);
    SourceStat { size: meta.len(), mtime_ns, inode: 0, dev: 0 }
}

/// When the file came to be, for ordering; the oldest time the system knows.
pub(crate) fn born(path: &Path) -> i64 {
    let Ok(meta) = std::fs::symlink_metadata(path) else { return 0 };
    [meta.created(), meta.modified()]
        .into_iter()
        .flatten()
        .filter_map(|at| at.duration_since(std::time::UNIX_EPOCH).ok())
        .map(|since| since.as_millis() as i64)
        .min()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_young_file_waits_for_a_better_one() {
        let adapter = backstory_adapters::of(Flavor::Grok).unwrap();
        let path = Path::new("/g/01a1/chat_history.jsonl");
        let found = |mtime_ms: i64| Found {
            flavor: Flavor::Grok,
            adapter,
            path: path.to_owned(),
            path_key: path_key(path),
            claim: adapter.claim(path).unwrap(),
            stat: SourceStat { mtime_ns: mtime_ms * 1_000_000, ..SourceStat::default() },
        };
        let (now, nothing) = (Timestamp(1_000_000), HashSet::new());
        assert!(waits(&found(now.0), &nothing, now));
        assert!(waits(&found(now.0 - YOUNG_MS + 1), &nothing, now));
        assert!(!waits(&found(now.0 - YOUNG_MS), &nothing, now));
        assert!(!waits(&found(now.0 + 1), &nothing, now));
        let log = HashSet::from([path_key(Path::new("/g/01a1/updates.jsonl"))]);
        assert!(!waits(&found(now.0), &log, now));
    }
}
