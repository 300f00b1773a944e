//! One sweep at a time per tenant, over all workstations.

use crate::connection::{Connection, refused};
use crate::pool::Seat;
use backstory_store::{Fault, StoreError, SweepLock};
use postgres::error::SqlState;
use std::sync::Mutex;
use std::time::Duration;

/// How long a sweep waits for another's.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
/// Our locks among all advisory locks of a database.
const FAMILY: i32 = 0x6261_636b;

/// The locks of transactions.
const TRANSACTIONS: i32 = FAMILY + 1;

/// Takes the lock, waiting a while for whoever holds it; says who that is if it takes too long.
pub(crate) fn acquire(mut seat: Seat, patience: Duration) -> Result<SweepLock, StoreError> {
    let tenant = seat.pool().speaker().tenant.clone();
    let taken = seat.connection().and_then(|connection| take(connection, &tenant, patience));
    match taken {
        Ok(process) => {
            seat.pool().set_lock_holder(Some(process));
            Ok(SweepLock::new(Held { seat: Mutex::new(seat), tenant }))
        }
        Err(error) => {
            // It may have the lock, or half of it.
            seat.give_up();
            Err(error)
        }
    }
}

/// The server's process that has the lock now. Waiting is no work: it may take longer than statements.
fn take(connection: &mut Connection, tenant: &str, patience: Duration) -> Result<i32, StoreError> {
    let patience = patience.as_millis().max(1);
    connection.batch(&format!("SET lock_timeout = {patience}; SET statement_timeout = 0"))?;
    let process = "SELECT pg_advisory_lock($1, hashtext($2)), pg_backend_pid()";
    let taken = connection.client.query_one(process, &[&FAMILY, &tenant]).and_then(|row| {
        // Whoever lost the lock may still be in a transaction: it ends before ours begin.
        let all = "SELECT pg_advisory_xact_lock($1, hashtext($2))";
        connection.client.execute(all, &[&TRANSACTIONS, &tenant])?;
        row.try_get(1)
    });
    match taken {
        Ok(process) => {
            connection.batch("SET lock_timeout = DEFAULT; SET statement_timeout = DEFAULT")?;
            Ok(process)
        }
        Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
            Err(StoreError::Busy(holder(connection, tenant)))
        }
        Err(error) => Err(refused(error)),
    }
}

/// Begins a transaction that the next holder of the lock waits for.
pub(crate) fn begin() -> String {
    format!(
        "BEGIN; SELECT pg_advisory_xact_lock_shared({TRANSACTIONS}, \
            hashtext(current_setting('backstory.tenant')))"
    )
}

/// Whether a process of the server still has the lock: another sweep may have begun if it was lost.
pub(crate) fn is_held(connection: &mut Connection, process: i32) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted
        AND classid::bigint = $1 AND pid = $2)";
    let held = connection.client.query_one(sql, &[&i64::from(FAMILY), &process]);
    held.and_then(|row| row.try_get(0)).map_err(refused)
}

/// Who holds the lock, as far as the server tells.
fn holder(connection: &mut Connection, tenant: &str) -> String {
    let sql = "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND granted AND classid::bigint = $1
            AND objid::bigint = hashtext($2)::bigint & 4294967295
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let found = connection.client.query_opt(sql, &[&i64::from(FAMILY), &tenant]);
    let name = found.ok().flatten().and_then(|row| row.try_get::<_, String>(0).ok());
    let name = name.as_deref().and_then(|name| name.strip_prefix("backstory "));
    match name.and_then(|name| name.rsplit_once(' ')) {
        Some((owner, process)) => format!(" ({owner}, process {process})"),
        None => String::new(),
    }
}

/// The server lets go of the lock with the connection, if this cannot.
struct Held {
    seat: Mutex<Seat>,
    tenant: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        let Ok(seat) = self.seat.get_mut() else { return };
        seat.pool().set_lock_holder(None);
        let unlocked = seat.same_connection().and_then(|connection| {
            let give = "SELECT pg_advisory_unlock($1, hashtext($2))";
            let given = connection.client.query_one(give, &[&FAMILY, &self.tenant]);
            given
                .map_err(refused)
                .and_then(|row| if row.get::<_, bool>(0) { Ok(()) } else { Err(not_ours()) })
        });
        if unlocked.is_err() {
            seat.give_up();
        }
    }
}

/// Said where the server let go of the lock, which passes: it can be taken again.
pub(crate) fn not_ours() -> StoreError {
    StoreError::Database { fault: Fault::Passing, reason: "the sweep's lock was lost".into() }
}
