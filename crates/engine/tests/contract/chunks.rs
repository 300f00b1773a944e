//! Chunks as a sweep hands them over, in as few words as a story needs.

use backstory_model::{EventKey, EventKind, Role, SessionEvent, SessionUid, Timestamp};
use backstory_store::{Block, BlockCompressor, Chunk, Cursor, EventRow, SessionDelta, SourceStat};

/// When everything is stored.
pub(crate) const NOW: Timestamp = Timestamp(1_794_744_000_000);
/// Whatever a text may hold: nothing of it may be taken for something else.
pub(crate) const ODD: &str =
    "a\u{0}b\u{1}\t\r\u{7f}\u{85}'\"\\%_$1?1:x{}é\u{301}漢🦀\u{feff}\u{fffd}";

/// A session of Claude that is read for the first time; its uid is `claude:<native>`.
pub(crate) fn session(id: i64, native: &str) -> SessionDelta {
    SessionDelta {
        id,
        uid: format!("claude:{native}"),
        flavor: "claude",
        source_path: format!("/logs/{native}.jsonl"),
        ..SessionDelta::default()
    }
}

/// An event to be.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) seq: u32,
    pub(crate) key: u64,
    pub(crate) parent_seq: Option<u32>,
    pub(crate) native_id: Option<String>,
    pub(crate) ts: Option<Timestamp>,
    pub(crate) kind: EventKind,
    pub(crate) role: Role,
    pub(crate) is_sidechain: bool,
    pub(crate) tool: Option<String>,
    pub(crate) call_id: Option<String>,
    pub(crate) summary: String,
    pub(crate) payload: Option<String>,
    pub(crate) tokens: u64,
    pub(crate) exit_code: Option<i32>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) files: Vec<String>,
    pub(crate) refresh: bool,
}

impl Event {
    /// A prompt without anything special.
    pub(crate) fn new(seq: u32) -> Self {
        Self {
            seq,
            key: 1000 + u64::from(seq),
            parent_seq: None,
            native_id: None,
            ts: None,
            kind: EventKind::UserMsg,
            role: Role::User,
            is_sidechain: false,
            tool: None,
            call_id: None,
            summary: format!("event {seq}"),
            payload: None,
            tokens: 0,
            exit_code: None,
            duration_ms: None,
            files: Vec::new(),
            refresh: false,
        }
    }

    /// The same with a payload.
    pub(crate) fn with_payload(seq: u32, payload: &str) -> Self {
        Self { payload: Some(payload.to_owned()), ..Self::new(seq) }
    }

    /// As it is read back, but for the place of its payload.
    pub(crate) fn stored(&self, session_uid: &SessionUid) -> SessionEvent {
        SessionEvent {
            session_uid: session_uid.clone(),
            seq: self.seq,
            parent_seq: self.parent_seq,
            native_id: self.native_id.clone(),
            ts: self.ts,
            kind: self.kind,
            role: self.role,
            tool: self.tool.clone(),
            call_id: self.call_id.clone(),
            summary: self.summary.clone(),
            payload_ref: None,
            tokens: self.tokens,
            is_sidechain: self.is_sidechain,
            exit_code: self.exit_code,
            duration_ms: self.duration_ms,
            files: self.files.clone(),
        }
    }
}

/// A stretch of the one source of a session: these events, and whatever follows from them.
pub(crate) fn chunk(mut delta: SessionDelta, events: &[Event]) -> Chunk {
    let mut chunk = Chunk::default();
    chunk.cursor = source(delta.id);
    delta.events += events.iter().filter(|event| !event.refresh).count() as u32;
    let next_seq = events.iter().map(|event| event.seq + 1).max().unwrap_or(0);
    delta.next_seq = delta.next_seq.max(next_seq);
    let session_id = delta.id;
    chunk.sessions.push(delta);
    add_events(&mut chunk, session_id, events);
    chunk
}

/// Adds events of a session; every two payloads share a block.
pub(crate) fn add_events(chunk: &mut Chunk, session_id: i64, events: &[Event]) {
    let mut compressor = BlockCompressor::default();
    let mut raw = String::new();
    let mut in_block = 0;
    for event in events {
        let payload = event.payload.as_ref().map(|payload| {
            let place = (chunk.blocks.len(), raw.len() as u32, payload.len() as u32);
            raw.push_str(payload);
            in_block += 1;
            place
        });
        let row = EventRow {
            session_id,
            seq: event.seq,
            key: EventKey(event.key),
            parent_seq: event.parent_seq,
            native_id: event.native_id.as_ref().map(|text| chunk.text(text)),
            ts: event.ts,
            kind: event.kind,
            role: event.role,
            is_sidechain: event.is_sidechain,
            tool: event.tool.as_ref().map(|text| chunk.text(text)),
            call_id: event.call_id.as_ref().map(|text| chunk.text(text)),
            summary: chunk.text(&event.summary),
            payload,
            tokens: event.tokens,
            exit_code: event.exit_code,
            duration_ms: event.duration_ms,
            files: (!event.files.is_empty()).then(|| chunk.text(&event.files.join("\n"))),
            refresh: event.refresh,
        };
        chunk.events.push(row);
        if in_block == 2 {
            chunk.blocks.push(Block { session_id, bytes: compressor.block(raw.as_bytes()) });
            raw.clear();
            in_block = 0;
        }
    }
    if in_block > 0 {
        chunk.blocks.push(Block { session_id, bytes: compressor.block(raw.as_bytes()) });
    }
}

/// The source of a session, read to its end.
pub(crate) fn source(session_id: i64) -> Cursor {
    Cursor {
        id: session_id,
        path_key: session_id * 1000,
        path: format!("/logs/{session_id}.jsonl"),
        flavor: "claude",
        role: "transcript".into(),
        is_transcript: true,
        stat: SourceStat { size: 100, mtime_ns: 7, inode: 8, dev: 9 },
        session_id: Some(session_id),
        messages: 1,
        ..Cursor::default()
    }
}
