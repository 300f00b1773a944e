//! An engine that counts what is asked of those who read.

use backstory_store::{
    Database, EachRow, Engine, Home, NewRows, Room, StoreError, SweepLock, Value,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Questions asked so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked(Arc<AtomicUsize>);

impl Asked {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn forget(&self) {
        self.0.store(0, Ordering::SeqCst);
    }
}

/// The same archive, and what is asked of it.
pub(crate) fn counted(home: Home) -> (Home, Asked) {
    let asked = Asked::default();
    let dir = home.dir().to_owned();
    (Home::new(dir, Arc::new(Counted { home, asked: asked.clone() })), asked)
}

#[derive(Debug)]
struct Counted {
    home: Home,
    asked: Asked,
}

impl Engine for Counted {
    fn name(&self) -> String {
        self.home.engine().name()
    }

    fn exists(&self) -> Result<bool, StoreError> {
        self.home.engine().exists()
    }

    fn read(&self) -> Result<Box<dyn Database>, StoreError> {
        let database = self.home.engine().read()?;
        Ok(Box::new(CountedDatabase { database, asked: self.asked.clone() }))
    }

    fn write(&self) -> Result<Box<dyn Database>, StoreError> {
        self.home.engine().write()
    }

    fn lock(&self) -> Result<SweepLock, StoreError> {
        self.home.engine().lock()
    }

    fn files(&self) -> Vec<PathBuf> {
        self.home.engine().files()
    }
}

#[derive(Debug)]
struct CountedDatabase {
    database: Box<dyn Database>,
    asked: Asked,
}

impl Database for CountedDatabase {
    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        self.asked.0.fetch_add(1, Ordering::SeqCst);
        self.database.run(sql, values)
    }

    fn rows(
        &self,
        sql: &str,
        values: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError> {
        self.asked.0.fetch_add(1, Ordering::SeqCst);
        self.database.rows(sql, values, each)
    }

    fn insert(
        &self,
        table: &str,
        columns: &[&str],
        rows: &mut NewRows<'_>,
    ) -> Result<(), StoreError> {
        self.database.insert(table, columns, rows)
    }

    fn begin(&self) -> Result<(), StoreError> {
        self.database.begin()
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.database.commit()
    }

    fn rollback(&self) -> Result<(), StoreError> {
        self.database.rollback()
    }

    fn settle(&self) -> Result<(), StoreError> {
        self.database.settle()
    }

    fn leave(&self) -> Result<(), StoreError> {
        self.database.leave()
    }

    fn give_back_room(&self) -> Result<(), StoreError> {
        self.database.give_back_room()
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        self.database.check()
    }

    fn room(&self) -> Result<Room, StoreError> {
        self.database.room()
    }
}
