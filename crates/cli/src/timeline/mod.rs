//! A session as a story: its events in order, told for the terminal, as Markdown or as JSON.
//!
//! Events stream from the archive and payloads are read one at a time, so that the longest session
//! takes no more memory than its longest event. Grok writes two logs side by side; there the rows
//! (never the payloads) are sorted by time first.

pub(crate) mod call;
pub(crate) mod decided;
mod diff;
pub(crate) mod header;
mod json;
mod markdown;
pub(crate) mod prose;
mod terminal;

pub(crate) use header::{Background, background};
pub(crate) use json::JsonTeller;
pub(crate) use markdown::MarkdownTeller;
pub(crate) use terminal::TerminalTeller;

use crate::error::Failure;
use backstory_model::{EventKind, Flavor, Session, SessionEvent};
use backstory_store::Vault;
use std::io::Write;
use std::ops::ControlFlow;

/// Events told around an addressed one, on either side.
const NEIGHBOURS: u32 = 3;

/// What to tell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scope {
    /// Everything, uncut, bookkeeping included.
    pub(crate) full: bool,
    /// Only this event, in full, and its neighbours.
    pub(crate) around: Option<u32>,
}

impl Scope {
    fn includes(self, event: &SessionEvent) -> bool {
        match self.around {
            Some(seq) => event.seq.abs_diff(seq) <= NEIGHBOURS,
            None => self.full || !is_bookkeeping(event.kind),
        }
    }

    fn is_full(self, event: &SessionEvent) -> bool {
        self.full || self.around == Some(event.seq)
    }
}

fn is_bookkeeping(kind: EventKind) -> bool {
    matches!(kind, EventKind::Lifecycle | EventKind::Completion)
}

/// One way of telling a session.
pub(crate) trait Teller {
    /// Before the first event.
    fn begin(&mut self, session: &Session, out: &mut dyn Write) -> Result<(), Failure>;

    /// One event; `content` reads its payload, `is_full` says not to cut it.
    fn event(&mut self, event: &SessionEvent, told: &Told<'_>) -> Result<(), Failure>;
}

/// What a teller is given with each event.
pub(crate) struct Told<'a> {
    vault: &'a Vault,
    is_full: bool,
    /// The event that was asked for by its address.
    is_addressed: bool,
    out: std::cell::RefCell<&'a mut dyn Write>,
}

impl Told<'_> {
    /// The event's full content; where it cannot be read, a note that says so.
    fn content(&self, event: &SessionEvent) -> String {
        match self.vault.payload(event) {
            Ok(text) => text,
            Err(error) => format!("{} [{error}]", event.summary),
        }
    }

    /// Writes one piece of output.
    fn write(&self, text: impl std::fmt::Display) -> Result<(), Failure> {
        write!(self.out.borrow_mut(), "{text}").map_err(Failure::output)
    }
}

/// Tells a session from beginning to end. Returns how many events were told.
pub(crate) fn tell(
    vault: &Vault,
    session: &Session,
    scope: Scope,
    teller: &mut dyn Teller,
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    teller.begin(session, out)?;
    let mut told = 0;
    in_order(vault, session, &mut |event| {
        if !scope.includes(event) {
            return Ok(());
        }
        told += 1;
        let with = Told {
            vault,
            is_full: scope.is_full(event),
            is_addressed: scope.around == Some(event.seq),
            out: std::cell::RefCell::new(&mut *out),
        };
        teller.event(event, &with)
    })?;
    Ok(told)
}

/// Hands out events in the order they happened.
fn in_order(
    vault: &Vault,
    session: &Session,
    each: &mut dyn FnMut(&SessionEvent) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let uid = &session.session_uid;
    if session.flavor == Flavor::Grok {
        let mut events = vault.events(uid)?;
        sort_by_time(&mut events);
        return events.iter().try_for_each(each);
    }
    let mut failed = None;
    vault.for_each_event(uid, |event| match each(&event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(failure) => {
            failed = Some(failure);
            ControlFlow::Break(())
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// Stable by time; an event without one stays behind the event before it.
fn sort_by_time(events: &mut [SessionEvent]) {
    let mut last = None;
    let mut times = std::collections::HashMap::with_capacity(events.len());
    for event in events.iter() {
        last = event.ts.or(last);
        times.insert(event.seq, last);
    }
    events.sort_by_key(|event| times.get(&event.seq).copied().flatten());
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::{Role, SessionUid, Timestamp};

    pub(super) fn event(seq: u32, ts: Option<i64>) -> SessionEvent {
        SessionEvent {
            session_uid: SessionUid::new(Flavor::Grok, "g"),
            seq,
            parent_seq: None,
            native_id: None,
            ts: ts.map(Timestamp),
            kind: EventKind::AssistantMsg,
            role: Role::Assistant,
            tool: None,
            call_id: None,
            summary: String::new(),
            payload_ref: None,
            tokens: 0,
            is_sidechain: false,
            exit_code: None,
            duration_ms: None,
            files: Vec::new(),
        }
    }

    #[test]
    fn two_logs_are_merged_by_time_and_timeless_events_stay_put() {
        let mut events = vec![
            event(0, Some(10)),
            event(1, Some(30)),
            event(2, None),
            event(3, Some(40)),
            event(4, Some(5)),
            event(5, Some(30)),
        ];
        sort_by_time(&mut events);
        let order: Vec<u32> = events.iter().map(|event| event.seq).collect();
        assert_eq!(order, [4, 0, 1, 2, 5, 3]);
    }

    #[test]
    fn an_address_shows_its_neighbourhood() {
        let scope = Scope { full: false, around: Some(10) };
        assert!(scope.includes(&event(7, None)) && scope.includes(&event(13, None)));
        assert!(!scope.includes(&event(6, None)) && !scope.includes(&event(14, None)));
        assert!(scope.is_full(&event(10, None)) && !scope.is_full(&event(9, None)));
    }
}
