//! The agents' settings: `install --json` and `uninstall --json`.

use serde::Serialize;

/// What became of one agent's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AgentSettings {
    /// `claude`, `codex` or `grok`.
    pub agent: &'static str,
    /// True when nothing was written.
    pub dry_run: bool,
    /// Its files.
    pub files: Vec<SettingsFile>,
    /// What is left for a person to do.
    pub notes: Vec<String>,
}

/// One file of an agent's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettingsFile {
    /// Where it is.
    pub path: String,
    /// `unchanged`, `created`, `changed`, `restored` or `removed`.
    pub action: &'static str,
    /// Where what it was is kept.
    pub backup: Option<String>,
    /// Lines that change, marked with `+`, `-` and `@@`; only when nothing was written.
    pub diff: Option<Vec<String>>,
}

/// The plugin: `install --plugin DIR --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plugin {
    /// Where it is.
    pub dir: String,
    /// Its files.
    pub files: Vec<String>,
}
