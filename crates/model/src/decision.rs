//! A question an agent put to the human, and the answer.

use crate::{Flavor, Timestamp};
use serde::{Deserialize, Serialize};

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
    /// Whether the human did what was recommended; nothing if nothing was, or nobody answered.
    pub fn followed(&self) -> Option<bool> {
        let recommended = self.recommended?;
        (self.state == DecisionState::Answered)
            .then(|| self.chosen == [recommended] && self.free_text.is_none())
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

    /// How long the human took, in milliseconds.
    pub fn latency_ms(&self) -> Option<i64> {
        Some((self.answered_at?.0 - self.asked_at?.0).max(0))
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
