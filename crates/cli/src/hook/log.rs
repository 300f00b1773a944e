//! `hooks.log`: what hooks did, for whoever asks with `BACKSTORY_DEBUG=1`.

use backstory_model::Timestamp;
use backstory_store::{create_private_dir, private_file};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Beyond this nothing more is written: it is looked at once and thrown away.
const MAX_BYTES: u64 = 4 << 20;

/// The log, if it is wanted.
pub(crate) struct Log {
    path: Option<PathBuf>,
    now: Timestamp,
}

impl Log {
    pub(crate) fn new(home: &Path, is_wanted: bool, now: Timestamp) -> Self {
        Self { path: is_wanted.then(|| home.join("hooks.log")), now }
    }

    /// One line. Nobody can be told if it cannot be written.
    pub(crate) fn line(&self, line: &str) {
        let Some(path) = &self.path else { return };
        let folder = path.parent().map_or(Ok(()), create_private_dir);
        let is_full = fs_err::metadata(path).is_ok_and(|meta| meta.len() > MAX_BYTES);
        if folder.is_err() || is_full {
            return;
        }
        let mut options = private_file();
        if let Ok(mut file) = options.create(true).append(true).open(path) {
            let _ = writeln!(file, "{} {line}", self.now);
        }
    }
}
