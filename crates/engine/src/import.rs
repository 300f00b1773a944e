//! Taking in sessions another archive exported. They come one after the other, each with its events
//! in order; what is known already is passed over, and secrets are looked for once more.

use crate::distil::distil_and_index;
use crate::{Archive, SyncError, ledger};
use backstory_distill::Redactor;
use backstory_model::{EventKey, Seal, Session, SessionEvent, SessionUid, Timestamp, summarize};
use backstory_store::{
    Account, BLOCK_BYTES, Block, BlockCompressor, Chunk, Cursor, EventRow, HubDecision, Passport,
    PendingSession, SessionDelta, Spending, StoreError, SweepLock, UsageRow, UsageRule, Vault,
    Writer, path_key,
};
use std::path::Path;

/// Raw text gathered before it is stored.
const CHUNK_BYTES: usize = 4 << 20;

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Sessions new to the archive.
    pub new_sessions: u64,
    /// Sessions that were known and may have gained events.
    pub known_sessions: u64,
    /// Sessions that were forgotten here and stay so.
    pub forgotten_sessions: u64,
    /// Events new to the archive.
    pub new_events: u64,
    /// Events that were known.
    pub known_events: u64,
}

/// Takes in one export. Nothing is visible before it is committed; what was committed stays if the
/// import breaks off, and a repetition passes it over.
pub struct Importer {
    archive: Archive,
    _lock: SweepLock,
    vault: Vault,
    writer: Writer,
    redactor: Redactor,
    compressor: BlockCompressor,
    now: Timestamp,
    cursor: Cursor,
    next_session_id: i64,
    report: ImportReport,
    open: Option<Open>,
}

/// The session being read.
struct Open {
    delta: SessionDelta,
    is_known: bool,
    chunk: Chunk,
    /// Raw text of the block being gathered, and the events that lie in it.
    raw: String,
    gathered: Vec<usize>,
    stored_bytes: usize,
    departed: Option<(Vec<u8>, u32, Option<Timestamp>)>,
    account: Option<(Account, u32)>,
    seals: Vec<Seal>,
}

impl Importer {
    /// Begins; `from` names the export.
    pub fn begin(archive: &Archive, from: &Path, now: Timestamp) -> Result<Self, SyncError> {
        let home = &archive.home;
        let lock = SweepLock::acquire(home)?;
        let writer = Writer::open(home)?;
        let vault = Vault::open(home)?;
        let (last_session, last_source) = vault.last_ids()?;
        let key = path_key(from);
        let redactor = Redactor::new();
        let known = vault.cursor(key)?;
        let cursor = Cursor {
            id: known.map_or(last_source + 1, |known| known.id),
            path_key: key,
            path: redactor.redact(&from.display().to_string()).into_owned(),
            role: "export".into(),
            ..Cursor::default()
        };
        Ok(Self {
            archive: archive.clone(),
            _lock: lock,
            vault,
            writer,
            redactor,
            compressor: BlockCompressor::default(),
            now,
            cursor,
            next_session_id: last_session + 1,
            report: ImportReport::default(),
            open: None,
        })
    }

    /// The next session; the lines that follow belong to it.
    pub fn session(&mut self, session: &Session, passport: &Passport) -> Result<(), SyncError> {
        self.close()?;
        let head = self.vault.session_head(&session.session_uid)?;
        if head.is_some_and(|head| head.is_forgotten) {
            self.report.forgotten_sessions += 1;
            return Ok(());
        }
        let (id, next_seq) = if let Some(head) = head {
            self.report.known_sessions += 1;
            (head.id, head.next_seq)
        } else {
            self.report.new_sessions += 1;
            self.next_session_id += 1;
            (self.next_session_id - 1, 0)
        };
        self.cursor.flavor = session.flavor.name();
        let mut open = Open {
            delta: self.delta(session, passport, id, next_seq),
            is_known: head.is_some(),
            chunk: Chunk::default(),
            raw: String::new(),
            gathered: Vec::new(),
            stored_bytes: 0,
            departed: None,
            account: None,
            seals: Vec::new(),
        };
        open.chunk.roots = passport.roots.iter().map(|key| (*key, id)).collect();
        if !open.is_known && !passport.departed.is_empty() {
            let before = (passport.departed.len() / Passport::DEPARTED_KEY_BYTES) as u32;
            open.delta.next_seq = before;
            open.delta.events = before;
            open.departed =
                Some((passport.departed.clone(), before, session.watermarks.evicted_at));
        }
        self.open = Some(open);
        Ok(())
    }

    fn delta(
        &self,
        session: &Session,
        passport: &Passport,
        id: i64,
        next_seq: u32,
    ) -> SessionDelta {
        let clean = |text: &Option<String>| {
            text.as_deref().map(|text| self.redactor.redact(text).into_owned())
        };
        SessionDelta {
            id,
            uid: session.session_uid.as_str().to_owned(),
            flavor: session.flavor.name(),
            lineage: session.lineage.clone(),
            repo: clean(&session.repo),
            project_key: clean(&session.project_key),
            domain: session.domain.clone(),
            cwd: clean(&session.cwd),
            git_branch: clean(&session.git_branch),
            models: session.models.clone(),
            cli_version: session.cli_version.clone(),
            title: clean(&session.title).map(|title| (passport.title_rank, title)),
            task_ref: clean(&session.task_ref),
            started_at: session.started_at,
            ended_at: session.ended_at,
            events: 0,
            turns: 0,
            retries: 0,
            next_seq,
            cost_in_parent: session.cost_in_parent,
            is_forgotten: false,
            source_path: self.redactor.redact(&session.source_path).into_owned(),
        }
    }

    /// The next event of the session.
    pub fn event(
        &mut self,
        key: EventKey,
        event: &SessionEvent,
        payload: &str,
    ) -> Result<(), SyncError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        if open.is_known && self.vault.known_event(open.delta.id, key)?.is_some() {
            self.report.known_events += 1;
            return Ok(());
        }
        self.report.new_events += 1;
        let delta = &mut open.delta;
        // A session new here keeps its numbers; a known one goes on with its own.
        let seq = if open.is_known { delta.next_seq } else { event.seq.max(delta.next_seq) };
        delta.next_seq = seq + 1;
        delta.events += 1;
        let from = open.raw.len();
        let mut findings = Vec::new();
        self.redactor.redact_into(payload, &mut open.raw, &mut findings);
        let len = open.raw.len() - from;
        let summary = self.redactor.redact(&event.summary);
        let chunk = &mut open.chunk;
        let summary = chunk.text_with(|out| summarize(&summary, out));
        let is_stored = len > 0 && chunk.get(summary) != &open.raw[from..];
        if is_stored {
            open.gathered.push(chunk.events.len());
        } else {
            open.raw.truncate(from);
        }
        let mut text = |text: &Option<String>| {
            text.as_deref().map(|text| chunk.text(&self.redactor.redact(text)))
        };
        let row = EventRow {
            session_id: delta.id,
            seq,
            key,
            parent_seq: if open.is_known { None } else { event.parent_seq },
            native_id: text(&event.native_id),
            ts: event.ts,
            kind: event.kind,
            role: event.role,
            is_sidechain: event.is_sidechain,
            tool: text(&event.tool),
            call_id: text(&event.call_id),
            summary,
            payload: is_stored.then_some((0, from as u32, len as u32)),
            tokens: event.tokens,
            exit_code: event.exit_code,
            duration_ms: event.duration_ms,
            files: (!event.files.is_empty()).then(|| text(&Some(event.files.join("\n")))).flatten(),
            refresh: false,
        };
        delta.turns +=
            u32::from(event.kind == backstory_model::EventKind::UserMsg && !event.is_sidechain);
        delta.retries += u32::from(event.kind == backstory_model::EventKind::Retry);
        chunk.events.push(row);
        if open.raw.len() >= BLOCK_BYTES {
            open.close_block(&mut self.compressor);
        }
        if open.stored_bytes >= CHUNK_BYTES {
            self.store_chunk()?;
        }
        Ok(())
    }

    /// Tokens of the session.
    pub fn spending(&mut self, spending: &Spending) {
        let Some(open) = &mut self.open else { return };
        let model = spending.model.as_deref().map(|model| open.chunk.text(model));
        open.chunk.usage.push(UsageRow {
            session_id: open.delta.id,
            key: spending.key,
            ts: spending.ts,
            model,
            usage: spending.usage,
            usd: spending.usd,
            rule: UsageRule::Max,
        });
    }

    /// The session's digest and signals, covering its events up to a seq. A session known here is
    /// distilled anew instead, from all that is known of it.
    pub fn account(&mut self, mut account: Account, analyzed_seq: u32) {
        if let Some(open) = self.open.as_mut().filter(|open| !open.is_known) {
            for decision in &mut account.decisions {
                ledger::redact(&self.redactor, decision);
            }
            open.account = Some((account, analyzed_seq));
        }
    }

    /// What a hub recorded: of no session, so the one being read is complete.
    pub fn hub_decision(&mut self, mut recorded: HubDecision) -> Result<(), SyncError> {
        self.close()?;
        ledger::redact_recorded(&self.redactor, &mut recorded);
        self.writer.record_hub_decision(&recorded)?;
        Ok(())
    }

    /// A closed stretch of the session. One known here has its own.
    pub fn seal(&mut self, mut seal: Seal) {
        if let Some(open) = self.open.as_mut().filter(|open| !open.is_known) {
            for text in [&mut seal.abstract_text, &mut seal.overview] {
                *text = self.redactor.redact(text).into_owned();
            }
            open.seals.push(seal);
        }
    }

    /// Ends the import and distils what came without a digest.
    pub fn finish(mut self) -> Result<ImportReport, SyncError> {
        self.close()?;
        self.writer.commit()?;
        // What the index could not take in stays owed: search says so, and the next sync tries again.
        distil_and_index(&mut self.writer, &self.archive, false, self.now, &mut |_, _| ())?;
        self.writer.reclaim()?;
        Ok(self.report)
    }

    fn close(&mut self) -> Result<(), SyncError> {
        self.store_chunk()?;
        let Some(open) = self.open.take() else { return Ok(()) };
        if let Some((keys, before, at)) = &open.departed {
            self.writer.put_departed(open.delta.id, keys, *before, *at)?;
        }
        for seal in &open.seals {
            self.writer.put_seal(open.delta.id, seal)?;
        }
        // Identities of this session are asked from the archive if it comes again.
        self.writer.commit()?;
        if let Some((account, seq)) = open.account
            && seq == open.delta.next_seq
        {
            let session = PendingSession {
                id: open.delta.id,
                uid: SessionUid::from_stored(open.delta.uid),
                from_seq: 0,
                next_seq: seq,
            };
            self.writer.put_account(&session, &account, self.now)?;
        }
        Ok(())
    }

    fn store_chunk(&mut self) -> Result<(), StoreError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        open.close_block(&mut self.compressor);
        open.stored_bytes = 0;
        let mut chunk = std::mem::take(&mut open.chunk);
        chunk.cursor = self.cursor.clone();
        chunk.sessions = vec![open.delta.clone()];
        // Counted once.
        (open.delta.events, open.delta.turns, open.delta.retries) = (0, 0, 0);
        self.writer.apply(&chunk, self.now)
    }
}

impl Open {
    fn close_block(&mut self, compressor: &mut BlockCompressor) {
        let number = self.chunk.blocks.len();
        for event in self.gathered.drain(..) {
            if let Some((block, _, _)) = &mut self.chunk.events[event].payload {
                *block = number;
            }
        }
        if !self.raw.is_empty() {
            let bytes = compressor.block(self.raw.as_bytes());
            self.stored_bytes += self.raw.len();
            self.chunk.blocks.push(Block { session_id: self.delta.id, bytes });
        }
        self.raw.clear();
    }
}
