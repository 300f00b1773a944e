//! Text → words, by the rules of the model the table was made from: lower case, no accents, split at
//! everything that is neither letter nor digit, every Chinese character a word.
//!
//! Two things are added for talk about code: names are split into the words they are made of, and
//! what a machine wrote for machines (hashes, keys, long numbers) is left out.

use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer words are never in the vocabulary, and cost the most to find that out.
pub(crate) const LONGEST_WORD: usize = 100;
const LONGEST_NUMBER: usize = 6;
/// From this length on a word of digits and letters in turn is a key, not a name.
const SHORTEST_KEY: usize = 16;

/// Calls `found` for every word, in order. Words of ASCII come as they are spelt, all others in lower
/// case and without accents.
pub(crate) fn for_each_word(text: &str, mut found: impl FnMut(&[u8])) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&first) = bytes.get(at) {
        let from = at;
        if first.is_ascii() && !first.is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        while bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) {
            at += 1;
        }
        if bytes.get(at).is_none_or(u8::is_ascii) {
            found(&bytes[from..at]);
            continue;
        }
        while bytes.get(at).is_some_and(|byte| !byte.is_ascii() || byte.is_ascii_alphanumeric()) {
            at += 1;
        }
        foreign_words(&text[from..at], &mut found);
    }
}

/// The words of a stretch that has more than ASCII in it.
fn foreign_words(stretch: &str, found: &mut impl FnMut(&[u8])) {
    let mut word = String::new();
    for letter in stretch.nfd() {
        if is_combining_mark(letter) || is_invisible(letter) {
            continue;
        }
        let alone = is_chinese(letter);
        if (alone || !letter.is_alphanumeric()) && !word.is_empty() {
            found(word.as_bytes());
            word.clear();
        }
        if alone {
            found(letter.encode_utf8(&mut [0; 4]).as_bytes());
        } else if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase().filter(|letter| !is_combining_mark(*letter)));
        }
    }
    if !word.is_empty() {
        found(word.as_bytes());
    }
}

/// Signs that belong to no word and part none.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(letter, '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fffd}')
}

/// The blocks of Chinese characters; kana and hangul are written in words.
fn is_chinese(letter: char) -> bool {
    matches!(letter,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2ceaf}' | '\u{2f800}'..='\u{2fa1f}')
}

/// Whether a word is a hash, a key, a long number or too long to be one.
pub(crate) fn is_noise(word: &[u8]) -> bool {
    if word.len() > LONGEST_WORD {
        return true;
    }
    if word.len() < SHORTEST_KEY && word.iter().all(|byte| !byte.is_ascii_digit()) {
        return false;
    }
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == word.len() {
        return digits > LONGEST_NUMBER;
    }
    let turns = |differ: fn(u8, u8) -> bool| {
        word.windows(2).filter(|pair| differ(pair[0], pair[1])).count()
    };
    let to_digits = turns(|left, right| left.is_ascii_digit() != right.is_ascii_digit());
    if word.iter().all(u8::is_ascii_hexdigit) {
        return (word.len() >= 7 && digits >= 2) || (word.len() >= 4 && to_digits >= 2);
    }
    if word.len() < SHORTEST_KEY {
        return false;
    }
    let to_capitals = turns(|left, right| left.is_ascii_lowercase() && right.is_ascii_uppercase());
    to_digits >= 4 || (to_digits + to_capitals) * 4 > word.len()
}

/// Splits a name into its words: `parseHTTPHeader` is parse, HTTP, Header.
pub(crate) fn for_each_part(name: &[u8], mut found: impl FnMut(Range<usize>)) {
    let mut from = 0;
    for at in 1..name.len() {
        let (before, here) = (name[at - 1], name[at]);
        let rises = here.is_ascii_uppercase() && !before.is_ascii_uppercase();
        let word_begins = here.is_ascii_uppercase()
            && before.is_ascii_uppercase()
            && name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        if rises || word_begins {
            found(from..at);
            from = at;
        }
    }
    if from < name.len() {
        found(from..name.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        for_each_word(text, |word| all.push(String::from_utf8(word.to_vec()).unwrap()));
        all
    }

    fn parts(name: &str) -> Vec<String> {
        let mut all = Vec::new();
        for_each_part(name.as_bytes(), |part| all.push(name[part].to_owned()));
        all
    }

    #[test]
    fn words_end_where_neither_letter_nor_digit_is() {
        assert_eq!(words("It's a test-case, v2."), ["It", "s", "a", "test", "case", "v2"]);
        assert_eq!(words("snake_case/path.rs"), ["snake", "case", "path", "rs"]);
        assert!(words(" \t\n…—!").is_empty());
    }

    #[test]
    fn other_scripts() {
        assert_eq!(words("Café ÜBER naïve"), ["cafe", "uber", "naive"]);
        assert_eq!(words("soft\u{ad}hyphen “quoted”"), ["softhyphen", "quoted"]);
        assert_eq!(words("修复bug吧 ok"), ["修", "复", "bug", "吧", "ok"]);
        assert_eq!(words("Привет, мир"), ["привет", "мир"]);
        assert_eq!(words("a→b"), ["a", "b"]);
    }

    #[test]
    fn names_are_made_of_words() {
        assert_eq!(parts("parseHTTPHeader"), ["parse", "HTTP", "Header"]);
        assert_eq!(parts("VectorFile"), ["Vector", "File"]);
        assert_eq!(parts("utf8Reader"), ["utf8", "Reader"]);
        assert_eq!(parts("plain"), ["plain"]);
        assert_eq!(parts("URL"), ["URL"]);
    }

    #[test]
    fn what_only_machines_read_is_noise() {
        for noise in [
            "76031e2cf04fe905fa1bb5b41c7782ab33f57d54",
            "76031e2",
            "e29b",
            "1763263221",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
            "sk4Qz9Xw2Lm7Rt5Yp1",
        ] {
            assert!(is_noise(noise.as_bytes()), "{noise}");
        }
        for name in ["2026", "443", "utf8", "sha256", "deadlock", "facade", "added", "x86", "3d"] {
            assert!(!is_noise(name.as_bytes()), "{name}");
        }
        for name in ["internationalization", "AbstractSingletonProxyFactoryBean", "getUserById2"] {
            assert!(!is_noise(name.as_bytes()), "{name}");
        }
        assert!(is_noise("a".repeat(101).as_bytes()));
    }

    proptest! {
        #[test]
        fn no_word_has_a_space(text in "\\PC*") {
            for word in words(&text) {
                prop_assert!(!word.is_empty() && !word.contains(char::is_whitespace));
            }
        }
    }
}
