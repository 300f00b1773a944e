//! JSON text to plain text, written straight into the batch.

use super::wire::{Block, Content, ImageSource};
use backstory_model::EventKey;
use memchr::memchr;
use std::borrow::Cow;
use std::fmt::Write;

/// The decoded text of a raw JSON string; anything else has none.
pub(super) fn decode(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    let mut text = String::with_capacity(inner.len());
    unescape(inner, &mut text);
    Some(Cow::Owned(text))
}

/// Appends the text of a raw JSON string; any other JSON as it stands, `null` not at all.
pub(super) fn push_text(raw: &str, out: &mut String) {
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

/// Appends what stands in for an image or a document: its type, size and fingerprint.
pub(super) fn push_reference(kind: &str, source: Option<&ImageSource<'_>>, out: &mut String) {
    let (media, data, url) = match source {
        Some(source) => (source.media_type.as_str(), source.data.as_str(), source.url.as_str()),
        None => ("", "", ""),
    };
    // Writing to a String cannot fail.
    let _ = match (data, url) {
        ("", url) => write!(out, "[{kind} {}]", if url.is_empty() { media } else { url }),
        // A document may be plain text.
        (data, _) if media.starts_with("text/") => {
            out.push_str(data);
            Ok(())
        }
        (data, _) => write!(
            out,
            "[{kind} {media} {} bytes xxh3:{:016x}]",
            decoded_len(data),
            EventKey::of(data).0
        ),
    };
}

fn decoded_len(base64: &str) -> usize {
    let digits = base64.trim_end_matches('=').len();
    digits * 3 / 4
}

/// Appends the text of a content, blocks on lines of their own.
pub(super) fn push_content(content: &Content<'_>, out: &mut String) {
    match content {
        Content::Text(text) => out.push_str(text),
        Content::Blocks(blocks) => {
            for (at, block) in blocks.iter().enumerate() {
                if at > 0 {
                    out.push('\n');
                }
                push_block(block, out);
            }
        }
        Content::Absent | Content::Other => {}
    }
}

fn push_block(block: &Block<'_>, out: &mut String) {
    match block.kind.as_str() {
        "text" => out.push_str(block.text.as_str()),
        kind @ ("image" | "document") => push_reference(kind, block.source.0.as_ref(), out),
        kind => {
            out.push('[');
            out.push_str(kind);
            for name in [block.tool_name.as_str(), block.name.as_str()] {
                if !name.is_empty() {
                    out.push(' ');
                    out.push_str(name);
                }
            }
            out.push(']');
            out.push_str(block.text.as_str());
        }
    }
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

    #[test]
    fn base64_sizes_are_those_of_the_data() {
        assert_eq!(decoded_len("QQ=="), 1);
        assert_eq!(decoded_len("QUI="), 2);
        assert_eq!(decoded_len("QUJD"), 3);
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
