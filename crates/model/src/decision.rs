//! A question an agent put to the human, and the answer.

use crate::{Flavor, Timestamp};
use serde::{Deserialize, Serialize};

/// Stands for a skill nobody named, in ids and in question logs.
const UNKNOWN_SKILL: &str = "unknown";

/// What the human was asked for. The names are stable: they are stored, printed and filtered on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum DecisionKind {
    /// To choose or to say something.
    #[default]
    Question,
    /// To approve a plan.
    Plan,
    /// To permit a call of a tool.
    Permission,
}

/// How the question was recognised.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum DecisionForm {
    /// A call of the agent's own question tool.
    #[default]
    Tool,
    /// Prose with a marker that names the question.
    Marker,
    /// Prose that has the shape of a brief.
    Pattern,
    /// Recorded elsewhere, and imported.
    Hub,
}

/// What became of the question.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum DecisionState {
    /// Nobody answered yet.
    #[default]
    Open,
    /// The human answered.
    Answered,
    /// The human declined to answer, or went on with something else.
    Skipped,
    /// The human stopped the agent while it asked.
    Interrupted,
}

/// One of the answers that were offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DecisionOption {
    /// `A` or `1` where the options of a brief are lettered or numbered; empty otherwise.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// What is chosen.
    pub label: String,
    /// What was said about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// A question and its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    /// The event that asks…
    pub seq: u32,
    /// …and which of its questions this is.
    pub part: u16,
    /// The event that answers.
    pub answer_seq: Option<u32>,
    /// When it was asked.
    pub asked_at: Option<Timestamp>,
    /// When it was answered.
    pub answered_at: Option<Timestamp>,
    /// What the human was asked for.
    pub kind: DecisionKind,
    /// How the question was recognised.
    pub form: DecisionForm,
    /// What became of it.
    pub state: DecisionState,
    /// The marker that names it, else `hook-` and a hash of skill, question and options.
    pub question_id: String,
    /// The skill that asked, as far as it is known.
    pub skill: String,
    /// A short name for it: the header of a tool's question, the `D3` of a brief.
    pub header: String,
    /// The question.
    pub question: String,
    /// The answers that were offered.
    pub options: Vec<DecisionOption>,
    /// Which of them was recommended.
    pub recommended: Option<u16>,
    /// Which of them were chosen.
    pub chosen: Vec<u16>,
    /// What the human said in words of their own.
    pub free_text: Option<String>,
    /// How certain question and answer are, in percent.
    pub confidence: u8,
}

impl Decision {
    /// Whether the human did what was recommended, whatever they said beside it; nothing if nothing was, or
    /// nobody answered.
    pub fn followed(&self) -> Option<bool> {
        let recommended = self.recommended?;
        (self.state == DecisionState::Answered).then(|| self.chosen == [recommended])
    }

    /// The skill a hashed id is made with: the one that asked, as far as it is known.
    pub fn named_skill(&self) -> &str {
        if self.skill.is_empty() { UNKNOWN_SKILL } else { &self.skill }
    }

    /// True if the same id is the same question: only then a preference may be kept under it.
    pub fn is_preference_key(&self) -> bool {
        self.form != DecisionForm::Pattern && self.kind == DecisionKind::Question
    }

    /// The labels of what was chosen.
    pub fn choice(&self) -> impl Iterator<Item = &str> {
        let option = |at: &u16| self.options.get(usize::from(*at));
        self.chosen.iter().filter_map(option).map(|option| option.label.as_str())
    }

    /// How long the human took to answer, in milliseconds; nothing if they did not.
    pub fn latency_ms(&self) -> Option<i64> {
        let (asked, answered) = (self.asked_at?, self.answered_at?);
        let is_answered = self.state == DecisionState::Answered;
        is_answered.then(|| answered.0.saturating_sub(asked.0).max(0))
    }

    /// Where the row came from, as ledgers name it: `claude-tool`, `codex-import-marker`, `hub`.
    pub fn source(&self, flavor: Option<Flavor>) -> String {
        let agent = flavor.map_or("unknown", Flavor::name);
        match self.form {
            DecisionForm::Tool => format!("{agent}-tool"),
            DecisionForm::Marker => format!("{agent}-import-marker"),
            DecisionForm::Pattern => format!("{agent}-import-pattern"),
            DecisionForm::Hub => "hub".to_owned(),
        }
    }
}

macro_rules! named {
    ($kind:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        impl $kind {
            /// Every one, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The one of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

named!(DecisionKind { Question = "question", Plan = "plan", Permission = "permission" });
named!(DecisionForm { Tool = "tool", Marker = "marker", Pattern = "pattern", Hub = "hub" });
named!(DecisionState {
    Open = "open",
    Answered = "answered",
    Skipped = "skipped",
    Interrupted = "interrupted",
});

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(chosen: &[u16], said: Option<&str>) -> Decision {
        Decision {
            state: DecisionState::Answered,
            recommended: Some(1),
            chosen: chosen.to_vec(),
            free_text: said.map(str::to_owned),
            ..Decision::default()
        }
    }

    #[test]
    fn advice_is_followed_whatever_is_said_beside_it() {
        assert_eq!(answered(&[1], None).followed(), Some(true));
        assert_eq!(answered(&[1], Some("but only for new users")).followed(), Some(true));
        assert_eq!(answered(&[0], None).followed(), Some(false));
        assert_eq!(answered(&[0, 1], None).followed(), Some(false));
        assert_eq!(answered(&[], Some("neither")).followed(), Some(false));
        let open = Decision { state: DecisionState::Open, ..answered(&[], None) };
        assert_eq!(open.followed(), None);
    }

    #[test]
    fn only_an_answer_takes_time() {
        let took = |state: DecisionState, asked: i64, answered: i64| {
            let (asked, answered) = (Some(Timestamp(asked)), Some(Timestamp(answered)));
            Decision { state, asked_at: asked, answered_at: answered, ..Decision::default() }
                .latency_ms()
        };
        assert_eq!(took(DecisionState::Answered, 5, 25), Some(20));
        assert_eq!(took(DecisionState::Answered, 25, 5), Some(0));
        assert_eq!(took(DecisionState::Answered, i64::MIN, i64::MAX), Some(i64::MAX));
        for state in [DecisionState::Open, DecisionState::Skipped, DecisionState::Interrupted] {
            assert_eq!(took(state, 5, 25), None, "{state:?}");
        }
    }
}
