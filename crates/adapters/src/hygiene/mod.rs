//! Telling people's own words from what tools, hooks and harnesses put around them.
//!
//! Readers ask [`without_memories`] of every text they take for the human's, and know their own
//! agent's wrappers besides. A text that reaches us on another way, pushed by a plugin, may hold the
//! wrappers of any agent: [`own_words`] knows them all, [`pushed`] also what gateways add.
//! What comes back in the answers of tools is set apart for all agents at once, by the [`crate::Batch`].

mod echo;
mod memory;
mod metadata;
mod pushed;
#[cfg(test)]
mod tests;
mod wrappers;

pub use backstory_model::{Remark, remark};
pub use echo::is_memory_tool;
pub(crate) use echo::without_told;
pub use memory::without_memories;
pub use pushed::{PUSHED_MAX_CHARS, PUSHED_TRUNCATED, Pushed, pushed};
pub use wrappers::own_words;

use std::borrow::Cow;

/// A text, and what was put into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own<'t> {
    /// What was said; empty if all of it was put there.
    pub words: Cow<'t, str>,
    /// What was put there, in the order it was found.
    pub injected: Vec<Injected<'t>>,
}

/// A stretch of a text that was put there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected<'t> {
    /// What kind of block it is.
    pub name: &'static str,
    /// The whole of it.
    pub text: Cow<'t, str>,
}

impl Injected<'_> {
    /// The same with a text of its own.
    pub fn into_owned(self) -> Injected<'static> {
        Injected { name: self.name, text: Cow::Owned(self.text.into_owned()) }
    }
}
