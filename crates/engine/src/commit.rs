//! Sealing on request: takes in what changed, then closes what is due.

use crate::live::{Knobs, SealOptions, SealReport, pending};
use crate::pushed::silent;
use crate::{Progress, SyncError, SyncOptions, SyncReport, sync};
use backstory_model::Timestamp;
use backstory_store::Home;
use std::time::Duration;

/// What a commit did.
#[derive(Clone, Debug, Default)]
pub struct CommitReport {
    /// What was taken in before.
    pub sync: SyncReport,
    /// What was sealed.
    pub seals: SealReport,
}

/// Takes in what changed, as `options` say, and seals what `seal` chooses.
pub fn commit(
    options: &SyncOptions,
    seal: &SealOptions,
    now: Timestamp,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<CommitReport, SyncError> {
    let options = SyncOptions { seal: Some(seal.clone()), dry_run: false, ..options.clone() };
    let mut report = sync(&options, now, on_progress)?;
    let seals = std::mem::take(&mut report.sealed);
    Ok(CommitReport { sync: report, seals })
}

/// True if a session waits to be sealed: hooks said so, or nothing was heard of it for too long.
pub fn is_any_due(home: &Home, now: Timestamp, knobs: &Knobs) -> bool {
    let usual = Duration::from_millis(knobs.idle_ttl_ms);
    // What cannot be read is for a sweep to tell.
    let is_any_posted = || silent(home, usual, now).is_ok_and(|silent| !silent.is_empty());
    !pending(home, now, knobs).is_empty() || is_any_posted()
}
