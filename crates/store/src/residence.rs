//! What takes how much room: raw events (which may leave) apart from distilled knowledge (which
//! stays).

use crate::database::values;
use crate::{StoreError, Vault};
use backstory_model::{SessionUid, Timestamp};

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
    /// What plugins posted, beside the archive.
    pub raw_posted: u64,
    /// Everything else: sessions, tokens, cursors, digests, signals.
    pub distilled: u64,
}

impl Tiers {
    /// Tier 1.
    pub fn raw(self) -> u64 {
        self.raw_rows + self.raw_packs + self.raw_index + self.raw_posted
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
    /// Bytes per tier, with those of the search index.
    pub fn tiers(&self, raw_index: u64) -> Result<Tiers, StoreError> {
        let room = self.database.room()?;
        let packs = self.database.one(
            "SELECT CAST(sum((pack_len + ?1 - 1) / ?1 * ?1) AS BIGINT) FROM sessions",
            values![DISK_PIECE as i64],
            |row| row.count(0),
        )?;
        Ok(Tiers {
            raw_rows: room.all.saturating_sub(room.distilled),
            raw_packs: packs.unwrap_or(0),
            raw_index,
            raw_posted: 0,
            distilled: room.distilled,
        })
    }

    /// Every session with raw events, in no particular order.
    pub fn residents(&self) -> Result<Vec<Resident>, StoreError> {
        let sql = "SELECT id, session_uid, next_seq - evicted_before, pack_len, analyzed_at,
                coalesce(ended_at, started_at), ingested_at, pinned_at IS NOT NULL, started_at
            FROM sessions WHERE next_seq > evicted_before";
        self.database.all(sql, &[], |row| {
            let pack_len = row.count(3)?;
            Ok(Resident {
                id: row.get(0)?,
                uid: SessionUid::from_stored(row.get(1)?),
                events: row.count(2)?,
                pack_bytes: pack_len.div_ceil(DISK_PIECE) * DISK_PIECE,
                analyzed_at: row.get::<Option<i64>>(4)?.map(Timestamp),
                active_at: row.get::<Option<i64>>(5)?.map(Timestamp),
                ingested_at: row.get::<Option<i64>>(6)?.map(Timestamp),
                is_pinned: row.get(7)?,
                started_at: row.get::<Option<i64>>(8)?.map(Timestamp),
            })
        })
    }
}
