//! A set on disk: logs below `home/`, and the questions.

use crate::eval::render::Rendered;
use fs_err as fs;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// Something a developer asks months later, and where the answer is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Names it in reports.
    pub id: String,
    /// The project it is asked in: the last part of its sessions' working directory.
    pub project: String,
    /// What is asked.
    pub question: String,
    /// What kind of answer is wanted.
    pub kind: Kind,
    /// True if it shares no content word with what answers it.
    pub paraphrase: bool,
    /// True for a paraphrase that shares none with anything else written for its session either:
    /// not even what the work was about is named in its words.
    #[serde(default)]
    pub blind: bool,
    /// The events that answer it: in the coding set each of them alone, in LoCoMo together.
    pub gold: Vec<Gold>,
    /// The answer in a few words.
    pub answer: String,
}

/// An event that answers a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gold {
    /// The session it is in, as `claude:<id>`.
    pub session: String,
    /// A passage of it, word for word.
    pub text: String,
    /// Its 0-based place among the session's messages, in sessions that are nothing but messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
}

impl Gold {
    /// Whether a text of an event has the passage, as it is or within JSON, as the arguments of
    /// calls are kept.
    pub fn is_in(&self, text: &str) -> bool {
        let quoted = serde_json::Value::from(self.text.as_str()).to_string();
        text.contains(&self.text) || text.contains(quoted.trim_matches('"'))
    }
}

/// What kind of answer a question wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// How something is run.
    Command,
    /// Where something lies.
    Path,
    /// What was decided.
    Decision,
    /// What was not done, and why.
    RejectedApproach,
    /// What cured a failure.
    ErrorFix,
    /// How something is set.
    Config,
    /// What something is called.
    Identifier,
    /// Why something failed.
    RootCause,
    /// LoCoMo: several turns together answer it.
    MultiHop,
    /// LoCoMo: when something happened.
    Temporal,
    /// LoCoMo: answered with knowledge of the world.
    OpenDomain,
    /// LoCoMo: one turn answers it.
    SingleHop,
    /// LoCoMo: it takes something for granted that was never said.
    Adversarial,
}

impl Kind {
    /// The kinds the coding set asks for.
    pub const CODING: [Self; 8] = [
        Self::Command,
        Self::Path,
        Self::Decision,
        Self::RejectedApproach,
        Self::ErrorFix,
        Self::Config,
        Self::Identifier,
        Self::RootCause,
    ];

    /// Reads its name in `questions.jsonl`.
    pub fn from_name(name: &str) -> Option<Self> {
        serde_json::from_value(serde_json::Value::from(name)).ok()
    }
}

/// Reads the questions of a set.
pub fn read_questions(dir: &Path) -> io::Result<Vec<Question>> {
    let text = fs::read_to_string(dir.join("questions.jsonl"))?;
    text.lines().map(|line| serde_json::from_str(line).map_err(io::Error::other)).collect()
}

/// Writes a set into a directory that has none.
pub(super) fn write(dir: &Path, sessions: &[Rendered], questions: &[Question]) -> io::Result<()> {
    let home = dir.join("home");
    if home.exists() {
        let text = format!("{} exists; remove it or choose another directory", home.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    for (name, text) in sessions.iter().flat_map(|session| &session.files) {
        let path = home.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    let mut lines = String::new();
    for question in questions {
        lines.push_str(&serde_json::to_string(question).map_err(io::Error::other)?);
        lines.push('\n');
    }
    fs::write(dir.join("questions.jsonl"), lines)
}
