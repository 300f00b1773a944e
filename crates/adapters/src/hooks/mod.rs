//! What the agents tell a hook on its standard input, and what they want to hear back.
//!
//! Every agent calls `backstory hook <agent> <event>` with one JSON object. [`read`] makes a
//! [`HookCall`] of it, whatever the agent's spelling; [`answer`] writes the reply in that agent's own
//! schema. Both take what they are given: events, fields and values nobody knows are no error.

mod answer;
mod event;
mod fields;
mod outcome;
mod read;
mod runner;
#[cfg(test)]
mod tests;

pub use answer::{Answer, answer, takes_context};
pub use event::{Beginning, HookEvent};
pub use read::read;

use crate::hygiene::is_memory_tool;
use backstory_model::Flavor;
use std::fmt;
use std::path::PathBuf;

/// One call of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCall {
    /// The agent that runs the hook.
    pub agent: Flavor,
    /// What happened.
    pub event: HookEvent,
    /// The agent's own name of it, to be given back in the answer.
    pub event_name: String,
    /// The agent's id of the session; that of the root where a sub-agent is at work.
    pub session_id: String,
    /// Where the agent writes the session down. The file need not exist yet.
    pub transcript_path: Option<PathBuf>,
    /// Where the agent works.
    pub cwd: Option<PathBuf>,
    /// How the session began, of [`HookEvent::SessionStart`].
    pub beginning: Option<Beginning>,
    /// The human's words, of [`HookEvent::UserPromptSubmit`].
    pub prompt: Option<String>,
    /// The agent's last words, where a turn ends: the transcript may not have them yet.
    pub last_message: Option<String>,
    /// Why a session or a turn ended, in the agent's words.
    pub reason: Option<String>,
    /// Who asked for a compaction: `manual` or `auto`.
    pub trigger: Option<String>,
    /// The sub-agent the event is about, or in which it happened.
    pub subagent: Option<Subagent>,
    /// The tool call the event is about.
    pub tool: Option<ToolUse>,
}

/// A sub-agent as a hook is told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subagent {
    /// Its id.
    pub id: String,
    /// What kind of agent it is; empty if nobody says.
    pub kind: String,
    /// Its own transcript.
    pub transcript_path: Option<PathBuf>,
}

/// A tool call as a hook is told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool.
    pub name: String,
    /// What it was called with, as JSON; empty when longer than [`INPUT_MAX`].
    pub input: String,
    /// What came out, as text: of a long one the beginning and the end, [`OUTPUT_MAX`] bytes each.
    pub output: String,
    /// Whether it failed, as far as the agent or the output says.
    pub failed: bool,
    /// Whether anything says how it went. Codex hands over what a command printed, without its exit
    /// code: there the output alone can tell.
    pub is_told: bool,
    /// The agent's id of the call.
    pub call_id: Option<String>,
}

impl ToolUse {
    /// Whether the output is worth comparing with known errors. What tells of the past is full of them.
    pub fn may_have_failed(&self) -> bool {
        (self.failed || !self.is_told) && !is_memory_tool(&self.name)
    }
}

/// The longest input of a tool that is kept.
pub const INPUT_MAX: usize = 64 * 1024;
/// How much is kept of either end of a tool's output.
pub const OUTPUT_MAX: usize = 64 * 1024;

/// Why nothing is to be done about a call. None of these is an error the agent should hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declined {
    /// The agent is none we know.
    UnknownAgent,
    /// The input is no JSON object.
    NotJson,
    /// The input names no session.
    NoSession,
    /// Another agent runs the hook than the one it was installed for, and has its own: Grok reads
    /// Claude's settings.
    RunBy {
        /// Whose hook it is.
        installed_for: Flavor,
        /// Who runs it.
        runner: Flavor,
    },
    /// An agent of the harness's own, such as the one that writes the summary of a compaction.
    Internal,
    /// A turn that ends because the session has ended, which was told before.
    AfterEnd,
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownAgent => f.write_str("the agent is not known"),
            Self::NotJson => f.write_str("the input is not a JSON object"),
            Self::NoSession => f.write_str("the input names no session"),
            Self::RunBy { installed_for, runner } => {
                write!(f, "a hook of {installed_for} was run by {runner}")
            }
            Self::Internal => f.write_str("an agent of the harness's own"),
            Self::AfterEnd => f.write_str("the session has ended already"),
        }
    }
}
