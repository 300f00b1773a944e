//! The text of a raw JSON string, whatever escapes it has.

use memchr::memchr;
use std::borrow::Cow;

/// The decoded text of a raw JSON string; anything else has none.
pub(crate) fn decode(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    let mut text = String::with_capacity(inner.len());
    unescape(inner, &mut text);
    Some(Cow::Owned(text))
}

/// Appends the text of a raw JSON string; any other JSON as it stands, `null` not at all.
pub(crate) fn push_text(raw: &str, out: &mut String) {
    match raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => unescape(inner, out),
        None if raw == "null" => {}
        None => out.push_str(raw),
    }
}

fn unescape(mut text: &str, out: &mut String) {
    out.reserve(text.len());
    while let Some(at) = memchr(b'\\', text.as_bytes()) {
        out.push_str(&text[..at]);
        let escape = text.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        let mut used = 2;
        match escape {
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => out.push('\r'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'u' => used = push_unicode(&text[at..], out),
            b'"' | b'\\' | b'/' => out.push(char::from(escape)),
            // Not JSON; keep what stands there.
            _ => {
                out.push('\\');
                used = 1;
            }
        }
        text = text.get(at + used..).unwrap_or_default();
    }
    out.push_str(text);
}

/// Appends a `\uXXXX` escape or a surrogate pair of them; returns how many bytes it took.
fn push_unicode(text: &str, out: &mut String) -> usize {
    let unit = |at: usize| {
        text.get(at..at + 6)
            .and_then(|escape| escape.strip_prefix("\\u"))
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
    };
    let Some(first) = unit(0) else {
        out.push('\\');
        return 1;
    };
    if let Some(c) = char::from_u32(first) {
        out.push(c);
        return 6;
    }
    let pair = unit(6)
        .filter(|second| (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(second))
        .and_then(|second| char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + second - 0xdc00));
    out.push(pair.unwrap_or(char::REPLACEMENT_CHARACTER));
    if pair.is_some() { 12 } else { 6 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unescaped(raw: &str) -> String {
        let mut out = String::new();
        push_text(raw, &mut out);
        out
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(unescaped(r#""a\nb\t\"\\\/\u00e4\ud83d\ude00""#), "a\nb\t\"\\/ä😀");
        assert_eq!(unescaped(r#""\ud83d!""#), "\u{fffd}!");
        assert_eq!(unescaped(r#""\ud83d\u0041""#), "\u{fffd}A");
        assert_eq!(unescaped(r#"{"a":1}"#), r#"{"a":1}"#);
        assert_eq!(unescaped("null"), "");
    }

    proptest! {
        #[test]
        fn decoding_is_the_inverse_of_encoding(text in "\\PC*|[\\s\\S]{0,40}") {
            let raw = sonic_rs::to_string(&text).unwrap();
            prop_assert_eq!(unescaped(&raw), text.clone());
            prop_assert_eq!(decode(&raw).unwrap(), text);
        }

        #[test]
        fn broken_escapes_do_not_panic(text in "[\\\\u\"d8ä0-9a-f]{0,30}") {
            unescaped(&format!("\"{text}\""));
        }
    }
}
