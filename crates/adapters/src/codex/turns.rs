//! Turns: what makes events without an id the same event wherever they are met again, and which
//! records only repeat what another record said.

use backstory_model::EventKey;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The two tellings of one conversation in a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stream {
    /// What the model saw and wrote: response items.
    Model,
    /// What the person saw: events, or completed items.
    Screen,
}

/// What kind of text is told twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Told {
    Prompt,
    Answer,
    Thought,
    Injected,
    Search,
}

/// What makes an event itself, without time or place in the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Identity<'a> {
    /// The n-th call with a call id.
    Call(&'a str, u8),
    /// The answer to it.
    Answer(&'a str, u8),
    /// Something with an id of its own.
    Named(&'static str, &'a str),
    /// Something told by content and place in the turn.
    InTurn(&'static str, u64),
    /// The human's message that opens a new turn.
    Prompt(u64),
}

/// The turn a thread is in. Turns are counted by the human's messages, because these survive every
/// dialect, migration and copy; times, ordinals and line numbers do not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Turns {
    /// Keeps apart the turns of a reverted thread's second file, which begins counting again.
    base: u64,
    number: u32,
    seen: VecDeque<(u32, u16)>,
    unmatched: VecDeque<(Stream, Told, u32)>,
}

impl Turns {
    /// Contents of one turn that are remembered to number their repetitions.
    const SEEN: usize = 512;
    /// Texts waiting for their mirror.
    const UNMATCHED: usize = 64;

    /// Begins counting again, for history that was written by another thread.
    pub(super) fn restart(&mut self) {
        self.number = 0;
        self.seen.clear();
        self.unmatched.clear();
    }

    /// Sets the base of the count.
    pub(super) fn rebase(&mut self, base: u64) {
        self.base = base;
    }

    /// The key an event would have now.
    pub(super) fn key(&self, identity: Identity<'_>) -> EventKey {
        match identity {
            Identity::Call(id, 0) => EventKey::of_parts(&[b"call", id.as_bytes()]),
            Identity::Call(id, n) => EventKey::of_parts(&[b"call", id.as_bytes(), &[n]]),
            Identity::Answer(id, 0) => EventKey::of_parts(&[b"out", id.as_bytes()]),
            Identity::Answer(id, n) => EventKey::of_parts(&[b"out", id.as_bytes(), &[n]]),
            Identity::Named(tag, id) => EventKey::of_parts(&[tag.as_bytes(), id.as_bytes()]),
            Identity::InTurn(tag, content) => {
                let nth = self.count(mark(tag, content)) + 1;
                self.turn_key(self.number, tag, content, nth)
            }
            Identity::Prompt(content) => self.turn_key(self.number + 1, "user", content, 1),
        }
    }

    fn turn_key(&self, number: u32, tag: &str, content: u64, nth: u16) -> EventKey {
        EventKey::of_parts(&[
            b"turn",
            &self.base.to_le_bytes(),
            &number.to_le_bytes(),
            tag.as_bytes(),
            &content.to_le_bytes(),
            &nth.to_le_bytes(),
        ])
    }

    /// Takes note that the event happened, and tells its key.
    pub(super) fn take(&mut self, identity: Identity<'_>) -> EventKey {
        let key = self.key(identity);
        match identity {
            Identity::InTurn(tag, content) => self.add(mark(tag, content)),
            Identity::Prompt(_) => {
                self.number += 1;
                self.seen.clear();
                // Answers are mirrored within their turn; prompts may be queued over several.
                self.unmatched.retain(|(_, told, _)| *told == Told::Prompt);
            }
            Identity::Call(..) | Identity::Answer(..) | Identity::Named(..) => {}
        }
        key
    }

    fn count(&self, mark: u32) -> u16 {
        self.seen.iter().find(|(known, _)| *known == mark).map_or(0, |(_, count)| *count)
    }

    fn add(&mut self, mark: u32) {
        if let Some((_, count)) = self.seen.iter_mut().find(|(known, _)| *known == mark) {
            *count = count.saturating_add(1);
            return;
        }
        push(&mut self.seen, (mark, 1), Self::SEEN);
    }

    /// Whether the other stream told this already; each telling is matched once, so that a text
    /// said twice is two events.
    pub(super) fn is_mirror(&mut self, stream: Stream, told: Told, content: u64) -> bool {
        let found = self.unmatched.iter().position(|(other, sort, known)| {
            *other != stream && *sort == told && *known == content as u32
        });
        found.and_then(|at| self.unmatched.remove(at)).is_some()
    }

    /// Remembers a telling the other stream may repeat.
    pub(super) fn told(&mut self, stream: Stream, told: Told, content: u64) {
        push(&mut self.unmatched, (stream, told, content as u32), Self::UNMATCHED);
    }
}

fn mark(tag: &str, content: u64) -> u32 {
    EventKey::of_parts(&[tag.as_bytes(), &content.to_le_bytes()]).0 as u32
}

/// The hash by which a text is recognised.
pub(super) fn digest(text: &str) -> u64 {
    EventKey::of(text.trim()).0
}

/// Appends to a window, dropping its oldest entry when it is full.
pub(super) fn push<T>(window: &mut VecDeque<T>, item: T, limit: usize) {
    if window.len() >= limit {
        window.pop_front();
    }
    window.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_in_a_turn_and_over_turns_have_their_own_keys() {
        let mut turns = Turns::default();
        let keys = [
            turns.take(Identity::Prompt(7)),
            turns.take(Identity::InTurn("a", 1)),
            turns.take(Identity::InTurn("a", 1)),
            turns.take(Identity::Prompt(7)),
            turns.take(Identity::InTurn("a", 1)),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key));
        }
        turns.restart();
        assert_eq!(turns.take(Identity::Prompt(7)), keys[0]);
        assert_eq!(turns.take(Identity::InTurn("a", 1)), keys[1]);
    }

    #[test]
    fn each_telling_is_mirrored_once() {
        let mut turns = Turns::default();
        turns.told(Stream::Model, Told::Prompt, 1);
        assert!(!turns.is_mirror(Stream::Model, Told::Prompt, 1));
        assert!(turns.is_mirror(Stream::Screen, Told::Prompt, 1));
        assert!(!turns.is_mirror(Stream::Screen, Told::Prompt, 1));
    }
}
