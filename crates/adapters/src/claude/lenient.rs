//! JSON values that are read leniently: one of an unexpected type is as good as absent.

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer};
use sonic_rs::LazyValue;
use std::borrow::Cow;
use std::marker::PhantomData;

/// Completes a visitor that takes every other kind of value for an absent one.
macro_rules! others_are_absent {
    ($absent:expr) => {
        others_are_absent!(scalars $absent);

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($absent)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($absent)
        }
    };
    (scalars $absent:expr) => {
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("any JSON value")
        }

        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($absent)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($absent)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($absent)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($absent)
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($absent)
        }
    };
}

pub(super) use others_are_absent;

/// A JSON value as it stands in the line, unread.
#[derive(Debug, Default)]
pub(super) struct Raw<'a>(Option<LazyValue<'a>>);

impl Raw<'_> {
    /// The JSON text; empty when absent or null.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_ref().map(LazyValue::as_raw_str).filter(|raw| *raw != "null").unwrap_or_default()
    }

    /// True when absent, null, or an empty string, list or object.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self.as_str(), "" | "\"\"" | "[]" | "{}")
    }

    /// Reads it as an object.
    pub(super) fn parse<'s, T: Deserialize<'s>>(&'s self) -> Option<T> {
        let raw = self.as_str();
        if raw.starts_with('{') { sonic_rs::from_str(raw).ok() } else { None }
    }

    /// Reads one field of it, without looking at those behind it.
    pub(super) fn field(&self, name: &str) -> Option<LazyValue<'_>> {
        let raw = self.as_str();
        if raw.starts_with('{') { sonic_rs::get_from_str(raw, [name]).ok() } else { None }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LazyValue::deserialize(deserializer).map(|value| Self(Some(value)))
    }
}

/// A decoded string.
#[derive(Debug, Default)]
pub(super) struct Text<'a>(Cow<'a, str>);

impl Text<'_> {
    /// The text; empty when absent or not a string.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// True when absent.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Text<'_> {
    fn from(text: &str) -> Self {
        Self(Cow::Owned(text.to_owned()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            others_are_absent!(Text::default());

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_any(TextVisitor)
    }
}

/// An object, where one stands.
#[derive(Debug, Default)]
pub(super) struct Maybe<T>(pub(super) Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MaybeVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for MaybeVisitor<T> {
            type Value = Maybe<T>;

            others_are_absent!(scalars Maybe(None));

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| Maybe(Some(value)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Maybe(None))
            }

            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(Maybe(None))
            }
        }

        deserializer.deserialize_any(MaybeVisitor(PhantomData))
    }
}

/// A yes or no; anything but `true` is no.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flag(pub(super) bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LazyValue::deserialize(deserializer).map(|value| Self(value.as_raw_str() == "true"))
    }
}

/// A number, where one stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number(Option<f64>);

impl Number {
    /// As a count; negative ones are none.
    pub(super) fn count(self) -> Option<u64> {
        self.0.filter(|value| *value >= 0.0).map(|value| value as u64)
    }

    /// As an exit code.
    pub(super) fn code(self) -> Option<i32> {
        self.0.map(|value| value as i32)
    }

    /// Seconds as milliseconds.
    pub(super) fn seconds(self) -> Option<u64> {
        Self(self.0.map(|value| value * 1000.0)).count()
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LazyValue::deserialize(deserializer).map(|value| Self(value.as_raw_str().parse().ok()))
    }
}

/// Whether a field is there at all; its value is not kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Present(pub(super) bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}
