//! What people and agents mean by the words they end with.

mod agent;
mod human;

use crate::clip;
use agent::{ANNOUNCES, DONE, EXCUSES, FINISHES, STUCK};
use human::{ASKS_MORE, GIVES_UP, HAPPY, NEGATIONS, NOT_OBJECTING, OBJECTS, UNHAPPY};
use serde::{Deserialize, Serialize};

/// How the human speaks of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tone {
    /// Says nothing about it.
    #[default]
    Neutral,
    /// Is content.
    Happy,
    /// Is not.
    Unhappy,
    /// Lets the matter drop.
    GivesUp,
}

/// How the agent speaks of its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Report {
    /// Says nothing about it.
    #[default]
    Plain,
    /// Reports it done.
    Done,
    /// Reports it not done.
    Stuck,
    /// Asks the human something.
    Asks,
    /// Says what it is about to do.
    Announces,
}

/// How much of a message is listened to at either end.
const LISTEN: usize = 600;

/// The human's tone.
pub(crate) fn tone(text: &str) -> Tone {
    // A long message is a task or a paste; only its opening is an answer to the work.
    let text = own_words(text);
    let text = plain(clip::head(text, if text.len() > 800 { 160 } else { LISTEN }));
    if GIVES_UP.is_in(&text) {
        Tone::GivesUp
    } else if UNHAPPY.is_in(&text) {
        Tone::Unhappy
    } else if HAPPY.places(&text).any(|at| !is_negated(&text, at)) {
        Tone::Happy
    } else {
        Tone::Neutral
    }
}

/// What the human says before pasting something.
fn own_words(text: &str) -> &str {
    text.split("```").next().unwrap_or(text)
}

/// True for words that object to what the agent did.
pub(crate) fn objects(text: &str) -> bool {
    if tone(text) == Tone::Unhappy {
        return true;
    }
    if text.len() > 1500 {
        return false;
    }
    let text = plain(clip::head(text, LISTEN));
    OBJECTS.opens(&text) && !NOT_OBJECTING.opens(&text)
}

/// True if content words come with a new wish: the praise is for what was, not for the end.
pub(crate) fn asks_more(text: &str) -> bool {
    let text = plain(clip::head(text, LISTEN));
    text.contains('?') || ASKS_MORE.is_in(&text)
}

/// The agent's report: from its opening and its closing words.
pub(crate) fn report(text: &str) -> Report {
    let text = text.trim();
    let opening = plain(clip::head(text, LISTEN));
    let closing = plain(clip::tail(text, LISTEN));
    let stuck = STUCK.is_in(&opening) || STUCK.is_in(&closing);
    let done = DONE.is_in(&opening) || DONE.is_in(&closing) || FINISHES.opens(&opening);
    let asks = ends_asking(text);
    match (stuck, done) {
        // "Done. Want me to also …?" is done; "I could not …, shall I …?" is stuck.
        (true, false) => Report::Stuck,
        (false, true) => Report::Done,
        _ if asks => Report::Asks,
        _ if text.len() < 300 && ANNOUNCES.opens(&opening) => Report::Announces,
        _ => Report::Plain,
    }
}

/// True if the agent says that what fails is not its doing.
pub(crate) fn excuses(text: &str) -> bool {
    EXCUSES.is_in(&plain(text))
}

/// True if the last line of a text is a question.
pub(crate) fn ends_asking(text: &str) -> bool {
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    last.trim_end_matches(['*', '_', ')', ' ', '`']).ends_with(['?', '？'])
}

/// The words that carry meaning, sorted: the same for the same saying.
pub(crate) fn key(text: &str) -> String {
    const SMALL: &[&str] = &[
        "the", "a", "an", "please", "pls", "to", "that", "this", "it", "you", "just", "also",
        "and", "so", "ok", "for", "of", "is", "be", "my", "our", "in", "on", "i", "we", "will",
        "should", "but", "any", "all", "your", "with", "as", "are",
    ];
    let text = plain(text).replace("do not", "dont").replace("don't", "dont");
    let mut found: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '\'')))
        .map(|word| word.trim_matches(['.', '-', '\'']))
        .filter(|word| !word.is_empty() && !SMALL.contains(word))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.join(" ")
}

/// Lower case, straight quotes, one space between words.
fn plain(text: &str) -> String {
    if text.is_ascii() {
        let mut out = String::with_capacity(text.len());
        for word in text.split_ascii_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        out.make_ascii_lowercase();
        return out;
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        for c in word.chars() {
            match c {
                '’' | '‘' => out.push('\''),
                _ => out.extend(c.to_lowercase()),
            }
        }
    }
    out
}

/// True if a negation stands shortly before a place, in the same clause.
fn is_negated(text: &str, at: usize) -> bool {
    let before = clip::tail(&text[..at], 24);
    let near = before.rsplit(['.', ',', '!', ';']).next().unwrap_or(before);
    NEGATIONS.is_in(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tones_are_heard() {
        let cases = [
            ("thanks, works great", Tone::Happy),
            ("Perfect!", Tone::Happy),
            ("lgtm", Tone::Happy),
            ("it works now", Tone::Happy),
            ("danke, läuft", Tone::Happy),
            ("谢谢", Tone::Happy),
            ("this does not work", Tone::Unhappy),
            ("thanks but it's still broken", Tone::Unhappy),
            ("It isn't working", Tone::Unhappy),
            ("that's wrong", Tone::Unhappy),
            ("das funktioniert nicht", Tone::Unhappy),
            ("never mind, I'll do it myself", Tone::GivesUp),
            ("forget it", Tone::GivesUp),
            ("add a flag", Tone::Neutral),
            ("is it not great?", Tone::Neutral),
        ];
        for (text, expected) in cases {
            assert_eq!(tone(text), expected, "{text}");
        }
    }

    #[test]
    fn reports_are_understood() {
        let cases = [
            ("I've fixed the bug. All tests pass.", Report::Done),
            ("Done! Want me to also update the docs?", Report::Done),
            ("I was unable to reproduce the issue.", Report::Stuck),
            ("The tests are still failing because of X.", Report::Stuck),
            ("Which database should I use?", Report::Asks),
            ("The parser reads tokens one by one.", Report::Plain),
            ("It crashes because the server failed to bind its port.", Report::Plain),
            ("I wasn't able to get the build working.", Report::Stuck),
            ("Let me look at the config next.", Report::Announces),
        ];
        for (text, expected) in cases {
            assert_eq!(report(text), expected, "{text}");
        }
    }
}
