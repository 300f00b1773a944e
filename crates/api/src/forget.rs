//! What was forgotten: `forget --json`.

use serde::Serialize;

/// The receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// True if nothing was done.
    pub dry_run: bool,
    /// Sessions forgotten, sub-agents included.
    pub sessions: Vec<ForgottenSession>,
    /// Events, those evicted before included.
    pub events: u64,
    /// Bytes of payloads.
    pub pack_bytes: u64,
    /// Digests.
    pub digests: u64,
    /// Signals.
    pub signals: u64,
    /// Decisions.
    pub decisions: u64,
}

/// A session that was forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ForgottenSession {
    /// The session.
    pub session_uid: String,
    /// Events.
    pub events: u64,
    /// Bytes of payloads.
    pub pack_bytes: u64,
    /// 1 if it had a digest.
    pub digests: u64,
    /// Signals.
    pub signals: u64,
    /// Decisions.
    pub decisions: u64,
}
