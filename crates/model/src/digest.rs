//! What is kept of a session when its raw events are gone.
//!
//! A digest holds only what the events tell; title, lineage, cost and times stay in the session's
//! own row. It is bounded, so every list says how much it leaves out.

use crate::Outcome;
use serde::{Deserialize, Serialize};

/// Verbatim words from a session, bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    /// The event they stand in.
    pub seq: u32,
    /// Why they are kept: `goal`, `correction`, `decision`, `error`, `answer`, `intervention`.
    pub why: String,
    /// The words.
    pub text: String,
}

/// A file the session changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Below the working directory where possible.
    pub path: String,
    /// How often it was edited.
    pub edits: u32,
    /// Lines added, as far as the tool calls tell.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// Its last edit.
    pub seq: u32,
}

/// A command the session ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandUse {
    /// The command line, cut.
    pub command: String,
    /// How often.
    pub runs: u32,
    /// How often it failed.
    pub failures: u32,
    /// Its last run.
    pub seq: u32,
}

/// A test command and how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestUse {
    /// The command line, cut.
    pub command: String,
    /// How often.
    pub runs: u32,
    /// How often it failed.
    pub failures: u32,
    /// How the last run went; nothing if nobody can tell.
    pub passed: Option<bool>,
    /// The last run's own words, e.g. `12 passed, 1 failed`.
    pub result: Option<String>,
    /// The last run.
    pub seq: u32,
}

/// A commit the session made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Abbreviated id, where the output shows it.
    pub id: Option<String>,
    /// First line of its message.
    pub subject: String,
    /// The call that made it.
    pub seq: u32,
}

/// Something the session left undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenEndKind {
    /// The last run of a test failed.
    FailingTest,
    /// The agent's last words ask something.
    UnansweredQuestion,
    /// Files were edited after the last commit.
    UncommittedEdits,
    /// The last turn was interrupted or failed.
    BrokenOff,
}

/// An open end with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenEnd {
    /// What kind.
    pub kind: OpenEndKind,
    /// What exactly.
    pub what: String,
    /// Where it shows.
    pub seq: u32,
}

/// How a session ended, and why we think so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub outcome: Outcome,
    /// 0 to 100.
    pub confidence: u8,
    /// What speaks for it, strongest first, each with the event it stands on.
    pub evidence: Vec<(u32, String)>,
}

/// The durable account of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Digest {
    /// Version of the rules it was made with.
    pub version: u32,
    /// The first real prompt.
    pub goal: Option<Snippet>,
    /// Prompts of the human.
    pub prompts: u32,
    /// Files changed, the most changed first.
    pub files: Vec<ChangedFile>,
    /// Changed files not listed; one that left the list and came back counts twice.
    pub more_files: u32,
    /// Commands that ran, the most telling first.
    pub commands: Vec<CommandUse>,
    /// Runs of commands not listed.
    pub more_commands: u32,
    /// Tests that ran, the last first.
    pub tests: Vec<TestUse>,
    /// Commits made, in order.
    pub commits: Vec<Commit>,
    /// Calls per tool, the most used first.
    pub tools: Vec<(String, u32)>,
    /// How it ended.
    pub judgement: Judgement,
    /// Failed tool calls, turns and requests.
    pub errors: u32,
    /// Calls repeated after a failure.
    pub retries: u32,
    /// Interrupts, denials and words put in while the agent worked.
    pub interventions: u32,
    /// Times the human corrected the agent.
    pub corrections: u32,
    /// Questions put to the human.
    pub decisions: u32,
    /// Times the context was compacted.
    pub compactions: u32,
    /// Moments worth their words.
    pub snippets: Vec<Snippet>,
    /// What was left undone.
    pub open_ends: Vec<OpenEnd>,
}
