//! What a reader of a log remembers between two reads.

use crate::RetryTracker;
use backstory_model::EventKey;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Which of Grok's logs a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Dialect {
    Updates,
    Events,
    Chat,
    /// None of them: every line is kept as unknown.
    Foreign,
}

/// The two records that tell of one compaction, whichever comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CompactionMark {
    #[default]
    None,
    Checkpoint,
    Completed,
}

/// A tool call whose result was not yet met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OpenCall {
    id: u64,
    tool: String,
    lacks_input: bool,
}

/// The memory of a reader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    format: u8,
    pub(super) dialect: Option<Dialect>,
    /// The session the file belongs to.
    pub(super) session: String,
    /// True once a record confirmed the session, which until then is a guess from the path.
    pub(super) is_session_sure: bool,
    /// True once the log-opened event was given.
    pub(super) is_opened: bool,
    /// True once the session has a title from its first prompt.
    pub(super) is_titled: bool,
    /// Hash over all records without an id of their own: it makes their keys.
    pub(super) chain: u64,
    /// The session whose copied history is being read, where only the content tells.
    pub(super) copy_of: Option<String>,
    /// Session and key of the prompt the turn began with.
    pub(super) prompt: Option<(String, u64)>,
    /// The turn that is open in the event log.
    pub(super) turn: Option<String>,
    /// The model last reported.
    pub(super) model: Option<String>,
    pub(super) compaction: CompactionMark,
    pub(super) retries: RetryTracker,
    calls: VecDeque<OpenCall>,
    spawns: VecDeque<(u64, String)>,
}

impl State {
    const FORMAT: u8 = 1;
    /// How many open calls are remembered.
    const WINDOW: usize = 64;

    pub(super) fn new(dialect: Option<Dialect>, session: String) -> Self {
        Self {
            format: Self::FORMAT,
            dialect,
            session,
            is_session_sure: false,
            is_opened: false,
            is_titled: false,
            chain: 0,
            copy_of: None,
            prompt: None,
            turn: None,
            model: None,
            compaction: CompactionMark::None,
            retries: RetryTracker::default(),
            calls: VecDeque::new(),
            spawns: VecDeque::new(),
        }
    }

    pub(super) fn save(&self) -> Vec<u8> {
        sonic_rs::to_vec(self).unwrap_or_default()
    }

    pub(super) fn restored(saved: &[u8]) -> Option<Self> {
        let state: Self = sonic_rs::from_str(std::str::from_utf8(saved).ok()?).ok()?;
        (state.format == Self::FORMAT).then_some(state)
    }

    /// Takes the session id a record gives, the first time one does.
    pub(super) fn confirm_session(&mut self, id: &str) {
        if !self.is_session_sure && !id.is_empty() {
            id.clone_into(&mut self.session);
            self.is_session_sure = true;
        }
    }

    /// The key of a record without an id: its content and everything before it.
    pub(super) fn chain_key(&mut self, parts: &[&[u8]]) -> EventKey {
        let content = EventKey::of_parts(parts);
        self.chain = EventKey::of_parts(&[&self.chain.to_le_bytes(), &content.0.to_le_bytes()]).0;
        EventKey(self.chain)
    }

    /// Remembers a call until its result is met.
    pub(super) fn open_call(&mut self, call_id: &str, tool: &str, lacks_input: bool) {
        let id = EventKey::of(call_id).0;
        self.calls.retain(|call| call.id != id);
        push(&mut self.calls, OpenCall { id, tool: tool.to_owned(), lacks_input });
    }

    /// The tool of an open call.
    pub(super) fn tool_of(&self, call_id: &str) -> Option<&str> {
        let id = EventKey::of(call_id).0;
        self.calls.iter().find(|call| call.id == id).map(|call| call.tool.as_str())
    }

    /// True once for a call that was announced without its input.
    pub(super) fn takes_late_input(&mut self, call_id: &str) -> bool {
        let id = EventKey::of(call_id).0;
        let call = self.calls.iter_mut().find(|call| call.id == id);
        call.is_some_and(|call| std::mem::take(&mut call.lacks_input))
    }

    /// Remembers a call that starts a sub-agent, by what it says the sub-agent is for.
    pub(super) fn note_spawn(&mut self, description: &str, call_id: &str) {
        push(&mut self.spawns, (EventKey::of(description).0, call_id.to_owned()));
    }

    /// The call that started the sub-agent described so.
    pub(super) fn take_spawn(&mut self, description: &str) -> Option<String> {
        let what = EventKey::of(description).0;
        let at = self.spawns.iter().position(|(known, _)| *known == what)?;
        self.spawns.remove(at).map(|(_, call_id)| call_id)
    }
}

fn push<T>(window: &mut VecDeque<T>, item: T) {
    if window.len() == State::WINDOW {
        window.pop_front();
    }
    window.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_state_comes_back_and_a_foreign_one_does_not() {
        let mut state = State::new(Some(Dialect::Updates), "s".into());
        state.open_call("c", "bash", true);
        state.note_spawn("look", "c");
        state.chain_key(&[b"x"]);
        assert_eq!(State::restored(&state.save()), Some(state));
        for foreign in [&b""[..], b"{}", b"\xff", b"[]"] {
            assert_eq!(State::restored(foreign), None);
        }
    }

    #[test]
    fn chain_keys_differ_for_repeated_content() {
        let mut state = State::new(None, String::new());
        let first = state.chain_key(&[b"ok"]);
        assert_ne!(first, state.chain_key(&[b"ok"]));
    }
}
