//! `backstory migrate-store --json`.

use serde::Serialize;

/// What was moved from one store to another, and compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Migrated {
    /// The store it was moved from.
    pub from: String,
    /// The store it was moved to.
    pub to: String,
    /// Sessions compared.
    pub sessions: u64,
    /// Those of them that were there already.
    pub sessions_there: u64,
    /// Logs compared.
    pub sources: u64,
    /// Those of them that were there already.
    pub sources_there: u64,
    /// Events compared.
    pub events: u64,
    /// Rows compared.
    pub rows: u64,
    /// Bytes of payloads compared.
    pub payload_bytes: u64,
    /// What all of it comes to, on both sides.
    pub hash: String,
}
