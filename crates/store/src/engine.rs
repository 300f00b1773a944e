//! Where the rows of an archive are kept.

use crate::{Database, Home, StoreError};
use std::any::Any;
use std::fmt::Debug;
use std::path::PathBuf;

/// A place rows are kept in.
pub trait Engine: Debug + Send + Sync {
    /// As people know it.
    fn name(&self) -> String;

    /// True once something was taken in.
    fn exists(&self) -> Result<bool, StoreError>;

    /// Connects for reading; the archive must exist.
    fn read(&self) -> Result<Box<dyn Database>, StoreError>;

    /// Connects for writing, creating and migrating as needed.
    fn write(&self) -> Result<Box<dyn Database>, StoreError>;

    /// Keeps other sweeps away.
    fn lock(&self) -> Result<SweepLock, StoreError>;

    /// Files of its own below the home directory.
    fn files(&self) -> Vec<PathBuf>;
}

/// Held while a sweep runs; released when dropped or when the process dies.
pub struct SweepLock {
    _held: Box<dyn Any + Send>,
}

impl Debug for SweepLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SweepLock").finish_non_exhaustive()
    }
}

impl SweepLock {
    /// The lock is whatever is released when this is dropped.
    pub fn new(held: impl Any + Send) -> Self {
        Self { _held: Box::new(held) }
    }

    /// Takes the lock, or says who holds it.
    pub fn acquire(home: &Home) -> Result<Self, StoreError> {
        home.create()?;
        home.engine().lock()
    }
}
