//! Indexing sessions while they are distilled: both read the same moments, which is done once.

use super::paying::{Payer, Trouble};
use super::{IndexReport, begin};
use crate::distil::Worked;
use crate::{Archive, SyncError};
use backstory_index::{Prepared, Preparer, Shelf};
use backstory_model::{Session, SessionEvent};
use backstory_store::{Account, IndexDebt, PendingSession, StoreError, Vault, Writer};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// What may be kept of the moments of all sessions on their way; those beyond it are read again.
const KEPT_BYTES: usize = 32_000_000;

/// How much is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room(Arc<AtomicUsize>);

/// The moments of a session from some event on, prepared for the index.
#[derive(Debug)]
pub(crate) struct Kept {
    /// None if there was no room for them.
    prepared: Option<Prepared>,
    bytes: usize,
    room: Room,
}

impl Kept {
    /// Nothing.
    pub(crate) fn none() -> Self {
        Self { prepared: None, bytes: 0, room: Room::default() }
    }

    fn add(&mut self, preparer: &mut Preparer, event: &SessionEvent, text: &str) {
        let Some(prepared) = &mut self.prepared else { return };
        preparer.add_event(event, text, prepared);
        let grown = prepared.bytes() - self.bytes;
        self.bytes += grown;
        if self.room.0.fetch_add(grown, Relaxed) + grown > KEPT_BYTES {
            self.prepared = None;
            self.leave();
        }
    }

    /// Others get the room.
    fn leave(&mut self) {
        self.room.0.fetch_sub(std::mem::take(&mut self.bytes), Relaxed);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Keeps the moments one worker reads.
#[derive(Debug)]
pub(crate) struct Keeper {
    preparer: Preparer,
    room: Room,
}

impl Keeper {
    /// None if the index cannot be written; who brings it in step says why.
    pub(crate) fn new(room: Room) -> Option<Self> {
        Some(Self { preparer: Preparer::new().ok()?, room })
    }

    pub(crate) fn begin(&mut self, session: i64) -> Kept {
        self.preparer.begin_session(session);
        Kept { prepared: Some(Prepared::default()), bytes: 0, room: self.room.clone() }
    }

    pub(crate) fn keep(&mut self, kept: &mut Kept, event: &SessionEvent, text: &str) {
        kept.add(&mut self.preparer, event, text);
    }
}

/// An index that hears of sessions as they are distilled. Whatever it cannot take stays owed, and is
/// paid, or complained of, by [`super::keep_in_step`].
pub(crate) struct Alongside {
    vault: Vault,
    index: Arc<dyn Shelf>,
    payer: Option<Payer>,
    has_failed: bool,
    report: IndexReport,
    room: Room,
    /// Those whose predecessors are still being distilled: sessions are indexed in their order, so
    /// that the same archive gives the same index.
    waiting: BTreeMap<u64, Option<(PendingSession, Worked)>>,
    next: u64,
}

impl Alongside {
    /// Nothing is opened until there is something to take.
    pub(crate) fn begin(writer: &mut Writer, archive: &Archive) -> Result<Self, SyncError> {
        let report = begin(writer, archive)?;
        Ok(Self {
            vault: Vault::open(&archive.home)?,
            index: archive.index.clone(),
            payer: None,
            has_failed: false,
            report,
            room: Room::default(),
            waiting: BTreeMap::new(),
            next: 0,
        })
    }

    /// For those who keep what they read.
    pub(crate) fn room(&self) -> Room {
        self.room.clone()
    }

    /// Takes the session that is `number`th in order, whose account `writer` has just stored; none if
    /// that failed.
    pub(crate) fn take(
        &mut self,
        writer: &mut Writer,
        number: u64,
        distilled: Option<(PendingSession, Worked)>,
    ) -> Result<(), StoreError> {
        self.waiting.insert(number, distilled);
        while let Some(first) = self.waiting.remove(&self.next) {
            self.next += 1;
            if let Some((pending, worked)) = first {
                self.take_next(writer, &pending, worked)?;
            }
        }
        Ok(())
    }

    fn take_next(
        &mut self,
        writer: &mut Writer,
        pending: &PendingSession,
        worked: Worked,
    ) -> Result<(), StoreError> {
        if self.has_failed {
            return Ok(());
        }
        let Worked { row, account, from_seq, mut kept } = worked;
        let Some(prepared) = kept.prepared.take() else { return Ok(()) };
        let Some(debt) = self.vault.index_debt(pending.id)? else { return Ok(()) };
        let is_covered = debt.is_known
            && !debt.has(IndexDebt::REDO)
            && debt.session.from_seq >= from_seq
            && debt.session.next_seq == pending.next_seq;
        if is_covered {
            let taken = self.try_take(writer, debt, (&row, &account), prepared);
            self.note(taken)?;
        }
        Ok(())
    }

    fn try_take(
        &mut self,
        writer: &mut Writer,
        debt: IndexDebt,
        told: (&Session, &Account),
        prepared: Prepared,
    ) -> Result<(), Trouble> {
        let payer = match &mut self.payer {
            Some(payer) => payer,
            None => self.payer.insert(Payer::open(&self.vault, &*self.index)?),
        };
        payer.take(debt, told, prepared, &mut self.report)?;
        payer.settle_if_full(writer)
    }

    /// Makes durable what was taken.
    pub(crate) fn finish(mut self, writer: &mut Writer) -> Result<IndexReport, StoreError> {
        if let Some(payer) = self.payer.take() {
            let finished = payer.finish(writer);
            self.note(finished)?;
        }
        if self.has_failed {
            // What was not committed is done again and counted then.
            self.report = IndexReport { is_new: self.report.is_new, ..IndexReport::default() };
        }
        Ok(self.report)
    }

    fn note(&mut self, done: Result<(), Trouble>) -> Result<(), StoreError> {
        match done {
            Ok(()) => Ok(()),
            Err(Trouble::Store(error)) => Err(error),
            Err(Trouble::Index(_)) => {
                (self.has_failed, self.payer) = (true, None);
                Ok(())
            }
        }
    }
}
