//! Forgiving values of the agents' JSON: texts, contents, numbers, raw pieces. A value of an
//! unexpected type reads as absent, so that one odd field never costs the record.

use crate::json::is_too_deep;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor, value};
use sonic_rs::LazyValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// A text, borrowed where it needs no unescaping. Anything that is not text reads as empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Text<'_> {
    /// The text unless it is empty.
    pub(super) fn some(&self) -> Option<&str> {
        Some(&*self.0).filter(|text| !text.is_empty())
    }

    /// The text, or another one if it is empty.
    pub(super) fn or<'s>(&'s self, other: &'s str) -> &'s str {
        self.some().unwrap_or(other)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text)))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(number.to_string())))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::default())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

/// The content of a message or the output of a tool: a text, parts, or one object.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    /// Absent or of no known shape.
    #[default]
    None,
    /// A plain text.
    Text(Text<'a>),
    /// Parts in order.
    Parts(Vec<Part<'a>>),
    /// A single object.
    One(Box<Part<'a>>),
}

impl<'a> Content<'a> {
    /// The parts, whatever the shape.
    pub(super) fn into_parts(self) -> Vec<Part<'a>> {
        match self {
            Self::None => Vec::new(),
            Self::Text(text) => vec![Part { text, ..Part::default() }],
            Self::Parts(parts) => parts,
            Self::One(part) => vec![*part],
        }
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a content")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        TextVisitor.visit_borrowed_str(text).map(Content::Text)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        TextVisitor.visit_str(text).map(Content::Text)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Content::None)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
        TextVisitor.visit_i64(number).map(Content::Text)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
        TextVisitor.visit_u64(number).map(Content::Text)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Content::None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(value::SeqAccessDeserializer::new(seq)).map(Content::Parts)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Part::deserialize(value::MapAccessDeserializer::new(map))
            .map(|part| Content::One(Box::new(part)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

/// One part of a content.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) image_url: Text<'a>,
    #[serde(borrow)]
    pub(super) path: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Text<'a>,
    #[serde(borrow)]
    pub(super) data: Text<'a>,
    #[serde(rename = "mimeType", borrow)]
    pub(super) mime_type: Text<'a>,
    pub(super) success: Maybe<bool>,
}

/// A value that is absent when its type is not the expected one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Maybe<T>(pub(super) Option<T>);

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de> Deserialize<'de> for Maybe<bool> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = LazyValue::deserialize(deserializer)?;
        Ok(Self(raw.as_raw_str().trim().parse().ok()))
    }
}

impl<'de> Deserialize<'de> for Maybe<i64> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = LazyValue::deserialize(deserializer)?;
        Ok(Self(raw.as_raw_str().trim().parse().ok()))
    }
}

impl<'de> Deserialize<'de> for Maybe<u64> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = LazyValue::deserialize(deserializer)?;
        Ok(Self(raw.as_raw_str().trim().parse().ok()))
    }
}

/// A value kept as its JSON text and read only when needed.
pub(super) type Raw<'a> = Option<LazyValue<'a>>;

/// The JSON text of a raw value; empty for `null` and absent ones.
pub(super) fn raw_str<'a>(raw: &'a Raw<'_>) -> &'a str {
    raw.as_ref().map(|value| value.as_raw_str().trim()).filter(|text| *text != "null").unwrap_or("")
}

/// Reads a raw value as a type; `None` if it does not fit.
pub(super) fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Option<T> {
    // Arguments are JSON in a string: their nesting was not seen when the line was checked.
    if json.is_empty() || is_too_deep(json.as_bytes()) {
        return None;
    }
    sonic_rs::from_str(json).ok()
}
