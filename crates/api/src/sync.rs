//! What a sweep did: `sync --json`.

use crate::{Distilled, Eviction, Sealing};
use serde::Serialize;

/// One finished sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sync {
    /// Where the archive lies.
    pub home: String,
    /// Every folder that was searched.
    pub roots: Vec<SearchedRoot>,
    /// Per agent.
    pub agents: Vec<AgentSync>,
    /// Secrets replaced before anything was stored.
    pub secrets: u64,
    /// Messages of hooks that were heard.
    pub spooled: u64,
    /// What was distilled.
    pub distilled: Distilled,
    /// What left to keep the budget; `null` if that was not looked at.
    pub eviction: Option<Eviction>,
    /// What was sealed; `null` if that was not looked at.
    pub sealing: Option<Sealing>,
    /// How often the archive was out of reach for a while; counts are of what was done since.
    pub interruptions: u32,
    /// All trouble counted.
    pub problem_count: u64,
    /// Trouble in detail; long lists are cut, the count is not.
    pub problems: Vec<Problem>,
}

/// A folder that was searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchedRoot {
    /// `claude`, `codex` or `grok`.
    pub flavor: &'static str,
    /// The folder.
    pub path: String,
    /// False when there is no such folder.
    pub exists: bool,
}

/// One agent's part of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentSync {
    /// `claude`, `codex`, `grok` or `pushed`.
    pub flavor: &'static str,
    /// Files seen.
    pub files: u64,
    /// Files whose content was read; all others were unchanged.
    pub files_read: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Sessions new to the archive.
    pub new_sessions: u64,
    /// Events new to the archive.
    pub new_events: u64,
    /// Records that were already known (copies, re-reads).
    pub known_events: u64,
    /// Records of unknown type.
    pub unknown: u64,
    /// Records that could not be read.
    pub bad: u64,
}

/// A file or record that made trouble.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// `claude`, `codex`, `grok`, or `null` when it is no agent's affair.
    pub flavor: Option<&'static str>,
    /// The file, secrets redacted.
    pub path: String,
    /// The line, for a record.
    pub line: Option<u64>,
    /// What is wrong, and what to do about it.
    pub what: String,
}

/// A file that would be read: `sync --dry-run --json`, one per line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedFile {
    /// `claude`, `codex`, `grok` or `pushed`.
    pub flavor: &'static str,
    /// The file, secrets redacted.
    pub path: String,
    /// Bytes that would be read.
    pub bytes: u64,
    /// `new`, `grown`, `changed`, `moved` or `reparse`.
    pub why: &'static str,
}
