//! What can go wrong with the archive, and what to do about it.

use std::path::PathBuf;

/// A failure of the archive.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file of the home directory could not be used.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// SQLite refused.
    #[error("archive: {0}")]
    Sqlite(#[from] rusqlite::Error),
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
            Self::Sqlite(rusqlite::Error::SqliteFailure(code, _)) => {
                code.code == rusqlite::ErrorCode::DiskFull
            }
            _ => false,
        }
    }

    /// True when the database itself is beyond use.
    pub fn is_corrupt(&self) -> bool {
        match self {
            Self::Corrupt { .. } => true,
            Self::Sqlite(rusqlite::Error::SqliteFailure(code, _)) => matches!(
                code.code,
                rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase
            ),
            _ => false,
        }
    }
}
