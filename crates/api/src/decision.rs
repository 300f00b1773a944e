//! A question an agent put to the human, and the answer: `decisions --json`.

use crate::time;
use backstory_model::{Flavor, Timestamp};
use serde::Serialize;

/// One row of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The same text wherever the same question is asked.
    pub question_id: String,
    /// `question`, `plan` or `permission`.
    pub kind: &'static str,
    /// `open`, `answered`, `skipped` or `interrupted`.
    pub state: &'static str,
    /// How it was recognised, e.g. `claude-tool`, `codex-import-marker`, `codex-import-pattern`, `hub`.
    pub source: String,
    /// How certain question and answer are, in percent.
    pub confidence: u8,
    /// True if a preference may be kept under the id.
    pub is_preference_key: bool,
    /// A short name for it.
    pub header: String,
    /// The question.
    pub question: String,
    /// The skill that asked.
    pub skill: String,
    /// The answers that were offered.
    pub options: Vec<DecisionOption>,
    /// What the human said in words of their own.
    pub free_text: Option<String>,
    /// Question and answer on one line each.
    pub asked: String,
    /// What came of it.
    pub answer: String,
    /// Whether the human did what was recommended; nothing if nothing was, or nobody answered.
    pub followed_recommendation: Option<bool>,
    /// When it was asked.
    pub asked_at: Option<String>,
    /// When it was answered.
    pub answered_at: Option<String>,
    /// How long the human took to answer; nothing if they did not.
    pub latency_ms: Option<i64>,
    /// The session it was asked in; nothing for what a hub recorded.
    pub session_uid: Option<String>,
    /// Where it was asked.
    pub address: String,
    /// Which of the questions asked there it is, from 0.
    pub part: u16,
    /// Where it was answered.
    pub answer_address: Option<String>,
    /// Project.
    pub project: Option<String>,
    /// Repository.
    pub repo: Option<String>,
    /// Working directory.
    pub cwd: Option<String>,
    /// What the hub that recorded it calls it.
    pub origin: Option<String>,
    /// Why it was decided so, if somebody said.
    pub rationale: Option<String>,
}

/// One of the answers that were offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecisionOption {
    /// Its letter or number; may be empty.
    pub key: String,
    /// What is chosen.
    pub label: String,
    /// What was said about it.
    pub description: String,
    /// True for the one that was recommended.
    pub recommended: bool,
    /// True if it was chosen.
    pub chosen: bool,
}

impl Decision {
    /// What is in the decision itself; where it was made is for the caller to say.
    pub fn new(
        decision: &backstory_model::Decision,
        flavor: Option<Flavor>,
        at: Option<Timestamp>,
    ) -> Self {
        let options = decision.options.iter().zip(0..).map(|(option, place)| DecisionOption {
            key: option.key.clone(),
            label: option.label.clone(),
            description: option.description.clone(),
            recommended: decision.recommended == Some(place),
            chosen: decision.chosen.contains(&place),
        });
        Self {
            question_id: decision.question_id.clone(),
            kind: decision.kind.name(),
            state: decision.state.name(),
            source: decision.source(flavor),
            confidence: decision.confidence,
            is_preference_key: decision.is_preference_key(),
            header: decision.header.clone(),
            question: decision.question.clone(),
            skill: decision.skill.clone(),
            options: options.collect(),
            free_text: decision.free_text.clone(),
            asked: String::new(),
            answer: String::new(),
            followed_recommendation: decision.followed(),
            asked_at: decision.asked_at.or(at).map(time),
            answered_at: decision.answered_at.map(time),
            latency_ms: decision.latency_ms(),
            session_uid: None,
            address: String::new(),
            part: decision.part,
            answer_address: None,
            project: None,
            repo: None,
            cwd: None,
            origin: None,
            rationale: None,
        }
    }
}
