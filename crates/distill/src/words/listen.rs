//! Finding phrases in what was said, without regard to case, quotes and line breaks.

use crate::clip;
use crate::phrases::Phrases;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Lower case, straight quotes, one space between words.
pub(super) fn plain(text: &str) -> String {
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

/// The phrases of a list, which is written as one text with bars between them.
pub(super) fn phrases(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split('|').map(|phrase| phrase.trim_matches(['\n', '\r'])).filter(|p| !p.is_empty())
}

thread_local! {
    /// Lists prepared for searching, by where they lie: there is a fixed number of them.
    static PREPARED: RefCell<HashMap<(usize, usize), Rc<Phrases>>> = RefCell::default();
}

fn prepared(list: &'static str) -> Rc<Phrases> {
    PREPARED.with_borrow_mut(|prepared| {
        let place = (list.as_ptr().addr(), list.len());
        let prepare = || Rc::new(Phrases::new(&phrases(list).collect::<Vec<_>>()));
        prepared.entry(place).or_insert_with(prepare).clone()
    })
}

/// One of the phrases stands in the text.
pub(super) fn has_any(text: &str, list: &'static str) -> bool {
    prepared(list).is_in(text)
}

/// One of the phrases stands in the text without a negation shortly before it.
pub(super) fn has_any_unnegated(text: &str, list: &'static str) -> bool {
    prepared(list).places(text).any(|at| {
        let before = clip::tail(&text[..at], 24);
        let near = before.rsplit(['.', ',', '!', ';']).next().unwrap_or(before);
        !NEGATIONS.iter().any(|negation| near.contains(negation))
    })
}

const NEGATIONS: &[&str] = &[
    "not ",
    "n't ",
    "never ",
    "no longer ",
    "isn't",
    "nicht ",
    "hardly ",
    "far from ",
    "less than ",
    "no ",
    "pas ",
    "would be ",
    "why ",
    "不",
    "没",
];

/// The text begins with one of the phrases.
pub(super) fn starts_any(text: &str, list: &'static str) -> bool {
    prepared(list).opens(text)
}

/// Behind the last of the phrases in the text.
pub(super) fn behind_last(text: &str, list: &'static str) -> Option<usize> {
    let at = prepared(list).places(text).last()?;
    phrases(list)
        .filter(|phrase| text[at..].starts_with(phrase))
        .map(|found| at + found.len())
        .max()
}

/// The sentences of a text in plain form.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (sentence, left) = rest.split_at(sentence_end(rest));
            rest = left;
            let sentence = sentence.trim();
            if !sentence.is_empty() {
                return Some(sentence);
            }
        }
        None
    })
}

fn sentence_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let closes = match c {
            '.' | '!' | '?' | ';' => chars.peek().is_none_or(|(_, next)| next.is_whitespace()),
            '。' | '！' | '？' | '；' | '\n' => true,
            _ => false,
        };
        if closes {
            return at + c.len_utf8();
        }
    }
    text.len()
}
