//! The last of everything that speaks about how a session ended.

use crate::beat::{Beat, Status};
use crate::clip;
use crate::words::{self, Report, Tone};
use backstory_model::{EventKind, Role};
use serde::{Deserialize, Serialize};

/// Bytes kept of last words, as evidence.
const WORDS: usize = 80;
/// Bytes of either end of the agent's words that are looked at.
const EXCERPT: usize = 800;

/// The human's last words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Human {
    /// Where.
    pub seq: u32,
    /// How they speak of the work.
    pub tone: Tone,
    /// They want something more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// They opened the session: there was no work to speak of.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first: bool,
    /// The words, cut; the first prompt is known as the goal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
}

/// The agent's last words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Agent {
    /// Where.
    pub seq: u32,
    /// How they speak of the work.
    pub report: Report,
    /// They say that what fails is not their doing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub excuses: bool,
    /// The question they end with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// Beginning and end of the words, until they are understood at rest: only the last count.
    #[serde(skip)]
    unread: String,
}

/// What is remembered; every number is the seq of the last such event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Trail {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human: Option<Human>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<(u32, bool)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denial: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_failure: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<u32>,
    /// A question put to the human through a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<u32>,
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
            if self.leaving {
                return;
            }
            let first = self.agent.is_none() && self.call.is_none();
            self.human = Some(Human {
                seq: beat.seq(),
                tone: if first { Tone::Neutral } else { words::tone(text) },
                more: words::asks_more(text),
                first,
                words: if first { String::new() } else { clip::line(text, WORDS) },
            });
            self.question = None;
            return;
        }
        match beat.event.kind {
            EventKind::AssistantMsg if !beat.text.trim().is_empty() => {
                let agent = self.agent.get_or_insert_default();
                agent.seq = beat.seq();
                agent.unread.clear();
                excerpt(beat.text, &mut agent.unread);
            }
            EventKind::HumanIntervention if beat.event.role == Role::Tool => self.denial = seq,
            // Who has said goodbye interrupts nothing.
            EventKind::HumanIntervention if self.leaving => {}
            EventKind::HumanIntervention => self.interrupt = seq,
            EventKind::Completion => self.completion = seq,
            EventKind::Decision if beat.event.role == Role::Assistant => self.question = seq,
            EventKind::Decision => self.question = None,
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
        if self.question.is_some_and(|asked| beat.answered().is_some_and(|call| call.seq == asked))
        {
            self.question = None;
        }
        let Some(call) = beat.answered() else { return };
        if let Some((_, passed)) = beat.test_verdict() {
            self.test = Some((beat.seq(), passed));
        }
        if beat.status.is_failure() && call.is_telling() {
            self.failure = seq;
        }
        if beat.status != Status::Ok {
            return;
        }
        if call.edit {
            self.edit = seq;
        }
        if call.commit().is_some() {
            self.commit = seq;
        }
        if matches!(call.family.as_str(), "git push" | "gh pr create" | "gh pr merge") {
            self.push = seq;
        }
        self.git |= call.family.starts_with("git ") && call.is_telling();
    }

    /// Understands the agent's last words and hands them out, once.
    pub(crate) fn rest(&mut self) -> Option<(u32, String)> {
        let agent = self.agent.as_mut().filter(|agent| !agent.unread.is_empty())?;
        let text = std::mem::take(&mut agent.unread);
        agent.report = words::report(&text);
        agent.excuses = words::excuses(&text);
        let last = text.lines().next_back().unwrap_or_default();
        agent.question =
            if words::ends_asking(last) { clip::line(last, WORDS) } else { String::new() };
        Some((agent.seq, text))
    }

    /// Where the agent last did or said anything.
    pub(crate) fn agent_active(&self) -> Option<u32> {
        let words = self.agent.as_ref().map(|agent| agent.seq);
        words.max(self.call).max(self.result)
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
