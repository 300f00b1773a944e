//! The periodic sync: `schedule --json`.

use serde::Serialize;

/// What is installed after the command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Schedule {
    /// `installed`, `unchanged`, `removed` or, when nothing was asked for, `shown`.
    pub action: &'static str,
    /// `systemd`, `launchd` or `cron`; `null` when nothing is installed.
    pub mechanism: Option<&'static str>,
    /// `daily` or `weekly`.
    pub cadence: Option<&'static str>,
    /// False when it is installed but does not run.
    pub active: bool,
    /// Files that belong to it; a crontab is none.
    pub files: Vec<String>,
    /// When it runs next, where the system tells.
    pub next_run: Option<String>,
    /// When it ran last, where the system tells.
    pub last_run: Option<String>,
}
