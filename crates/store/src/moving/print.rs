//! What a session or a log comes to, whatever engine its rows are on: a count and a hash of every
//! value and every payload.

use super::tables::{DECISIONS, OF_SESSION, OF_SOURCE, SESSION, SOURCE, Table, USAGE_SQL};
use crate::database::{Row, Value, values};
use crate::decisions::HUB;
use crate::rows::{self, EVENT_SQL, LOST_BLOCK};
use crate::{PackFault, StoreError, Vault};
use std::cell::Ref;
use xxhash_rust::xxh3::Xxh3;

/// Rows, and a hash over all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Print {
    /// Rows.
    pub rows: u64,
    /// Events among them.
    pub events: u64,
    /// Bytes of payloads, taken apart.
    pub payload_bytes: u64,
    /// What they come to.
    pub hash: u64,
}

/// Where a column of [`EVENT_SQL`] is that each archive has of its own.
const BLOCK: usize = 11;
const NATIVE_ID: usize = 3;
const EVENT_COLUMNS: usize = 19;

#[derive(Default)]
struct Printing {
    print: Print,
    hasher: Xxh3,
}

impl Printing {
    fn value(&mut self, value: Value<'_>) {
        let (tag, number) = match value {
            Value::Null => (0, 0),
            Value::Integer(number) => (1, number as u64),
            Value::Real(number) => (2, number.to_bits()),
            Value::Text(text) => (3, text.len() as u64),
            Value::Bytes(bytes) => (4, bytes.len() as u64),
        };
        self.hasher.update(&[tag]);
        self.hasher.update(&number.to_le_bytes());
        match value {
            Value::Text(text) => self.hasher.update(text.as_bytes()),
            Value::Bytes(bytes) => self.hasher.update(bytes),
            _ => {}
        }
    }

    fn row(&mut self, row: &dyn Row, columns: usize) -> Result<(), StoreError> {
        self.print.rows += 1;
        (0..columns).try_for_each(|column| {
            self.value(row.value(column)?);
            Ok(())
        })
    }

    fn done(self) -> Print {
        Print { hash: self.hasher.digest(), ..self.print }
    }
}

impl Vault {
    /// What a session comes to; nothing if there is none.
    pub(super) fn session_print(&self, id: i64) -> Result<Option<Print>, StoreError> {
        let mut printing = Printing::default();
        self.print_table(&SESSION, id, &mut printing)?;
        if printing.print.rows == 0 {
            return Ok(None);
        }
        self.print_events(id, &mut printing)?;
        self.database.each(USAGE_SQL, values![id], |row| printing.row(row, 11))?;
        for table in &OF_SESSION {
            self.print_table(table, id, &mut printing)?;
        }
        Ok(Some(printing.done()))
    }

    /// What the decisions of hubs come to.
    pub(super) fn hub_print(&self) -> Result<Print, StoreError> {
        let mut printing = Printing::default();
        self.print_table(&DECISIONS, HUB, &mut printing)?;
        Ok(printing.done())
    }

    /// What a log comes to.
    pub(super) fn source_print(&self, id: i64) -> Result<Option<Print>, StoreError> {
        let mut printing = Printing::default();
        self.print_table(&SOURCE, id, &mut printing)?;
        if printing.print.rows == 0 {
            return Ok(None);
        }
        for table in &OF_SOURCE {
            self.print_table(table, id, &mut printing)?;
        }
        Ok(Some(printing.done()))
    }

    fn print_table(
        &self,
        table: &Table,
        id: i64,
        printing: &mut Printing,
    ) -> Result<(), StoreError> {
        let columns = table.columns.len();
        self.database.each(&table.select(), values![id], |row| printing.row(row, columns))
    }

    /// Events with what their payloads say instead of where they lie.
    fn print_events(&self, id: i64, printing: &mut Printing) -> Result<(), StoreError> {
        let sql = format!("{EVENT_SQL} ORDER BY seq");
        self.database.each(&sql, values![id], |row| {
            printing.print.rows += 1;
            printing.print.events += 1;
            for column in (0..EVENT_COLUMNS).filter(|column| !(BLOCK..BLOCK + 3).contains(column)) {
                match row.value(column)? {
                    Value::Bytes(_) if column == NATIVE_ID => {
                        let id = rows::native_id(row)?.unwrap_or_default();
                        printing.value(Value::Text(&id));
                    }
                    value => printing.value(value),
                }
            }
            let Some((block, offset, len)) = rows::place(row)? else { return Ok(()) };
            let Some(raw) = self.readable_block(id, block)? else {
                printing.value(Value::Integer(LOST_BLOCK));
                return Ok(());
            };
            let payload = raw.get(offset..offset + len).unwrap_or_default();
            printing.print.payload_bytes += payload.len() as u64;
            printing.value(Value::Bytes(payload));
            Ok(())
        })
    }

    /// The raw bytes of a block; nothing if they are lost.
    pub(super) fn readable_block(
        &self,
        session_id: i64,
        block: i64,
    ) -> Result<Option<Ref<'_, [u8]>>, StoreError> {
        if block == LOST_BLOCK {
            return Ok(None);
        }
        match self.payloads.block(session_id, block as u64) {
            Ok(raw) => Ok(Some(raw)),
            Err(PackFault::Lost(_)) => Ok(None),
            Err(PackFault::Unreachable(reason)) => Err(StoreError::Packs(reason)),
        }
    }
}
