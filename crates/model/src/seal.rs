//! Closing a stretch of a session: what it came to by then, kept beside the digest.

use crate::Timestamp;

/// Why a stretch was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SealReason {
    /// The agent was about to compact its context; the session goes on.
    Compaction,
    /// The agent said that the session is over.
    Ended,
    /// Another session began in its place.
    Orphaned,
    /// Nothing was heard of it for long.
    Idle,
    /// Somebody asked for it.
    Asked,
}

impl SealReason {
    /// Every reason.
    pub const ALL: [Self; 5] =
        [Self::Compaction, Self::Ended, Self::Orphaned, Self::Idle, Self::Asked];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compaction => "compaction",
            Self::Ended => "ended",
            Self::Orphaned => "orphaned",
            Self::Idle => "idle",
            Self::Asked => "asked",
        }
    }

    /// The reason with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

/// A closed stretch. A session that goes on gets another one later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    /// 1, 2, 3… within the session.
    pub number: u32,
    /// The last event it covers.
    pub last_seq: u32,
    /// When it was made.
    pub sealed_at: Timestamp,
    /// Why.
    pub reason: SealReason,
    /// What it came to, in a sentence or two.
    pub abstract_text: String,
    /// The same at length: Markdown in seven sections.
    pub overview: String,
}
