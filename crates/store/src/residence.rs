//! What takes how much room: raw events (which may leave) apart from distilled knowledge (which
//! stays).

use crate::{StoreError, Vault};
use backstory_model::{SessionUid, Timestamp};
use rusqlite::Connection;

/// File systems give out room in pieces of this size; a budget that ignored it would be exceeded.
const DISK_PIECE: u64 = 4096;

/// Bytes on disk per tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tiers {
    /// Rows of raw events, the write-ahead log and pages waiting to be given back.
    pub raw_rows: u64,
    /// Payloads of raw events.
    pub raw_packs: u64,
    /// The search index; nearly all of it is raw text in another form.
    pub raw_index: u64,
    /// Everything else: sessions, tokens, cursors, digests, signals.
    pub distilled: u64,
}

impl Tiers {
    /// Tier 1.
    pub fn raw(self) -> u64 {
        self.raw_rows + self.raw_packs + self.raw_index
    }
}

/// A session with raw events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resident {
    /// Row id.
    pub id: i64,
    /// Uid.
    pub uid: SessionUid,
    /// Raw events.
    pub events: u64,
    /// Bytes its pack takes on disk.
    pub pack_bytes: u64,
    /// When its digest was written, if that covers all of it.
    pub analyzed_at: Option<Timestamp>,
    /// First event.
    pub started_at: Option<Timestamp>,
    /// Last activity.
    pub active_at: Option<Timestamp>,
    /// Last taken in.
    pub ingested_at: Option<Timestamp>,
    /// Kept from eviction.
    pub is_pinned: bool,
}

impl Vault {
    /// Bytes on disk per tier.
    pub fn tiers(&self) -> Result<Tiers, StoreError> {
        let database: u64 =
            ["", "-wal", "-shm"].iter().map(|suffix| self.database_len(suffix)).sum();
        let distilled = distilled_pages(&self.connection)?;
        let packs: i64 = self.connection.query_row(
            "SELECT coalesce(sum((pack_len + ?1 - 1) / ?1 * ?1), 0) FROM sessions",
            [DISK_PIECE as i64],
            |row| row.get(0),
        )?;
        Ok(Tiers {
            raw_rows: database.saturating_sub(distilled),
            raw_packs: packs as u64,
            raw_index: self.home.index_bytes(),
            distilled,
        })
    }

    fn database_len(&self, suffix: &str) -> u64 {
        let mut name = self.home.archive().into_os_string();
        name.push(suffix);
        fs_err::metadata(std::path::Path::new(&name)).map_or(0, |meta| meta.len())
    }

    /// Every session with raw events, in no particular order.
    pub fn residents(&self) -> Result<Vec<Resident>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT id, session_uid, next_seq - evicted_before, pack_len, analyzed_at,
                coalesce(ended_at, started_at), ingested_at, pinned_at IS NOT NULL, started_at
             FROM sessions WHERE next_seq > evicted_before",
        )?;
        let residents = statement.query_map([], |row| {
            let pack_len = row.get::<_, i64>(3)? as u64;
            Ok(Resident {
                id: row.get(0)?,
                uid: SessionUid::from_stored(row.get(1)?),
                events: row.get::<_, i64>(2)? as u64,
                pack_bytes: pack_len.div_ceil(DISK_PIECE) * DISK_PIECE,
                analyzed_at: row.get::<_, Option<i64>>(4)?.map(Timestamp),
                active_at: row.get::<_, Option<i64>>(5)?.map(Timestamp),
                ingested_at: row.get::<_, Option<i64>>(6)?.map(Timestamp),
                is_pinned: row.get(7)?,
                started_at: row.get::<_, Option<i64>>(8)?.map(Timestamp),
            })
        })?;
        Ok(residents.collect::<Result<_, _>>()?)
    }
}

/// Bytes of every table and index but those of events.
fn distilled_pages(connection: &Connection) -> Result<u64, StoreError> {
    let mut names = connection.prepare_cached(
        "SELECT name FROM sqlite_schema WHERE rootpage > 0 AND tbl_name <> 'events'",
    )?;
    let mut size = connection.prepare_cached(
        "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = ?1 AND aggregate = TRUE",
    )?;
    let mut bytes = 0;
    for name in names.query_map([], |row| row.get::<_, String>(0))? {
        bytes += size.query_row([name?], |row| row.get::<_, i64>(0))? as u64;
    }
    Ok(bytes)
}
