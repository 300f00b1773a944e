//! Integrity: does the database hold together, can every payload be read back?

use crate::database::values;
use crate::rows::LOST_BLOCK;
use crate::{Home, PackFault, StoreError, Vault, pack};
use backstory_model::SessionUid;

/// Something that cannot be read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The session, or nothing for the database itself.
    pub session: Option<SessionUid>,
    /// What is wrong.
    pub what: String,
}

impl Vault {
    /// Checks the database and every block of every pack.
    pub fn verify(&self) -> Result<Vec<Damage>, StoreError> {
        let mut damage = Vec::new();
        let wrong = self.database.check()?;
        damage.extend(wrong.into_iter().map(|what| Damage { session: None, what }));
        for (session_id, uid, block, reason) in self.unreadable_blocks()? {
            damage.push(Damage {
                session: Some(SessionUid::from_stored(uid)),
                what: if block == LOST_BLOCK {
                    "payloads lost earlier have not been read again".into()
                } else {
                    let piece = self.home.packs().piece_at(session_id, block as u64);
                    format!("pack block at {block} in {piece}: {reason}")
                },
            });
        }
        Ok(damage)
    }

    fn unreadable_blocks(&self) -> Result<Vec<(i64, String, i64, String)>, StoreError> {
        let sql = "SELECT DISTINCT e.session_id, s.session_uid, e.block FROM events e
            JOIN sessions s ON s.id = e.session_id
            WHERE e.block IS NOT NULL ORDER BY e.session_id, e.block";
        let mut unreadable = Vec::new();
        self.database.each(sql, &[], |row| -> Result<(), StoreError> {
            let (session_id, uid, block): (i64, String, i64) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            if block == LOST_BLOCK {
                unreadable.push((session_id, uid, block, String::new()));
                return Ok(());
            }
            match pack::read_block(self.home.packs(), session_id, block as u64) {
                Ok(_) => {}
                Err(PackFault::Lost(reason)) => unreadable.push((session_id, uid, block, reason)),
                // What is out of reach just now must not be taken for lost.
                Err(PackFault::Unreachable(reason)) => return Err(StoreError::Packs(reason)),
            }
            Ok(())
        })?;
        Ok(unreadable)
    }

    /// Marks payloads that cannot be read back, so that re-reading the sources stores them anew.
    /// Returns how many blocks were lost. Hold the sweep lock.
    pub fn mark_lost_payloads(home: &Home) -> Result<usize, StoreError> {
        let lost = Self::open(home)?.unreadable_blocks()?;
        let lost: Vec<_> =
            lost.into_iter().filter(|(_, _, block, _)| *block != LOST_BLOCK).collect();
        if lost.is_empty() {
            return Ok(0);
        }
        let database = home.engine().write()?;
        database.begin()?;
        for (session_id, _, block, _) in &lost {
            database.run(
                "UPDATE events SET block = ?3 WHERE session_id = ?1 AND block = ?2",
                values![*session_id, *block, LOST_BLOCK],
            )?;
            // What is left of the pack stays; new blocks go behind it.
            let len = home.packs().len(*session_id)?;
            database.run(
                "UPDATE sessions SET pack_len = ?2 WHERE id = ?1",
                values![*session_id, len as i64],
            )?;
        }
        database.commit()?;
        Ok(lost.len())
    }
}
