//! What is stored: `status --json`.

use crate::{Cost, LiveSessions, time};
use backstory_model::Timestamp;
use serde::Serialize;

/// The state of the archive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Where the archive lies.
    pub home: String,
    /// What it takes on disk.
    pub stored: Stored,
    /// Tier 1: raw events, against their caps.
    pub raw: RawTier,
    /// Tier 2: what is distilled, against its cap.
    pub distilled: DistilledTier,
    /// How many sessions are where.
    pub sessions: SessionCounts,
    /// Sessions whose agent may still run.
    pub live: LiveSessions,
    /// What plugins posted to the server.
    pub posted: PostedFiles,
    /// How long the budget lasts.
    pub forecast: Forecast,
    /// The last finished sweep.
    pub last_sweep: Option<Sweep>,
    /// Sessions lost in the last 30 days.
    pub data_loss: Vec<DataLoss>,
    /// Per agent.
    pub agents: Vec<AgentStatus>,
}

/// What plugins posted: one file per session, until the archive has it and it is old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PostedFiles {
    /// Sessions.
    pub sessions: u64,
    /// What their files take.
    pub bytes: u64,
    /// Sessions no sweep has looked at as they are now.
    pub waiting: u64,
}

/// Bytes on disk, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stored {
    /// Rows: the database with its write-ahead log.
    pub rows_bytes: u64,
    /// Packs: the compressed payloads.
    pub packs_bytes: u64,
    /// Both.
    pub total_bytes: u64,
    /// The agents' own logs this was taken from.
    pub source_bytes: u64,
    /// `total_bytes / source_bytes`.
    pub ratio: Option<f64>,
}

/// One finished sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sweep {
    /// Began.
    pub started_at: String,
    /// Ended.
    pub finished_at: String,
    /// Files seen.
    pub files: u64,
    /// Files whose content was read.
    pub files_read: u64,
    /// Bytes read from them.
    pub bytes_read: u64,
    /// Events added.
    pub new_events: u64,
    /// Files and records that made trouble.
    pub problems: u64,
}

/// A session that left the archive before it was analysed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DataLoss {
    /// When it left.
    pub at: String,
    /// The session.
    pub session_uid: String,
    /// When it began.
    pub started_at: Option<String>,
    /// How much of it was stored.
    pub bytes: u64,
    /// Why it had to go.
    pub reason: String,
}

/// First and last event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// First event.
    pub first: Option<String>,
    /// Last event.
    pub last: Option<String>,
}

impl Span {
    /// From two moments.
    pub fn new(first: Option<Timestamp>, last: Option<Timestamp>) -> Self {
        Self { first: first.map(time), last: last.map(time) }
    }
}

/// What is stored of one agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentStatus {
    /// `claude`, `codex`, `grok` or `pushed`.
    pub flavor: &'static str,
    /// Conversations with the human.
    pub sessions: u64,
    /// Sub-agents' side conversations.
    pub subagents: u64,
    /// Events.
    pub events: u64,
    /// Tokens, money, turns; nothing counted twice.
    pub cost: Cost,
    /// First and last event.
    #[serde(flatten)]
    pub span: Span,
    /// Source files.
    pub files: u64,
    /// Bytes of them.
    pub source_bytes: u64,
    /// Records of unknown type.
    pub unknown: u64,
    /// Records that could not be read.
    pub bad: u64,
    /// Transcripts that are not empty and yet yielded no message.
    pub silent_files: u64,
}

/// Raw events: rows, packs and the search index.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RawTier {
    /// Rows, the write-ahead log included.
    pub rows_bytes: u64,
    /// Packs, in whole pieces of disk.
    pub packs_bytes: u64,
    /// The search index.
    pub index_bytes: u64,
    /// What plugins posted.
    pub posted_bytes: u64,
    /// All of it.
    pub bytes: u64,
    /// Above this, distilled sessions leave.
    pub soft_cap_bytes: u64,
    /// Above this, any session leaves.
    pub hard_cap_bytes: u64,
    /// Distilled sessions older than this leave.
    pub max_age_days: u64,
}

/// Everything that stays: sessions, tokens, cursors, digests, signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DistilledTier {
    /// On disk.
    pub bytes: u64,
    /// Above this, Backstory warns.
    pub cap_bytes: u64,
}

/// Sessions by what is kept of them, sub-agents included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SessionCounts {
    /// With raw events.
    pub resident: u64,
    /// Whose raw events have left.
    pub evicted: u64,
    /// Whose digest is missing or not up to date.
    pub unanalyzed: u64,
    /// Kept from eviction.
    pub pinned: u64,
}

/// The rate of the last thirty days, and how long the soft cap lasts at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Forecast {
    /// Raw bytes a day; `null` with less than three days of history.
    pub daily_bytes: Option<u64>,
    /// Days the soft cap lasts; `null` where there is no rate.
    pub lasts_days: Option<u64>,
}
