//! How many sessions are where in their life, and how fast raw events gather.

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
        Ok(self.connection.query_row(
            "SELECT coalesce(sum(next_seq > evicted_before), 0),
                coalesce(sum(evicted_at IS NOT NULL), 0),
                coalesce(sum(analyzed_at IS NULL AND next_seq > evicted_before), 0),
                coalesce(sum(pinned_at IS NOT NULL), 0)
             FROM sessions WHERE events > 0",
            [],
            |row| {
                let count = |column| row.get::<_, i64>(column).map(|count| count as u64);
                Ok(Census {
                    resident: count(0)?,
                    evicted: count(1)?,
                    unanalyzed: count(2)?,
                    pinned: count(3)?,
                })
            },
        )?)
    }

    /// What was worked on since a moment. The time of work counts, not that of reading: a first
    /// sync reads years at once.
    pub fn recent(&self, since: Timestamp) -> Result<Recent, StoreError> {
        Ok(self.connection.query_row(
            "SELECT coalesce(sum(iif(ended_at >= ?1, source_bytes, 0)), 0),
                min(iif(ended_at >= ?1, started_at, NULL)),
                coalesce(sum(iif(next_seq > evicted_before, source_bytes, 0)), 0)
             FROM sessions WHERE events > 0",
            [since.0],
            |row| {
                Ok(Recent {
                    source_bytes: row.get::<_, i64>(0)?.max(0) as u64,
                    first: row.get::<_, Option<i64>>(1)?.map(Timestamp),
                    resident_source_bytes: row.get::<_, i64>(2)?.max(0) as u64,
                })
            },
        )?)
    }
}
