//! Keeping the search index in step with the archive. The index is derived: whatever is wrong with
//! it, it is built anew, and a sweep that cannot write it still takes everything in.

use crate::SyncError;
use backstory_index::{DIR_NAME, IndexError, IndexReader, IndexWriter, SessionCard, Stock};
use backstory_model::{SessionUid, Timestamp};
use backstory_store::{Home, IndexDebt, StoreError, SweepLock, Vault, Writer, create_private_dir};

/// Sessions looked at before the index is asked whether it is full.
const SESSIONS_PER_LOOK: usize = 500;

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
    /// Sessions it has not heard all of.
    pub behind: u64,
    /// What is wrong with it.
    pub problem: Option<String>,
}

/// How the index stands.
pub fn index_status(vault: &Vault) -> Result<IndexStatus, StoreError> {
    let mut status = IndexStatus { name: DIR_NAME, ..IndexStatus::default() };
    status.behind = vault.index_debt_count()?;
    match IndexReader::open(vault.home().dir()) {
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
    home: &Home,
    rebuild: bool,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<IndexReport, SyncError> {
    if !home.archive().exists() {
        return Err(StoreError::Missing(home.archive()).into());
    }
    let _lock = SweepLock::acquire(home)?;
    let mut writer = Writer::open(home)?;
    if rebuild {
        writer.renew_index(DIR_NAME)?;
    }
    let mut report = keep_in_step(&mut writer, home, on_progress)?;
    report.is_new |= rebuild;
    Ok(report)
}

/// The same for a caller that holds the lock and the writer.
pub(crate) fn keep_in_step(
    writer: &mut Writer,
    home: &Home,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<IndexReport, SyncError> {
    writer.commit()?;
    let mut report = IndexReport::default();
    let vault = Vault::open(home)?;
    let is_ours = vault.index_state()?.is_some_and(|state| state.name == DIR_NAME);
    if !is_ours || !home.dir().join(DIR_NAME).is_dir() {
        writer.renew_index(DIR_NAME)?;
        report.is_new = true;
    }
    if vault.index_debt_count()? == 0 {
        return Ok(report);
    }
    match pay(writer, &vault, &mut report, on_progress) {
        Err(Trouble::Index(IndexError::Damaged(_))) => {
            writer.renew_index(DIR_NAME)?;
            report = IndexReport { is_new: true, ..IndexReport::default() };
            tell(pay(writer, &vault, &mut report, on_progress), &mut report)?;
        }
        paid => tell(paid, &mut report)?,
    }
    Ok(report)
}

/// Pays all debts and removes what a killed run left, so that the room the index takes is told right.
pub(crate) fn tidy(writer: &mut Writer, home: &Home) -> Result<IndexReport, SyncError> {
    let mut report = keep_in_step(writer, home, &mut |_, _| ())?;
    let batch = Vault::open(home)?.index_state()?.map_or(0, |state| state.batch);
    if let Err(error) = IndexWriter::open(home.dir(), batch).and_then(IndexWriter::finish) {
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

enum Trouble {
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

fn pay(
    writer: &mut Writer,
    vault: &Vault,
    report: &mut IndexReport,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<(), Trouble> {
    let home = vault.home().dir();
    create_private_dir(&home.join(DIR_NAME)).map_err(IndexError::from)?;
    let batch = vault.index_state()?.map_or(0, |state| state.batch);
    let mut index = IndexWriter::open(home, batch)?;
    let total = vault.index_debt_count()?;
    let mut paid: Vec<IndexDebt> = Vec::new();
    // A removal is done when the files that held the text are gone, and so is all after it.
    let mut held: Vec<IndexDebt> = Vec::new();
    let mut batch = batch;
    loop {
        // Those not struck out yet come again at the head of the list.
        let known = held.len() + paid.len();
        let debts = vault.index_debts(known + SESSIONS_PER_LOOK)?;
        let more = debts.get(known..).unwrap_or_default();
        let is_last = more.is_empty();
        for debt in more {
            bring(vault, &mut index, debt, report)?;
            paid.push(debt.clone());
            report.sessions += 1;
            on_progress(report.sessions, total);
            if index.is_full() {
                break;
            }
        }
        if is_last || index.is_full() {
            batch = index.commit()?;
            if held.is_empty() && !paid.iter().any(|debt| debt.has(IndexDebt::REDO)) {
                writer.settle_index(&paid, batch)?;
                paid.clear();
            }
            held.append(&mut paid);
        }
        if is_last {
            break;
        }
    }
    index.finish()?;
    if !held.is_empty() {
        writer.settle_index(&held, batch)?;
    }
    Ok(())
}

fn bring(
    vault: &Vault,
    index: &mut IndexWriter,
    debt: &IndexDebt,
    report: &mut IndexReport,
) -> Result<(), Trouble> {
    let id = debt.session.id;
    if debt.has(IndexDebt::REDO) {
        index.remove_events(id);
    }
    if debt.is_known && debt.session.from_seq < debt.session.next_seq {
        let mut trouble = None;
        vault.for_each_moment(&debt.session, |event, text| {
            if trouble.is_none() {
                trouble = index.add_event(id, event, text).err();
                report.events += 1;
            }
        })?;
        if let Some(trouble) = trouble {
            return Err(trouble.into());
        }
    }
    if debt.has(IndexDebt::CARD) {
        if debt.is_known {
            index.put_card(id, &card(vault, debt))?;
        } else {
            index.remove_card(id);
        }
    }
    Ok(())
}

fn card(vault: &Vault, debt: &IndexDebt) -> SessionCard {
    SessionCard {
        title: debt.title.clone().unwrap_or_default(),
        text: card_text(vault, &debt.session.uid),
        ts: debt.active_at,
    }
}

/// Days, digest and signals of a session in words. A digest that cannot be read is for `doctor` to
/// tell.
pub(crate) fn card_text(vault: &Vault, uid: &SessionUid) -> String {
    let mut lines: Vec<String> = Vec::new();
    if let Ok(Some(session)) = vault.session(uid) {
        lines.extend([session.started_at, session.ended_at].into_iter().flatten().map(day));
        lines.dedup();
    }
    let Ok(Some(account)) = vault.account(uid) else { return lines.join("\n") };
    let digest = account.digest;
    lines.extend(digest.goal.map(|goal| goal.text));
    lines.extend(digest.snippets.into_iter().map(|snippet| snippet.text));
    lines.extend(digest.files.into_iter().map(|file| file.path));
    lines.extend(digest.commands.into_iter().map(|command| command.command));
    lines.extend(digest.tests.into_iter().map(|test| test.command));
    lines.extend(digest.commits.into_iter().map(|commit| commit.subject));
    for signal in account.signals {
        lines.push(signal.what);
        lines.extend(signal.fix.into_iter().flat_map(|fix| [fix.what, fix.tried]));
    }
    lines.join("\n")
}

/// A day as people ask for it: `Friday 8 May 2026 2026-05-08`.
fn day(at: Timestamp) -> String {
    let day = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    day.strftime("%A %-d %B %Y %F").to_string()
}
