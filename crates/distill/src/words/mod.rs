//! What people and agents mean by the words they end with.

mod phrases;

use crate::clip;
use phrases::{ANNOUNCES, DONE, FINISHES, GIVES_UP, HAPPY, NOT_OBJECTING, OBJECTS, STUCK, UNHAPPY};
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
    let text = plain(clip::head(text, if text.len() > 800 { 160 } else { LISTEN }));
    let text = text.as_str();
    if GIVES_UP.iter().any(|phrase| has(text, phrase)) {
        return Tone::GivesUp;
    }
    if UNHAPPY.iter().any(|phrase| has(text, phrase)) {
        return Tone::Unhappy;
    }
    if HAPPY.iter().any(|phrase| has_unnegated(text, phrase)) {
        return Tone::Happy;
    }
    Tone::Neutral
}

/// True for words that open an objection.
pub(crate) fn objects(text: &str) -> bool {
    if text.len() > 1500 {
        return false;
    }
    let text = plain(clip::head(text, LISTEN));
    if NOT_OBJECTING.iter().any(|phrase| starts(&text, phrase)) {
        return false;
    }
    OBJECTS.iter().any(|phrase| starts(&text, phrase))
}

/// True if content words come with a new wish: the praise is for what was, not for the end.
pub(crate) fn asks_more(text: &str) -> bool {
    let text = plain(clip::head(text, LISTEN));
    text.contains('?')
        || [
            " now ",
            "can you",
            "could you",
            "please ",
            "next",
            "let's",
            "lets ",
            "also ",
            " but ",
            "then ",
            "and add",
            "go ahead",
        ]
        .iter()
        .any(|phrase| text.contains(phrase))
}

/// The agent's report: from its opening and its closing words.
pub(crate) fn report(text: &str) -> Report {
    let text = text.trim();
    let opening = plain(clip::head(text, LISTEN));
    let closing = plain(clip::tail(text, LISTEN));
    let any =
        |list: &[&str]| list.iter().any(|phrase| has(&opening, phrase) || has(&closing, phrase));
    let stuck = any(STUCK);
    let done = any(DONE) || FINISHES.iter().any(|phrase| starts(&opening, phrase));
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let asks = last.trim_end_matches(['*', '_', ')', ' ', '`']).ends_with(['?', '？']);
    match (stuck, done, asks) {
        // "Done. Want me to also …?" is done; "I could not …, shall I …?" is stuck.
        (true, false, _) => Report::Stuck,
        (_, true, _) if !stuck => Report::Done,
        (_, _, true) => Report::Asks,
        _ if text.len() < 300 && ANNOUNCES.iter().any(|phrase| starts(&opening, phrase)) => {
            Report::Announces
        }
        _ => Report::Plain,
    }
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

/// The phrase, standing as words of its own.
fn has(text: &str, phrase: &str) -> bool {
    places(text, phrase).next().is_some()
}

/// The phrase without a negation shortly before it.
fn has_unnegated(text: &str, phrase: &str) -> bool {
    places(text, phrase).any(|at| {
        let before = clip::tail(&text[..at], 24);
        let near = before.rsplit(['.', ',', '!', ';']).next().unwrap_or(before);
        !["not ", "n't ", "never ", "no longer ", "isn't", "nicht ", "hardly "]
            .iter()
            .any(|negation| near.contains(negation))
    })
}

fn starts(text: &str, phrase: &str) -> bool {
    places(text, phrase).next() == Some(0)
}

fn places<'t>(text: &'t str, phrase: &'t str) -> impl Iterator<Item = usize> + 't {
    let wide = phrase.chars().next().is_some_and(|c| !c.is_ascii());
    memchr::memmem::find_iter(text.as_bytes(), phrase.as_bytes()).filter(move |at| {
        let (before, after) = (&text[..*at], &text[at + phrase.len()..]);
        let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        wide && !phrase.is_ascii() && phrase.chars().all(|c| c > '\u{2e80}')
            || free(before.chars().next_back()) && free(after.chars().next())
    })
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
        ];
        for (text, expected) in cases {
            assert_eq!(report(text), expected, "{text}");
        }
    }
}
