//! Integrity: does the database hold together, can every payload be read back?

use crate::rows::LOST_BLOCK;
use crate::{Home, StoreError, Vault, connect, pack};
use backstory_model::SessionUid;
use rusqlite::params;

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
        let mut check = self.connection.prepare("PRAGMA quick_check(20)")?;
        for line in check.query_map([], |row| row.get::<_, String>(0))? {
            let line = line?;
            if line != "ok" {
                damage.push(Damage { session: None, what: line });
            }
        }
        for (_, uid, block, reason) in self.unreadable_blocks()? {
            damage.push(Damage {
                session: Some(SessionUid::from_stored(uid)),
                what: if block == LOST_BLOCK {
                    "payloads lost earlier have not been read again".into()
                } else {
                    format!("pack block at {block}: {reason}")
                },
            });
        }
        Ok(damage)
    }

    fn unreadable_blocks(&self) -> Result<Vec<(i64, String, i64, String)>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT DISTINCT e.session_id, s.session_uid, e.block FROM events e
             JOIN sessions s ON s.id = e.session_id
             WHERE e.block IS NOT NULL ORDER BY e.session_id, e.block",
        )?;
        let mut unreadable = Vec::new();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (session_id, uid, block): (i64, String, i64) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            if block == LOST_BLOCK {
                unreadable.push((session_id, uid, block, String::new()));
            } else if let Err(reason) = pack::read_block(&self.home.pack(session_id), block as u64)
            {
                unreadable.push((session_id, uid, block, reason));
            }
        }
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
        let mut connection = connect::read_write(home)?;
        let transaction = connection.transaction()?;
        for (session_id, _, block, _) in &lost {
            transaction.execute(
                "UPDATE events SET block = ?3 WHERE session_id = ?1 AND block = ?2",
                params![session_id, block, LOST_BLOCK],
            )?;
            // What is left of the pack stays; new blocks go behind it.
            let len = fs_err::metadata(home.pack(*session_id)).map_or(0, |meta| meta.len());
            transaction.execute(
                "UPDATE sessions SET pack_len = ?2 WHERE id = ?1",
                params![session_id, len as i64],
            )?;
        }
        transaction.commit()?;
        Ok(lost.len())
    }
}
