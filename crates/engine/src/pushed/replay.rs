//! Which of the messages a plugin posts it has posted before.
//!
//! Plugins send no id with a message. A lost answer makes them post the same messages again, and a
//! rewritten transcript makes some of them begin again at its start; but the human may also say the
//! same words twice. So runs are compared, not single messages: a run that joins up with the end of
//! what is stored, or that as a whole stands in it and is too telling for chance, is a repetition. One
//! message alone tells nothing, however long: people type a prompt again, or paste it. It is a repetition at
//! the end of what is stored, where nothing but a lost answer stands between it and itself: whoever says `yes`
//! twice has been answered in between.

use std::collections::HashSet;

/// Messages that as a run are too many for chance.
const TELLING_RUN: usize = 4;
/// Characters that as a run are too many for chance.
const TELLING_CHARS: usize = 256;
/// Places compared; a session may hold the same words many times.
const MOST_PLACES: usize = 256;

/// What is compared of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Print {
    /// Hash of who says what.
    pub(super) key: u64,
    /// The key holds the id of a tool call.
    pub(super) sure: bool,
    /// When it happened, if the plugin said so; else 0.
    pub(super) stamp: i64,
}

impl Print {
    fn is(self, other: Self) -> bool {
        let same_time = self.stamp == other.stamp || self.stamp == 0 || other.stamp == 0;
        self.key == other.key && same_time
    }

    /// A key that no other message has.
    fn certain(self) -> Option<u64> {
        match (self.sure, self.stamp) {
            (true, _) => Some(self.key),
            (false, 0) => None,
            (false, stamp) => Some(self.key ^ (stamp as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
    }
}

/// What is stored of a session, as far as repetitions are told by it.
#[derive(Debug, Default)]
pub(super) struct Memory {
    prints: Vec<Print>,
    certain: HashSet<u64>,
    /// Where a repetition that did not reach the end stopped: it will go on there.
    goes_on: Option<usize>,
}

impl Memory {
    pub(super) fn len(&self) -> usize {
        self.prints.len()
    }

    pub(super) fn add(&mut self, print: Print) {
        self.prints.push(print);
        self.certain.extend(print.certain());
    }

    /// For each of the posted messages, with its length in characters, whether it is stored already.
    pub(super) fn repeated(&mut self, posted: &[(Print, usize)]) -> Vec<bool> {
        let run = self.run(posted);
        let mut known: Vec<bool> = (0..posted.len()).map(|at| at < run).collect();
        for ((print, _), known) in posted.iter().zip(&mut known) {
            *known |= print.certain().is_some_and(|key| self.certain.contains(&key));
        }
        known
    }

    /// How many of the first posted messages are a repetition.
    fn run(&mut self, posted: &[(Print, usize)]) -> usize {
        let expected = self.goes_on.take();
        let Some((first, _)) = posted.first() else { return 0 };
        let stored = &self.prints;
        let places = (0..stored.len()).rev().filter(|at| stored[*at].is(*first));
        let mut best: Option<(usize, usize)> = None;
        for at in expected
            .filter(|at| stored.get(*at).is_some_and(|print| print.is(*first)))
            .into_iter()
            .chain(places.take(MOST_PLACES))
        {
            let same = stored[at..].iter().zip(posted).take_while(|(old, (new, _))| old.is(*new));
            let len = same.count();
            let reaches_end = at + len == stored.len();
            let is_repetition = reaches_end
                || (len == posted.len() && (expected == Some(at) || is_telling(&posted[..len])));
            if is_repetition && best.is_none_or(|(_, known)| len > known) {
                best = Some((at, len));
            }
        }
        let Some((at, len)) = best else { return 0 };
        self.goes_on = (at + len < stored.len()).then_some(at + len);
        len
    }
}

fn is_telling(run: &[(Print, usize)]) -> bool {
    let chars: usize = run.iter().map(|(_, chars)| chars).sum();
    run.len() >= TELLING_RUN
        || (run.len() > 1 && chars >= TELLING_CHARS)
        || run.iter().any(|(print, _)| print.certain().is_some())
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
