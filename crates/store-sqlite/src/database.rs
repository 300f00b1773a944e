//! Statements, values and rows as SQLite has them, and what only it has: its log, its pages and its
//! own check of itself.

use crate::side_file;
use backstory_store::{Database, EachRow, Fault, NewRows, Room, Row, StoreError, Value};
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, Statement, ToSql};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A connection to an archive in one file.
#[derive(Debug)]
pub(crate) struct SqliteDatabase {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

impl SqliteDatabase {
    fn count(&self, sql: &str, value: Option<&str>) -> Result<u64, StoreError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(refused)?;
        let count = |row: &rusqlite::Row<'_>| row.get::<_, Option<i64>>(0);
        let count = statement.query_row(rusqlite::params_from_iter(value), count);
        Ok(count.map_err(refused)?.unwrap_or(0) as u64)
    }

    fn texts(&self, sql: &str) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare(sql).map_err(refused)?;
        let texts = statement.query_map([], |row| row.get(0)).map_err(refused)?;
        texts.collect::<Result<_, _>>().map_err(refused)
    }
}

impl Database for SqliteDatabase {
    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        let run = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            bind(&mut statement, values)?;
            statement.raw_execute()
        };
        run().map(|changed| changed as u64).map_err(refused)
    }

    fn rows(
        &self,
        sql: &str,
        values: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError> {
        let mut read = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            bind(&mut statement, values)?;
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                if each(&SqliteRow(row)).is_break() {
                    break;
                }
            }
            Ok(())
        };
        read().map_err(refused)
    }

    fn insert(
        &self,
        table: &str,
        columns: &[&str],
        rows: &mut NewRows<'_>,
    ) -> Result<(), StoreError> {
        let places: Vec<String> = (1..=columns.len()).map(|number| format!("?{number}")).collect();
        let (columns, places) = (columns.join(", "), places.join(", "));
        let sql = format!("INSERT INTO {table} ({columns}) VALUES ({places})");
        let mut statement = self.connection.prepare_cached(&sql).map_err(refused)?;
        rows(&mut |values| {
            bind(&mut statement, values).map_err(refused)?;
            statement.raw_execute().map(|_| ()).map_err(refused)
        })
    }

    fn begin(&self) -> Result<(), StoreError> {
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(refused)
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.connection.execute_batch("COMMIT").map_err(refused)
    }

    fn rollback(&self) -> Result<(), StoreError> {
        self.connection.execute_batch("ROLLBACK").map_err(refused)
    }

    fn settle(&self) -> Result<(), StoreError> {
        let fold = "PRAGMA wal_checkpoint(TRUNCATE)";
        self.connection.query_row(fold, [], |_| Ok(())).map_err(refused)
    }

    fn leave(&self) -> Result<(), StoreError> {
        // One small row in the log is not worth folding it.
        let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        self.connection.set_db_config(keep_log, true).map_err(refused)?;
        Ok(())
    }

    fn give_back_room(&self) -> Result<(), StoreError> {
        if self.count("PRAGMA freelist_count", None)? > 0 {
            // Every page given back is a row; who asks for none gets only the first.
            self.rows("PRAGMA incremental_vacuum", &[], &mut |_| ControlFlow::Continue(()))?;
        }
        self.settle()
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        let mut lines = self.texts("PRAGMA quick_check(20)")?;
        lines.retain(|line| line != "ok");
        Ok(lines)
    }

    fn room(&self) -> Result<Room, StoreError> {
        let file =
            |suffix| fs_err::metadata(side_file(&self.path, suffix)).map_or(0, |meta| meta.len());
        let mut room = Room { all: ["", "-wal", "-shm"].into_iter().map(file).sum(), distilled: 0 };
        let tables = "SELECT name FROM sqlite_schema WHERE rootpage > 0 AND tbl_name <> 'events'";
        for table in self.texts(tables)? {
            let pages = "SELECT sum(pgsize) FROM dbstat WHERE name = ?1 AND aggregate = TRUE";
            room.distilled += self.count(pages, Some(&table))?;
        }
        Ok(room)
    }
}

fn bind(statement: &mut Statement<'_>, values: &[Value<'_>]) -> rusqlite::Result<()> {
    let expected = statement.parameter_count();
    if values.len() != expected {
        return Err(rusqlite::Error::InvalidParameterCount(values.len(), expected));
    }
    for (at, value) in values.iter().enumerate() {
        statement.raw_bind_parameter(at + 1, Bound(*value))?;
    }
    Ok(())
}

struct Bound<'a>(Value<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(value) => ValueRef::Integer(value),
            Value::Real(value) => ValueRef::Real(value),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

struct SqliteRow<'a>(&'a rusqlite::Row<'a>);

impl Row for SqliteRow<'_> {
    fn value(&self, column: usize) -> Result<Value<'_>, StoreError> {
        Ok(match self.0.get_ref(column).map_err(refused)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => Value::Integer(value),
            ValueRef::Real(value) => Value::Real(value),
            ValueRef::Text(text) => Value::Text(
                std::str::from_utf8(text)
                    .map_err(|error| refused(rusqlite::Error::Utf8Error(column, error)))?,
            ),
            ValueRef::Blob(bytes) => Value::Bytes(bytes),
        })
    }
}

/// What SQLite says, and what is at fault.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
pub(crate) fn refused(error: rusqlite::Error) -> StoreError {
    let fault = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Fault::DiskFull,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Fault::Corrupt,
        _ => Fault::Other,
    };
    StoreError::Database { fault, reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use backstory_store::Writer;

    #[test]
    fn room_is_given_back_to_the_last_page() {
        let dir = tempfile::tempdir().unwrap();
        let home = crate::home(dir.path());
        Writer::open(&home).unwrap().reclaim().unwrap();
        let database = home.engine().write().unwrap();
        let len = || fs_err::metadata(dir.path().join("archive.db")).unwrap().len();
        let before = len();
        let many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300)
            INSERT INTO digests SELECT x, 1, randomblob(9000), x'' FROM n";
        database.run(many, &[]).unwrap();
        database.give_back_room().unwrap();
        assert!(len() > before + 2_000_000);
        database.run("DELETE FROM digests", &[]).unwrap();
        database.give_back_room().unwrap();
        // What is left beyond are pages of the map of pages.
        assert!(len() <= before + 2 * 16_384, "{} of {before} bytes", len());
    }
}
