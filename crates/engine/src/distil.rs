//! Distilling: every session that grew gets its digest and signals brought up to date.

use crate::SyncError;
use crate::index::keep_in_step;
use backstory_distill::{Distilled, Distiller, Moment};
use backstory_model::{SessionUid, Timestamp};
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
    home: &Home,
    all: bool,
    now: Timestamp,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<DistilReport, SyncError> {
    if !home.archive().exists() {
        return Err(StoreError::Missing(home.archive()).into());
    }
    let _lock = SweepLock::acquire(home)?;
    let mut writer = Writer::open(home)?;
    let report = distil_pending(&mut writer, home, all, now, on_progress)?;
    writer.reclaim()?;
    keep_in_step(&mut writer, home, &mut |_, _| ())?;
    Ok(report)
}

/// The same for a caller that holds the lock and the writer.
pub(crate) fn distil_pending(
    writer: &mut Writer,
    home: &Home,
    all: bool,
    now: Timestamp,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<DistilReport, SyncError> {
    writer.commit()?;
    let pending = Vault::open(home)?.pending(all)?;
    let mut report = DistilReport::default();
    if pending.is_empty() {
        return Ok(report);
    }
    let total = pending.len() as u64;
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_WORKERS);
    std::thread::scope(|scope| {
        let (jobs, todo) = bounded::<PendingSession>(workers * 2);
        let (results, done) = bounded(workers * 2);
        for _ in 0..workers.min(pending.len()) {
            let (todo, results) = (todo.clone(), results.clone());
            scope.spawn(move || work(home, &todo, &results));
        }
        drop((todo, results));
        scope.spawn(move || {
            // Workers end early only together with the writer below.
            let _ = pending.into_iter().try_for_each(|session| jobs.send(session));
        });
        let mut seen = 0;
        for (session, account) in done {
            let stored = account.and_then(|account| writer.put_account(&session, &account, now));
            match stored {
                Ok(()) => report.sessions += 1,
                Err(error) if error.is_disk_full() || error.is_corrupt() => return Err(error),
                Err(error) => report.fail(session.uid, error.to_string()),
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

type Worked = (PendingSession, Result<Account, StoreError>);

fn work(home: &Home, todo: &Receiver<PendingSession>, results: &Sender<Worked>) {
    let mut vault = None;
    for session in todo {
        let account = match &vault {
            Some(vault) => account(vault, &session),
            None => Vault::open(home).and_then(|opened| {
                let account = account(&opened, &session);
                vault = Some(opened);
                account
            }),
        };
        if results.send((session, account)).is_err() {
            return;
        }
    }
}

fn account(vault: &Vault, session: &PendingSession) -> Result<Account, StoreError> {
    let saved = if session.from_seq > 0 { vault.account(&session.uid)? } else { None };
    let resumed = saved.and_then(|account| {
        let Account { digest, signals, state } = account;
        Distiller::resume(Distilled { digest, signals, state })
    });
    let mut from = session.clone();
    let mut distiller = resumed.unwrap_or_else(|| {
        // Made by older rules: begin again.
        from.from_seq = 0;
        Distiller::new()
    });
    let mut first = None;
    vault.for_each_moment(&from, |event, text| {
        first.get_or_insert(event.seq);
        distiller.event(Moment { event, text });
    })?;
    if let (0, Some(1..), Some(saved)) = (from.from_seq, first, vault.account(&session.uid)?) {
        // The beginning has left: what older rules made of it is better than a digest without it.
        return Ok(saved);
    }
    let row = vault.session(&session.uid)?.ok_or_else(|| {
        StoreError::Io(std::io::Error::other(format!("{} has no row", session.uid)))
    })?;
    let Distilled { digest, signals, state } = distiller.finish(&row);
    Ok(Account { digest, signals, state })
}
