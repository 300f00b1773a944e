//! The home directory: what lies where, with private file modes.

use crate::{Engine, PackFiles, Packs, StoreError};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Backstory's own directory.
#[derive(Clone, Debug)]
pub struct Home {
    dir: PathBuf,
    engine: Arc<dyn Engine>,
    packs: Arc<dyn Packs>,
    marker: Option<Arc<str>>,
    state: Option<PathBuf>,
}

impl Home {
    /// Names the directory and the engine of the archive; nothing is created. Packs are files in the
    /// directory.
    pub fn new(dir: impl Into<PathBuf>, engine: Arc<dyn Engine>) -> Self {
        let dir = dir.into();
        let packs = Arc::new(PackFiles::new(dir.join("packs")));
        Self { dir, engine, packs, marker: None, state: None }
    }

    /// The same with packs kept elsewhere.
    #[must_use]
    pub fn with_packs(self, packs: Arc<dyn Packs>) -> Self {
        Self { packs, ..self }
    }

    /// The same whose sessions mark questions in their own way.
    #[must_use]
    pub fn with_marker(self, marker: &str) -> Self {
        Self { marker: Some(marker.into()), ..self }
    }

    /// The same that keeps its state elsewhere.
    #[must_use]
    pub fn with_state(self, dir: impl Into<PathBuf>) -> Self {
        Self { state: Some(dir.into()), ..self }
    }

    /// How questions in prose are marked; nothing if as usual.
    pub fn marker(&self) -> Option<&str> {
        self.marker.as_deref()
    }

    /// The directory itself.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where the rows are.
    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// [`StoreError::Missing`] unless something was taken in.
    pub fn expect_archive(&self) -> Result<(), StoreError> {
        if self.engine.exists()? { Ok(()) } else { Err(StoreError::Missing(self.engine.name())) }
    }

    /// Where the payloads are.
    pub fn packs(&self) -> &dyn Packs {
        &*self.packs
    }

    /// What hooks left for the next sweep.
    pub fn spool(&self) -> PathBuf {
        self.dir.join("spool")
    }

    /// What must survive between runs and is no part of the archive.
    pub fn state(&self) -> PathBuf {
        self.state.clone().unwrap_or_else(|| self.dir.join("state"))
    }

    /// The log of notable events of Backstory itself.
    pub fn events(&self) -> PathBuf {
        self.dir.join("events.jsonl")
    }

    /// Creates the directory, readable by its owner only.
    pub fn create(&self) -> Result<(), StoreError> {
        Ok(create_private_dir(&self.dir)?)
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
