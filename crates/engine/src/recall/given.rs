//! `state/recalled/`: what each session was told, so that nothing is told twice and the same prompt is
//! answered with the same bytes.

use super::injections::{InjectedItem, prompt_hash};
use super::{Category, Muted, Recall, RecallItem, Wording};
use crate::journal::{read_if_there, replace};
use crate::stamp;
use backstory_model::{Flavor, SessionUid, Timestamp};
use backstory_store::{Home, create_private_dir, private_file};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Addresses remembered; who was told more may hear the first again.
const MAX_ADDRESSES: usize = 500;
/// Prompts remembered with what was told.
const MAX_PROMPTS: usize = 20;

/// Whoever holds the lock needs it for a moment only. Whoever cannot have it goes on without: that something
/// is told twice is a lesser evil than that a hook which hangs keeps all others from telling anything.
const PATIENCE: Duration = Duration::from_millis(250);
/// How often it is tried.
const GLANCE: Duration = Duration::from_millis(1);

/// How long it is remembered what a session was told. Agents keep their logs about as long (Claude Code
/// removes them after thirty days): whoever comes back later may be told again.
const KEPT_MS: i64 = 30 * 24 * 3_600_000;

/// What a session was told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// Addresses, in the order they were told.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// The last prompts, with what was told at each.
    #[serde(default)]
    prompts: Vec<Prompt>,
    /// When it was told something last.
    #[serde(default, with = "stamp::optional")]
    told_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Prompt {
    hash: String,
    items: Vec<InjectedItem>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wording: Option<Wording>,
}

impl Given {
    /// What a session was told; nothing if nobody remembers.
    pub fn read(home: &Home, session: &SessionUid) -> Self {
        let bytes = read_if_there(&path(home, session)).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// What was told at a prompt before, or with none at the beginning, unless some of it is muted since.
    pub(super) fn at(
        &self,
        prompt: &str,
        muted: &Muted,
    ) -> Option<(Vec<RecallItem>, Option<Wording>)> {
        let hash = prompt_hash(prompt);
        let known = self.prompts.iter().find(|known| known.hash == hash)?;
        if known.items.iter().any(|item| muted.has_address(&item.address)) {
            return None;
        }
        let items: Option<Vec<RecallItem>> = known.items.iter().map(InjectedItem::told).collect();
        Some((items?, known.wording.clone()))
    }

    /// What came of sessions, as far as it was told of late.
    pub(super) fn accounts(&self) -> impl Iterator<Item = String> {
        let items = self.prompts.iter().flat_map(|prompt| &prompt.items);
        let digests = items.filter(|item| item.category == Category::Digest.name());
        digests.map(|item| item.text.clone())
    }

    /// Adds what is told at a prompt; with no prompt, at the beginning.
    pub(super) fn note(&mut self, prompt: &str, told: &Recall, at: Timestamp) {
        self.told_at = Some(at);
        for item in &told.items {
            if !self.addresses.contains(&item.address) {
                self.addresses.push(item.address.clone());
            }
        }
        let hash = prompt_hash(prompt);
        self.prompts.retain(|known| known.hash != hash);
        let items = told.items.iter().map(InjectedItem::from).collect();
        self.prompts.push(Prompt { hash, items, wording: told.wording.clone() });
        let surplus = self.addresses.len().saturating_sub(MAX_ADDRESSES);
        self.addresses.drain(..surplus);
        let surplus = self.prompts.len().saturating_sub(MAX_PROMPTS);
        self.prompts.drain(..surplus);
    }

    pub(super) fn write(&self, home: &Home, session: &SessionUid) -> io::Result<()> {
        create_private_dir(&dir(home))?;
        replace(&path(home, session), &serde_json::to_vec(self)?)
    }
}

/// Keeps others from noting what they tell while it is held.
pub(super) struct Held {
    _file: Option<fs::File>,
}

/// Reading what a session was told and adding to it belong together: an agent runs the hooks of several
/// calls at once.
pub(super) fn lock(home: &Home) -> Held {
    let file = create_private_dir(&dir(home))
        .and_then(|()| private_file().open(dir(home).join("lock")))
        .ok();
    let is_taken =
        |file: &fs::File| matches!(file.file().try_lock(), Err(TryLockError::WouldBlock));
    let ends = Instant::now() + PATIENCE;
    while file.as_ref().is_some_and(is_taken) && Instant::now() < ends {
        std::thread::sleep(GLANCE);
    }
    Held { _file: file }
}

/// Forgets what a session was told: its context was compacted, so it may be told again.
pub fn forget_given(home: &Home, session: &SessionUid) -> io::Result<()> {
    match fs::remove_file(path(home, session)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes what is remembered of some sessions, and what others were told of them.
pub(super) fn erase(home: &Home, sessions: &[SessionUid]) -> io::Result<()> {
    for session in sessions {
        forget_given(home, session)?;
    }
    for path in files(home)? {
        if sessions.iter().any(|session| is_of_subagent(&path, session)) {
            fs::remove_file(&path)?;
            continue;
        }
        let Some(bytes) = read_if_there(&path)? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        if sessions.iter().any(|uid| text.contains(uid.as_str())) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Lets go of what sessions were told that were told nothing for long.
pub(super) fn expire(home: &Home, now: Timestamp) -> io::Result<()> {
    for path in files(home)? {
        // What is being written at this moment has another ending.
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let Some(bytes) = read_if_there(&path)? else { continue };
        let given: Option<Given> = serde_json::from_slice(&bytes).ok();
        let told_at = given.and_then(|given| given.told_at);
        if told_at.is_none_or(|at| at.0 < now.0 - KEPT_MS) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn files(home: &Home) -> io::Result<Vec<PathBuf>> {
    let files = match fs::read_dir(dir(home)) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    files.map(|file| Ok(file?.path())).collect()
}

fn dir(home: &Home) -> PathBuf {
    home.state().join("recalled")
}

fn path(home: &Home, session: &SessionUid) -> PathBuf {
    dir(home).join(format!("{}.json", stem(session)))
}

/// True for what a sub-agent of a session was told: its name goes on where the session's ends.
fn is_of_subagent(path: &Path, session: &SessionUid) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_prefix(&stem(session)).is_some_and(|rest| rest.starts_with('_'))
}

fn stem(session: &SessionUid) -> String {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' }
    };
    let agent = session.flavor().map_or("other", Flavor::name);
    let id: String = session.native().chars().map(safe).collect();
    format!("{agent}-{id}")
}
