//! The members of a hook's JSON object, under one spelling, read as leniently as can be.

use crate::json::{readable, recover};
use crate::unescape::decode;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use sonic_rs::LazyValue;
use std::fmt;

/// The members of an object. A name is looked up in snake case whatever its own spelling; of two
/// spellings of one name the first that says something counts.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    members: Vec<Member<'a>>,
}

#[derive(Debug)]
struct Member<'a> {
    /// The name as it was spelt.
    spelt: String,
    /// The name in snake case.
    name: String,
    value: LazyValue<'a>,
}

impl Member<'_> {
    fn raw(&self) -> &str {
        self.value.as_raw_str().trim()
    }
}

impl<'a> Fields<'a> {
    /// Reads an object; `None` for any other JSON, and for what is none.
    pub(super) fn of(json: &'a str) -> Option<Self> {
        if !json.trim_start().starts_with('{') {
            return None;
        }
        sonic_rs::from_str(readable(json.as_bytes())?).ok()
    }

    /// The JSON of a member as it stands; `None` if it is absent or null.
    pub(super) fn raw(&self, name: &str) -> Option<&str> {
        let named = self.members.iter().filter(|member| member.name == name);
        named.map(Member::raw).find(|raw| *raw != "null")
    }

    /// A plain value as text; `None` if it is absent, empty, or a list or object.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let raw = self.raw(name)?;
        let text = match raw.as_bytes().first()? {
            b'"' => decode(raw)?.into_owned(),
            b'{' | b'[' => return None,
            _ => raw.to_owned(),
        };
        (!text.trim().is_empty()).then_some(text)
    }

    /// The first of several names that has a text.
    pub(super) fn any_text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.text(name))
    }

    /// Whether a member is `true`.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.raw(name) == Some("true")
    }

    /// A whole number.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.text(name)?.trim().parse().ok()
    }

    /// Whether there is a member, even one that is null or empty.
    pub(super) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name)
    }

    /// Whether there is a member whose name is spelt just so.
    pub(super) fn has_spelt(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.spelt == name)
    }

    /// The only member, if there is just one.
    pub(super) fn only(&self) -> Option<&str> {
        match &*self.members {
            [member] => Some(member.raw()),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Fields::default();
                while let Some((spelt, value)) = map.next_entry::<String, LazyValue<'de>>()? {
                    fields.members.push(Member { name: snake(&spelt), spelt, value });
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// A name in snake case.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// The JSON document in a hook's input: its text, else what can be made of damaged bytes.
pub(super) fn document(stdin: &[u8]) -> Option<String> {
    let bytes = stdin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stdin);
    if let Some(text) = readable(bytes)
        && Fields::of(text).is_some()
    {
        return Some(text.to_owned());
    }
    recover(bytes).into_iter().find(|document| Fields::of(document).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_one_name() {
        let json = r#"{"toolName":null,"tool_name":"Bash","toolUseId":7,"a":{"b":1},"e":" "}"#;
        let fields = Fields::of(json).unwrap();
        assert_eq!(fields.text("tool_name").as_deref(), Some("Bash"));
        assert_eq!(fields.text("tool_use_id").as_deref(), Some("7"));
        assert_eq!((fields.text("a"), fields.raw("a")), (None, Some(r#"{"b":1}"#)));
        assert_eq!((fields.text("e"), fields.has("e"), fields.has("f")), (None, true, false));
        assert!(fields.has_spelt("toolName"));
        assert!(!Fields::of(r#"{"tool_name":1}"#).unwrap().has_spelt("toolName"));
        assert_eq!(snake("hookEventName"), "hook_event_name");
        assert_eq!(snake("SessionStart"), "session_start");
    }

    #[test]
    fn damaged_input_is_read_as_far_as_it_goes() {
        assert!(document(b"\xef\xbb\xbf{\"a\":1}\n").is_some());
        assert_eq!(document(b"{\"a\":\"x\xff\0\"}").unwrap(), "{\"a\":\"x\u{fffd} \"}");
        for bad in [&b""[..], b"[]", b"null", b"{\"torn\":", b"plain", b"\"{}\""] {
            assert!(document(bad).is_none(), "{bad:?}");
        }
        assert!(document("{\"a\":".repeat(5000).as_bytes()).is_none());
    }
}
