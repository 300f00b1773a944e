//! What distilling did: `distil --json`, and a part of `sync --json`.

use serde::Serialize;

/// Digests brought up to date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Distilled {
    /// Sessions brought up to date.
    pub sessions: u64,
    /// Sessions that could not be.
    pub failure_count: u64,
    /// Those in detail; a long list is cut, the count is not.
    pub failures: Vec<DistilFailure>,
}

/// A session that could not be distilled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DistilFailure {
    /// The session.
    pub session_uid: String,
    /// Why.
    pub what: String,
}
