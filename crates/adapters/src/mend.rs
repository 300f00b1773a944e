//! JSON as plugins write it → JSON that every reader takes.

use crate::unescape::paired;
use std::borrow::Cow;

/// What is nested more deeply becomes text. Readers give up at 128 levels, and answers add some of their own.
const DEEPEST: usize = 100;

/// The JSON with U+FFFD for every half of a character, which plugins leave where they cut a text, and with the
/// text of what is nested too deeply in its place. Anything that is no JSON stays none.
pub fn mended(json: &[u8]) -> Cow<'_, [u8]> {
    match paired(json) {
        Cow::Borrowed(json) => flattened(json),
        Cow::Owned(json) => Cow::Owned(flattened(&json).into_owned()),
    }
}

/// Without recursion: whoever posts decides how deep it goes.
fn flattened(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let (mut depth, mut start, mut copied) = (0_usize, 0, 0);
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in json.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth == DEEPEST + 1 {
                    start = at;
                }
            }
            b'}' | b']' if !in_string => {
                if depth == DEEPEST + 1 {
                    out.extend_from_slice(&json[copied..start]);
                    out.extend(as_string(&json[start..=at]));
                    copied = at + 1;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.extend_from_slice(&json[copied..]);
    Cow::Owned(out)
}

fn as_string(json: &[u8]) -> Vec<u8> {
    sonic_rs::to_vec(&String::from_utf8_lossy(json)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn nested(levels: usize, core: &str) -> String {
        format!("{}{core}{}", "[".repeat(levels), "]".repeat(levels))
    }

    fn read(json: &str) -> Value {
        serde_json::from_slice(&mended(json.as_bytes())).unwrap()
    }

    #[test]
    fn what_is_too_deep_is_its_text() {
        let shallow = nested(DEEPEST, r#""]}[{\\""#);
        assert!(matches!(mended(shallow.as_bytes()), Cow::Borrowed(_)));
        for extra in [1, 2, 100_000] {
            let inner = nested(extra, "\n{\"a\": \"\\\"]\\ud83d\"}");
            let whole = format!(r#"[1, {}, {{"after": 2}}]"#, nested(DEEPEST - 1, &inner));
            let mut found = &read(&whole)[1];
            while let Value::Array(items) = found {
                found = &items[0];
            }
            assert_eq!(*found, inner.replace("\\ud83d", "\\ufffd"));
            assert_eq!(read(&whole)[2]["after"], 2);
        }
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in ["", "[", "\"", "]]]", &"[".repeat(100_000), &format!("{}\"]", "[".repeat(200))]
        {
            let mended = mended(text.as_bytes());
            assert_eq!(mended, text.as_bytes());
            assert!(serde_json::from_slice::<Value>(&mended).is_err());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            mended(&bytes);
        }

        #[test]
        fn brackets_of_any_kind_are_taken(text in "[\\[\\]{}\"\\\\u d8]{0,600}") {
            mended(text.as_bytes());
        }
    }
}
