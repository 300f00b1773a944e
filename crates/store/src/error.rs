//! What can go wrong with the archive, and what to do about it.

use std::path::PathBuf;

/// What is at fault when a database refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The disk is full.
    DiskFull,
    /// The database itself is damaged.
    Corrupt,
    /// Anything else.
    Other,
}

/// A failure of the archive.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file of the home directory could not be used.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The database refused.
    #[error("archive: {reason}")]
    Database {
        /// What is at fault, if that makes a difference.
        fault: Fault,
        /// What it says.
        reason: String,
    },
    /// The database file is not one, or is damaged.
    #[error("{path} is damaged: {reason}")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// Another sweep holds the lock.
    #[error("another sync is already running{0}")]
    Busy(String),
    /// No archive exists yet.
    #[error("nothing has been taken in yet: {0} does not exist")]
    Missing(PathBuf),
    /// A payload cannot be read back.
    #[error("payload of {address} cannot be read: {reason}")]
    Payload {
        /// The event.
        address: String,
        /// Why.
        reason: String,
    },
}

impl StoreError {
    /// True when the disk (or a quota) is full.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Io(error) => {
                matches!(
                    error.kind(),
                    std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
                )
            }
            Self::Database { fault, .. } => *fault == Fault::DiskFull,
            _ => false,
        }
    }

    /// True when the database itself is beyond use.
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::Database { fault: Fault::Corrupt, .. })
    }
}
