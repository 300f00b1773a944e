//! How much posted files take, and which of them may leave: those the archive has whole, that are sealed
//! whole, and that nobody wrote to for long. They are second copies then, and agents are answered from the
//! archive. What the archive does not have never leaves.

use super::{beside, file, folder};
use crate::sync::stat_of;
use backstory_adapters::pushed::{ROLE, any_uid_of};
use backstory_distill::retention::Budget;
use backstory_model::{SessionUid, Timestamp};
use backstory_store::{Home, SourceStat, StoreError, Vault, path_key};
use fs_err::OpenOptions;
use std::collections::{HashMap, HashSet};
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use walkdir::WalkDir;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// However little room there is, a file stays for so long: a plugin that got no answer posts again, and
/// what it repeats is recognised by what the file holds.
const STAYS_DAYS: u64 = 1;

/// A file of posted messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostedFile {
    /// The id its plugin chose.
    pub id: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// When it was last written to.
    pub written_at: Timestamp,
    /// True if a sweep has looked at it as it is now.
    pub is_taken_in: bool,
    stat: SourceStat,
}

impl PostedFile {
    /// What keeps it from being read; nothing if it is as it should be.
    pub fn trouble(&self) -> Option<String> {
        match file::open(&self.path).and_then(|file| file.as_ref().map(file::count).transpose()) {
            Ok(Some(counts)) if counts.id.is_empty() && self.bytes > 0 => {
                Some("does not begin like a file of posted messages".to_owned())
            }
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        }
    }

    /// True if its session is read from a log that has not all of what was posted.
    pub fn outdoes_its_log(&self, vault: &Vault) -> Result<bool, StoreError> {
        let uid = any_uid_of(&self.id);
        Ok(vault.has_log(&uid)? && !beside::is_in_archive(&self.path, &uid, vault)?)
    }

    fn days(&self, now: Timestamp) -> u64 {
        (now.0.saturating_sub(self.written_at.0) / DAY_MS).try_into().unwrap_or(0)
    }
}

/// Every file of posted messages, the one written to longest ago first.
pub fn posted(home: &Home, vault: &Vault) -> Result<Vec<PostedFile>, StoreError> {
    Ok(files(home, &vault.source_stats()?))
}

/// The same, judged by what a sweep saw of each source.
pub(super) fn files(home: &Home, seen: &HashMap<i64, (SourceStat, u32)>) -> Vec<PostedFile> {
    let mut files: Vec<PostedFile> = walk(home)
        .filter_map(|(path, stat)| {
            let id = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_owned();
            let is_taken_in = seen.get(&path_key(&path)).is_some_and(|(seen, _)| *seen == stat);
            let written_at = Timestamp(stat.mtime_ns / 1_000_000);
            Some(PostedFile { id, path, bytes: stat.size, written_at, is_taken_in, stat })
        })
        .collect();
    files.sort_by(|a, b| (a.written_at, &a.path).cmp(&(b.written_at, &b.path)));
    files
}

/// What all of them take.
pub(crate) fn bytes(home: &Home) -> u64 {
    walk(home).map(|(_, stat)| stat.size).sum()
}

fn walk(home: &Home) -> impl Iterator<Item = (PathBuf, SourceStat)> {
    let files = WalkDir::new(folder(home)).min_depth(2).max_depth(2).follow_links(false);
    files.into_iter().filter_map(Result::ok).filter_map(|entry| {
        let stat = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((entry.into_path(), stat_of(&stat)))
    })
}

/// Which second copies leave: the too old ones, and as many more as bring the raw tier to its soft cap.
pub(crate) fn leaving(
    home: &Home,
    vault: &Vault,
    (raw, budget): (u64, &Budget),
    now: Timestamp,
) -> Result<Vec<PostedFile>, StoreError> {
    let mut excess = raw.saturating_sub(budget.raw_soft_cap_bytes);
    let mut leaving = Vec::new();
    for file in posted(home, vault)? {
        let days = file.days(now);
        let is_old = days > budget.raw_max_age_days.max(STAYS_DAYS);
        let is_in_the_way = excess > 0 && days >= STAYS_DAYS;
        if (is_old || is_in_the_way) && is_second_copy(&file, vault)? {
            excess = excess.saturating_sub(file.bytes);
            leaving.push(file);
        }
    }
    Ok(leaving)
}

/// Second copies of sessions whose raw events are about to leave. Without these nobody can tell any more
/// whether a log had all that was posted.
pub(crate) fn leaving_with(
    sessions: &HashSet<&SessionUid>,
    home: &Home,
    vault: &Vault,
    now: Timestamp,
) -> Result<Vec<PostedFile>, StoreError> {
    let mut leaving = Vec::new();
    for file in posted(home, vault)? {
        let is_concerned = sessions.contains(&any_uid_of(&file.id)) && file.days(now) >= STAYS_DAYS;
        if is_concerned && is_second_copy(&file, vault)? {
            leaving.push(file);
        }
    }
    Ok(leaving)
}

/// True if all of it is sealed and in the archive, from here or from the session's own log.
fn is_second_copy(file: &PostedFile, vault: &Vault) -> Result<bool, StoreError> {
    let Some(cursor) = vault.cursor(path_key(&file.path))? else { return Ok(false) };
    if !file.is_taken_in || cursor.role != ROLE || cursor.problem.is_some() {
        return Ok(false);
    }
    let Some(open) = file::open(&file.path)? else { return Ok(false) };
    let counts = file::count(&open)?;
    if !counts.open.is_empty() {
        return Ok(false);
    }
    let uid = any_uid_of(&file.id);
    if vault.has_log(&uid)? {
        // Whatever was read from here left the archive when the log came.
        return beside::is_in_archive(&file.path, &uid, vault);
    }
    Ok(cursor.offset >= counts.len)
}

/// Removes those that are still what they were. Whoever appends holds the lock of a file, and begins
/// anew where it finds its file removed.
pub(crate) fn remove(files: Vec<PostedFile>) -> io::Result<Vec<PostedFile>> {
    let mut removed = Vec::new();
    for file in files {
        let open = match OpenOptions::new().read(true).write(true).open(&file.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            opened => opened?,
        };
        if open.file().try_lock().is_ok() && stat_of(&open.metadata()?) == file.stat {
            fs_err::remove_file(&file.path)?;
            removed.push(file);
        }
    }
    Ok(removed)
}

#[cfg(test)]
#[path = "copies_tests.rs"]
mod tests;
