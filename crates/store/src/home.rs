//! The home directory: what lies where, with private file modes.

use crate::StoreError;
use fs_err as fs;
use std::path::{Path, PathBuf};

/// Backstory's own directory.
#[derive(Clone, Debug)]
pub struct Home {
    dir: PathBuf,
}

impl Home {
    /// Names the directory; nothing is created.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The directory itself.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The database.
    pub fn archive(&self) -> PathBuf {
        self.dir.join("archive.db")
    }

    /// The folder of packs.
    pub fn packs(&self) -> PathBuf {
        self.dir.join("packs")
    }

    /// The pack of one session.
    pub fn pack(&self, session_id: i64) -> PathBuf {
        self.packs()
            .join(format!("{:02x}", session_id & 0xff))
            .join(format!("{session_id:08x}.pack"))
    }

    /// The lock a sweep holds.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("sweep.lock")
    }

    /// Search indices, of every version there is.
    pub fn indices(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.dir) else { return Vec::new() };
        let is_index = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("index-v"))
        };
        entries.flatten().map(|entry| entry.path()).filter(is_index).collect()
    }

    /// Bytes of all of them. A handful of large files: what the last piece of each wastes on disk does
    /// not count.
    pub fn index_bytes(&self) -> u64 {
        let dirs = self.indices().into_iter().filter_map(|dir| fs::read_dir(dir).ok());
        let files = dirs.flat_map(Iterator::flatten).filter_map(|entry| entry.metadata().ok());
        files.map(|file| file.len()).sum()
    }

    /// What hooks left for the next sweep.
    pub fn spool(&self) -> PathBuf {
        self.dir.join("spool")
    }

    /// What must survive between runs and is no part of the archive.
    pub fn state(&self) -> PathBuf {
        self.dir.join("state")
    }

    /// The log of notable events of Backstory itself.
    pub fn events(&self) -> PathBuf {
        self.dir.join("events.jsonl")
    }

    /// Creates the directory, readable by its owner only.
    pub fn create(&self) -> Result<(), StoreError> {
        create_private_dir(&self.dir)?;
        Ok(create_private_dir(&self.packs())?)
    }
}

/// Creates a directory (and its parents) with mode 0700.
pub fn create_private_dir(dir: &Path) -> std::io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|error| {
        std::io::Error::new(error.kind(), format!("failed to create {}: {error}", dir.display()))
    })
}

/// Options that create a file with mode 0600.
pub fn private_file() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.create(true).read(true).write(true);
    #[cfg(unix)]
    {
        use fs_err::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}
