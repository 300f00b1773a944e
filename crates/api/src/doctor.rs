//! Findings: `doctor --json`, one per line.

use serde::Serialize;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing; nothing to do.
    Note,
    /// Needs attention: `doctor` exits with 1.
    Attention,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// `roots`, `hooks`, `home`, `records`, `files`, `secrets` or `store`.
    pub section: &'static str,
    /// How much it matters.
    pub level: Level,
    /// `claude`, `codex` or `grok`, where it concerns one agent.
    pub flavor: Option<String>,
    /// The file or folder, secrets redacted.
    pub path: Option<String>,
    /// Lines of that file.
    pub lines: Vec<u64>,
    /// What was found.
    pub what: String,
    /// How often.
    pub count: u64,
    /// What to do about it.
    pub hint: Option<String>,
}
