//! The shapes of Claude Code's JSON. Every field is lenient: a value of an unexpected type is as
//! good as absent, so that a changed side field never costs a record.

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer};
use sonic_rs::LazyValue;
use std::borrow::Cow;
use std::fmt;

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

    /// Whether it is a JSON string.
    pub(super) fn is_string(&self) -> bool {
        self.as_str().starts_with('"')
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

/// A short string.
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

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = LazyValue::deserialize(deserializer)?;
        Ok(match value.as_raw_cow() {
            Cow::Borrowed(raw) => Self(super::text::decode(raw).unwrap_or_default()),
            Cow::Owned(raw) => {
                Self(Cow::Owned(super::text::decode(&raw).unwrap_or_default().into_owned()))
            }
        })
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

/// One line of a transcript.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) subtype: Text<'a>,
    #[serde(borrow)]
    pub(super) uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) parent_uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) logical_parent_uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_id: Text<'a>,
    pub(super) is_sidechain: Flag,
    pub(super) is_meta: Flag,
    pub(super) is_compact_summary: Flag,
    pub(super) is_api_error_message: Flag,
    #[serde(borrow)]
    pub(super) timestamp: Raw<'a>,
    #[serde(borrow)]
    pub(super) version: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) git_branch: Text<'a>,
    #[serde(borrow)]
    pub(super) prompt_source: Text<'a>,
    #[serde(borrow)]
    pub(super) origin: Raw<'a>,
    #[serde(borrow)]
    pub(super) message: Raw<'a>,
    #[serde(borrow)]
    pub(super) tool_use_result: Raw<'a>,
    #[serde(borrow)]
    pub(super) attachment: Raw<'a>,
    #[serde(borrow)]
    pub(super) data: Raw<'a>,
    #[serde(borrow, rename = "parentToolUseID")]
    pub(super) parent_tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Raw<'a>,
    #[serde(borrow)]
    pub(super) level: Text<'a>,
    #[serde(borrow)]
    pub(super) error: Raw<'a>,
    pub(super) duration_ms: Number,
    #[serde(borrow)]
    pub(super) summary: Text<'a>,
    #[serde(borrow)]
    pub(super) leaf_uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) ai_title: Text<'a>,
    #[serde(borrow)]
    pub(super) custom_title: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_name: Text<'a>,
    #[serde(borrow)]
    pub(super) last_prompt: Raw<'a>,
    #[serde(borrow)]
    pub(super) mode: Raw<'a>,
    #[serde(borrow)]
    pub(super) permission_mode: Raw<'a>,
    #[serde(borrow)]
    pub(super) bridge_session_id: Raw<'a>,
    #[serde(borrow)]
    pub(super) operation: Text<'a>,
    #[serde(borrow)]
    pub(super) pr_url: Raw<'a>,
    #[serde(borrow)]
    pub(super) tool_denial_kind: Text<'a>,
}

/// `message` of user and assistant lines.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Raw<'a>,
    #[serde(borrow)]
    pub(super) usage: Raw<'a>,
}

/// One content block.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Raw<'a>,
    #[serde(borrow)]
    pub(super) thinking: Raw<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Raw<'a>,
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_name: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Raw<'a>,
    pub(super) is_error: Flag,
    #[serde(borrow)]
    pub(super) source: Raw<'a>,
    /// Set when the block is a bare string.
    #[serde(skip)]
    pub(super) plain: Option<String>,
}

/// A block, or whatever else stands in a list of blocks.
struct Element<'a>(Block<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Element<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ElementVisitor).map(Self)
    }
}

struct ElementVisitor;

impl<'de> Visitor<'de> for ElementVisitor {
    type Value = Block<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a content block")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Block::deserialize(MapAccessDeserializer::new(map))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        let kind = Text(Cow::Borrowed("text"));
        Ok(Block { kind, plain: Some(text.to_owned()), ..Block::default() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Block::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Block::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Block::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Block::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Block::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Block::default())
    }
}

/// The content of a message or of a tool result.
#[derive(Debug)]
pub(super) enum Content<'a> {
    /// One JSON string (or, in a tool result, any other lone value), raw.
    Text(&'a str),
    /// A list of blocks.
    Blocks(Vec<Block<'a>>),
}

impl<'a> Content<'a> {
    /// Reads a content field; `None` when it is neither text nor a list.
    pub(super) fn of(raw: &'a Raw<'_>) -> Option<Self> {
        let raw = raw.as_str();
        match raw.as_bytes().first()? {
            b'"' => Some(Self::Text(raw)),
            b'[' => {
                let elements: Vec<Element<'a>> = sonic_rs::from_str(raw).ok()?;
                Some(Self::Blocks(elements.into_iter().map(|Element(block)| block).collect()))
            }
            _ => None,
        }
    }
}

/// Where the data of an image lies.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ImageSource<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) media_type: Text<'a>,
    #[serde(borrow)]
    pub(super) data: Raw<'a>,
    #[serde(borrow)]
    pub(super) url: Text<'a>,
}

/// `message.usage`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UsageWire<'a> {
    pub(super) input_tokens: Number,
    pub(super) output_tokens: Number,
    pub(super) cache_read_input_tokens: Number,
    pub(super) cache_creation_input_tokens: Number,
    #[serde(borrow)]
    pub(super) cache_creation: Raw<'a>,
    pub(super) thinking_tokens: Number,
    #[serde(borrow)]
    pub(super) output_tokens_details: Raw<'a>,
}

/// Cache writes by how long they live.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CacheSplit {
    pub(super) ephemeral_5m_input_tokens: Number,
    pub(super) ephemeral_1h_input_tokens: Number,
}

/// The thinking share of the output.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OutputDetails {
    pub(super) thinking_tokens: Number,
    pub(super) reasoning_tokens: Number,
}

/// What a tool input says about files and commands.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolInput<'a> {
    #[serde(borrow)]
    pub(super) file_path: Text<'a>,
    #[serde(borrow)]
    pub(super) notebook_path: Text<'a>,
    #[serde(borrow)]
    pub(super) path: Text<'a>,
    #[serde(borrow)]
    pub(super) command: Text<'a>,
}

/// `toolUseResult`, the structured twin of a tool result. Bulk is not kept.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ToolUseResult<'a> {
    pub(super) stdout: Present,
    pub(super) stderr: Present,
    pub(super) interrupted: Flag,
    pub(super) exit_code: Number,
    #[serde(borrow)]
    pub(super) background_task_id: Text<'a>,
    #[serde(borrow)]
    pub(super) file_path: Text<'a>,
    #[serde(borrow)]
    pub(super) file: Raw<'a>,
    pub(super) duration_ms: Number,
    pub(super) total_duration_ms: Number,
    pub(super) duration_seconds: Number,
    #[serde(borrow)]
    pub(super) agent_id: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_type: Text<'a>,
    pub(super) prompt: Present,
    pub(super) questions: Present,
    pub(super) answers: Present,
}

/// `attachment`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Attachment<'a> {
    #[serde(borrow)]
    pub(super) prompt: Raw<'a>,
    #[serde(borrow)]
    pub(super) content: Raw<'a>,
    #[serde(borrow)]
    pub(super) snippet: Raw<'a>,
    #[serde(borrow)]
    pub(super) stdout: Raw<'a>,
    #[serde(borrow)]
    pub(super) stderr: Raw<'a>,
    #[serde(borrow)]
    pub(super) blocking_error: Raw<'a>,
    #[serde(borrow)]
    pub(super) text: Raw<'a>,
    #[serde(borrow)]
    pub(super) new_date: Raw<'a>,
    #[serde(borrow)]
    pub(super) filename: Text<'a>,
    #[serde(borrow)]
    pub(super) path: Text<'a>,
    #[serde(borrow)]
    pub(super) plan_file_path: Text<'a>,
    pub(super) exit_code: Number,
    pub(super) duration_ms: Number,
}

/// `agent-<id>.meta.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct AgentMeta<'a> {
    #[serde(borrow)]
    pub(super) agent_type: Text<'a>,
    #[serde(borrow)]
    pub(super) description: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) parent_agent_id: Text<'a>,
}
