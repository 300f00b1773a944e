//! Distilling: every session that grew gets its digest and signals brought up to date.

use crate::index::{Alongside, IndexReport, Keeper, Kept, Room, keep_in_step};
use crate::{Archive, SyncError};
use backstory_distill::decisions::MARKER;
use backstory_distill::{Distilled, Distiller, Moment};
use backstory_model::{Session, SessionUid, Timestamp};
use backstory_store::{Account, Home, PendingSession, StoreError, SweepLock, Vault, Writer};
use crossbeam_channel::{Receiver, Sender, bounded};

/// Sessions stored per transaction.
const COMMIT_SESSIONS: u64 = 200;
/// Threads beyond this only wait for the writer.
const MAX_WORKERS: usize = 4;

/// What distilling did.
#[derive(Clone, Debug, Default)]
pub struct DistilReport {
    /// Sessions brought up to date.
    pub sessions: u64,
    /// Sessions that could not be, and why; at most [`DistilReport::MAX_FAILURES`] of them.
    pub failures: Vec<(SessionUid, String)>,
    /// All failures counted.
    pub failure_count: u64,
}

impl DistilReport {
    /// How many failures are listed one by one.
    pub const MAX_FAILURES: usize = 50;

    fn fail(&mut self, uid: SessionUid, reason: String) {
        self.failure_count += 1;
        if self.failures.len() < Self::MAX_FAILURES {
            self.failures.push((uid, reason));
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.failure_count += other.failure_count;
        let room = Self::MAX_FAILURES.saturating_sub(self.failures.len());
        self.failures.extend(other.failures.into_iter().take(room));
    }
}

/// Distils what is pending; with `all`, everything whose events are still here. `on_progress` gets
/// sessions done and sessions to do.
pub fn distil(
    archive: &Archive,
    all: bool,
    now: Timestamp,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<DistilReport, SyncError> {
    archive.home.expect_archive()?;
    let _lock = SweepLock::acquire(&archive.home)?;
    let mut writer = Writer::open(&archive.home)?;
    // What the index could not take in stays owed: search says so, and the next sync tries again.
    let (report, _) = distil_and_index(&mut writer, archive, all, now, on_progress)?;
    writer.reclaim()?;
    Ok(report)
}

/// The same for a caller that holds the lock and the writer; the index is brought in step.
pub(crate) fn distil_and_index(
    writer: &mut Writer,
    archive: &Archive,
    all: bool,
    now: Timestamp,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<(DistilReport, IndexReport), SyncError> {
    let mut alongside = Alongside::begin(writer, archive)?;
    let distilled =
        distil_pending(writer, &archive.home, all, now, Some(&mut alongside), on_progress)?;
    let mut indexed = alongside.finish(writer)?;
    indexed.add(keep_in_step(writer, archive, on_progress)?);
    Ok((distilled, indexed))
}

/// Distils and tells `alongside` of it.
pub(crate) fn distil_pending(
    writer: &mut Writer,
    home: &Home,
    all: bool,
    now: Timestamp,
    mut alongside: Option<&mut Alongside>,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<DistilReport, SyncError> {
    writer.commit()?;
    let pending = Vault::open(home)?.pending(all)?;
    let mut report = DistilReport::default();
    if pending.is_empty() {
        return Ok(report);
    }
    let total = pending.len() as u64;
    let room = alongside.as_ref().map(|alongside| alongside.room());
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_WORKERS);
    std::thread::scope(|scope| {
        let (jobs, todo) = bounded::<Job>(workers * 2);
        let (results, done) = bounded(workers * 2);
        for _ in 0..workers.min(pending.len()) {
            let (todo, results, room) = (todo.clone(), results.clone(), room.clone());
            scope.spawn(move || work(home, room, &todo, &results));
        }
        drop((todo, results));
        scope.spawn(move || {
            // Workers end early only together with the writer below.
            let _ = (0..).zip(pending).try_for_each(|job| jobs.send(job));
        });
        let mut seen = 0;
        for (number, session, worked) in done {
            let stored = worked.and_then(|worked| {
                writer.put_account(&session, &worked.account, now)?;
                Ok(worked)
            });
            let stored = match stored {
                Ok(worked) => {
                    report.sessions += 1;
                    Some((session, worked))
                }
                Err(error) if error.is_disk_full() || error.is_corrupt() => return Err(error),
                Err(error) => {
                    report.fail(session.uid, error.to_string());
                    None
                }
            };
            if let Some(index) = &mut alongside {
                index.take(writer, number, stored)?;
            }
            seen += 1;
            if seen % COMMIT_SESSIONS == 0 {
                writer.commit()?;
            }
            on_progress(seen, total);
        }
        writer.commit()
    })?;
    Ok(report)
}

/// What a worker made of a session.
pub(crate) struct Worked {
    pub(crate) row: Session,
    pub(crate) account: Account,
    /// What it read, from this event on.
    pub(crate) from_seq: u32,
    pub(crate) kept: Kept,
}

/// A session and its number in order.
type Job = (u64, PendingSession);
type Answer = (u64, PendingSession, Result<Worked, StoreError>);

fn work(home: &Home, room: Option<Room>, todo: &Receiver<Job>, results: &Sender<Answer>) {
    let mut vault = None;
    let mut keeper = room.and_then(Keeper::new);
    let marker = home.marker().unwrap_or(MARKER);
    for (number, session) in todo {
        let worked = match &vault {
            Some(vault) => understand(vault, &session, marker, keeper.as_mut()),
            None => Vault::open(home).and_then(|opened| {
                let worked = understand(&opened, &session, marker, keeper.as_mut());
                vault = Some(opened);
                worked
            }),
        };
        if results.send((number, session, worked)).is_err() {
            return;
        }
    }
}

fn understand(
    vault: &Vault,
    session: &PendingSession,
    marker: &str,
    mut keeper: Option<&mut Keeper>,
) -> Result<Worked, StoreError> {
    let saved = if session.from_seq > 0 { vault.account(&session.uid)? } else { None };
    let resumed = saved.and_then(|account| {
        let Account { digest, signals, decisions, state } = account;
        Distiller::resume(Distilled { digest, signals, decisions, state })
    });
    let mut from = session.clone();
    let distiller = resumed.unwrap_or_else(|| {
        // Made by older rules: begin again.
        from.from_seq = 0;
        Distiller::new()
    });
    let mut distiller = distiller.with_marker(marker);
    let mut first = None;
    let mut kept = keeper.as_mut().map_or_else(Kept::none, |keeper| keeper.begin(session.id));
    vault.for_each_moment(
        &from,
        |_| true,
        |event, text| {
            first.get_or_insert(event.seq);
            distiller.event(Moment { event: &event, text });
            if let Some(keeper) = &mut keeper {
                keeper.keep(&mut kept, &event, text);
            }
        },
    )?;
    let row = vault.session(&session.uid)?.ok_or_else(|| {
        StoreError::Io(std::io::Error::other(format!("{} has no row", session.uid)))
    })?;
    let from_seq = from.from_seq;
    if let (0, Some(1..), Some(account)) = (from_seq, first, vault.account(&session.uid)?) {
        // The beginning has left: what older rules made of it is better than a digest without it.
        return Ok(Worked { row, account, from_seq, kept });
    }
    let Distilled { digest, signals, decisions, state } = distiller.finish(&row);
    let account = Account { digest, signals, decisions, state };
    Ok(Worked { row, account, from_seq, kept })
}
