//! The sweep: discover → read what changed → redact → store.

mod report;

pub use report::{FlavorProgress, PlannedFile, Problem, Progress, SyncReport};

use backstory_model::{Flavor, Timestamp};
use backstory_store::{Home, StoreError};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A folder that holds one agent's logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The agent.
    pub flavor: Flavor,
    /// The folder; it need not exist.
    pub dir: PathBuf,
}

/// What to sweep, and how.
#[derive(Clone, Debug)]
pub struct SyncOptions {
    /// Where the archive lies.
    pub home: Home,
    /// Folders to sweep.
    pub roots: Vec<Root>,
    /// Read every file again from its beginning.
    pub reparse: bool,
    /// Only tell what would be read.
    pub dry_run: bool,
    /// Repository name → domain.
    pub domains: BTreeMap<String, String>,
    /// Patterns of work-item references in branches and prompts; the first capture group, or the
    /// whole match, is the reference.
    pub task_ref_patterns: Vec<String>,
}

/// Why a sweep could not be done at all. Bad files and records never stop it; they are in the
/// report.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The archive cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A configured pattern is not a regular expression.
    #[error("task_ref pattern {pattern:?} is not a regular expression: {reason}")]
    TaskRefPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A worker thread died.
    #[error("a worker of the sweep stopped unexpectedly; run the command again")]
    Worker,
}

/// Takes in everything new below the roots. `on_progress` is called often, from this thread.
pub fn sync(
    options: &SyncOptions,
    now: Timestamp,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<SyncReport, SyncError> {
    let _ = (options, now, on_progress);
    Err(SyncError::Worker)
}
