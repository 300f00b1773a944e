//! A stretch of one file after identities were settled and before secrets are redacted.

use backstory_adapters::{Batch, EventDraft, SessionPatch, UsageDraft};
use backstory_store::{Cursor, SessionDelta};

/// An event with its place.
pub(crate) struct PlacedEvent {
    pub(crate) line: u64,
    pub(crate) session_id: i64,
    pub(crate) seq: u32,
    pub(crate) parent_seq: Option<u32>,
    pub(crate) event: EventDraft,
    /// Known already: only its columns are refreshed.
    pub(crate) refresh: bool,
    /// Its payload is to be stored.
    pub(crate) with_payload: bool,
}

/// A record nobody understood.
pub(crate) struct Strange {
    pub(crate) line: u64,
    pub(crate) type_name: String,
    pub(crate) cli_version: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) raw: backstory_adapters::Span,
}

/// A session as this stretch changes it; texts are not yet redacted.
pub(crate) struct SessionDraft {
    pub(crate) delta: SessionDelta,
    pub(crate) patches: Vec<SessionPatch>,
}

/// A stretch of one file.
pub(crate) struct Draft {
    pub(crate) batch: Batch,
    pub(crate) cursor: Cursor,
    pub(crate) restarts: bool,
    pub(crate) grown_bytes: i64,
    /// Sessions whose posted messages leave.
    pub(crate) supersedes: Vec<i64>,
    pub(crate) sessions: Vec<SessionDraft>,
    pub(crate) events: Vec<PlacedEvent>,
    pub(crate) usage: Vec<(i64, UsageDraft)>,
    pub(crate) strange: Vec<Strange>,
}
