//! When segments are merged: rarely enough to index fast, often enough to search fast.

use tantivy::merge_policy::LogMergePolicy;

/// Segments of so many documents are left alone: letting sessions go rewrites every segment that
/// held some of them, and that must not mean rewriting everything.
const SETTLED_DOCUMENTS: usize = 250_000;
/// So many segments of about the same size become one.
const FAN_IN: usize = 12;

pub(crate) fn policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(FAN_IN);
    policy.set_max_docs_before_merge(SETTLED_DOCUMENTS);
    policy
}
