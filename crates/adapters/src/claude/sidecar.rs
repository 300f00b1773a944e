//! Small files beside a transcript: what a sub-agent was started for, and outputs too large for
//! the transcript.

use super::lenient::Text;
use super::paths::NameHint;
use super::reader::reason;
use super::state::{agent_uid, root_uid, usable_id};
use super::wire::AgentMeta;
use crate::{Ancestry, Batch, EventDraft, Reader, SessionPatch, TitleRank, json};
use backstory_model::{EventKey, EventKind, Role, SessionUid, summarize};
use std::path::Path;

/// Reads `agent-<id>.meta.json`.
pub(super) struct MetaReader {
    hint: NameHint,
}

impl MetaReader {
    /// A reader for one file.
    pub(super) fn new(path: &Path) -> Self {
        Self { hint: NameHint::of(path) }
    }
}

impl Reader for MetaReader {
    fn begin(&mut self, _head: &[u8]) {}

    fn record(&mut self, bytes: &[u8], _ancestry: &mut dyn Ancestry, out: &mut Batch) {
        let (Some(root), Some(agent)) = (&self.hint.root, &self.hint.agent) else {
            return out.bad("no session in the path", bytes);
        };
        if json::is_too_deep(bytes) {
            return out.bad("nested too deeply", bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        let meta = match sonic_rs::from_str::<AgentMeta<'_>>(&text) {
            Ok(meta) => meta,
            Err(error) => return out.bad(reason(&error), bytes),
        };
        let mut title = String::new();
        summarize(meta.description.as_str(), &mut title);
        let session = out.session(&agent_uid(root, agent));
        let patch = SessionPatch {
            parent: Some(match usable_id(meta.parent_agent_id.as_str()) {
                Some(parent) => agent_uid(root, parent),
                None => root_uid(root),
            }),
            parent_call_id: owned(&meta.tool_use_id),
            agent_name: owned(&meta.agent_type),
            title: (!title.is_empty()).then_some((TitleRank::Summary, title)),
            ..SessionPatch::default()
        };
        out.patch(session, patch);
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _saved: &[u8]) -> bool {
        true
    }
}

fn owned(text: &Text<'_>) -> Option<String> {
    usable_id(text.as_str()).map(str::to_owned)
}

/// Reads `tool-results/<call id>.txt`.
pub(super) struct OverflowReader {
    session: Option<SessionUid>,
    call_id: String,
}

impl OverflowReader {
    /// A reader for one file.
    pub(super) fn new(path: &Path) -> Self {
        let hint = NameHint::of(path);
        Self { session: hint.root.as_deref().map(root_uid), call_id: hint.stem }
    }
}

impl Reader for OverflowReader {
    fn begin(&mut self, _head: &[u8]) {}

    fn record(&mut self, bytes: &[u8], _ancestry: &mut dyn Ancestry, out: &mut Batch) {
        let Some(session) = &self.session else {
            return out.bad("no session in the path", bytes);
        };
        let session = out.session(session);
        let key = EventKey::of_parts(&[b"tool-results", self.call_id.as_bytes()]);
        let mut draft = EventDraft::new(session, key, EventKind::ToolResult, Role::Tool);
        draft.call_id = Some(out.text(&self.call_id));
        draft.payload = out.text(&String::from_utf8_lossy(bytes));
        out.event(draft);
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _saved: &[u8]) -> bool {
        true
    }
}
