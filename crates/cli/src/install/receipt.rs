//! `state/installed.json`: what the agents' settings were before we came, so that they can be again.

use super::files::Undone;
use backstory_store::create_private_dir;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

/// The version this code writes and understands.
const VERSION: u64 = 1;

/// What we did to one file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Receipt {
    /// Fingerprint of what we wrote.
    after: String,
    /// Fingerprint of what it was; nothing if there was no file.
    before: Option<String>,
    /// Where what it was is kept.
    backup: Option<PathBuf>,
    /// Folders we made for it, the innermost first.
    #[serde(default)]
    folders: Vec<PathBuf>,
}

impl Receipt {
    /// For a text that is about to be written.
    pub(super) fn new(after: &str, undone: &Undone) -> Self {
        Self {
            after: fingerprint(after),
            before: undone.before.as_deref().map(fingerprint),
            backup: undone.backup.clone(),
            folders: undone.folders.clone(),
        }
    }

    /// What the file was, if its backup still says so.
    fn undone(&self) -> Option<Undone> {
        let kept = match (&self.before, &self.backup) {
            (None, _) => None,
            (Some(before), Some(backup)) => {
                let text = fs_err::read_to_string(backup).ok()?;
                Some(text).filter(|text| fingerprint(text) == *before).map(Some)?
            }
            (Some(_), None) => return None,
        };
        Some(Undone { before: kept, backup: self.backup.clone(), folders: self.folders.clone() })
    }
}

/// The file as it lies there.
#[derive(Default, Deserialize, Serialize)]
struct Written {
    v: u64,
    files: BTreeMap<PathBuf, Receipt>,
}

/// All receipts.
pub(super) struct Receipts {
    path: PathBuf,
    files: BTreeMap<PathBuf, Receipt>,
}

impl Receipts {
    /// Reads them; one that cannot be read is none, and uninstalling goes by what it finds.
    pub(super) fn load(home: &Path) -> Self {
        let path = home.join("state").join("installed.json");
        let written: Option<Written> =
            fs_err::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let files = written.filter(|written| written.v == VERSION).unwrap_or_default().files;
        Self { path, files }
    }

    /// What a file was, if it still is what we made of it.
    pub(super) fn known(&self, path: &Path, now: Option<&str>) -> Option<Undone> {
        let now = now?;
        self.files.get(path).filter(|receipt| receipt.after == fingerprint(now))?.undone()
    }

    /// What a file was, whatever became of it since.
    pub(super) fn before(&self, path: &Path) -> Option<String> {
        self.files.get(path)?.undone()?.before
    }

    /// Where what a file was is kept.
    pub(super) fn backup(&self, path: &Path) -> Option<PathBuf> {
        self.files.get(path)?.backup.clone().filter(|backup| backup.exists())
    }

    /// Adds one.
    pub(super) fn put(&mut self, path: &Path, receipt: Receipt) -> io::Result<()> {
        self.files.insert(path.to_owned(), receipt);
        self.save()
    }

    /// Strikes one out.
    pub(super) fn strike(&mut self, path: &Path) -> io::Result<()> {
        match self.files.remove(path) {
            Some(_) => self.save(),
            None => Ok(()),
        }
    }

    fn save(&self) -> io::Result<()> {
        if self.files.is_empty() {
            return match fs_err::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let dir = self.path.parent().unwrap_or(Path::new("/"));
        create_private_dir(dir)?;
        let mut file = tempfile::Builder::new().prefix(".installed-").tempfile_in(dir)?;
        serde_json::to_writer(&mut file, &Written { v: VERSION, files: self.files.clone() })?;
        file.flush()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Tells one text from another.
fn fingerprint(text: &str) -> String {
    format!("{:032x}", xxh3_128(text.as_bytes()))
}
