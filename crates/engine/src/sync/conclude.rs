//! The end of a sweep: words that logs still lack, and sessions that are due to be sealed.

use super::report::{Progress, SyncReport};
use super::{SyncError, SyncOptions, settle};
use crate::live::{LiveState, Outstanding, seal_due};
use crate::spool::Drained;
use backstory_model::Timestamp;
use backstory_store::{Vault, Writer};

/// Looks for last words, and seals what is due of the sessions that were live when the sweep began: what
/// was said since may not have been read.
pub(super) fn conclude(
    options: &SyncOptions,
    (writer, vault): (&mut Writer, &Vault),
    (live, spooled): (&[LiveState], &mut Drained),
    report: &mut SyncReport,
    now: Timestamp,
    (progress, on_progress): (&mut Progress, &mut dyn FnMut(Progress)),
) -> Result<(), SyncError> {
    let mut outstanding = Outstanding::among(spooled, vault)?;
    if let (Some(seal), Some(budget)) = (&options.seal, &options.budget) {
        let mut settle_again = |writer: &mut Writer| {
            settle(writer, options, budget, report, now, (&mut *progress, &mut *on_progress))
        };
        let storage = (writer, vault);
        let sealed = seal_due(live, seal, &mut outstanding, storage, now, &mut settle_again)?;
        report.sealed = sealed;
    }
    outstanding.keep(spooled);
    Ok(())
}
