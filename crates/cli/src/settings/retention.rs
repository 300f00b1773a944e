//! `[session_memory.retention]`: how much is kept, and how long.

use super::file::{ConfigFile, Scalar};
use super::{Value, size};
use crate::error::Failure;
use backstory_distill::retention::Budget;

/// The keys of the section.
pub(super) const KEYS: [&str; 5] = [
    "raw_soft_cap_bytes",
    "raw_hard_cap_bytes",
    "raw_max_age_days",
    "distilled_cap_bytes",
    CADENCE,
];
const CADENCE: &str = "cadence";
const CADENCES: [&str; 3] = ["daily", "weekly", "on-hook"];

/// The knobs, with their defaults.
#[derive(Clone, Debug)]
pub(crate) struct Retention {
    /// Above this, sessions already analysed leave.
    pub(crate) raw_soft_cap_bytes: Value<u64>,
    /// Absolute ceiling of raw sessions.
    pub(crate) raw_hard_cap_bytes: Value<u64>,
    /// Analysed raw sessions older than this leave.
    pub(crate) raw_max_age_days: Value<u64>,
    /// Ceiling of distilled knowledge: alerts, never drops.
    pub(crate) distilled_cap_bytes: Value<u64>,
    /// When a sweep is due: `daily`, `weekly` or `on-hook`.
    pub(crate) cadence: Value<String>,
}

impl Retention {
    pub(super) fn from_file(file: &ConfigFile) -> Result<Self, Failure> {
        Ok(Self {
            raw_soft_cap_bytes: bytes(file, "raw_soft_cap_bytes", 4 << 30)?,
            raw_hard_cap_bytes: bytes(file, "raw_hard_cap_bytes", 6 << 30)?,
            raw_max_age_days: days(file, "raw_max_age_days", 45)?,
            distilled_cap_bytes: bytes(file, "distilled_cap_bytes", 1 << 30)?,
            cadence: cadence(file)?,
        })
    }

    /// The knobs the eviction plan turns on.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            raw_soft_cap_bytes: self.raw_soft_cap_bytes.value,
            raw_hard_cap_bytes: self.raw_hard_cap_bytes.value,
            raw_max_age_days: self.raw_max_age_days.value,
            distilled_cap_bytes: self.distilled_cap_bytes.value,
        }
    }

    /// Every knob with its value as the file would hold it.
    pub(crate) fn entries(&self) -> [(&'static str, Value<serde_json::Value>); 5] {
        let bytes = |value: &Value<u64>| Value {
            value: serde_json::Value::from(size::format(value.value)),
            origin: value.origin.clone(),
        };
        let [soft, hard, age, distilled, cadence] = KEYS;
        [
            (soft, bytes(&self.raw_soft_cap_bytes)),
            (hard, bytes(&self.raw_hard_cap_bytes)),
            (
                age,
                Value {
                    value: self.raw_max_age_days.value.into(),
                    origin: self.raw_max_age_days.origin.clone(),
                },
            ),
            (distilled, bytes(&self.distilled_cap_bytes)),
            (
                cadence,
                Value {
                    value: self.cadence.value.clone().into(),
                    origin: self.cadence.origin.clone(),
                },
            ),
        ]
    }
}

fn bytes(file: &ConfigFile, key: &str, default: u64) -> Result<Value<u64>, Failure> {
    let read = |scalar: &Scalar| match scalar {
        Scalar::Text(text) => size::parse(text),
        Scalar::Number(number) => u64::try_from(*number).ok(),
    };
    file.retention_value(key, "a size like \"4GiB\" or a number of bytes", default, read)
}

fn days(file: &ConfigFile, key: &str, default: u64) -> Result<Value<u64>, Failure> {
    let read = |scalar: &Scalar| match scalar {
        Scalar::Number(number) => u64::try_from(*number).ok(),
        Scalar::Text(_) => None,
    };
    file.retention_value(key, "a number of days", default, read)
}

fn cadence(file: &ConfigFile) -> Result<Value<String>, Failure> {
    let read = |scalar: &Scalar| match scalar {
        Scalar::Text(text) => CADENCES.contains(&text.as_str()).then(|| text.clone()),
        Scalar::Number(_) => None,
    };
    file.retention_value(CADENCE, "one of \"daily\", \"weekly\", \"on-hook\"", "daily".into(), read)
}
