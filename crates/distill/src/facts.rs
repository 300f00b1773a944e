//! What all judges need to remember between two events; bounded and saved with the session.

use crate::beat::{Beat, Status};
use crate::call::{Call, base};
use crate::change::{self, Change};
use crate::fingerprint::{Telling, telling_line};
use crate::moment::Moment;
use crate::shell::Rank;
use crate::{clip, edits, test_result, words};
use backstory_model::{EventKind, Role, SessionEvent};
use memchr::memmem;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

const PENDING: usize = 24;
const RUNNING: usize = 3;
/// How many changes are remembered.
pub(crate) const CHANGES: usize = 5;
const FAILING: usize = 3;

/// A test that failed and has not passed since.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failing {
    /// Program and subcommand.
    pub family: String,
    /// Hash of what it ran on.
    pub args: u64,
    /// First failure.
    pub seq: u32,
    /// Last failure.
    pub last: u32,
    /// When it first failed.
    pub ts: Option<i64>,
    /// How often it failed.
    pub count: u32,
    /// The command and the failing test.
    pub what: String,
    /// What names it in other sessions.
    pub name: u64,
}

/// The memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Facts {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pending: Vec<Call>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    running: Vec<(u64, Call)>,
    /// The latest changes, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<Change>,
    /// Tests that still fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<Failing>,
    /// The agent did something.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    began: bool,
}

impl Facts {
    /// Understands an event; [`Facts::settle`] must follow.
    pub(crate) fn observe<'a>(&mut self, moment: Moment<'a>) -> Beat<'a> {
        let Moment { event, text } = moment;
        let mut beat = Beat {
            event,
            text,
            call: None,
            command: None,
            status: Status::None,
            test: None,
            error: None,
            changes: Vec::new(),
            objection: false,
        };
        beat.objection =
            self.began && !event.is_sidechain && beat.human_words().is_some_and(words::objects);
        if event.kind.is_call() {
            self.observe_call(&mut beat);
        } else if event.role == Role::Tool || is_result(event.kind) && event.call_id.is_some() {
            self.observe_result(&mut beat);
        } else if event.kind == EventKind::Error {
            beat.error = telling_line(text);
        }
        beat
    }

    fn observe_call(&mut self, beat: &mut Beat<'_>) {
        let Some((mut call, command)) = Call::read(beat.event, beat.text) else { return };
        if call.edit && call.tool != "exec" {
            beat.changes = edits::read(beat.text, command.as_deref(), &beat.event.files);
            call.files = beat.changed();
            if let Some(change) = beat.changes.first() {
                let more = beat.changes.len() - 1;
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let first = if change.first.is_empty() {
                    String::new()
                } else {
                    format!(": {}", change.first)
                };
                call.note =
                    Some(clip::line(&format!("edit {}{more}{first}", base(&change.path)), 120));
            }
        }
        if call.tool == "write_stdin"
            && let Some(id) = number_after(beat.text, "session_id\":")
            && let Some((_, origin)) = self.running.iter().find(|(known, _)| *known == id)
        {
            call = Call { id: call.id, seq: call.seq, ..origin.clone() };
        }
        beat.call = Some(call);
        beat.command = command;
    }

    fn observe_result(&mut self, beat: &mut Beat<'_>) {
        let Some(id) = beat.event.call_id.as_deref().map(|id| xxh3_64(id.as_bytes())) else {
            return;
        };
        if let Some(at) = self.pending.iter().position(|call| call.id == id) {
            beat.call = Some(self.pending.remove(at));
        }
        let (event, text) = (beat.event, beat.text);
        beat.status = status(event, text);
        let Some(call) = &beat.call else {
            if beat.status == Status::Failed {
                beat.error = telling_line(text);
            }
            return;
        };
        if beat.status == Status::Running {
            if let Some(id) = number_after(clip::head(text, 600), "running with session ID ") {
                self.running.retain(|(known, _)| *known != id);
                if self.running.len() == RUNNING {
                    self.running.remove(0);
                }
                self.running.push((id, call.clone()));
            }
            return;
        }
        let ended = (&call.shown, call.args);
        self.running.retain(|(_, known)| (&known.shown, known.args) != ended);
        if call.is_test() {
            beat.test = Some(judge_test(call, beat.status, event, text));
        }
        if beat.status == Status::Failed {
            beat.error = telling_line(text);
        } else if beat.status == Status::Ok && call.masked && call.rank >= Rank::Build as u8 {
            let failed = match &beat.test {
                Some(test) if test.passed.is_some() => test.passed == Some(false),
                _ => true,
            };
            if failed {
                beat.error = telling_line(text).filter(|(telling, _)| *telling >= Telling::Exact);
                if beat.error.is_some() {
                    beat.status = Status::SoftFailed;
                }
            }
        }
    }

    /// Takes what the event changed.
    pub(crate) fn settle(&mut self, beat: Beat<'_>) {
        if beat.prompt().is_some() {
            // What was not answered before the human speaks again never will be.
            self.pending.clear();
        }
        self.began |= beat.is_call() || beat.event.kind == EventKind::AssistantMsg;
        if beat.is_call() {
            if let Some(call) = beat.call.filter(|call| call.id != 0) {
                push(&mut self.pending, call, PENDING);
            }
            return;
        }
        self.settle_test(&beat);
        if beat.status != Status::Ok {
            return;
        }
        if let Some(change) = beat.answered().and_then(|call| change::of(call, beat.seq())) {
            push(&mut self.changes, change, CHANGES);
        }
    }

    /// The remembered changes behind an event.
    pub(crate) fn changes_since(&self, seq: u32) -> &[Change] {
        let from = self.changes.partition_point(|change| change.seq <= seq);
        &self.changes[from..]
    }

    /// Forgets changes nobody can need any more: those before everything still watched.
    pub(crate) fn prune(&mut self, watched: Option<u32>) {
        let failing = self.failing.iter().map(|failing| failing.last).min();
        let since = watched.into_iter().chain(failing).min();
        self.changes.retain(|change| since.is_some_and(|since| change.seq > since));
    }

    fn settle_test(&mut self, beat: &Beat<'_>) {
        let Some((call, passed)) = beat.test_verdict() else { return };
        if passed {
            self.failing.retain(|failing| !call.covers(&failing.family, failing.args));
            return;
        }
        let seq = beat.seq();
        let same =
            |failing: &&mut Failing| failing.family == call.family && failing.args == call.args;
        if let Some(known) = self.failing.iter_mut().find(same) {
            known.last = seq;
            known.count += 1;
            return;
        }
        let culprit = beat.test.as_ref().and_then(|test| test.failing.as_deref());
        let what = culprit
            .map_or_else(|| call.shown.clone(), |name| format!("{name} in `{}`", call.shown));
        let name = culprit.unwrap_or(&call.shown);
        let failing = Failing {
            family: call.family.clone(),
            args: call.args,
            seq,
            last: seq,
            ts: beat.event.ts.map(|ts| ts.0),
            count: 1,
            what: clip::line(&what, 160),
            name: xxh3_64(name.as_bytes()),
        };
        push(&mut self.failing, failing, FAILING);
    }

    /// Calls without a result, by the event that made them.
    pub(crate) fn unanswered(&self) -> Option<&Call> {
        self.pending.last()
    }
}

fn push<T>(window: &mut Vec<T>, item: T, max: usize) {
    if window.len() == max {
        window.remove(0);
    }
    window.push(item);
}

fn is_result(kind: EventKind) -> bool {
    matches!(kind, EventKind::ToolResult | EventKind::Error)
}

fn status(event: &SessionEvent, text: &str) -> Status {
    match event.kind {
        EventKind::HumanIntervention => return Status::Denied,
        EventKind::Error => return Status::Failed,
        EventKind::ToolResult => {}
        _ => return Status::None,
    }
    if event.exit_code.is_some_and(|code| code != 0) {
        return Status::Failed;
    }
    let start = clip::head(text, 600).as_bytes();
    let runs =
        ["running with session ID ", "running in background with ID", "Script running with cell"];
    if runs.iter().any(|mark| memmem::find(start, mark.as_bytes()).is_some()) {
        return Status::Running;
    }
    let scripted = event.tool.as_deref() == Some("exec");
    if scripted
        && number_after(clip::head(text, clip::LOOK_BYTES), "\"exit_code\":")
            .is_some_and(|code| code != 0)
    {
        return Status::Failed;
    }
    Status::Ok
}

/// The exit code decides unless another command's stands in its place; then the output does.
fn judge_test(
    call: &Call,
    status: Status,
    event: &SessionEvent,
    text: &str,
) -> test_result::TestResult {
    let mut result = test_result::read(text);
    let trusted = !call.masked && event.exit_code.is_some();
    match status {
        Status::Failed => result.passed = Some(false),
        Status::Ok if trusted => result.passed = Some(true),
        _ => {}
    }
    result
}

fn number_after(text: &str, mark: &str) -> Option<u64> {
    let at = memmem::find(text.as_bytes(), mark.as_bytes())? + mark.len();
    let rest = text[at..].trim_start();
    let end = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..end].parse().ok()
}
