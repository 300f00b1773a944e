//! Keeping a search index in step: every change of a session is noted in the transaction that makes
//! it, and struck out once the index has it. Whatever is killed in between is done again.

use crate::database::{Row, values};
use crate::{PendingSession, StoreError, Vault, Writer};
use backstory_model::SessionUid;

/// What the index has not heard of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDebt {
    /// The session, from the first event the index does not have.
    pub session: PendingSession,
    /// Bits of [`IndexDebt::EVENTS`], [`IndexDebt::CARD`], [`IndexDebt::REDO`].
    pub flags: u32,
    /// False once it was forgotten.
    pub is_known: bool,
}

impl IndexDebt {
    /// Events were added.
    pub const EVENTS: u32 = 1;
    /// Title or digest changed.
    pub const CARD: u32 = 2;
    /// Events left or changed: those in the index are void.
    pub const REDO: u32 = 4;

    /// True if one of these bits is set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

/// The index an archive is in step with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexState {
    /// Its name, which says its version.
    pub name: String,
    /// Its last commit known here.
    pub batch: u64,
}

const DEBT_SQL: &str = "SELECT s.id, s.session_uid,
    CASE WHEN d.flags & 4 <> 0 OR s.indexed_seq < s.evicted_before THEN s.evicted_before
        ELSE s.indexed_seq END,
    s.next_seq, d.flags, s.events > 0 AND s.forgotten_at IS NULL
    FROM index_debts d JOIN sessions s ON s.id = d.session_id";

fn debt(row: &dyn Row) -> Result<IndexDebt, StoreError> {
    Ok(IndexDebt {
        session: PendingSession {
            id: row.get(0)?,
            uid: SessionUid::from_stored(row.get(1)?),
            from_seq: row.get(2)?,
            next_seq: row.get(3)?,
        },
        flags: row.get(4)?,
        is_known: row.get(5)?,
    })
}

impl Vault {
    /// What the index has not heard of, in sessions behind row id `after`, at most `limit` of them.
    pub fn index_debts(&self, after: i64, limit: usize) -> Result<Vec<IndexDebt>, StoreError> {
        let sql = format!("{DEBT_SQL} WHERE d.session_id > ?1 ORDER BY d.session_id LIMIT ?2");
        self.database.all(&sql, values![after, limit as i64], debt)
    }

    /// What the index has not heard of a session.
    pub fn index_debt(&self, session_id: i64) -> Result<Option<IndexDebt>, StoreError> {
        let sql = format!("{DEBT_SQL} WHERE d.session_id = ?1");
        self.database.one(&sql, values![session_id], debt)
    }

    /// Sessions the index has not heard all of.
    pub fn index_debt_count(&self) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM index_debts";
        Ok(self.database.one(sql, &[], |row| row.count(0))?.unwrap_or(0))
    }

    /// The index this archive is in step with.
    pub fn index_state(&self) -> Result<Option<IndexState>, StoreError> {
        self.database.one("SELECT name, batch FROM index_state", &[], |row| {
            Ok(IndexState { name: row.get(0)?, batch: row.count(1)? })
        })
    }
}

impl Writer {
    /// Notes what the index has to hear, within the open transaction.
    pub(crate) fn owe_index(&self, session_id: i64, flags: u32) -> Result<(), StoreError> {
        self.database.run(
            "INSERT INTO index_debts (session_id, flags) VALUES (?1, ?2)
             ON CONFLICT (session_id) DO UPDATE SET flags = index_debts.flags | excluded.flags",
            values![session_id, flags],
        )?;
        Ok(())
    }

    /// Strikes out what commit `batch` of the index brought.
    pub fn settle_index(&mut self, paid: &[IndexDebt], batch: u64) -> Result<(), StoreError> {
        self.begin()?;
        for debt in paid {
            self.database.run(
                "UPDATE sessions SET indexed_seq = ?2 WHERE id = ?1",
                values![debt.session.id, debt.session.next_seq],
            )?;
            self.database
                .run("DELETE FROM index_debts WHERE session_id = ?1", values![debt.session.id])?;
        }
        self.database.run("UPDATE index_state SET batch = ?1", values![batch as i64])?;
        self.commit()
    }

    /// Begins a new index: every session is to be heard of again.
    pub fn renew_index(&mut self, name: &str) -> Result<(), StoreError> {
        self.commit()?;
        self.begin()?;
        self.database.run("UPDATE sessions SET indexed_seq = 0", &[])?;
        self.database.run(
            "INSERT INTO index_debts (session_id, flags)
             SELECT id, 3 FROM sessions WHERE events > 0 AND forgotten_at IS NULL
             ON CONFLICT (session_id) DO UPDATE SET flags = excluded.flags",
            &[],
        )?;
        self.database.run(
            "INSERT INTO index_state (id, name, batch) VALUES (1, ?1, 0)
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, batch = 0",
            values![name],
        )?;
        self.commit()
    }
}
