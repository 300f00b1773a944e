//! The shapes of Claude Code's JSON. Every field is lenient, so that a changed side field never
//! costs a record.

use super::lenient::{Flag, Maybe, Number, Present, Raw, Text, others_are_absent};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

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
    pub(super) message: Maybe<Message<'a>>,
    #[serde(borrow)]
    pub(super) tool_use_result: Twin<'a>,
    #[serde(borrow)]
    pub(super) attachment: Raw<'a>,
    #[serde(borrow)]
    pub(super) data: Raw<'a>,
    #[serde(borrow, rename = "parentToolUseID")]
    pub(super) parent_tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
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
    pub(super) last_prompt: Text<'a>,
    #[serde(borrow)]
    pub(super) mode: Text<'a>,
    #[serde(borrow)]
    pub(super) permission_mode: Text<'a>,
    #[serde(borrow)]
    pub(super) bridge_session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) operation: Text<'a>,
    #[serde(borrow)]
    pub(super) pr_url: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_denial_kind: Text<'a>,
    #[serde(borrow)]
    pub(super) permission_decision: Raw<'a>,
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
    pub(super) content: Content<'a>,
    pub(super) usage: Maybe<UsageWire>,
}

/// One content block.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Text<'a>,
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
    pub(super) content: Content<'a>,
    pub(super) is_error: Flag,
    #[serde(borrow)]
    pub(super) source: Maybe<ImageSource<'a>>,
}

/// A block, or whatever else stands in a list of blocks.
struct Element<'a>(Block<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Element<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ElementVisitor;

        impl<'de> Visitor<'de> for ElementVisitor {
            type Value = Block<'de>;

            others_are_absent!(scalars Block::default());

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Block::deserialize(MapAccessDeserializer::new(map))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Block::default())
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Block { kind: "text".into(), text: text.into(), ..Block::default() })
            }
        }

        deserializer.deserialize_any(ElementVisitor).map(Self)
    }
}

/// The content of a message, a tool result or an attachment.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    /// There is none.
    #[default]
    Absent,
    /// One text.
    Text(Cow<'a, str>),
    /// A list of blocks.
    Blocks(Vec<Block<'a>>),
    /// Some other JSON value.
    Other,
}

impl Content<'_> {
    /// True when there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::Text(text) => text.is_empty(),
            Self::Blocks(blocks) => blocks.is_empty(),
            Self::Other => false,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;

        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = Content<'de>;

            others_are_absent!(scalars Content::Absent);

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(Element(block)) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Content::Other)
            }
        }

        deserializer.deserialize_any(ContentVisitor)
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
    pub(super) data: Text<'a>,
    #[serde(borrow)]
    pub(super) url: Text<'a>,
}

/// `message.usage`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UsageWire {
    pub(super) input_tokens: Number,
    pub(super) output_tokens: Number,
    pub(super) cache_read_input_tokens: Number,
    pub(super) cache_creation_input_tokens: Number,
    pub(super) cache_creation: Maybe<CacheSplit>,
    pub(super) thinking_tokens: Number,
    pub(super) output_tokens_details: Maybe<OutputDetails>,
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
    pub(super) file: Maybe<FileResult<'a>>,
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

/// The file part of what a reading tool gave.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FileResult<'a> {
    #[serde(borrow)]
    pub(super) file_path: Text<'a>,
}

/// `toolUseResult` as it comes.
#[derive(Debug, Default)]
pub(super) enum Twin<'a> {
    /// There is none, or one that says nothing.
    #[default]
    Absent,
    /// A text: the error, as a rule.
    Text(Cow<'a, str>),
    /// The structured result.
    Object(Box<ToolUseResult<'a>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Twin<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TwinVisitor;

        impl<'de> Visitor<'de> for TwinVisitor {
            type Value = Twin<'de>;

            others_are_absent!(scalars Twin::Absent);

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Twin::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Twin::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let result = ToolUseResult::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Twin::Object(Box::new(result)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Twin::Absent)
            }
        }

        deserializer.deserialize_any(TwinVisitor)
    }
}

/// `attachment`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Attachment<'a> {
    #[serde(borrow)]
    pub(super) prompt: Content<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) snippet: Content<'a>,
    #[serde(borrow)]
    pub(super) stdout: Content<'a>,
    #[serde(borrow)]
    pub(super) stderr: Content<'a>,
    #[serde(borrow)]
    pub(super) blocking_error: Raw<'a>,
    #[serde(borrow)]
    pub(super) text: Content<'a>,
    #[serde(borrow)]
    pub(super) new_date: Content<'a>,
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
