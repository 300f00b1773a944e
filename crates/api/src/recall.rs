//! What agents are told: `recall --json`, `why --json` and `mute --json`.

use crate::time;
use backstory_model::Timestamp;
use serde::Serialize;

/// What would be told at a prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recall {
    /// The prompt.
    pub prompt: String,
    /// The key of the project that was looked in; `null` for all.
    pub project: Option<String>,
    /// How many things were looked at.
    pub considered: usize,
    /// What is told, in order.
    pub items: Vec<RecalledItem>,
    /// The block as an agent is handed it; empty when nothing is relevant.
    pub text: String,
    /// Bytes of the block.
    pub bytes: usize,
    /// Tokens of the block, estimated.
    pub tokens: u32,
}

/// One thing that is told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecalledItem {
    /// What kind of thing.
    pub category: String,
    /// Where more of it is.
    pub address: String,
    /// What is said.
    pub text: String,
    /// How relevant it is: from 1 on.
    pub score: f32,
    /// Why it was chosen.
    pub why: String,
    /// Tokens, estimated.
    pub tokens: u32,
}

/// What an agent was handed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Injection {
    /// Counted from 1.
    pub number: u64,
    /// When.
    pub at: String,
    /// The agent; empty if it did not say which session it is.
    pub agent: String,
    /// The session that was told; empty likewise.
    pub session_uid: String,
    /// The hook's own name for what happened, or how it was asked for.
    pub event: String,
    /// The same for the same prompt.
    pub prompt_hash: String,
    /// The beginning of the prompt, or of what the tool said, secrets redacted.
    pub prompt: String,
    /// What was told, in order.
    pub items: Vec<RecalledItem>,
    /// Bytes of the block.
    pub bytes: usize,
    /// Tokens of the block, estimated.
    pub tokens: u32,
    /// The words it was told in, if a model found fewer for the items; else `null`.
    pub compressed: Option<Compressed>,
}

/// Fewer words for what was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compressed {
    /// Who found them: the agent and its model.
    pub by: String,
    /// The lines that were told, each with the addresses it is from.
    pub lines: Vec<String>,
}

/// Something agents are not told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Muted {
    /// `address`, `session` or `project`.
    pub kind: &'static str,
    /// What it is.
    pub name: String,
    /// Since when; `null` once it is not muted any more.
    pub muted_at: Option<String>,
}

impl Muted {
    /// Something muted since a moment, or no longer.
    pub fn new(kind: &'static str, name: &str, at: Option<Timestamp>) -> Self {
        Self { kind, name: name.to_owned(), muted_at: at.map(time) }
    }
}
