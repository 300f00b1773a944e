//! The public JSON: shapes of every `--json` output and of the server, and nothing else.
//!
//! Field names are those of the model. Times are RFC 3339 in UTC. A field that has no value is
//! `null`, never missing, except where its documentation says otherwise.

mod config;
mod decision;
mod digest;
mod distil;
mod doctor;
mod event;
mod evict;
mod forget;
pub mod http;
mod index;
mod install;
mod migrated;
mod pattern;
mod preference;
mod question_log;
mod recall;
mod schedule;
mod seal;
mod search;
mod session;
mod signal;
mod status;
mod sync;
mod transfer;
mod watch;

pub use config::Setting;
pub use decision::{Decision, DecisionOption};
pub use digest::{
    ChangedFile, CommandUse, Commit, Digest, DigestedSession, Evidence, OpenEnd, Snippet, TestUse,
    ToolUse,
};
pub use distil::{DistilFailure, Distilled};
pub use doctor::{Check, Level};
pub use event::Event;
pub use evict::{Evict, EvictedSession, Eviction, Tiers};
pub use forget::{ForgottenSession, Receipt};
pub use index::Index;
pub use install::{AgentSettings, Plugin, SettingsFile};
pub use migrated::Migrated;
pub use pattern::{KnownError, KnownFix, Pattern};
pub use preference::{DecisionStats, HubImport, Preference, PreferenceVerdict, QuestionStats};
pub use question_log::{LoggedQuestion, QuestionLog};
pub use recall::{Compressed, Injection, Muted, Recall, RecalledItem};
pub use schedule::Schedule;
pub use seal::{LiveSessions, SealFailure, SealedStretch, Sealing};
pub use search::{
    FoundCommand, FoundFile, FoundMoment, FoundSession, FoundSnippet, SearchHead, SearchPaths,
};
pub use session::{Cost, Session};
pub use signal::{Fix, Signal, fingerprint};
pub use status::{
    AgentStatus, DataLoss, DistilledTier, Forecast, PostedFiles, RawTier, SessionCounts, Span,
    Status, Stored, Sweep,
};
pub use sync::{AgentSync, PlannedFile, Problem, SearchedRoot, Sync};
pub use transfer::{
    EXPORT_FORMAT, ExportLine, ExportedEvent, ExportedHubDecision, ExportedSeal, ExportedSession,
    ExportedSignal, ExportedUsage, Import, from_hex, to_hex,
};
pub use watch::WatchedSweep;

/// A moment as JSON shows it.
fn time(at: backstory_model::Timestamp) -> String {
    at.to_string()
}
