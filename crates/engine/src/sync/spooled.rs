//! What hooks left for this sweep. The sweep itself finds their transcripts below the roots; nothing
//! else is ever opened because a message names it.

use super::report::{Problem, SyncReport};
use super::{Root, SyncOptions};
use crate::spool::{self, Drained, SpoolEntry};
use backstory_model::Timestamp;
use std::path::{Component, Path};

/// Takes the messages and tells which of them are odd.
pub(super) fn hear(options: &SyncOptions, now: Timestamp, report: &mut SyncReport) -> Drained {
    if !options.spool {
        return Drained::default();
    }
    let drained = spool::drain(&options.archive.home, now);
    for odd in &drained.set_aside {
        report.problem(Problem {
            flavor: None,
            path: odd.path.display().to_string(),
            line: None,
            what: odd.reason.clone(),
        });
    }
    for (path, entry) in &drained.entries {
        if let Some(what) = stray(entry, &options.roots) {
            report.problem(Problem {
                flavor: Some(entry.agent),
                path: path.display().to_string(),
                line: None,
                what,
            });
        }
    }
    report.spooled = drained.entries.len() as u64;
    drained
}

/// Removes the messages, now that everything they speak of is stored.
pub(super) fn forget(drained: Drained, report: &mut SyncReport) {
    for (path, error) in drained.forget() {
        report.problem(Problem {
            flavor: None,
            path: path.display().to_string(),
            line: None,
            what: format!("cannot be removed: {error}"),
        });
    }
}

fn stray(entry: &SpoolEntry, roots: &[Root]) -> Option<String> {
    let transcript = entry.transcript_path.as_deref()?;
    let mut own = roots.iter().filter(|root| root.flavor == entry.agent);
    if own.any(|root| lies_below(transcript, &root.dir)) {
        return None;
    }
    Some(format!(
        "speaks of {}, which lies below no folder of {}: it was not read; name its folder in \
         [session_memory.sources]",
        transcript.display(),
        entry.agent
    ))
}

/// Judged by where the path leads, or by its text if it leads nowhere.
fn lies_below(path: &Path, root: &Path) -> bool {
    if let (Ok(path), Ok(root)) = (fs_err::canonicalize(path), fs_err::canonicalize(root)) {
        return path.starts_with(root);
    }
    path.starts_with(root) && !path.components().any(|part| part == Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_must_stay_below_its_root() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs_err::create_dir_all(root.join("p")).unwrap();
        fs_err::write(root.join("p/a.jsonl"), "").unwrap();
        fs_err::write(dir.path().join("secret"), "").unwrap();
        for (path, below) in [
            ("root/p/a.jsonl", true),
            ("root/p/gone.jsonl", true),
            ("root/p/../../secret", false),
            ("root/gone/../../secret", false),
            ("secret", false),
            ("rooted/a.jsonl", false),
        ] {
            assert_eq!(lies_below(&dir.path().join(path), &root), below, "{path}");
        }
        #[cfg(unix)]
        {
            let link = root.join("p/link.jsonl");
            std::os::unix::fs::symlink(dir.path().join("secret"), &link).unwrap();
            assert!(!lies_below(&link, &root));
        }
    }
}
