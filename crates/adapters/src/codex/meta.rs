//! Heads: `session_meta`, and the first line or object of the older dialects.

use super::lineage::Owner;
use super::thread::{Cx, Note, Thread};
use super::turns::{Identity, digest};
use super::wire::{Detail, Meta, Text, raw_str, read};
use crate::SessionPatch;
use backstory_model::{EventKey, Flavor, SessionUid, Timestamp};

/// Where a thread comes from.
#[derive(Default)]
struct Origin {
    is_subagent: bool,
    parent: Option<String>,
    forked_from: Option<String>,
    agent_name: Option<String>,
}

impl Origin {
    fn of(meta: &Meta<'_>) -> Self {
        let source: Detail<'_> = read(raw_str(&meta.source)).unwrap_or_default();
        let subagent = raw_str(&source.subagent);
        let detail: Detail<'_> = read(subagent).unwrap_or_default();
        let spawn: Detail<'_> = read(raw_str(&detail.thread_spawn)).unwrap_or_default();
        let plain: Text<'_> = read(subagent).unwrap_or_default();
        let parent = meta.parent_thread_id.or(&spawn.parent_thread_id);
        let is_subagent =
            !subagent.is_empty() || !parent.is_empty() || &*meta.thread_source == "subagent";
        let base: Detail<'_> = read(raw_str(&meta.history_base)).unwrap_or_default();
        let not_self =
            |id: &str| Some(id.to_owned()).filter(|id| !id.is_empty() && **id != *meta.id);
        let named = [
            &*meta.agent_nickname,
            &spawn.agent_nickname,
            &meta.agent_role,
            &spawn.agent_role,
            &plain,
            &detail.other,
        ];
        Self {
            is_subagent,
            // The root of a tree of agents is the nearest thing known to a parent.
            parent: not_self(parent).or_else(|| not_self(&meta.session_id)).filter(|_| is_subagent),
            forked_from: not_self(meta.forked_from_id.or(&base.thread_id)).filter(|_| !is_subagent),
            agent_name: named
                .into_iter()
                .find(|name| is_subagent && !name.is_empty())
                .map(str::to_owned),
        }
    }
}

impl Thread {
    /// Takes a head: the thread's own, an update of it, or that of a thread copied from.
    pub(super) fn head(&mut self, cx: &mut Cx<'_>, meta: &Meta<'_>) {
        let id = meta.id.or(&self.id).to_owned();
        if !self.has_head {
            self.own_head(&id, meta, cx);
        } else if id == self.id {
            self.leave_all_copies();
        } else if self.lineage.accepts(&id) {
            let known = cx.ancestry.has_session(&SessionUid::new(Flavor::Codex, &id));
            self.lineage.enter(Owner { id: id.clone(), known });
            self.turns.restart();
        }
        self.patch_head(cx, &id, meta);
        let identity = Identity::InTurn("session_meta", digest(&id));
        let note = Note { native_id: &id, ..Note::lifecycle(identity, "session_meta") };
        self.emit(cx, &note, |_| {});
    }

    fn own_head(&mut self, id: &str, meta: &Meta<'_>, cx: &mut Cx<'_>) {
        let origin = Origin::of(meta);
        id.clone_into(&mut self.id);
        self.has_head = true;
        self.is_subagent = origin.is_subagent;
        let base: Detail<'_> = read(raw_str(&meta.history_base)).unwrap_or_default();
        self.inherits = origin.is_subagent
            || origin.forked_from.is_some()
            || !meta.forked_from_id.is_empty()
            || !base.thread_id.is_empty();
        if *base.thread_id == *id {
            // A reverted thread goes on in a new file: its first prompt is not the first.
            let end = base.end_ordinal_exclusive.0.unwrap_or_default();
            self.turns.rebase(EventKey::of_parts(&[b"revert", &end.to_le_bytes()]).0);
            self.told.title = true;
        }
        let own_from = meta.subagent_history_start_ordinal.0;
        self.lineage.begin(own_from);
        let from = meta.forked_from_id.some().map(str::to_owned).or(origin.parent);
        if let (Some(own_from), Some(from)) = (own_from, from)
            && cx.ordinal.is_none_or(|at| at + 1 < own_from)
        {
            let known = cx.ancestry.has_session(&SessionUid::new(Flavor::Codex, &from));
            self.lineage.enter(Owner { id: from, known });
        }
    }

    /// Yields what a head says about its thread; a copied head only where its thread is unknown.
    fn patch_head(&mut self, cx: &mut Cx<'_>, id: &str, meta: &Meta<'_>) {
        let own = id == self.id;
        let copied_from = self.lineage.owners().iter().find(|owner| owner.id == id);
        if !own && copied_from.is_none_or(|owner| owner.known) {
            return;
        }
        let origin = Origin::of(meta);
        let git: Detail<'_> = read(raw_str(&meta.git)).unwrap_or_default();
        let text = |text: &Text<'_>| text.some().map(str::to_owned);
        let uid = |id: String| SessionUid::new(Flavor::Codex, &id);
        let patch = SessionPatch {
            cwd: text(&meta.cwd),
            git_branch: text(&git.branch),
            cli_version: text(&meta.cli_version),
            parent: origin.parent.map(uid),
            forked_from: origin.forked_from.map(uid),
            agent_name: origin.agent_name,
            started_at: Timestamp::parse(&meta.timestamp),
            ..SessionPatch::default()
        };
        if own {
            self.told.cwd |= patch.cwd.is_some();
            self.cli_version.clone_from(&patch.cli_version);
        }
        let session = cx.out.session(&SessionUid::new(Flavor::Codex, id));
        cx.out.patch(session, patch);
    }
}
