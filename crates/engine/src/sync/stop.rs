//! Why a file is left before its end.

use backstory_store::StoreError;

/// Why a file was left.
pub(crate) enum Stop {
    /// The file itself: reported, the sweep goes on.
    File(std::io::Error),
    /// The archive: the sweep ends.
    Store(StoreError),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
