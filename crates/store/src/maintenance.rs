//! What only this engine has: its log, its pages and its own check of itself.

use crate::StoreError;
use crate::database::{Database, values};
use rusqlite::config::DbConfig;
use std::path::Path;

impl Database {
    /// Folds the write-ahead log into the database.
    pub(crate) fn fold_log(&self) -> Result<(), StoreError> {
        self.one("PRAGMA wal_checkpoint(TRUNCATE)", &[], |_| Ok(()))?;
        Ok(())
    }

    /// Leaves the log as it is when the connection closes.
    pub(crate) fn keep_log(&self) -> Result<(), StoreError> {
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok(())
    }

    /// Gives free pages back to the file system.
    pub(crate) fn give_back_room(&self) -> Result<(), StoreError> {
        let free: Option<i64> = self.one("PRAGMA freelist_count", &[], |row| row.get(0))?;
        if free.unwrap_or(0) > 0 {
            // Every page given back is a row; who asks for none gets only the first.
            self.all("PRAGMA incremental_vacuum", &[], |_| Ok(()))?;
        }
        self.fold_log()
    }

    /// What is wrong with the database itself.
    pub(crate) fn check(&self) -> Result<Vec<String>, StoreError> {
        let mut lines: Vec<String> = self.all("PRAGMA quick_check(20)", &[], |row| row.get(0))?;
        lines.retain(|line| line != "ok");
        Ok(lines)
    }

    /// Bytes on disk, its log included.
    pub(crate) fn bytes(&self) -> u64 {
        let file = |suffix: &str| {
            let mut name = self.path.clone().into_os_string();
            name.push(suffix);
            fs_err::metadata(Path::new(&name)).map_or(0, |meta| meta.len())
        };
        ["", "-wal", "-shm"].into_iter().map(file).sum()
    }

    /// Bytes of every table and index but those of events.
    pub(crate) fn distilled_bytes(&self) -> Result<u64, StoreError> {
        let names: Vec<String> = self.all(
            "SELECT name FROM sqlite_schema WHERE rootpage > 0 AND tbl_name <> 'events'",
            &[],
            |row| row.get(0),
        )?;
        let mut bytes = 0;
        for name in &names {
            let size = "SELECT sum(pgsize) FROM dbstat WHERE name = ?1 AND aggregate = TRUE";
            bytes += self.one(size, values![name], |row| row.count(0))?.unwrap_or(0);
        }
        Ok(bytes)
    }
}
