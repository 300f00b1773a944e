//! The public JSON: shapes of every `--json` output, and nothing else.
//!
//! Field names are those of the model. Times are RFC 3339 in UTC. A field that has no value is
//! `null`, never missing, except where its documentation says otherwise.

mod config;
mod doctor;
mod event;
mod schedule;
mod session;
mod status;
mod sync;
mod transfer;
mod watch;

pub use config::Setting;
pub use doctor::{Check, Level};
pub use event::Event;
pub use schedule::Schedule;
pub use session::{Cost, Session};
pub use status::{AgentStatus, DataLoss, Span, Status, Stored, Sweep};
pub use sync::{AgentSync, PlannedFile, Problem, SearchedRoot, Sync};
pub use transfer::{
    EXPORT_FORMAT, ExportLine, ExportedEvent, ExportedSession, ExportedSignal, ExportedUsage,
    Import, from_hex, to_hex,
};
pub use watch::WatchedSweep;

/// A moment as JSON shows it.
fn time(at: backstory_model::Timestamp) -> String {
    at.to_string()
}
