//! Documents that are copied again from time to time. Whoever forgets the copy ends the watch.

use super::register::{self, Entry, Register};
use super::{address, copy, gather, uploads, words};
use crate::tree::{Files, TreeError, path_to_change};
use backstory_model::Timestamp;
use backstory_store::Home;
use std::io;
use std::path::PathBuf;

/// A document that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    /// Where its copy is read.
    pub address: String,
    /// Where it comes from.
    pub path: PathBuf,
    /// How often it is copied.
    pub every_minutes: u32,
    /// When it was copied, or could not be.
    pub read_at: Timestamp,
    /// Why it could not be, the last time.
    pub error: Option<String>,
}

/// Every watch, by address.
pub fn watches(home: &Home) -> io::Result<Vec<Watch>> {
    let watched = register::read(home)?.into_iter().filter(|entry| entry.every_minutes > 0);
    let told = |entry: Entry| {
        Some(Watch {
            address: address(&entry.to),
            path: entry.path?,
            every_minutes: entry.every_minutes,
            read_at: entry.read_at,
            error: entry.error,
        })
    };
    Ok(watched.filter_map(told).collect())
}

/// Ends a watch; the copy stays. False if there was none.
pub fn cancel_watch(home: &Home, to: &str) -> Result<bool, TreeError> {
    let place = path_to_change(to)?;
    let mut register = Register::open(home)?;
    let watched = register.entries.iter_mut().find(|entry| entry.to == place);
    let Some(entry) = watched.filter(|entry| entry.every_minutes > 0) else { return Ok(false) };
    entry.every_minutes = 0;
    entry.error = None;
    register.save()?;
    Ok(true)
}

/// Copies again what is due. A document that cannot be read keeps its copy.
pub fn refresh(home: &Home, now: Timestamp) -> Result<(), TreeError> {
    uploads::expire(home, now)?;
    if !register::read(home)?.iter().any(|entry| is_due(entry, now)) {
        return Ok(());
    }
    let files = Files::new(home.dir());
    let mut register = Register::open(home)?;
    register.entries.retain(|entry| !is_due(entry, now) || has_copy(&files, entry));
    for entry in register.entries.iter_mut().filter(|entry| is_due(entry, now)) {
        let Some(path) = entry.path.clone() else { continue };
        entry.read_at = now;
        let copied = gather::gather(&path).and_then(|found| {
            if found.texts.is_empty() {
                return Err(TreeError::Refused("there is no text any more".into()));
            }
            copy(&files, entry, &found).map(|_| ())
        });
        entry.error = copied.err().map(|error| error.to_string());
    }
    Ok(register.save()?)
}

fn is_due(entry: &Entry, now: Timestamp) -> bool {
    let wait = i64::from(entry.every_minutes) * 60_000;
    // A clock that was set back must not end all watching.
    entry.every_minutes > 0 && !(0..wait).contains(&(now.0 - entry.read_at.0))
}

fn has_copy(files: &Files, entry: &Entry) -> bool {
    files.find(&words(&entry.to)).is_ok_and(|found| found.is_some())
}
