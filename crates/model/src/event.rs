//! One thing that happened in a session.

use crate::{SessionUid, Timestamp};

/// The longest summary an event row carries.
pub const SUMMARY_MAX_CHARS: usize = 200;

/// What an event is. The names are stable: they are stored, printed and filtered on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum EventKind {
    /// The human's own words.
    UserMsg = 0,
    /// The agent's words.
    AssistantMsg = 1,
    /// The agent's reasoning.
    Thinking = 2,
    /// A tool was called.
    ToolCall = 3,
    /// A tool answered.
    ToolResult = 4,
    /// A tool, a turn or the API failed.
    Error = 5,
    /// A tool call that runs tests.
    TestRun = 6,
    /// A tool call that changes files.
    Edit = 7,
    /// A tool call repeated after it failed.
    Retry = 8,
    /// The human interrupted, denied or steered a running turn.
    HumanIntervention = 9,
    /// A question put to the human, or its answer.
    Decision = 10,
    /// Turn and session bookkeeping, injected context, settings.
    Lifecycle = 11,
    /// A turn came to its end.
    Completion = 12,
    /// The context was compacted.
    Compaction = 13,
}

impl EventKind {
    /// Every kind, in the order of its stored number.
    pub const ALL: [Self; 14] = [
        Self::UserMsg,
        Self::AssistantMsg,
        Self::Thinking,
        Self::ToolCall,
        Self::ToolResult,
        Self::Error,
        Self::TestRun,
        Self::Edit,
        Self::Retry,
        Self::HumanIntervention,
        Self::Decision,
        Self::Lifecycle,
        Self::Completion,
        Self::Compaction,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UserMsg => "user_msg",
            Self::AssistantMsg => "assistant_msg",
            Self::Thinking => "thinking",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Error => "error",
            Self::TestRun => "test_run",
            Self::Edit => "edit",
            Self::Retry => "retry",
            Self::HumanIntervention => "human_intervention",
            Self::Decision => "decision",
            Self::Lifecycle => "lifecycle",
            Self::Completion => "completion",
            Self::Compaction => "compaction",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The number it is stored as.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The kind stored as this number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// True for what people and agents said and did, false for bookkeeping around it.
    pub const fn is_conversation(self) -> bool {
        !matches!(self, Self::Lifecycle | Self::Completion | Self::Compaction)
    }

    /// True for every kind a tool call can be stored as.
    pub const fn is_call(self) -> bool {
        matches!(self, Self::ToolCall | Self::TestRun | Self::Edit | Self::Retry)
    }
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Role {
    /// The human.
    User = 0,
    /// The agent.
    Assistant = 1,
    /// The harness around the agent.
    System = 2,
    /// A tool.
    Tool = 3,
}

impl Role {
    /// Every role, in the order of its stored number.
    pub const ALL: [Self; 4] = [Self::User, Self::Assistant, Self::System, Self::Tool];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }

    /// The number it is stored as.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The role stored as this number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// One normalised event, as it is stored and shown.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionEvent {
    /// The session it belongs to.
    pub session_uid: SessionUid,
    /// Monotonic within the session, never reused.
    pub seq: u32,
    /// The event it answers or follows, where the agent says so.
    pub parent_seq: Option<u32>,
    /// The agent's own id for it.
    pub native_id: Option<String>,
    /// When it happened.
    pub ts: Option<Timestamp>,
    /// What it is.
    pub kind: EventKind,
    /// Who speaks.
    pub role: Role,
    /// The tool called or answering; for bookkeeping the native record type.
    pub tool: Option<String>,
    /// Joins a tool call with its result.
    pub call_id: Option<String>,
    /// At most [`SUMMARY_MAX_CHARS`] characters on one line.
    pub summary: String,
    /// Where the full content lies, if there is more than the summary.
    pub payload_ref: Option<String>,
    /// Output tokens of the model response this event opens.
    pub tokens: u64,
    /// True in a sub-agent's side conversation.
    pub is_sidechain: bool,
    /// Exit code of a command.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// Files it touched.
    pub files: Vec<String>,
}

/// The first meaningful line of a text, white space folded, cut at [`SUMMARY_MAX_CHARS`].
pub fn summarize(text: &str, out: &mut String) {
    let mut chars = 0;
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            if c == '\n' && chars > 0 && chars >= 16 {
                break;
            }
            gap = chars > 0;
            continue;
        }
        let needed = if gap { 2 } else { 1 };
        if chars + needed > SUMMARY_MAX_CHARS - 1 {
            out.push('…');
            break;
        }
        if gap {
            out.push(' ');
        }
        out.push(c);
        chars += needed;
        gap = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(text: &str) -> String {
        let mut out = String::new();
        summarize(text, &mut out);
        out
    }

    #[test]
    fn codes_and_names_round_trip() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_code(kind.code()), Some(kind));
            assert_eq!(EventKind::from_name(kind.name()), Some(kind));
        }
        for role in Role::ALL {
            assert_eq!(Role::from_code(role.code()), Some(role));
        }
    }

    #[test]
    fn summary_is_one_bounded_line() {
        assert_eq!(summary("  fix\tthe \n build\u{7} now "), "fix the build now");
        assert_eq!(summary("a first line long enough\nsecond"), "a first line long enough");
        assert_eq!(summary(&"ä".repeat(500)).chars().count(), SUMMARY_MAX_CHARS);
        assert_eq!(summary(""), "");
    }
}
