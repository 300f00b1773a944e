//! How many sessions are where in their life, and how fast raw events gather.

use crate::database::values;
use crate::{StoreError, Vault};
use backstory_model::Timestamp;

/// Sessions by what is kept of them; those forgotten are in none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// With raw events.
    pub resident: u64,
    /// Whose raw events left, at least those up to some moment.
    pub evicted: u64,
    /// With raw events their digest does not cover.
    pub unanalyzed: u64,
    /// Kept from eviction.
    pub pinned: u64,
}

/// What was worked on lately, in bytes of logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    /// Logs of the sessions active in the period.
    pub source_bytes: u64,
    /// Begin of the first of them.
    pub first: Option<Timestamp>,
    /// Logs of all sessions with raw events: what these take on disk, divided by this, is how much
    /// a byte of log takes.
    pub resident_source_bytes: u64,
}

impl Vault {
    /// Counts sessions.
    pub fn census(&self) -> Result<Census, StoreError> {
        let sql = "SELECT count(*) FILTER (WHERE next_seq > evicted_before),
                count(*) FILTER (WHERE evicted_at IS NOT NULL),
                count(*) FILTER (WHERE analyzed_at IS NULL AND next_seq > evicted_before),
                count(*) FILTER (WHERE pinned_at IS NOT NULL)
            FROM sessions WHERE events > 0";
        let census = self.database.one(sql, &[], |row| {
            Ok(Census {
                resident: row.count(0)?,
                evicted: row.count(1)?,
                unanalyzed: row.count(2)?,
                pinned: row.count(3)?,
            })
        })?;
        Ok(census.unwrap_or_default())
    }

    /// What was worked on since a moment. The time of work counts, not that of reading: a first
    /// sync reads years at once.
    pub fn recent(&self, since: Timestamp) -> Result<Recent, StoreError> {
        let sql = "SELECT CAST(sum(source_bytes) FILTER (WHERE ended_at >= ?1) AS BIGINT),
                min(started_at) FILTER (WHERE ended_at >= ?1),
                CAST(sum(source_bytes) FILTER (WHERE next_seq > evicted_before) AS BIGINT)
            FROM sessions WHERE events > 0";
        let recent = self.database.one(sql, values![since.0], |row| {
            let bytes = |column| -> Result<u64, StoreError> {
                Ok(row.get::<Option<i64>>(column)?.unwrap_or(0).max(0) as u64)
            };
            Ok(Recent {
                source_bytes: bytes(0)?,
                first: row.get::<Option<i64>>(1)?.map(Timestamp),
                resident_source_bytes: bytes(2)?,
            })
        })?;
        Ok(recent.unwrap_or_default())
    }
}
