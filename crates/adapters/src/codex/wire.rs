//! The shapes Codex writes, borrowed from the line. Every field is optional; `values` says how odd
//! values are read.

pub(super) use super::values::{Content, Maybe, Part, Raw, Text, raw_str, read};
use serde::{Deserialize, Serialize};
use sonic_rs::LazyValue;

/// One line of any dialect. The wrapped dialects use the first four fields, the bare one the rest.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Line<'a> {
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    pub(super) ordinal: Maybe<u64>,
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) payload: Raw<'a>,
    #[serde(borrow)]
    pub(super) record_type: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) role: Text<'a>,
}

/// The whole file of the TypeScript CLI.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub(super) session: Raw<'a>,
    #[serde(borrow)]
    pub(super) items: Vec<LazyValue<'a>>,
}

/// `session_meta`, or the head of a bare or TypeScript file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) forked_from_id: Text<'a>,
    #[serde(borrow)]
    pub(super) parent_thread_id: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) cli_version: Text<'a>,
    #[serde(borrow)]
    pub(super) source: Raw<'a>,
    #[serde(borrow)]
    pub(super) thread_source: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_nickname: Text<'a>,
    #[serde(borrow, alias = "agent_type")]
    pub(super) agent_role: Text<'a>,
    #[serde(borrow)]
    pub(super) git: Raw<'a>,
    #[serde(borrow)]
    pub(super) history_base: Raw<'a>,
    pub(super) subagent_history_start_ordinal: Maybe<u64>,
}

/// Small objects inside records, read on demand; the fields of several shapes are united.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Detail<'a> {
    #[serde(borrow)]
    pub(super) branch: Text<'a>,
    #[serde(borrow)]
    pub(super) thread_id: Text<'a>,
    pub(super) end_ordinal_exclusive: Maybe<u64>,
    #[serde(borrow)]
    pub(super) subagent: Raw<'a>,
    #[serde(borrow)]
    pub(super) thread_spawn: Raw<'a>,
    #[serde(borrow)]
    pub(super) other: Text<'a>,
    #[serde(borrow)]
    pub(super) parent_thread_id: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_nickname: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_role: Text<'a>,
    #[serde(borrow)]
    pub(super) message: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) objective: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) server: Text<'a>,
    #[serde(borrow)]
    pub(super) tool: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow)]
    pub(super) query: Text<'a>,
    #[serde(borrow)]
    pub(super) queries: Raw<'a>,
    #[serde(borrow)]
    pub(super) url: Text<'a>,
    #[serde(borrow)]
    pub(super) pattern: Text<'a>,
    #[serde(borrow)]
    pub(super) command: Raw<'a>,
    #[serde(borrow)]
    pub(super) agent_id: Text<'a>,
    #[serde(borrow)]
    pub(super) nickname: Text<'a>,
    pub(super) secs: Maybe<u64>,
    pub(super) nanos: Maybe<u64>,
}

/// `turn_context`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TurnContext<'a> {
    #[serde(borrow)]
    pub(super) turn_id: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
}

/// `compacted`; its `replacement_history` is skipped unread.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Compacted<'a> {
    #[serde(borrow)]
    pub(super) message: Text<'a>,
}

/// Cumulative or single counts of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Counts {
    #[serde(rename = "input_tokens")]
    pub(super) input: u64,
    #[serde(rename = "cached_input_tokens")]
    pub(super) cached_input: u64,
    #[serde(rename = "cache_write_input_tokens")]
    pub(super) cache_write_input: u64,
    #[serde(rename = "output_tokens")]
    pub(super) output: u64,
    #[serde(rename = "reasoning_output_tokens")]
    pub(super) reasoning_output: u64,
    #[serde(rename = "total_tokens")]
    pub(super) total: u64,
}

/// `token_count.info` and `token_usage_record`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenInfo<'a> {
    pub(super) total_token_usage: Option<Counts>,
    pub(super) last_token_usage: Option<Counts>,
    pub(super) usage: Option<Counts>,
    pub(super) thread_token_usage: Option<Counts>,
    #[serde(borrow)]
    pub(super) response_id: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
}

/// A Responses-API item (`response_item`, or a line of the bare dialect, or an item of a
/// TypeScript file, where it may also be a chat message with `tool_calls`).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) role: Text<'a>,
    #[serde(borrow, alias = "message")]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) summary: Content<'a>,
    #[serde(borrow)]
    pub(super) encrypted_content: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    #[serde(borrow, alias = "tool_call_id")]
    pub(super) call_id: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow)]
    pub(super) input: Text<'a>,
    #[serde(borrow)]
    pub(super) output: Content<'a>,
    #[serde(borrow)]
    pub(super) tools: Raw<'a>,
    #[serde(borrow)]
    pub(super) result: Raw<'a>,
    #[serde(borrow)]
    pub(super) action: Raw<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    #[serde(borrow)]
    pub(super) revised_prompt: Text<'a>,
    #[serde(borrow)]
    pub(super) author: Text<'a>,
    #[serde(borrow)]
    pub(super) recipient: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: Raw<'a>,
    #[serde(borrow)]
    pub(super) function: Raw<'a>,
    #[serde(rename = "internal_chat_message_metadata_passthrough", borrow)]
    pub(super) stamp: Raw<'a>,
}

/// What Codex stamps on items about their origin.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Stamp<'a> {
    #[serde(borrow)]
    pub(super) turn_id: Text<'a>,
    #[serde(borrow)]
    pub(super) content_item_kinds: Vec<Text<'a>>,
}

/// A tool call in chat form.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChatCall<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) function: Raw<'a>,
}

/// `event_msg` of every type, and the `item` of `item_completed`: their fields united. What is
/// bulky stays raw, because most of these records only mirror a response item.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    // `id` is the item's, `call_id` the event's name for the same thing.
    #[serde(borrow, alias = "callId", alias = "call_id")]
    pub(super) id: Text<'a>,
    #[serde(borrow, alias = "turnId")]
    pub(super) turn_id: Text<'a>,
    #[serde(borrow)]
    pub(super) item: Raw<'a>,
    #[serde(borrow)]
    pub(super) message: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) summary_text: Raw<'a>,
    #[serde(borrow)]
    pub(super) raw_content: Raw<'a>,
    #[serde(borrow)]
    pub(super) fragments: Content<'a>,
    // `kind` says what an old user message, a sub-agent activity or an extension is.
    #[serde(rename = "kind", borrow)]
    pub(super) sort: Text<'a>,
    #[serde(borrow)]
    pub(super) images: Raw<'a>,
    #[serde(borrow)]
    pub(super) local_images: Raw<'a>,
    #[serde(borrow)]
    pub(super) info: Raw<'a>,
    #[serde(borrow)]
    pub(super) reason: Text<'a>,
    #[serde(borrow)]
    pub(super) error: Raw<'a>,
    #[serde(borrow)]
    pub(super) last_agent_message: Text<'a>,
    pub(super) duration_ms: Maybe<u64>,
    #[serde(borrow)]
    pub(super) duration: Raw<'a>,
    pub(super) exit_code: Maybe<i64>,
    pub(super) success: Maybe<bool>,
    #[serde(borrow)]
    pub(super) status: Raw<'a>,
    #[serde(borrow)]
    pub(super) source: Text<'a>,
    #[serde(borrow)]
    pub(super) command: Raw<'a>,
    #[serde(borrow)]
    pub(super) aggregated_output: Raw<'a>,
    #[serde(borrow)]
    pub(super) stdout: Raw<'a>,
    #[serde(borrow)]
    pub(super) stderr: Raw<'a>,
    #[serde(borrow)]
    pub(super) changes: Raw<'a>,
    #[serde(borrow)]
    pub(super) invocation: Raw<'a>,
    #[serde(borrow)]
    pub(super) server: Text<'a>,
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    #[serde(borrow)]
    pub(super) tool: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow)]
    pub(super) result: Raw<'a>,
    #[serde(borrow)]
    pub(super) content_items: Raw<'a>,
    #[serde(borrow)]
    pub(super) query: Text<'a>,
    #[serde(borrow)]
    pub(super) action: Raw<'a>,
    #[serde(borrow)]
    pub(super) results: Raw<'a>,
    #[serde(borrow, alias = "saved_path")]
    pub(super) path: Text<'a>,
    #[serde(borrow)]
    pub(super) prompt: Text<'a>,
    #[serde(borrow, alias = "agent_thread_id")]
    pub(super) new_thread_id: Text<'a>,
    #[serde(borrow)]
    pub(super) new_agent_nickname: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_path: Text<'a>,
    #[serde(borrow)]
    pub(super) receiver_thread_ids: Raw<'a>,
    #[serde(borrow)]
    pub(super) thread_settings: Raw<'a>,
    #[serde(borrow, alias = "threadName")]
    pub(super) thread_name: Text<'a>,
    #[serde(borrow)]
    pub(super) goal: Raw<'a>,
    pub(super) num_turns: Maybe<u64>,
    #[serde(borrow)]
    pub(super) review_output: Raw<'a>,
    #[serde(borrow)]
    pub(super) user_facing_hint: Text<'a>,
}
