//! Sessions on their way out of one archive and into another, identities included.

use crate::{StoreError, Vault, Writer, rows};
use backstory_model::{EventKey, SessionEvent, SessionUid, Timestamp, Usage};
use rusqlite::{OptionalExtension, params};

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
        let found = self
            .connection
            .prepare_cached(
                "SELECT id, next_seq, title_rank, analyzed_seq,
                    (SELECT keys FROM departed WHERE session_id = id)
                 FROM sessions WHERE session_uid = ?1",
            )?
            .query_row([uid.as_str()], |row| {
                let passport = Passport {
                    next_seq: row.get(1)?,
                    title_rank: row.get(2)?,
                    analyzed_seq: row.get(3)?,
                    roots: Vec::new(),
                    departed: row.get::<_, Option<Vec<u8>>>(4)?.unwrap_or_default(),
                };
                Ok((row.get::<_, i64>(0)?, passport))
            })
            .optional()?;
        let Some((id, mut passport)) = found else { return Ok(None) };
        let mut roots = self
            .connection
            .prepare_cached("SELECT key FROM roots WHERE session_id = ?1 ORDER BY key")?;
        let keys = roots.query_map([id], |row| Ok(EventKey(row.get::<_, i64>(0)? as u64)))?;
        passport.roots = keys.collect::<Result<_, _>>()?;
        Ok(Some(passport))
    }

    /// Hands every resident event with its identity to `each`, by seq; `each` may fail.
    pub fn for_each_keyed_event<E: From<StoreError>>(
        &self,
        uid: &SessionUid,
        mut each: impl FnMut(EventKey, SessionEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(head) = self.session_head(uid)? else { return Ok(()) };
        let keys = "SELECT key FROM events WHERE session_id = ?1 ORDER BY seq";
        let mut keys = self.connection.prepare_cached(keys).map_err(StoreError::from)?;
        let mut keys = keys.query([head.id]).map_err(StoreError::from)?;
        let events = format!("{} ORDER BY seq", rows::EVENT_SQL);
        let mut events = self.connection.prepare_cached(&events).map_err(StoreError::from)?;
        let mut events = events.query([head.id]).map_err(StoreError::from)?;
        while let (Some(key), Some(event)) =
            (keys.next().map_err(StoreError::from)?, events.next().map_err(StoreError::from)?)
        {
            let key = EventKey(key.get::<_, i64>(0).map_err(StoreError::from)? as u64);
            each(key, rows::event(event, uid).map_err(StoreError::from)?)?;
        }
        Ok(())
    }

    /// What a session spent, response by response, in the order of time.
    pub fn spending(&self, uid: &SessionUid) -> Result<Vec<Spending>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT key, ts, (SELECT name FROM models WHERE id = model_id), input, output, cache_read, cache_write_5m, cache_write_1h,
                reasoning, usd
             FROM usage WHERE session_id = (SELECT id FROM sessions WHERE session_uid = ?1)
             ORDER BY ts, key",
        )?;
        let spending = statement.query_map([uid.as_str()], |row| {
            let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
            Ok(Spending {
                key: EventKey(row.get::<_, i64>(0)? as u64),
                ts: row.get::<_, Option<i64>>(1)?.map(Timestamp),
                model: row.get(2)?,
                usage: Usage {
                    input: count(3)?,
                    output: count(4)?,
                    cache_read: count(5)?,
                    cache_write_5m: count(6)?,
                    cache_write_1h: count(7)?,
                    reasoning: count(8)?,
                },
                usd: row.get(9)?,
            })
        })?;
        Ok(spending.collect::<Result<_, _>>()?)
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
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO departed VALUES (?1, ?2)")?
            .execute(params![session_id, keys])?;
        self.connection
            .prepare_cached(
                "UPDATE sessions SET evicted_before = ?2, evicted_at = ?3 WHERE id = ?1",
            )?
            .execute(params![session_id, evicted_before, at.map(|at| at.0)])?;
        Ok(())
    }
}
