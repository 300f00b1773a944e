//! The archive as readers see it: lookups a sweep needs, and payloads.

use crate::clauses::{Clauses, LONG_LIST, filled};
use crate::cursor::{Cursor, SourceStat};
use crate::database::{Database, Row, values};
use crate::departed::Departed;
use crate::{Home, Payloads, StoreError, rows};
use backstory_model::{EventKey, SessionEvent, SessionUid};
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Read access to the archive.
#[derive(Debug)]
pub struct Vault {
    pub(crate) home: Home,
    pub(crate) database: Box<dyn Database>,
    pub(crate) payloads: Payloads,
    /// Identities of the session last asked for whose events have left.
    pub(crate) departed: RefCell<Option<Departed>>,
}

/// What a sweep must know of a stored session before it adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionHead {
    /// Row id.
    pub id: i64,
    /// Next free seq.
    pub next_seq: u32,
    /// True once its working directory is known.
    pub has_cwd: bool,
    /// True if it was forgotten and nothing of it may come back.
    pub is_forgotten: bool,
}

/// A stored event met again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownEvent {
    /// Its place in the session.
    pub seq: u32,
    /// True if its payload was lost and should be stored again.
    pub payload_lost: bool,
}

impl Vault {
    /// Opens an existing archive for reading.
    pub fn open(home: &Home) -> Result<Self, StoreError> {
        Ok(Self {
            home: home.clone(),
            database: home.engine().read()?,
            payloads: Payloads::new(home),
            departed: RefCell::default(),
        })
    }

    /// The home directory.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// What is known of the size and time of every source on this machine, by path key.
    pub fn source_stats(&self) -> Result<HashMap<i64, (SourceStat, u32)>, StoreError> {
        let sql = "SELECT path_key, size, mtime_ns, inode, dev, schema_version FROM own_sources";
        let mut stats = HashMap::new();
        self.database.each(sql, &[], |row| -> Result<(), StoreError> {
            let stat = SourceStat {
                size: row.count(1)?,
                mtime_ns: row.get(2)?,
                inode: row.count(3)?,
                dev: row.count(4)?,
            };
            stats.insert(row.get(0)?, (stat, row.get(5)?));
            Ok(())
        })?;
        Ok(stats)
    }

    /// The cursor of one source.
    pub fn cursor(&self, path_key: i64) -> Result<Option<Cursor>, StoreError> {
        self.database.one(rows::CURSOR_SQL, values![path_key], rows::cursor)
    }

    /// The largest row ids in use, for sessions and sources.
    pub fn last_ids(&self) -> Result<(i64, i64), StoreError> {
        let sql = "SELECT (SELECT coalesce(max(id), 0) FROM sessions),
            (SELECT coalesce(max(id), 0) FROM sources)";
        let ids = self.database.one(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(ids.unwrap_or_default())
    }

    /// What is stored of a session.
    pub fn session_head(&self, uid: &SessionUid) -> Result<Option<SessionHead>, StoreError> {
        let sql = "SELECT id, next_seq, cwd IS NOT NULL, forgotten_at IS NOT NULL FROM sessions
            WHERE session_uid = ?1";
        self.database.one(sql, values![uid.as_str()], |row| {
            Ok(SessionHead {
                id: row.get(0)?,
                next_seq: row.get(1)?,
                has_cwd: row.get(2)?,
                is_forgotten: row.get(3)?,
            })
        })
    }

    /// A stored event by its identity.
    pub fn known_event(
        &self,
        session_id: i64,
        key: EventKey,
    ) -> Result<Option<KnownEvent>, StoreError> {
        let sql = "SELECT seq, block FROM events WHERE session_id = ?1 AND key = ?2";
        let resident = self.database.one(sql, values![session_id, key.0 as i64], known_event)?;
        match resident {
            Some(known) => Ok(Some(known)),
            None => self.departed_event(session_id, key),
        }
    }

    /// Those of many identities that a session has, resident or not.
    pub fn known_events(
        &self,
        session_id: i64,
        keys: &[EventKey],
    ) -> Result<HashMap<EventKey, KnownEvent>, StoreError> {
        let mut known = HashMap::new();
        let all: Vec<i64> = keys.iter().map(|key| key.0 as i64).collect();
        for keys in all.chunks(LONG_LIST) {
            let asked = asked_for(session_id, keys);
            self.database.each(&asked.sql, &asked.values, |row| -> Result<(), StoreError> {
                if let Some(found) = row.get::<Option<i64>>(1)? {
                    let event =
                        KnownEvent { seq: (found >> 1) as u32, payload_lost: found & 1 == 1 };
                    known.insert(EventKey(row.get::<i64>(0)? as u64), event);
                }
                Ok(())
            })?;
        }
        for key in keys {
            if let Entry::Vacant(unknown) = known.entry(*key)
                && let Some(departed) = self.departed_event(session_id, *key)?
            {
                unknown.insert(departed);
            }
        }
        Ok(known)
    }

    /// The session that first stored a chain-opening event.
    pub fn root_owner(&self, key: EventKey) -> Result<Option<SessionUid>, StoreError> {
        let sql = "SELECT session_uid FROM roots JOIN sessions ON sessions.id = session_id WHERE key = ?1";
        self.database.one(sql, values![key.0 as i64], rows::uid)
    }

    /// Sessions that began as a copy of this one.
    pub fn forks_of(&self, uid: &SessionUid) -> Result<Vec<SessionUid>, StoreError> {
        let sql = "SELECT session_uid FROM sessions WHERE forked_from_uid = ?1 ORDER BY id";
        self.database.all(sql, values![uid.as_str()], rows::uid)
    }

    /// The full content of an event: its payload, or its summary where there is no more.
    pub fn payload(&self, event: &SessionEvent) -> Result<String, StoreError> {
        self.payloads.payload(event)
    }
}

fn known_event(row: &dyn Row) -> Result<KnownEvent, StoreError> {
    let block: Option<i64> = row.get(1)?;
    Ok(KnownEvent { seq: row.get(0)?, payload_lost: block == Some(rows::LOST_BLOCK) })
}

/// The statement for a list of identities. Each is looked up by itself: asked for all of them at once, a
/// server may rather read a session from its beginning to its end, and those can be long.
fn asked_for<'a>(session_id: i64, keys: &[i64]) -> Clauses<'a> {
    let mut asked = Clauses::new("WITH wanted (key) AS (VALUES ");
    for (at, key) in filled(keys, &keys[keys.len() - 1]).enumerate() {
        // A server asks for the type of what is in no column.
        asked.add(if at == 0 { "(CAST(? AS BIGINT))" } else { ", (?)" }, *key);
    }
    let rest = format!(
        ") SELECT key, (SELECT CAST(seq AS BIGINT) * 2
                + CASE WHEN block = {} THEN 1 ELSE 0 END
            FROM events WHERE session_id = ? AND events.key = wanted.key) FROM wanted",
        rows::LOST_BLOCK
    );
    asked.add(&rest, session_id);
    asked
}
