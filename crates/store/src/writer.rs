//! The one writer: rows, pack blocks and cursors of a chunk, committed together.

use crate::chunk::{Chunk, EventRow, SessionDelta};
use crate::database::{Database, TakeRow, values};
use crate::report::SweepRecord;
use crate::rows::{FLAG_SIDECHAIN, native_id_value};
use crate::usage::Spent;
use crate::{BlobCompressor, Home, IndexDebt, PackBatch, StoreError, pack, whereabouts};
use backstory_model::{SCHEMA_VERSION, SessionUid, Timestamp};
use std::collections::HashMap;

/// Write access to the archive. Hold a [`crate::SweepLock`] while using it.
#[derive(Debug)]
pub struct Writer {
    pub(crate) home: Home,
    pub(crate) database: Box<dyn Database>,
    /// Committed pack lengths of sessions touched in the open transaction.
    pack_len: HashMap<i64, u64>,
    /// Blocks of the open transaction.
    blocks: Option<Box<dyn PackBatch>>,
    /// Token sums not yet added to their sessions.
    pub(crate) spent: HashMap<i64, Spent>,
    /// Rows of models met so far.
    pub(crate) models: HashMap<String, i64>,
    pub(crate) blobs: BlobCompressor,
    open: bool,
}

/// What a new event is stored as.
pub(crate) const EVENT_COLUMNS: [&str; 19] = [
    "session_id",
    "seq",
    "key",
    "parent_seq",
    "native_id",
    "ts",
    "kind",
    "role",
    "flags",
    "tool",
    "call_id",
    "summary",
    "block",
    "\"offset\"",
    "len",
    "tokens",
    "exit_code",
    "duration_ms",
    "files",
];

impl Writer {
    /// Opens the archive for writing, creating it if needed.
    pub fn open(home: &Home) -> Result<Self, StoreError> {
        home.create()?;
        let database = home.engine().write()?;
        whereabouts::make_ready(home.packs(), &*database)?;
        let mut writer = Self {
            home: home.clone(),
            database,
            pack_len: HashMap::new(),
            blocks: None,
            spent: HashMap::new(),
            models: HashMap::new(),
            blobs: BlobCompressor::small(),
            open: false,
        };
        writer.remove_doomed_packs()?;
        Ok(writer)
    }

    /// Adds a chunk to the open transaction. On error the transaction is rolled back: everything
    /// since the last commit will be read again.
    pub fn apply(&mut self, chunk: &Chunk, now: Timestamp) -> Result<(), StoreError> {
        self.begin()?;
        let result = self.store(chunk, now);
        if result.is_err() {
            self.rollback();
        }
        result
    }

    /// The same for what comes from no source.
    pub fn add(&mut self, chunk: &Chunk, now: Timestamp) -> Result<(), StoreError> {
        self.begin()?;
        let result = self.store_rows(chunk, now);
        if result.is_err() {
            self.rollback();
        }
        result
    }

    pub(crate) fn begin(&mut self) -> Result<(), StoreError> {
        if !self.open {
            self.database.begin()?;
            self.open = true;
        }
        Ok(())
    }

    /// Commits what was applied.
    pub fn commit(&mut self) -> Result<(), StoreError> {
        if !self.open {
            return Ok(());
        }
        let result = self
            .add_spent()
            .and_then(|()| self.blocks.take().map_or(Ok(()), PackBatch::settle))
            .and_then(|()| self.database.commit());
        if result.is_err() {
            self.rollback();
            return result;
        }
        self.open = false;
        self.pack_len.clear();
        Ok(())
    }

    /// Records a finished sweep and, if anything was read, folds the write-ahead log into the
    /// database.
    pub fn finish(mut self, sweep: &SweepRecord) -> Result<(), StoreError> {
        self.commit()?;
        self.database.run(
            include_str!("sql/upsert_last_sweep.sql"),
            values![
                sweep.started_at.0,
                sweep.finished_at.0,
                sweep.files as i64,
                sweep.files_read as i64,
                sweep.bytes_read as i64,
                sweep.new_events as i64,
                sweep.problems as i64
            ],
        )?;
        if sweep.files_read == 0 {
            return self.database.leave();
        }
        self.database.settle()
    }

    pub(crate) fn rollback(&mut self) {
        // The error that led here is the one worth reporting.
        let _ = self.database.rollback();
        self.open = false;
        self.blocks = None;
        self.pack_len.clear();
        self.spent.clear();
        self.models.clear();
    }

    fn store(&mut self, chunk: &Chunk, now: Timestamp) -> Result<(), StoreError> {
        if chunk.restarts {
            for table in ["quarantine", "secrets"] {
                let sql = format!("DELETE FROM {table} WHERE source_id = ?1");
                self.database.run(&sql, values![chunk.cursor.id])?;
            }
        }
        self.store_rows(chunk, now)?;
        self.insert_findings(chunk)?;
        self.upsert_cursor(chunk, now)
    }

    fn store_rows(&mut self, chunk: &Chunk, now: Timestamp) -> Result<(), StoreError> {
        for session_id in &chunk.supersedes {
            self.drop_posted(*session_id)?;
        }
        for session in &chunk.sessions {
            self.upsert_session(session, chunk, now)?;
        }
        let positions = self.append_blocks(chunk)?;
        self.insert_events(chunk, &positions)?;
        self.merge_usage(chunk)?;
        for (key, session_id) in &chunk.roots {
            self.database.run(
                "INSERT INTO roots (key, session_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                values![key.0 as i64, *session_id],
            )?;
        }
        Ok(())
    }

    fn upsert_session<'a>(
        &mut self,
        delta: &'a SessionDelta,
        chunk: &Chunk,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let other = |uid: &'a Option<SessionUid>| uid.as_ref().map(SessionUid::as_str);
        let lineage = &delta.lineage;
        let known = "SELECT models, pack_len FROM sessions WHERE id = ?1";
        let known = self
            .database
            .one(known, values![delta.id], |row| Ok((row.get::<String>(0)?, row.count(1)?)))?;
        let (known_models, pack_len) = known.unwrap_or_default();
        self.pack_len.entry(delta.id).or_insert(pack_len);
        let models = merge_models(known_models, &delta.models);
        let owns_source = chunk.cursor.session_id == Some(delta.id);
        let refreshed =
            chunk.events.iter().any(|event| event.refresh && event.session_id == delta.id);
        self.database.run(
            include_str!("sql/upsert_session.sql"),
            values![
                delta.id,
                &delta.uid,
                delta.flavor,
                other(&lineage.parent_session_uid),
                other(&lineage.forked_from_uid),
                other(&lineage.continues_uid),
                lineage.parent_call_id.as_ref(),
                lineage.agent_name.as_ref(),
                delta.repo.as_ref(),
                delta.project_key.as_ref(),
                delta.domain.as_ref(),
                delta.cwd.as_ref(),
                delta.git_branch.as_ref(),
                delta.models.last(),
                &models,
                delta.cli_version.as_ref(),
                delta.title.as_ref().map(|(_, title)| title),
                delta.title.as_ref().map_or(0, |(rank, _)| *rank),
                delta.started_at.map(|at| at.0),
                delta.ended_at.map(|at| at.0),
                delta.turns,
                delta.retries,
                delta.cost_in_parent,
                delta.task_ref.as_ref(),
                &delta.source_path,
                if owns_source { chunk.grown_bytes } else { 0 },
                delta.events,
                delta.next_seq,
                SCHEMA_VERSION,
                now.0,
                refreshed,
                delta.is_forgotten.then_some(now.0),
            ],
        )?;
        let debt = if refreshed { IndexDebt::REDO } else { IndexDebt::EVENTS };
        self.owe_index(delta.id, debt | IndexDebt::CARD)
    }

    /// Writes the chunk's blocks to their packs; the result has one position per block.
    fn append_blocks(&mut self, chunk: &Chunk) -> Result<Vec<u64>, StoreError> {
        let mut positions = vec![0; chunk.blocks.len()];
        let mut sessions: Vec<i64> = chunk.blocks.iter().map(|block| block.session_id).collect();
        sessions.dedup();
        sessions.sort_unstable();
        sessions.dedup();
        for session_id in sessions {
            let (places, blocks): (Vec<usize>, Vec<&[u8]>) = chunk
                .blocks
                .iter()
                .enumerate()
                .filter(|(_, block)| block.session_id == session_id)
                .map(|(place, block)| (place, block.bytes.as_slice()))
                .unzip();
            let written = self.append_to_pack(session_id, &blocks)?;
            for (place, position) in places.into_iter().zip(written) {
                positions[place] = position;
            }
        }
        Ok(positions)
    }

    /// Adds blocks to a session's pack; tells where each lies.
    pub(crate) fn append_to_pack(
        &mut self,
        session_id: i64,
        blocks: &[&[u8]],
    ) -> Result<Vec<u64>, StoreError> {
        let committed = if let Some(len) = self.pack_len.get(&session_id) {
            *len
        } else {
            let sql = "SELECT pack_len FROM sessions WHERE id = ?1";
            self.database.one(sql, values![session_id], |row| row.count(0))?.unwrap_or(0)
        };
        let batch = self.blocks.get_or_insert_with(|| self.home.packs().begin());
        let written = batch.append(session_id, committed, blocks)?;
        self.pack_len.insert(session_id, written.len);
        let sql = "UPDATE sessions SET pack_len = ?2 WHERE id = ?1";
        self.database.run(sql, values![session_id, written.len as i64])?;
        Ok(written.positions)
    }

    fn insert_events(&self, chunk: &Chunk, positions: &[u64]) -> Result<(), StoreError> {
        let is_new = |event: &&EventRow| !event.refresh;
        if chunk.events.iter().any(|event| !event.refresh) {
            self.database.insert("events", &EVENT_COLUMNS, &mut |take| {
                let mut new = chunk.events.iter().filter(is_new);
                new.try_for_each(|event| insert_event(event, chunk, positions, take))
            })?;
        }
        for event in chunk.events.iter().filter(|event| event.refresh) {
            self.refresh_event(event, chunk, positions)?;
        }
        Ok(())
    }

    fn refresh_event(
        &self,
        event: &EventRow,
        chunk: &Chunk,
        positions: &[u64],
    ) -> Result<(), StoreError> {
        self.database.run(
            include_str!("sql/refresh_event.sql"),
            values![
                event.session_id,
                event.seq,
                event.parent_seq,
                event.kind.code(),
                event.role.code(),
                event.tool.map(|tool| chunk.get(tool)),
                event.call_id.map(|id| chunk.get(id)),
                chunk.get(event.summary),
                event.exit_code,
                event.duration_ms.map(|ms| ms as i64),
                event.files.map(|files| chunk.get(files)),
                event.payload.map(|(block, _, _)| positions[block] as i64),
                event.payload.map(|(_, offset, _)| offset),
                event.payload.map(|(_, _, len)| len),
            ],
        )?;
        Ok(())
    }

    fn insert_findings(&self, chunk: &Chunk) -> Result<(), StoreError> {
        let cursor = &chunk.cursor;
        for (part, row) in chunk.quarantine.iter().enumerate() {
            let raw = pack::compress(chunk.get(row.raw).as_bytes())?;
            self.database.run(
                include_str!("sql/upsert_quarantine.sql"),
                values![
                    cursor.id,
                    row.line as i64,
                    part as i64,
                    cursor.flavor,
                    row.cli_version.as_ref(),
                    &row.type_name,
                    row.reason.as_ref(),
                    &raw
                ],
            )?;
        }
        for row in &chunk.secrets {
            self.database.run(
                "INSERT INTO secrets (source_id, line, kind, fingerprint) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO NOTHING",
                values![cursor.id, row.line as i64, row.kind, &row.fingerprint],
            )?;
        }
        Ok(())
    }

    fn upsert_cursor(&self, chunk: &Chunk, now: Timestamp) -> Result<(), StoreError> {
        let cursor = &chunk.cursor;
        self.database.run(
            include_str!("sql/upsert_source.sql"),
            values![
                cursor.id,
                cursor.path_key,
                &cursor.path,
                cursor.flavor,
                &cursor.role,
                cursor.is_transcript,
                cursor.stat.dev as i64,
                cursor.stat.inode as i64,
                cursor.stat.size as i64,
                cursor.stat.mtime_ns,
                cursor.offset as i64,
                cursor.lines as i64,
                cursor.head_print,
                cursor.tail_print,
                &cursor.state,
                cursor.session_id,
                cursor.messages as i64,
                cursor.bad as i64,
                cursor.unknown as i64,
                cursor.problem.as_ref(),
                SCHEMA_VERSION,
                now.0,
            ],
        )?;
        Ok(())
    }
}

fn insert_event(
    event: &EventRow,
    chunk: &Chunk,
    positions: &[u64],
    take: &mut TakeRow<'_>,
) -> Result<(), StoreError> {
    let mut uuid = [0; 16];
    let native_id = event.native_id.map(|id| native_id_value(chunk.get(id), &mut uuid));
    let payload = event.payload.map(|(block, offset, len)| (positions[block], offset, len));
    take(values![
        event.session_id,
        event.seq,
        event.key.0 as i64,
        event.parent_seq,
        native_id,
        event.ts.map(|at| at.0),
        event.kind.code(),
        event.role.code(),
        if event.is_sidechain { FLAG_SIDECHAIN } else { 0 },
        event.tool.map(|tool| chunk.get(tool)),
        event.call_id.map(|id| chunk.get(id)),
        chunk.get(event.summary),
        payload.map(|(position, _, _)| position as i64),
        payload.map(|(_, offset, _)| offset),
        payload.map(|(_, _, len)| len),
        (event.tokens > 0).then_some(event.tokens as i64),
        event.exit_code,
        event.duration_ms.map(|ms| ms as i64),
        event.files.map(|files| chunk.get(files)),
    ])
}

/// Adds models not yet known, in order of first use.
fn merge_models(mut known: String, new: &[String]) -> String {
    for model in new {
        if !known.split('\n').any(|name| name == model) {
            if !known.is_empty() {
                known.push('\n');
            }
            known.push_str(model);
        }
    }
    known
}
