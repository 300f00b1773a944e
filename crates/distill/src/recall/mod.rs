//! What an agent is told of earlier sessions: what of a prompt is worth looking for, which of the things
//! found are relevant, and the block of text they are handed over in.

mod choose;
pub mod compress;
mod cue;
mod knobs;
mod render;
mod tokens;

pub use choose::{Budget, Candidate, choose};
pub use cue::{Cue, Fit, UnitsMet};
pub use knobs::{KNOBS, Knobs};
pub use render::{Source, line_bytes, neutral, render, render_lines, render_overview};
pub use tokens::{chars_within, tokens};

/// A block is never longer: agents put longer ones into a file and show the model its beginning.
pub const MAX_BYTES: usize = 10_000;
/// An item says no more than this, in characters.
pub const ITEM_CHARS: usize = 260;
/// Items in a block, unless asked otherwise.
pub const DEFAULT_ITEMS: usize = 6;
/// A block for a session that begins is never longer: nobody has asked for any of it yet.
pub const START_BYTES: usize = 3_000;
/// An overview says no more than this, in characters, unless asked otherwise.
pub const OVERVIEW_CHARS: usize = 6_000;

/// What kind of thing is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Something written down on purpose.
    Memory,
    /// An error and what made it go away.
    Fix,
    /// The user corrected the agent, or told it how things are done.
    Correction,
    /// A question that was put to the user, and what was decided.
    Decision,
    /// What came of a session.
    Digest,
    /// What the user said.
    Prompt,
    /// What the agent answered.
    Answer,
    /// What a tool was asked to do.
    Command,
    /// What a tool said.
    Output,
    /// The state a session was left in.
    Overview,
}

impl Category {
    /// Every category.
    pub const ALL: [Self; 10] = [
        Self::Memory,
        Self::Fix,
        Self::Correction,
        Self::Decision,
        Self::Digest,
        Self::Prompt,
        Self::Answer,
        Self::Command,
        Self::Output,
        Self::Overview,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Fix => "fix",
            Self::Correction => "correction",
            Self::Decision => "decision",
            Self::Digest => "digest",
            Self::Prompt => "prompt",
            Self::Answer => "answer",
            Self::Command => "command",
            Self::Output => "output",
            Self::Overview => "overview",
        }
    }

    /// The category with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}

/// One thing an agent is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What kind of thing.
    pub category: Category,
    /// Where more of it is: `backstory://…`.
    pub address: String,
    /// On one line of at most [`ITEM_CHARS`] characters.
    pub text: String,
    /// How relevant it is: from 1 on.
    pub score: f32,
    /// Why it was chosen, in words.
    pub why: String,
    /// Tokens of its line, estimated.
    pub tokens: u32,
}
