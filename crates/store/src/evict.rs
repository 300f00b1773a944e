//! Letting raw events go: rows, payloads and every trace of their text, so that the files really
//! shrink. What is distilled stays.

use crate::database::values;
use crate::{IndexDebt, StoreError, Writer};
use backstory_model::Timestamp;
use std::io::ErrorKind;

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
        // On disk before the first file goes: rows must never point at a pack that is not there.
        self.database.fold_log()?;
        for session_id in &doomed {
            match fs_err::remove_file(self.home.pack(*session_id)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        self.database.run("DELETE FROM doomed_packs", &[])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Home, Writer};

    #[test]
    fn room_is_given_back_to_the_last_page() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path());
        let mut writer = Writer::open(&home).unwrap();
        writer.reclaim().unwrap();
        let len = || fs_err::metadata(home.archive()).unwrap().len();
        let before = len();
        let many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300)
            INSERT INTO digests SELECT x, 1, randomblob(9000), x'' FROM n";
        writer.database.run(many, &[]).unwrap();
        writer.reclaim().unwrap();
        assert!(len() > before + 2_000_000);
        writer.database.run("DELETE FROM digests", &[]).unwrap();
        writer.reclaim().unwrap();
        // What is left beyond are pages of the map of pages.
        assert!(len() <= before + 2 * 16_384, "{} of {before} bytes", len());
    }
}
