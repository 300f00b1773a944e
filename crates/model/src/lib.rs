//! The nouns of Backstory: sessions, events, their identities, lineage and cost.
//!
//! Pure data. Nothing here does IO, reads a clock or can fail because of the outside world.

mod decision;
mod digest;
mod event;
mod id;
mod remark;
mod seal;
mod secret;
mod session;
mod signal;
mod time;
mod usage;

pub use decision::{Decision, DecisionForm, DecisionKind, DecisionOption, DecisionState};
pub use digest::{
    ChangedFile, CommandUse, Commit, Digest, Judgement, OpenEnd, OpenEndKind, Snippet, TestUse,
};
pub use event::{EventKind, Role, SUMMARY_MAX_CHARS, SessionEvent, summarize};
pub use id::{EventKey, Flavor, SessionUid, address};
pub use remark::{Remark, remark};
pub use seal::{Seal, SealReason};
pub use secret::SecretFinding;
pub use session::{Lineage, Outcome, SCHEMA_VERSION, Session, Watermarks};
pub use signal::{Fix, Sighting, Signal, SignalKind};
pub use time::Timestamp;
pub use usage::{Cost, Usage};
