//! One conversation of one agent.

use crate::{Cost, Flavor, SessionUid, Timestamp};
use serde::{Deserialize, Serialize};

/// Version of the normalised schema; a session written with an older one is re-read by `--reparse`.
pub const SCHEMA_VERSION: u32 = 1;

/// How a session ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The goal was reached.
    Success,
    /// It was not.
    Fail,
    /// It was left in the middle.
    Abandoned,
    /// Nobody can tell.
    #[default]
    Unknown,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::Success, Self::Fail, Self::Abandoned, Self::Unknown];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Fail => "fail",
            Self::Abandoned => "abandoned",
            Self::Unknown => "unknown",
        }
    }

    /// The outcome with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// How a session hangs together with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lineage {
    /// The session that started this one as its sub-agent.
    pub parent_session_uid: Option<SessionUid>,
    /// The session whose history this one began as a copy of.
    pub forked_from_uid: Option<SessionUid>,
    /// The session this one carries on under a new id.
    pub continues_uid: Option<SessionUid>,
    /// The tool call of the parent that started it.
    pub parent_call_id: Option<String>,
    /// Name or type of the sub-agent.
    pub agent_name: Option<String>,
}

/// The stations of a session's life in the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watermarks {
    /// First seen.
    pub discovered_at: Option<Timestamp>,
    /// Last taken in.
    pub ingested_at: Option<Timestamp>,
    /// Digest written.
    pub analyzed_at: Option<Timestamp>,
    /// Raw events dropped.
    pub evicted_at: Option<Timestamp>,
    /// Kept from eviction by the human's word.
    pub pinned_at: Option<Timestamp>,
}

/// One normalised session, as it is stored and shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Globally unique id.
    pub session_uid: SessionUid,
    /// The agent family.
    pub flavor: Flavor,
    /// The agent's own id.
    pub native_session_id: String,
    /// Relations to other sessions.
    pub lineage: Lineage,
    /// Name of the repository, from the working directory.
    pub repo: Option<String>,
    /// The git common directory (or the directory itself): worktrees of one repository share it.
    pub project_key: Option<String>,
    /// From the configured repository→domain map.
    pub domain: Option<String>,
    /// Where the agent worked.
    pub cwd: Option<String>,
    /// The branch it worked on.
    pub git_branch: Option<String>,
    /// The last model used.
    pub model: Option<String>,
    /// Every model used, in order of first use.
    pub models: Vec<String>,
    /// The agent's version, the newest seen.
    pub cli_version: Option<String>,
    /// The best title known.
    pub title: Option<String>,
    /// First event.
    pub started_at: Option<Timestamp>,
    /// Last event.
    pub ended_at: Option<Timestamp>,
    /// How it ended.
    pub outcome: Outcome,
    /// How the outcome was inferred.
    pub outcome_reason: Option<String>,
    /// What it cost.
    pub cost: Cost,
    /// True when another session's cost already includes this one's.
    pub cost_in_parent: bool,
    /// The work item it served.
    pub task_ref: Option<String>,
    /// The file (or the first of several) it was read from, secrets redacted.
    pub source_path: String,
    /// Bytes of all its source files.
    pub source_bytes: u64,
    /// Number of stored events.
    pub events: u32,
    /// Schema it was written with.
    pub schema_version: u32,
    /// Stations of its life.
    pub watermarks: Watermarks,
}
