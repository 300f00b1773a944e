//! Trying again what fails for the moment, and saying what to do about what fails for good.

use backstory_store::StoreError;
use object_store::Error;
use std::error::Error as _;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// What a slow line moves in a second.
const SLOWEST: u64 = 256 * 1024;

/// How long to go on trying.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For one request and its repetitions, apart from the time large ones take.
    pub total: Duration,
    /// Before the first repetition; doubles with each.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(10),
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(2),
        }
    }
}

/// Why something was given up.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Refused, or failed until patience ended.
    Failed(Error),
    /// No answer at all.
    Silence,
    /// The object is another one.
    Taken,
}

impl Patience {
    /// Repeats an attempt at moving `bytes` as long as its failure may pass.
    pub(crate) async fn repeat<T, F: Future<Output = Result<T, Error>>>(
        self,
        bytes: usize,
        attempt: impl Fn() -> F,
    ) -> Result<T, Trouble> {
        let mut last = None;
        let mut pause = self.first_pause;
        let trying = async {
            loop {
                match attempt().await {
                    Err(error) if may_pass(&error) => last = Some(error),
                    done => return done.map_err(Trouble::Failed),
                }
                sleep(pause).await;
                pause = (pause * 2).min(self.longest_pause);
            }
        };
        let limit = self.total + Duration::from_secs(bytes as u64 / SLOWEST);
        match timeout(limit, trying).await {
            Ok(done) => done,
            Err(_) => Err(last.map_or(Trouble::Silence, Trouble::Failed)),
        }
    }
}

fn may_pass(error: &Error) -> bool {
    let lasting = [
        ErrorKind::PermissionDenied,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::NotADirectory,
        ErrorKind::IsADirectory,
        ErrorKind::Unsupported,
    ];
    matches!(error, Error::Generic { .. })
        && io_kind(error).is_none_or(|kind| !lasting.contains(&kind))
}

/// What the file system said, if it was one.
fn io_kind(error: &Error) -> Option<ErrorKind> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return Some(io.kind());
        }
        cause = error.source();
    }
    None
}

impl Trouble {
    /// What happened to an object, and what to do.
    pub(crate) fn explain(&self, object: &str) -> String {
        let advice = match self {
            Self::Silence => return format!("{object}: no answer; {REACH}"),
            Self::Taken => {
                return format!(
                    "{object}: another sync has just written it; run the command again"
                );
            }
            Self::Failed(error) => match error {
                Error::NotImplemented { .. } | Error::NotSupported { .. } => CONDITIONAL,
                Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
                    "check the keys and what they allow"
                }
                Error::NotFound { .. } => "check that the bucket or folder exists",
                error if may_pass(error) => REACH,
                _ => "check the place of the packs",
            },
        };
        match self {
            Self::Failed(error) => format!("{object}: {error}; {advice}"),
            _ => format!("{object}: {advice}"),
        }
    }

    /// The same as an error of the archive; a full or read-only disk stays what it is.
    pub(crate) fn into_error(self, object: &str) -> StoreError {
        let told = self.explain(object);
        match &self {
            Self::Failed(error) if !may_pass(error) => match io_kind(error) {
                Some(kind) => StoreError::Io(std::io::Error::new(kind, told)),
                None => StoreError::Packs(told),
            },
            _ => StoreError::Packs(told),
        }
    }
}

const REACH: &str = "check that it can be reached, then run the command again";
/// Said of servers that would let one writer overwrite what another has committed.
pub(crate) const CONDITIONAL: &str = "the server has to refuse to overwrite an object when asked to \
    (If-None-Match: *): use a newer version of it, another server, or a directory";
