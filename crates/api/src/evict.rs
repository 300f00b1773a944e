//! What left to keep the budget: `evict --json`, and a part of `sync --json`.

use crate::Distilled;
use serde::Serialize;

/// One eviction, done or planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evict {
    /// True if nothing was done.
    pub dry_run: bool,
    /// What left, or would.
    #[serde(flatten)]
    pub eviction: Eviction,
    /// What had to be distilled first.
    pub distilled: Distilled,
}

/// What left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Eviction {
    /// Who left, in this order.
    pub evicted: Vec<EvictedSession>,
    /// Sessions among them that were never distilled: their data is lost.
    pub lost_count: u64,
    /// Files of posted messages that left as well, because the archive has what is in them.
    pub posted_copies: u64,
    /// Room taken before.
    pub before: Tiers,
    /// Room taken afterwards.
    pub after: Tiers,
    /// Raw bytes over the hard cap that pinned sessions hold.
    pub stuck_bytes: u64,
    /// Distilled bytes over their cap.
    pub distilled_over_bytes: u64,
}

/// A session whose raw events left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EvictedSession {
    /// The session.
    pub session_uid: String,
    /// `age`, `budget` or `last_resort`.
    pub reason: &'static str,
    /// The room its raw events took.
    pub bytes: u64,
    /// Its last activity.
    pub active_at: Option<String>,
}

/// Bytes on disk per tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tiers {
    /// Rows of raw events.
    pub raw_rows_bytes: u64,
    /// Payloads of raw events.
    pub raw_packs_bytes: u64,
    /// The search index.
    pub raw_index_bytes: u64,
    /// What plugins posted.
    pub raw_posted_bytes: u64,
    /// All of it: tier 1.
    pub raw_bytes: u64,
    /// Everything distilled: tier 2.
    pub distilled_bytes: u64,
}
