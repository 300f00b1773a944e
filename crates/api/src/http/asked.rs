//! What plugins post.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What is of another type than expected counts as not said.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).ok())
}

/// Tells null from what was not said.
fn said<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// One message.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct AddMessage {
    /// `user` or `assistant`.
    #[serde(deserialize_with = "lenient")]
    pub role: Option<String>,
    /// Its words; older plugins send nothing else.
    pub content: Value,
    /// What it consists of: `{"type": "text", "text"}` and `{"type": "tool", "tool_id", "tool_name",
    /// "tool_status", "tool_input", "tool_output"}`. Wins over `content`.
    pub parts: Value,
    /// What the plugin takes for the project.
    #[serde(deserialize_with = "lenient")]
    pub peer_id: Option<String>,
    /// When it happened.
    pub created_at: Value,
}

/// Several messages.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct AddMessages {
    /// The messages, in order.
    pub messages: Vec<AddMessage>,
}

/// Closing a stretch of a session.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CommitAsk {
    /// So many of the latest messages stay open.
    #[serde(deserialize_with = "lenient")]
    pub keep_recent_count: Option<u64>,
}

/// Beginning a session.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateAsk {
    /// Its id; one is made up if none is given.
    #[serde(deserialize_with = "lenient")]
    pub session_id: Option<String>,
    /// When the session is sealed by itself: once `pending_token_threshold` tokens or
    /// `message_count_threshold` messages wait for it, of which `keep_recent_count` stay open, or once
    /// nothing was heard for `idle_timeout_seconds`. 0 switches one of them off, null all. What is not said
    /// is as usual: no thresholds, and the server's own idle time.
    #[serde(deserialize_with = "said")]
    #[schema(value_type = Option<Object>)]
    pub auto_commit_policy: Option<Value>,
}

/// Changing how a session is kept.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConfigureAsk {
    /// When the session is sealed by itself, as when it was begun. What is not said stays as it is.
    #[serde(deserialize_with = "said")]
    #[schema(value_type = Option<Object>)]
    pub auto_commit_policy: Option<Value>,
}

/// Looking for what is remembered.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SearchAsk {
    /// The prompt.
    #[serde(deserialize_with = "lenient")]
    pub query: Option<String>,
    /// `context` for what an agent is to be told, else a list.
    #[serde(deserialize_with = "lenient")]
    pub mode: Option<String>,
    /// The session that asks: it is not told of itself.
    #[serde(deserialize_with = "lenient")]
    pub session_id: Option<String>,
    /// Only below this address: `viking://resources`, `viking://~/skills` or a session. Below
    /// `viking://~/memories` is everything that is remembered, of sessions too.
    #[serde(deserialize_with = "lenient")]
    pub target_uri: Option<String>,
    /// At most so many.
    #[serde(deserialize_with = "lenient")]
    pub limit: Option<u64>,
    /// At most so many tokens of a context, up to 32,000; 1,500 characters if neither this nor `max_chars`
    /// is said.
    #[serde(deserialize_with = "lenient")]
    pub max_tokens: Option<u64>,
    /// At most so many characters of a context.
    #[serde(deserialize_with = "lenient")]
    pub max_chars: Option<u64>,
    /// Only what has at least this score. Nothing is told that has less than 0.35.
    #[serde(deserialize_with = "lenient")]
    pub score_threshold: Option<f64>,
    /// The same, as older plugins call it.
    #[serde(deserialize_with = "lenient")]
    pub min_score: Option<f64>,
    /// At most so many of a category. Memories are of the category their folder is named after:
    /// `events`, `entities`, `preferences`, `experiences`, `resources`, `skills`. What is known from sessions
    /// is of none of them.
    #[serde(deserialize_with = "lenient")]
    pub quotas: Option<BTreeMap<String, u64>>,
    /// What was told within so many prompts is not told again.
    #[serde(deserialize_with = "lenient")]
    pub dedup_turns: Option<u64>,
    /// Addresses that are not wanted.
    #[serde(deserialize_with = "lenient")]
    pub exclude_uris: Option<Vec<String>>,
    /// `all` for other projects too.
    #[serde(deserialize_with = "lenient")]
    pub peer_scope: Option<String>,
}

/// Looking for a pattern.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct GrepAsk {
    /// Below this address.
    #[serde(deserialize_with = "lenient")]
    pub uri: Option<String>,
    /// A regular expression.
    #[serde(deserialize_with = "lenient")]
    pub pattern: Option<String>,
    /// In whatever case.
    #[serde(deserialize_with = "lenient")]
    pub case_insensitive: Option<bool>,
    /// At most so many matches.
    #[serde(deserialize_with = "lenient")]
    pub node_limit: Option<u64>,
}
