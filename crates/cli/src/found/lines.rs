//! A snippet on a screen: broken into lines, its matches painted.

use crate::ui::{WARN, paint};
use std::ops::Range;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Where to break a text so that each line takes at most `width` columns; between words, except in
/// words longer than a line.
pub(super) fn wrap(text: &str, width: Option<usize>) -> Vec<Range<usize>> {
    let Some(width) = width.filter(|width| text.width() > *width).map(|width| width.max(2)) else {
        let all = 0..text.len();
        return vec![all];
    };
    let mut lines = Vec::new();
    let (mut start, mut used, mut blank) = (0, 0, None);
    for (at, c) in text.char_indices() {
        let next = c.width().unwrap_or(0);
        if c == ' ' {
            blank = Some(at);
        }
        if used + next > width && at > start {
            let (end, begin) = match blank {
                Some(blank) => (blank, blank + 1),
                None => (at, at),
            };
            lines.push(start..end);
            (start, blank) = (begin, None);
            used = text.get(start..at).map_or(0, UnicodeWidthStr::width);
            if start > at {
                // The blank itself did not fit: the next line begins behind it.
                used = 0;
                continue;
            }
        }
        used += next;
    }
    if start < text.len() {
        lines.push(start..text.len());
    }
    lines
}

/// A line of a text with what matches in it painted.
pub(super) fn painted(text: &str, line: &Range<usize>, marks: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut at = line.start;
    for mark in marks {
        let (start, end) = (mark.start.max(at), mark.end.min(line.end));
        if start >= end {
            continue;
        }
        out.push_str(&text[at..start]);
        out.push_str(&paint(WARN.bold(), &text[start..end]));
        at = end;
    }
    out.push_str(&text[at..line.end]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str, width: usize) -> Vec<&str> {
        wrap(text, Some(width)).into_iter().map(|line| &text[line]).collect()
    }

    #[test]
    fn lines_break_between_words_and_never_exceed_their_width() {
        assert_eq!(broken("one two three", 20), ["one two three"]);
        assert_eq!(broken("one two three", 7), ["one two", "three"]);
        assert_eq!(broken("one two three", 8), ["one two", "three"]);
        assert_eq!(broken("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(broken("日本語日本語", 5), ["日本", "語日", "本語"]);
        for width in 2..12 {
            for line in broken("a bb ccc dddd 日本語 eeeeeeeeeeeeee f", width) {
                assert!(line.width() <= width && !line.ends_with(' '), "{line:?} {width}");
            }
        }
    }

    #[test]
    fn marks_are_painted_in_every_line_they_reach() {
        let text = "the busy timeout of it";
        let marks = [4..8, 9..16];
        let plain =
            |line: Range<usize>| painted(text, &line, &marks).replace(|c: char| c.is_control(), "");
        assert_eq!(plain(0..text.len()), "the [1m[33mbusy[0m [1m[33mtimeout[0m of it");
        assert_eq!(plain(0..6), "the [1m[33mbu[0m");
        assert_eq!(plain(6..12), "[1m[33msy[0m [1m[33mtim[0m");
        assert_eq!(plain(17..22), "of it");
    }
}
