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
    let (c, used) = unicode(text.as_bytes()).unwrap_or(('\\', 1));
    out.push(c);
    used
}

/// The character that a `\uXXXX` escape or a surrogate pair of them stands for, and the bytes they take. Half a
/// pair stands for U+FFFD.
fn unicode(text: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        hex.iter().try_fold(0_u16, |unit, digit| {
            Some((unit << 4) | char::from(*digit).to_digit(16)? as u16)
        })
    };
    let c = char::decode_utf16([0, 6].into_iter().map_while(unit)).next()?;
    let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((c, 6 * c.len_utf16()))
}

/// JSON in which U+FFFD stands for every half of a surrogate pair. It keeps its length.
pub(crate) fn paired(json: &[u8]) -> Cow<'_, [u8]> {
    const REPLACEMENT: &[u8] = b"\\ufffd";
    let mut out = Cow::Borrowed(json);
    let mut at = 0;
    while let Some(next) = memchr(b'\\', &json[at..]) {
        at += next;
        let (c, used) = unicode(&json[at..]).unwrap_or(('\\', 2));
        if c == char::REPLACEMENT_CHARACTER {
            out.to_mut()[at..at + used].copy_from_slice(REPLACEMENT);
        }
        at = json.len().min(at + used);
    }
    out
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

    fn paired_text(json: &str) -> String {
        String::from_utf8(paired(json.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn halves_of_pairs_are_replaced_and_nothing_else() {
        for (json, expected) in [
            (r#""a \ud83d""#, r#""a \ufffd""#),
            (r#""\uD83D\u0041 \ude00\ud83d""#, r#""\ufffd\u0041 \ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
        ] {
            assert_eq!(paired_text(json), expected);
        }
        for whole in [
            r#""\ud83d\ude00""#,
            r#""C:\\ud83d \\\\ude00""#,
            r#""\u00e4 \n 😀""#,
            "\"\\",
            "\"\\u12",
        ] {
            assert!(matches!(paired(whole.as_bytes()), Cow::Borrowed(_)), "{whole}");
        }
    }

    /// As JavaScript writes a string: halves of characters as escapes.
    fn stringified(units: &[u16]) -> String {
        let character = |c: Result<char, std::char::DecodeUtf16Error>| match c {
            Ok(c @ ('"' | '\\')) => format!("\\{c}"),
            Ok('\n') => "\\n".to_owned(),
            Ok(c) => c.to_string(),
            Err(half) => format!("\\u{:04x}", half.unpaired_surrogate()),
        };
        let text: String = char::decode_utf16(units.iter().copied()).map(character).collect();
        format!("\"{text}\"")
    }

    proptest! {
        #[test]
        fn a_text_cut_anywhere_is_read(
            text in "[a-c\\\\\"u😀🦀\u{10ffff}\n]{0,20}",
            from in 0_usize..40,
            to in 0_usize..40,
        ) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let to = to.min(units.len());
            let cut = &units[from.min(to)..to];
            let mended = paired_text(&stringified(cut));
            let read: String = serde_json::from_str(&mended).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(cut));
        }

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
