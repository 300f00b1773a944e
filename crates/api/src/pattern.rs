//! The same thing over many sessions: `patterns --json` and `errors --json`.

use crate::Fix;
use serde::Serialize;

/// One thing that happens again and again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pattern {
    /// What kind of thing.
    pub kind: &'static str,
    /// Its identity, that of its signals.
    pub fingerprint: String,
    /// In its latest words.
    pub what: String,
    /// How often in all.
    pub count: u64,
    /// In how many sessions.
    pub sessions: u32,
    /// First seen.
    pub first: Option<String>,
    /// Last seen.
    pub last: Option<String>,
    /// Repositories.
    pub repos: Vec<String>,
    /// Agents.
    pub agents: Vec<&'static str>,
    /// `new`, `rising`, `steady`, `falling` or `quiet`.
    pub trend: &'static str,
    /// Output tokens spent on it, estimated.
    pub tokens: u64,
    /// What is known to help.
    pub fix: Option<KnownFix>,
    /// Where to look, the latest first.
    pub evidence: Vec<String>,
}

/// What is known to help.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownFix {
    /// What was done, and what was tried before in vain.
    #[serde(flatten)]
    pub fix: Fix,
    /// When.
    pub ts: Option<String>,
    /// In how many sessions something helped.
    pub sessions: u32,
}

/// An error met before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnownError {
    /// True if it is the same error; otherwise it only reads alike.
    pub is_same: bool,
    /// From 0 to 1.
    pub similarity: f32,
    /// What is known of it.
    #[serde(flatten)]
    pub pattern: Pattern,
}
