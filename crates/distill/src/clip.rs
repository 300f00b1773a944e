//! Bounded cuts of texts: heads, tails, single lines, measured as they will stand in JSON.

use std::borrow::Cow;

/// The part of a payload that is looked at from its beginning, and from its end.
pub(crate) const LOOK_BYTES: usize = 64 * 1024;

/// The beginning, cut at a character.
pub(crate) fn head(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max.min(text.len()))]
}

/// The end, cut at a character.
pub(crate) fn tail(text: &str, max: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max))..]
}

/// Beginning and end of a text; a line of its own stands for what is left out between them.
pub(crate) fn ends(text: &str, first: usize, last: usize) -> Cow<'_, str> {
    if text.len() <= first + last {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}\n…\n{}", head(text, first), tail(text, last)))
}

/// One line of at most `max` bytes as JSON counts them: white space folded, no control characters.
pub(crate) fn line(text: &str, max: usize) -> String {
    cut(text, max, false)
}

/// Words as they stand, line breaks kept, of at most `max` bytes as JSON counts them.
pub(crate) fn words(text: &str, max: usize) -> String {
    cut(text, max, true)
}

/// The end of a path of at most `max` bytes, whole components where possible.
pub(crate) fn path(path: &str, max: usize) -> String {
    let clean = line(path, usize::MAX);
    let cost: usize = clean.chars().map(json_cost).sum();
    if cost <= max {
        return clean;
    }
    let mut room = max.saturating_sub('…'.len_utf8());
    let mut from = clean.len();
    for (at, c) in clean.char_indices().rev() {
        let Some(left) = room.checked_sub(json_cost(c)) else { break };
        room = left;
        from = at;
    }
    let end = &clean[from..];
    let end = end.find('/').map_or(end, |slash| &end[slash..]);
    format!("…{end}")
}

fn json_cost(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' => 2,
        other => other.len_utf8(),
    }
}

/// Bytes of the mark that stands for what was cut off.
const MARK: usize = '…'.len_utf8();

/// True for a text that stands in JSON as it is: most texts are like that, and short.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let clean = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    bytes.iter().all(clean)
        && !matches!((bytes.first(), bytes.last()), (Some(b' '), _) | (_, Some(b' ')))
        && !text.contains("  ")
}

fn cut(text: &str, max: usize, keep_breaks: bool) -> String {
    if text.len() <= max && is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    // Where the text ends if the rest does not fit: leaves room for the mark.
    let mut safe = 0;
    let mut gap = None;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            let breaks = keep_breaks && c == '\n';
            if used > 0 && (breaks || gap.is_none()) {
                gap = Some(if breaks { '\n' } else { ' ' });
            }
            continue;
        }
        let needed = gap.map_or(0, json_cost) + json_cost(c);
        if used + needed > max {
            out.truncate(safe);
            if max >= MARK {
                out.push('…');
            }
            return out;
        }
        if let Some(gap) = gap.take() {
            out.push(gap);
        }
        out.push(c);
        used += needed;
        if used + MARK <= max {
            safe = out.len();
        }
    }
    out
}

/// The bytes a text takes inside JSON quotes.
#[cfg(test)]
pub(crate) fn json_len(text: &str) -> usize {
    serde_json::to_string(text).map_or(0, |json| json.len() - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_never_exceed_their_bytes_nor_split_characters() {
        for text in ["ä".repeat(300), "\"\\".repeat(300), "a\u{1}b\n\t".repeat(300), "漢字".into()]
        {
            for max in [0, 1, 2, 3, 4, 5, 50, 99, 100] {
                assert!(json_len(&line(&text, max)) <= max, "{max}");
                assert!(json_len(&words(&text, max)) <= max, "{max}");
                assert!(json_len(&path(&text, max.max(3))) <= max.max(3), "{max}");
            }
        }
        assert_eq!(line(" a \n b ", 10), "a b");
        assert_eq!(words("a\n\n b", 10), "a\nb");
        assert_eq!(line("abcdefgh", 6), "abc…");
        assert_eq!(head("äö", 3), "ä");
        assert_eq!(tail("äö", 3), "ö");
        assert_eq!(ends("abcdef", 4, 2), "abcdef");
        assert_eq!(ends("äbcdefö", 3, 2), "äb\n…\nö");
    }

    #[test]
    fn long_paths_keep_their_end() {
        assert_eq!(path("/home/me/project/src/main.rs", 18), "…/src/main.rs");
        assert_eq!(path("/a/b", 18), "/a/b");
    }
}
