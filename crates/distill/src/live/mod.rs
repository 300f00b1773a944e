//! When a stretch of a running session is closed: events and a clock in, decisions out.
//!
//! Agents tell little about their end. A new session in an agent may stand in the place of one that
//! just ended (`/clear`, `/new`, a restart), or beside one that still runs; a killed agent tells
//! nothing at all. So a session is sealed when its agent says so, when its context is about to be
//! compacted, when exactly one other session was active a moment before a new one began and is in no turn, and otherwise
//! when nothing was heard of it for long. A seal is never the end of a session: whoever goes on gets
//! another one later.

mod knobs;

pub use knobs::{KNOBS, Knobs};

use backstory_model::{Flavor, SealReason, Timestamp};

/// What a hook tells of its own session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Happening {
    /// A conversation began from nothing: a fresh start, `/new`, `/clear`.
    Began,
    /// A conversation goes on, or a copy of it: resumed, forked, compacted.
    Resumed,
    /// The human said something.
    Prompted,
    /// A turn came to its end; the session did not.
    Stopped,
    /// The human broke a turn off.
    Interrupted,
    /// The context is about to be compacted.
    Compacting,
    /// The session is over.
    Ended,
    /// Any other sign of life.
    Seen,
}

impl Happening {
    /// Every one.
    pub const ALL: [Self; 8] = [
        Self::Began,
        Self::Resumed,
        Self::Prompted,
        Self::Stopped,
        Self::Interrupted,
        Self::Compacting,
        Self::Ended,
        Self::Seen,
    ];
}

/// That a session is to be sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Why.
    pub reason: SealReason,
    /// Since when.
    pub at: Timestamp,
}

/// What is remembered of a session whose agent may still run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveState {
    /// Its agent.
    pub agent: Flavor,
    /// The agent's own id of it.
    pub session: String,
    /// First heard of.
    pub created_at: Timestamp,
    /// Last heard of.
    pub touched_at: Timestamp,
    /// When the human last said something.
    pub prompted_at: Option<Timestamp>,
    /// Prompts heard of.
    pub prompts: u32,
    /// Turns that came to their end, since its log was last rewritten.
    pub turns: u32,
    /// Bytes of its log at the end of the last turn.
    pub position: u64,
    /// True for a session another one started: it runs beside that one, and ends without it.
    pub is_subagent: bool,
    /// True while its agent works on a prompt, as far as is known.
    pub in_turn: bool,
    /// True if something was said since the last seal.
    pub open: bool,
    /// That it is to be sealed.
    pub mark: Option<Mark>,
}

impl LiveState {
    /// A session heard of for the first time.
    pub fn new(agent: Flavor, session: &str, now: Timestamp) -> Self {
        Self {
            agent,
            session: session.to_owned(),
            created_at: now,
            touched_at: now,
            prompted_at: None,
            prompts: 0,
            turns: 0,
            position: 0,
            is_subagent: false,
            in_turn: false,
            open: false,
            mark: None,
        }
    }

    /// True once anything was said in it: a session that only began must not make others look as if
    /// several ran side by side.
    fn spoke(&self) -> bool {
        self.prompts > 0 || self.turns > 0 || self.open
    }

    /// Milliseconds since it was heard of. A clock that was put back makes no session immortal.
    fn silence(&self, now: Timestamp) -> u64 {
        now.0.abs_diff(self.touched_at.0)
    }

    fn is_recent(&self, now: Timestamp, knobs: &Knobs) -> bool {
        self.silence(now) <= knobs.active_window_ms
    }

    fn is_idle(&self, now: Timestamp, knobs: &Knobs) -> bool {
        self.silence(now) > knobs.idle_ttl_ms
    }
}

/// What follows from an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is remembered of the session from now on.
    pub own: LiveState,
    /// Others that are marked now: their places in the list that was given, and why.
    pub marked: Vec<(usize, SealReason)>,
}

/// What an event of a session comes to. `own` is what is remembered of it, `others` of all the others;
/// only for [`Happening::Began`] are these looked at. `log_bytes` is the length of the session's log.
pub fn decide(
    own: LiveState,
    others: &[LiveState],
    (happening, log_bytes): (Happening, Option<u64>),
    now: Timestamp,
    knobs: &Knobs,
) -> Decision {
    let marked =
        if happening == Happening::Began { left_behind(&own, others, now, knobs) } else { vec![] };
    Decision { own: heard(own, happening, log_bytes, now), marked }
}

/// The session's own part.
fn heard(
    mut own: LiveState,
    happening: Happening,
    log_bytes: Option<u64>,
    now: Timestamp,
) -> LiveState {
    own.touched_at = now;
    if lives_on(&own, happening) {
        own.mark = None;
    }
    if let Some(bytes) = log_bytes {
        if bytes < own.position {
            // Compaction wrote the log anew: what was counted is not in it any more.
            own.turns = 0;
        }
        own.position = bytes;
    }
    let mark = |reason| Some(Mark { reason, at: now });
    match happening {
        Happening::Prompted => {
            own.prompts = own.prompts.saturating_add(1);
            own.prompted_at = Some(now);
            own.in_turn = true;
            own.open = true;
        }
        Happening::Stopped => {
            own.turns = own.turns.saturating_add(1);
            own.in_turn = false;
            own.open = true;
        }
        Happening::Began | Happening::Interrupted => own.in_turn = false,
        // Whoever ends will not be compacted any more.
        Happening::Compacting if own.mark.is_none() => own.mark = mark(SealReason::Compaction),
        Happening::Ended => {
            own.in_turn = false;
            own.mark = mark(SealReason::Ended);
        }
        // A compaction in the middle of a turn is followed by a resumption in it.
        Happening::Compacting | Happening::Resumed | Happening::Seen => {}
    }
    own
}

/// True if an event shows that a session was marked too soon.
fn lives_on(own: &LiveState, happening: Happening) -> bool {
    let Some(mark) = own.mark else { return false };
    match mark.reason {
        // Owed, whatever comes after.
        SealReason::Compaction | SealReason::Asked => false,
        // Hooks run side by side: the last turn's may be heard of after the end.
        SealReason::Ended => {
            matches!(happening, Happening::Began | Happening::Resumed | Happening::Prompted)
        }
        SealReason::Orphaned | SealReason::Idle => true,
    }
}

/// Whom a session that begins leaves behind: the one other of its agent that was active a moment ago,
/// and all that were silent for long. Where two or more were active nobody can tell who ended. Whoever works on
/// a prompt did not end; if it was killed, it falls silent.
fn left_behind(
    own: &LiveState,
    others: &[LiveState],
    now: Timestamp,
    knobs: &Knobs,
) -> Vec<(usize, SealReason)> {
    let recent = others.iter().enumerate().filter(|(_, other)| {
        other.agent == own.agent
            && other.session != own.session
            && !own.is_subagent
            && !other.is_subagent
            && other.spoke()
            && other.is_recent(now, knobs)
    });
    let recent: Vec<usize> = recent.map(|(place, _)| place).collect();
    let orphan = match recent[..] {
        [only] if may_have_ended(&others[only]) => Some(only),
        _ => None,
    };
    let mut marked: Vec<_> =
        orphan.into_iter().map(|place| (place, SealReason::Orphaned)).collect();
    for (place, other) in others.iter().enumerate() {
        if Some(place) != orphan && other.mark.is_none() && other.is_idle(now, knobs) {
            marked.push((place, SealReason::Idle));
        }
    }
    marked
}

/// True if a session has something to seal and may be at its end.
fn may_have_ended(state: &LiveState) -> bool {
    state.open && state.mark.is_none() && !state.in_turn
}

/// Why a session is to be sealed now, if it is.
pub fn due(state: &LiveState, now: Timestamp, knobs: &Knobs) -> Option<SealReason> {
    match state.mark {
        Some(mark) => Some(mark.reason),
        None => state.is_idle(now, knobs).then_some(SealReason::Idle),
    }
}

/// What is remembered of a session after it was sealed, or found to have nothing new: `before` is what
/// was known when sealing began, `meanwhile` what is known now. Nothing, if it is not live any more.
pub fn settled(before: &LiveState, meanwhile: &LiveState, reason: SealReason) -> Option<LiveState> {
    let mut after = meanwhile.clone();
    if after.mark == before.mark {
        after.mark = None;
    }
    if meanwhile != before {
        // It goes on; whether what was said since is in the seal, nobody knows.
        let said = |state: &LiveState| (state.prompts, state.turns, state.position);
        after.open &= said(meanwhile) != said(before);
        return Some(after);
    }
    match reason {
        SealReason::Compaction | SealReason::Asked => Some(LiveState { open: false, ..after }),
        SealReason::Ended | SealReason::Orphaned | SealReason::Idle => None,
    }
}

#[cfg(test)]
mod interleavings;
#[cfg(test)]
mod tests;
