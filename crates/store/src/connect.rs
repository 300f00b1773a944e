//! The only place that opens the database.
#![expect(clippy::disallowed_methods, reason = "this is the shim every other file goes through")]

use crate::database::Database;
use crate::home::private_file;
use crate::{Home, StoreError, migrate};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// More than the statements of any one run.
const STATEMENTS: usize = 64;

/// Opens for reading and writing, creating and migrating as needed.
pub(crate) fn read_write(home: &Home) -> Result<Database, StoreError> {
    home.create()?;
    let path = home.archive();
    // SQLite creates its side files with the mode of the database.
    drop(private_file().open(&path)?);
    let open = || -> Result<Connection, StoreError> {
        let mut connection = Connection::open(&path)?;
        keep_plans(&connection)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.execute_batch(
            "PRAGMA page_size = 16384;
             PRAGMA auto_vacuum = INCREMENTAL;
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL;
             PRAGMA secure_delete = ON;
             PRAGMA cache_size = -24000;
             PRAGMA wal_autocheckpoint = 2000;
             PRAGMA journal_size_limit = 0;
             PRAGMA temp_store = MEMORY;",
        )?;
        migrate::run(&mut connection)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(connection)
    };
    let connection = open().map_err(|error| name_corruption(error, &path))?;
    Ok(Database { connection, path })
}

/// Opens for reading; the archive must exist.
pub(crate) fn read_only(home: &Home) -> Result<Database, StoreError> {
    let path = home.archive();
    if !path.exists() {
        return Err(StoreError::Missing(path));
    }
    let open = || -> Result<Connection, StoreError> {
        let connection = Connection::open_with_flags(
            &path,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        keep_plans(&connection)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.execute_batch("PRAGMA cache_size = -16000; PRAGMA query_only = ON;")?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(connection)
    };
    let connection = open().map_err(|error| name_corruption(error, &path))?;
    if migrate::is_current(&connection) {
        return Ok(Database { connection, path });
    }
    // Written by an older version: brought up to date before it is read.
    drop(connection);
    drop(read_write(home)?);
    let connection = open().map_err(|error| name_corruption(error, &path))?;
    Ok(Database { connection, path })
}

/// A prepared statement stays as it is when other values are bound to it: planning again for every
/// session costs more than the query.
fn keep_plans(connection: &Connection) -> rusqlite::Result<bool> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
}

fn name_corruption(error: StoreError, path: &Path) -> StoreError {
    if error.is_corrupt() {
        return StoreError::Corrupt { path: path.to_owned(), reason: error.to_string() };
    }
    error
}
