//! Keeping the search index in step with the archive. The index is derived: whatever is wrong with
//! it, it is built anew, and a sweep that cannot write it still takes everything in.

mod alongside;
mod card;
mod paying;

pub(crate) use alongside::{Alongside, Keeper, Kept, Room};
pub(crate) use card::card_text;

use crate::{Archive, SyncError};
use backstory_index::{IndexError, IndexWriter, Shelf, Stay, Stock};
use backstory_store::{StoreError, SweepLock, Vault, Writer};
use paying::{Trouble, pay};

/// What was done to the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Sessions brought up to date.
    pub sessions: u64,
    /// Events added.
    pub events: u64,
    /// True if it was begun anew.
    pub is_new: bool,
    /// Why it could not be brought up to date; search then lacks what is new.
    pub failure: Option<String>,
}

impl IndexReport {
    pub(crate) fn add(&mut self, later: Self) {
        self.sessions += later.sessions;
        self.events += later.events;
        self.is_new |= later.is_new;
        self.failure = later.failure.or(self.failure.take());
    }
}

/// The index as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexStatus {
    /// Its name, which says its version.
    pub name: &'static str,
    /// What it holds; nothing if there is none.
    pub stock: Option<Stock>,
    /// Bytes on disk.
    pub bytes: u64,
    /// Sessions it has not heard all of.
    pub behind: u64,
    /// What is wrong with it.
    pub problem: Option<String>,
}

/// How the index stands.
pub fn index_status(vault: &Vault, index: &dyn Shelf) -> Result<IndexStatus, StoreError> {
    let mut status = IndexStatus { name: index.name(), ..IndexStatus::default() };
    status.behind = vault.index_debt_count()?;
    status.bytes = index.bytes();
    match index.reader(Stay::Short) {
        Ok(reader) => {
            status.stock = Some(reader.stock());
            if let [missing, ..] = reader.missing_vectors() {
                status.problem = Some(format!("{missing} cannot be read"));
            }
        }
        Err(IndexError::Missing(_)) => {}
        Err(error) => status.problem = Some(error.to_string()),
    }
    Ok(status)
}

/// Brings the index up to date; with `rebuild` from nothing. `on_progress` gets sessions done and
/// sessions to do.
pub fn index(
    archive: &Archive,
    rebuild: bool,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<IndexReport, SyncError> {
    archive.home.expect_archive()?;
    let _lock = SweepLock::acquire(&archive.home)?;
    let mut writer = Writer::open(&archive.home)?;
    if rebuild {
        renew(&mut writer, archive)?;
    }
    let mut report = keep_in_step(&mut writer, archive, on_progress)?;
    report.is_new |= rebuild;
    Ok(report)
}

/// The same for a caller that holds the lock and the writer.
pub(crate) fn keep_in_step(
    writer: &mut Writer,
    archive: &Archive,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<IndexReport, SyncError> {
    let mut report = begin(writer, archive)?;
    let vault = Vault::open(&archive.home)?;
    if vault.index_debt_count()? == 0 {
        return Ok(report);
    }
    let index = &*archive.index;
    match pay(writer, (&vault, index), &mut report, on_progress) {
        Err(Trouble::Index(IndexError::Damaged(_))) => {
            renew(writer, archive)?;
            report = IndexReport { is_new: true, ..IndexReport::default() };
            tell(pay(writer, (&vault, index), &mut report, on_progress), &mut report)?;
        }
        paid => tell(paid, &mut report)?,
    }
    Ok(report)
}

/// Sees to it that there is an index of this version.
fn begin(writer: &mut Writer, archive: &Archive) -> Result<IndexReport, SyncError> {
    writer.commit()?;
    let state = Vault::open(&archive.home)?.index_state()?;
    let is_ours = state.is_some_and(|state| state.name == archive.index.name());
    let is_new = !is_ours || !archive.index.exists();
    if is_new {
        renew(writer, archive)?;
    }
    Ok(IndexReport { is_new, ..IndexReport::default() })
}

/// Begins a new index; whatever there is goes.
fn renew(writer: &mut Writer, archive: &Archive) -> Result<(), SyncError> {
    writer.renew_index(archive.index.name())?;
    Ok(archive.index.remove()?)
}

/// Pays all debts and removes what a killed run left, so that the room the index takes is told right.
pub(crate) fn tidy(writer: &mut Writer, archive: &Archive) -> Result<IndexReport, SyncError> {
    let mut report = keep_in_step(writer, archive, &mut |_, _| ())?;
    let batch = Vault::open(&archive.home)?.index_state()?.map_or(0, |state| state.batch);
    if let Err(error) = IndexWriter::open(&*archive.index, batch).and_then(IndexWriter::finish) {
        report.failure.get_or_insert(error.to_string());
    }
    Ok(report)
}

/// Trouble of the archive stops the sweep, trouble of the index does not.
fn tell(paid: Result<(), Trouble>, report: &mut IndexReport) -> Result<(), SyncError> {
    match paid {
        Ok(()) => Ok(()),
        Err(Trouble::Store(error)) => Err(error.into()),
        Err(Trouble::Index(error)) => {
            report.failure = Some(error.to_string());
            Ok(())
        }
    }
}
