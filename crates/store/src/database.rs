//! Statements, values and rows: all that the rest of this crate knows of the engine underneath.

use crate::StoreError;
use crate::error::Fault;
use std::ops::ControlFlow;

/// A value on its way into a statement or out of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A whole number; truth is 1 and 0.
    Integer(i64),
    /// A fraction.
    Real(f64),
    /// A text.
    Text(&'a str),
    /// Bytes.
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
pub trait Row {
    /// A column as it is stored.
    fn value(&self, column: usize) -> Result<Value<'_>, StoreError>;
}

impl dyn Row + '_ {
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

/// What row after row is handed to; it may end the reading.
pub type EachRow<'a> = dyn FnMut(&dyn Row) -> ControlFlow<()> + 'a;

/// What takes a new row.
pub type TakeRow<'a> = dyn FnMut(&[Value<'_>]) -> Result<(), StoreError> + 'a;

/// What hands new rows to whoever takes them.
pub type NewRows<'a> = dyn FnMut(&mut TakeRow<'_>) -> Result<(), StoreError> + 'a;

/// A connection to the rows of an archive. Statements number their values `?1`, `?2` …
pub trait Database: std::fmt::Debug + Send {
    /// Runs a statement; returns how many rows it changed.
    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError>;

    /// Hands row after row of an answer to `each`.
    fn rows(
        &self,
        sql: &str,
        values: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError>;

    /// Adds rows that are known to be new, in the open transaction. `rows` hands each to what it is
    /// given, its values in the order of the columns.
    fn insert(
        &self,
        table: &str,
        columns: &[&str],
        rows: &mut NewRows<'_>,
    ) -> Result<(), StoreError>;

    /// Begins a transaction that may write.
    fn begin(&self) -> Result<(), StoreError>;

    /// Ends it.
    fn commit(&self) -> Result<(), StoreError>;

    /// Ends it as if it had not been.
    fn rollback(&self) -> Result<(), StoreError>;

    /// Makes what was committed last beyond the loss of power.
    fn settle(&self) -> Result<(), StoreError>;

    /// Ends a run that brought nothing, without waiting for the disk.
    fn leave(&self) -> Result<(), StoreError>;

    /// Gives the room of removed rows back.
    fn give_back_room(&self) -> Result<(), StoreError>;

    /// What is wrong with the database itself.
    fn check(&self) -> Result<Vec<String>, StoreError>;

    /// Bytes it takes: all of it, and what is not raw events.
    fn room(&self) -> Result<Room, StoreError>;
}

/// Bytes a database takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// All of it.
    pub all: u64,
    /// Everything but raw events.
    pub distilled: u64,
}

impl dyn Database + '_ {
    /// The first row of an answer.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&dyn Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let (mut read, mut first) = (Some(read), None);
        self.rows(sql, values, &mut |row| {
            first = read.take().map(|read| read(row));
            ControlFlow::Break(())
        })?;
        first.transpose()
    }

    /// Every row of an answer.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&dyn Row) -> Result<T, StoreError>,
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
        mut each: impl FnMut(&dyn Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failure = None;
        self.rows(sql, values, &mut |row| match each(row) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        })?;
        failure.map_or(Ok(()), Err)
    }
}
