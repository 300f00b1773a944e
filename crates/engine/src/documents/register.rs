//! `state/documents.json`: what was handed in, from where, and which files its copy has.

use crate::journal::{read_if_there, replace};
use backstory_model::Timestamp;
use backstory_store::{Home, create_private_dir, private_file};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// A document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Where its copy lies, in the words of the tree.
    pub(super) to: Vec<String>,
    /// Where it comes from; nowhere that could be looked at again, if it was uploaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<PathBuf>,
    /// Copied again after so many minutes; never if zero.
    #[serde(default)]
    pub(super) every_minutes: u32,
    /// When it was copied, or could not be.
    #[serde(with = "crate::stamp")]
    pub(super) read_at: Timestamp,
    /// Paths of the copied files below it.
    pub(super) files: Vec<String>,
    /// Why it could not be copied the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// All documents. Nobody else changes them while it is open.
#[derive(Debug)]
pub(super) struct Register {
    path: PathBuf,
    pub(super) entries: Vec<Entry>,
    _lock: fs::File,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Written {
    #[serde(default)]
    documents: Vec<Entry>,
}

impl Register {
    /// Waits until nobody else has it open.
    pub(super) fn open(home: &Home) -> io::Result<Self> {
        let dir = home.dir().join("state");
        create_private_dir(&dir)?;
        let lock = private_file().open(dir.join("documents.lock"))?;
        lock.file().lock()?;
        Ok(Self { entries: read(home)?, path: path(home), _lock: lock })
    }

    /// Takes out what lies at this place.
    pub(super) fn take(&mut self, place: &[String]) -> Option<Entry> {
        let at = self.entries.iter().position(|entry| entry.to == place)?;
        Some(self.entries.remove(at))
    }

    pub(super) fn put(&mut self, entry: Entry) {
        self.entries.push(entry);
        self.entries.sort_by(|one, other| one.to.cmp(&other.to));
    }

    pub(super) fn save(self) -> io::Result<()> {
        let written = Written { documents: self.entries };
        replace(&self.path, &serde_json::to_vec_pretty(&written)?)
    }
}

/// What is written down. A damaged file is an error: it is the only one that knows.
pub(super) fn read(home: &Home) -> io::Result<Vec<Entry>> {
    let path = path(home);
    let Some(bytes) = read_if_there(&path)? else { return Ok(Vec::new()) };
    let read: Result<Written, _> = serde_json::from_slice(&bytes);
    let damaged = |error| io::Error::other(format!("{}: {error}", path.display()));
    Ok(read.map_err(damaged)?.documents)
}

fn path(home: &Home) -> PathBuf {
    home.dir().join("state").join("documents.json")
}
