//! Statements and rows as Postgres has them.

use crate::connection::{Connection, refused};
use crate::lock;
use crate::pool::Seat;
use crate::upkeep;
use crate::values::{Bound, PostgresRow};
use backstory_store::{Database, EachRow, Fault, NewRows, Room, StoreError, Value};
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::{ToSql, Type};
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How long a question is asked again after the line was lost: about as long as a server takes to
/// start.
const PATIENCE: Duration = Duration::from_secs(15);
/// Before it is asked again; doubles with each time.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Rows added in bulk before the server is told to look at how many a tenant has,
const FIRST_LOOK: u64 = 1_000;
/// and how many times as many before it looks again.
const GROWTH: u64 = 4;

/// Rows of one tenant.
#[derive(Debug)]
pub(crate) struct PostgresDatabase {
    seat: RefCell<Seat>,
    in_transaction: Cell<bool>,
    /// Rows added in bulk, and how many there may be before the server looks at them.
    added: Cell<(u64, u64)>,
}

impl PostgresDatabase {
    pub(crate) fn new(seat: Seat) -> Self {
        Self {
            seat: RefCell::new(seat),
            in_transaction: Cell::new(false),
            added: Cell::new((0, FIRST_LOOK)),
        }
    }

    /// Lets the server look at tables that have grown. Until it has, it takes a tenant for a handful of
    /// rows, and reads all of them where it should look one up.
    fn note_added(&self, connection: &mut Connection, rows: u64) -> Result<(), StoreError> {
        let (count, look_at) = self.added.get();
        let count = count + rows;
        if count < look_at {
            self.added.set((count, look_at));
            return Ok(());
        }
        self.added.set((count, count * GROWTH));
        connection.batch(upkeep::LOOK_AT_TENANTS)
    }

    /// Does something on the connection; outside of a transaction again if the line was lost.
    fn ask<T>(
        &self,
        mut ask: impl FnMut(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut seat = self.seat.borrow_mut();
        let mut pause = FIRST_PAUSE;
        let mut lost: Option<Instant> = None;
        loop {
            let asked = self.connection(&mut seat).and_then(&mut ask);
            match asked {
                Err(error) if error.is_passing() && !self.in_transaction.get() => {
                    seat.give_up();
                    if lost.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                        return Err(seat.pool().named(error));
                    }
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                asked => return asked.map_err(|error| seat.pool().named(error)),
            }
        }
    }

    /// A connection; within a transaction the one that it was begun on.
    fn connection<'a>(&self, seat: &'a mut Seat) -> Result<&'a mut Connection, StoreError> {
        if self.in_transaction.get() { seat.same_connection() } else { seat.connection() }
    }

    /// Ends a transaction, whatever comes of it.
    fn end(&self, sql: &str) -> Result<(), StoreError> {
        let mut seat = self.seat.borrow_mut();
        let ended = seat.same_connection().and_then(|connection| connection.batch(sql));
        self.in_transaction.set(false);
        if ended.is_err() {
            seat.give_up();
        }
        ended.map_err(|error| seat.pool().named(error))
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        if self.in_transaction.get() {
            self.seat.get_mut().give_up();
        }
    }
}

impl Database for PostgresDatabase {
    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        self.ask(|connection| {
            let statement = connection.prepare(sql)?;
            let bound: Vec<Bound<'_>> = values.iter().map(|value| Bound(*value)).collect();
            connection.client.execute(&statement, &references(&bound)).map_err(refused)
        })
    }

    fn rows(
        &self,
        sql: &str,
        values: &[Value<'_>],
        each: &mut EachRow<'_>,
    ) -> Result<(), StoreError> {
        let rows = self.ask(|connection| {
            let statement = connection.prepare(sql)?;
            let bound: Vec<Bound<'_>> = values.iter().map(|value| Bound(*value)).collect();
            connection.client.query(&statement, &references(&bound)).map_err(refused)
        })?;
        for row in &rows {
            if each(&PostgresRow::new(row)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn insert(
        &self,
        table: &str,
        columns: &[&str],
        rows: &mut NewRows<'_>,
    ) -> Result<(), StoreError> {
        let mut seat = self.seat.borrow_mut();
        let copied = self.connection(&mut seat).and_then(|connection| {
            let copied = copy(connection, table, columns, rows)?;
            self.note_added(connection, copied)
        });
        copied.map_err(|error| seat.pool().named(error))
    }

    fn begin(&self) -> Result<(), StoreError> {
        let begin = lock::begin();
        self.ask(|connection| connection.batch(&begin))?;
        self.in_transaction.set(true);
        let Some(process) = self.seat.borrow().pool().lock_holder() else { return Ok(()) };
        let held = self.ask(|connection| {
            if lock::is_held(connection, process)? { Ok(()) } else { Err(lock::not_ours()) }
        });
        if held.is_err() {
            // Why it cannot go on is what is worth telling.
            let _ = self.end("ROLLBACK");
        }
        held
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.end("COMMIT")
    }

    fn rollback(&self) -> Result<(), StoreError> {
        self.end("ROLLBACK")
    }

    fn settle(&self) -> Result<(), StoreError> {
        // What the server says is committed is on its disk.
        Ok(())
    }

    fn leave(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn give_back_room(&self) -> Result<(), StoreError> {
        self.ask(|connection| connection.batch(upkeep::GIVE_BACK_ROOM))
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        let mut wrong = Vec::new();
        self.rows(upkeep::BROKEN_INDEXES, &[], &mut |row| {
            if let Ok(Value::Text(name)) = row.value(0) {
                wrong.push(format!("index {name} is not valid: REINDEX INDEX {name}"));
            }
            ControlFlow::Continue(())
        })?;
        Ok(wrong)
    }

    fn room(&self) -> Result<Room, StoreError> {
        let mut room = Room::default();
        self.rows(upkeep::ROOM, &[], &mut |row| {
            let bytes = |column| match row.value(column) {
                Ok(Value::Integer(bytes)) => bytes as u64,
                _ => 0,
            };
            room = Room { all: bytes(0) + bytes(1), distilled: bytes(1) };
            ControlFlow::Break(())
        })?;
        Ok(room)
    }
}

/// Adds rows in bulk: to the table itself, a view takes none that way.
fn copy(
    connection: &mut Connection,
    table: &str,
    columns: &[&str],
    rows: &mut NewRows<'_>,
) -> Result<u64, StoreError> {
    let columns = columns.join(", ");
    let asked = connection.prepare(&format!("SELECT {columns} FROM {table}_all"))?;
    let types: Vec<Type> = asked.columns().iter().map(|column| column.type_().clone()).collect();
    let copy = connection.prepare(&format!("COPY {table}_all ({columns}) FROM STDIN BINARY"))?;
    let writer = connection.client.copy_in(&copy).map_err(refused)?;
    let mut writer = BinaryCopyInWriter::new(writer, &types);
    rows(&mut |values| {
        if values.len() != types.len() {
            let reason = format!("{} values for {} columns", values.len(), types.len());
            return Err(StoreError::Database { fault: Fault::Other, reason });
        }
        writer.write_raw(values.iter().map(|value| Bound(*value))).map_err(refused)
    })?;
    writer.finish().map_err(refused)
}

fn references<'a>(bound: &'a [Bound<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    bound.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}
