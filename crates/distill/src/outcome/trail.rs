//! The last of everything that leaves an end open.

use super::story::Story;
use crate::beat::{Beat, Status};
use crate::clip;
use backstory_model::{EventKind, Role};
use serde::{Deserialize, Serialize};

/// Bytes kept of last words, as evidence.
const WORDS: usize = 80;
/// Bytes of either end of the agent's words that are handed out.
const EXCERPT: usize = 800;

/// The agent's last words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agent {
    /// Where.
    pub seq: u32,
    /// The words, cut.
    pub words: String,
    /// Beginning and end of the words, until they are handed out at rest: only the last are kept.
    #[serde(skip)]
    unread: String,
}

/// Where the human spoke last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Human {
    /// Where.
    pub seq: u32,
}

/// What is remembered; every number is the seq of the last such event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Trail {
    /// What the outcome is judged by.
    pub story: Story,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human: Option<Human>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denial: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_failure: Option<u32>,
    /// The human typed a goodbye to the program.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    leaving: bool,
    /// The session works with git.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub git: bool,
}

impl Trail {
    /// Takes the next event.
    pub(crate) fn event(&mut self, beat: &Beat<'_>) {
        let seq = Some(beat.seq());
        if let Some(text) = beat.human_words() {
            self.leaving = is_goodbye(text);
        }
        let is_interrupt =
            beat.event.kind == EventKind::HumanIntervention && beat.event.role != Role::Tool;
        // A goodbye is meant for the program, and who has said it interrupts nothing.
        if self.leaving && (is_interrupt || beat.human_words().is_some()) {
            return;
        }
        self.story.event(beat);
        if beat.human_words().is_some() {
            self.human = Some(Human { seq: beat.seq() });
            return;
        }
        match beat.event.kind {
            EventKind::AssistantMsg if !beat.text.trim().is_empty() => {
                let mut unread = self.agent.take().map_or_else(String::new, |agent| agent.unread);
                unread.clear();
                excerpt(beat.text, &mut unread);
                self.agent = Some(Agent { seq: beat.seq(), words: closing(beat.text), unread });
            }
            EventKind::HumanIntervention if beat.event.role == Role::Tool => self.denial = seq,
            EventKind::HumanIntervention => self.interrupt = seq,
            EventKind::Error if beat.is_api_failure() => self.api_failure = seq,
            _ => self.work(beat),
        }
    }

    fn work(&mut self, beat: &Beat<'_>) {
        let seq = Some(beat.seq());
        if beat.is_call() {
            self.call = seq;
            return;
        }
        if beat.status == Status::None {
            return;
        }
        self.result = seq;
        let Some(call) = beat.answered() else { return };
        if beat.status != Status::Ok {
            return;
        }
        if call.edit {
            self.edit = seq;
        }
        if call.commit().is_some() {
            self.commit = seq;
        }
        self.git |= call.family.starts_with("git ") && call.is_telling();
    }

    /// Hands the agent's last words out, once.
    pub(crate) fn rest(&mut self) -> Option<(u32, String)> {
        let agent = self.agent.as_mut().filter(|agent| !agent.unread.is_empty())?;
        Some((agent.seq, std::mem::take(&mut agent.unread)))
    }
}

/// Words meant for the program, not for the agent.
fn is_goodbye(text: &str) -> bool {
    let lower = text.trim().to_ascii_lowercase();
    matches!(
        lower.as_str(),
        "exit" | "quit" | ":q" | ":wq" | "/exit" | "/quit" | "/clear" | "logout"
    )
}

/// Beginning and end of a text.
fn excerpt(text: &str, out: &mut String) {
    let text = text.trim();
    if text.len() <= 2 * EXCERPT {
        out.push_str(text);
    } else {
        out.push_str(clip::head(text, EXCERPT));
        out.push('\n');
        out.push_str(clip::tail(text, EXCERPT));
    }
}

/// The sentence a message ends with, or its only line.
pub(super) fn closing(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let last = lines.next_back().filter(|line| line.ends_with('?'));
    clip::line(last.unwrap_or(first), WORDS)
}
