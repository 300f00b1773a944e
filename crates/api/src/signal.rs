//! Something notable in a session: `signals --json`.

use crate::time;
use backstory_model::{SessionUid, address};
use serde::Serialize;

/// One signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signal {
    /// The session it was noticed in.
    pub session_uid: String,
    /// What kind of thing, e.g. `error`, `retry_loop`, `user_correction`.
    pub kind: &'static str,
    /// The same text wherever the same thing happens.
    pub fingerprint: String,
    /// The first event that shows it.
    pub address: String,
    /// When that was.
    pub ts: Option<String>,
    /// How often in this session.
    pub count: u32,
    /// What it says, on one line.
    pub what: String,
    /// How it was resolved.
    pub fix: Option<Fix>,
}

/// What made an error go away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// The event after which it was gone.
    pub address: String,
    /// What was done last before.
    pub what: String,
    /// What was tried before in vain.
    pub tried: Vec<String>,
}

impl Signal {
    /// A signal of a session.
    pub fn new(uid: &SessionUid, signal: &backstory_model::Signal) -> Self {
        Self {
            session_uid: uid.as_str().to_owned(),
            kind: signal.kind.name(),
            fingerprint: fingerprint(signal.fingerprint),
            address: address(uid, signal.seq),
            ts: signal.ts.map(time),
            count: signal.count,
            what: signal.what.clone(),
            fix: signal.fix.as_ref().map(|fix| Fix::new(uid, fix)),
        }
    }
}

impl Fix {
    /// A fix found in a session.
    pub fn new(uid: &SessionUid, fix: &backstory_model::Fix) -> Self {
        Self {
            address: address(uid, fix.seq),
            what: fix.what.clone(),
            tried: fix.tried.lines().map(str::to_owned).collect(),
        }
    }
}

/// Sixteen digits: as a number it would not survive every JSON reader.
pub fn fingerprint(print: u64) -> String {
    format!("{print:016x}")
}
