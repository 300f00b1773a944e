//! Indexing sessions while they are distilled: both read the same moments, which is done once.

use super::paying::{Payer, Trouble};
use super::{IndexReport, begin};
use crate::distil::Worked;
use backstory_distill::passages;
use backstory_model::SessionEvent;
use backstory_store::{Home, IndexDebt, PendingSession, StoreError, Vault, Writer};
use std::collections::BTreeMap;

/// What is kept of a session's moments until it is distilled; longer ones are read again.
const KEPT_BYTES: usize = 2_000_000;
/// Sessions that wait for one before them; more are read again later.
const MAX_WAITING: usize = 32;

/// The moments of a session from some event on, unless they are too many to keep.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    text: String,
    /// The events, and where the text of each ends.
    events: Vec<(SessionEvent, usize)>,
    is_cut: bool,
}

impl Kept {
    pub(crate) fn add(&mut self, event: SessionEvent, text: &str) {
        if !self.is_cut && self.text.len() + text.len() > KEPT_BYTES {
            *self = Self { is_cut: true, ..Self::default() };
        }
        if !self.is_cut && passages::voice(event.kind).is_some() {
            self.text.push_str(text);
            self.events.push((event, self.text.len()));
        }
    }

    fn moments(&self) -> impl Iterator<Item = (&SessionEvent, &str)> {
        let mut from = 0;
        self.events
            .iter()
            .map(move |(event, to)| (event, &self.text[std::mem::replace(&mut from, *to)..*to]))
    }
}

/// An index that hears of sessions as they are distilled. Whatever it cannot take stays owed, and is
/// paid, or complained of, by [`super::keep_in_step`].
pub(crate) struct Alongside {
    vault: Vault,
    payer: Option<Payer>,
    has_failed: bool,
    report: IndexReport,
    /// Those whose predecessors are still being distilled: sessions are indexed in their order, so
    /// that the same archive gives the same index.
    waiting: BTreeMap<u64, Option<(PendingSession, Worked)>>,
    next: u64,
}

impl Alongside {
    /// Nothing is opened until there is something to take.
    pub(crate) fn begin(writer: &mut Writer, home: &Home) -> Result<Self, StoreError> {
        let report = begin(writer, home)?;
        Ok(Self {
            vault: Vault::open(home)?,
            payer: None,
            has_failed: false,
            report,
            waiting: BTreeMap::new(),
            next: 0,
        })
    }

    /// Takes the session that is `number`th in order, whose account `writer` has just stored; none if
    /// that failed.
    pub(crate) fn take(
        &mut self,
        writer: &mut Writer,
        number: u64,
        distilled: Option<(PendingSession, Worked)>,
    ) -> Result<(), StoreError> {
        let distilled = distilled.filter(|_| self.waiting.len() < MAX_WAITING);
        self.waiting.insert(number, distilled);
        while let Some(first) = self.waiting.remove(&self.next) {
            self.next += 1;
            if let Some((pending, worked)) = first {
                self.take_next(writer, &pending, &worked)?;
            }
        }
        Ok(())
    }

    fn take_next(
        &mut self,
        writer: &mut Writer,
        pending: &PendingSession,
        worked: &Worked,
    ) -> Result<(), StoreError> {
        if self.has_failed || worked.kept.is_cut {
            return Ok(());
        }
        let Some(debt) = self.vault.index_debt(pending.id)? else { return Ok(()) };
        let is_covered = debt.is_known
            && !debt.has(IndexDebt::REDO)
            && debt.session.from_seq >= worked.from_seq
            && debt.session.next_seq == pending.next_seq;
        if is_covered {
            let taken = self.try_take(writer, debt, worked);
            self.note(taken)?;
        }
        Ok(())
    }

    fn try_take(
        &mut self,
        writer: &mut Writer,
        debt: IndexDebt,
        worked: &Worked,
    ) -> Result<(), Trouble> {
        let payer = match &mut self.payer {
            Some(payer) => payer,
            None => self.payer.insert(Payer::open(&self.vault)?),
        };
        let told = (&worked.row, &worked.account);
        payer.take(debt, told, worked.kept.moments(), &mut self.report)?;
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
