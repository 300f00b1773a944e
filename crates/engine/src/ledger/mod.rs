//! The ledger: every question an agent put to the human, and the answer.
//!
//! Rows of sessions are written with their digests.

mod clean;
mod hub;
mod preferences;
mod record;
mod stats;
mod tell;

pub(crate) use clean::{redact, redact_recorded};
pub use hub::{HubList, read_hub};
pub use preferences::{
    PreferenceError, TakenBack, Verdict, accept, reject, reset, suggested, verdicts,
};
pub use record::{HubReport, record_hub};
pub use stats::{Question, Stats, Suggestion, Tally, stats, suggestions};
pub use tell::{advice, answer, question, similar};
