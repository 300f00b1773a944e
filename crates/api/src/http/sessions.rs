//! Pushed sessions.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What came of posting messages.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Added {
    /// The session.
    pub session_id: String,
    /// Its messages that are not sealed.
    pub message_count: u64,
    /// Messages that were new.
    pub added: u64,
    /// Messages that were stored before.
    pub duplicates: u64,
    /// Messages that held nothing but injected context.
    pub ignored: u64,
    /// Tokens the next commit would close.
    pub pending_tokens: u64,
}

/// How a session stands.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionInfo {
    /// The session.
    pub session_id: String,
    /// Its address in the archive.
    pub session_uid: String,
    /// When it was first heard of.
    pub created_at: String,
    /// When its last message happened.
    pub updated_at: String,
    /// Its messages that are not sealed.
    pub message_count: u64,
    /// All its messages.
    pub total_message_count: u64,
    /// How often it was sealed.
    pub commit_count: u32,
    /// Tokens the next commit would close.
    pub pending_tokens: u64,
    /// Tokens of all its messages.
    pub total_tokens: u64,
    /// What the plugin wants done by itself.
    #[schema(value_type = Option<Object>)]
    pub auto_commit_policy: Option<Value>,
    /// An idle session is sealed by itself.
    pub auto_commit_idle_enabled: bool,
}

/// What came of a commit.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Committed {
    /// The session.
    pub session_id: String,
    /// `accepted` or `skipped`.
    pub status: &'static str,
    /// The task of the commit, which is done already.
    pub task_id: Option<String>,
    /// Where the account of it is.
    pub archive_uri: Option<String>,
    /// A stretch was closed.
    pub archived: bool,
    /// Why not.
    pub reason: Option<&'static str>,
    /// The number of the request.
    pub trace_id: String,
}

/// A task; whatever is asked of the server is done when it answers.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Task {
    /// Its id.
    pub task_id: String,
    /// `completed`.
    pub status: &'static str,
}

/// What an agent needs to take a session up again.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionContext {
    /// The account of everything up to the last commit; empty if there is none, or no room for it.
    pub latest_archive_overview: String,
    /// Always empty: the overview tells everything.
    pub pre_archive_abstracts: Vec<String>,
    /// The latest messages behind it.
    pub messages: Vec<ContextMessage>,
    /// Tokens of all that.
    #[serde(rename = "estimatedTokens")]
    pub estimated_tokens: u64,
    /// What was told and what was not.
    pub stats: SessionStats,
}

/// What was told of a session and what was not.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStats {
    /// Commits there were.
    pub total_archives: usize,
    /// Commits whose account is told.
    pub included_archives: usize,
    /// Commits whose account did not fit.
    pub dropped_archives: usize,
    /// Always 0.
    pub failed_archives: usize,
    /// Tokens of the messages.
    pub active_tokens: u64,
    /// Tokens of the account.
    pub archive_tokens: u64,
}

/// A message as it is kept.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ContextMessage {
    /// Its id.
    pub id: String,
    /// `user` or `assistant`.
    pub role: String,
    /// When it happened, or came.
    pub created_at: String,
    /// What it consists of.
    pub parts: Vec<ContextPart>,
}

/// A part of a message.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct ContextPart {
    /// `text` or `tool`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Joins a call and its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// `pending`, `running`, `completed` or `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_status: Option<String>,
    /// What the tool was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub tool_input: Option<Value>,
    /// What it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_output: Option<String>,
}

/// What came of beginning a session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Created {
    /// The session.
    pub session_id: String,
    /// When it was first heard of.
    pub created_at: String,
    /// What the plugin wants done by itself.
    #[schema(value_type = Option<Object>)]
    pub auto_commit_policy: Option<Value>,
    /// An idle session is sealed by itself.
    pub auto_commit_idle_enabled: bool,
}

/// What was removed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Removed {
    /// The session.
    pub session_id: String,
    /// There was something.
    pub removed: bool,
}

/// A closed stretch.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Archive {
    /// `archive_001` and so on.
    pub archive_id: String,
    /// When.
    pub created_at: String,
    /// One line.
    #[serde(rename = "abstract")]
    pub gist: String,
    /// The account of everything up to it.
    pub overview: String,
}
