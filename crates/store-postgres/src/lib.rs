//! Rows of an archive on Postgres, for as many workstations as reach it.
//!
//! The only crate that knows the driver: [`Postgres`] is how everyone else gets an archive on it. Every
//! row belongs to a tenant and an owner; a connection speaks for one of each and sees its tenant's
//! rows alone (see the first migration).

mod address;
mod connection;
mod database;
mod lock;
mod migrate;
mod pool;
mod search;
mod tls;
mod upkeep;
mod values;

pub use address::{Address, AddressError};
pub use search::PostgresShelf;

use backstory_store::{Database, Engine, StoreError, SweepLock};
use database::PostgresDatabase;
use pool::Pool;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The archive of one tenant on a server.
#[derive(Debug)]
pub struct Postgres {
    pool: Arc<Pool>,
    patience: Duration,
}

impl Postgres {
    /// Names it; nothing is connected yet.
    pub fn new(address: Address, speaker: Speaker) -> Self {
        Self { pool: Arc::new(Pool::new(address, speaker)), patience: lock::PATIENCE }
    }

    /// The same, waiting so long for the sweep of another.
    #[must_use]
    pub fn waiting(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// What failed, with the server it is about.
    fn named<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        done.map_err(|error| self.pool.named(error))
    }
}

/// Whom a connection speaks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
    /// Whose archive it is.
    pub tenant: String,
    /// Who brings in what this connection writes.
    pub owner: String,
}

impl Engine for Postgres {
    fn name(&self) -> String {
        self.pool.address().to_string()
    }

    fn exists(&self) -> Result<bool, StoreError> {
        self.named(self.pool.seat().connection().and_then(migrate::exists))
    }

    fn read(&self) -> Result<Box<dyn Database>, StoreError> {
        let mut seat = self.pool.seat();
        if !self.named(seat.connection().and_then(migrate::exists))? {
            return Err(StoreError::Missing(self.name()));
        }
        self.named(seat.connection().and_then(migrate::bring_up_to_date))?;
        Ok(Box::new(PostgresDatabase::new(seat)))
    }

    fn write(&self) -> Result<Box<dyn Database>, StoreError> {
        let mut seat = self.pool.seat();
        self.named(seat.connection().and_then(migrate::run))?;
        Ok(Box::new(PostgresDatabase::new(seat)))
    }

    fn lock(&self) -> Result<SweepLock, StoreError> {
        self.named(lock::acquire(self.pool.seat(), self.patience))
    }

    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}
