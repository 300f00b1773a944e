//! Do rows, digests and packs agree? Each question names what does not fit.

use crate::{Piece, StoreError, Vault, rows};
use backstory_model::SessionUid;
use std::collections::{BTreeMap, HashSet};

impl Vault {
    /// What lies among the packs and no row knows, by the name it is to be removed by.
    pub fn orphan_packs(&self) -> Result<Vec<String>, StoreError> {
        let pieces = self.home.packs().pieces()?;
        let sql = "SELECT session_id FROM doomed_packs";
        let doomed: HashSet<i64> =
            self.database.all(sql, &[], |row| row.get(0))?.into_iter().collect();
        let sql = "SELECT id FROM sessions WHERE pack_len > 0";
        let kept: HashSet<i64> =
            self.database.all(sql, &[], |row| row.get(0))?.into_iter().collect();
        let parts =
            pieces.iter().filter_map(|piece| Some((piece.session_id?, piece.positions.clone()?)));
        let parts = parts.map(|(id, blocks)| ((id, blocks.start), blocks.end)).collect();
        let known = self.known_parts(&parts)?;
        let is_orphan = |piece: &Piece| match (piece.session_id, &piece.positions) {
            (Some(id), _) if doomed.contains(&id) => false,
            (Some(id), Some(blocks)) => !known.contains(&(id, blocks.start)),
            (Some(id), None) => !kept.contains(&id),
            (None, _) => true,
        };
        let mut orphans: Vec<String> =
            pieces.into_iter().filter(is_orphan).map(|piece| piece.name).collect();
        orphans.sort();
        Ok(orphans)
    }

    /// Which of some parts of packs hold a block that a row knows. A part is named by its session and
    /// first position, and leads to the position behind it.
    fn known_parts(
        &self,
        parts: &BTreeMap<(i64, u64), u64>,
    ) -> Result<HashSet<(i64, u64)>, StoreError> {
        let mut known = HashSet::new();
        if parts.is_empty() {
            return Ok(known);
        }
        let sql = "SELECT DISTINCT session_id, block FROM events WHERE block >= 0";
        self.database.each(sql, &[], |row| -> Result<(), StoreError> {
            let (session_id, block): (i64, u64) = (row.get(0)?, row.count(1)?);
            let before = parts.range(..=(session_id, block)).next_back();
            if let Some((part, _)) =
                before.filter(|(part, end)| part.0 == session_id && block < **end)
            {
                known.insert(*part);
            }
            Ok(())
        })?;
        Ok(known)
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
