//! What a person is told when a command cannot do its work, and the exit code that says so.

use backstory_engine::SyncError;
use backstory_engine::ledger::PreferenceError;
use backstory_engine::tree::TreeError;
use backstory_store::{Fault, StoreError};
use std::io::ErrorKind;

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything is as it should be.
    Success,
    /// It worked, but problems were found.
    Problems,
    /// It worked, but there is nothing to show.
    NothingFound,
}

impl Exit {
    /// The process exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Problems => 1,
            Self::NothingFound => Kind::NotFound.code(),
        }
    }
}

/// What kind of failure it is; the exit code follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The reader of our output left: not an error.
    ReaderGone,
    /// Something is incomplete.
    Problems,
    /// Wrong arguments or configuration.
    Usage,
    /// The archive cannot be used.
    Archive,
    /// Another sync is running.
    Busy,
    /// There is no such thing.
    NotFound,
}

impl Kind {
    /// The process exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::ReaderGone => 0,
            Self::Problems => 1,
            Self::Usage => 2,
            Self::Archive => 3,
            Self::Busy => 4,
            Self::NotFound => 5,
        }
    }
}

/// Exit codes and their meaning, as help and docs list them.
pub(crate) const EXIT_CODES: &[(u8, &str)] = &[
    (0, "all went well"),
    (
        1,
        "it worked, but problems were found: unreadable files, failed digests, data lost, trouble seen by doctor",
    ),
    (2, "wrong arguments or configuration"),
    (3, "the archive cannot be used: damaged, read-only, out of reach, or the disk is full"),
    (4, "another sync is running"),
    (5, "nothing found"),
];

/// Why a command could not do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    /// What failed.
    pub(crate) message: String,
    /// Why, from the outside in.
    pub(crate) causes: Vec<String>,
    /// What to do next.
    pub(crate) hints: Vec<String>,
}

impl Failure {
    /// A failure with only a message.
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), causes: Vec::new(), hints: Vec::new() }
    }

    /// Wrong arguments or configuration.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// There is no such thing.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    /// Adds what to do next.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds why it happened.
    #[must_use]
    pub(crate) fn cause(mut self, cause: &dyn std::error::Error) -> Self {
        self.causes.push(cause.to_string());
        self
    }

    /// Output could not be written.
    #[expect(clippy::needless_pass_by_value, reason = "it is the function given to map_err")]
    pub(crate) fn output(error: std::io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe {
            return Self::new(Kind::ReaderGone, "the reader of the output left");
        }
        Self::new(Kind::Problems, "the output could not be written").cause(&error)
    }
}

const READ_AGAIN: &str = "nothing is lost: the next sync carries on where this one stopped";

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        if error.is_disk_full() {
            return Self::new(Kind::Archive, "the disk is full")
                .cause(&error)
                .hint("free some space, or put the archive elsewhere with --home")
                .hint(READ_AGAIN);
        }
        match &error {
            StoreError::Busy(_) => Self::new(Kind::Busy, error.to_string())
                .hint("wait until it is done; reading commands work meanwhile"),
            StoreError::Missing(_) => {
                Self::not_found(error.to_string()).hint("run `backstory` to take in what exists")
            }
            StoreError::Corrupt { path, .. } => Self::new(Kind::Archive, error.to_string()).hint(
                format!(
                    "move {} away and run `backstory`: everything is read again from the agents' logs",
                    path.parent().unwrap_or(path).display()
                ),
            ),
            StoreError::Io(cause) => {
                let failure = Self::new(Kind::Archive, "the archive cannot be used").cause(&error);
                match cause.kind() {
                    ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                        failure.hint("make the folder writable, or choose another with --home")
                    }
                    _ => failure,
                }
            }
            StoreError::Database { fault: Fault::Refused, .. } => {
                Self::new(Kind::Archive, "the archive cannot be used").cause(&error).hint(READ_AGAIN)
            }
            StoreError::Database { fault: Fault::Passing, .. } => {
                Self::new(Kind::Archive, "the archive is out of reach")
                    .cause(&error)
                    .hint("check that its server runs and can be reached from here")
                    .hint(READ_AGAIN)
            }
            StoreError::Database { .. } => {
                Self::new(Kind::Archive, "the archive cannot be used").cause(&error).hint(
                    "`backstory doctor` checks it; --home chooses another place if it is read-only",
                )
            }
            StoreError::Occupied { .. } => Self::new(Kind::Archive, error.to_string())
                .hint("move into an archive that is empty, or that an earlier move began"),
            StoreError::MovedWrong(_) => Self::new(Kind::Archive, error.to_string()),
            StoreError::OtherPacks(_) => Self::new(Kind::Archive, error.to_string())
                .hint("name one place that all workstations reach: packs in [store] of config.toml, or BACKSTORY_PACKS"),
            StoreError::Packs(_) => Self::new(Kind::Archive, error.to_string()).hint(READ_AGAIN),
            StoreError::Payload { .. } => Self::new(Kind::Problems, error.to_string())
                .hint("`backstory sync --reparse` reads it again from the agent's log"),
        }
    }
}

impl From<SyncError> for Failure {
    fn from(error: SyncError) -> Self {
        match error {
            SyncError::Store(error) => error.into(),
            SyncError::TaskRefPattern { .. } => Self::usage(error.to_string())
                .hint("correct [session_memory.task_ref] patterns in config.toml"),
            SyncError::NoIndex => Self::not_found(error.to_string()),
            SyncError::Index(_) | SyncError::StillIndexed(_) => {
                Self::new(Kind::Problems, error.to_string())
            }
            SyncError::Worker => Self::new(Kind::Problems, error.to_string()).hint(READ_AGAIN),
        }
    }
}

impl From<PreferenceError> for Failure {
    fn from(error: PreferenceError) -> Self {
        match error {
            PreferenceError::Store(error) | PreferenceError::Tree(TreeError::Store(error)) => {
                error.into()
            }
            PreferenceError::NotSuggested(_) => Self::not_found(error.to_string())
                .hint("`backstory decisions suggested` lists what is suggested"),
            PreferenceError::Tree(TreeError::Io(error)) | PreferenceError::Io(error) => {
                StoreError::Io(error).into()
            }
            PreferenceError::Tree(error) => Self::usage(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_every_code_once() {
        let codes: Vec<u8> = EXIT_CODES.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5]);
        for kind in [Kind::ReaderGone, Kind::Problems, Kind::Usage, Kind::Archive, Kind::Busy] {
            assert!(codes.contains(&kind.code()));
        }
        assert_eq!(Exit::NothingFound.code(), 5);
    }

    #[test]
    fn store_errors_become_exit_codes_with_a_way_out() {
        let full = std::io::Error::from(ErrorKind::StorageFull);
        let failure = Failure::from(StoreError::Io(full));
        assert_eq!((failure.kind, failure.message.as_str()), (Kind::Archive, "the disk is full"));
        assert!(!failure.hints.is_empty());
        assert_eq!(Failure::from(StoreError::Busy(String::new())).kind, Kind::Busy);
        assert_eq!(Failure::from(StoreError::Missing("/x".into())).kind, Kind::NotFound);
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let failure = Failure::output(std::io::Error::from(ErrorKind::BrokenPipe));
        assert_eq!(failure.kind.code(), 0);
    }
}
