//! What waits for an answer between two events, and how events bring it.

use super::answer::{self, Outcome};
use super::permission::Calls;
use super::reply::{self, Reply};
use super::reply_share;
use super::reply_words::{contains, fold};
use super::rows::{self, Moment, Rows};
use super::tool::{self, Asks};
use super::{brief, plan, told};
use crate::beat::Beat;
use backstory_model::{
    Decision, DecisionForm, DecisionKind, DecisionState, EventKind, Flavor, Role,
};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Calls and messages that may wait at a time; the oldest stay open for good.
const WAITING: usize = 16;
/// Bytes of a question's id.
const ID_MAX: usize = 64;

/// How a question gets its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    /// By the result of its call.
    #[default]
    Result,
    /// By the human's next words.
    Words,
    /// By the human's next words, which are yes or no.
    Approval,
    /// It has one; the human's next words are the reason.
    Reason,
}

/// The questions of one event that wait.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Open {
    seq: u32,
    parts: Vec<u16>,
    way: Way,
    #[serde(skip_serializing_if = "is_zero")]
    call: u64,
    /// The ids answers are filed under.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ids: Vec<String>,
    /// Answers that are not for keeping.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<u16>,
    /// The human spoke since, but gave no answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    put_off: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What is remembered between two events; bounded and small.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Waiting {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<Open>,
    #[serde(skip_serializing_if = "Calls::is_empty")]
    calls: Calls,
    /// The plan in a file that was not put up yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<String>,
}

impl Waiting {
    /// Takes the next event; gives what was decided by it, each on one line.
    pub(crate) fn event(&mut self, beat: &Beat<'_>, marker: &str, rows: &mut Rows) -> Vec<String> {
        let event = beat.event;
        if event.is_sidechain {
            return Vec::new();
        }
        let mut settled = Vec::new();
        if event.role == Role::Assistant && event.kind != EventKind::Thinking {
            // The agent goes on: the human said no more to their no.
            self.open.retain(|open| open.way != Way::Reason);
        }
        match event.kind {
            EventKind::AssistantMsg if event.role == Role::Assistant => {
                self.message(beat, marker, rows);
            }
            EventKind::Decision
            | EventKind::ToolCall
            | EventKind::TestRun
            | EventKind::Edit
            | EventKind::Retry
                if event.role == Role::Assistant =>
            {
                self.call(beat, marker, rows);
            }
            EventKind::Lifecycle if is_codex_plan(beat) => self.codex_plan(beat, rows),
            _ => {}
        }
        if event.role != Role::Assistant && event.call_id.is_some() {
            self.result(beat, rows, &mut settled);
        }
        self.permission(beat, rows);
        if is_stop(beat) {
            self.stop(beat, rows);
        } else if let Some(words) = human_words(beat).filter(|_| !self.open.is_empty()) {
            self.words(&reply::heard(words), beat, rows, &mut settled);
        }
        settled
    }

    fn wait(&mut self, open: Open) {
        if self.open.len() >= WAITING {
            self.open.remove(0);
        }
        self.open.push(open);
    }

    /// Something the agent says.
    fn message(&mut self, beat: &Beat<'_>, marker: &str, rows: &mut Rows) {
        let mut parts = Vec::new();
        for row in brief::read(beat.text, marker) {
            let part = row.part;
            if rows.add(asked_by(row, beat)) {
                parts.push(part);
            }
        }
        if !parts.is_empty() {
            self.wait(Open { seq: beat.seq(), parts, way: Way::Words, ..Open::default() });
        }
    }

    /// Something the agent calls.
    fn call(&mut self, beat: &Beat<'_>, marker: &str, rows: &mut Rows) {
        let Some(asks) = beat.event.tool.as_deref().and_then(tool::asks) else {
            if beat.is_call() {
                self.calls.note(beat);
                self.draft = plan::in_file(&beat.event.files, beat.text).or(self.draft.take());
            }
            return;
        };
        let call = beat.event.call_id.as_deref().map_or(0, |id| xxh3_64(id.as_bytes()));
        // The input may come after the call.
        let empty = self.open.iter().position(|open| open.call == call && open.parts.is_empty());
        let known = empty.filter(|_| call != 0).map(|at| self.open.remove(at));
        let mut open = known.unwrap_or_else(|| Open { seq: beat.seq(), call, ..Open::default() });
        match asks {
            Asks::Plan => {
                let plan = Some(plan::in_call(beat.text)).filter(|plan| !plan.is_empty());
                let plan = plan.or(self.draft.take()).unwrap_or_default();
                if rows.add(asked_by(plan::row(&plan), beat)) {
                    open.parts.push(0);
                }
            }
            Asks::Question => ask(&mut open, beat, marker, rows),
        }
        self.wait(open);
    }

    /// Codex asks for approval of a plan in a dialog that is not logged.
    fn codex_plan(&mut self, beat: &Beat<'_>, rows: &mut Rows) {
        if rows.add(asked_by(plan::row(beat.text), beat)) {
            let open =
                Open { seq: beat.seq(), parts: vec![0], way: Way::Approval, ..Open::default() };
            self.wait(open);
        }
    }

    /// What came back from a call.
    fn result(&mut self, beat: &Beat<'_>, rows: &mut Rows, settled: &mut Vec<String>) {
        let Some(id) = beat.event.call_id.as_deref().map(|id| xxh3_64(id.as_bytes())) else {
            return;
        };
        let Some(at) = self.open.iter().position(|open| open.way == Way::Result && open.call == id)
        else {
            return;
        };
        if !ends_call(beat) {
            return;
        }
        let open = self.open.remove(at);
        if !answer_call(&open, beat, rows) {
            rows.withdraw(open.seq);
            return;
        }
        let is_stopped = |part: &u16| {
            rows.get(open.seq, *part).is_some_and(|row| row.state == DecisionState::Interrupted)
        };
        if open.parts.iter().any(is_stopped) {
            // The human's next words may still answer it.
            self.wait(Open { way: Way::Words, ..open.clone() });
        }
        for part in &open.parts {
            if let Some(row) = rows.get(open.seq, *part)
                && row.state == DecisionState::Answered
            {
                settled.push(told(row));
            }
        }
    }

    /// A call the human permitted or refused.
    fn permission(&mut self, beat: &Beat<'_>, rows: &mut Rows) {
        let Some(row) = self.calls.told(beat) else { return };
        let (seq, is_bare) = (row.seq, row.free_text.is_none() && row.chosen == [1]);
        if let Some(known) = rows.get(seq, 0) {
            // Told before, by another record; this one may have the words.
            known.free_text =
                known.free_text.take().or(row.free_text.as_deref().and_then(rows::free));
            return;
        }
        if !rows.add(row) {
            return;
        }
        // In Codex the reason of a no is what the human says next.
        if is_bare && beat.event.session_uid.flavor() == Some(Flavor::Codex) {
            self.wait(Open { seq, parts: vec![0], way: Way::Reason, ..Open::default() });
        }
    }

    /// The human stopped the agent.
    fn stop(&mut self, beat: &Beat<'_>, rows: &mut Rows) {
        let moment = moment(beat);
        self.open.retain(|open| {
            for part in &open.parts {
                let Some(row) = rows.get(open.seq, *part) else { continue };
                if row.state == DecisionState::Open && !open.put_off {
                    rows::settle(row, DecisionState::Interrupted, moment);
                }
            }
            true
        });
        for open in &mut self.open {
            // The human's next words may still answer it.
            if open.way == Way::Result {
                open.way = Way::Words;
            }
        }
    }

    /// The human says something.
    fn words(&mut self, words: &str, beat: &Beat<'_>, rows: &mut Rows, settled: &mut Vec<String>) {
        let is_prompt = beat.prompt().is_some();
        let waiting = std::mem::take(&mut self.open);
        // Nobody answers the tool any more once the human writes a prompt.
        let is_due = |open: &Open| open.way == Way::Words || open.way == Way::Result && is_prompt;
        let any_fresh = waiting.iter().any(|open| is_due(open) && !open.put_off);
        let mut turn: Vec<(u32, u16)> = Vec::new();
        for open in waiting {
            match open.way {
                Way::Words if any_fresh && open.put_off && !is_named(&open, words, rows) => {
                    self.open.push(open);
                }
                Way::Words | Way::Result if is_due(&open) => {
                    turn.extend(open.parts.iter().map(|part| (open.seq, *part)));
                }
                Way::Words | Way::Result => self.open.push(open),
                Way::Approval if reply::delays(words) => self.open.push(open),
                Way::Approval => {
                    if let Some(row) = rows.get(open.seq, 0) {
                        settled.extend(hear_plan(row, words, moment(beat)));
                    }
                }
                Way::Reason => {
                    if let Some(row) = rows.get(open.seq, 0) {
                        row.free_text = rows::free(words);
                    }
                }
            }
        }
        self.hear(words, &turn, beat, rows, settled);
    }

    /// Shares the human's words among the briefs whose turn it is.
    fn hear(
        &mut self,
        words: &str,
        turn: &[(u32, u16)],
        beat: &Beat<'_>,
        rows: &mut Rows,
        settled: &mut Vec<String>,
    ) {
        let asked: Vec<Decision> =
            turn.iter().filter_map(|(seq, part)| rows.get(*seq, *part).cloned()).collect();
        let replies = reply_share::share(words, &asked.iter().collect::<Vec<_>>());
        for (row, reply) in asked.iter().zip(&replies) {
            let Some(row) = rows.get(row.seq, row.part) else { continue };
            let is_plain = matches!(reply, Reply::Chosen(..) | Reply::Free(_, true));
            let reply = match (row.form, reply) {
                // Words beside a tool's question answer it only if they name an option.
                (DecisionForm::Tool, Reply::Free(..)) => &Reply::Skipped,
                (_, reply) => reply,
            };
            let is_stopped = row.state == DecisionState::Interrupted;
            if is_stopped && (!is_plain || *reply == Reply::Skipped)
                || *reply == Reply::Later && row.state != DecisionState::Open
            {
                continue;
            }
            if *reply == Reply::Later {
                self.put_off(row.seq, row.part);
                continue;
            }
            reply::settle(row, reply);
            let state = row.state;
            rows::settle(row, state, moment(beat));
            if state == DecisionState::Answered {
                settled.push(told(row));
            }
        }
    }

    fn put_off(&mut self, seq: u32, part: u16) {
        match self.open.iter_mut().find(|open| open.seq == seq) {
            Some(open) => open.parts.push(part),
            None => self.wait(Open {
                seq,
                parts: vec![part],
                way: Way::Words,
                put_off: true,
                ..Open::default()
            }),
        }
    }
}

/// Completes the row of a plan; gives what was decided.
fn hear_plan(row: &mut Decision, words: &str, moment: Moment) -> Option<String> {
    let before = row.state;
    plan::hear(row, words);
    let state = row.state;
    if state != before {
        rows::settle(row, state, moment);
    }
    (state == DecisionState::Answered).then(|| told(row))
}

/// True if words name a brief by its number.
fn is_named(open: &Open, words: &str, rows: &mut Rows) -> bool {
    open.parts.iter().any(|part| {
        let header = rows.get(open.seq, *part).map(|row| row.header.to_lowercase());
        header.is_some_and(|header| !header.is_empty() && contains(&fold(words), &header))
    })
}

fn moment(beat: &Beat<'_>) -> Moment {
    Moment { seq: beat.seq(), at: beat.event.ts }
}

fn asked_by(row: Decision, beat: &Beat<'_>) -> Decision {
    Decision { seq: beat.seq(), asked_at: beat.event.ts, ..row }
}

/// Reads the questions of a call.
fn ask(open: &mut Open, beat: &Beat<'_>, marker: &str, rows: &mut Rows) {
    for asked in tool::read(beat.text, marker) {
        let part = asked.row.part;
        let row = Decision { seq: open.seq, asked_at: beat.event.ts, ..asked.row };
        if !rows.add(row) {
            continue;
        }
        open.parts.push(part);
        let id: String = asked.id.chars().take(ID_MAX).collect();
        open.ids.push(id);
        if asked.secret {
            open.secrets.push(part);
        }
    }
}

/// True if an event is the result of its call, and not something said while it runs.
fn ends_call(beat: &Beat<'_>) -> bool {
    matches!(
        beat.event.kind,
        EventKind::Decision
            | EventKind::ToolResult
            | EventKind::Error
            | EventKind::HumanIntervention
    )
}

/// Completes the rows of a call; false if nobody was asked.
fn answer_call(open: &Open, beat: &Beat<'_>, rows: &mut Rows) -> bool {
    let text = beat.text;
    let moment = moment(beat);
    if let Some(row) = rows.get(open.seq, 0).filter(|row| row.kind == DecisionKind::Plan) {
        if !plan::answer(row, text) {
            return false;
        }
        let state = row.state;
        if state != DecisionState::Open {
            rows::settle(row, state, moment);
        }
        rows.name(open.seq, 0);
        return true;
    }
    let state = match answer::outcome(text) {
        Outcome::NeverAsked => return false,
        Outcome::Stopped => Some((DecisionState::Interrupted, None)),
        Outcome::Dismissed(words) => Some((DecisionState::Skipped, words)),
        Outcome::Told => None,
    };
    if let Some((state, words)) = state {
        for part in &open.parts {
            if let Some(row) = rows.get(open.seq, *part) {
                row.free_text.clone_from(&words);
                rows::settle(row, state, moment);
            }
        }
        return true;
    }
    let asked: Vec<Decision> =
        open.parts.iter().filter_map(|part| rows.get(open.seq, *part).cloned()).collect();
    let given = answer::given(text, &asked.iter().collect::<Vec<_>>(), &open.ids);
    let cut_short = answer::was_interrupted(text);
    for (row, given) in asked.iter().zip(given) {
        let Some(row) = rows.get(row.seq, row.part) else { continue };
        match given {
            Some(given) => answer::apply(row, given),
            None => row.state = DecisionState::Skipped,
        }
        if cut_short && row.state == DecisionState::Skipped {
            row.state = DecisionState::Interrupted;
        }
        if open.secrets.contains(&row.part) {
            row.free_text = None;
        }
        let state = row.state;
        rows::settle(row, state, moment);
    }
    true
}

/// The plan of Codex's plan mode; others use the word for a list of what is to be done.
fn is_codex_plan(beat: &Beat<'_>) -> bool {
    beat.event.tool.as_deref() == Some("plan")
        && beat.event.session_uid.flavor() == Some(Flavor::Codex)
        && !beat.text.trim().is_empty()
}

/// The human's words; records of the harness in the human's name are none.
fn human_words<'a>(beat: &Beat<'a>) -> Option<&'a str> {
    let is_record = beat.event.kind == EventKind::HumanIntervention
        && (beat.text.trim_start().starts_with('{') || beat.event.call_id.is_some());
    beat.human_words().filter(|words| !is_record && !words.is_empty())
}

/// True if the human stopped the turn.
fn is_stop(beat: &Beat<'_>) -> bool {
    if beat.event.kind != EventKind::HumanIntervention || beat.event.role != Role::User {
        return false;
    }
    let text = beat.text.trim_start();
    beat.is_interrupt()
        || text.starts_with('{')
            && (text.contains("\"cancelled\"") || text.contains("\"interrupted\""))
            && !text.contains("permission_resolved")
}
