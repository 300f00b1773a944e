//! What is found and read.

use serde::Serialize;
use utoipa::ToSchema;

/// What an agent is to be told about a prompt.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct ContextAnswer {
    /// The things, the most relevant first.
    pub entries: Vec<ContextEntry>,
    /// The same as one text; empty if nothing is relevant.
    pub rendered: String,
    /// A shortened text, if a model made one: always empty.
    pub digest: String,
    /// How it came about.
    pub stats: ContextStats,
}

/// One thing an agent is to be told.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ContextEntry {
    /// Its address.
    pub uri: String,
    /// What kind of thing.
    pub category: String,
    /// How relevant, 0 to 1.
    pub score: f64,
    /// How much of it the text is.
    pub detail: &'static str,
    /// The text.
    pub text: String,
    /// `self`.
    pub origin: &'static str,
}

/// How an answer came about.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct ContextStats {
    /// Entries told.
    pub returned: usize,
    /// Things looked at.
    pub considered: usize,
    /// Tokens of the text.
    pub used_tokens: u32,
    /// `off`: no model took part.
    pub rewrite: &'static str,
}

/// What is remembered about a query, as a list.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct ListAnswer {
    /// Memories.
    pub memories: Vec<ListItem>,
    /// Documents, where they are asked for.
    pub resources: Vec<ListItem>,
    /// Skills, where they are asked for.
    pub skills: Vec<ListItem>,
    /// How many there are.
    pub total: usize,
}

/// One of them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ListItem {
    /// `memory`, `resource` or `skill`.
    pub context_type: &'static str,
    /// Its address.
    pub uri: String,
    /// 2: it can be read.
    pub level: u8,
    /// How relevant, 0 to 1.
    pub score: f64,
    /// The text.
    #[serde(rename = "abstract")]
    pub gist: String,
    /// The text.
    pub overview: String,
    /// What kind of thing.
    pub category: String,
    /// Why it was chosen.
    pub match_reason: String,
}

/// An answer of either kind.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum SearchAnswer {
    /// For `mode: context`.
    Context(ContextAnswer),
    /// For every other.
    List(ListAnswer),
}

/// Something in a folder.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FileEntry {
    /// Its name.
    pub name: String,
    /// Its address.
    pub uri: String,
    /// It is a folder.
    #[serde(rename = "isDir")]
    pub is_dir: bool,
    /// Its path below the folder that was asked for.
    pub rel_path: String,
    /// Bytes.
    pub size: u64,
    /// What it is, in a line.
    #[serde(rename = "abstract")]
    pub gist: String,
}

/// The skills there are.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Skills {
    /// In order of their names.
    pub skills: Vec<Skill>,
    /// How many there are.
    pub total: usize,
}

/// A skill.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// Its address.
    pub uri: String,
    /// What it is for.
    pub description: String,
}

/// Lines a pattern was found in.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct GrepAnswer {
    /// The lines.
    pub matches: Vec<GrepMatch>,
    /// How many.
    pub count: usize,
}

/// One line.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GrepMatch {
    /// Where.
    pub uri: String,
    /// Its number, from 1.
    pub line: u64,
    /// The line.
    pub content: String,
}

/// What was uploaded.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Uploaded {
    /// What `add_resource` takes it by, within a day.
    pub temp_file_id: String,
}
