//! Questions in numbers, and what seems to be a preference: `decisions stats|suggested|accept --json`.

use serde::Serialize;

/// All questions in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionStats {
    /// Times something was asked.
    pub asked: u64,
    /// Times there was an answer.
    pub answered: u64,
    /// Times nobody answered yet.
    pub open: u64,
    /// Times it was passed over, or the agent stopped.
    pub unanswered: u64,
    /// Answers to questions with a recommendation.
    pub advised: u64,
    /// Those that took it.
    pub followed: u64,
    /// The share of those, from 0 to 1.
    pub followed_share: Option<f64>,
    /// How long the human took to answer in the median.
    pub median_latency_ms: Option<i64>,
    /// Suggested preferences nothing was said to yet.
    pub suggested: usize,
    /// Every question, the most frequent first.
    pub questions: Vec<QuestionStats>,
}

/// One question in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionStats {
    /// Its id.
    pub question_id: String,
    /// As it was asked last.
    pub question: String,
    /// Times it was asked.
    pub asked: u64,
    /// Times there was an answer.
    pub answered: u64,
    /// Answers where something was recommended.
    pub advised: u64,
    /// Those that took it.
    pub followed: u64,
    /// The answer given most often…
    pub answer: Option<String>,
    /// …and how often.
    pub times: u64,
    /// When it was asked last.
    pub last: Option<String>,
}

/// A question that is always answered alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Preference {
    /// What `accept` and `reject` take.
    pub id: String,
    /// The question's id.
    pub question_id: String,
    /// The question.
    pub question: String,
    /// What is answered.
    pub answer: String,
    /// How often in a row.
    pub times: usize,
    /// The repository, if the same question is not answered so elsewhere.
    pub repo: Option<String>,
    /// When it was answered last.
    pub last: Option<String>,
    /// Where, the latest first.
    pub addresses: Vec<String>,
}

/// What `decisions import --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HubImport {
    /// Decisions new to the archive.
    pub new: u64,
    /// Those that say something else than before.
    pub changed: u64,
    /// Those that were there, word for word.
    pub known: u64,
    /// Those of sessions forgotten here; they stay out.
    pub forgotten: u64,
    /// Entries that could not be understood.
    pub bad: u64,
}

/// What was said to a suggestion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PreferenceVerdict {
    /// The suggestion.
    pub id: String,
    /// `accepted`, `rejected` or `reset`.
    pub verdict: &'static str,
    /// The memory that was written, or removed.
    pub memory: Option<String>,
}
