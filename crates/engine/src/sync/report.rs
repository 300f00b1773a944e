//! What a sweep did.

use crate::distil::DistilReport;
use crate::evict::EvictReport;
use crate::index::IndexReport;
use crate::live::SealReport;
use backstory_model::Flavor;
use std::path::PathBuf;

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that have to be read.
    pub files_total: u64,
    /// Files read so far.
    pub files_done: u64,
    /// Bytes that have to be read.
    pub bytes_total: u64,
    /// Bytes read so far.
    pub bytes_done: u64,
    /// Events stored so far.
    pub events: u64,
    /// Sessions to distil; 0 while files are still being read.
    pub sessions_total: u64,
    /// Sessions distilled so far.
    pub sessions_done: u64,
}

/// A file or record that made trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The agent, if it is one's affair.
    pub flavor: Option<Flavor>,
    /// The file, secrets redacted.
    pub path: String,
    /// The line, for a record.
    pub line: Option<u64>,
    /// What is wrong, and what to do about it.
    pub what: String,
}

/// A file a dry run would read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// The agent.
    pub flavor: Flavor,
    /// The file, secrets redacted.
    pub path: PathBuf,
    /// Bytes that would be read.
    pub bytes: u64,
    /// Why: `new`, `grown`, `changed`, `moved`, `reparse`.
    pub why: &'static str,
}

/// One agent's part of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlavorProgress {
    /// The agent.
    pub flavor: Flavor,
    /// Files seen.
    pub files: u64,
    /// Files whose content was read.
    pub files_read: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Sessions new to the archive.
    pub new_sessions: u64,
    /// Events new to the archive.
    pub new_events: u64,
    /// Records that were already known (copies, re-reads).
    pub known_events: u64,
    /// Records of unknown type.
    pub unknown: u64,
    /// Records that could not be read.
    pub bad: u64,
}

impl FlavorProgress {
    /// Nothing yet.
    pub fn new(flavor: Flavor) -> Self {
        Self {
            flavor,
            files: 0,
            files_read: 0,
            bytes_read: 0,
            new_sessions: 0,
            new_events: 0,
            known_events: 0,
            unknown: 0,
            bad: 0,
        }
    }
}

/// What a sweep did.
#[derive(Clone, Debug, Default)]
pub struct SyncReport {
    /// Per agent, in the order of `Flavor::ALL`.
    pub flavors: Vec<FlavorProgress>,
    /// Trouble, at most [`SyncReport::MAX_PROBLEMS`] of it.
    pub problems: Vec<Problem>,
    /// All trouble counted.
    pub problem_count: u64,
    /// Secrets replaced.
    pub secrets: u64,
    /// Messages of hooks that were heard.
    pub spooled: u64,
    /// What a dry run would read.
    pub planned: Vec<PlannedFile>,
    /// What was distilled.
    pub distilled: DistilReport,
    /// What the search index heard of it.
    pub indexed: IndexReport,
    /// What left to keep the budget.
    pub evictions: EvictReport,
    /// What was sealed.
    pub sealed: SealReport,
    /// How often the archive was out of reach for a while; counts are of the last stretch.
    pub interruptions: u32,
}

impl SyncReport {
    /// How many problems are listed one by one.
    pub const MAX_PROBLEMS: usize = 200;

    /// Sums over all agents.
    pub fn total(&self, of: impl Fn(&FlavorProgress) -> u64) -> u64 {
        self.flavors.iter().map(of).sum()
    }

    pub(crate) fn flavor(&mut self, flavor: Flavor) -> Option<&mut FlavorProgress> {
        self.flavors.iter_mut().find(|known| known.flavor == flavor)
    }

    pub(crate) fn problem(&mut self, problem: Problem) {
        self.problem_count += 1;
        if self.problems.len() < Self::MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }
}
