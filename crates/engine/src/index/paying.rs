//! Bringing into the index what it has not heard of, and striking that out.

use super::IndexReport;
use super::card::{card, card_of};
use backstory_distill::passages;
use backstory_index::{IndexError, IndexWriter, Prepared, Shelf};
use backstory_model::Session;
use backstory_store::{Account, IndexDebt, StoreError, Vault, Writer};

/// Sessions looked at before the index is asked whether it is full.
const SESSIONS_PER_LOOK: usize = 500;

pub(super) enum Trouble {
    Store(StoreError),
    Index(IndexError),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<IndexError> for Trouble {
    fn from(error: IndexError) -> Self {
        Self::Index(error)
    }
}

/// Pays every debt.
pub(super) fn pay(
    writer: &mut Writer,
    (vault, index): (&Vault, &dyn Shelf),
    report: &mut IndexReport,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<(), Trouble> {
    let mut payer = Payer::open(vault, index)?;
    let total = vault.index_debt_count()?;
    let mut last_id = 0;
    loop {
        let debts = vault.index_debts(last_id, SESSIONS_PER_LOOK)?;
        if debts.is_empty() {
            return payer.finish(writer);
        }
        for debt in debts {
            last_id = debt.session.id;
            payer.bring(vault, debt, report)?;
            payer.settle_if_full(writer)?;
            on_progress(report.sessions, total);
        }
    }
}

/// Brings sessions into the index; what they owed is struck out commit by commit.
pub(super) struct Payer {
    index: IndexWriter,
    batch: u64,
    paid: Vec<IndexDebt>,
    /// A removal is done when the files that held the text are gone, and so is all after it.
    held: Vec<IndexDebt>,
}

impl Payer {
    pub(super) fn open(vault: &Vault, index: &dyn Shelf) -> Result<Self, Trouble> {
        let batch = vault.index_state()?.map_or(0, |state| state.batch);
        let index = IndexWriter::open(index, batch)?;
        Ok(Self { index, batch, paid: Vec::new(), held: Vec::new() })
    }

    fn bring(
        &mut self,
        vault: &Vault,
        debt: IndexDebt,
        report: &mut IndexReport,
    ) -> Result<(), Trouble> {
        let id = debt.session.id;
        if debt.has(IndexDebt::REDO) {
            self.index.remove_events(id)?;
        }
        if debt.is_known && debt.session.from_seq < debt.session.next_seq {
            let mut trouble = None;
            let is_found = |kind| passages::voice(kind).is_some();
            vault.for_each_moment(&debt.session, is_found, |event, text| {
                if trouble.is_none() {
                    trouble = self.index.add_event(id, &event, text).err();
                    report.events += 1;
                }
            })?;
            if let Some(trouble) = trouble {
                return Err(trouble.into());
            }
        }
        if debt.has(IndexDebt::CARD) {
            if debt.is_known {
                self.index.put_card(id, &card_of(vault, &debt.session.uid))?;
            } else {
                self.index.remove_card(id)?;
            }
        }
        report.sessions += 1;
        self.paid.push(debt);
        Ok(())
    }

    /// The same for a session whose moments and account are at hand.
    pub(super) fn take(
        &mut self,
        debt: IndexDebt,
        (session, account): (&Session, &Account),
        moments: Prepared,
        report: &mut IndexReport,
    ) -> Result<(), IndexError> {
        let id = debt.session.id;
        report.events += self.index.add_prepared(moments, debt.session.from_seq)?;
        self.index.put_card(id, &card(session, Some(account)))?;
        report.sessions += 1;
        self.paid.push(debt);
        Ok(())
    }

    pub(super) fn settle_if_full(&mut self, writer: &mut Writer) -> Result<(), Trouble> {
        if self.index.is_full() { self.settle(writer) } else { Ok(()) }
    }

    fn settle(&mut self, writer: &mut Writer) -> Result<(), Trouble> {
        self.batch = self.index.commit()?;
        if self.held.is_empty() && !self.paid.iter().any(|debt| debt.has(IndexDebt::REDO)) {
            writer.settle_index(&self.paid, self.batch)?;
            self.paid.clear();
        }
        self.held.append(&mut self.paid);
        Ok(())
    }

    pub(super) fn finish(mut self, writer: &mut Writer) -> Result<(), Trouble> {
        self.settle(writer)?;
        self.index.finish()?;
        if !self.held.is_empty() {
            writer.settle_index(&self.held, self.batch)?;
        }
        Ok(())
    }
}
