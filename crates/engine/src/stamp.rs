//! Moments in our own files: RFC 3339, as everywhere people read them.

use backstory_model::Timestamp;
use serde::{Deserialize, Deserializer, Serializer, de::Error};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference to the field")]
pub(crate) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(at)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(from)?;
    Timestamp::parse(&text).ok_or_else(|| D::Error::custom("not an RFC 3339 time"))
}

/// The same for a moment that may not be known.
pub(crate) mod optional {
    use super::{Deserialize, Deserializer, Error, Serializer, Timestamp};

    #[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(
        at: &Option<Timestamp>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match at {
            Some(at) => super::serialize(at, to),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        let parse = |text: String| {
            Timestamp::parse(&text).ok_or_else(|| D::Error::custom("not an RFC 3339 time"))
        };
        text.map(parse).transpose()
    }
}
