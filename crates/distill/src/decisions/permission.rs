//! Calls the human was asked to permit.

use super::answer;
use crate::beat::Beat;
use crate::clip;
use backstory_model::{
    Decision, DecisionForm, DecisionKind, DecisionOption, DecisionState, EventKind, Flavor, Role,
};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Calls that are remembered.
const CALLS: usize = 16;
/// Bytes of what a call does.
const WHAT_MAX: usize = 200;
/// The bookkeeping that tells of an answer.
const RESOLVED: &str = "permission_resolved";
const COMPLETED: &str = "tool_completed";
/// The shortest time in which a human answers, in milliseconds; rules answer at once.
const HUMAN_MS: u64 = 150;

/// A call that may be asked about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    /// Hash of its id.
    id: u64,
    seq: u32,
    ts: Option<i64>,
    tool: String,
    what: String,
}

/// The latest calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Calls(Vec<Call>);

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Remembers a call.
    pub(super) fn note(&mut self, beat: &Beat<'_>) {
        let event = beat.event;
        let Some(id) = event.call_id.as_deref() else { return };
        let tool = event.tool.as_deref().unwrap_or_default();
        let what = match (&beat.command, event.files.first()) {
            (Some(command), _) => clip::line(command, WHAT_MAX),
            (None, Some(file)) => clip::line(&format!("{tool} {file}"), WHAT_MAX),
            (None, None) => clip::line(tool, WHAT_MAX),
        };
        if self.0.len() >= CALLS {
            self.0.remove(0);
        }
        self.0.push(Call {
            id: xxh3_64(id.as_bytes()),
            seq: event.seq,
            ts: event.ts.map(|ts| ts.0),
            tool: clip::line(tool, 60),
            what,
        });
    }

    /// The question an event tells of that the human was asked about a call, with the answer.
    pub(super) fn told(&self, beat: &Beat<'_>) -> Option<Decision> {
        let event = beat.event;
        if event.kind == EventKind::Lifecycle
            || event.kind == EventKind::HumanIntervention && event.role == Role::User
        {
            return self.by_record(beat);
        }
        if event.role != Role::Tool || !is_refused(beat) {
            return None;
        }
        let call = self.by_id(event.call_id.as_deref()?)?;
        Some(row(call, false, answer::reason(beat.text), beat))
    }

    /// The harness's own record of an answer: `permission_resolved tool allow`.
    fn by_record(&self, beat: &Beat<'_>) -> Option<Decision> {
        let event = beat.event;
        let name = event.tool.as_deref().filter(|name| matches!(*name, RESOLVED | COMPLETED))?;
        let summary = if beat.text.starts_with('{') { &event.summary } else { beat.text };
        let words: Vec<&str> = summary.split_whitespace().skip(1).collect();
        if name == COMPLETED {
            let call = self.by_id(event.call_id.as_deref()?)?;
            return words.contains(&"permission_rejected").then(|| row(call, false, None, beat));
        }
        let is_allowed = words.iter().find_map(|word| decision(word))?;
        // Rules answer at once, and say who they are where they can.
        let by_human = words.iter().any(|word| word.starts_with("user_"))
            || event.duration_ms.is_some_and(|waited| waited >= HUMAN_MS);
        if !by_human {
            return None;
        }
        let call = match event.call_id.as_deref() {
            Some(id) => self.by_id(id)?,
            None => self.by_time(words.first()?, event.ts?.0)?,
        };
        Some(row(call, is_allowed, None, beat))
    }

    fn by_id(&self, id: &str) -> Option<&Call> {
        let id = xxh3_64(id.as_bytes());
        self.0.iter().rev().find(|call| call.id == id)
    }

    fn by_time(&self, tool: &str, at: i64) -> Option<&Call> {
        let before = |call: &&Call| call.tool == tool && call.ts.is_some_and(|ts| ts <= at);
        self.0.iter().rev().find(before)
    }
}

/// True if the result of a call says that the human refused it.
fn is_refused(beat: &Beat<'_>) -> bool {
    let text = clip::head(beat.text, 600);
    match beat.event.kind {
        EventKind::HumanIntervention => answer::is_refusal(text),
        EventKind::Error if beat.event.session_uid.flavor() == Some(Flavor::Codex) => {
            text.contains("rejected by user")
                && !text.contains("rejected by user approval settings")
        }
        EventKind::Error if beat.event.session_uid.flavor() == Some(Flavor::Grok) => {
            answer::is_refusal(text)
        }
        _ => false,
    }
}

fn decision(word: &str) -> Option<bool> {
    match word {
        "allow" | "accept" | "allow_once" | "allow_always" => Some(true),
        "deny" | "reject" | "followup" => Some(false),
        _ => None,
    }
}

fn row(call: &Call, allowed: bool, words: Option<String>, beat: &Beat<'_>) -> Decision {
    let option =
        |label: &str| DecisionOption { label: label.to_owned(), ..DecisionOption::default() };
    Decision {
        seq: call.seq,
        answer_seq: Some(beat.seq()),
        asked_at: call.ts.map(backstory_model::Timestamp),
        answered_at: beat.event.ts,
        kind: DecisionKind::Permission,
        form: DecisionForm::Tool,
        state: DecisionState::Answered,
        header: call.tool.clone(),
        question: call.what.clone(),
        options: vec![option("Allow"), option("Deny")],
        chosen: vec![u16::from(!allowed)],
        free_text: words,
        confidence: 100,
        ..Decision::default()
    }
}
