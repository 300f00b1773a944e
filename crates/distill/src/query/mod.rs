//! The language of `search`: what a person typed, understood as far as it can be.
//!
//! Bare words are ranked by how many of them are met; everything else must hold:
//!
//! | written | means |
//! |---|---|
//! | `busy timeout` | both words are wanted, the more the better |
//! | `"busy timeout"` | exactly these words in a row |
//! | `-sqlite`, `-"busy timeout"` | not with this word, not with these words in a row |
//! | `rusqlite OR sqlx` | either word counts as one |
//! | `time*` | any word that begins like this |
//! | `repo:app`, `kind:error,test` | a filter: its name, a colon and directly behind it its value |
//!
//! The same filter given twice (or with a list) lets either value through; filters of different names
//! must all hold. Filters cannot be negated.
//!
//! Nothing is an error. What cannot be understood is taken as plain words, and a hint says so. Text
//! that people paste is full of colons, dashes and quotes; only the twelve known names make a filter,
//! and only where a value follows directly that is neither a path of Rust (`model::Event`) nor an
//! address (`file:///home`). A dash excludes only a word of two letters or more, so that neither
//! `--release` nor `-p` nor `-1` does.

mod filter;
mod parse;
mod scan;
#[cfg(test)]
mod tests;

pub use filter::{FilterName, KIND_GROUPS};

use backstory_model::{EventKind, Flavor, Outcome, Timestamp};

/// Which end of a period a moment marks: a day begins at `Since` and ends at `Until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// From this moment on.
    Since,
    /// Up to this moment; a day given without a time is included.
    Until,
}

/// Reads a moment as people type it; `None` where it cannot be understood. Only the caller knows what
/// time it is.
pub type ReadMoment<'a> = &'a dyn Fn(&str, End) -> Option<Timestamp>;

/// A parsed query. Words are ranked by how many are met; phrases and filters must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Wanted words, in order, as typed.
    pub words: Vec<Word>,
    /// Words in a row that must occur.
    pub phrases: Vec<String>,
    /// What must not occur.
    pub without: Vec<Without>,
    /// Where to look.
    pub filters: Filters,
    /// What could not be understood, and how it was taken instead.
    pub hints: Vec<String>,
}

/// One wanted word; with alternatives any of them counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// As typed, without the star of a prefix.
    pub text: String,
    /// Any word that begins like this.
    pub is_prefix: bool,
    /// What `OR` joined to it: text, and whether it is a prefix.
    pub alternatives: Vec<(String, bool)>,
}

/// Something that must not occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Without {
    /// A word.
    Word(String),
    /// Words in a row.
    Phrase(String),
}

/// Where to look. Within a list any entry holds, the lists must all hold; an empty list holds always.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// `agent:`
    pub agents: Vec<Flavor>,
    /// `repo:`
    pub repos: Vec<String>,
    /// `branch:`
    pub branches: Vec<String>,
    /// `since:`
    pub since: Option<Timestamp>,
    /// `until:`
    pub until: Option<Timestamp>,
    /// `kind:`, groups spelled out.
    pub kinds: Vec<EventKind>,
    /// `tool:`
    pub tools: Vec<String>,
    /// `file:`
    pub files: Vec<String>,
    /// `outcome:`
    pub outcomes: Vec<Outcome>,
    /// `session:`, a whole id or the beginning of one.
    pub sessions: Vec<String>,
    /// `model:`
    pub models: Vec<String>,
    /// `exit:`
    pub exits: Vec<ExitFilter>,
}

/// Which exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitFilter {
    /// This one.
    Is(i32),
    /// Any other than this one.
    Not(i32),
}

impl Query {
    /// Understands a text; never fails.
    pub fn parse(text: &str, read_moment: ReadMoment<'_>) -> Self {
        parse::parse(text, read_moment)
    }

    /// Adds one filter, as if it stood in the text; tells what was wrong with its value.
    pub fn narrow(
        &mut self,
        name: FilterName,
        value: &str,
        read_moment: ReadMoment<'_>,
    ) -> Result<(), String> {
        name.add(value, &mut self.filters, read_moment)
    }

    /// True when there is nothing to look for and nothing to look at.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty() && self.filters == Filters::default()
    }
}
