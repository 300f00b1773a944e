//! `spool/`: messages hooks leave for the next sweep.
//!
//! A hook must not keep its agent waiting, so leaving a message is one small file, complete the moment
//! it has its name. A sweep reads all messages, does its work, and removes them only when that is
//! committed: a crash in between makes the next sweep hear them once more, which changes nothing.

use crate::stamp;
use backstory_model::{EventKey, Flavor, Timestamp};
use backstory_store::{Home, create_private_dir, private_file};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// The version this code writes and understands.
const VERSION: u64 = 1;
/// Far more than any message needs, an agent's last words included.
const MAX_BYTES: u64 = 1 << 20;
/// Whoever writes a message needs milliseconds; what is this old was abandoned.
const ABANDONED: Duration = Duration::from_hours(1);

/// What a hook tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpoolEntry {
    /// Whose hook it was.
    pub agent: Flavor,
    /// The hook's own name for what happened.
    pub event: String,
    /// The agent's id of the session.
    pub session_id: String,
    /// The session's log.
    pub transcript_path: Option<PathBuf>,
    /// Where the agent works.
    pub cwd: Option<PathBuf>,
    /// When it happened.
    pub at: Timestamp,
    /// What the agent said last, where its log may lack it still.
    pub last_words: Option<LastWords>,
}

/// What an agent said at the end of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWords {
    /// The words, secrets redacted.
    pub text: String,
    /// What they would be known by as an event of their own: made of the words as they were.
    pub key: EventKey,
    /// When the turn began, if that is known.
    pub prompted_at: Option<Timestamp>,
}

/// A message as it lies in its file.
#[derive(Deserialize, Serialize)]
struct Written {
    v: u64,
    agent: String,
    event: String,
    session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transcript_path: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cwd: Option<PathBuf>,
    #[serde(with = "stamp")]
    at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_words: Option<WrittenWords>,
}

#[derive(Deserialize, Serialize)]
struct WrittenWords {
    text: String,
    key: u64,
    #[serde(default, with = "stamp::optional", skip_serializing_if = "Option::is_none")]
    prompted_at: Option<Timestamp>,
}

/// A file that is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// Where it lies now.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// What lay in the spool, the oldest first.
#[derive(Debug, Default)]
pub struct Drained {
    /// Messages and their files, which stay until [`Drained::forget`].
    pub entries: Vec<(PathBuf, SpoolEntry)>,
    /// Files that are none.
    pub set_aside: Vec<SetAside>,
}

impl Drained {
    /// Removes the messages; what cannot be removed is returned, and will be heard again.
    pub fn forget(self) -> Vec<(PathBuf, io::Error)> {
        let remove = |(path, _): (PathBuf, SpoolEntry)| match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Some((path, error)),
            _ => None,
        };
        self.entries.into_iter().filter_map(remove).collect()
    }
}

/// Leaves a message. It is not forced to the disk: after a power cut the sweep finds the log itself,
/// and the agent should not wait for the disk.
pub fn enqueue(home: &Home, entry: &SpoolEntry) -> io::Result<()> {
    let dir = home.spool();
    create_private_dir(&dir)?;
    let written = Written {
        v: VERSION,
        agent: entry.agent.name().to_owned(),
        event: entry.event.clone(),
        session_id: entry.session_id.clone(),
        transcript_path: entry.transcript_path.clone(),
        cwd: entry.cwd.clone(),
        at: entry.at,
        last_words: entry.last_words.as_ref().map(|words| WrittenWords {
            text: words.text.clone(),
            key: words.key.0,
            prompted_at: words.prompted_at,
        }),
    };
    let name = file_name(entry.at);
    let unfinished = dir.join(format!("{name}.tmp"));
    let mut options = private_file();
    let mut file = options.create_new(true).open(&unfinished)?;
    file.write_all(&serde_json::to_vec(&written)?)?;
    drop(file);
    fs::rename(unfinished, dir.join(name))
}

/// Sorts by time, and is nobody else's.
fn file_name(at: Timestamp) -> String {
    format!("{:013}-{}-{:016x}.json", at.0.max(0), std::process::id(), random())
}

/// Every state of std's hasher begins with fresh random keys.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Reads every message. Nothing is removed but what was abandoned half-written; what is no message is
/// moved to `aside/` and told.
pub fn drain(home: &Home, now: Timestamp) -> Drained {
    let dir = home.spool();
    let mut drained = Drained::default();
    let names = match names(&dir) {
        Ok(names) => names,
        Err(error) => {
            let reason = format!("cannot be listed: {error}");
            drained.set_aside.push(SetAside { path: dir, reason });
            return drained;
        }
    };
    for path in names {
        if path.extension().is_some_and(|extension| extension == "tmp") {
            clear_abandoned(&path, now);
            continue;
        }
        match read(&path) {
            Ok(entry) => drained.entries.push((path, entry)),
            Err(Refused::Gone) => {}
            Err(Refused::Odd(reason)) => drained.set_aside.push(set_aside(&dir, path, reason)),
        }
    }
    drained
}

/// The messages alone; nothing is moved or removed.
pub(crate) fn peek(home: &Home) -> Vec<(PathBuf, SpoolEntry)> {
    let paths = names(&home.spool()).unwrap_or_default();
    paths.into_iter().filter_map(|path| Some((path.clone(), read(&path).ok()?))).collect()
}

fn names(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| *path != aside(dir));
    paths.sort();
    Ok(paths)
}

fn aside(dir: &Path) -> PathBuf {
    dir.join("aside")
}

fn clear_abandoned(path: &Path, now: Timestamp) {
    let written = fs::symlink_metadata(path).ok().and_then(|meta| meta.modified().ok());
    let age = written.and_then(|written| {
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now.0).ok()?);
        now.duration_since(written).ok()
    });
    if age.is_some_and(|age| age > ABANDONED) {
        // If it cannot go now, the next sweep tries again.
        let _ = fs::remove_file(path);
    }
}

enum Refused {
    /// Somebody removed it meanwhile.
    Gone,
    Odd(String),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Gone,
            _ => Self::Odd(format!("cannot be read: {error}")),
        }
    }
}

fn read(path: &Path) -> Result<SpoolEntry, Refused> {
    let odd = |reason: &str| Refused::Odd(reason.to_owned());
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(odd("is not a file"));
    }
    if path.extension().is_none_or(|extension| extension != "json") {
        return Err(odd("is not a message: its name does not end in .json"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(odd("is too large for a message"));
    }
    parse(&bytes).map_err(Refused::Odd)
}

fn parse(bytes: &[u8]) -> Result<SpoolEntry, String> {
    #[derive(Deserialize)]
    struct Versioned {
        v: u64,
    }
    let torn = |error: serde_json::Error| format!("is torn or no message: {error}");
    let version = serde_json::from_slice::<Versioned>(bytes).map_err(torn)?.v;
    if version != VERSION {
        return Err(format!("has version {version}, which this Backstory does not know"));
    }
    let written: Written = serde_json::from_slice(bytes).map_err(torn)?;
    let agent = Flavor::logged_from_name(&written.agent)
        .ok_or_else(|| format!("names no known agent: {:?}", written.agent))?;
    Ok(SpoolEntry {
        agent,
        event: written.event,
        session_id: written.session_id,
        transcript_path: written.transcript_path,
        cwd: written.cwd,
        at: written.at,
        last_words: written.last_words.map(|words| LastWords {
            text: words.text,
            key: EventKey(words.key),
            prompted_at: words.prompted_at,
        }),
    })
}

fn set_aside(dir: &Path, path: PathBuf, reason: String) -> SetAside {
    let aside = aside(dir);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut target = aside.join(&*name);
    if fs::symlink_metadata(&target).is_ok() {
        // What already lies there is evidence too.
        target = aside.join(format!("{name}.{:016x}", random()));
    }
    match create_private_dir(&aside).and_then(|()| fs::rename(&path, &target)) {
        Ok(()) => SetAside { path: target, reason },
        Err(error) => {
            SetAside { path, reason: format!("{reason}; and cannot be moved aside: {error}") }
        }
    }
}

#[cfg(test)]
#[path = "spool_tests.rs"]
mod tests;
