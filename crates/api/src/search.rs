//! What was found: `search --json`. The first line tells how the search was done, every further line
//! is a session with its moments, or with `--files` a file, or with `--commands` a command.

use crate::{Event, Session, time};
use backstory_model::{SessionEvent, SessionUid, Timestamp, address};
use serde::Serialize;

/// How the search was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchHead {
    /// What was asked.
    pub query: String,
    /// What of it could not be understood, and how it was taken instead.
    pub hints: Vec<String>,
    /// Which ways took part.
    pub paths: SearchPaths,
    /// There are more sessions than the limit let through.
    pub more: bool,
}

/// Which ways took part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchPaths {
    /// Words.
    pub lexical: bool,
    /// Meaning.
    pub semantic: bool,
    /// Why one did not, or what is not covered yet.
    pub notes: Vec<String>,
}

/// A session that holds an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundSession {
    /// The session.
    pub session: Session,
    /// How well it matches; comparable within one answer only.
    pub score: f32,
    /// Its raw events have left: its digest answered.
    pub is_evicted: bool,
    /// Its best moments.
    pub moments: Vec<FoundMoment>,
}

/// A moment that answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundMoment {
    /// The event, or the session where its title or digest answered.
    pub address: String,
    /// How well it matches.
    pub score: f32,
    /// The part of its content that matches.
    pub snippet: FoundSnippet,
    /// The event; `null` where the session's title or digest answered.
    pub event: Option<Event>,
    /// What happened right before, with `--context`.
    pub before: Vec<Event>,
    /// What happened right behind, with `--context`.
    pub after: Vec<Event>,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundSnippet {
    /// One line, cut ends marked with `…`.
    pub text: String,
    /// From which character up to which (excluded) it matches; a character is a Unicode scalar value.
    pub marks: Vec<[usize; 2]>,
}

/// A file of matching moments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundFile {
    /// As the agent named it.
    pub path: String,
    /// Matching moments that touched it.
    pub count: usize,
    /// The best of them.
    pub address: String,
}

/// A command that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundCommand {
    /// As it was typed.
    pub command: String,
    /// How it ended, if that is known.
    pub exit_code: Option<i32>,
    /// How often it was found with this ending.
    pub runs: usize,
    /// When it ran, for the best match.
    pub ts: Option<String>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// The session it ran in.
    pub session_uid: String,
    /// The event.
    pub address: String,
}

impl FoundSnippet {
    /// A text with the bytes of it that match.
    pub fn new(text: &str, marks: &[std::ops::Range<usize>]) -> Self {
        let place = |byte: usize| text.get(..byte).map_or(0, |before| before.chars().count());
        let marks = marks.iter().map(|mark| [place(mark.start), place(mark.end)]).collect();
        Self { text: text.to_owned(), marks }
    }
}

impl FoundMoment {
    /// A moment of a session.
    pub fn new(
        uid: &SessionUid,
        event: Option<&SessionEvent>,
        score: f32,
        snippet: FoundSnippet,
    ) -> Self {
        Self {
            address: event
                .map_or_else(|| format!("backstory://{uid}"), |event| address(uid, event.seq)),
            score,
            snippet,
            event: event.map(Event::from),
            before: Vec::new(),
            after: Vec::new(),
        }
    }

    /// With its neighbours.
    #[must_use]
    pub fn between(mut self, before: &[SessionEvent], after: &[SessionEvent]) -> Self {
        self.before = before.iter().map(Event::from).collect();
        self.after = after.iter().map(Event::from).collect();
        self
    }
}

impl FoundCommand {
    /// A command of an event.
    pub fn new(command: String, event: &SessionEvent, exit_code: Option<i32>) -> Self {
        Self {
            command,
            exit_code,
            runs: 1,
            ts: event.ts.map(|at: Timestamp| time(at)),
            duration_ms: event.duration_ms,
            session_uid: event.session_uid.as_str().to_owned(),
            address: address(&event.session_uid, event.seq),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_in_characters() {
        let snippet = FoundSnippet::new("größe 日本", &[0..7, 8..14]);
        assert_eq!(snippet.marks, [[0, 5], [6, 8]]);
        let shape = serde_json::to_value(snippet).unwrap();
        assert_eq!(shape["marks"][1][0], 6);
    }
}
