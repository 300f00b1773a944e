//! Memories: files below the home that people and agents write.

use super::TreeError;
use backstory_distill::Redactor;
use backstory_store::{create_private_dir, private_file};
use fs_err as fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Drafts begun by this process.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// The folder of memories, below the home; skills are a folder of it.
const MEMORIES: &str = "memories";
/// The folder of documents, which are copies of what lies elsewhere.
pub(crate) const DOCUMENTS: [&str; 2] = [MEMORIES, "resources"];
/// Of a longer file the rest is not read.
const MAX_READ: u64 = 8 << 20;
/// What tells what a file is about.
const BEGINNING: u64 = 2048;
/// Nothing longer is written.
const MAX_WRITTEN: usize = 1 << 20;
/// What may be written, by the ends of names.
const WRITABLE: [&str; 9] = ["md", "txt", "json", "yaml", "yml", "toml", "py", "js", "ts"];

/// The files of a home.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    root: PathBuf,
    /// The folder of the lock. It is not among the memories, where it could be listed or forgotten.
    state: PathBuf,
}

/// What is found at a path.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Folder(PathBuf),
    File(PathBuf),
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// Anew, whether it exists or not.
    Replace,
    /// Behind what it holds.
    Append,
    /// Only if it does not exist yet.
    Create,
}

impl Files {
    pub(crate) fn new(home: &Path) -> Self {
        Self { root: home.join(MEMORIES), state: home.join("state") }
    }

    /// Keeps all others from changing memories, in this process and in others, until it is dropped: what is
    /// read and written back must not change between.
    fn lock(&self) -> io::Result<fs::File> {
        create_private_dir(&self.state)?;
        let lock = private_file().open(self.state.join("memories.lock"))?;
        lock.file().lock()?;
        Ok(lock)
    }

    /// What is at `memories/…` or `skills/…`. The two folders themselves are always there, and so is that of
    /// documents.
    pub(crate) fn find(&self, words: &[&str]) -> Result<Option<Found>, TreeError> {
        let path = self.path(words)?;
        let is_top = words.len() == 1 || words == DOCUMENTS;
        Ok(match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => Some(Found::Folder(path)),
            Ok(meta) if meta.is_file() => Some(Found::File(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_top => {
                Some(Found::Folder(path))
            }
            Err(error) if !is_absence(&error) => return Err(error.into()),
            _ => None,
        })
    }

    /// The path of names, which may not lead out of the folder through a link either.
    fn path(&self, words: &[&str]) -> Result<PathBuf, TreeError> {
        let mut path = self.root.clone();
        path.extend(words.first().filter(|first| **first == "skills"));
        path.extend(words.iter().skip(1));
        let refused = || TreeError::NotFound(format!("backstory://{}", words.join("/")));
        // The folder itself may be a link: whoever owns the home put it there.
        let Ok(root) = fs::canonicalize(&self.root) else { return Ok(path) };
        let mut existing = path.as_path();
        loop {
            match fs::canonicalize(existing) {
                Ok(real) if real.starts_with(&root) => return Ok(path),
                Ok(_) => return Err(refused()),
                // A link to nowhere would be created elsewhere.
                Err(_) if fs::symlink_metadata(existing).is_ok() => return Err(refused()),
                Err(_) => existing = existing.parent().ok_or_else(refused)?,
            }
        }
    }

    /// The text of a file.
    pub(super) fn read(path: &Path) -> io::Result<String> {
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(MAX_READ).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Enough of a file to say what it is about.
    pub(super) fn beginning(path: &Path) -> io::Result<String> {
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(BEGINNING).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Names in a folder with what they are, sorted; hidden ones are left out.
    pub(super) fn list(path: &Path) -> io::Result<Vec<(String, std::fs::Metadata)>> {
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut listed = Vec::new();
        for entry in entries.flatten() {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            if name.starts_with('.') {
                continue;
            }
            // A link is told by what it leads to; one that leads out is refused when it is read.
            if let Ok(meta) = fs::metadata(entry.path())
                && (meta.is_dir() || meta.is_file())
            {
                listed.push((name, meta));
            }
        }
        listed.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(listed)
    }

    /// Writes a file; secrets in it are redacted first. Returns its length.
    pub(super) fn write(
        &self,
        words: &[&str],
        content: &str,
        mode: WriteMode,
    ) -> Result<usize, TreeError> {
        let path = self.writable(words)?;
        let exists = || {
            let name = words.join("/");
            TreeError::Refused(format!("{name} exists already: replace it, or append to it"))
        };
        let _lock = self.lock()?;
        let before = match (fs::symlink_metadata(&path), mode) {
            (Ok(_), WriteMode::Create) => return Err(exists()),
            (Ok(meta), _) if meta.is_dir() => {
                return Err(TreeError::IsFolder(words.join("/")));
            }
            (Ok(_), WriteMode::Append) => Self::read(&path)?,
            _ => String::new(),
        };
        let break_first = !before.is_empty() && !before.ends_with('\n');
        let whole = format!("{before}{}{content}", if break_first { "\n" } else { "" });
        match self.put(&path, &whole, mode) {
            // Somebody without the lock was faster.
            Err(TreeError::Io(_))
                if mode == WriteMode::Create && fs::symlink_metadata(&path).is_ok() =>
            {
                Err(exists())
            }
            done => done,
        }
    }

    /// Replaces a text in a file. Where it stands more than once, all of them must be meant.
    pub(super) fn edit(
        &self,
        words: &[&str],
        old: &str,
        new: &str,
        all: bool,
    ) -> Result<usize, TreeError> {
        let path = self.writable(words)?;
        let name = words.join("/");
        if old.is_empty() {
            return Err(TreeError::Refused("the text to replace is empty".into()));
        }
        let _lock = self.lock()?;
        let text = match Self::read(&path) {
            Ok(text) => text,
            Err(error) if is_absence(&error) => {
                return Err(TreeError::NotFound(format!("backstory://{name}")));
            }
            Err(error) => return Err(error.into()),
        };
        match text.matches(old).count() {
            0 => Err(TreeError::Refused(format!(
                "the text to replace does not stand in {name}: read it first"
            ))),
            1 => self.put(&path, &text.replacen(old, new, 1), WriteMode::Replace).map(|_| 1),
            many if all => {
                self.put(&path, &text.replace(old, new), WriteMode::Replace).map(|_| many)
            }
            many => Err(TreeError::Refused(format!(
                "the text to replace stands {many} times in {name}: give more of it, or replace all"
            ))),
        }
    }

    /// Removes a file, or a folder with all that is in it. Returns how many files went.
    pub(crate) fn remove(&self, words: &[&str], recursive: bool) -> Result<usize, TreeError> {
        let path = self.writable_path(words)?;
        let _lock = self.lock()?;
        match self.find(words)? {
            Some(Found::File(_)) => {
                fs::remove_file(path)?;
                Ok(1)
            }
            Some(Found::Folder(_)) if recursive => {
                let files = walkdir::WalkDir::new(&path).into_iter().flatten();
                let count = files.filter(|entry| !entry.file_type().is_dir()).count();
                fs::remove_dir_all(path)?;
                Ok(count)
            }
            Some(Found::Folder(_)) => Err(TreeError::Refused(format!(
                "{} is a folder: recursive forgets all that is in it",
                words.join("/")
            ))),
            None => Err(TreeError::NotFound(format!("backstory://{}", words.join("/")))),
        }
    }

    /// A path that may be written, by its folder.
    fn writable_path(&self, words: &[&str]) -> Result<PathBuf, TreeError> {
        let address = || format!("backstory://{}", words.join("/"));
        match words {
            ["memories", "skills", ..] | ["skills", ..] => Err(TreeError::ReadOnly {
                address: address(),
                instead: "skills are made by a person",
            }),
            ["memories", _, ..] => self.path(words),
            ["memories"] => Err(TreeError::Refused("name a file below memories/".into())),
            _ => Err(TreeError::ReadOnly {
                address: address(),
                instead: "only memories can be written; a person removes sessions with \
                          `backstory forget`",
            }),
        }
    }

    /// The same, by its name too.
    fn writable(&self, words: &[&str]) -> Result<PathBuf, TreeError> {
        let path = self.writable_path(words)?;
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        if !WRITABLE.contains(&end) || words.iter().any(|word| word.starts_with('.')) {
            return Err(TreeError::Refused(format!(
                "{} cannot be written: a memory's name ends in .md (or .{}) and begins with no dot",
                words.join("/"),
                WRITABLE[1..].join(", .")
            )));
        }
        Ok(path)
    }

    /// Writes a copy of a text, whatever its name ends in; one that is there already is left as it is.
    /// Returns its length.
    pub(crate) fn keep_copy(&self, words: &[&str], text: &str) -> Result<usize, TreeError> {
        let path = self.writable_path(words)?;
        let text = Redactor::shared().redact(text);
        let _lock = self.lock()?;
        match Self::read(&path) {
            Ok(known) if known == text => Ok(text.len()),
            _ => self.put(&path, &text, WriteMode::Replace),
        }
    }

    /// Puts a whole text in place at once, or nothing. Whoever calls this holds the lock.
    fn put(&self, path: &Path, text: &str, mode: WriteMode) -> Result<usize, TreeError> {
        let text = Redactor::shared().redact(text).into_owned();
        if text.len() > MAX_WRITTEN {
            return Err(TreeError::Refused(format!(
                "a memory holds at most {MAX_WRITTEN} bytes: write it to several files"
            )));
        }
        let folder = path.parent().unwrap_or(&self.root);
        create_private_dir(folder)?;
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let draft = folder.join(format!(".{}-{number}.tmp", std::process::id()));
        // What a killed process left under this name may also be known as a memory: it is not written to.
        let _ = fs::remove_file(&draft);
        let place = if mode == WriteMode::Create { place_new } else { place_over };
        let written = private_file()
            .create_new(true)
            .open(&draft)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| place(&draft, path));
        if let Err(error) = written {
            let _ = fs::remove_file(&draft);
            return Err(error.into());
        }
        Ok(text.len())
    }
}

fn place_over(draft: &Path, path: &Path) -> io::Result<()> {
    fs::rename(draft, path)
}

/// Puts a draft in place unless something is there. People and their editors know nothing of the lock.
fn place_new(draft: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(draft, path) {
        Ok(()) => {
            let _ = fs::remove_file(draft);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every disk has links. Nothing was there a moment ago, and the lock is still held.
        Err(_) => fs::rename(draft, path),
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
