//! The index of one machine: files below the home directory.

use crate::reader::LocalReader;
use crate::schema::DIR_NAME;
use crate::writer::LocalWriter;
use crate::{IndexError, Reader, Shelf, Stay, Writer};
use fs_err as fs;
use std::path::PathBuf;

/// What names of directories with an index of any version begin with.
const ANY_VERSION: &str = "index-v";

/// A home directory an index is kept in.
#[derive(Clone, Debug)]
pub struct LocalShelf {
    home: PathBuf,
}

impl LocalShelf {
    /// Names the home directory; nothing is created.
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self { home: home.into() }
    }

    /// Indices, of every version there is.
    fn indices(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.home) else { return Vec::new() };
        let is_index = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(ANY_VERSION))
        };
        entries.flatten().map(|entry| entry.path()).filter(is_index).collect()
    }
}

impl Shelf for LocalShelf {
    fn name(&self) -> &'static str {
        DIR_NAME
    }

    fn exists(&self) -> bool {
        self.home.join(DIR_NAME).is_dir()
    }

    /// A handful of large files: what the last piece of each wastes on disk does not count.
    fn bytes(&self) -> u64 {
        let dirs = self.indices().into_iter().filter_map(|dir| fs::read_dir(dir).ok());
        let files = dirs.flat_map(Iterator::flatten).filter_map(|entry| entry.metadata().ok());
        files.map(|file| file.len()).sum()
    }

    fn remove(&self) -> Result<(), IndexError> {
        for dir in self.indices() {
            fs::remove_dir_all(dir)?;
        }
        Ok(())
    }

    fn reader(&self, stay: Stay) -> Result<Box<dyn Reader>, IndexError> {
        Ok(Box::new(LocalReader::open(&self.home, stay)?))
    }

    fn writer(&self, batch: u64) -> Result<Box<dyn Writer>, IndexError> {
        Ok(Box::new(LocalWriter::open(&self.home, batch)?))
    }
}
