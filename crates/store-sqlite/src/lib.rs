//! Rows of an archive in one SQLite file below the home directory.
//!
//! The only crate that knows the driver: [`home`] is how everyone else gets an archive on it.

mod connect;
mod database;
mod lock;
mod migrate;

use backstory_store::{Database, Engine, Home, StoreError, SweepLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The home directory with the archive in a file of its own.
pub fn home(dir: impl Into<PathBuf>) -> Home {
    let dir = dir.into();
    let engine = Sqlite { dir: dir.clone() };
    Home::new(dir, Arc::new(engine))
}

/// The engine of one home.
#[derive(Debug)]
struct Sqlite {
    dir: PathBuf,
}

impl Sqlite {
    fn archive(&self) -> PathBuf {
        self.dir.join("archive.db")
    }
}

impl Engine for Sqlite {
    fn name(&self) -> String {
        self.archive().display().to_string()
    }

    fn exists(&self) -> Result<bool, StoreError> {
        Ok(self.archive().exists())
    }

    fn read(&self) -> Result<Box<dyn Database>, StoreError> {
        Ok(Box::new(connect::read_only(&self.archive())?))
    }

    fn write(&self) -> Result<Box<dyn Database>, StoreError> {
        Ok(Box::new(connect::read_write(&self.archive())?))
    }

    fn lock(&self) -> Result<SweepLock, StoreError> {
        lock::acquire(&self.dir.join("sweep.lock"))
    }

    fn files(&self) -> Vec<PathBuf> {
        let archive = self.archive();
        let mut log = archive.clone().into_os_string();
        log.push("-wal");
        vec![archive, PathBuf::from(log), self.dir.join("sweep.lock")]
    }
}

/// A file of the archive beside the database.
fn side_file(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}
