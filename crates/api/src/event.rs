//! One event: every line after the first of `show --json`.

use crate::time;
use serde::Serialize;

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// The session it belongs to.
    pub session_uid: String,
    /// Monotonic within the session.
    pub seq: u32,
    /// The event it answers or follows.
    pub parent_seq: Option<u32>,
    /// The agent's own id for it.
    pub native_id: Option<String>,
    /// When it happened.
    pub ts: Option<String>,
    /// What it is, e.g. `user_msg`, `tool_call`, `edit`.
    pub kind: &'static str,
    /// `user`, `assistant`, `system` or `tool`.
    pub role: &'static str,
    /// The tool called or answering; for bookkeeping the native record type.
    pub tool: Option<String>,
    /// Joins a tool call with its result.
    pub call_id: Option<String>,
    /// At most 200 characters on one line.
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
    /// The full content; only with `--full`, otherwise the field is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
}

impl From<&backstory_model::SessionEvent> for Event {
    fn from(event: &backstory_model::SessionEvent) -> Self {
        Self {
            session_uid: event.session_uid.as_str().to_owned(),
            seq: event.seq,
            parent_seq: event.parent_seq,
            native_id: event.native_id.clone(),
            ts: event.ts.map(time),
            kind: event.kind.name(),
            role: event.role.name(),
            tool: event.tool.clone(),
            call_id: event.call_id.clone(),
            summary: event.summary.clone(),
            payload_ref: event.payload_ref.clone(),
            tokens: event.tokens,
            is_sidechain: event.is_sidechain,
            exit_code: event.exit_code,
            duration_ms: event.duration_ms,
            files: event.files.clone(),
            payload: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::{EventKind, Flavor, Role, SessionEvent, SessionUid, Timestamp};

    #[test]
    fn absent_values_are_null_and_the_payload_is_left_out() {
        let event = SessionEvent {
            session_uid: SessionUid::new(Flavor::Codex, "0198"),
            seq: 3,
            parent_seq: None,
            native_id: None,
            ts: Timestamp::parse("2026-08-20T10:00:00.5Z"),
            kind: EventKind::TestRun,
            role: Role::Assistant,
            tool: Some("shell".into()),
            call_id: None,
            summary: "cargo test".into(),
            payload_ref: None,
            tokens: 0,
            is_sidechain: false,
            exit_code: Some(101),
            duration_ms: None,
            files: Vec::new(),
        };
        let shape = serde_json::to_value(Event::from(&event)).unwrap();
        assert_eq!(shape["ts"], "2026-08-20T10:00:00.500Z");
        assert_eq!(shape["kind"], "test_run");
        assert_eq!(shape["exit_code"], 101);
        assert!(shape["parent_seq"].is_null());
        assert!(shape.get("payload").is_none());
    }
}
