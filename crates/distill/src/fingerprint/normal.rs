//! Takes out of an error line what differs from run to run.

use std::collections::BTreeMap;

const MAX: usize = 400;

/// The line without paths, numbers, ids, times and colours, in lower case.
pub fn normalized(line: &str) -> String {
    let line = crate::clip::head(line.trim(), MAX);
    let line = without_colours(line);
    let line = without_location(&line);
    let mut out = String::with_capacity(line.len());
    let mut previous = String::new();
    for word in line.split_whitespace() {
        let plain = word_without_noise(word, &previous);
        previous = word.to_ascii_lowercase();
        if plain.is_empty() || plain == "#" && out.ends_with('#') {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&plain);
    }
    out
}

/// How much two lines have in common, 0 to 1, judged by their normalised words.
pub fn similarity(a: &str, b: &str) -> f32 {
    let (a, b) = (weights(&normalized(a)), weights(&normalized(b)));
    let total: f32 = a.values().chain(b.values()).sum();
    if total == 0.0 {
        return 0.0;
    }
    let shared: f32 = a.iter().filter_map(|(word, weight)| b.get(word).map(|_| weight * 2.0)).sum();
    shared / total
}

/// Codes, exception names and identifiers tell more than prose.
fn weights(line: &str) -> BTreeMap<String, f32> {
    let mut found = BTreeMap::new();
    for word in line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))) {
        let word = word.trim_matches(['.', '-']);
        if word.is_empty() || matches!(word, "a" | "an" | "the" | "in" | "of" | "to" | "is" | "at")
        {
            continue;
        }
        let code = word.bytes().any(|byte| byte.is_ascii_digit());
        let name = word.ends_with("error") && word.len() > 5 || word.contains(['_', '.', '-']);
        found.insert(word.to_owned(), if code || name { 2.0 } else { 1.0 });
    }
    found
}

fn without_colours(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // Up to the letter that ends the sequence.
            for c in chars.by_ref() {
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
        } else if !c.is_control() || c == '\t' {
            out.push(c);
        }
    }
    out
}

/// Drops `path:12:3:` and `path(12,3):` before the message.
fn without_location(line: &str) -> &str {
    let mut rest = line.trim_start_matches(['>', '│', '|', ' ', '-', '✗', '✖', '×', '❯', '●']);
    if let Some((place, message)) = rest.split_once(": ") {
        let bare = place.trim_end_matches(')');
        let numbered = bare.rsplit([':', ',', '(']).next().is_some_and(is_number)
            && bare.contains(['.', '/'])
            && !place.contains(' ');
        if numbered && !message.trim().is_empty() {
            rest = message.trim_start();
        }
    }
    rest
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn word_without_noise(word: &str, previous: &str) -> String {
    let edge = |c: char| {
        matches!(c, '\'' | '"' | '`' | '(' | ')' | '[' | ']' | ',' | ';' | '{' | '}' | '<' | '>')
    };
    let inner = word.trim_matches(edge).trim_end_matches([':', '.', ',', '!']);
    if inner.is_empty() {
        return String::new();
    }
    let at = word.find(inner).unwrap_or(0);
    let (before, after) = (&word[..at], &word[at + inner.len()..]);
    let plain = plain_word(inner, previous);
    let mut out = String::with_capacity(word.len());
    out.extend(before.chars().filter(|c| edge(*c) && *c != '"').map(quote));
    out.push_str(&plain);
    out.extend(after.chars().filter(|c| !matches!(c, '.' | ',' | '!' | '"')).map(quote));
    out
}

/// One kind of quote for all: tools differ in it.
fn quote(c: char) -> char {
    if c == '`' { '\'' } else { c }
}

fn plain_word(word: &str, previous: &str) -> String {
    if is_status(word, previous) {
        return word.to_owned();
    }
    if is_noise(word) {
        return "#".to_owned();
    }
    let is_url = word.contains("://");
    if !is_url && (word.contains('/') || word.contains('\\')) {
        let name = word.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(word);
        let name = without_line_number(name);
        return if is_temporary(name) { "#".to_owned() } else { squeeze_digits(name) };
    }
    squeeze_digits(without_line_number(word))
}

/// `main.rs:12:5` → `main.rs`.
fn without_line_number(word: &str) -> &str {
    let mut rest = word;
    while let Some((before, number)) = rest.rsplit_once(':') {
        if !is_number(number) || before.is_empty() {
            break;
        }
        rest = before;
    }
    rest
}

fn is_status(word: &str, previous: &str) -> bool {
    word.len() == 3
        && word.starts_with(['4', '5'])
        && is_number(word)
        && ["status", "http", "error", "code", "http/1.1", "http/2"]
            .contains(&previous.trim_end_matches(':'))
}

/// Numbers, hex, ids, times, durations, versions of none: anything without a name in it.
fn is_noise(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 {
        return false;
    }
    let hex = word.trim_start_matches("0x");
    let hexish = hex.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if hexish && (word.starts_with("0x") || hex.len() >= 7) {
        return true;
    }
    let letters: String = word.chars().filter(|c| c.is_alphabetic()).collect();
    let unit = matches!(
        letters.as_str(),
        "" | "s"
            | "ms"
            | "us"
            | "ns"
            | "m"
            | "h"
            | "sec"
            | "secs"
            | "min"
            | "T"
            | "TZ"
            | "Z"
            | "x"
            | "KB"
            | "MB"
            | "GB"
            | "B"
            | "k"
            | "K"
            | "M"
            | "µs"
            | "kB"
            | "KiB"
            | "MiB"
            | "GiB"
    );
    unit || digits >= 6 && digits * 2 > word.len()
}

fn is_temporary(name: &str) -> bool {
    name.starts_with("tmp") && name.len() > 6 || name.starts_with(".tmp")
}

/// Lower case; a run of digits becomes `#`, unless it makes a code such as `E0308` or `TS2345`.
fn squeeze_digits(word: &str) -> String {
    let code = word.len() <= 9
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word
            .trim_start_matches(|c: char| c.is_ascii_uppercase() || c == '-')
            .bytes()
            .all(|b| b.is_ascii_digit())
        || word.to_ascii_lowercase().starts_with("error[");
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        if !code && c.is_ascii_digit() {
            if !out.ends_with('#') {
                out.push('#');
            }
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_goes_and_names_stay() {
        let cases = [
            (
                "\u{1b}[31merror\u{1b}[0m: cannot find `foo` at 12:5",
                "error: cannot find 'foo' at #",
            ),
            ("./x.go:3:4: undefined: Bar", "undefined: bar"),
            ("src/a.ts(4,5): error TS2345: no", "error ts2345: no"),
            (
                "ENOENT: no such file or directory, open '/a/b/c.json'",
                "enoent: no such file or directory open 'c.json'",
            ),
            (
                "FAILED tests/test_a.py::test_b - assert 3 == 4",
                "failed test_a.py::test_b - assert # == #",
            ),
            ("Exit code 1", "exit code #"),
        ];
        for (line, plain) in cases {
            assert_eq!(normalized(line), plain);
        }
    }

    #[test]
    fn similar_lines_are_similar() {
        let a = "ModuleNotFoundError: No module named 'requests'";
        assert!(similarity(a, "No module named \"requests\"") > 0.6);
        assert!(similarity(a, "error: linker `cc` not found") < 0.4);
        assert!((similarity(a, a) - 1.0).abs() < 1e-6);
        assert!(similarity("", "") < 0.1);
    }
}
