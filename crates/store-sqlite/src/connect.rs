//! The only place that opens the database.
#![expect(clippy::disallowed_methods, reason = "this is the shim every other file goes through")]

use crate::database::{SqliteDatabase, refused};
use crate::migrate;
use backstory_store::{StoreError, private_file};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// More than the statements of any one run.
const STATEMENTS: usize = 64;
/// How long a statement waits for another process.
const PATIENCE: Duration = Duration::from_secs(10);

/// Opens for reading and writing, creating and migrating as needed.
pub(crate) fn read_write(path: &Path) -> Result<SqliteDatabase, StoreError> {
    // SQLite creates its side files with the mode of the database.
    drop(private_file().open(path)?);
    let open = || -> rusqlite::Result<Connection> {
        let mut connection = Connection::open(path)?;
        prepare(&connection)?;
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
        Ok(connection)
    };
    named(open(), path)
}

/// Opens for reading; the archive must exist.
pub(crate) fn read_only(path: &Path) -> Result<SqliteDatabase, StoreError> {
    if !path.exists() {
        return Err(StoreError::Missing(path.display().to_string()));
    }
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        prepare(&connection)?;
        connection.execute_batch("PRAGMA cache_size = -8000; PRAGMA query_only = ON;")?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(connection)
    };
    let database = named(open(), path)?;
    if migrate::is_current(&database.connection) {
        return Ok(database);
    }
    // Written by an older version: brought up to date before it is read.
    drop(database);
    drop(read_write(path)?);
    named(open(), path)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // A prepared statement stays as it is when other values are bound to it: planning again for every
    // session costs more than the query.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.busy_timeout(PATIENCE)
}

/// Says which file is damaged.
fn named(opened: rusqlite::Result<Connection>, path: &Path) -> Result<SqliteDatabase, StoreError> {
    let connection = opened.map_err(refused).map_err(|error| {
        if error.is_corrupt() {
            return StoreError::Corrupt { path: path.to_owned(), reason: error.to_string() };
        }
        error
    })?;
    Ok(SqliteDatabase { connection, path: path.to_owned() })
}
