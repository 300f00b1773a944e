//! Forgetting: as if a session had never been, except that it may not come back.

use crate::database::{Row, values};
use crate::{IndexDebt, StoreError, Vault, Writer};
use backstory_model::{SessionUid, Timestamp};

/// What was removed with a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Events, those evicted before included.
    pub events: u64,
    /// Bytes of payloads.
    pub pack_bytes: u64,
    /// 1 if it had a digest.
    pub digests: u64,
    /// Signals, which are also the evidence of patterns.
    pub signals: u64,
    /// Decisions.
    pub decisions: u64,
}

const TO_FORGET_SQL: &str = "SELECT events, pack_len,
    (SELECT count(*) FROM digests WHERE session_id = sessions.id),
    (SELECT count(*) FROM signals WHERE session_id = sessions.id),
    (SELECT count(*) FROM decisions WHERE session_id = sessions.id)
    FROM sessions";

fn to_forget(row: &dyn Row) -> Result<Forgotten, StoreError> {
    Ok(Forgotten {
        events: row.count(0)?,
        pack_bytes: row.count(1)?,
        digests: row.count(2)?,
        signals: row.count(3)?,
        decisions: row.count(4)?,
    })
}

impl Writer {
    /// Removes all that was kept of a session and leaves a row without a word in it, so that a
    /// later sweep knows not to take it in again. Token counts stay: they are no content, and sums
    /// of money must not change behind one's back. [`Writer::reclaim`] makes the files shrink.
    pub fn forget(&mut self, session_id: i64, now: Timestamp) -> Result<Forgotten, StoreError> {
        self.begin()?;
        let result = self.forget_rows(session_id, now);
        if result.is_err() {
            self.rollback();
        }
        result
    }

    fn forget_rows(&self, session_id: i64, now: Timestamp) -> Result<Forgotten, StoreError> {
        let sql = format!("{TO_FORGET_SQL} WHERE id = ?1");
        let gone = self.database.one(&sql, values![session_id], to_forget)?.unwrap_or_default();
        self.drop_raw(session_id)?;
        let delete = |sql: &str| self.database.run(sql, values![session_id]);
        delete("DELETE FROM digests WHERE session_id = ?1")?;
        delete("DELETE FROM signals WHERE session_id = ?1")?;
        delete("DELETE FROM seals WHERE session_id = ?1")?;
        delete("DELETE FROM decisions WHERE session_id = ?1")?;
        // What a hub recorded of it goes too.
        delete(
            "DELETE FROM decisions WHERE session_id = 0
             AND hub_session = (SELECT session_uid FROM sessions WHERE id = ?1)",
        )?;
        for table in ["quarantine", "secrets"] {
            delete(&format!(
                "DELETE FROM {table}
                 WHERE source_id IN (SELECT id FROM sources WHERE session_id = ?1)"
            ))?;
        }
        // A reader's memory names places and tools; without it the file is read from its start.
        self.database.run(
            "UPDATE sources SET path = '', problem = NULL, state = ?2 WHERE session_id = ?1",
            values![session_id, &[][..]],
        )?;
        self.database.run(include_str!("sql/forget_session.sql"), values![session_id, now.0])?;
        self.owe_index(session_id, IndexDebt::REDO | IndexDebt::CARD)?;
        Ok(gone)
    }

    /// Keeps a session from eviction, or no longer.
    pub fn pin(&mut self, uid: &SessionUid, at: Option<Timestamp>) -> Result<(), StoreError> {
        self.database.run(
            "UPDATE sessions SET pinned_at = ?2 WHERE session_uid = ?1",
            values![uid.as_str(), at.map(|at| at.0)],
        )?;
        Ok(())
    }
}

impl Vault {
    /// What forgetting a session would remove.
    pub fn to_forget(&self, uid: &SessionUid) -> Result<Forgotten, StoreError> {
        let sql = format!("{TO_FORGET_SQL} WHERE session_uid = ?1");
        Ok(self.database.one(&sql, values![uid.as_str()], to_forget)?.unwrap_or_default())
    }

    /// True if nothing of a session may be stored again.
    pub fn is_forgotten(&self, session_id: i64) -> Result<bool, StoreError> {
        let sql = "SELECT count(*) FROM sessions WHERE id = ?1 AND forgotten_at IS NOT NULL";
        let found = self.database.one(sql, values![session_id], |row| row.count(0))?;
        Ok(found > Some(0))
    }
}
