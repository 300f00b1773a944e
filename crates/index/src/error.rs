//! What can go wrong with the index. None of it loses anything: the archive is the truth.

use tantivy::directory::error::OpenWriteError;

/// Why the index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is none yet.
    #[error("there is no search index in {0}; run `backstory sync`")]
    Missing(String),
    /// The files do not fit together.
    #[error("the search index is damaged ({0}); run `backstory index --rebuild`")]
    Damaged(String),
    /// Reading it failed in a way nobody foresaw.
    #[error("the search index could not be read; run `backstory index --rebuild`")]
    Broken,
    /// Another process writes it.
    #[error("another process is writing the search index; try again when it is done")]
    Busy,
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The server it is kept on refused.
    #[error("the search index could not be used: {0}")]
    Server(String),
    /// The engine refused.
    #[error("the search index could not be used: {0}")]
    Engine(tantivy::TantivyError),
}

impl From<tantivy::TantivyError> for IndexError {
    fn from(error: tantivy::TantivyError) -> Self {
        use tantivy::TantivyError as T;
        match error {
            T::LockFailure(..) => Self::Busy,
            T::DataCorruption(what) => Self::Damaged(format!("{what:?}")),
            T::IoError(error) => Self::Io(std::io::Error::new(error.kind(), error.to_string())),
            T::OpenReadError(error) => Self::Damaged(error.to_string()),
            T::OpenWriteError(OpenWriteError::FileAlreadyExists(path)) => {
                Self::Damaged(format!("{} is in the way", path.display()))
            }
            error => Self::Engine(error),
        }
    }
}
