//! `cargo xtask audit`: is anything of a conversation lost between a log and its events?
//!
//! Every file is read twice: by its adapter, and as plain JSON by the few lines below, which know
//! nothing of the adapter. Per file the adapter must yield at least as many messages, tool calls and
//! results as stand in the JSON.

use backstory_adapters::{Batch, Form, HEAD_BYTES, NoAncestry, Record};
use backstory_model::{EventKind, Flavor};
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
    /// Record types no adapter knows, with their number.
    pub unknown: BTreeMap<String, u64>,
    /// Lines that are no JSON.
    pub bad: u64,
}

/// Records of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
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
        self.answers += other.answers;
        self.thoughts += other.thoughts;
        self.calls += other.calls;
        self.results += other.results;
    }

    fn covers(self, other: Self) -> bool {
        self.answers >= other.answers
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
            .and_then(|(name, dir)| Some((Flavor::from_name(name)?, PathBuf::from(dir))))
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
        let claim = adapter.claim(below).filter(|claim| claim.is_transcript);
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
        let counted = match flavor {
            Flavor::Claude => count_claude(&lines),
            Flavor::Codex => count_codex(&lines),
            Flavor::Grok => Counts::default(),
        };
        audit.files += 1;
        audit.found.add(found);
        audit.counted.add(counted);
        if !found.covers(counted) {
            let path = entry.path().display();
            audit.lost.push(format!("{path}: {found:?}, the file has {counted:?}"));
        }
    }
    Ok(())
}

/// Events by kind, each identity once.
fn found(batch: &Batch, audit: &mut Audit) -> Counts {
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    for located in batch.records() {
        match &located.record {
            Record::Event(event) if seen.insert((event.session, event.key)) => match event.kind {
                EventKind::AssistantMsg => counts.answers += 1,
                EventKind::Thinking => counts.thoughts += 1,
                kind if kind.is_call() => counts.calls += 1,
                _ if event.role == backstory_model::Role::Tool => counts.results += 1,
                EventKind::Decision => counts.calls += 1,
                _ => {}
            },
            Record::Unknown { type_name, .. } => {
                *audit.unknown.entry(type_name.clone()).or_default() += 1;
            }
            Record::Bad { .. } => audit.bad += 1,
            _ => {}
        }
    }
    counts
}

/// Blocks of Claude's messages, each record id once.
fn count_claude(lines: &[&[u8]]) -> Counts {
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    for record in lines.iter().filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
        let is_message = matches!(record["type"].as_str(), Some("user" | "assistant"));
        let is_own = record["message"]["model"] != "<synthetic>"
            && !record["isApiErrorMessage"].as_bool().unwrap_or_default();
        let Some(id) = record["uuid"].as_str().filter(|_| is_message && is_own) else { continue };
        if !seen.insert(id.to_owned()) {
            continue;
        }
        for block in record["message"]["content"].as_array().into_iter().flatten() {
            match (block["type"].as_str(), record["type"].as_str()) {
                (Some("text"), Some("assistant")) => counts.answers += 1,
                (Some("thinking"), _) => counts.thoughts += 1,
                (Some("tool_use"), _) => counts.calls += 1,
                (Some("tool_result"), _) => counts.results += 1,
                _ => {}
            }
        }
    }
    counts
}

/// Items of Codex rollouts in every dialect, each call id once.
fn count_codex(lines: &[&[u8]]) -> Counts {
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    for record in lines.iter().filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
        let items: Vec<&Value> = match (&record["items"], record["type"].as_str()) {
            (Value::Array(items), _) => items.iter().collect(),
            (_, Some("response_item")) => vec![&record["payload"]],
            _ if record["payload"].is_null() => vec![&record],
            _ => Vec::new(),
        };
        for item in items {
            let kind = item["type"].as_str().unwrap_or_default();
            let call = item["call_id"].as_str().unwrap_or_default();
            if !call.is_empty() && !seen.insert(format!("{kind} {call}")) {
                continue;
            }
            match kind {
                "message" if item["role"] == "assistant" => counts.answers += 1,
                "function_call" | "custom_tool_call" | "local_shell_call" => counts.calls += 1,
                "function_call_output" | "custom_tool_call_output" => counts.results += 1,
                _ => {}
            }
        }
    }
    counts
}
