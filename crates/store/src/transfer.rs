//! Sessions on their way out of one archive and into another, identities included.

use crate::database::values;
use crate::{StoreError, Vault, Writer, rows};
use backstory_model::{EventKey, SessionEvent, SessionUid, Timestamp, Usage};

/// What a session's row does not show, yet another archive needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passport {
    /// The next free seq.
    pub next_seq: u32,
    /// How good the title is.
    pub title_rank: u8,
    /// Events up to this seq are covered by the digest.
    pub analyzed_seq: u32,
    /// Identities of chain-opening events it stored first.
    pub roots: Vec<EventKey>,
    /// Identities of events that have left, as they are stored.
    pub departed: Vec<u8>,
}

/// Tokens of one response.
#[derive(Clone, Debug, PartialEq)]
pub struct Spending {
    /// Identity over all sessions.
    pub key: EventKey,
    /// When.
    pub ts: Option<Timestamp>,
    /// Which model.
    pub model: Option<String>,
    /// How many.
    pub usage: Usage,
    /// Money, if stated.
    pub usd: Option<f64>,
}

impl Passport {
    /// Bytes of one identity in [`Passport::departed`].
    pub const DEPARTED_KEY_BYTES: usize = crate::departed::KEY_BYTES;
}

impl Vault {
    /// What goes along with a session's row.
    pub fn passport(&self, uid: &SessionUid) -> Result<Option<Passport>, StoreError> {
        let sql = "SELECT id, next_seq, title_rank, analyzed_seq,
                (SELECT keys FROM departed WHERE session_id = sessions.id)
            FROM sessions WHERE session_uid = ?1";
        let found = self.database.one(sql, values![uid.as_str()], |row| {
            let passport = Passport {
                next_seq: row.get(1)?,
                title_rank: row.get(2)?,
                analyzed_seq: row.get(3)?,
                roots: Vec::new(),
                departed: row.get::<Option<Vec<u8>>>(4)?.unwrap_or_default(),
            };
            Ok((row.get::<i64>(0)?, passport))
        })?;
        let Some((id, mut passport)) = found else { return Ok(None) };
        let roots = "SELECT key FROM roots WHERE session_id = ?1 ORDER BY key";
        passport.roots =
            self.database.all(roots, values![id], |row| Ok(EventKey(row.count(0)?)))?;
        Ok(Some(passport))
    }

    /// Hands every resident event with its identity to `each`, by seq; `each` may fail.
    pub fn for_each_keyed_event<E: From<StoreError>>(
        &self,
        uid: &SessionUid,
        mut each: impl FnMut(EventKey, SessionEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(head) = self.session_head(uid)? else { return Ok(()) };
        let sql = format!("{} ORDER BY seq", rows::EVENT_SQL);
        self.database.each(&sql, values![head.id], |row| {
            each(EventKey(row.count(rows::KEY_COLUMN)?), rows::event(row, uid)?)
        })
    }

    /// What a session spent, response by response, in the order of time.
    pub fn spending(&self, uid: &SessionUid) -> Result<Vec<Spending>, StoreError> {
        let sql = "SELECT key, ts, (SELECT name FROM models WHERE id = model_id), input, output,
                cache_read, cache_write_5m, cache_write_1h, reasoning, usd
            FROM usage WHERE session_id = (SELECT id FROM sessions WHERE session_uid = ?1)
            ORDER BY ts NULLS FIRST, key";
        self.database.all(sql, values![uid.as_str()], |row| {
            Ok(Spending {
                key: EventKey(row.count(0)?),
                ts: row.get::<Option<i64>>(1)?.map(Timestamp),
                model: row.get(2)?,
                usage: Usage {
                    input: row.count(3)?,
                    output: row.count(4)?,
                    cache_read: row.count(5)?,
                    cache_write_5m: row.count(6)?,
                    cache_write_1h: row.count(7)?,
                    reasoning: row.count(8)?,
                },
                usd: row.get(9)?,
            })
        })
    }
}

impl Writer {
    /// Notes that a session's first events left before it came here.
    pub fn put_departed(
        &mut self,
        session_id: i64,
        keys: &[u8],
        evicted_before: u32,
        at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.begin()?;
        self.set_departed(session_id, keys)?;
        self.database.run(
            "UPDATE sessions SET evicted_before = ?2, evicted_at = ?3 WHERE id = ?1",
            values![session_id, evicted_before, at.map(|at| at.0)],
        )?;
        Ok(())
    }
}
