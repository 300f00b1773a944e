//! Keeping a search index in step: every change of a session is noted in the transaction that makes
//! it, and struck out once the index has it. Whatever is killed in between is done again.

use crate::{Home, PendingSession, StoreError, Vault, Writer};
use backstory_model::SessionUid;
use rusqlite::{OptionalExtension, Row, params};

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
    max(iif(d.flags & 4, 0, s.indexed_seq), s.evicted_before), s.next_seq, d.flags,
    s.events > 0 AND s.forgotten_at IS NULL
    FROM index_debts d JOIN sessions s ON s.id = d.session_id";

fn debt(row: &Row<'_>) -> rusqlite::Result<IndexDebt> {
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
        let mut statement = self.connection.prepare_cached(&sql)?;
        let debts = statement.query_map(params![after, limit as i64], debt)?;
        Ok(debts.collect::<Result<_, _>>()?)
    }

    /// What the index has not heard of a session.
    pub fn index_debt(&self, session_id: i64) -> Result<Option<IndexDebt>, StoreError> {
        let sql = format!("{DEBT_SQL} WHERE d.session_id = ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.query_row([session_id], debt).optional()?)
    }

    /// Sessions the index has not heard all of.
    pub fn index_debt_count(&self) -> Result<u64, StoreError> {
        let count = |row: &Row<'_>| row.get::<_, i64>(0);
        Ok(self.connection.query_row("SELECT count(*) FROM index_debts", [], count)? as u64)
    }

    /// The index this archive is in step with.
    pub fn index_state(&self) -> Result<Option<IndexState>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT name, batch FROM index_state")?;
        Ok(statement
            .query_row([], |row| {
                Ok(IndexState { name: row.get(0)?, batch: row.get::<_, i64>(1)? as u64 })
            })
            .optional()?)
    }
}

impl Writer {
    /// Notes what the index has to hear, within the open transaction.
    pub(crate) fn owe_index(&self, session_id: i64, flags: u32) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(
                "INSERT INTO index_debts VALUES (?1, ?2)
                 ON CONFLICT (session_id) DO UPDATE SET flags = flags | excluded.flags",
            )?
            .execute(params![session_id, flags])?;
        Ok(())
    }

    /// Strikes out what commit `batch` of the index brought.
    pub fn settle_index(&mut self, paid: &[IndexDebt], batch: u64) -> Result<(), StoreError> {
        self.begin()?;
        for debt in paid {
            self.connection
                .prepare_cached("UPDATE sessions SET indexed_seq = ?2 WHERE id = ?1")?
                .execute(params![debt.session.id, debt.session.next_seq])?;
            self.connection
                .prepare_cached("DELETE FROM index_debts WHERE session_id = ?1")?
                .execute([debt.session.id])?;
        }
        self.connection
            .prepare_cached("UPDATE index_state SET batch = ?1")?
            .execute([batch as i64])?;
        self.commit()
    }

    /// Begins a new index: every session is to be heard of again. Removes the files of any other.
    pub fn renew_index(&mut self, name: &str) -> Result<(), StoreError> {
        self.commit()?;
        self.begin()?;
        self.connection.execute_batch(
            "UPDATE sessions SET indexed_seq = 0;
             INSERT OR REPLACE INTO index_debts
             SELECT id, 3 FROM sessions WHERE events > 0 AND forgotten_at IS NULL;",
        )?;
        self.connection
            .execute("INSERT OR REPLACE INTO index_state VALUES (1, ?1, 0)", params![name])?;
        self.commit()?;
        remove_indices(&self.home)
    }
}

fn remove_indices(home: &Home) -> Result<(), StoreError> {
    for dir in home.indices() {
        fs_err::remove_dir_all(dir)?;
    }
    Ok(())
}
