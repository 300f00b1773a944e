//! What each session was told lately, so that it is not told the same at every prompt.

use backstory_model::EventKey;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Sessions remembered.
const SESSIONS: usize = 1024;
/// Addresses remembered of each.
const ADDRESSES: usize = 500;

/// What sessions were told; gone with the server, which costs at most a repetition.
#[derive(Debug, Default)]
pub(crate) struct Told {
    sessions: Mutex<HashMap<String, Session>>,
}

#[derive(Debug, Default)]
struct Session {
    /// Prompts so far.
    prompts: u64,
    /// The latest.
    last: u64,
    /// Addresses and the prompt they were told at.
    told: Vec<(String, u64)>,
}

impl Told {
    /// Counts a prompt, unless it is the one before asked again; tells what was told within so many
    /// prompts before it.
    pub(crate) fn at_prompt(&self, session: &str, prompt: &str, within: u64) -> Vec<String> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() >= SESSIONS && !sessions.contains_key(session) {
            // Whoever asks least goes; it is the one that finished or has hardly begun.
            let least = sessions.iter().min_by_key(|(_, known)| known.prompts);
            if let Some(id) = least.map(|(id, _)| id.clone()) {
                sessions.remove(&id);
            }
        }
        let known = sessions.entry(session.to_owned()).or_default();
        let hash = EventKey::of(prompt).0;
        if known.prompts == 0 || known.last != hash {
            known.prompts += 1;
            known.last = hash;
        }
        let (now, since) = (known.prompts, known.prompts.saturating_sub(within));
        let recent = since..now;
        known
            .told
            .iter()
            .filter(|(_, at)| recent.contains(at))
            .map(|(uri, _)| uri.clone())
            .collect()
    }

    /// Remembers what was told at the latest prompt.
    pub(crate) fn remember<'a>(&self, session: &str, addresses: impl Iterator<Item = &'a str>) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = sessions.get_mut(session) else { return };
        let now = known.prompts;
        for address in addresses {
            known.told.retain(|(told, _)| told != address);
            known.told.push((address.to_owned(), now));
        }
        let surplus = known.told.len().saturating_sub(ADDRESSES);
        known.told.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_asked_again_gets_the_same_and_a_later_one_does_not() {
        let told = Told::default();
        assert!(told.at_prompt("s", "one", 2).is_empty());
        told.remember("s", ["a", "b"].into_iter());
        assert!(told.at_prompt("s", "one", 2).is_empty());
        assert_eq!(told.at_prompt("s", "two", 2), ["a", "b"]);
        assert_eq!(told.at_prompt("s", "three", 2), ["a", "b"]);
        assert!(told.at_prompt("s", "four", 2).is_empty());
        assert!(told.at_prompt("s", "four", 0).is_empty());
        assert!(told.at_prompt("other", "two", 2).is_empty());
    }

    #[test]
    fn memory_is_bounded() {
        let told = Told::default();
        for session in 0..SESSIONS + 50 {
            told.at_prompt(&session.to_string(), "x", 1);
        }
        assert_eq!(told.sessions.lock().unwrap().len(), SESSIONS);
        told.at_prompt("s", "x", 1);
        let many: Vec<String> = (0..ADDRESSES + 10).map(|at| at.to_string()).collect();
        told.remember("s", many.iter().map(String::as_str));
        assert_eq!(told.at_prompt("s", "y", 1).len(), ADDRESSES);
    }
}
