//! Sealing: what is due gets a row of its own in the archive, and only then is its state let go.

use super::file::Directory;
use super::{Knobs, LiveState, Outstanding, uid};
use backstory_distill::live::{due, settled};
use backstory_distill::overview::{OVERVIEW_MAX_CHARS, overview};
use backstory_model::{Seal, SealReason, SessionUid, Timestamp};
use backstory_store::{Home, StoreError, Vault, Writer};
use std::collections::BTreeSet;
use std::io;

/// Which live sessions to seal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SealChoice {
    /// Those that are marked, or were silent for too long.
    #[default]
    Pending,
    /// All of them, running or not.
    All,
    /// One session, live or not.
    Session(SessionUid),
}

/// What a sweep seals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SealOptions {
    /// When a session is silent for too long.
    pub knobs: Knobs,
    /// Which sessions.
    pub choice: SealChoice,
}

/// A seal that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The session.
    pub uid: SessionUid,
    /// The seal's number in it.
    pub number: u32,
    /// The last event it covers.
    pub last_seq: u32,
    /// Why it was made.
    pub reason: SealReason,
}

/// What sealing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SealReport {
    /// Seals made.
    pub sealed: Vec<Sealed>,
    /// Sessions that were due and had nothing new.
    pub unchanged: u64,
    /// Sessions that were due and wait: for their log, or for the end of it.
    pub waiting: u64,
    /// Sessions that could not be sealed, and why; they are tried again.
    pub failures: Vec<(SessionUid, String)>,
    /// Last words that stand in the archive without their log.
    pub stand_ins: u64,
}

/// What became of one session.
enum Outcome {
    Sealed(Sealed),
    Unchanged,
    Waiting,
}

/// A session that is due.
struct Due<'a> {
    uid: SessionUid,
    reason: SealReason,
    /// What was known of it when the sweep began; nothing if it is not live.
    state: Option<&'a LiveState>,
}

/// Seals what is due of the sessions that were live when the sweep began, and what was sealed elsewhere by
/// then. `settle` brings digests up to date once more, where words had to be added.
pub(crate) fn seal_due(
    (live, owed): (&[LiveState], &[(SessionUid, SealReason)]),
    options: &SealOptions,
    outstanding: &mut Outstanding,
    (writer, vault): (&mut Writer, &Vault),
    now: Timestamp,
    settle: &mut dyn FnMut(&mut Writer) -> Result<(), crate::SyncError>,
) -> Result<SealReport, crate::SyncError> {
    let mut report = SealReport::default();
    let mut due = chosen(live, options, now);
    due.extend(sealed_elsewhere(owed, &due));
    // A log that may still get its last line is waited for.
    due.retain(|due| {
        let waits = !goes_on(due.reason) && outstanding.may_come(&due.uid, now);
        report.waiting += u64::from(waits);
        !waits
    });
    let known: BTreeSet<SessionUid> = live.iter().map(uid).collect();
    let ended = due.iter().filter(|due| !goes_on(due.reason)).map(|due| due.uid.clone());
    let ended: Vec<SessionUid> =
        ended.chain(outstanding.abandoned(&known, options.knobs.idle_ttl_ms, now)).collect();
    for uid in &ended {
        report.stand_ins += outstanding.stand_in(uid, (&mut *writer, vault), now)?;
    }
    if report.stand_ins > 0 {
        settle(writer)?;
    }
    let mut done = Vec::new();
    for due in due {
        match seal_one(&due, (&mut *writer, vault), now, &options.knobs) {
            Ok(Outcome::Sealed(sealed)) => report.sealed.push(sealed),
            Ok(Outcome::Unchanged) => report.unchanged += 1,
            Ok(Outcome::Waiting) => {
                report.waiting += 1;
                continue;
            }
            Err(error) if error.is_disk_full() || error.is_passing() => return Err(error.into()),
            Err(error) => {
                report.failures.push((due.uid, error.to_string()));
                continue;
            }
        }
        done.push(due);
    }
    // Only what is in the archive is let go: a crash before this makes the next sweep find nothing new.
    writer.commit()?;
    let_go(vault.home(), &done).map_err(StoreError::from)?;
    Ok(report)
}

/// True if a session is expected to go on after a seal.
fn goes_on(reason: SealReason) -> bool {
    matches!(reason, SealReason::Compaction | SealReason::Asked)
}

fn chosen<'a>(live: &'a [LiveState], options: &SealOptions, now: Timestamp) -> Vec<Due<'a>> {
    let knobs = &options.knobs;
    let mut chosen = Vec::new();
    for state in live {
        let uid = uid(state);
        let asked = match &options.choice {
            SealChoice::Pending => false,
            SealChoice::All => true,
            SealChoice::Session(wanted) => *wanted == uid,
        };
        let reason = due(state, now, knobs).or(asked.then_some(SealReason::Asked));
        if let Some(reason) = reason {
            chosen.push(Due { uid, reason, state: Some(state) });
        }
    }
    if let SealChoice::Session(wanted) = &options.choice
        && !chosen.iter().any(|due| due.uid == *wanted)
    {
        chosen.push(Due { uid: wanted.clone(), reason: SealReason::Asked, state: None });
    }
    chosen
}

/// What was sealed where it was posted. Hooks tell of their sessions themselves: what they told is left alone.
fn sealed_elsewhere(owed: &[(SessionUid, SealReason)], due: &[Due<'_>]) -> Vec<Due<'static>> {
    let known: BTreeSet<&SessionUid> = due.iter().map(|due| &due.uid).collect();
    let others = owed.iter().filter(|(uid, _)| !known.contains(uid));
    others.map(|(uid, reason)| Due { uid: uid.clone(), reason: *reason, state: None }).collect()
}

fn seal_one(
    due: &Due<'_>,
    (writer, vault): (&mut Writer, &Vault),
    now: Timestamp,
    knobs: &Knobs,
) -> Result<Outcome, StoreError> {
    let head = vault.session_head(&due.uid)?;
    let Some(head) = head.filter(|head| head.next_seq > 0 || head.is_forgotten) else {
        // Its log is not there yet, or never will be.
        let silent =
            due.state.is_none_or(|state| now.0.abs_diff(state.touched_at.0) > knobs.idle_ttl_ms);
        return Ok(if silent { Outcome::Unchanged } else { Outcome::Waiting });
    };
    let latest = vault.latest_seal(&due.uid)?;
    let covered = latest.as_ref().map_or(0, |seal| seal.last_seq + 1);
    if head.is_forgotten || covered >= head.next_seq {
        return Ok(Outcome::Unchanged);
    }
    let (Some(session), Some(account)) = (vault.session(&due.uid)?, vault.account(&due.uid)?)
    else {
        return Err(undistilled());
    };
    if session.watermarks.analyzed_at.is_none() {
        return Err(undistilled());
    }
    let made = overview(&session, &account.digest, &account.signals, OVERVIEW_MAX_CHARS);
    if latest.as_ref().is_some_and(|latest| latest.overview == made.text) {
        // Bookkeeping of an agent that was opened and closed again.
        return Ok(Outcome::Unchanged);
    }
    let seal = Seal {
        number: latest.map_or(0, |latest| latest.number) + 1,
        last_seq: head.next_seq - 1,
        sealed_at: now,
        reason: due.reason,
        abstract_text: made.abstract_text,
        overview: made.text,
    };
    writer.put_seal(head.id, &seal)?;
    let (number, last_seq) = (seal.number, seal.last_seq);
    Ok(Outcome::Sealed(Sealed { uid: due.uid.clone(), number, last_seq, reason: due.reason }))
}

fn undistilled() -> StoreError {
    StoreError::Io(io::Error::other(
        "its digest is not up to date; `backstory distil` says why, and it is tried again",
    ))
}

/// Removes the states of sessions that are over, and resets those of sessions that go on.
fn let_go(home: &Home, done: &[Due<'_>]) -> io::Result<()> {
    let states: Vec<_> = done.iter().filter_map(|due| Some((due.state?, due.reason))).collect();
    if states.is_empty() {
        return Ok(());
    }
    let directory = Directory::of(home);
    let _held = directory.lock();
    directory.clear_unfinished();
    for (before, reason) in states {
        let Some(meanwhile) = directory.read(before.agent, &before.session) else { continue };
        match settled(before, &meanwhile, reason) {
            Some(after) if after == meanwhile => {}
            Some(after) => directory.write(&after)?,
            None => directory.remove(before.agent, &before.session)?,
        }
    }
    Ok(())
}
