//! The part of a stored text that answers a query, on one line, with the answering words marked.

mod clean;
mod focus;
#[cfg(test)]
mod tests;
mod wanted;
mod window;

pub use wanted::Wanted;

use crate::{clip, passages};
use focus::Focus;
use std::ops::Range;

/// Of a longer text only the beginning and the end are looked at.
const HEAD_BYTES: usize = 1 << 20;
const TAIL_BYTES: usize = 1 << 18;
/// A text up to this length is looked at as a whole.
const SHORT_BYTES: usize = 1024;

/// A piece of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// One line without control characters, white space folded, cut ends marked with `…`.
    pub text: String,
    /// Bytes of the text that match, in order, never overlapping.
    pub marks: Vec<Range<usize>>,
}

/// The densest part of a text in at most so many characters; where nothing matches, its beginning.
/// A tool's JSON input is told by its values.
pub fn snippet(text: &str, wanted: &Wanted, max_chars: usize) -> Snippet {
    let mut values = String::new();
    let ends;
    let mut spoken = passages::spoken(text, &mut values);
    if spoken.len() > HEAD_BYTES + TAIL_BYTES {
        let tail = clip::tail(spoken, TAIL_BYTES);
        ends = format!("{} … {tail}", clip::head(spoken, HEAD_BYTES));
        spoken = &ends;
    }
    if spoken.len() > SHORT_BYTES {
        match wanted.focus(spoken) {
            Focus::Anywhere => {}
            Focus::Nowhere => return part(spoken, 0..SHORT_BYTES, wanted, max_chars),
            Focus::At(range) => {
                let found = part(spoken, range, wanted, max_chars);
                if !found.marks.is_empty() {
                    return found;
                }
            }
        }
    }
    part(spoken, 0..spoken.len(), wanted, max_chars)
}

/// The densest stretch of a part of a text.
fn part(text: &str, range: Range<usize>, wanted: &Wanted, max_chars: usize) -> Snippet {
    let range = text.floor_char_boundary(range.start)..text.floor_char_boundary(range.end);
    let line = clean::one_line(&text[range.clone()]);
    let hits = wanted.hits(&line);
    let shown = window::densest(&line, &hits, max_chars);
    // Who cut the line left room for dots at both ends.
    let has_dots = max_chars >= window::MIN_CHARS
        && (shown.len() < line.len() || line.chars().nth(max_chars - 2).is_none());
    let before = range.start > 0 || shown.start > 0;
    let behind = range.end < text.len() || shown.end < line.len();
    cut(&line, &hits, &shown, (has_dots && before, has_dots && behind))
}

/// Copies the shown part, with dots where it was cut and the marks moved along.
fn cut(line: &str, hits: &[wanted::Hit], shown: &Range<usize>, is_cut: (bool, bool)) -> Snippet {
    let mut text = String::with_capacity(shown.len() + 2 * '…'.len_utf8());
    if is_cut.0 {
        text.push('…');
    }
    let offset = text.len();
    text.push_str(&line[shown.clone()]);
    if is_cut.1 {
        text.push('…');
    }
    let mut marks: Vec<Range<usize>> = Vec::new();
    for hit in hits {
        let (start, end) = (hit.start.max(shown.start), hit.end.min(shown.end));
        if start >= end {
            continue;
        }
        let mark = start - shown.start + offset..end - shown.start + offset;
        match marks.last_mut() {
            Some(last) if mark.start <= last.end => last.end = last.end.max(mark.end),
            _ => marks.push(mark),
        }
    }
    Snippet { text, marks }
}
