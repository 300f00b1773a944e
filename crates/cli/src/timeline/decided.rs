//! What the human was asked, beside the event that asks.

use crate::untrusted::one_line;
use backstory_engine::ledger;
use backstory_model::Decision;

/// What an event asks.
pub(super) fn asked_at(decisions: &[Decision], seq: u32) -> &[Decision] {
    let from = decisions.partition_point(|decision| decision.seq < seq);
    let behind = decisions[from..].partition_point(|decision| decision.seq == seq);
    &decisions[from..from + behind]
}

/// A question on one line.
pub(super) fn question(decision: &Decision) -> String {
    one_line(&ledger::question(decision))
}

/// What came of it on one line.
pub(super) fn answer(decision: &Decision) -> String {
    let advice = ledger::advice(decision).map(|advice| format!(" ({advice})"));
    one_line(&format!("{}{}", ledger::answer(decision), advice.unwrap_or_default()))
}

/// Both.
pub(crate) fn line(decision: &Decision) -> String {
    format!("{} → {}", question(decision), one_line(&ledger::answer(decision)))
}
