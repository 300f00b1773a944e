//! Effective settings: `config --json`, one per line.

use serde::Serialize;

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting<V> {
    /// Its full key, e.g. `session_memory.retention.raw_soft_cap_bytes`.
    pub key: String,
    /// The value in force.
    pub value: V,
    /// `default`, `file`, `env` or `flag`.
    pub origin: &'static str,
    /// Which file and line, variable or flag; `null` for a default.
    pub origin_detail: Option<String>,
}
