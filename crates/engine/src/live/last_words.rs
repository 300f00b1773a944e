//! The last words of a turn. Some agents call their hooks before they have written the end of the turn
//! to their log, and may be killed in between: so the hook leaves the words in the spool until the log
//! has them. Where it never comes to have them, they become an event of their own.

use crate::spool::{Drained, LastWords, SpoolEntry};
use backstory_model::{EventKey, EventKind, Role, SessionUid, Timestamp, summarize};
use backstory_store::{
    Block, BlockCompressor, Chunk, EventRow, Home, PendingSession, SessionDelta, SessionHead,
    StoreError, Vault, Writer, create_private_dir, private_file,
};
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What is kept of very long last words.
const KEPT_BYTES: usize = 128 << 10;
/// An agent that has not written them by then will not.
const FLUSH_MS: u64 = 10_000;
/// Agents keep their logs about this long: one that has not turned up by then is gone for good.
const WITHOUT_LOG_MS: u64 = 30 * 24 * 3_600_000;
/// The end of a session that is looked through for them.
const LOOKED_AT: u32 = 5_000;
/// Shorter words may stand in other ones by chance.
const TELLING_BYTES: usize = 40;
/// A log's clock and the hook's are the same, give or take.
const SLACK_MS: i64 = 2_000;
/// Stand-ins remembered.
const MOST: usize = 500;

/// What last words are known by as an event of their own.
pub(crate) fn key(text: &str) -> EventKey {
    EventKey::of_parts(&[b"last words", text.trim().as_bytes()])
}

/// What they are known by as an event: a later turn may end with the same words.
fn event_key(words: &LastWords) -> EventKey {
    match words.prompted_at {
        Some(at) => EventKey::of_parts(&[
            b"last words of a turn",
            &words.key.0.to_le_bytes(),
            &at.0.to_le_bytes(),
        ]),
        None => words.key,
    }
}

/// When the last words of a turn may have been written: since it began, as far as that is known, and soon after
/// its end or never.
fn turn(prompted_at: Option<i64>, ended: i64) -> RangeInclusive<i64> {
    let began = prompted_at.map_or(i64::MIN, |at| at.saturating_sub(SLACK_MS));
    began..=ended.saturating_add_unsigned(FLUSH_MS)
}

/// As much of them as is kept.
pub(super) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(KEPT_BYTES)]
}

/// Last words no log had when it was last read, by session.
#[derive(Debug, Default)]
pub(crate) struct Outstanding(BTreeMap<SessionUid, Vec<(PathBuf, SpoolEntry)>>);

impl Outstanding {
    /// Those of the spool that the archive lacks still.
    pub(crate) fn among(drained: &Drained, vault: &Vault) -> Result<Self, StoreError> {
        let mut found = Self::default();
        for (path, entry) in &drained.entries {
            if entry.last_words.is_some() {
                let uid = SessionUid::new(entry.agent, &entry.session_id);
                found.0.entry(uid).or_default().push((path.clone(), entry.clone()));
            }
        }
        for (uid, entries) in &mut found.0 {
            if let Some(head) = vault.session_head(uid)? {
                strike_out(vault, uid, head, entries)?;
            }
        }
        found.0.retain(|_, entries| !entries.is_empty());
        Ok(found)
    }

    /// True if a session has words that may still come to its log.
    pub(super) fn may_come(&self, uid: &SessionUid, now: Timestamp) -> bool {
        self.of(uid).iter().any(|(_, entry)| now.0.abs_diff(entry.at.0) < FLUSH_MS)
    }

    fn of(&self, uid: &SessionUid) -> &[(PathBuf, SpoolEntry)] {
        self.0.get(uid).map_or(&[], Vec::as_slice)
    }

    /// The sessions with words of more than this age, and no others to tell of them.
    pub(super) fn abandoned(
        &self,
        live: &BTreeSet<SessionUid>,
        ttl_ms: u64,
        now: Timestamp,
    ) -> Vec<SessionUid> {
        let old = |(_, entry): &(PathBuf, SpoolEntry)| now.0.abs_diff(entry.at.0) > ttl_ms;
        let all =
            self.0.iter().filter(|(uid, entries)| !live.contains(*uid) && entries.iter().all(old));
        all.map(|(uid, _)| uid.clone()).collect()
    }

    /// Makes a session's words events of their own, within the open transaction; tells how many. They
    /// are outstanding no longer. Those of a session without a log wait for it: there is nothing yet they
    /// could be a part of.
    pub(super) fn stand_in(
        &mut self,
        uid: &SessionUid,
        (writer, vault): (&mut Writer, &Vault),
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let Some(mut head) = vault.session_head(uid)? else {
            self.wait_for_a_log(uid, now);
            return Ok(0);
        };
        let Some(entries) = self.0.remove(uid).filter(|_| !head.is_forgotten) else {
            return Ok(0);
        };
        let mut stored = 0;
        // Hooks may tell the same words twice, and what is not committed is not known yet.
        let mut told = BTreeSet::new();
        for (_, entry) in &entries {
            let Some(words) = &entry.last_words else { continue };
            let key = event_key(words);
            if !told.insert(key) || vault.known_event(head.id, key)?.is_some() {
                continue;
            }
            StandIns::remember(vault.home(), uid, words, entry.at)?;
            writer.add(&chunk(uid, head, words, entry.at), now)?;
            head.next_seq += 1;
            stored += 1;
        }
        Ok(stored)
    }

    /// Lets go of words whose log nobody expects any more.
    fn wait_for_a_log(&mut self, uid: &SessionUid, now: Timestamp) {
        if let Some(entries) = self.0.get_mut(uid) {
            entries.retain(|(_, entry)| now.0.abs_diff(entry.at.0) <= WITHOUT_LOG_MS);
        }
    }

    /// Leaves the messages of what is still outstanding where they are.
    pub(crate) fn keep(&self, drained: &mut Drained) {
        let kept: BTreeSet<&PathBuf> = self.0.values().flatten().map(|(path, _)| path).collect();
        drained.entries.retain(|(path, _)| !kept.contains(path));
    }
}

/// Takes away what stands in the archive, and all of a session that may not be kept.
fn strike_out(
    vault: &Vault,
    uid: &SessionUid,
    head: SessionHead,
    entries: &mut Vec<(PathBuf, SpoolEntry)>,
) -> Result<(), StoreError> {
    if head.is_forgotten {
        entries.clear();
        return Ok(());
    }
    let stretch = PendingSession {
        id: head.id,
        uid: uid.clone(),
        from_seq: head.next_seq.saturating_sub(LOOKED_AT),
        next_seq: head.next_seq,
    };
    vault.for_each_moment(
        &stretch,
        |kind| kind == EventKind::AssistantMsg,
        |event, text| {
            entries.retain(|(_, entry)| {
                let is_in = |words| is_in((words, entry.at), event.ts, text);
                entry.last_words.as_ref().is_some_and(|words| !is_in(words))
            });
        },
    )
}

/// True if words a turn ended with are, or stand in, a stored message.
fn is_in((words, ended): (&LastWords, Timestamp), ts: Option<Timestamp>, stored: &str) -> bool {
    let turn = turn(words.prompted_at.map(|at| at.0), ended.0);
    if ts.is_some_and(|ts| !turn.contains(&ts.0)) {
        return false;
    }
    let (said, stored) = (words.text.trim(), stored.trim());
    if said == stored {
        return true;
    }
    let (said, stored) = (folded(said), folded(stored));
    said == stored
        || said.len() >= TELLING_BYTES && stored.contains(&said)
        || stored.len() >= TELLING_BYTES && stored.len() * 2 >= said.len() && said.contains(&stored)
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn chunk(uid: &SessionUid, head: SessionHead, words: &LastWords, at: Timestamp) -> Chunk {
    let mut chunk = Chunk::default();
    let summary = chunk.text_with(|out| summarize(&words.text, out));
    let is_stored = chunk.get(summary) != words.text;
    if is_stored {
        let bytes = BlockCompressor::default().block(words.text.as_bytes());
        chunk.blocks.push(Block { session_id: head.id, bytes });
    }
    chunk.sessions.push(SessionDelta {
        id: head.id,
        uid: uid.as_str().to_owned(),
        flavor: uid.flavor().map_or("unknown", backstory_model::Flavor::name),
        ended_at: Some(at),
        events: 1,
        next_seq: head.next_seq + 1,
        ..SessionDelta::default()
    });
    chunk.events.push(EventRow {
        session_id: head.id,
        seq: head.next_seq,
        key: event_key(words),
        parent_seq: None,
        native_id: None,
        ts: Some(at),
        kind: EventKind::AssistantMsg,
        role: Role::Assistant,
        is_sidechain: false,
        tool: None,
        call_id: None,
        summary,
        payload: is_stored.then_some((0, 0, words.text.len() as u32)),
        tokens: 0,
        exit_code: None,
        duration_ms: None,
        files: None,
        refresh: false,
    });
    chunk
}

/// Words that were made events of their own. Should a log come to have them after all, they are known.
#[derive(Debug, Default)]
pub(crate) struct StandIns(Vec<StandIn>);

#[derive(Clone, Debug, Deserialize, Serialize)]
struct StandIn {
    session_uid: String,
    /// Of the words alone.
    key: u64,
    /// When the turn ended, and when it began, if that is known.
    at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompted_at: Option<i64>,
    /// What they are known by as an event, if that is something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<u64>,
}

impl StandIns {
    /// Those of late; a file nobody can read holds none.
    pub(crate) fn load(home: &Home) -> Self {
        let bytes = fs::read(Self::path(home)).unwrap_or_default();
        Self(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    fn path(home: &Home) -> PathBuf {
        home.state().join("stand-ins.json")
    }

    /// Noted before it is stored: who asks looks into the archive too.
    fn remember(
        home: &Home,
        uid: &SessionUid,
        words: &LastWords,
        at: Timestamp,
    ) -> std::io::Result<()> {
        let mut all = Self::load(home).0;
        all.push(StandIn {
            session_uid: uid.as_str().to_owned(),
            key: words.key.0,
            at: at.0,
            prompted_at: words.prompted_at.map(|at| at.0),
            event: Some(event_key(words).0),
        });
        let from = all.len().saturating_sub(MOST);
        create_private_dir(&home.state())?;
        let (path, unfinished) = (Self::path(home), Self::path(home).with_extension("tmp"));
        let mut file = private_file().truncate(true).open(&unfinished)?;
        file.write_all(&serde_json::to_vec(&all[from..])?)?;
        drop(file);
        fs::rename(unfinished, path)
    }

    /// What a message would be known by, if it was stored without its log.
    pub(crate) fn key_of(
        &self,
        uid: &SessionUid,
        ts: Option<Timestamp>,
        text: impl FnOnce() -> EventKey,
    ) -> Option<EventKey> {
        let is_of_turn = |known: &&StandIn| {
            known.session_uid == uid.as_str()
                && ts.is_none_or(|ts| turn(known.prompted_at, known.at).contains(&ts.0))
        };
        let mut of_turn = self.0.iter().filter(is_of_turn).peekable();
        of_turn.peek()?;
        let key = text();
        let known = of_turn.find(|known| known.key == key.0)?;
        Some(known.event.map_or(key, EventKey))
    }
}
