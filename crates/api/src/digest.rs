//! What is kept of one session: `digest --json`, and the second line of `show --json` for a session
//! whose raw events have left.

use crate::{Decision, Session, Signal};
use backstory_model::{OpenEndKind, SessionUid, address};
use serde::Serialize;

/// A session with all that is distilled of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DigestedSession {
    /// The session, with its lineage and cost.
    pub session: Session,
    /// Its digest.
    pub digest: Digest,
    /// What was noticed in it.
    pub signals: Vec<Signal>,
    /// What the human was asked in it, in order.
    pub decisions: Vec<Decision>,
}

/// The durable account of one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Digest {
    /// Version of the rules it was made with.
    pub digest_version: u32,
    /// The first real prompt.
    pub goal: Option<Snippet>,
    /// `success`, `fail`, `abandoned` or `unknown`.
    pub outcome: &'static str,
    /// How sure that is, from 0 to 100.
    pub confidence: u8,
    /// What speaks for it, strongest first.
    pub evidence: Vec<Evidence>,
    /// Prompts of the human.
    pub prompts: u32,
    /// Files changed, the most changed first.
    pub files: Vec<ChangedFile>,
    /// Changed files not listed.
    pub more_files: u32,
    /// Commands that ran, the most telling first.
    pub commands: Vec<CommandUse>,
    /// Commands not listed.
    pub more_commands: u32,
    /// Tests that ran, the last first.
    pub tests: Vec<TestUse>,
    /// Commits made, in order.
    pub commits: Vec<Commit>,
    /// Calls per tool, the most used first.
    pub tools: Vec<ToolUse>,
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

/// Verbatim words, cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// Where they stand.
    pub address: String,
    /// `goal`, `correction`, `decision`, `error`, `answer` or `intervention`.
    pub why: String,
    /// The words.
    pub text: String,
}

/// Something an account stands on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Where it shows.
    pub address: String,
    /// What it says.
    pub what: String,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// Below the working directory where possible.
    pub path: String,
    /// How often it was edited.
    pub edits: u32,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
}

/// A command that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandUse {
    /// Its last run.
    pub address: String,
    /// The command line, cut.
    pub command: String,
    /// How often.
    pub runs: u32,
    /// How often it failed.
    pub failures: u32,
}

/// A test command and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestUse {
    /// Its last run.
    pub address: String,
    /// The command line, cut.
    pub command: String,
    /// How often.
    pub runs: u32,
    /// How often it failed.
    pub failures: u32,
    /// How the last run went; `null` if nobody can tell.
    pub passed: Option<bool>,
    /// The last run's own words.
    pub result: Option<String>,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// The call that made it.
    pub address: String,
    /// Abbreviated id, where the output shows it.
    pub id: Option<String>,
    /// First line of its message.
    pub subject: String,
}

/// How often a tool was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolUse {
    /// The tool.
    pub tool: String,
    /// Calls.
    pub calls: u32,
}

/// Something left undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenEnd {
    /// Where it shows.
    pub address: String,
    /// `failing_test`, `unanswered_question`, `uncommitted_edits` or `broken_off`.
    pub kind: OpenEndKind,
    /// What exactly.
    pub what: String,
}

impl Digest {
    /// The digest of a session.
    pub fn new(uid: &SessionUid, digest: &backstory_model::Digest) -> Self {
        let at = |seq: u32| address(uid, seq);
        let snippet = |snippet: &backstory_model::Snippet| Snippet {
            address: at(snippet.seq),
            why: snippet.why.clone(),
            text: snippet.text.clone(),
        };
        Self {
            digest_version: digest.version,
            goal: digest.goal.as_ref().map(snippet),
            outcome: digest.judgement.outcome.name(),
            confidence: digest.judgement.confidence,
            evidence: list(&digest.judgement.evidence, |(seq, what)| Evidence {
                address: at(*seq),
                what: what.clone(),
            }),
            prompts: digest.prompts,
            files: list(&digest.files, |file| ChangedFile {
                path: file.path.clone(),
                edits: file.edits,
                added: file.added,
                removed: file.removed,
            }),
            more_files: digest.more_files,
            commands: list(&digest.commands, |used| CommandUse {
                address: at(used.seq),
                command: used.command.clone(),
                runs: used.runs,
                failures: used.failures,
            }),
            more_commands: digest.more_commands,
            tests: list(&digest.tests, |test| TestUse {
                address: at(test.seq),
                command: test.command.clone(),
                runs: test.runs,
                failures: test.failures,
                passed: test.passed,
                result: test.result.clone(),
            }),
            commits: list(&digest.commits, |commit| Commit {
                address: at(commit.seq),
                id: commit.id.clone(),
                subject: commit.subject.clone(),
            }),
            tools: list(&digest.tools, |(tool, calls)| ToolUse {
                tool: tool.clone(),
                calls: *calls,
            }),
            errors: digest.errors,
            retries: digest.retries,
            interventions: digest.interventions,
            corrections: digest.corrections,
            decisions: digest.decisions,
            compactions: digest.compactions,
            snippets: list(&digest.snippets, snippet),
            open_ends: list(&digest.open_ends, |end| OpenEnd {
                address: at(end.seq),
                kind: end.kind,
                what: end.what.clone(),
            }),
        }
    }
}

fn list<T, U>(entries: &[T], shape: impl Fn(&T) -> U) -> Vec<U> {
    entries.iter().map(shape).collect()
}
