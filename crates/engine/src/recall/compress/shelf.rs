//! `state/compressor/`: questions that wait for a model, words that were found, which model answers.
//!
//! All of it may be lost: what is missing is asked for again, and meanwhile the digest is told.

use super::Wording;
use crate::journal::{read_if_there, replace};
use crate::stamp;
use backstory_model::{SessionUid, Timestamp};
use backstory_store::{Home, create_private_dir, private_file};
use fs_err as fs;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Words kept, the latest; each is a few thousand bytes at most.
const MAX_SAID: usize = 500;
/// What nobody was told for a month nobody will miss.
const SAID_MS: i64 = 30 * 24 * 3_600_000;
/// Questions kept, the latest: who asks faster than a model answers needs only some of the answers.
pub(super) const MAX_ASKED: usize = 8;
/// A question of yesterday is about things that have changed.
const ASKED_MS: i64 = 24 * 3_600_000;

/// How often it is looked whether somebody else is done.
const GLANCE: Duration = Duration::from_millis(50);

/// A question for fewer words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    #[serde(with = "stamp")]
    pub(super) at: Timestamp,
    /// Whose model is asked.
    pub(super) agent: String,
    /// What the user asked, secrets redacted.
    pub(super) prompt: String,
    /// Lines to answer with.
    pub(super) bullets: usize,
    /// Bytes of the lines these words would replace.
    pub(super) bytes: usize,
    pub(super) items: Vec<AskedItem>,
}

/// One thing that is to be said in fewer words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AskedItem {
    pub(super) category: String,
    pub(super) address: String,
    pub(super) text: String,
}

/// Words that were found; without lines if a model was asked and found none that are of use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Said {
    #[serde(with = "stamp")]
    pub(super) at: Timestamp,
    #[serde(flatten)]
    pub(super) wording: Wording,
}

/// Only when something is from, whatever else it holds.
#[derive(Deserialize)]
struct Dated {
    #[serde(with = "stamp")]
    at: Timestamp,
}

/// The folder.
pub(super) struct Shelf {
    dir: PathBuf,
}

/// Held by whoever asks models.
pub(super) struct Held {
    _file: fs::File,
}

impl Shelf {
    pub(super) fn of(home: &Home) -> Self {
        Self { dir: home.state().join("compressor") }
    }

    /// One at a time asks models. Nothing if somebody does, and goes on for longer than so long.
    pub(super) fn lock(&self, patience: Duration) -> io::Result<Option<Held>> {
        create_private_dir(&self.dir)?;
        let file = private_file().open(self.dir.join("lock"))?;
        let ends = Instant::now() + patience;
        while file.file().try_lock().is_err() {
            if Instant::now() >= ends {
                return Ok(None);
            }
            std::thread::sleep(GLANCE);
        }
        Ok(Some(Held { _file: file }))
    }

    /// Where what is known of an agent's models is written down.
    pub(super) fn profile(&self, agent: &str) -> PathBuf {
        self.dir.join(format!("{agent}.json"))
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub(super) fn write(path: &Path, what: &impl Serialize) -> io::Result<()> {
        path.parent().map_or(Ok(()), create_private_dir)?;
        replace(path, &serde_json::to_vec(what)?)
    }

    /// A file nobody understands is as good as none.
    pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
        serde_json::from_slice(&read_if_there(path).ok()??).ok()
    }

    pub(super) fn said(&self, key: &str) -> Option<Said> {
        Self::read(&self.folder("said").join(format!("{key}.json")))
    }

    pub(super) fn say(&self, key: &str, said: &Said) -> io::Result<()> {
        Self::write(&self.folder("said").join(format!("{key}.json")), said)
    }

    pub(super) fn ask(&self, key: &str, asked: &Asked) -> io::Result<()> {
        Self::write(&self.folder("asked").join(format!("{key}.json")), asked)
    }

    /// What waits for an agent's model, the latest first.
    pub(super) fn asked(&self, agent: &str) -> Vec<(String, Asked)> {
        let mut asked: Vec<(String, Asked)> = files(&self.folder("asked"))
            .into_iter()
            .filter_map(|path| {
                Some((path.file_stem()?.to_str()?.to_owned(), Self::read::<Asked>(&path)?))
            })
            .filter(|(_, asked)| asked.agent == agent)
            .collect();
        asked.sort_by(|(one, a), (other, b)| b.at.cmp(&a.at).then_with(|| one.cmp(other)));
        asked
    }

    /// Takes a question back; it is no matter if it is gone.
    pub(super) fn settle(&self, key: &str) {
        let _ = fs::remove_file(self.folder("asked").join(format!("{key}.json")));
    }

    /// Lets go of what is old, and of what is too much.
    pub(super) fn keep_within(&self, now: Timestamp) -> io::Result<()> {
        keep_latest(&self.folder("said"), MAX_SAID, Timestamp(now.0 - SAID_MS))?;
        keep_latest(&self.folder("asked"), MAX_ASKED, Timestamp(now.0 - ASKED_MS))
    }
}

/// Lets go of what is old.
pub(in crate::recall) fn expire(home: &Home, now: Timestamp) -> io::Result<()> {
    Shelf::of(home).keep_within(now)
}

/// Removes what names some sessions.
pub(in crate::recall) fn erase(home: &Home, sessions: &[SessionUid]) -> io::Result<()> {
    let shelf = Shelf::of(home);
    for path in files(&shelf.folder("said")).into_iter().chain(files(&shelf.folder("asked"))) {
        let Some(bytes) = read_if_there(&path)? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        if sessions.iter().any(|uid| text.contains(uid.as_str())) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// What is whole in a folder; what is still being written has another ending.
fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
}

/// Keeps so many files of a folder, the latest, and none from before a moment.
fn keep_latest(dir: &Path, most: usize, since: Timestamp) -> io::Result<()> {
    let dated = |path: PathBuf| (Shelf::read::<Dated>(&path).map(|dated| dated.at), path);
    let mut known: Vec<(Option<Timestamp>, PathBuf)> = files(dir).into_iter().map(dated).collect();
    known.sort_by(|one, other| other.cmp(one));
    let is_kept =
        |place: usize, at: Option<Timestamp>| place < most && at.is_some_and(|at| at >= since);
    for (place, (at, path)) in known.iter().enumerate() {
        if !is_kept(place, *at) {
            remove(path)?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
