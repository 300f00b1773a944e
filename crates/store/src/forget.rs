//! Forgetting: as if a session had never been, except that it may not come back.

use crate::{IndexDebt, StoreError, Vault, Writer};
use backstory_model::{SessionUid, Timestamp};
use rusqlite::{OptionalExtension, params};

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
        let mut gone = self.connection.query_row(
            "SELECT events, pack_len FROM sessions WHERE id = ?1",
            [session_id],
            |row| {
                Ok(Forgotten {
                    events: row.get::<_, i64>(0)? as u64,
                    pack_bytes: row.get::<_, i64>(1)? as u64,
                    ..Forgotten::default()
                })
            },
        )?;
        self.drop_raw(session_id)?;
        let delete = |sql: &str| -> Result<u64, StoreError> {
            Ok(self.connection.prepare_cached(sql)?.execute([session_id])? as u64)
        };
        gone.digests = delete("DELETE FROM digests WHERE session_id = ?1")?;
        gone.signals = delete("DELETE FROM signals WHERE session_id = ?1")?;
        for table in ["quarantine", "secrets"] {
            delete(&format!(
                "DELETE FROM {table}
                 WHERE source_id IN (SELECT id FROM sources WHERE session_id = ?1)"
            ))?;
        }
        // A reader's memory names places and tools; without it the file is read from its start.
        delete("UPDATE sources SET path = '', problem = NULL, state = x'' WHERE session_id = ?1")?;
        self.connection
            .prepare_cached(include_str!("sql/forget_session.sql"))?
            .execute(params![session_id, now.0])?;
        self.owe_index(session_id, IndexDebt::REDO | IndexDebt::CARD)?;
        Ok(gone)
    }

    /// Keeps a session from eviction, or no longer.
    pub fn pin(&mut self, uid: &SessionUid, at: Option<Timestamp>) -> Result<(), StoreError> {
        self.connection.execute(
            "UPDATE sessions SET pinned_at = ?2 WHERE session_uid = ?1",
            params![uid.as_str(), at.map(|at| at.0)],
        )?;
        Ok(())
    }
}

impl Vault {
    /// What forgetting a session would remove.
    pub fn to_forget(&self, uid: &SessionUid) -> Result<Forgotten, StoreError> {
        Ok(self
            .connection
            .prepare_cached(
                "SELECT events, pack_len,
                    (SELECT count(*) FROM digests WHERE session_id = sessions.id),
                    (SELECT count(*) FROM signals WHERE session_id = sessions.id)
                 FROM sessions WHERE session_uid = ?1",
            )?
            .query_row([uid.as_str()], |row| {
                let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
                Ok(Forgotten {
                    events: count(0)?,
                    pack_bytes: count(1)?,
                    digests: count(2)?,
                    signals: count(3)?,
                })
            })
            .optional()?
            .unwrap_or_default())
    }

    /// True if nothing of a session may be stored again.
    pub fn is_forgotten(&self, session_id: i64) -> Result<bool, StoreError> {
        let found: i64 = self
            .connection
            .prepare_cached(
                "SELECT count(*) FROM sessions WHERE id = ?1 AND forgotten_at IS NOT NULL",
            )?
            .query_row([session_id], |row| row.get(0))?;
        Ok(found > 0)
    }
}
