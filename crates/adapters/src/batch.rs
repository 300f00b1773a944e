//! What readers yield. All text of a batch lies in one buffer, so that mapping a record costs one
//! copy of its text and no allocation per field.

use crate::hygiene::{is_memory_tool, without_told};
use backstory_model::{EventKey, EventKind, Role, SessionUid, Timestamp, Usage};

/// Texts above this size are given exactly the room they need.
const HUGE_TEXT: usize = 1 << 20;

/// The name of what we told in the answer of a tool.
const TOLD: &str = "told_by_backstory";

/// A piece of the batch's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    start: u32,
    len: u32,
}

impl Span {
    /// True when there is no text.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Length in bytes.
    pub const fn len(self) -> usize {
        self.len as usize
    }
}

/// A session of this batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionIx(u16);

impl SessionIx {
    /// Its place in [`Batch::sessions`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An event as an adapter maps it; seq, redaction and summary are added later.
#[derive(Clone, Debug)]
pub struct EventDraft {
    /// The session it belongs to.
    pub session: SessionIx,
    /// Its identity within the session.
    pub key: EventKey,
    /// Identity of the event it follows or answers.
    pub parent: Option<EventKey>,
    /// The agent's own id.
    pub native_id: Option<Span>,
    /// When it happened.
    pub ts: Option<Timestamp>,
    /// What it is.
    pub kind: EventKind,
    /// Who speaks.
    pub role: Role,
    /// The tool, or for bookkeeping the native record type.
    pub tool: Option<Span>,
    /// Joins call and result.
    pub call_id: Option<Span>,
    /// A short text where the payload's first line would not do.
    pub summary: Option<Span>,
    /// The content: message text, tool input as JSON, tool output as text. Never a base64 image.
    pub payload: Span,
    /// Output tokens of the response this event opens (0 on its other events).
    pub tokens: u64,
    /// True in a sub-agent's side conversation.
    pub is_sidechain: bool,
    /// Exit code of a command.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// Files it touched.
    pub files: Vec<Span>,
    /// True for the first event of a chain of events (no parent): the mark by which a later copy
    /// of this history is recognised.
    pub opens_chain: bool,
}

impl EventDraft {
    /// A draft with only its identity and kind.
    pub fn new(session: SessionIx, key: EventKey, kind: EventKind, role: Role) -> Self {
        Self {
            session,
            key,
            parent: None,
            native_id: None,
            ts: None,
            kind,
            role,
            tool: None,
            call_id: None,
            summary: None,
            payload: Span::default(),
            tokens: 0,
            is_sidechain: false,
            exit_code: None,
            duration_ms: None,
            files: Vec::new(),
            opens_chain: false,
        }
    }
}

/// How good a title is; a better or equal one replaces what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum TitleRank {
    /// The first prompt.
    Prompt = 1,
    /// A summary the agent wrote.
    Summary = 2,
    /// A title the agent generated.
    Generated = 3,
    /// A name given to the agent.
    AgentName = 4,
    /// A title the human gave.
    Human = 5,
}

/// What a record says about a session as a whole. `None` changes nothing.
#[derive(Clone, Debug, Default)]
pub struct SessionPatch {
    /// Working directory; the first one known is kept.
    pub cwd: Option<String>,
    /// What a plugin takes for the project; it counts where no working directory is known.
    pub peer: Option<String>,
    /// Branch; the last one known is kept.
    pub git_branch: Option<String>,
    /// Model; the last one is kept, all are remembered.
    pub model: Option<String>,
    /// Version of the agent; the last one is kept.
    pub cli_version: Option<String>,
    /// A title and how good it is.
    pub title: Option<(TitleRank, String)>,
    /// The session that started this one as its sub-agent.
    pub parent: Option<SessionUid>,
    /// The session whose history this one began as a copy of; the last one told is the nearest.
    pub forked_from: Option<SessionUid>,
    /// The session this one carries on under a new id.
    pub continues: Option<SessionUid>,
    /// The tool call of the parent that started it.
    pub parent_call_id: Option<String>,
    /// Name or type of the sub-agent.
    pub agent_name: Option<String>,
    /// When the agent says the session began, where events carry no time.
    pub started_at: Option<Timestamp>,
    /// True when the parent's cost already includes this session's.
    pub cost_in_parent: bool,
}

/// What happens when usage with the same key is met again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageMerge {
    /// Keep the larger of each number: streamed records of one response only grow.
    Max,
    /// The later record replaces the earlier one.
    Last,
}

/// Tokens of one model response (or of one turn, where the agent counts by turn).
#[derive(Clone, Debug)]
pub struct UsageDraft {
    /// The session that spent them.
    pub session: SessionIx,
    /// Identity of the response, unique over all sessions of the agent: a copy is never counted.
    pub key: EventKey,
    /// When.
    pub ts: Option<Timestamp>,
    /// Which model.
    pub model: Option<Span>,
    /// How many.
    pub usage: Usage,
    /// Money, where the agent states it.
    pub usd: Option<f64>,
    /// What to do when the key is known.
    pub merge: UsageMerge,
}

/// One thing a reader yields.
#[derive(Clone, Debug)]
pub enum Record {
    /// Something that happened.
    Event(EventDraft),
    /// Something about the session as a whole.
    Session(SessionIx, Box<SessionPatch>),
    /// Tokens spent.
    Usage(UsageDraft),
    /// A record type this reader does not know: kept verbatim and counted.
    Unknown {
        /// Its type as the agent names it.
        type_name: String,
        /// The agent's version.
        cli_version: Option<String>,
        /// The record as it stands.
        raw: Span,
    },
    /// A record that cannot be read at all.
    Bad {
        /// Why.
        reason: String,
        /// The beginning of it.
        raw: Span,
    },
}

/// A record and the line it came from.
#[derive(Clone, Debug)]
pub struct Located {
    /// 1-based line of the source file.
    pub line: u64,
    /// The record.
    pub record: Record,
}

/// Records of a stretch of one file.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    text: String,
    sessions: Vec<SessionUid>,
    records: Vec<Located>,
    line: u64,
}

impl Batch {
    /// Bytes of a bad record that are kept for a person to look at.
    pub const BAD_SAMPLE_BYTES: usize = 512;

    /// An empty batch with room for so much text.
    pub fn with_room(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ..Self::default() }
    }

    /// Sets the line the next records come from.
    pub fn at_line(&mut self, line: u64) {
        self.line = line;
    }

    /// Adds a text to the buffer.
    pub fn text(&mut self, text: &str) -> Span {
        // Doubling the buffer for one huge text would cost more memory than the text itself.
        if text.len() > HUGE_TEXT {
            self.text.reserve_exact(text.len());
        }
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Span { start, len: text.len() as u32 }
    }

    /// Adds a text only if it is not empty.
    pub fn opt_text(&mut self, text: Option<&str>) -> Option<Span> {
        text.filter(|text| !text.is_empty()).map(|text| self.text(text))
    }

    /// Adds whatever `write` appends to the buffer. `write` must only append.
    pub fn text_with(&mut self, write: impl FnOnce(&mut String)) -> Span {
        let start = self.text.len() as u32;
        write(&mut self.text);
        Span { start, len: self.text.len() as u32 - start }
    }

    /// The text of a span.
    pub fn get(&self, span: Span) -> &str {
        let start = span.start as usize;
        self.text.get(start..start + span.len as usize).unwrap_or_default()
    }

    /// The session's place in this batch.
    pub fn session(&mut self, uid: &SessionUid) -> SessionIx {
        // A file speaks of one or two sessions, nearly always the one met last.
        if let Some(found) = self.sessions.iter().rposition(|known| known == uid) {
            return SessionIx(found as u16);
        }
        self.sessions.push(uid.clone());
        SessionIx((self.sessions.len() - 1) as u16)
    }

    /// Yields an event. What a tool answered of what is remembered becomes bookkeeping, whichever agent's
    /// tool it is: all of it if nothing else was answered, else an event of its own.
    pub fn event(&mut self, mut draft: EventDraft) {
        let told = self.set_apart(&mut draft);
        self.push(Record::Event(draft));
        if let Some(told) = told {
            self.push(Record::Event(told));
        }
    }

    fn set_apart(&mut self, draft: &mut EventDraft) -> Option<EventDraft> {
        let is_answer = matches!(draft.kind, EventKind::ToolResult | EventKind::Error);
        if !is_answer || draft.role != Role::Tool {
            return None;
        }
        if draft.tool.is_some_and(|tool| is_memory_tool(self.get(tool))) {
            draft.kind = EventKind::Lifecycle;
            return None;
        }
        let (rest, told) = without_told(self.get(draft.payload))?;
        if rest.is_empty() {
            draft.kind = EventKind::Lifecycle;
            return None;
        }
        draft.payload = self.text(&rest);
        let key = EventKey::of_parts(&[&draft.key.0.to_le_bytes(), TOLD.as_bytes()]);
        let mut apart = EventDraft::new(draft.session, key, EventKind::Lifecycle, Role::Tool);
        apart.parent = Some(draft.key);
        apart.ts = draft.ts;
        apart.is_sidechain = draft.is_sidechain;
        apart.tool = Some(self.text(TOLD));
        apart.payload = self.text(&told);
        Some(apart)
    }

    /// Yields knowledge about a session.
    pub fn patch(&mut self, session: SessionIx, patch: SessionPatch) {
        self.push(Record::Session(session, Box::new(patch)));
    }

    /// Yields tokens spent.
    pub fn usage(&mut self, draft: UsageDraft) {
        self.push(Record::Usage(draft));
    }

    /// Yields a record of unknown type, kept verbatim.
    pub fn unknown(&mut self, type_name: &str, cli_version: Option<&str>, raw: &[u8]) {
        let raw = self.text(&String::from_utf8_lossy(raw));
        self.push(Record::Unknown {
            type_name: type_name.to_owned(),
            cli_version: cli_version.map(str::to_owned),
            raw,
        });
    }

    /// Yields a record that cannot be read.
    pub fn bad(&mut self, reason: impl Into<String>, raw: &[u8]) {
        let sample = &raw[..raw.len().min(Self::BAD_SAMPLE_BYTES)];
        let raw = self.text(&String::from_utf8_lossy(sample));
        self.push(Record::Bad { reason: reason.into(), raw });
    }

    fn push(&mut self, record: Record) {
        self.records.push(Located { line: self.line, record });
    }

    /// The sessions this batch speaks of.
    pub fn sessions(&self) -> &[SessionUid] {
        &self.sessions
    }

    /// The records, in file order.
    pub fn records(&self) -> &[Located] {
        &self.records
    }

    /// Takes the records out.
    pub fn take_records(&mut self) -> Vec<Located> {
        std::mem::take(&mut self.records)
    }

    /// Bytes of text held.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// True when nothing was yielded.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}
