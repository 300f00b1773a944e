//! Letting raw events go: rows, payloads and every trace of their text, so that the files really
//! shrink. What is distilled stays.

use crate::database::values;
use crate::{IndexDebt, StoreError, Writer};
use backstory_model::Timestamp;

impl Writer {
    /// Drops the raw events of sessions; their files go with [`Writer::reclaim`]. All of it is
    /// committed, or none.
    pub fn evict(&mut self, sessions: &[i64], now: Timestamp) -> Result<(), StoreError> {
        self.begin()?;
        let result = sessions.iter().try_for_each(|id| self.evict_one(*id, now));
        match result {
            Ok(()) => self.commit(),
            Err(error) => {
                self.rollback();
                Err(error)
            }
        }
    }

    fn evict_one(&self, session_id: i64, now: Timestamp) -> Result<(), StoreError> {
        self.drop_raw(session_id)?;
        let sql = "UPDATE sessions SET evicted_at = ?2 WHERE id = ?1";
        self.database.run(sql, values![session_id, now.0])?;
        Ok(())
    }

    /// Takes a session's rows and dooms its pack, within the open transaction.
    pub(crate) fn drop_raw(&self, session_id: i64) -> Result<(), StoreError> {
        self.remember_departed(session_id)?;
        for sql in [
            "DELETE FROM events WHERE session_id = ?1",
            "INSERT INTO doomed_packs (session_id)
             SELECT id FROM sessions WHERE id = ?1 AND pack_len > 0
             ON CONFLICT DO NOTHING",
            "UPDATE sessions SET pack_len = 0, evicted_before = next_seq WHERE id = ?1",
        ] {
            self.database.run(sql, values![session_id])?;
        }
        // How many there were, and of which type, is no raw text.
        self.database.run(
            "UPDATE quarantine SET raw = ?2
             WHERE source_id IN (SELECT id FROM sources WHERE session_id = ?1)",
            values![session_id, &[][..]],
        )?;
        self.owe_index(session_id, IndexDebt::REDO)
    }

    /// Removes doomed packs and gives freed pages back to the file system. A crash at any point is
    /// made good by the next writer.
    pub fn reclaim(&mut self) -> Result<(), StoreError> {
        self.commit()?;
        self.remove_doomed_packs()?;
        self.database.give_back_room()
    }

    /// Before anything else is written: a pack begun anew must not be taken for the doomed one.
    pub(crate) fn remove_doomed_packs(&mut self) -> Result<(), StoreError> {
        let doomed: Vec<i64> =
            self.database.all("SELECT session_id FROM doomed_packs", &[], |row| row.get(0))?;
        if doomed.is_empty() {
            return Ok(());
        }
        // On disk before the first pack goes: rows must never point at a pack that is not there.
        self.database.settle()?;
        for session_id in &doomed {
            self.home.packs().remove(*session_id)?;
        }
        self.database.run("DELETE FROM doomed_packs", &[])?;
        Ok(())
    }
}
