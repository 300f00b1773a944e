//! Values as Postgres takes and gives them.

use crate::connection::refused;
use backstory_store::{Row, StoreError, Value, format_uuid};
use postgres::types::private::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::error::Error;

/// A value on its way in. What it becomes depends on the column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound<'a>(pub(crate) Value<'a>);

type Refusal = Box<dyn Error + Sync + Send>;

impl ToSql for Bound<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Refusal> {
        match (self.0, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(value), &Type::INT8) => value.to_sql(ty, out),
            (Value::Integer(value), &Type::INT4) => i32::try_from(value)?.to_sql(ty, out),
            (Value::Integer(value), &Type::INT2) => i16::try_from(value)?.to_sql(ty, out),
            (Value::Integer(value), &Type::BOOL) => (value != 0).to_sql(ty, out),
            (Value::Integer(value), &Type::FLOAT8) => (value as f64).to_sql(ty, out),
            (Value::Real(value), &Type::FLOAT8) => value.to_sql(ty, out),
            (Value::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::NAME | &Type::UNKNOWN) => {
                without_nul(text).to_sql(ty, out)
            }
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(ty, out),
            // Native ids that are UUIDs come as their bytes.
            (Value::Bytes(bytes), &Type::TEXT) => format_uuid(bytes).to_sql(ty, out),
            (value, ty) => Err(format!("{value:?} does not fit {ty}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Postgres has no NUL in texts, logs do: it is written as `\u{1}0`, and `\u{1}` itself as `\u{1}1`.
const ESCAPE: char = '\u{1}';

fn without_nul(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte <= 1) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(ESCAPE, "\u{1}1").replace('\0', "\u{1}0"))
}

fn with_nul(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ESCAPE => whole.push(if letters.next() == Some('0') { '\0' } else { ESCAPE }),
            letter => whole.push(letter),
        }
    }
    whole
}

/// A value on its way out, as it lies in the row.
struct Given<'a>(Value<'a>);

impl<'a> FromSql<'a> for Given<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Refusal> {
        Ok(Self(match *ty {
            Type::INT8 => Value::Integer(i64::from_sql(ty, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Value::Integer(i16::from_sql(ty, raw)?.into()),
            Type::BOOL => Value::Integer(bool::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(ty, raw)?),
            Type::BYTEA => Value::Bytes(raw),
            _ => Value::Text(<&str>::from_sql(ty, raw)?),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Refusal> {
        Ok(Self(Value::Null))
    }

    fn accepts(ty: &Type) -> bool {
        matches!(
            *ty,
            Type::INT8 | Type::INT4 | Type::INT2 | Type::BOOL | Type::FLOAT8 | Type::BYTEA
        ) || <&str as FromSql<'_>>::accepts(ty)
    }
}

/// One row of an answer.
pub(crate) struct PostgresRow<'a> {
    row: &'a postgres::Row,
    /// Texts that had to be written anew, by column; hardly ever any.
    whole: OnceCell<Vec<OnceCell<String>>>,
}

impl<'a> PostgresRow<'a> {
    pub(crate) fn new(row: &'a postgres::Row) -> Self {
        Self { row, whole: OnceCell::new() }
    }
}

impl Row for PostgresRow<'_> {
    fn value(&self, column: usize) -> Result<Value<'_>, StoreError> {
        let Given(value) = self.row.try_get(column).map_err(refused)?;
        match value {
            Value::Text(text) if text.contains(ESCAPE) => {
                let whole = self.whole.get_or_init(|| vec![OnceCell::new(); self.row.len()]);
                Ok(whole.get(column).map_or(Value::Text(text), |cell| {
                    Value::Text(cell.get_or_init(|| with_nul(text)))
                }))
            }
            value => Ok(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_nul_come_back_whole() {
        for text in ["plain", "a\0b", "\u{1}", "\u{1}0", "\0\u{1}1\u{1}\0", "é\0語"] {
            let stored = without_nul(text);
            assert!(!stored.contains('\0'));
            assert_eq!(with_nul(&stored), text);
        }
    }
}
