//! Do rows, digests and packs agree? Each question names what does not fit.

use crate::{StoreError, Vault, rows};
use backstory_model::SessionUid;
use std::collections::HashSet;
use std::path::PathBuf;

impl Vault {
    /// Files below the folder of packs that no session owns.
    pub fn orphan_packs(&self) -> Result<Vec<PathBuf>, StoreError> {
        let sql =
            "SELECT id FROM sessions WHERE pack_len > 0 UNION SELECT session_id FROM doomed_packs";
        let owned = self.database.all(sql, &[], |row| Ok(self.home.pack(row.get(0)?)))?;
        let owned: HashSet<PathBuf> = owned.into_iter().collect();
        let mut orphans = Vec::new();
        for folder in fs_err::read_dir(self.home.packs())? {
            let folder = folder?.path();
            if !folder.is_dir() {
                orphans.push(folder);
                continue;
            }
            for pack in fs_err::read_dir(folder)? {
                let pack = pack?.path();
                if !owned.contains(&pack) {
                    orphans.push(pack);
                }
            }
        }
        orphans.sort();
        Ok(orphans)
    }

    /// Sessions whose raw events left although nothing was distilled of them.
    pub fn evicted_without_digest(&self) -> Result<Vec<SessionUid>, StoreError> {
        self.uids(
            "SELECT session_uid FROM sessions
             WHERE evicted_at IS NOT NULL AND forgotten_at IS NULL
                AND id NOT IN (SELECT session_id FROM digests)
             ORDER BY evicted_at DESC, session_uid",
        )
    }

    /// Digests that cannot be read back, and why.
    pub fn unreadable_digests(&self) -> Result<Vec<(SessionUid, String)>, StoreError> {
        let digested = self.uids(
            "SELECT session_uid FROM sessions WHERE id IN (SELECT session_id FROM digests)
             ORDER BY session_uid",
        )?;
        let mut unreadable = Vec::new();
        for uid in digested {
            match self.account(&uid) {
                Ok(_) => {}
                Err(error) if error.is_corrupt() => return Err(error),
                Err(error) => unreadable.push((uid, error.to_string())),
            }
        }
        Ok(unreadable)
    }

    fn uids(&self, sql: &str) -> Result<Vec<SessionUid>, StoreError> {
        self.database.all(sql, &[], rows::uid)
    }
}
