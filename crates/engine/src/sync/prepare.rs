//! From draft to chunk: secrets out, summaries made, payloads packed into compressed blocks.

use super::draft::{Draft, PlacedEvent, SessionDraft};
use crate::task_ref::TaskRefs;
use backstory_adapters::{Batch, Span, UsageMerge};
use backstory_distill::Redactor;
use backstory_model::{EventKind, SecretFinding, summarize};
use backstory_store::{
    BLOCK_BYTES, BlobCompressor, Block, BlockCompressor, Chunk, EventRow, QuarantineRow, SecretRow,
    SessionDelta, Text, UsageRow, UsageRule,
};
use std::borrow::Cow;

/// What all workers share.
pub(crate) struct Preparer {
    pub(crate) redactor: Redactor,
    pub(crate) task_refs: TaskRefs,
}

impl Preparer {
    pub(crate) fn worker(&self) -> Worker<'_> {
        Worker {
            shared: self,
            compressor: BlockCompressor::default(),
            states: BlobCompressor::fast(),
            findings: Vec::new(),
            scratch: String::new(),
            open: OpenBlock::default(),
        }
    }
}

/// One worker's tools.
pub(crate) struct Worker<'a> {
    shared: &'a Preparer,
    compressor: BlockCompressor,
    states: BlobCompressor,
    findings: Vec<SecretFinding>,
    scratch: String,
    /// Kept from draft to draft for its room; empty between them.
    open: OpenBlock,
}

/// Raw bytes of a block being gathered for one session, and the events that lie in it.
#[derive(Default)]
struct OpenBlock {
    session_id: i64,
    raw: String,
    events: Vec<usize>,
}

impl Worker<'_> {
    pub(crate) fn prepare(&mut self, mut draft: Draft) -> Chunk {
        let mut chunk = Chunk::default();
        chunk.cursor = std::mem::take(&mut draft.cursor);
        chunk.cursor.state = self.states.shrink(std::mem::take(&mut chunk.cursor.state));
        chunk.restarts = draft.restarts;
        chunk.grown_bytes = draft.grown_bytes;
        chunk.supersedes = std::mem::take(&mut draft.supersedes);
        chunk.cursor.path = self.shared.redactor.redact(&chunk.cursor.path).into_owned();
        let mut open = std::mem::take(&mut self.open);
        chunk.reserve(draft.events.len());
        for placed in &draft.events {
            self.add_event(placed, &draft.batch, &mut chunk, &mut open);
        }
        self.close_block(&mut open, &mut chunk);
        self.open = open;
        for session in std::mem::take(&mut draft.sessions) {
            let delta = self.finish_session(session, &draft);
            chunk.sessions.push(delta);
        }
        for (session_id, usage) in &draft.usage {
            let model =
                usage.model.map(|model| self.short_text(draft.batch.get(model), &mut chunk));
            chunk.usage.push(UsageRow {
                session_id: *session_id,
                key: usage.key,
                ts: usage.ts,
                model,
                usage: usage.usage,
                usd: usage.usd,
                rule: match usage.merge {
                    UsageMerge::Max => UsageRule::Max,
                    UsageMerge::Last => UsageRule::Last,
                },
            });
        }
        self.add_strange(&draft, &mut chunk);
        chunk
    }

    fn add_event(
        &mut self,
        placed: &PlacedEvent,
        batch: &Batch,
        chunk: &mut Chunk,
        open: &mut OpenBlock,
    ) {
        let event = &placed.event;
        if open.session_id != placed.session_id || open.raw.len() >= BLOCK_BYTES {
            self.close_block(open, chunk);
            open.session_id = placed.session_id;
        }
        let from = open.raw.len();
        let payload = batch.get(event.payload);
        if payload.len() > BLOCK_BYTES {
            open.raw.reserve_exact(payload.len() + 64);
        }
        self.shared.redactor.redact_into(payload, &mut open.raw, &mut self.findings);
        let summary = match event.summary {
            Some(text) => {
                self.scratch.clear();
                let text = batch.get(text);
                self.shared.redactor.redact_into(text, &mut self.scratch, &mut self.findings);
                chunk.text_with(|out| summarize(&self.scratch, out))
            }
            None => chunk.text_with(|out| summarize(&open.raw[from..], out)),
        };
        let len = open.raw.len() - from;
        // A payload that is its own summary needs no place in the pack.
        let stored = placed.with_payload && len > 0 && chunk.get(summary) != &open.raw[from..];
        if stored {
            open.events.push(chunk.events.len());
        } else {
            open.raw.truncate(from);
        }
        self.note_findings(placed.line, chunk);
        let row = EventRow {
            session_id: placed.session_id,
            seq: placed.seq,
            key: event.key,
            parent_seq: placed.parent_seq,
            native_id: event.native_id.map(|id| chunk.text(batch.get(id))),
            ts: event.ts,
            kind: event.kind,
            role: event.role,
            is_sidechain: event.is_sidechain,
            tool: event.tool.map(|tool| self.short_text(batch.get(tool), chunk)),
            call_id: event.call_id.map(|id| chunk.text(batch.get(id))),
            summary,
            payload: stored.then_some((0, from as u32, len as u32)),
            tokens: event.tokens,
            exit_code: event.exit_code,
            duration_ms: event.duration_ms,
            files: self.files(&event.files, placed.line, batch, chunk),
            refresh: placed.refresh,
        };
        if event.opens_chain && !placed.refresh {
            chunk.roots.push((event.key, placed.session_id));
        }
        chunk.events.push(row);
    }

    fn close_block(&mut self, open: &mut OpenBlock, chunk: &mut Chunk) {
        if open.events.is_empty() {
            open.raw.clear();
            return;
        }
        let number = chunk.blocks.len();
        for event in open.events.drain(..) {
            if let Some((block, _, _)) = &mut chunk.events[event].payload {
                *block = number;
            }
        }
        let bytes = self.compressor.block(open.raw.as_bytes());
        chunk.blocks.push(Block { session_id: open.session_id, bytes });
        if open.raw.capacity() > 8 * BLOCK_BYTES {
            open.raw = String::new();
        }
        open.raw.clear();
    }

    fn files(
        &mut self,
        files: &[Span],
        line: u64,
        batch: &Batch,
        chunk: &mut Chunk,
    ) -> Option<Text> {
        if files.is_empty() {
            return None;
        }
        let (redactor, findings) = (&self.shared.redactor, &mut self.findings);
        let text = chunk.text_with(|out| {
            for (at, file) in files.iter().enumerate() {
                if at > 0 {
                    out.push('\n');
                }
                redactor.redact_into(&batch.get(*file).replace('\n', " "), out, findings);
            }
        });
        self.note_findings(line, chunk);
        Some(text)
    }

    fn short_text(&mut self, text: &str, chunk: &mut Chunk) -> Text {
        let clean: Cow<'_, str> = self.shared.redactor.redact(text);
        chunk.text(&clean)
    }

    fn note_findings(&mut self, line: u64, chunk: &mut Chunk) {
        for SecretFinding { kind, fingerprint } in self.findings.drain(..) {
            let row = SecretRow { line, kind, fingerprint };
            if !chunk.secrets.contains(&row) {
                chunk.secrets.push(row);
            }
        }
    }

    fn finish_session(&mut self, session: SessionDraft, draft: &Draft) -> SessionDelta {
        let SessionDraft { mut delta, patches } = session;
        let redact = |text: String| match self.shared.redactor.redact(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean,
        };
        delta.source_path = redact(std::mem::take(&mut delta.source_path));
        for patch in patches {
            if delta.cwd.is_none() {
                delta.cwd = patch.cwd.map(redact);
            }
            delta.git_branch = patch.git_branch.map(redact).or(delta.git_branch);
            delta.cli_version = patch.cli_version.or(delta.cli_version);
            if let Some(model) = patch.model.map(redact) {
                delta.models.retain(|known| *known != model);
                delta.models.push(model);
            }
            if let Some((rank, title)) = patch.title
                && delta.title.as_ref().is_none_or(|(known, _)| *known <= rank as u8)
            {
                let mut short = String::new();
                summarize(&redact(title), &mut short);
                delta.title = Some((rank as u8, short));
            }
            let lineage = &mut delta.lineage;
            lineage.parent_session_uid = lineage.parent_session_uid.take().or(patch.parent);
            // A fork of a fork is recognised step by step; the last step is the nearest.
            lineage.forked_from_uid = patch.forked_from.or(lineage.forked_from_uid.take());
            lineage.continues_uid = lineage.continues_uid.take().or(patch.continues);
            lineage.parent_call_id = lineage.parent_call_id.take().or(patch.parent_call_id);
            lineage.agent_name = lineage.agent_name.take().or(patch.agent_name.map(redact));
            delta.cost_in_parent |= patch.cost_in_parent;
            if delta.started_at.is_none() {
                delta.started_at = patch.started_at;
            }
        }
        delta.repo = delta.repo.take().map(redact);
        delta.project_key = delta.project_key.take().map(redact);
        if delta.task_ref.is_none() {
            delta.task_ref = self.task_ref(&delta, draft).map(redact);
        }
        delta
    }

    /// From the branch, else from the first prompt that names one.
    fn task_ref(&self, delta: &SessionDelta, draft: &Draft) -> Option<String> {
        let refs = &self.shared.task_refs;
        if let Some(found) = delta.git_branch.as_deref().and_then(|branch| refs.find(branch)) {
            return Some(found);
        }
        draft
            .events
            .iter()
            .filter(|placed| {
                placed.session_id == delta.id && placed.event.kind == EventKind::UserMsg
            })
            .find_map(|placed| refs.find(draft.batch.get(placed.event.payload)))
    }

    fn add_strange(&mut self, draft: &Draft, chunk: &mut Chunk) {
        for strange in &draft.strange {
            let (redactor, findings) = (&self.shared.redactor, &mut self.findings);
            let raw = draft.batch.get(strange.raw);
            let raw = chunk.text_with(|out| {
                redactor.redact_into(raw, out, findings);
            });
            self.note_findings(strange.line, chunk);
            chunk.quarantine.push(QuarantineRow {
                line: strange.line,
                cli_version: strange.cli_version.clone(),
                type_name: self.shared.redactor.redact(&strange.type_name).into_owned(),
                reason: strange.reason.clone(),
                raw,
            });
        }
    }
}
