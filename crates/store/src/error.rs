//! What can go wrong with the archive, and what to do about it.

use std::path::PathBuf;

/// What is at fault when a database refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The disk is full.
    DiskFull,
    /// The database itself is damaged.
    Corrupt,
    /// Nothing lasting: the connection was lost, the server restarts, another transaction was in the
    /// way. The same may succeed a moment later.
    Passing,
    /// The server does not let us in, or not far enough: a name, a password, a certificate, a right or
    /// a limit has to be changed first. What it says tells which.
    Refused,
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
        /// What the engine says.
        reason: String,
    },
    /// Another sweep holds the lock.
    #[error("another sync is already running{0}")]
    Busy(String),
    /// No archive exists yet.
    #[error("nothing has been taken in yet: {0} does not exist")]
    Missing(String),
    /// The packs are out of reach, or refuse.
    #[error("packs: {0}")]
    Packs(String),
    /// The place named for packs is not the one this archive has its packs in.
    #[error("the packs of this archive are in another place than the one named here: {0}")]
    OtherPacks(String),
    /// An archive that was to be moved into has sessions of its own.
    #[error("{name} holds {uid}, which does not come from the archive that is moved")]
    Occupied {
        /// The archive.
        name: String,
        /// One of its sessions.
        uid: backstory_model::SessionUid,
    },
    /// What arrived is not what was sent.
    #[error("{0} did not arrive as it was sent; run the command again")]
    MovedWrong(String),
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

    /// True when the same may succeed a moment later.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Database { fault: Fault::Passing, .. })
    }

    /// True when the database itself is beyond use.
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::Database { fault: Fault::Corrupt, .. })
    }
}
