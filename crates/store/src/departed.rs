//! Identities of events that have left the archive: a file read again from its start, or a copy of
//! it, must find its events known even when their rows are gone.

use crate::database::{Database, values};
use crate::vault::{KnownEvent, Vault};
use crate::{StoreError, Writer};
use backstory_model::EventKey;
use std::collections::HashMap;

/// Bytes kept of each identity. Two of a session's events sharing them is a matter of one in a
/// million for the largest sessions, and costs no more than one event not being stored anew.
pub(crate) const KEY_BYTES: usize = 6;

/// A session's departed events.
#[derive(Debug)]
pub(crate) struct Departed {
    session_id: i64,
    seqs: HashMap<[u8; KEY_BYTES], u32>,
}

fn departed_keys(database: &dyn Database, session_id: i64) -> Result<Vec<u8>, StoreError> {
    let sql = "SELECT keys FROM departed WHERE session_id = ?1";
    Ok(database.one(sql, values![session_id], |row| row.get(0))?.unwrap_or_default())
}

fn short(key: u64) -> [u8; KEY_BYTES] {
    let bytes = key.to_le_bytes();
    std::array::from_fn(|at| bytes[at])
}

impl Vault {
    /// An event that has left, by its identity.
    pub(crate) fn departed_event(
        &self,
        session_id: i64,
        key: EventKey,
    ) -> Result<Option<KnownEvent>, StoreError> {
        let mut departed = self.departed.borrow_mut();
        if departed.as_ref().is_none_or(|departed| departed.session_id != session_id) {
            let keys = departed_keys(&*self.database, session_id)?;
            let (keys, _) = keys.as_chunks::<KEY_BYTES>();
            let seqs = keys.iter().enumerate().map(|(seq, key)| (*key, seq as u32)).collect();
            *departed = Some(Departed { session_id, seqs });
        }
        let seq = departed.as_ref().and_then(|departed| departed.seqs.get(&short(key.0)).copied());
        Ok(seq.map(|seq| KnownEvent { seq, payload_lost: false }))
    }
}

impl Writer {
    /// Remembers the identities of a session's resident events behind those that left before.
    pub(crate) fn remember_departed(&self, session_id: i64) -> Result<(), StoreError> {
        let mut keys = departed_keys(&*self.database, session_id)?;
        let resident = "SELECT seq, key FROM events WHERE session_id = ?1 ORDER BY seq";
        self.database.each(resident, values![session_id], |row| -> Result<(), StoreError> {
            let (seq, key): (u32, i64) = (row.get(0)?, row.get(1)?);
            // The place in the list is the seq.
            keys.resize(seq as usize * KEY_BYTES, 0);
            keys.extend_from_slice(&short(key as u64));
            Ok(())
        })?;
        if !keys.is_empty() {
            self.set_departed(session_id, &keys)?;
        }
        Ok(())
    }

    pub(crate) fn set_departed(&self, session_id: i64, keys: &[u8]) -> Result<(), StoreError> {
        self.database.run(
            "INSERT INTO departed (session_id, keys) VALUES (?1, ?2)
             ON CONFLICT (session_id) DO UPDATE SET keys = excluded.keys",
            values![session_id, keys],
        )?;
        Ok(())
    }
}
