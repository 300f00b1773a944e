//! `cargo xtask audit`: is anything of a conversation lost between a log and its events?
//!
//! Every file is read twice: by its adapter, and as plain JSON by the modules beside this one, which
//! know nothing of the adapter. Per file the adapter must yield exactly as many prompts of the human,
//! and at least as many answers, thoughts, tool calls and results, as stand in the JSON.

mod claude;
mod codex;
mod grok;
mod words;

use backstory_adapters::{Batch, Claim, Form, HEAD_BYTES, NoAncestry, Record};
use backstory_model::{EventKind, Flavor, Role};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

/// What to audit.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// An agent and a folder with its logs, e.g. `claude=DIR`.
    #[arg(required = true)]
    pub roots: Vec<String>,
}

/// What an audit found.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// Files read.
    pub files: u64,
    /// Records counted in the JSON.
    pub counted: Counts,
    /// Records found as events.
    pub found: Counts,
    /// Files with fewer events than records.
    pub lost: Vec<String>,
    /// Files with more prompts than the human wrote.
    pub made_up: Vec<String>,
    /// Record types no adapter knows, with their number.
    pub unknown: BTreeMap<String, u64>,
    /// Lines no adapter could read.
    pub bad: u64,
    /// Lines the count could not read either.
    pub uncounted: u64,
}

/// Records of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Prompts of the human, or of the agent that sent a sub-agent off.
    pub prompts: u64,
    /// Texts of the assistant.
    pub answers: u64,
    /// Thoughts.
    pub thoughts: u64,
    /// Tool calls.
    pub calls: u64,
    /// Tool results.
    pub results: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.prompts += other.prompts;
        self.answers += other.answers;
        self.thoughts += other.thoughts;
        self.calls += other.calls;
        self.results += other.results;
    }

    fn covers(self, other: Self) -> bool {
        self.prompts >= other.prompts
            && self.answers >= other.answers
            && self.thoughts >= other.thoughts
            && self.calls >= other.calls
            && self.results >= other.results
    }
}

/// Audits every transcript below the roots.
pub fn run(options: &Options) -> io::Result<Audit> {
    let mut audit = Audit::default();
    for root in &options.roots {
        let (flavor, dir) = root
            .split_once('=')
            .and_then(|(name, dir)| Some((Flavor::logged_from_name(name)?, PathBuf::from(dir))))
            .ok_or_else(|| io::Error::other(format!("{root:?} is not AGENT=DIR")))?;
        audit_root(flavor, &dir, &mut audit)?;
    }
    Ok(audit)
}

fn audit_root(flavor: Flavor, dir: &Path, audit: &mut Audit) -> io::Result<()> {
    let Some(adapter) = backstory_adapters::of(flavor) else { return Ok(()) };
    for entry in walkdir::WalkDir::new(dir).sort_by_file_name() {
        let entry = entry?;
        let below = entry.path().strip_prefix(dir).unwrap_or(entry.path());
        let claim = adapter.claim(below).filter(|claim| holds_conversation(claim, below));
        let Some(claim) = claim.filter(|_| entry.file_type().is_file()) else { continue };
        let bytes = fs_err::read(entry.path())?;
        let bytes = match claim.form {
            Form::ZstdLines => zstd::decode_all(bytes.as_slice())?,
            Form::Lines | Form::Document => bytes,
        };
        let mut reader = adapter.reader(entry.path(), &claim);
        let mut batch = Batch::default();
        reader.begin(&bytes[..bytes.len().min(HEAD_BYTES)]);
        let whole = claim.form == Form::Document;
        let lines =
            if whole { vec![bytes.as_slice()] } else { bytes.split(|b| *b == b'\n').collect() };
        for line in lines.iter().filter(|line| !line.trim_ascii().is_empty()) {
            reader.record(line, &mut NoAncestry, &mut batch);
        }
        let found = found(&batch, audit);
        let records = values(&lines, &mut audit.uncounted);
        let counted = match flavor {
            Flavor::Claude => claude::count(&records),
            Flavor::Codex => codex::count(&records),
            Flavor::Grok => grok::count(&records),
            Flavor::Pushed => Counts::default(),
        };
        audit.files += 1;
        audit.found.add(found);
        audit.counted.add(counted);
        let difference = || format!("{}: {found:?}, it has {counted:?}", entry.path().display());
        if !found.covers(counted) {
            audit.lost.push(difference());
        } else if found.prompts > counted.prompts {
            audit.made_up.push(difference());
        }
    }
    Ok(())
}

/// Whether a file tells a conversation. Grok's chat history does so for a session without another
/// log, and without ancestry every session is one.
fn holds_conversation(claim: &Claim, path: &Path) -> bool {
    claim.is_transcript || path.ends_with("chat_history.jsonl")
}

/// The JSON of all lines. A line can hold several records that were written without a break.
fn values(lines: &[&[u8]], uncounted: &mut u64) -> Vec<Value> {
    let mut values = Vec::new();
    for line in lines.iter().filter(|line| !line.trim_ascii().is_empty()) {
        for value in serde_json::Deserializer::from_slice(line).into_iter() {
            match value {
                Ok(value) => values.push(value),
                Err(_) => *uncounted += 1,
            }
        }
    }
    values
}

/// Events by kind, each identity once.
fn found(batch: &Batch, audit: &mut Audit) -> Counts {
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    for located in batch.records() {
        match &located.record {
            Record::Event(event) if seen.insert((event.session, event.key)) => {
                let tool = event.tool.map(|tool| batch.get(tool));
                match (event.kind, event.role) {
                    (EventKind::UserMsg, _) => counts.prompts += 1,
                    (EventKind::HumanIntervention, Role::User) if is_said(tool) => {
                        counts.prompts += 1;
                    }
                    (EventKind::AssistantMsg, _) => counts.answers += 1,
                    (EventKind::Thinking, _) => counts.thoughts += 1,
                    (EventKind::Decision, Role::Assistant) => counts.calls += 1,
                    (EventKind::Decision, _) | (_, Role::Tool) => counts.results += 1,
                    (kind, _) if kind.is_call() => counts.calls += 1,
                    _ => {}
                }
            }
            Record::Unknown { type_name, .. } => {
                *audit.unknown.entry(type_name.clone()).or_default() += 1;
            }
            Record::Bad { .. } => audit.bad += 1,
            _ => {}
        }
    }
    counts
}

/// Whether an intervention is something the human said, not a key that was pressed.
fn is_said(tool: Option<&str>) -> bool {
    matches!(tool, None | Some("queued_command" | "interjection"))
}
