//! A line of `question-log.jsonl`: `decisions export`. Fields without a value are left out.

use serde::Serialize;

/// A question and its answer, in the fields other tools read, and ours behind them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LoggedQuestion {
    /// The skill that asked; `unknown` where none is known.
    pub skill: String,
    /// The same text wherever the same question is asked. `hook-` and ten hex digits are the beginning of
    /// the SHA-1 of `skill::question::options`, the options sorted and joined by `|`.
    pub question_id: String,
    /// What was asked, on one line of at most 200 characters.
    pub question_summary: String,
    /// `approval` for plans and permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<&'static str>,
    /// How many answers were offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options_count: Option<usize>,
    /// What was chosen, in at most 64 characters; `__unknown__` if nobody answered.
    pub user_choice: String,
    /// What was recommended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// Whether that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed_recommendation: Option<bool>,
    /// What the human said in words of their own, in at most 300 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_text: Option<String>,
    /// The agent's own id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// When it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ts: Option<String>,
    /// How it was recognised.
    pub source: String,
    /// Where the agent worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The session of Codex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codex_session_id: Option<String>,
    /// Where Codex worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codex_cwd: Option<String>,
    /// When Codex asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codex_ts: Option<String>,
    /// `question`, `plan` or `permission`.
    pub kind: &'static str,
    /// `open`, `answered`, `skipped` or `interrupted`.
    pub state: String,
    /// How certain question and answer are, in percent.
    pub confidence: u8,
    /// How long the human took to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<i64>,
    /// The question as it was asked.
    pub question: String,
    /// The answers that were offered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The project: worktrees of one repository share it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The name of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The session; with `seq` and `part` it is what tells two rows apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_uid: Option<String>,
    /// The event that asks.
    pub seq: u32,
    /// Which of its questions it is.
    pub part: u16,
    /// What the hub that recorded it calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Why it was decided so, if somebody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

/// What `decisions export --out FILE --json` prints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QuestionLog {
    /// The file.
    pub out: String,
    /// Rows it did not have.
    pub added: u64,
    /// Rows that say something else since.
    pub updated: u64,
    /// Rows it had.
    pub known: u64,
}
