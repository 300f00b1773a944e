//! The part of a stored text that answers a query, on one line, with the answering words marked.

mod clean;
#[cfg(test)]
mod tests;
mod wanted;
mod window;

pub use wanted::Wanted;

use crate::{clip, passages};
use std::ops::Range;

/// Of a longer text only the beginning and the end are looked at.
const HEAD_BYTES: usize = 1 << 20;
const TAIL_BYTES: usize = 1 << 18;

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
    let mut spoken = String::new();
    passages::spoken(text, &mut spoken);
    let line = if spoken.len() <= HEAD_BYTES + TAIL_BYTES {
        clean::one_line(&spoken)
    } else {
        let mut line = clean::one_line(clip::head(&spoken, HEAD_BYTES));
        line.push_str(" … ");
        line.push_str(&clean::one_line(clip::tail(&spoken, TAIL_BYTES)));
        line
    };
    let hits = wanted.hits(&line);
    let shown = window::densest(&line, &hits, max_chars);
    cut(&line, &hits, &shown, max_chars)
}

/// Copies the shown part, with dots where it was cut and the marks moved along.
fn cut(line: &str, hits: &[wanted::Hit], shown: &Range<usize>, max_chars: usize) -> Snippet {
    let has_dots = max_chars >= window::MIN_CHARS;
    let mut text = String::with_capacity(shown.len() + 2 * '…'.len_utf8());
    if has_dots && shown.start > 0 {
        text.push('…');
    }
    let offset = text.len();
    text.push_str(&line[shown.clone()]);
    if has_dots && shown.end < line.len() {
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
