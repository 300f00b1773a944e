//! What agents mean by the words they end with.

use super::listen::{has_any, has_any_unnegated, plain, sentences, starts_any};
use super::phrases_agent::{
    ANNOUNCES, DONE, EXCUSES, FALLS, FINISHES, FUTURE, GUESSES, NEEDS, NEGATES, NOT_HERE, OFFERS,
    PARTIAL, RISES, RUNNING, STUCK, TAKES_BACK, TIES, TIMES, TRADES, TRIES, UNABLE, UNTRIED,
};
use crate::clip;
use serde::{Deserialize, Serialize};

/// How much of a message is listened to at either end.
const LISTEN: usize = 700;

/// What an agent's message claims, each on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Claims(u16);

impl Claims {
    /// Something is done.
    pub(crate) const DONE: Self = Self(1);
    /// Something did not work out.
    pub(crate) const STUCK: Self = Self(2);
    /// The result was not tried.
    pub(crate) const UNTRIED: Self = Self(4);
    /// The agent does not know.
    pub(crate) const GUESSES: Self = Self(8);
    /// What is red was red before, or has to be.
    pub(crate) const EXCUSES: Self = Self(16);
    /// Some of it is left.
    pub(crate) const PARTIAL: Self = Self(32);
    /// It is not over yet.
    pub(crate) const RUNNING: Self = Self(64);
    /// Better and worse.
    pub(crate) const TRADES: Self = Self(128);
    /// Cannot go on without an answer.
    pub(crate) const NEEDS: Self = Self(256);
    /// Ends with a question or an offer.
    pub(crate) const ASKS: Self = Self(512);
    /// Says what comes next.
    pub(crate) const ANNOUNCES: Self = Self(1024);
    /// The work was taken back.
    pub(crate) const TAKES_BACK: Self = Self(2048);
    /// The agent itself did not manage, as opposed to things that fail.
    pub(crate) const GIVES_UP: Self = Self(4096);

    /// True if any of the others is claimed.
    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn set(&mut self, other: Self, on: bool) {
        if on {
            self.0 |= other.0;
        }
    }
}

/// As much of a message as [`claims`] listens to, bounded as JSON.
pub(crate) fn audible(text: &str) -> String {
    let text = text.trim();
    if text.len() <= 2 * LISTEN {
        return clip::words(text, 2 * LISTEN);
    }
    let opening = clip::words(clip::head(text, LISTEN), LISTEN);
    format!("{opening}\n{}", clip::words(clip::tail(text, LISTEN), LISTEN))
}

/// Reads the claims of a message from its opening and its closing words.
pub(crate) fn claims(text: &str) -> Claims {
    let text = text.trim();
    let mut found = Claims::default();
    let opening = lines(clip::head(text, LISTEN));
    let closing = if text.len() > LISTEN { lines(clip::tail(text, LISTEN)) } else { String::new() };
    let mut last = "";
    for sentence in sentences(&opening).chain(sentences(&closing)) {
        one_sentence(sentence, &mut found);
        last = sentence;
    }
    let ends_asking = last.trim_end_matches(['*', '_', ')', ' ', '`']).ends_with(['?', '？']);
    let pleads = has_any(last, NEEDS) && !last.contains("if ");
    found.set(Claims::ASKS, ends_asking || has_any(last, OFFERS));
    found.set(Claims::NEEDS, (ends_asking || pleads) && has_any(last, NEEDS));
    let announces =
        text.len() < 300 && starts_any(last, ANNOUNCES) && !starts_any(last, "let me know")
            || last.ends_with([':', '：']);
    let bargains = has_any(&opening, RISES) && has_any(&opening, FALLS);
    found.set(Claims::TRADES, bargains);
    found.set(Claims::ANNOUNCES, announces);
    found.set(Claims::DONE, starts_any(&opening, FINISHES));
    found
}

fn one_sentence(sentence: &str, found: &mut Claims) {
    let asks = sentence.ends_with(['?', '？']);
    let unable = has_any(sentence, UNABLE);
    let excused = has_any(sentence, EXCUSES);
    let untried = has_any(sentence, UNTRIED)
        || unable && has_any(sentence, TRIES)
        || has_any(sentence, NEGATES) && has_any(sentence, NOT_HERE)
        || has_any(sentence, "whether|ob|si") && has_any(sentence, "will|only|remains|wird|erst");
    let guesses = has_any(sentence, GUESSES);
    found.set(Claims::EXCUSES, excused);
    found.set(Claims::UNTRIED, untried && !excused);
    found.set(Claims::GUESSES, guesses);
    let to_come = has_any(sentence, FUTURE) && has_any(sentence, TIMES);
    found.set(Claims::RUNNING, to_come || has_any(sentence, RUNNING));
    found.set(Claims::TRADES, has_any(sentence, TRADES));
    found.set(Claims::TAKES_BACK, has_any(sentence, TAKES_BACK));
    let is_none = has_any(sentence, "no|none|nothing|nobody|zero|keine|kein");
    let held_up = has_any(sentence, "remaining|rest") && has_any(sentence, TIES);
    let some = held_up || has_any(sentence, PARTIAL) || counts_some(sentence);
    found.set(Claims::PARTIAL, some && !is_none);
    if !(untried || guesses || excused || asks) {
        let gives_up = has_any(sentence, FIRST_PERSON);
        let stuck = gives_up || has_any(sentence, STUCK) || has_any(sentence, IN_GENERAL);
        found.set(Claims::GIVES_UP, gives_up);
        found.set(Claims::STUCK, stuck);
        found.set(Claims::DONE, !stuck && has_any_unnegated(sentence, DONE));
    }
}

/// Failing of the agent itself, as opposed to things in general that cannot be.
const FIRST_PERSON: &str = "i can't|i cannot|i could not|i couldn't|\
    i was unable|i'm unable|i am unable|i'm not able|i am not able|i was not able|\
    i wasn't able|i failed to|i have no access|ich konnte|ich kann|konnte ich|no pude|no puedo|no he podido|\
    je n'ai pas pu|je n'ai pas réussi|não consegui|无法|没能|失败|できませんでした";

/// The same in the passive; in an answer these are about the matter.
const IN_GENERAL: &str = "could not be|couldn't be|unable to|failed to";

/// `four of the six`, `3 of 5`: some, but not all.
fn counts_some(sentence: &str) -> bool {
    let mut words = sentence.split(' ').peekable();
    while let Some(word) = words.next() {
        if words.peek() == Some(&"of") {
            let mut rest = words.clone().skip(1).skip_while(|word| matches!(*word, "the" | "our"));
            if let (Some(some), Some(all)) = (number(word), rest.next().and_then(number)) {
                return some < all;
            }
        }
    }
    false
}

fn number(word: &str) -> Option<u32> {
    const NAMES: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let named = NAMES.iter().position(|name| *name == word).map(|at| at as u32);
    named.or_else(|| word.parse().ok())
}

/// Plain words with the line breaks kept, for they end sentences.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(plain).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}
