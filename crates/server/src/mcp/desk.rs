//! What the tools work with, handed over by whoever runs them.

use backstory_distill::query::End;
use backstory_engine::Archive;
use backstory_engine::tree::Tree;
use backstory_model::Timestamp;
use backstory_store::StoreError;
use std::fmt;
use std::sync::Arc;

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
/// Reads a moment as people type it, such as `7d`; the last argument is now.
pub type ReadMoment = Arc<dyn Fn(&str, End, Timestamp) -> Option<Timestamp> + Send + Sync>;
/// Takes in what is new and seals what waits; tells what was done, or why it was not.
pub type Commit = Arc<dyn Fn() -> Result<String, String> + Send + Sync>;

/// How documents are handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handing {
    /// By their paths: whoever asks could read them as well.
    Paths,
    /// By uploading them to the server at this address: who asks may be allowed less than the server is.
    Uploads(String),
}

/// What the tools work with.
#[derive(Clone)]
pub struct Desk {
    /// Where everything lies. It need not exist yet.
    pub archive: Archive,
    /// The clock.
    pub clock: Clock,
    /// How moments are read.
    pub read_moment: ReadMoment,
    /// The `project_key` of where the agent works; its sessions are preferred. Over HTTP it is what a
    /// request says, if it does.
    pub project: Option<String>,
    /// How documents are handed in.
    pub handing: Handing,
    /// How sessions are sealed; nothing where that cannot be done from here.
    pub commit: Option<Commit>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("archive", &self.archive).finish_non_exhaustive()
    }
}

impl Desk {
    /// Now.
    pub(super) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// The tree as of now.
    pub(super) fn tree(&self) -> Result<Tree, StoreError> {
        Tree::open(&self.archive.home, self.now())
    }
}
