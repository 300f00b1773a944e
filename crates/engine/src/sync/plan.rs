//! What has to be read: new, grown, changed and moved files, in the order their history demands.

use super::discover::{Found, born};
use super::posted::is_posted;
use super::report::PlannedFile;
use backstory_adapters::Form;
use backstory_model::SCHEMA_VERSION;
use backstory_store::{Cursor, SourceStat, StoreError, Vault};
use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek, SeekFrom};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes at the start of a file whose hash tells a rewritten file from a grown one.
const HEAD_PRINT_BYTES: u64 = 1024;
/// Bytes before the cursor whose hash must still match to read on from it.
const TAIL_PRINT_BYTES: u64 = 4096;

/// A file to read, and what is known of it.
pub(crate) struct Task {
    pub(crate) file: Found,
    /// Known from an earlier sweep.
    pub(crate) cursor: Option<Cursor>,
    pub(crate) why: &'static str,
}

impl Task {
    /// Bytes that will probably be read.
    pub(crate) fn bytes(&self) -> u64 {
        let done = match (&self.cursor, self.why) {
            (Some(cursor), "grown" | "moved") => cursor.offset,
            _ => 0,
        };
        self.file.stat.size.saturating_sub(done)
    }

    pub(crate) fn planned(&self) -> PlannedFile {
        PlannedFile {
            flavor: self.file.flavor,
            path: self.file.path.clone(),
            bytes: self.bytes(),
            why: self.why,
        }
    }
}

/// Compares the files found with what is stored.
pub(crate) fn plan(
    found: Vec<Found>,
    vault: Option<&Vault>,
    reparse: bool,
) -> Result<Vec<Task>, StoreError> {
    let stats = vault.map(Vault::source_stats).transpose()?.unwrap_or_default();
    let changed: Vec<Found> = found_changed(found, &stats, reparse);
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let here: HashSet<i64> = changed.iter().map(|file| file.path_key).collect();
    let moved_from = by_inode(&stats, &here);
    let mut tasks = Vec::with_capacity(changed.len());
    for file in changed {
        let known = stats.contains_key(&file.path_key);
        let (key, why) = match moved_from.get(&(file.stat.dev, file.stat.inode)) {
            _ if known && reparse => (Some(file.path_key), "reparse"),
            _ if known => (Some(file.path_key), "changed"),
            Some((key, size)) if file.stat.inode != 0 && *size <= file.stat.size => {
                (Some(*key), "moved")
            }
            _ => (None, "new"),
        };
        let cursor = match (key, vault) {
            (Some(key), Some(vault)) => vault.cursor(key)?,
            _ => None,
        };
        let grown = cursor.as_ref().is_some_and(|cursor| {
            why == "changed" && file.claim.form == Form::Lines && cursor.offset <= file.stat.size
        });
        tasks.push(Task { file, cursor, why: if grown { "grown" } else { why } });
    }
    tasks.sort_by_cached_key(order);
    Ok(tasks)
}

fn found_changed(
    found: Vec<Found>,
    stats: &HashMap<i64, (SourceStat, u32)>,
    reparse: bool,
) -> Vec<Found> {
    if reparse {
        return found;
    }
    found
        .into_iter()
        .filter(|file| {
            stats
                .get(&file.path_key)
                .is_none_or(|(stat, schema)| *stat != file.stat || *schema < SCHEMA_VERSION)
        })
        .collect()
}

/// Known files by device and inode that are not among the changed ones themselves.
fn by_inode(
    stats: &HashMap<i64, (SourceStat, u32)>,
    here: &HashSet<i64>,
) -> HashMap<(u64, u64), (i64, u64)> {
    stats
        .iter()
        .filter(|(key, _)| !here.contains(key))
        .map(|(key, (stat, _))| ((stat.dev, stat.inode), (*key, stat.size)))
        .collect()
}

/// Owners of history before its copies: by phase, then by age.
fn order(task: &Task) -> (u8, u8, i64, String, u8, std::path::PathBuf) {
    let claim = &task.file.claim;
    let (age, group) = match &claim.group {
        Some(group) => (0, group.clone()),
        None => (born(&task.file.path), String::new()),
    };
    // What was posted comes last: whether it is read at all depends on the logs.
    let agent = if is_posted(task) { u8::MAX } else { task.file.flavor as u8 };
    (agent, claim.phase, age, group, claim.rank, task.file.path.clone())
}

/// Hashes by which a file is recognised: its first bytes, and the bytes before `offset`. Moves the
/// file's position.
pub(crate) fn prints(mut file: &fs_err::File, offset: u64) -> std::io::Result<(i64, i64)> {
    let mut read = |from: u64, len: u64| -> std::io::Result<i64> {
        let mut bytes = vec![0; len as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)?;
        Ok(xxh3_64(&bytes) as i64)
    };
    let head = read(0, offset.min(HEAD_PRINT_BYTES))?;
    let tail = offset.min(TAIL_PRINT_BYTES);
    Ok((head, read(offset - tail, tail)?))
}
