//! Where a document's text is.

use std::ops::Range;

/// An event of a session, or the session as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub u64);

/// No event has this number.
const WHOLE_SESSION: u32 = u32::MAX;

impl Place {
    /// The place of an event.
    pub fn event(session: i64, seq: u32) -> Self {
        Self((session as u64) << 32 | u64::from(seq))
    }

    /// The place of a session's title and digest.
    pub fn session_card(session: i64) -> Self {
        Self::event(session, WHOLE_SESSION)
    }

    /// Every place of a session.
    pub fn all_of(session: i64) -> Range<u64> {
        Self::event(session, 0).0..Self::event(session + 1, 0).0
    }

    /// The session's row id.
    pub fn session(self) -> i64 {
        (self.0 >> 32) as i64
    }

    /// The event; none for the session as a whole.
    pub fn seq(self) -> Option<u32> {
        Some(self.0 as u32).filter(|seq| *seq != WHOLE_SESSION)
    }
}
