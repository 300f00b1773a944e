//! All pushed sessions of a home: one lock per session, counts of the latest in memory.

use super::file::{self, Appending, Counts};
use super::replay::Print;
use super::{
    Appended, Incoming, PushError, Resumed, Sealed, Standing, account, clean, folder, place,
    safe_id,
};
use backstory_adapters::hygiene::PUSHED_MAX_CHARS;
use backstory_adapters::pushed::{Line, Message, Opening, Policy, Seal};
use backstory_distill::Redactor;
use backstory_model::{EventKey, Timestamp};
use backstory_store::Home;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use walkdir::WalkDir;

/// Version of the lines that are written.
const VERSION: u32 = 1;

/// How much is kept in memory, and how much of a text on disk.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Sessions whose counts stay in memory.
    pub sessions: usize,
    /// Messages they may have together.
    pub messages: usize,
    /// Longest tool text that is kept whole.
    pub tool_chars: usize,
    /// Longest text of another kind that is kept whole.
    pub text_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 1024,
            messages: 400_000,
            tool_chars: clean::TOOL_CHARS,
            text_chars: PUSHED_MAX_CHARS,
        }
    }
}

/// Every pushed session of a home.
#[derive(Debug)]
pub struct Journal {
    home: Home,
    limits: Limits,
    redactor: Tools,
    slots: Mutex<Slots>,
}

/// The redactor has nothing worth printing.
struct Tools(Redactor);

impl std::fmt::Debug for Tools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor")
    }
}

#[derive(Debug, Default)]
struct Slots {
    by_id: HashMap<String, Slot>,
    clock: u64,
}

#[derive(Debug)]
struct Slot {
    counts: Arc<Mutex<Counts>>,
    used: u64,
    /// Messages it had when it was last looked at.
    messages: usize,
}

impl Journal {
    /// The sessions of a home; nothing is opened.
    pub fn new(home: Home, limits: Limits) -> Self {
        Self { home, limits, redactor: Tools(Redactor::new()), slots: Mutex::default() }
    }

    /// Adds messages; the session begins with its first. Those stored before are left out.
    pub fn append(
        &self,
        id: &str,
        posted: &[Incoming],
        now: Timestamp,
    ) -> Result<Appended, PushError> {
        let id = valid(id)?;
        let clean = |message| clean::clean(message, &self.limits, &self.redactor.0, now);
        let messages: Vec<Message> = posted.iter().filter_map(clean).collect();
        let mut done =
            Appended { empty: (posted.len() - messages.len()) as u64, ..Appended::default() };
        let prints: Vec<(Print, usize)> = messages.iter().map(print).collect();
        self.with(&id, |path, counts| {
            let mut file = Appending::begin(path, counts)?;
            let known = counts.memory.repeated(&prints);
            let mut lines = opening(&id, counts, now);
            for (mut message, known) in messages.into_iter().zip(known) {
                if known {
                    done.repeated += 1;
                    continue;
                }
                let number = counts.messages() + done.added;
                message.id = message_id(&id, number, message.key);
                done.added += 1;
                lines.push(Line::Message(message));
            }
            file.write(&lines, counts)?;
            done.standing = standing(&id, counts);
            Ok(done)
        })
    }

    /// Begins a session, or tells that it exists; a policy is remembered if it is new.
    pub fn create(
        &self,
        id: &str,
        policy: Option<&str>,
        now: Timestamp,
    ) -> Result<(Standing, bool), PushError> {
        let id = valid(id)?;
        self.with(&id, |path, counts| {
            let mut file = Appending::begin(path, counts)?;
            let mut lines = opening(&id, counts, now);
            let is_new = !lines.is_empty();
            lines.extend(policy.filter(|_| is_new).map(|json| policy_line(json, now)));
            file.write(&lines, counts)?;
            Ok((standing(&id, counts), is_new))
        })
    }

    /// Remembers what the plugin wants done by itself; nothing if there is no such session.
    pub fn configure(
        &self,
        id: &str,
        policy: &str,
        now: Timestamp,
    ) -> Result<Option<Standing>, PushError> {
        let id = valid(id)?;
        self.with(&id, |path, counts| {
            if !path.exists() {
                return Ok(None);
            }
            let mut file = Appending::begin(path, counts)?;
            file.write(&[policy_line(policy, now)], counts)?;
            Ok(Some(standing(&id, counts)))
        })
    }

    /// How a session stands; nothing if nothing was ever posted of it.
    pub fn standing(&self, id: &str) -> Result<Option<Standing>, PushError> {
        let id = valid(id)?;
        self.with(&id, |path, counts| Ok(refreshed(path, counts)?.then(|| standing(&id, counts))))
    }

    /// Closes the open stretch but for its latest messages. The seal is on the disk when this returns.
    pub fn seal(
        &self,
        id: &str,
        keep: u64,
        reason: &str,
        now: Timestamp,
    ) -> Result<Sealed, PushError> {
        let id = valid(id)?;
        self.with(&id, |path, counts| {
            if !refreshed(path, counts)? {
                return Ok(Sealed::Skipped("no_messages", standing(&id, counts)));
            }
            let mut file = Appending::begin(path, counts)?;
            let through = counts.messages().saturating_sub(keep);
            if counts.open.is_empty() {
                return Ok(Sealed::Skipped("no_messages", standing(&id, counts)));
            }
            if through <= counts.sealed {
                return Ok(Sealed::Skipped("all_within_keep_window", standing(&id, counts)));
            }
            let overview = account::of_first(path, &id, through)?.unwrap_or_default();
            let seal = Seal {
                number: counts.seals + 1,
                at: now.0,
                reason: reason.to_owned(),
                through,
                keep,
                gist: overview.abstract_text,
                overview: overview.text,
            };
            file.write(&[Line::Seal(seal.clone())], counts)?;
            file.settle()?;
            Ok(Sealed::Done(Box::new(seal), standing(&id, counts)))
        })
    }

    /// What is needed to take a session up again; nothing if nothing was ever posted of it.
    pub fn resume(&self, id: &str) -> Result<Option<Resumed>, PushError> {
        let id = valid(id)?;
        self.with(&id, |path, counts| {
            if !refreshed(path, counts)? {
                return Ok(None);
            }
            Ok(Some(Resumed {
                standing: standing(&id, counts),
                seals: account::seals(path)?,
                messages: account::messages_behind(path, counts.sealed)?,
            }))
        })
    }

    /// Every session with the time its file was last written to, in milliseconds, in order of names.
    pub fn list(&self) -> Vec<(String, i64)> {
        let files = WalkDir::new(folder(&self.home)).min_depth(2).max_depth(2).sort_by_file_name();
        let name = |entry: walkdir::DirEntry| {
            let id = entry.file_name().to_str()?.strip_suffix(".jsonl")?.to_owned();
            let written = entry.metadata().ok()?.modified().ok()?;
            let since = written.duration_since(std::time::UNIX_EPOCH).ok()?;
            Some((id, since.as_millis() as i64))
        };
        files.into_iter().filter_map(Result::ok).filter_map(name).collect()
    }

    /// Removes a session; true if there was one.
    pub fn remove(&self, id: &str) -> Result<bool, PushError> {
        let id = valid(id)?;
        self.with(&id, |path, counts| {
            *counts = Counts::default();
            match fs_err::remove_file(path) {
                Ok(()) => Ok(true),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                Err(error) => Err(error.into()),
            }
        })
    }

    /// Does something with a session while nobody else does.
    fn with<T>(
        &self,
        id: &str,
        work: impl FnOnce(&Path, &mut Counts) -> Result<T, PushError>,
    ) -> Result<T, PushError> {
        let shared = self.acquire(id);
        let mut counts = whole(shared.lock());
        let done = work(&self.path(id), &mut counts);
        let messages = counts.memory.len();
        drop(counts);
        if let Some(slot) = whole(self.slots.lock()).by_id.get_mut(id) {
            slot.messages = messages;
        }
        done
    }

    fn path(&self, id: &str) -> PathBuf {
        place(&self.home, id)
    }

    fn acquire(&self, id: &str) -> Arc<Mutex<Counts>> {
        let mut slots = whole(self.slots.lock());
        self.make_room(&mut slots);
        slots.clock += 1;
        let used = slots.clock;
        let slot = slots.by_id.entry(id.to_owned()).or_insert_with(|| Slot {
            counts: Arc::default(),
            used,
            messages: 0,
        });
        slot.used = used;
        Arc::clone(&slot.counts)
    }

    /// Closes the least recently used half of those nobody works with.
    fn make_room(&self, slots: &mut Slots) {
        let messages: usize = slots.by_id.values().map(|slot| slot.messages).sum();
        if slots.by_id.len() < self.limits.sessions && messages < self.limits.messages {
            return;
        }
        let mut used: Vec<u64> = slots.by_id.values().map(|slot| slot.used).collect();
        let half = used.len() / 2;
        let (_, middle, _) = used.select_nth_unstable(half);
        let middle = *middle;
        slots.by_id.retain(|_, slot| slot.used > middle || Arc::strong_count(&slot.counts) > 1);
    }
}

/// A panic elsewhere leaves counts that the length of the file proves wrong, and they are made anew.
fn whole<'a, T>(
    locked: Result<MutexGuard<'a, T>, PoisonError<MutexGuard<'a, T>>>,
) -> MutexGuard<'a, T> {
    locked.unwrap_or_else(PoisonError::into_inner)
}

fn valid(id: &str) -> Result<String, PushError> {
    let safe = safe_id(id);
    let says_something = safe.chars().any(|c| c.is_ascii_alphanumeric());
    if says_something { Ok(safe) } else { Err(PushError::Id(id.to_owned())) }
}

/// Brings counts up to date; false if there is no file.
fn refreshed(path: &Path, counts: &mut Counts) -> Result<bool, PushError> {
    let Some(file) = file::open(path)? else {
        *counts = Counts::default();
        return Ok(false);
    };
    if file.metadata()?.len() != counts.len {
        *counts = file::count(&file)?;
    }
    Ok(!counts.id.is_empty())
}

fn opening(id: &str, counts: &Counts, now: Timestamp) -> Vec<Line> {
    if counts.id.is_empty() {
        vec![Line::Session(Opening { v: VERSION, id: id.to_owned(), at: now.0 })]
    } else {
        Vec::new()
    }
}

fn policy_line(json: &str, now: Timestamp) -> Line {
    Line::Policy(Policy { at: now.0, json: clean::policy(json) })
}

fn print(message: &Message) -> (Print, usize) {
    let stamp = if message.told { message.at } else { 0 };
    (Print { key: message.key, sure: message.sure, stamp }, clean::weight(message))
}

fn message_id(id: &str, number: u64, key: u64) -> String {
    let parts = [id.as_bytes(), &number.to_le_bytes(), &key.to_le_bytes()];
    format!("msg_{:016x}", EventKey::of_parts(&parts).0)
}

fn standing(id: &str, counts: &Counts) -> Standing {
    Standing {
        id: id.to_owned(),
        created_at: counts.created_at,
        last_at: counts.last_at,
        messages: counts.messages(),
        open_messages: counts.open.len() as u64,
        pending_tokens: counts.pending_tokens(),
        tokens: counts.tokens,
        seals: counts.seals,
        // Older versions wrote down whatever was posted.
        policy: counts.policy.as_deref().map(clean::policy),
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
