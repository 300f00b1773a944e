//! Sessions known only from messages somebody posted, whose own log turns up: the log is the truth, and
//! what was posted leaves before the log is stored.

use crate::database::values;
use crate::{IndexDebt, StoreError, Vault, Writer};
use backstory_model::SessionUid;
use std::collections::HashSet;

impl Vault {
    /// Sessions that have a source of this role and no log of their own.
    pub fn only_from(&self, role: &str) -> Result<HashSet<i64>, StoreError> {
        let sql = "SELECT DISTINCT p.session_id FROM sources p
            WHERE p.role = ?1 AND p.session_id IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM sources t WHERE t.session_id = p.session_id AND t.is_transcript <> 0)";
        let ids: Vec<i64> = self.database.all(sql, values![role], |row| row.get(0))?;
        Ok(ids.into_iter().collect())
    }

    /// True if a log of a session has been read.
    pub fn has_log(&self, uid: &SessionUid) -> Result<bool, StoreError> {
        let sql = "SELECT count(*) FROM sources WHERE is_transcript <> 0 AND session_id =
            (SELECT id FROM sessions WHERE session_uid = ?1)";
        let found = self.database.one(sql, values![uid.as_str()], |row| row.count(0))?;
        Ok(found > Some(0))
    }
}

impl Writer {
    /// Takes what was posted of a session out, within the open transaction. Its seals stay: they tell
    /// what an agent was told. Its numbers are not given again, so that no address comes to mean another
    /// event.
    pub(crate) fn drop_posted(&self, session_id: i64) -> Result<(), StoreError> {
        for sql in [
            "DELETE FROM events WHERE session_id = ?1",
            "DELETE FROM digests WHERE session_id = ?1",
            "DELETE FROM signals WHERE session_id = ?1",
            "DELETE FROM decisions WHERE session_id = ?1",
            "UPDATE sessions SET events = 0, turns = 0, retries = 0, title = NULL, title_rank = 0,
                repo = CASE WHEN cwd IS NULL THEN NULL ELSE repo END,
                project_key = CASE WHEN cwd IS NULL THEN NULL ELSE project_key END,
                domain = CASE WHEN cwd IS NULL THEN NULL ELSE domain END,
                started_at = NULL, ended_at = NULL, source_path = '', source_bytes = 0,
                analyzed_at = NULL, analyzed_seq = 0
             WHERE id = ?1",
        ] {
            self.database.run(sql, values![session_id])?;
        }
        self.owe_index(session_id, IndexDebt::REDO | IndexDebt::CARD)
    }
}
