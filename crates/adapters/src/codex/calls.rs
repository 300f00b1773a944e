//! Tool calls waiting for their answer. An answer takes from here the tool's name and what mirror
//! records said meanwhile about exit code and duration.

use super::outcome::Outcome;
use super::secrets;
use super::tools::ASKS_HUMAN;
use super::turns::push;
use backstory_model::EventKey;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A call without its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct OpenCall {
    id: u64,
    what: u32,
    /// How many calls before had the same id: weak providers count them anew in every turn.
    pub(super) repeat: u8,
    /// The tool.
    pub(super) tool: String,
    /// What mirrors said about its end.
    pub(super) end: Outcome,
    /// Where it asks for a secret: the questions whose answers may be kept.
    #[serde(default)]
    pub(super) kept: Option<Vec<String>>,
}

/// Recent calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Calls {
    open: VecDeque<OpenCall>,
    done: VecDeque<(u64, u8)>,
    announced: u64,
}

impl Calls {
    const OPEN: usize = 32;
    const DONE: usize = 64;

    /// Notes a call; its repeat number, or `None` if the very same call is open already.
    pub(super) fn open(&mut self, id: &str, tool: &str, input: &str) -> Option<u8> {
        let hash = EventKey::of(id).0;
        let what = EventKey::of_parts(&[tool.as_bytes(), input.as_bytes()]).0 as u32;
        if self.open.iter().any(|call| call.id == hash && call.what == what) {
            return None;
        }
        let earlier = self.open.iter().rev().find(|call| call.id == hash).map(|call| call.repeat);
        let last = earlier.or_else(|| self.done_count(hash));
        let repeat = last.map_or(0, |count| count.saturating_add(1));
        let end = Outcome::default();
        let kept = if tool == ASKS_HUMAN { secrets::others(input) } else { None };
        let call = OpenCall { id: hash, what, repeat, tool: tool.to_owned(), end, kept };
        if self.open.len() >= Self::OPEN
            && let Some(oldest) = self.open.pop_front()
        {
            self.finish(oldest.id, oldest.repeat);
        }
        self.open.push_back(call);
        Some(repeat)
    }

    /// Takes the open call an answer belongs to.
    pub(super) fn close(&mut self, id: &str) -> Option<OpenCall> {
        let hash = EventKey::of(id).0;
        let at = self.open.iter().position(|call| call.id == hash)?;
        let call = self.open.remove(at)?;
        self.finish(call.id, call.repeat);
        Some(call)
    }

    /// Notes a call the person's stream announced: its answer comes there too.
    pub(super) fn announce(&mut self, id: &str, tool: &str) {
        if !id.is_empty() && self.open(id, tool, "").is_some() {
            self.announced = EventKey::of(id).0;
        }
    }

    /// Whether this call was announced last; it is then no longer open.
    pub(super) fn take_announced(&mut self, id: &str) -> bool {
        let announced = !id.is_empty() && self.announced == EventKey::of(id).0;
        if announced {
            self.announced = 0;
            self.close(id);
        }
        announced
    }

    /// Notes that a call with this id came and went.
    pub(super) fn closed(&mut self, id: &str) {
        self.finish(EventKey::of(id).0, 0);
    }

    /// The tool of an open call.
    pub(super) fn tool(&self, id: &str) -> Option<&str> {
        let hash = EventKey::of(id).0;
        self.open.iter().find(|call| call.id == hash).map(|call| call.tool.as_str())
    }

    /// Whether an answered call with this id is remembered.
    pub(super) fn is_done(&self, id: &str) -> bool {
        self.done_count(EventKey::of(id).0).is_some()
    }

    /// Completes an open call by what a mirror says; `false` if there is none.
    pub(super) fn complete(&mut self, id: &str, end: Outcome) -> bool {
        let hash = EventKey::of(id).0;
        let Some(call) = self.open.iter_mut().find(|call| call.id == hash) else { return false };
        call.end = call.end.or(end);
        true
    }

    fn done_count(&self, hash: u64) -> Option<u8> {
        self.done.iter().rev().find(|(known, _)| *known == hash).map(|(_, count)| *count)
    }

    fn finish(&mut self, hash: u64, repeat: u8) {
        self.done.retain(|(known, _)| *known != hash);
        push(&mut self.done, (hash, repeat), Self::DONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_used_again_is_another_call() {
        let mut calls = Calls::default();
        assert_eq!(calls.open("c", "shell", "ls"), Some(0));
        assert_eq!(calls.open("c", "shell", "ls"), None);
        let end = Outcome { exit_code: Some(3), ..Outcome::default() };
        assert!(calls.complete("c", end));
        let call = calls.close("c").unwrap();
        assert_eq!((call.tool.as_str(), call.end), ("shell", end));
        assert!(calls.is_done("c") && calls.close("c").is_none() && !calls.complete("c", end));
        assert_eq!(calls.open("c", "shell", "ls"), Some(1));
        assert_eq!(calls.open("c", "shell", "pwd"), Some(2));
    }

    #[test]
    fn memory_is_bounded() {
        let mut calls = Calls::default();
        for n in 0..1000 {
            calls.open(&n.to_string(), "shell", "ls");
        }
        assert_eq!((calls.open.len(), calls.done.len()), (Calls::OPEN, Calls::DONE));
    }
}
