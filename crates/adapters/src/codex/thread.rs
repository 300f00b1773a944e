//! What is remembered of a thread between lines, and how its events are placed: into the thread's
//! own session, into the session they were copied from, or nowhere when they are stored there.

use super::calls::Calls;
use super::lineage::{Lineage, Place};
use super::tokens::Tokens;
use super::turns::{Identity, Turns};
use crate::{Ancestry, Batch, EventDraft, RetryTracker, SessionIx, SessionPatch};
use backstory_model::{EventKey, EventKind, Flavor, Role, SessionUid, Timestamp};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The line being mapped and where its records go.
pub(super) struct Cx<'b> {
    pub(super) out: &'b mut Batch,
    pub(super) ancestry: &'b mut dyn Ancestry,
    pub(super) ts: Option<Timestamp>,
    pub(super) ordinal: Option<u64>,
    /// The line itself, for records of unknown type.
    pub(super) raw: &'b [u8],
}

/// An event to be yielded, apart from its payload.
pub(super) struct Note<'a> {
    pub(super) identity: Identity<'a>,
    pub(super) kind: EventKind,
    pub(super) role: Role,
    pub(super) tool: &'a str,
    pub(super) call_id: &'a str,
    pub(super) native_id: &'a str,
    pub(super) summary: &'a str,
    pub(super) exit_code: Option<i32>,
    pub(super) duration_ms: Option<u64>,
    pub(super) files: Vec<Cow<'a, str>>,
    pub(super) parent: Option<EventKey>,
}

impl<'a> Note<'a> {
    /// A note with only its identity and kind.
    pub(super) fn new(identity: Identity<'a>, kind: EventKind, role: Role) -> Self {
        Self {
            identity,
            kind,
            role,
            tool: "",
            call_id: "",
            native_id: "",
            summary: "",
            exit_code: None,
            duration_ms: None,
            files: Vec::new(),
            parent: None,
        }
    }

    /// Bookkeeping under its native name.
    pub(super) fn lifecycle(identity: Identity<'a>, name: &'a str) -> Self {
        Self { tool: name, ..Self::new(identity, EventKind::Lifecycle, Role::System) }
    }
}

/// The task a thread is working on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Task {
    /// Between its start and its end.
    pub(super) running: bool,
    /// Prompts met since it started.
    pub(super) prompts: u32,
    /// Inside a review, whose prompts the harness writes.
    pub(super) review: bool,
}

/// Whether this is the record a fork writes before its first turn, after what it copied.
fn is_settings(identity: Identity<'_>) -> bool {
    matches!(identity, Identity::InTurn("thread_settings_applied", _))
}

/// What was already told of the thread's own session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Told {
    pub(super) cwd: bool,
    pub(super) title: bool,
}

/// What is remembered of a thread. Bounded, whatever the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Thread {
    /// Its id.
    pub(super) id: String,
    /// True once its own head was met.
    pub(super) has_head: bool,
    /// True for a sub-agent's thread.
    pub(super) is_subagent: bool,
    /// True when its token totals go on from another thread's.
    pub(super) inherits: bool,
    pub(super) cli_version: Option<String>,
    /// The model in use.
    pub(super) model: Option<String>,
    pub(super) told: Told,
    pub(super) task: Task,
    /// Kinds of compaction records met since the last conversation; see [`Thread::compaction`].
    pub(super) compaction: u8,
    pub(super) lineage: Lineage,
    pub(super) turns: Turns,
    pub(super) calls: Calls,
    pub(super) retry: RetryTracker,
    pub(super) tokens: Tokens,
}

impl Thread {
    /// The thread's own session.
    pub(super) fn uid(&self) -> SessionUid {
        SessionUid::new(Flavor::Codex, &self.id)
    }

    /// The thread's own session in the batch.
    pub(super) fn session(&self, out: &mut Batch) -> SessionIx {
        out.session(&self.uid())
    }

    /// Ends copied regions that are over when this line comes.
    pub(super) fn cross(&mut self, cx: &Cx<'_>, turn_id: &str, settings: bool) {
        let ms = cx.ts.map(|ts| ts.0);
        let place = Place { turn_id, ordinal: cx.ordinal, ms, settings };
        for _ in 0..self.lineage.left_by(&self.id, place) {
            self.leave_copy();
        }
    }

    fn leave_copy(&mut self) {
        self.lineage.leave();
        self.turns.restart();
        self.compaction = 0;
    }

    /// Leaves all copied history.
    pub(super) fn leave_all_copies(&mut self) {
        while self.lineage.is_copying() {
            self.leave_copy();
        }
    }

    /// Yields an event unless it is stored with the thread it was copied from; `true` if it is
    /// this thread's own.
    pub(super) fn emit(
        &mut self,
        cx: &mut Cx<'_>,
        note: &Note<'_>,
        payload: impl FnOnce(&mut String),
    ) -> bool {
        let talk = note.kind.is_conversation();
        if talk {
            self.compaction = 0;
        }
        let (session, key) = self.place(cx, note.identity, talk);
        if talk {
            self.lineage.talked();
        }
        let Some(session) = session else { return false };
        let own = !self.lineage.is_copying() || session == self.uid();
        let out = &mut *cx.out;
        let mut draft = EventDraft::new(out.session(&session), key, note.kind, note.role);
        draft.parent = note.parent;
        draft.native_id = out.opt_text(Some(note.native_id));
        // Copied lines carry the time of the copy.
        draft.ts = cx.ts.filter(|_| own);
        draft.tool = out.opt_text(Some(note.tool));
        draft.call_id = out.opt_text(Some(note.call_id));
        draft.summary = out.opt_text(Some(note.summary));
        draft.exit_code = note.exit_code;
        draft.duration_ms = note.duration_ms;
        draft.files = note.files.iter().map(|file| out.text(file)).collect();
        draft.is_sidechain = own && self.is_subagent;
        draft.payload = out.text_with(payload);
        out.event(draft);
        own
    }

    /// Whose event this is (`None`: stored already) and its key there.
    fn place(
        &mut self,
        cx: &mut Cx<'_>,
        identity: Identity<'_>,
        talk: bool,
    ) -> (Option<SessionUid>, EventKey) {
        while let Some(owner) = self.lineage.owner() {
            let uid = owner.uid();
            if !owner.known {
                return (Some(uid), self.turns.take(identity));
            }
            let key = self.turns.key(identity);
            let stored = cx.ancestry.has_event(&uid, key)
                || (!talk && self.stored_with_another(cx, key))
                || self.lineage.is_surely_copied(cx.ordinal);
            if stored {
                self.turns.take(identity);
                return (None, key);
            }
            if self.lineage.is_dated() && !is_settings(identity) {
                // The owner's own file was not read as far as the copy goes, or not at all.
                return (Some(uid), self.turns.take(identity));
            }
            if !talk {
                // Bookkeeping the thread itself wrote before its first words.
                break;
            }
            self.leave_copy();
        }
        (Some(self.uid()), self.turns.take(identity))
    }

    fn stored_with_another(&self, cx: &mut Cx<'_>, key: EventKey) -> bool {
        let owners = self.lineage.owners();
        owners.iter().any(|owner| owner.known && cx.ancestry.has_event(&owner.uid(), key))
    }

    /// Yields knowledge about the thread as a whole.
    pub(super) fn patch(&mut self, cx: &mut Cx<'_>, patch: SessionPatch) {
        let session = self.session(cx.out);
        cx.out.patch(session, patch);
    }

    /// Keeps the line as of unknown type.
    pub(super) fn unknown(&self, cx: &mut Cx<'_>, type_name: &str) {
        cx.out.unknown(type_name, self.cli_version.as_deref(), cx.raw);
    }

    /// Takes up the model of a turn; yields it when it changed.
    pub(super) fn use_model(&mut self, cx: &mut Cx<'_>, model: &str) {
        match self.lineage.owner() {
            None => self.use_own_model(cx, model),
            Some(owner) if owner.known || model.is_empty() => {}
            Some(owner) => {
                let session = cx.out.session(&owner.uid());
                let model = Some(model.to_owned());
                cx.out.patch(session, SessionPatch { model, ..SessionPatch::default() });
            }
        }
    }

    /// Takes up a model of the thread itself.
    pub(super) fn use_own_model(&mut self, cx: &mut Cx<'_>, model: &str) {
        if model.is_empty() || self.model.as_deref() == Some(model) {
            return;
        }
        self.model = Some(model.to_owned());
        self.patch(cx, SessionPatch { model: self.model.clone(), ..SessionPatch::default() });
    }

    /// Takes up the first working directory known.
    pub(super) fn use_cwd(&mut self, cx: &mut Cx<'_>, cwd: &str) {
        if cwd.is_empty() || self.told.cwd || self.lineage.is_copying() {
            return;
        }
        self.told.cwd = true;
        self.patch(cx, SessionPatch { cwd: Some(cwd.to_owned()), ..SessionPatch::default() });
    }
}
