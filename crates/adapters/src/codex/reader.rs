//! Reads a rollout line by line: finds the dialect of each line and hands it on.

use super::table::{Says, Scope, find};
use super::thread::{Cx, Note, Thread};
use super::turns::{Identity, digest};
use super::wire::{Compacted, Document, Item, Line, Meta, TurnContext, raw_str, read};
use crate::json::{is_too_deep, readable, recover};
use crate::{Ancestry, Batch, Form, Reader};
use backstory_model::Timestamp;
use memchr::{memchr, memmem, memrchr};
use serde::{Deserialize, Serialize};

/// Version of the saved state; another one is not taken up.
const SAVED_VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct Saved<T> {
    version: u8,
    thread: T,
}

/// The reader of one rollout file.
pub(super) struct RolloutReader {
    form: Form,
    thread: Thread,
}

impl RolloutReader {
    /// A reader of a file whose name gives this thread id.
    pub(super) fn new(id: String, form: Form) -> Self {
        Self { form, thread: Thread { id, ..Thread::default() } }
    }

    fn document(&mut self, cx: &mut Cx<'_>, text: &str) -> bool {
        let Ok(document) = sonic_rs::from_str::<Document<'_>>(text) else { return false };
        let Some(meta) = read::<Meta<'_>>(raw_str(&document.session)) else { return false };
        self.thread.head(cx, &meta);
        for item in &document.items {
            match read(item.as_raw_str()) {
                Some(item) => self.thread.item(cx, item),
                None => self.thread.unknown(cx, "item"),
            }
        }
        true
    }
}

impl Reader for RolloutReader {
    fn begin(&mut self, head: &[u8]) {
        if self.form == Form::Document {
            return;
        }
        // The first head names the thread of all lines, also of those before it.
        let Some(found) = memmem::find(head, b"\"session_meta\"") else { return };
        let start = memrchr(b'\n', &head[..found]).map_or(0, |at| at + 1);
        let len = memchr(b'\n', &head[start..]).unwrap_or(head.len() - start);
        let text = readable(&head[start..start + len]).unwrap_or_default();
        let line = sonic_rs::from_str::<Line<'_>>(text).unwrap_or_default();
        let meta = read::<Meta<'_>>(raw_str(&line.payload)).unwrap_or_default();
        if &*line.kind == "session_meta" && !meta.id.is_empty() {
            self.thread.id = meta.id.to_string();
        }
    }

    fn record(&mut self, bytes: &[u8], ancestry: &mut dyn Ancestry, out: &mut Batch) {
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if is_too_deep(bytes) {
            return out.bad("nested too deeply to be read", bytes);
        }
        let mut cx = Cx { out, ancestry, ts: None, ordinal: None, raw: bytes };
        let text = readable(bytes);
        let read = match text {
            Some(text) if self.form == Form::Document => self.document(&mut cx, text),
            Some(text) => self.thread.line(&mut cx, text),
            None => false,
        };
        if read {
            return;
        }
        if text.is_some_and(|text| sonic_rs::from_str::<sonic_rs::LazyValue<'_>>(text).is_ok()) {
            return self.thread.unknown(&mut cx, "?");
        }
        let mut recovered = false;
        for text in recover(bytes) {
            recovered |= match self.form {
                Form::Document => self.document(&mut cx, &text),
                Form::Lines | Form::ZstdLines => self.thread.line(&mut cx, &text),
            };
        }
        if !recovered {
            cx.out.bad("not readable as JSON", bytes);
        }
    }

    fn save(&self) -> Vec<u8> {
        let saved = Saved { version: SAVED_VERSION, thread: &self.thread };
        sonic_rs::to_vec(&saved).unwrap_or_default()
    }

    fn restore(&mut self, saved: &[u8]) -> bool {
        match sonic_rs::from_slice::<Saved<Thread>>(saved) {
            Ok(saved) if saved.version == SAVED_VERSION => {
                self.thread = saved.thread;
                true
            }
            _ => false,
        }
    }
}

/// The envelope exactly as Codex writes it. Cutting it off by hand spares reading every line
/// twice; whatever looks different is read as JSON in full.
struct Envelope<'a> {
    timestamp: &'a str,
    ordinal: Option<u64>,
    kind: &'a str,
    payload: &'a str,
}

impl<'a> Envelope<'a> {
    fn split(text: &'a str) -> Option<Self> {
        let (timestamp, rest) = text.strip_prefix("{\"timestamp\":\"")?.split_once("\",\"")?;
        let (ordinal, rest) = match rest.strip_prefix("ordinal\":") {
            Some(rest) => {
                let (ordinal, rest) = rest.split_once(",\"")?;
                (Some(ordinal.parse().ok()?), rest)
            }
            None => (None, rest),
        };
        let (kind, rest) = rest.strip_prefix("type\":\"")?.split_once("\",\"payload\":")?;
        let payload = rest.strip_suffix('}')?;
        (!kind.contains('"')).then_some(Self { timestamp, ordinal, kind, payload })
    }
}

impl Thread {
    /// Maps one line of any dialect; `false` if it is no JSON object.
    fn line(&mut self, cx: &mut Cx<'_>, text: &str) -> bool {
        if let Some(envelope) = Envelope::split(text)
            && self.enveloped(cx, &envelope)
        {
            return true;
        }
        let Ok(line) = sonic_rs::from_str::<Line<'_>>(text) else { return false };
        cx.ts = Timestamp::parse(&line.timestamp);
        cx.ordinal = line.ordinal.0;
        let payload = raw_str(&line.payload);
        match &*line.kind {
            "response_item" if !payload.is_empty() => match read(payload) {
                Some(item) => self.item(cx, item),
                None => self.unknown(cx, "response_item"),
            },
            "event_msg" if !payload.is_empty() => match read(payload) {
                Some(event) => self.event(cx, &event, payload),
                None => self.unknown(cx, "event_msg"),
            },
            kind if !payload.is_empty() => self.wrapped(cx, kind, payload),
            _ => self.bare(cx, &line, text),
        }
        true
    }

    /// Maps an item or event in the usual envelope; `false` if it must be looked at closely.
    fn enveloped(&mut self, cx: &mut Cx<'_>, envelope: &Envelope<'_>) -> bool {
        cx.ts = Timestamp::parse(envelope.timestamp);
        cx.ordinal = envelope.ordinal;
        match envelope.kind {
            "response_item" => read(envelope.payload).is_some_and(|item| {
                self.item(cx, item);
                true
            }),
            "event_msg" => read(envelope.payload).is_some_and(|event| {
                self.event(cx, &event, envelope.payload);
                true
            }),
            _ => false,
        }
    }

    /// A line of the wrapped dialects that is neither item nor event.
    fn wrapped(&mut self, cx: &mut Cx<'_>, kind: &str, payload: &str) {
        let Some(row) = find(Scope::Line, kind) else {
            return self.unknown(cx, if kind.is_empty() { "?" } else { kind });
        };
        match row.2 {
            Says::Meta => match read::<Meta<'_>>(payload) {
                Some(meta) => self.head(cx, &meta),
                None => self.unknown(cx, kind),
            },
            Says::TurnContext => self.turn_context(cx, &read(payload).unwrap_or_default()),
            Says::Compacted => {
                self.cross(cx, "", false);
                let compacted: Compacted<'_> = read(payload).unwrap_or_default();
                self.compaction(cx, row.1, &compacted.message);
            }
            Says::TokenRecord => {
                self.cross(cx, "", false);
                self.token_record(cx, &read(payload).unwrap_or_default());
            }
            Says::Mail => {
                self.cross(cx, "", false);
                let item: Item<'_> = read(payload).unwrap_or_default();
                let parts = item.content.into_parts();
                let text: String = parts.iter().map(|part| &*part.text).collect();
                self.note(cx, row.1, &text);
            }
            _ => {
                self.cross(cx, "", false);
                self.note(cx, row.1, "");
            }
        }
    }

    fn turn_context(&mut self, cx: &mut Cx<'_>, context: &TurnContext<'_>) {
        self.cross(cx, &context.turn_id, false);
        self.use_model(cx, &context.model);
        self.use_cwd(cx, &context.cwd);
        let identity = Identity::InTurn("turn_context", digest(&context.turn_id));
        let note = Note::lifecycle(identity, "turn_context");
        let note = Note { summary: &context.model, native_id: &context.turn_id, ..note };
        self.emit(cx, &note, |_| {});
    }

    /// A line of the bare dialect.
    fn bare(&mut self, cx: &mut Cx<'_>, line: &Line<'_>, text: &str) {
        if !line.record_type.is_empty() {
            if find(Scope::Line, &line.record_type).is_none() {
                self.unknown(cx, &line.record_type);
            }
        } else if !line.kind.is_empty() || !line.role.is_empty() {
            self.bare_item(cx, line, text);
        } else if !line.id.is_empty() && !line.timestamp.is_empty() {
            let meta: Meta<'_> = read(text).unwrap_or_default();
            // Lines of this dialect carry no time of their own; the head's is the session's.
            cx.ts = None;
            self.head(cx, &meta);
        } else {
            self.unknown(cx, "?");
        }
    }

    fn bare_item(&mut self, cx: &mut Cx<'_>, line: &Line<'_>, text: &str) {
        let kind = if line.kind.is_empty() { "message" } else { &line.kind };
        match read(text) {
            Some(item) if find(Scope::Response, kind).is_some() => self.item(cx, item),
            _ => self.unknown(cx, kind),
        }
    }
}
