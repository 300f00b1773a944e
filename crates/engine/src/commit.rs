//! Sealing on request: takes in what changed, then closes what is due.

use crate::live::{SealOptions, SealReport};
use crate::{Progress, SyncError, SyncOptions, SyncReport, sync};
use backstory_model::Timestamp;

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
