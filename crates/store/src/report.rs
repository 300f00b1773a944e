//! What the archive holds, in numbers.

use crate::database::values;
use crate::{StoreError, Vault};
use backstory_model::{Cost, Flavor, Timestamp};

/// One finished sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepRecord {
    /// Began.
    pub started_at: Timestamp,
    /// Ended.
    pub finished_at: Timestamp,
    /// Files seen.
    pub files: u64,
    /// Files whose content was read.
    pub files_read: u64,
    /// Bytes read from them.
    pub bytes_read: u64,
    /// Events added.
    pub new_events: u64,
    /// Files and records that made trouble.
    pub problems: u64,
}

/// Totals of one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct FlavorTotals {
    /// The agent.
    pub flavor: Flavor,
    /// Conversations with the human.
    pub sessions: u64,
    /// Sub-agents' side conversations.
    pub subagents: u64,
    /// Events.
    pub events: u64,
    /// Tokens, money, turns; nothing counted twice.
    pub cost: Cost,
    /// First event.
    pub first: Option<Timestamp>,
    /// Last event.
    pub last: Option<Timestamp>,
    /// Source files.
    pub files: u64,
    /// Bytes of them.
    pub source_bytes: u64,
    /// Records of unknown type.
    pub unknown: u64,
    /// Records that could not be read.
    pub bad: u64,
    /// Transcripts that are not empty and yet yielded no message.
    pub silent_files: u64,
}

/// Unknown records of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantineCount {
    /// The agent.
    pub flavor: String,
    /// Its version.
    pub cli_version: Option<String>,
    /// The record type.
    pub type_name: String,
    /// How many.
    pub count: u64,
    /// A file that holds one.
    pub example_path: String,
    /// The line in it.
    pub example_line: u64,
    /// Why, for unreadable ones.
    pub reason: Option<String>,
}

/// Secrets of one kind in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretCount {
    /// The file.
    pub path: String,
    /// Kind of secret.
    pub kind: String,
    /// Its fingerprint.
    pub fingerprint: String,
    /// Lines that hold it.
    pub lines: Vec<u64>,
}

/// A source that could not be read, or read as something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceProblem {
    /// The agent.
    pub flavor: String,
    /// The file.
    pub path: String,
    /// What is wrong.
    pub problem: String,
}

/// Bytes on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Database, write-ahead log included.
    pub rows: u64,
    /// Packs.
    pub packs: u64,
}

impl Vault {
    /// Totals per agent, in the order of [`Flavor::ALL`].
    pub fn totals(&self) -> Result<Vec<FlavorTotals>, StoreError> {
        let mut totals = Vec::new();
        for flavor in Flavor::ALL {
            let sql = include_str!("sql/totals.sql");
            let total = self.database.one(sql, values![flavor.name()], |row| {
                Ok(FlavorTotals {
                    flavor,
                    sessions: row.count(0)?,
                    subagents: row.count(1)?,
                    events: row.count(2)?,
                    cost: Cost {
                        input_tokens: row.count(3)?,
                        output_tokens: row.count(4)?,
                        cache_read_tokens: row.count(5)?,
                        cache_write_5m_tokens: row.count(6)?,
                        cache_write_1h_tokens: row.count(7)?,
                        reasoning_tokens: row.count(8)?,
                        usd: row.get(9)?,
                        wall_clock_s: 0,
                        turns: row.count(10)? as u32,
                        retries: row.count(11)? as u32,
                    },
                    first: row.get::<Option<i64>>(12)?.map(Timestamp),
                    last: row.get::<Option<i64>>(13)?.map(Timestamp),
                    files: row.count(14)?,
                    source_bytes: row.count(15)?,
                    unknown: row.count(16)?,
                    bad: row.count(17)?,
                    silent_files: row.count(18)?,
                })
            })?;
            let Some(total) = total else { continue };
            if total.files > 0 || total.sessions > 0 {
                totals.push(total);
            }
        }
        Ok(totals)
    }

    /// Unknown and unreadable records by agent, version and type, most frequent first.
    pub fn quarantine(&self) -> Result<Vec<QuarantineCount>, StoreError> {
        self.database.all(include_str!("sql/quarantine.sql"), &[], |row| {
            Ok(QuarantineCount {
                flavor: row.get(0)?,
                cli_version: row.get(1)?,
                type_name: row.get(2)?,
                count: row.count(3)?,
                reason: row.get(4)?,
                example_path: row.get(5)?,
                example_line: row.count(6)?,
            })
        })
    }

    /// Versions of agents with how many sessions each was met in.
    pub fn cli_versions(&self) -> Result<Vec<(String, String, u64)>, StoreError> {
        let sql = "SELECT flavor, cli_version, count(*) FROM sessions
            WHERE cli_version IS NOT NULL AND cli_version <> '' AND events > 0
            GROUP BY flavor, cli_version ORDER BY flavor, cli_version";
        self.database.all(sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.count(2)?)))
    }

    /// Which source files hold secrets, by kind and line.
    pub fn secrets(&self) -> Result<Vec<SecretCount>, StoreError> {
        let sql = "SELECT s.path, x.kind, x.fingerprint, x.line
            FROM secrets x JOIN sources s ON s.id = x.source_id
            ORDER BY s.path, x.kind, x.fingerprint, x.line";
        let mut found: Vec<SecretCount> = Vec::new();
        self.database.each(sql, &[], |row| -> Result<(), StoreError> {
            let (path, kind, fingerprint): (String, String, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let line = row.count(3)?;
            match found.last_mut() {
                Some(last)
                    if last.path == path
                        && last.kind == kind
                        && last.fingerprint == fingerprint =>
                {
                    last.lines.push(line);
                }
                _ => found.push(SecretCount { path, kind, fingerprint, lines: vec![line] }),
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Sources that could not be read, and transcripts that yielded no message; of what was
    /// forgotten, nothing is expected.
    pub fn source_problems(&self) -> Result<Vec<SourceProblem>, StoreError> {
        let sql = "SELECT flavor, path, coalesce(problem,
                'not empty (' || size || ' bytes), yet no message was found in it')
            FROM sources
            WHERE (problem IS NOT NULL OR (is_transcript <> 0 AND size > 0 AND messages = 0))
                AND path <> ''
            ORDER BY flavor, path";
        self.database.all(sql, &[], |row| {
            Ok(SourceProblem { flavor: row.get(0)?, path: row.get(1)?, problem: row.get(2)? })
        })
    }

    /// The last finished sweep.
    pub fn last_sweep(&self) -> Result<Option<SweepRecord>, StoreError> {
        let sql = "SELECT started_at, finished_at, files, files_read, bytes_read, new_events,
                problems
            FROM last_sweep";
        self.database.one(sql, &[], |row| {
            Ok(SweepRecord {
                started_at: Timestamp(row.get(0)?),
                finished_at: Timestamp(row.get(1)?),
                files: row.count(2)?,
                files_read: row.count(3)?,
                bytes_read: row.count(4)?,
                new_events: row.count(5)?,
                problems: row.count(6)?,
            })
        })
    }

    /// Bytes on disk, as far as rows know of them: to ask every pack would take too long where they
    /// are far away.
    pub fn sizes(&self) -> Result<Sizes, StoreError> {
        let sql = "SELECT CAST(sum(pack_len) AS BIGINT) FROM sessions";
        let packs = self.database.one(sql, &[], |row| row.count(0))?;
        Ok(Sizes { rows: self.database.room()?.all, packs: packs.unwrap_or(0) })
    }
}
