//! Finding phrases in what was said, without regard to case, quotes and line breaks.

use crate::clip;

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
pub(super) fn phrases(list: &str) -> impl Iterator<Item = &str> {
    list.split('|').map(|phrase| phrase.trim_matches(['\n', '\r'])).filter(|p| !p.is_empty())
}

/// One of the phrases stands in the text.
pub(super) fn has_any(text: &str, list: &str) -> bool {
    phrases(list).any(|phrase| places(text, phrase).next().is_some())
}

/// One of the phrases stands in the text without a negation shortly before it.
pub(super) fn has_any_unnegated(text: &str, list: &str) -> bool {
    phrases(list).any(|phrase| {
        places(text, phrase).any(|at| {
            let before = clip::tail(&text[..at], 24);
            let near = before.rsplit(['.', ',', '!', ';']).next().unwrap_or(before);
            !NEGATIONS.iter().any(|negation| near.contains(negation))
        })
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
pub(super) fn starts_any(text: &str, list: &str) -> bool {
    phrases(list).any(|phrase| {
        text.starts_with(phrase)
            && (is_wide(phrase)
                || text[phrase.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric()))
    })
}

/// Where the phrase stands as words of its own.
pub(super) fn places<'t>(text: &'t str, phrase: &'t str) -> impl Iterator<Item = usize> + 't {
    let wide = is_wide(phrase);
    memchr::memmem::find_iter(text.as_bytes(), phrase.as_bytes()).filter(move |at| {
        let (before, after) = (&text[..*at], &text[at + phrase.len()..]);
        let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        wide || free(before.chars().next_back()) && free(after.chars().next())
    })
}

/// Scripts that put no space between words, and pictures.
fn is_wide(phrase: &str) -> bool {
    phrase.chars().all(|c| c > '\u{2000}')
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
