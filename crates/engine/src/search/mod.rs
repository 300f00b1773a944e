//! Finds moments of sessions.

use backstory_distill::query::Query;
use backstory_distill::snippet::Snippet;
use backstory_model::{Session, SessionEvent};

/// What to look for, and how.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// What was asked.
    pub query: Query,
    /// At most so many sessions.
    pub limit: usize,
    /// At most so many moments of each.
    pub moments: usize,
    /// Neighbours told on either side of a moment.
    pub context: usize,
    /// What comes first.
    pub sort: Sort,
    /// Which ways take part.
    pub mode: Mode,
    /// What is looked at.
    pub scope: Scope,
    /// The `project_key` of where the user stands: its sessions are preferred, within bounds.
    pub project: Option<String>,
}

/// What comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The best match.
    #[default]
    Score,
    /// The latest.
    Time,
}

/// Which ways take part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Words and meaning together.
    #[default]
    Fused,
    /// Words only.
    Lexical,
    /// Meaning only.
    Semantic,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    #[default]
    Everything,
    /// Only calls that ran a command, with their exit codes.
    Commands,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchAnswer {
    /// Sessions with their moments, in the order asked for.
    pub sessions: Vec<FoundSession>,
    /// Which ways took part.
    pub paths: Paths,
    /// There are more sessions than the limit.
    pub more: bool,
}

/// Which ways took part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// Words.
    pub lexical: bool,
    /// Meaning.
    pub semantic: bool,
    /// Why one did not, or what is not covered yet, and what to do about it.
    pub notes: Vec<String>,
}

/// A session that holds an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSession {
    /// The session.
    pub session: Session,
    /// How well it matches; comparable within one answer only.
    pub score: f32,
    /// Its best moments.
    pub moments: Vec<FoundMoment>,
    /// Its raw events have left.
    pub is_evicted: bool,
}

/// A moment that answers.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundMoment {
    /// The event; `None` where the session's digest or title answered.
    pub event: Option<SessionEvent>,
    /// How well it matches.
    pub score: f32,
    /// The part of its content that matches.
    pub snippet: Snippet,
    /// What happened right before.
    pub before: Vec<SessionEvent>,
    /// What happened right behind.
    pub after: Vec<SessionEvent>,
}
