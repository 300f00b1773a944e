//! One line of a file of posted messages.

use serde::{Deserialize, Serialize};

/// The words that stand for an image.
pub const IMAGE: &str = "[image]";

/// A line. Lines are appended and never changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first: whose messages follow.
    Session(Opening),
    /// Something said or done.
    Message(Message),
    /// A stretch that was closed.
    Seal(Seal),
    /// What the plugin wants done by itself.
    Policy(Policy),
}

/// The beginning of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// Version of the shape.
    pub v: u32,
    /// The id the plugin chose.
    pub id: String,
    /// When it was first heard of, milliseconds since 1970.
    pub at: i64,
}

/// One message as it was posted, secrets redacted and injected context taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Message {
    /// Its id, unique in the session.
    pub id: String,
    /// `user` or `assistant`.
    pub role: String,
    /// When it happened, or when it came.
    pub at: i64,
    /// What the plugin takes for the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// Hash of what makes it the same message when it is posted again.
    pub key: u64,
    /// True if the key holds the id of a tool call, which no other message has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sure: bool,
    /// True if the plugin itself said when it happened.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub told: bool,
    /// Its length in tokens, estimated.
    pub tokens: u32,
    /// What it consists of.
    pub parts: Vec<Part>,
}

/// A part of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Part {
    /// Words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Joins a call and its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// `pending`, `running`, `completed` or `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What the tool was given, as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl Part {
    /// True for a tool call or its result.
    pub fn is_tool(&self) -> bool {
        self.tool_id.is_some() || self.tool.is_some() || self.output.is_some()
    }

    /// True for the result of a tool call, with or without the call.
    pub fn is_answer(&self) -> bool {
        self.output.is_some() || matches!(self.status.as_deref(), Some("completed" | "error"))
    }
}

/// A closed stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seal {
    /// 1, 2, 3 …
    pub number: u32,
    /// When.
    pub at: i64,
    /// Why: `asked`, `threshold`, `idle`.
    pub reason: String,
    /// How many messages of the session it and those before it cover.
    pub through: u64,
    /// How many of the latest messages were left open.
    pub keep: u64,
    /// One line.
    #[serde(rename = "abstract")]
    pub gist: String,
    /// The account of everything up to here, in Markdown.
    pub overview: String,
}

/// What is done without being asked, as far as the plugin said; the text is what is known of the plugin's JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// When it was said.
    pub at: i64,
    /// Its JSON.
    pub json: String,
}
