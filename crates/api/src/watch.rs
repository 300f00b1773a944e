//! One sweep that found something: `watch --json`, one per line.

use crate::Problem;
use serde::Serialize;

/// What a sweep found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WatchedSweep {
    /// When it began.
    pub at: String,
    /// Sessions new to the archive.
    pub new_sessions: u64,
    /// Events new to the archive.
    pub new_events: u64,
    /// Files whose content was read.
    pub files_read: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Trouble the sweep before did not have.
    pub problems: Vec<Problem>,
}
