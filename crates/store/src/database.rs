//! Statements, values and rows: all that the rest of this crate knows of the engine underneath.

use crate::StoreError;
use crate::error::Fault;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, Statement};
use std::path::PathBuf;

/// A value on its way into a statement or out of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    fn kind(self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Integer(_) => "an integer",
            Self::Real(_) => "a number",
            Self::Text(_) => "a text",
            Self::Bytes(_) => "bytes",
        }
    }
}

/// The values of a statement, in the order of their numbers.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::database::Value::from($value)),*] };
}
pub(crate) use values;

macro_rules! integers {
    ($($integer:ty),*) => {
        $(impl From<$integer> for Value<'_> {
            fn from(value: $integer) -> Self {
                Self::Integer(i64::from(value))
            }
        }

        impl FromValue for $integer {
            fn from_value(value: Value<'_>) -> Option<Self> {
                let Value::Integer(value) = value else { return None };
                Self::try_from(value).ok()
            }
        })*
    };
}
integers!(i32, i64, u8, u32);

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Integer(i64::from(value))
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Bytes(value)
    }
}

impl<'a> From<&'a Vec<u8>> for Value<'a> {
    fn from(value: &'a Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Integer(value) => ValueRef::Integer(value),
            Self::Real(value) => ValueRef::Real(value),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// What a column can be read as.
pub(crate) trait FromValue: Sized {
    /// None if the value is of another kind.
    fn from_value(value: Value<'_>) -> Option<Self>;
}

impl FromValue for bool {
    fn from_value(value: Value<'_>) -> Option<Self> {
        i64::from_value(value).map(|value| value != 0)
    }
}

impl FromValue for f64 {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Real(value) => Some(value),
            Value::Integer(value) => Some(value as Self),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: Value<'_>) -> Option<Self> {
        let Value::Text(text) = value else { return None };
        Some(text.to_owned())
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: Value<'_>) -> Option<Self> {
        let Value::Bytes(bytes) = value else { return None };
        Some(bytes.to_owned())
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value<'_>) -> Option<Self> {
        if value == Value::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}

/// One row of an answer.
#[derive(Debug)]
pub(crate) struct Row<'a>(&'a rusqlite::Row<'a>);

impl Row<'_> {
    /// A column as it is stored.
    pub(crate) fn value(&self, column: usize) -> Result<Value<'_>, StoreError> {
        Ok(match self.0.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => Value::Integer(value),
            ValueRef::Real(value) => Value::Real(value),
            ValueRef::Text(text) => Value::Text(
                std::str::from_utf8(text)
                    .map_err(|error| rusqlite::Error::Utf8Error(column, error))?,
            ),
            ValueRef::Blob(bytes) => Value::Bytes(bytes),
        })
    }

    pub(crate) fn get<T: FromValue>(&self, column: usize) -> Result<T, StoreError> {
        let value = self.value(column)?;
        T::from_value(value).ok_or_else(|| StoreError::Database {
            fault: Fault::Other,
            reason: format!("column {column} of a row holds {}", value.kind()),
        })
    }

    /// A count; none is 0.
    pub(crate) fn count(&self, column: usize) -> Result<u64, StoreError> {
        Ok(self.get::<Option<i64>>(column)?.unwrap_or(0) as u64)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let fault = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Fault::DiskFull,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Fault::Corrupt,
            _ => Fault::Other,
        };
        Self::Database { fault, reason: error.to_string() }
    }
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

impl Database {
    /// Runs a statement; returns how many rows it changed.
    pub(crate) fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        bind(&mut statement, values)?;
        Ok(statement.raw_execute()? as u64)
    }

    /// The first row of an answer.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        bind(&mut statement, values)?;
        let mut rows = statement.raw_query();
        rows.next()?.map(|row| read(&Row(row))).transpose()
    }

    /// Every row of an answer.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut all = Vec::new();
        self.each(sql, values, |row| -> Result<(), StoreError> {
            all.push(read(row)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// Hands row after row to `each`, until it fails.
    pub(crate) fn each<E: From<StoreError>>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        mut each: impl FnMut(&Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error| E::from(StoreError::from(error));
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        bind(&mut statement, values).map_err(failed)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(failed)? {
            each(&Row(row))?;
        }
        Ok(())
    }

    /// Begins a transaction that may write.
    pub(crate) fn begin(&self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("BEGIN IMMEDIATE")?)
    }

    /// Ends it.
    pub(crate) fn commit(&self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    /// Ends it as if it had not been.
    pub(crate) fn rollback(&self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("ROLLBACK")?)
    }
}

fn bind(statement: &mut Statement<'_>, values: &[Value<'_>]) -> rusqlite::Result<()> {
    let expected = statement.parameter_count();
    if values.len() != expected {
        return Err(rusqlite::Error::InvalidParameterCount(values.len(), expected));
    }
    for (at, value) in values.iter().enumerate() {
        statement.raw_bind_parameter(at + 1, value)?;
    }
    Ok(())
}
