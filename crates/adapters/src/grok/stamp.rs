//! Who, when and where of one record, shared by every event it gives.

use super::state::State;
use crate::{Ancestry, Batch, EventDraft, SessionIx, SessionPatch};
use backstory_model::{EventKey, EventKind, Flavor, Role, SessionUid, Timestamp};

/// What a record is read with.
pub(super) struct Desk<'r> {
    pub(super) state: &'r mut State,
    pub(super) ancestry: &'r mut dyn Ancestry,
    pub(super) out: &'r mut Batch,
}

/// Identity, time and place of a record.
pub(super) struct Stamp<'a> {
    pub(super) session: SessionIx,
    /// Native id of that session.
    pub(super) session_id: String,
    pub(super) key: EventKey,
    pub(super) event_id: Option<&'a str>,
    pub(super) ts: Option<Timestamp>,
    /// The prompt the turn began with.
    pub(super) prompt: Option<EventKey>,
    /// The record as it stands.
    pub(super) raw: &'a str,
}

impl Stamp<'_> {
    /// An event of this record.
    pub(super) fn draft(&self, kind: EventKind, role: Role, out: &mut Batch) -> EventDraft {
        let mut draft = EventDraft::new(self.session, self.key, kind, role);
        draft.parent = self.prompt;
        draft.native_id = out.opt_text(self.event_id);
        draft.ts = self.ts;
        draft
    }
}

/// The uid of a native session id.
pub(super) fn uid(native: &str) -> SessionUid {
    SessionUid::new(Flavor::Grok, native)
}

/// Tells the model of a session, where it changed.
pub(super) fn report_model(desk: &mut Desk<'_>, session: SessionIx, model: Option<&str>) {
    let Some(model) = model else { return };
    if desk.state.model.as_deref() != Some(model) {
        desk.state.model = Some(model.to_owned());
        let patch = SessionPatch { model: Some(model.to_owned()), ..SessionPatch::default() };
        desk.out.patch(session, patch);
    }
}
