//! Sessions whose agent may still run: what hooks tell of them, and when they are sealed.
//!
//! A hook only writes: a message into the spool, where its log has grown, and one small file per session
//! below `state/live/`. Whether a session is to be sealed is decided by rules that know no disk
//! ([`backstory_distill::live`]); sealing itself needs the archive and is the sweep's work.

mod file;
mod last_words;
mod seal;

pub use backstory_distill::live::{Happening, KNOBS, Knobs, LiveState, Mark};
pub use seal::{SealChoice, SealOptions, SealReport, Sealed};

pub(crate) use last_words::{Outstanding, StandIns, key};
pub(crate) use seal::seal_due;

use crate::spool::{self, LastWords, SpoolEntry};
use backstory_distill::Redactor;
use backstory_distill::live::{decide, due};
use backstory_model::{Flavor, SealReason, SessionUid, Timestamp};
use backstory_store::Home;
use file::Directory;
use std::io;
use std::path::PathBuf;

/// What a hook tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveEvent {
    /// Whose hook it is.
    pub agent: Flavor,
    /// The agent's id of the session; for a sub-agent of Claude Code `<session>/<agent id>`, as its uid
    /// has it.
    pub session: String,
    /// True if another session started it.
    pub is_subagent: bool,
    /// What happened.
    pub happening: Happening,
    /// The hook's own name for it.
    pub event: String,
    /// The session's log.
    pub transcript_path: Option<PathBuf>,
    /// Where the agent works.
    pub cwd: Option<PathBuf>,
    /// The agent's last words of a turn, as the hook has them: its log may lack them still.
    pub last_message: Option<String>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// Sessions this event marked to be sealed, its own among them; a sweep does the rest.
    pub marked: Vec<(SessionUid, SealReason)>,
    /// True if the session has something no seal covers: it is appendable, and its agent still has the
    /// whole of it.
    pub is_open: bool,
}

/// Takes note of what a hook tells: a few small files, no archive.
pub fn note(home: &Home, event: &LiveEvent, now: Timestamp, knobs: &Knobs) -> io::Result<Noted> {
    let directory = Directory::of(home);
    directory.create()?;
    let read = || directory.read(event.agent, &event.session);
    // First of all what must not be lost, whoever else is at work; a session without its state is still read by
    // every sweep.
    leave_message(home, event, now, || read()?.prompted_at)?;
    let lock = directory.lock();
    let mut own = read().unwrap_or_else(|| LiveState::new(event.agent, &event.session, now));
    own.is_subagent |= event.is_subagent;
    let was_marked = own.mark;
    let others = if event.happening == Happening::Began {
        let mut others = directory.states();
        others.retain(|other| (other.agent, &other.session) != (own.agent, &own.session));
        others
    } else {
        Vec::new()
    };
    let log_bytes = event.transcript_path.as_ref().and_then(|path| fs_err::metadata(path).ok());
    let log_bytes = log_bytes.map(|meta| meta.len());
    let decision = decide(own, &others, (event.happening, log_bytes), now, knobs);
    let mut noted = Noted { marked: Vec::new(), is_open: decision.own.open };
    directory.write(&decision.own)?;
    if let Some(mark) = decision.own.mark
        && decision.own.mark != was_marked
    {
        noted.marked.push((uid(&decision.own), mark.reason));
    }
    for (place, reason) in decision.marked {
        let mark = Some(Mark { reason, at: now });
        directory.write(&LiveState { mark, ..others[place].clone() })?;
        noted.marked.push((uid(&others[place]), reason));
    }
    drop(lock);
    Ok(noted)
}

/// What waits to be sealed at this moment, and why.
pub fn pending(home: &Home, now: Timestamp, knobs: &Knobs) -> Vec<(SessionUid, SealReason)> {
    let states = Directory::of(home).states();
    states.iter().filter_map(|state| Some((uid(state), due(state, now, knobs)?))).collect()
}

/// Every session that may still run.
pub fn live(home: &Home) -> Vec<LiveState> {
    Directory::of(home).states()
}

/// What is remembered of one session while it may still run.
pub fn state_of(home: &Home, agent: Flavor, session: &str) -> Option<LiveState> {
    Directory::of(home).read(agent, session)
}

/// Removes all that is remembered of a session, words of its agent included.
pub(crate) fn forget(home: &Home, session: &SessionUid) -> io::Result<()> {
    if let Some(agent) = session.flavor() {
        Directory::of(home).remove(agent, session.native())?;
    }
    for (path, entry) in spool::peek(home) {
        if SessionUid::new(entry.agent, &entry.session_id) == *session {
            fs_err::remove_file(path)?;
        }
    }
    Ok(())
}

/// The session a state is about.
pub fn uid(state: &LiveState) -> SessionUid {
    SessionUid::new(state.agent, &state.session)
}

/// Tells the next sweep that a log has grown, and what it must come to hold.
fn leave_message(
    home: &Home,
    event: &LiveEvent,
    now: Timestamp,
    prompted_at: impl FnOnce() -> Option<Timestamp>,
) -> io::Result<()> {
    if !matches!(event.happening, Happening::Stopped | Happening::Compacting | Happening::Ended) {
        return Ok(());
    }
    let said = event.last_message.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let last_words = said.filter(|_| event.happening == Happening::Stopped).map(|text| LastWords {
        key: last_words::key(text),
        text: last_words::cut(&Redactor::shared().redact(text)).to_owned(),
        prompted_at: prompted_at(),
    });
    spool::enqueue(
        home,
        &SpoolEntry {
            agent: event.agent,
            event: event.event.clone(),
            session_id: event.session.clone(),
            transcript_path: event.transcript_path.clone(),
            cwd: event.cwd.clone(),
            at: now,
            last_words,
        },
    )
}

#[cfg(test)]
mod tests;
