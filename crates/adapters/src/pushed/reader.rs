//! Posted messages → records.

use super::line::{Line, Message, Part};
use super::names;
use crate::json::readable;
use crate::{
    Ancestry, Batch, EventDraft, Reader, RetryTracker, SessionIx, SessionPatch, TitleRank,
    classify_call,
};
use backstory_model::{EventKey, EventKind, Remark, Role, Timestamp, remark};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the saved state; another one is not taken up.
const SAVED_VERSION: u8 = 2;
/// The name of a command to the agent itself, as its log has it.
const COMMAND: &str = "slash-command";

/// What is remembered between two reads.
#[derive(Default, Serialize, Deserialize)]
struct State {
    version: u8,
    id: String,
    is_known: bool,
    has_peer: bool,
    has_title: bool,
    retries: RetryTracker,
}

/// Reads the messages of one session.
pub(super) struct PushedReader {
    state: State,
}

impl PushedReader {
    pub(super) fn new(path: &Path) -> Self {
        let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        Self { state: State { version: SAVED_VERSION, id, ..State::default() } }
    }

    fn message(&mut self, message: &Message, out: &mut Batch) {
        let session = out.session(&names::any_uid_of(&self.state.id));
        if !std::mem::replace(&mut self.state.is_known, true)
            && let Some(parent) = names::parent_of(&self.state.id)
        {
            out.patch(session, SessionPatch { parent: Some(parent), ..SessionPatch::default() });
        }
        if let Some(peer) = message.peer.clone().filter(|_| !self.state.has_peer) {
            self.state.has_peer = true;
            out.patch(session, SessionPatch { peer: Some(peer), ..SessionPatch::default() });
        }
        for (at, part) in message.parts.iter().enumerate() {
            let place = Place { session, message, at };
            if part.is_tool() {
                self.tool(&place, part, out);
            } else if let Some(text) = part.text.as_deref().filter(|text| !text.trim().is_empty()) {
                self.words(&place, text, out);
            }
        }
    }

    fn words(&mut self, place: &Place<'_>, text: &str, out: &mut Batch) {
        let is_command = place.message.role == "user" && remark(text) == Remark::Command;
        let (kind, role) = match place.message.role.as_str() {
            "assistant" => (EventKind::AssistantMsg, Role::Assistant),
            "user" if !is_command => (EventKind::UserMsg, Role::User),
            _ => (EventKind::Lifecycle, Role::System),
        };
        // A word of assent is no description of the work.
        let describes = kind == EventKind::UserMsg && remark(text).can_name();
        if describes && !std::mem::replace(&mut self.state.has_title, true) {
            let title = Some((TitleRank::Prompt, text.to_owned()));
            out.patch(place.session, SessionPatch { title, ..SessionPatch::default() });
        }
        let mut draft = place.draft("text", kind, role);
        draft.tool = out.opt_text(is_command.then_some(COMMAND));
        draft.payload = out.text(text);
        out.event(draft);
    }

    /// A part may be a call, its result, or both at once.
    fn tool(&mut self, place: &Place<'_>, part: &Part, out: &mut Batch) {
        let is_answer = part.is_answer();
        let tool = part.tool.as_deref().unwrap_or("tool");
        let id = part.tool_id.as_deref().unwrap_or_default();
        if part.input.is_some() || !is_answer {
            let input = part.input.as_deref().unwrap_or_default();
            let class = classify_call(tool, Some(input));
            let kind = self.state.retries.call(id, tool, input.as_bytes(), class);
            let mut draft = place.draft("call", kind, Role::Assistant);
            draft.payload = out.text(input);
            draft.tool = out.opt_text(Some(tool));
            draft.call_id = out.opt_text(Some(id));
            out.event(draft);
        }
        if is_answer {
            let failed = part.status.as_deref() == Some("error");
            self.state.retries.result(id, failed);
            let kind = if failed { EventKind::Error } else { EventKind::ToolResult };
            let mut draft = place.draft("result", kind, Role::Tool);
            draft.payload = out.text(part.output.as_deref().unwrap_or_default());
            draft.tool = out.opt_text(Some(tool));
            draft.call_id = out.opt_text(Some(id));
            draft.duration_ms = part.duration_ms;
            out.event(draft);
        }
    }
}

/// Where an event stands.
struct Place<'a> {
    session: SessionIx,
    message: &'a Message,
    at: usize,
}

impl Place<'_> {
    fn draft(&self, what: &str, kind: EventKind, role: Role) -> EventDraft {
        let at = (self.at as u64).to_le_bytes();
        let key =
            EventKey::of_parts(&[b"pushed", self.message.id.as_bytes(), what.as_bytes(), &at]);
        let mut draft = EventDraft::new(self.session, key, kind, role);
        draft.ts = (self.message.at > 0).then_some(Timestamp(self.message.at));
        draft
    }
}

impl Reader for PushedReader {
    fn begin(&mut self, head: &[u8]) {
        let first = head.split(|byte| *byte == b'\n').next().and_then(readable);
        if let Some(Ok(Line::Session(opening))) = first.map(sonic_rs::from_str::<Line>) {
            self.state.id = opening.id;
        }
    }

    fn record(&mut self, bytes: &[u8], _ancestry: &mut dyn Ancestry, out: &mut Batch) {
        match readable(bytes).map(sonic_rs::from_str::<Line>) {
            Some(Ok(Line::Message(message))) => self.message(&message, out),
            Some(Ok(Line::Session(_) | Line::Seal(_) | Line::Policy(_))) => {}
            Some(Err(_)) if crate::is_complete(bytes) => out.unknown("line", None, bytes),
            _ => out.bad("not readable as JSON", bytes),
        }
    }

    fn save(&self) -> Vec<u8> {
        sonic_rs::to_vec(&self.state).unwrap_or_default()
    }

    fn restore(&mut self, saved: &[u8]) -> bool {
        match sonic_rs::from_slice::<State>(saved) {
            Ok(state) if state.version == SAVED_VERSION => {
                self.state = state;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
