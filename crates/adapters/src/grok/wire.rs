//! Grok's records as they stand in its files. Every field is optional and of any type: a field that
//! changed its type must not make the record unreadable.

use backstory_model::Timestamp;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use sonic_rs::LazyValue;
use std::borrow::Cow;
use std::fmt;

/// One plain value; an array or object reads as nothing.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Scalar<'a> {
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    Int(i64),
    Float(f64),
    Flag(bool),
}

impl Scalar<'_> {
    /// The text, unless empty.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    pub(super) fn int(&self) -> Option<i64> {
        match *self {
            Self::Int(number) => Some(number),
            Self::Float(number) if number.is_finite() => Some(number as i64),
            _ => None,
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.int().and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
    }

    pub(super) fn duration_ms(&self) -> Option<u64> {
        self.int().and_then(|number| u64::try_from(number).ok())
    }

    pub(super) fn is_true(&self) -> bool {
        matches!(self, Self::Flag(true))
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    /// A moment in seconds, in milliseconds or as RFC 3339.
    pub(super) fn moment(&self) -> Option<Timestamp> {
        /// Seconds of the year 5138: what is larger counts milliseconds.
        const LARGEST_SECONDS: i64 = 100_000_000_000;
        match self {
            Self::Text(text) => Timestamp::parse(text),
            Self::Int(number) if *number > LARGEST_SECONDS => Some(Timestamp(*number)),
            Self::Int(number) => Some(Timestamp::from_seconds(*number)),
            Self::Float(seconds) if seconds.is_finite() => {
                Some(Timestamp((seconds * 1000.0) as i64))
            }
            _ => None,
        }
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Int(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Int(i64::try_from(number).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Float(number))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Flag(flag))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Nothing)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Nothing)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Nothing)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

/// JSON that is read only where it is needed.
pub(super) type Raw<'a> = Option<LazyValue<'a>>;

/// Reads a part of a record; `None` where it has another shape.
pub(super) fn part<'a, T: Deserialize<'a>>(raw: &'a Raw<'_>) -> Option<T> {
    raw.as_ref().and_then(|raw| sonic_rs::from_str(raw.as_raw_str()).ok())
}

/// What an ACP notification says, in an envelope's `params` or bare.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Notification<'a> {
    #[serde(borrow, rename = "sessionId")]
    pub(super) session_id: Scalar<'a>,
    pub(super) update: Option<Update<'a>>,
    #[serde(rename = "_meta")]
    pub(super) meta: Option<Meta<'a>>,
}

/// A line of `updates.jsonl`: an envelope around a notification.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Envelope<'a> {
    #[serde(borrow)]
    pub(super) timestamp: Scalar<'a>,
    pub(super) method: Scalar<'a>,
    pub(super) params: Option<Notification<'a>>,
}

/// Identity and time of a notification.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Meta<'a> {
    #[serde(borrow)]
    pub(super) event_id: Scalar<'a>,
    pub(super) agent_timestamp_ms: Scalar<'a>,
    pub(super) prompt_id: Scalar<'a>,
}

/// An update of any type: ACP's own fields and those of the vendor's types.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Update<'a> {
    #[serde(borrow, rename = "sessionUpdate")]
    pub(super) name: Scalar<'a>,
    pub(super) content: Raw<'a>,
    #[serde(rename = "toolCallId")]
    pub(super) call_id: Scalar<'a>,
    pub(super) title: Scalar<'a>,
    pub(super) kind: Scalar<'a>,
    pub(super) status: Scalar<'a>,
    #[serde(rename = "rawInput")]
    pub(super) raw_input: Raw<'a>,
    #[serde(rename = "rawOutput")]
    pub(super) raw_output: Raw<'a>,
    pub(super) locations: Raw<'a>,
    #[serde(rename = "_meta")]
    pub(super) meta: Option<UpdateMeta<'a>>,
    #[serde(rename = "currentModeId")]
    pub(super) mode_id: Scalar<'a>,

    #[serde(rename = "type")]
    pub(super) subtype: Scalar<'a>,
    pub(super) prompt_id: Scalar<'a>,
    pub(super) stop_reason: Scalar<'a>,
    pub(super) usage: Raw<'a>,
    pub(super) elapsed_ms: Scalar<'a>,
    pub(super) duration_ms: Scalar<'a>,
    pub(super) reason: Scalar<'a>,
    pub(super) error: Scalar<'a>,
    pub(super) message: Scalar<'a>,
    pub(super) summary: Scalar<'a>,
    pub(super) session_summary: Scalar<'a>,
    pub(super) summary_preview: Scalar<'a>,
    pub(super) tokens_before: Scalar<'a>,
    pub(super) tokens_after: Scalar<'a>,
    pub(super) target_prompt_index: Scalar<'a>,
    pub(super) child_session_id: Scalar<'a>,
    pub(super) subagent_id: Scalar<'a>,
    pub(super) parent_session_id: Scalar<'a>,
    pub(super) subagent_type: Scalar<'a>,
    pub(super) description: Scalar<'a>,
    pub(super) resumed_from: Scalar<'a>,
    pub(super) model: Scalar<'a>,
    pub(super) model_id: Scalar<'a>,
    pub(super) tool_call_id: Scalar<'a>,
    pub(super) command: Scalar<'a>,
    pub(super) event_name: Scalar<'a>,
}

/// What an update says about itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UpdateMeta<'a> {
    #[serde(borrow, rename = "x.ai/tool")]
    pub(super) tool: Option<ToolMeta<'a>>,
    #[serde(rename = "modelId")]
    pub(super) model_id: Scalar<'a>,
    #[serde(rename = "hostTurn")]
    pub(super) host_turn: Scalar<'a>,
    pub(super) interjection: Raw<'a>,
    #[serde(rename = "syntheticReason", alias = "synthetic_reason")]
    pub(super) synthetic_reason: Scalar<'a>,
}

/// The tool behind a call's display title.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolMeta<'a> {
    #[serde(borrow)]
    pub(super) name: Scalar<'a>,
    pub(super) kind: Scalar<'a>,
}

/// A block of message content, or of a tool's content (which wraps one).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Scalar<'a>,
    pub(super) text: Scalar<'a>,
    pub(super) uri: Scalar<'a>,
    pub(super) content: Raw<'a>,
    pub(super) path: Scalar<'a>,
    #[serde(rename = "newText")]
    pub(super) new_text: Scalar<'a>,
}

/// The parts of a tool's input that tell what the call is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolInput<'a> {
    #[serde(borrow)]
    pub(super) variant: Scalar<'a>,
    pub(super) command: Scalar<'a>,
    pub(super) description: Scalar<'a>,
    pub(super) file_path: Scalar<'a>,
    pub(super) target_file: Scalar<'a>,
    pub(super) tool_name: Scalar<'a>,
}

/// A tool's output in the shapes it comes in.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolOutput<'a> {
    #[serde(borrow)]
    pub(super) output_for_prompt: Scalar<'a>,
    pub(super) output: Raw<'a>,
    pub(super) exit_code: Scalar<'a>,
    pub(super) timed_out: Scalar<'a>,
    pub(super) text: Scalar<'a>,
    pub(super) error: Scalar<'a>,
    pub(super) content: Scalar<'a>,
    #[serde(rename = "Content")]
    pub(super) wrapped: Option<WrappedOutput<'a>>,
}

/// Output one level deeper, as directory listings have it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WrappedOutput<'a> {
    #[serde(borrow)]
    pub(super) content: Scalar<'a>,
}

/// A file an update points at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Location<'a> {
    #[serde(borrow)]
    pub(super) path: Scalar<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_another_type_read_as_nothing() {
        let json = r#"{"sessionUpdate":["x"],"title":{"a":[1]},"status":null,"error":7}"#;
        let update: Update<'_> = sonic_rs::from_str(json).unwrap();
        assert_eq!(update.name, Scalar::Nothing);
        assert_eq!(update.title, Scalar::Nothing);
        assert_eq!(update.error.text(), None);
        assert_eq!(update.error.int(), Some(7));
    }

    #[test]
    fn moments_are_read_in_every_form() {
        let at = Some(Timestamp(1_700_000_000_000));
        for json in ["1700000000", "1700000000000", "1700000000.0", "\"2023-11-14T22:13:20Z\""] {
            let scalar: Scalar<'_> = sonic_rs::from_str(json).unwrap();
            assert_eq!(scalar.moment(), at, "{json}");
        }
        assert_eq!(Scalar::Text("soon".into()).moment(), None);
    }
}
