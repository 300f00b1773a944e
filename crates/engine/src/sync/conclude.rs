//! The end of a sweep: words that logs still lack, and sessions that are due to be sealed.

use super::report::{Progress, SyncReport};
use super::{SyncError, SyncOptions, settle};
use crate::live::{self, LiveState, Outstanding, seal_due};
use crate::pushed;
use crate::spool::Drained;
use backstory_model::{SealReason, SessionUid, Timestamp};
use backstory_store::{Vault, Writer};
use std::time::Duration;

/// What waits to be sealed, as it is known before anything is read: what comes later may be about what was
/// not read.
#[derive(Default)]
pub(super) struct Awaited {
    live: Vec<LiveState>,
    /// Sessions that were sealed where they were posted.
    owed: Vec<(SessionUid, SealReason)>,
}

impl Awaited {
    pub(super) fn of(options: &SyncOptions, now: Timestamp) -> Result<Self, SyncError> {
        let home = &options.archive.home;
        let Some(seal) = &options.seal else { return Ok(Self::default()) };
        let owed = if options.spool {
            pushed::seal_silent(home, Duration::from_millis(seal.knobs.idle_ttl_ms), now)?;
            pushed::owed(home)?
        } else {
            Vec::new()
        };
        Ok(Self { live: live::live(home), owed })
    }
}

/// Looks for last words, and seals what is due.
pub(super) fn conclude(
    options: &SyncOptions,
    (writer, vault): (&mut Writer, &Vault),
    (awaited, spooled): (&Awaited, &mut Drained),
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
        let awaited = (awaited.live.as_slice(), awaited.owed.as_slice());
        let sealed = seal_due(awaited, seal, &mut outstanding, storage, now, &mut settle_again)?;
        report.sealed = sealed;
    }
    outstanding.keep(spooled);
    Ok(())
}
