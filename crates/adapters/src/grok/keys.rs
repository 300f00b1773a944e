//! Identities of Grok's events and turns.

use super::paths::is_uuid;
use backstory_model::EventKey;

/// The first event of every session that has an `updates.jsonl`. Other files ask for it to learn
/// whether the authoritative log was read.
pub(super) fn log_opened() -> EventKey {
    EventKey::of_parts(&[b"grok", b"log-opened"])
}

/// An event with an id of its own. The numbers in event ids begin anew with every resume, so that
/// the agent's time is needed to tell them apart; a fork copies both.
pub(super) fn numbered(event_id: &str, agent_time_ms: i64) -> EventKey {
    EventKey::of_parts(&[event_id.as_bytes(), &agent_time_ms.to_le_bytes()])
}

/// A tool call.
pub(super) fn call(call_id: &str) -> EventKey {
    EventKey::of_parts(&[b"call", call_id.as_bytes()])
}

/// The result of a tool call.
pub(super) fn output(call_id: &str) -> EventKey {
    EventKey::of_parts(&[b"out", call_id.as_bytes()])
}

/// How a turn ended. The ends are told apart because a turn can be interrupted first and completed
/// later under the same id; both log files give the same key, so that one end is stored once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnEnd {
    Completed,
    Interrupted,
    Failed,
}

/// The end of a turn.
pub(super) fn turn(end: TurnEnd, prompt_id: &str) -> EventKey {
    let tag: &[u8] = match end {
        TurnEnd::Completed => b"turn",
        TurnEnd::Interrupted => b"turn-interrupted",
        TurnEnd::Failed => b"turn-failed",
    };
    EventKey::of_parts(&[tag, prompt_id.as_bytes()])
}

/// The tokens of a turn, unique over all sessions. A fork copies turns under their old prompt ids;
/// they are the same tokens. Prompt ids that are no UUIDs are unique within their session only.
pub(super) fn usage(session_id: &str, prompt_id: &str) -> EventKey {
    let scope = if is_uuid(prompt_id) { "" } else { session_id };
    EventKey::of_parts(&[b"grok", scope.as_bytes(), prompt_id.as_bytes()])
}

/// The share of a turn's tokens that another model than its main one spent.
pub(super) fn usage_share(session_id: &str, prompt_id: &str, model: &str) -> EventKey {
    beside(usage(session_id, prompt_id), model)
}

/// A further event of a record that already gave one.
pub(super) fn beside(key: EventKey, what: &str) -> EventKey {
    EventKey::of_parts(&[&key.0.to_le_bytes(), what.as_bytes()])
}

/// The session that first wrote an event: event ids are `<session id>-<number>`, and a fork copies
/// them unchanged while it rewrites every other session id.
pub(super) fn writer_of(event_id: &str) -> Option<&str> {
    let (session, number) = event_id.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && is_uuid(session)).then_some(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_ids_name_their_first_writer() {
        let sid = "01990000-0000-7000-8000-00000000000a";
        assert_eq!(writer_of(&format!("{sid}-17")), Some(sid));
        for other in [sid, "user-1", "17", "", "-", "01990000-0000-7000-8000-00000000000a-x"] {
            assert_eq!(writer_of(other), None, "{other}");
        }
    }
}
