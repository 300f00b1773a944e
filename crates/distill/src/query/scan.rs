//! Cuts a query into pieces at blanks and quotes.

/// One piece of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Anything without blanks that is none of the others.
    Word(&'a str),
    /// `"words in a row"`, with a dash before it or not.
    Phrase { words: &'a str, is_negated: bool },
    /// A quote that nothing closes on its line; what is behind it follows as pieces of its own.
    Unclosed(&'a str),
    /// A word that begins a quoted value which nothing closes.
    UnclosedValue(&'a str),
    /// `name:value`, for any name of letters; `text` is the whole of it.
    Named { name: &'a str, values: Vec<&'a str>, text: &'a str },
    /// `OR`
    Or,
    /// A dash with nothing behind it.
    Dash,
}

/// Longer names are no attempt at a filter.
const LONGEST_NAME: usize = 12;

/// The pieces of a text, in order.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (piece, behind) = next(rest);
        pieces.push(piece);
        rest = behind.trim_start();
    }
    pieces
}

fn next(text: &str) -> (Piece<'_>, &str) {
    let (is_negated, inner) = match text.strip_prefix('-') {
        Some(inner) => (true, inner),
        None => (false, text),
    };
    match quoted(inner) {
        Quoted::Closed { words, behind } => return (Piece::Phrase { words, is_negated }, behind),
        Quoted::Open { behind } => return (Piece::Unclosed(word_at(behind).0), behind),
        Quoted::Not => {}
    }
    let (word, behind) = word_at(text);
    match word {
        "OR" => (Piece::Or, behind),
        "-" => (Piece::Dash, behind),
        _ => named(text, word).unwrap_or((Piece::Word(word), behind)),
    }
}

/// The text up to the next blank, and what follows.
fn word_at(text: &str) -> (&str, &str) {
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

enum Quoted<'a> {
    Not,
    Closed { words: &'a str, behind: &'a str },
    Open { behind: &'a str },
}

/// What a text begins with, if that is a quote. Nobody means a phrase over several lines.
fn quoted(text: &str) -> Quoted<'_> {
    let close: &[char] = match text.chars().next() {
        Some('"') => &['"'],
        Some('“' | '„') => &['”', '“'],
        _ => return Quoted::Not,
    };
    let inner = text.get(text.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
    let line = inner.lines().next().unwrap_or_default();
    match line.find(close) {
        Some(end) => {
            let behind = &inner[end..];
            let quote = behind.chars().next().map_or(0, char::len_utf8);
            Quoted::Closed { words: &inner[..end], behind: &behind[quote..] }
        }
        None => Quoted::Open { behind: inner },
    }
}

/// `name:value`, `name:"a value",another`; `word` is the text up to the first blank.
fn named<'a>(text: &'a str, word: &'a str) -> Option<(Piece<'a>, &'a str)> {
    let name = &word[..word.find(':')?];
    let bare = name.strip_prefix('-').unwrap_or(name);
    let is_name = (2..=LONGEST_NAME).contains(&bare.len())
        && bare.bytes().all(|byte| byte.is_ascii_alphabetic());
    let mut rest = &text[name.len() + 1..];
    // `model::Event` and `file:///home` are no filters, whatever their names.
    if !is_name || rest.starts_with([':', '\\']) || rest.starts_with("//") {
        return None;
    }
    let mut values = Vec::new();
    loop {
        match quoted(rest) {
            Quoted::Closed { words, behind } => {
                values.push(words);
                rest = behind;
            }
            Quoted::Open { .. } => {
                return Some((Piece::UnclosedValue(word), &text[word.len()..]));
            }
            Quoted::Not => {
                let end = rest.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(rest.len());
                values.push(&rest[..end]);
                rest = &rest[end..];
            }
        }
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => break,
        }
    }
    values.retain(|value| !value.is_empty());
    let text = &text[..text.len() - rest.len()];
    Some((Piece::Named { name, values, text }, rest))
}
