//! What a sweep hands to the writer: a stretch of one source, ready to be stored.

use crate::cursor::Cursor;
use backstory_model::{EventKey, EventKind, Lineage, Role, Timestamp, Usage};

/// A piece of [`Chunk::text`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text {
    start: u32,
    len: u32,
}

/// One compressed block on its way into a pack.
#[derive(Debug)]
pub struct Block {
    /// The session whose pack it goes to.
    pub session_id: i64,
    /// Header and compressed bytes.
    pub bytes: Vec<u8>,
}

/// One event row.
#[derive(Debug)]
pub struct EventRow {
    /// Session row.
    pub session_id: i64,
    /// Place in the session.
    pub seq: u32,
    /// Identity.
    pub key: EventKey,
    /// Place of the event it follows.
    pub parent_seq: Option<u32>,
    /// The agent's own id.
    pub native_id: Option<Text>,
    /// When.
    pub ts: Option<Timestamp>,
    /// What.
    pub kind: EventKind,
    /// Who.
    pub role: Role,
    /// In a side conversation.
    pub is_sidechain: bool,
    /// Tool or native record type.
    pub tool: Option<Text>,
    /// Joins call and result.
    pub call_id: Option<Text>,
    /// Short text.
    pub summary: Text,
    /// Block of this chunk, offset and length in its raw bytes.
    pub payload: Option<(usize, u32, u32)>,
    /// Output tokens of the response it opens.
    pub tokens: u64,
    /// Exit code.
    pub exit_code: Option<i32>,
    /// Duration.
    pub duration_ms: Option<u64>,
    /// Files, one per line.
    pub files: Option<Text>,
    /// True when the event is known and only its columns are to be refreshed.
    pub refresh: bool,
}

/// How usage met again is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageRule {
    /// The larger of each number.
    Max,
    /// The later record.
    Last,
}

/// Tokens of one response.
#[derive(Debug)]
pub struct UsageRow {
    /// Who spent them.
    pub session_id: i64,
    /// Identity over all sessions.
    pub key: EventKey,
    /// When.
    pub ts: Option<Timestamp>,
    /// Model.
    pub model: Option<Text>,
    /// How many.
    pub usage: Usage,
    /// Money, if stated.
    pub usd: Option<f64>,
    /// What to do if known.
    pub rule: UsageRule,
}

/// A record nobody understood.
#[derive(Debug)]
pub struct QuarantineRow {
    /// Line in the source.
    pub line: u64,
    /// Agent version.
    pub cli_version: Option<String>,
    /// Native type, or `unreadable`.
    pub type_name: String,
    /// Why it is here, for unreadable ones.
    pub reason: Option<String>,
    /// The record, redacted.
    pub raw: Text,
}

/// A secret found in the source.
#[derive(Debug, PartialEq, Eq)]
pub struct SecretRow {
    /// Line in the source.
    pub line: u64,
    /// Kind of secret.
    pub kind: &'static str,
    /// Its fingerprint.
    pub fingerprint: String,
}

/// What a chunk changes about a session. `None` and zero change nothing.
#[derive(Clone, Debug, Default)]
pub struct SessionDelta {
    /// Row id, chosen by the sweep.
    pub id: i64,
    /// Uid.
    pub uid: String,
    /// Agent family.
    pub flavor: &'static str,
    /// Relations; each is kept once known, of origins of a fork the last one.
    pub lineage: Lineage,
    /// Repository name.
    pub repo: Option<String>,
    /// Project key.
    pub project_key: Option<String>,
    /// Domain.
    pub domain: Option<String>,
    /// Working directory; the first stays.
    pub cwd: Option<String>,
    /// Branch; the last stays.
    pub git_branch: Option<String>,
    /// Models in order of use; the last is the session's model.
    pub models: Vec<String>,
    /// Agent version; the last stays.
    pub cli_version: Option<String>,
    /// Title and its rank; the best stays, among equals the last.
    pub title: Option<(u8, String)>,
    /// Work item; the first stays.
    pub task_ref: Option<String>,
    /// Earliest event.
    pub started_at: Option<Timestamp>,
    /// Latest event.
    pub ended_at: Option<Timestamp>,
    /// New events.
    pub events: u32,
    /// New prompts.
    pub turns: u32,
    /// New retries.
    pub retries: u32,
    /// Next free seq after this chunk.
    pub next_seq: u32,
    /// The parent's cost includes this one's.
    pub cost_in_parent: bool,
    /// A sub-agent of a forgotten session: only that it must not come back is stored.
    pub is_forgotten: bool,
    /// Where it is read from, redacted.
    pub source_path: String,
}

/// A stretch of one source, ready to be stored: all of it is committed, or none.
#[derive(Debug, Default)]
pub struct Chunk {
    text: String,
    /// The source after this stretch.
    pub cursor: Cursor,
    /// True if this stretch begins again at the start of the file: earlier findings are replaced.
    pub restarts: bool,
    /// Growth of the source since the cursor before, for the session's byte count.
    pub grown_bytes: i64,
    /// Sessions known only from what was posted until now: that leaves, because this is their log.
    pub supersedes: Vec<i64>,
    /// Sessions touched.
    pub sessions: Vec<SessionDelta>,
    /// New events.
    pub events: Vec<EventRow>,
    /// Their payloads.
    pub blocks: Vec<Block>,
    /// Tokens.
    pub usage: Vec<UsageRow>,
    /// Chain-opening events.
    pub roots: Vec<(EventKey, i64)>,
    /// Records nobody understood.
    pub quarantine: Vec<QuarantineRow>,
    /// Secrets found.
    pub secrets: Vec<SecretRow>,
}

/// Text an event row carries on average.
const ROW_TEXT: usize = 128;

impl Chunk {
    /// Makes room for so many events.
    pub fn reserve(&mut self, events: usize) {
        self.events.reserve_exact(events);
        self.text.reserve(events * ROW_TEXT);
    }

    /// Adds whatever `write` appends.
    pub fn text_with(&mut self, write: impl FnOnce(&mut String)) -> Text {
        let start = self.text.len() as u32;
        write(&mut self.text);
        Text { start, len: self.text.len() as u32 - start }
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) -> Text {
        self.text_with(|buffer| buffer.push_str(text))
    }

    /// The text of a piece.
    pub fn get(&self, text: Text) -> &str {
        let start = text.start as usize;
        self.text.get(start..start + text.len as usize).unwrap_or_default()
    }
}
