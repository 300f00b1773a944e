//! Seals: what a session had come to each time a stretch of it was closed.

use crate::database::{Row, values};
use crate::{StoreError, Vault, Writer, blob};
use backstory_model::{Seal, SealReason, SessionUid, Timestamp};
use std::collections::HashMap;

const SEAL_SQL: &str = "SELECT number, last_seq, sealed_at, reason, abstract, overview FROM seals
    WHERE session_id = (SELECT id FROM sessions WHERE session_uid = ?1)";

impl Vault {
    /// The seals of a session, the first one first.
    pub fn seals_of(&self, uid: &SessionUid) -> Result<Vec<Seal>, StoreError> {
        let sql = format!("{SEAL_SQL} ORDER BY number");
        self.database.all(&sql, values![uid.as_str()], seal)
    }

    /// The last seal of a session.
    pub fn latest_seal(&self, uid: &SessionUid) -> Result<Option<Seal>, StoreError> {
        let sql = format!("{SEAL_SQL} ORDER BY number DESC LIMIT 1");
        self.database.one(&sql, values![uid.as_str()], seal)
    }

    /// When each session was sealed last, and why; those that went on since are left out.
    pub fn sealed(&self) -> Result<HashMap<SessionUid, (Timestamp, SealReason)>, StoreError> {
        let sql = "SELECT s.session_uid, x.sealed_at, x.reason
            FROM seals x JOIN sessions s ON s.id = x.session_id
            WHERE x.last_seq + 1 >= s.next_seq ORDER BY x.session_id, x.number";
        let mut sealed = HashMap::new();
        self.database.each(sql, &[], |row| -> Result<(), StoreError> {
            let (uid, at, name): (String, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            sealed.insert(SessionUid::from_stored(uid), (Timestamp(at), reason(&name)));
            Ok(())
        })?;
        Ok(sealed)
    }

    /// One seal of a session by its number.
    pub fn seal(&self, uid: &SessionUid, number: u32) -> Result<Option<Seal>, StoreError> {
        let sql = format!("{SEAL_SQL} AND number = ?2");
        self.database.one(&sql, values![uid.as_str(), number], seal)
    }
}

fn reason(name: &str) -> SealReason {
    // A later version may know more of them.
    SealReason::from_name(name).unwrap_or(SealReason::Asked)
}

fn seal(row: &dyn Row) -> Result<Seal, StoreError> {
    let name: String = row.get(3)?;
    let overview = blob::unfold(row.get(5)?)?;
    Ok(Seal {
        number: row.get(0)?,
        last_seq: row.get(1)?,
        sealed_at: Timestamp(row.get(2)?),
        reason: reason(&name),
        abstract_text: row.get(4)?,
        overview: String::from_utf8_lossy(&overview).into_owned(),
    })
}

impl Writer {
    /// Adds a seal to the open transaction. One whose number is taken is left alone; tells whether it
    /// was added.
    pub fn put_seal(&mut self, session_id: i64, seal: &Seal) -> Result<bool, StoreError> {
        self.begin()?;
        let overview = self.blobs.shrink(seal.overview.clone().into_bytes());
        let added = self.database.run(
            "INSERT INTO seals (session_id, number, last_seq, sealed_at, reason, abstract, overview)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
            values![
                session_id,
                seal.number,
                seal.last_seq,
                seal.sealed_at.0,
                seal.reason.name(),
                &seal.abstract_text,
                &overview,
            ],
        )?;
        Ok(added > 0)
    }
}
