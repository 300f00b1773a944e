//! Codex CLI: the four dialects its rollouts were written in, forks and sub-agents.

mod bare;
mod document;
mod items;
mod legacy;
mod paginated;
mod rollout;
mod spawn;

use super::family::{Family, Seedbed};

/// A thread, its sub-agents, and sometimes a fork of it.
pub(crate) fn family(bed: &mut Seedbed<'_>) -> Family {
    match bed.age {
        // The single-document dialect was never used for long sessions.
        0..30 if bed.target < 1_500_000 => document::family(bed),
        0..130 => bare::family(bed),
        130..640 => legacy::family(bed),
        _ => paginated::family(bed),
    }
}
