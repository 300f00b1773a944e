//! Changes to a text that leave every other byte as it is.

use std::ops::Range;

/// Some editors write it before the text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// One stretch of a text and what stands there afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) at: Range<usize>,
    pub(super) text: String,
}

impl Edit {
    /// Something new at a place.
    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { at: at..at, text: text.into() }
    }

    /// Nothing where there was something.
    pub(super) fn remove(at: Range<usize>) -> Self {
        Self { at, text: String::new() }
    }

    /// Something else where there was something.
    pub(super) fn replace(at: Range<usize>, text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }
}

/// The text with all edits made. They must not overlap.
pub(super) fn spliced(text: &str, mut edits: Vec<Edit>) -> String {
    // Two insertions at one place keep the order they were given in.
    edits.sort_by_key(|edit| edit.at.start);
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        let start = edit.at.start.max(done);
        result.push_str(&text[done..start]);
        result.push_str(&edit.text);
        done = edit.at.end.max(start);
    }
    result.push_str(&text[done..]);
    result
}

/// The mark some editors write, and the text behind it.
pub(super) fn without_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 })
}

/// How lines end here: as the first one does.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The number of the line a place is on, from 1.
pub(super) fn line_number(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

/// Where the line of a place begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Where the line of a place ends, its end included.
pub(super) fn line_stop(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Blanks at the beginning of the line of a place.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The lines of a block, each but the first indented, ended as this text ends its lines.
pub(super) fn indented(block: &str, indentation: &str, line_end: &str) -> String {
    block.replace('\n', &format!("{line_end}{indentation}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_in_the_order_of_their_places() {
        let edits = vec![Edit::remove(4..6), Edit::insert(0, "> "), Edit::replace(2..3, "C")];
        assert_eq!(spliced("abcdefg", edits), "> abCdg");
        let twice = vec![Edit::insert(1, "1"), Edit::insert(1, "2")];
        assert_eq!(spliced("ab", twice), "a12b");
    }

    #[test]
    fn lines_are_found_whatever_ends_them() {
        let text = "a\r\n\tb\r\nc";
        assert_eq!((line_end(text), line_end("a\nb\r\n"), line_end("")), ("\r\n", "\n", "\n"));
        assert_eq!((line_start(text, 4), line_stop(text, 4), line_number(text, 4)), (3, 7, 2));
        assert_eq!((indentation(text, 4), indentation(text, 0)), ("\t", ""));
        assert_eq!(line_stop(text, 7), text.len());
        assert_eq!(without_mark("\u{feff}{}"), ("\u{feff}", "{}"));
    }
}
