//! What a reader remembers between two reads of a growing transcript. Everything is bounded.

use crate::RetryTracker;
use backstory_model::{EventKey, Flavor, SessionUid};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Changes when an older state can no longer be understood; the file is then read anew.
const VERSION: u32 = 1;

/// How many recent things of each sort are remembered.
const WINDOW: usize = 32;

/// The longest id or name taken from a record.
const NAME_MAX: usize = 256;

/// The resumable state of a transcript reader.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    version: u32,
    /// Session id of the main conversation.
    pub(super) root: String,
    /// Id of the sub-agent whose file this is.
    pub(super) agent: Option<String>,
    /// Session facts as they were last told.
    pub(super) told: Told,
    /// The first real prompt has become the title.
    pub(super) is_titled: bool,
    /// The sub-agent's parent has been told.
    pub(super) is_linked: bool,
    /// A record of the conversation has been met.
    pub(super) has_begun: bool,
    /// Sessions whose history this file repeats.
    pub(super) copied_from: Vec<String>,
    /// Whether records copied from forks may still come.
    pub(super) copied_part: CopiedPart,
    /// Sessions that began as copies of this one, asked once per read.
    #[serde(skip)]
    pub(super) forks: Option<Vec<String>>,
    /// Calls that failed lately.
    pub(super) retries: RetryTracker,
    calls: VecDeque<(u64, String)>,
    responses: VecDeque<u64>,
    records: VecDeque<u64>,
    children: VecDeque<u64>,
    renamed: VecDeque<(u64, u64)>,
}

/// The beginning of a file that other sessions own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CopiedPart {
    /// It may go on.
    #[default]
    Open,
    /// A record that no other session owns has been met.
    Over,
}

/// Session facts that are told again only when they change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Told {
    /// Working directory.
    pub(super) cwd: String,
    /// Branch.
    pub(super) git_branch: String,
    /// Model.
    pub(super) model: String,
    /// Version of the agent.
    pub(super) cli_version: String,
}

impl State {
    /// The state at the beginning of a file.
    pub(super) fn new(root: String, agent: Option<String>) -> Self {
        Self { version: VERSION, root, agent, ..Self::default() }
    }

    /// Bytes to be restored from.
    pub(super) fn save(&self) -> Vec<u8> {
        sonic_rs::to_vec(self).unwrap_or_default()
    }

    /// The saved state, if it is of this version.
    pub(super) fn restore(saved: &[u8]) -> Option<Self> {
        sonic_rs::from_slice::<Self>(saved)
            .ok()
            .filter(|state| state.version == VERSION && !state.root.is_empty())
    }

    /// Notes a call, so that its result can name the tool.
    pub(super) fn note_call(&mut self, call_id: &str, tool: &str) {
        if tool.len() <= NAME_MAX {
            push(&mut self.calls, (EventKey::of(call_id).0, tool.to_owned()));
        }
    }

    /// The tool of a recent call.
    pub(super) fn tool_of(&self, call_id: &str) -> Option<&str> {
        let id = EventKey::of(call_id).0;
        self.calls.iter().rev().find(|(known, _)| *known == id).map(|(_, tool)| tool.as_str())
    }

    /// True the first time a response is met. Lines of one response may be interleaved with
    /// others, but not by far.
    pub(super) fn is_new_response(&mut self, key: EventKey) -> bool {
        note(&mut self.responses, key.0)
    }

    /// Notes a record of the conversation.
    pub(super) fn note_record(&mut self, key: EventKey) {
        push(&mut self.records, key.0);
    }

    /// True when a record was met lately.
    pub(super) fn is_recent(&self, key: EventKey) -> bool {
        self.records.contains(&key.0)
    }

    /// True the first time a sub-agent is met.
    pub(super) fn is_new_child(&mut self, agent: &str) -> bool {
        note(&mut self.children, EventKey::of(agent).0)
    }

    /// Notes that a record's event is stored under another key than that of its id.
    pub(super) fn rename(&mut self, id: EventKey, stored: EventKey) {
        push(&mut self.renamed, (id.0, stored.0));
    }

    /// The key a record's event is stored under.
    pub(super) fn stored_key(&self, id: EventKey) -> EventKey {
        let found = self.renamed.iter().rev().find(|(known, _)| *known == id.0);
        found.map_or(id, |(_, stored)| EventKey(*stored))
    }
}

fn push<T>(window: &mut VecDeque<T>, item: T) {
    if window.len() == WINDOW {
        window.pop_front();
    }
    window.push_back(item);
}

/// Adds a key; false when it was there.
fn note(window: &mut VecDeque<u64>, key: u64) -> bool {
    let is_new = !window.contains(&key);
    if is_new {
        push(window, key);
    }
    is_new
}

/// An id usable as a part of a session uid.
pub(super) fn usable_id(id: &str) -> Option<&str> {
    (!id.is_empty() && id.len() <= NAME_MAX && !id.chars().any(char::is_control)).then_some(id)
}

/// The uid of a main conversation.
pub(super) fn root_uid(root: &str) -> SessionUid {
    SessionUid::new(Flavor::Claude, root)
}

/// The uid of a sub-agent; all sub-agents of a conversation lie flat below it.
pub(super) fn agent_uid(root: &str, agent: &str) -> SessionUid {
    SessionUid::new(Flavor::Claude, &format!("{root}/{agent}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_survives_and_stays_small() {
        let mut state = State::new("root".into(), Some("a1".into()));
        for at in 0..10_000_u64 {
            state.note_call(&format!("toolu_{at}"), "Bash");
            state.note_record(EventKey(at));
            state.rename(EventKey(at), EventKey(at + 1));
            assert!(state.is_new_response(EventKey(at)));
            assert!(state.is_new_child(&at.to_string()));
        }
        let saved = state.save();
        assert!(saved.len() < 16 * 1024, "{} bytes", saved.len());
        let restored = State::restore(&saved).unwrap();
        assert_eq!(restored.save(), saved);
        assert_eq!(restored.tool_of("toolu_9999"), Some("Bash"));
        assert_eq!(restored.tool_of("toolu_1"), None);
        assert_eq!(restored.stored_key(EventKey(9999)), EventKey(10_000));
    }

    #[test]
    fn foreign_states_are_refused() {
        assert!(State::restore(b"").is_none());
        assert!(State::restore(b"{}").is_none());
        assert!(State::restore(br#"{"version":99,"root":"x"}"#).is_none());
    }
}
