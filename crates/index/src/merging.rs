//! When segments are merged: rarely enough to index fast, often enough to search fast.

use tantivy::merge_policy::LogMergePolicy;

/// Segments of so many documents are left alone. Letting sessions go rewrites every segment that held
/// some of them, and that must not mean rewriting everything; and merging maps all it merges, which
/// must not grow with the archive.
const SETTLED_DOCUMENTS: usize = 50_000;
/// So many segments of about the same size become one.
const FAN_IN: usize = 8;

pub(crate) fn policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(FAN_IN);
    policy.set_max_docs_before_merge(SETTLED_DOCUMENTS);
    policy
}
