//! Stretches of sessions that were closed: `commit --json`, and a part of `sync --json`.

use serde::Serialize;

/// What sealing did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sealing {
    /// Stretches closed.
    pub sealed: Vec<SealedStretch>,
    /// Sessions that were due and had nothing new.
    pub unchanged: u64,
    /// Sessions that were due and wait for their log, or for the end of it.
    pub waiting: u64,
    /// Last words stored before their log had them.
    pub stand_ins: u64,
    /// Sessions that could not be sealed; they are tried again.
    pub failures: Vec<SealFailure>,
}

/// A closed stretch of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SealedStretch {
    /// The session.
    pub session_uid: String,
    /// 1, 2, 3… within it.
    pub number: u32,
    /// The last event it covers.
    pub last_seq: u32,
    /// `compaction`, `ended`, `orphaned`, `idle` or `asked`.
    pub reason: &'static str,
}

/// A session that could not be sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SealFailure {
    /// The session.
    pub session_uid: String,
    /// Why.
    pub what: String,
}

/// Sessions whose agent may still run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LiveSessions {
    /// All of them.
    pub sessions: u64,
    /// Those of them that wait to be sealed.
    pub waiting: u64,
}
