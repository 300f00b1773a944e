//! From a line to records: whose it is, which key it has, and who maps it.

use super::lenient::Raw;
use super::state::{CopiedPart, State, agent_uid, usable_id};
use super::text::{decode, push_content};
use super::wire::{Content, Line};
use crate::{Ancestry, Batch, EventDraft, SessionIx, SessionPatch, Span};
use backstory_model::{EventKey, EventKind, Role, SessionUid, Timestamp};
use sonic_rs::{LazyValue, PointerNode};

/// The longest working directory, branch, model or version believed.
const FACT_MAX: usize = 4096;

/// How many sessions a file may repeat the history of.
const COPIED_FROM_MAX: usize = 8;

/// Whose transcript this is.
pub(super) struct Identity {
    /// The session of this file.
    pub(super) me: SessionUid,
    /// The main conversation, when this is a sub-agent's file.
    pub(super) parent: Option<SessionUid>,
}

/// Maps one line.
pub(super) struct Mapper<'m> {
    pub(super) identity: &'m Identity,
    pub(super) state: &'m mut State,
    pub(super) ancestry: &'m mut dyn Ancestry,
    pub(super) out: &'m mut Batch,
    pub(super) raw: &'m str,
}

/// Where the events of a line belong.
pub(super) struct Place<'l> {
    pub(super) session: SessionIx,
    uuid: &'l str,
    key: EventKey,
    parent: Option<EventKey>,
    native_id: Option<Span>,
    ts: Option<Timestamp>,
    is_sidechain: bool,
    opens_chain: bool,
    yielded: u32,
}

impl Place<'_> {
    /// The next event of the line. The first one has the key of the record, so that the records
    /// after it find it; further ones follow it.
    pub(super) fn draft(&mut self, kind: EventKind, role: Role) -> EventDraft {
        let is_first = self.yielded == 0;
        let key = if is_first {
            self.key
        } else if self.uuid.is_empty() {
            EventKey::of_parts(&[&self.key.0.to_le_bytes(), &self.yielded.to_le_bytes()])
        } else {
            EventKey::of_parts(&[self.uuid.as_bytes(), &self.yielded.to_le_bytes()])
        };
        self.yielded += 1;
        let mut draft = EventDraft::new(self.session, key, kind, role);
        draft.parent = if is_first { self.parent } else { Some(self.key) };
        draft.native_id = self.native_id;
        draft.ts = self.ts;
        draft.is_sidechain = self.is_sidechain;
        draft.opens_chain = is_first && self.opens_chain;
        draft
    }

    /// Leaves the line without an event: what it says is told elsewhere.
    pub(super) fn settle(&mut self) {
        self.yielded += 1;
    }

    /// Time of the line.
    pub(super) fn ts(&self) -> Option<Timestamp> {
        self.ts
    }

    /// True while the line has yielded no event.
    pub(super) fn is_bare(&self) -> bool {
        self.yielded == 0
    }

    /// True in a sub-agent's side conversation.
    pub(super) fn is_sidechain(&self) -> bool {
        self.is_sidechain
    }

    /// The key of the record itself.
    pub(super) fn key(&self) -> EventKey {
        self.key
    }

    /// Whether the record has an id of its own.
    pub(super) fn has_id(&self) -> bool {
        !self.uuid.is_empty()
    }
}

impl<'m> Mapper<'m> {
    /// A part of the line as it stands in it.
    pub(super) fn raw_at(&self, path: &[PointerNode]) -> Option<LazyValue<'m>> {
        sonic_rs::get_from_str(self.raw, path).ok()
    }
}

impl Mapper<'_> {
    /// Maps a line by its type.
    pub(super) fn line(&mut self, line: &Line<'_>) {
        match line.kind.as_str() {
            "assistant" => self.assistant(line),
            "user" => self.user(line),
            "system" => self.system(line),
            "attachment" => self.attachment(line),
            "progress" => self.progress(line),
            _ => self.bookkeeping(line),
        }
    }

    /// Keeps the line verbatim, as a type nobody knows.
    pub(super) fn unknown(&mut self, type_name: &str, line: &Line<'_>) {
        self.unknown_part(type_name, line, self.raw);
    }

    /// Keeps a part of the line verbatim.
    pub(super) fn unknown_part(&mut self, type_name: &str, line: &Line<'_>, raw: &str) {
        let version = Some(line.version.as_str()).filter(|version| !version.is_empty());
        let type_name = if type_name.is_empty() { "(none)" } else { type_name };
        self.out.unknown(type_name, version, raw.as_bytes());
    }

    /// Opens a line: tells what is new about the session and finds the place of its events.
    /// `None` when the line is a copy of another session's history.
    pub(super) fn open<'l>(&mut self, line: &'l Line<'_>, model: &str) -> Option<Place<'l>> {
        self.tell_parent();
        self.tell_facts(line, model);
        let uuid = line.uuid.as_str();
        let key = if uuid.is_empty() { self.content_key(self.raw) } else { EventKey::of(uuid) };
        let opens_chain = !uuid.is_empty() && line.parent_uuid.is_empty();
        if !uuid.is_empty() {
            if self.is_copy(key, opens_chain) {
                return None;
            }
            self.state.note_record(key);
        }
        Some(Place {
            session: self.session_of(line),
            uuid,
            key,
            parent: self.parent_of(line),
            native_id: self.out.opt_text(Some(uuid)),
            ts: timestamp(&line.timestamp),
            is_sidechain: self.identity.parent.is_some() || line.is_sidechain.0,
            opens_chain,
            yielded: 0,
        })
    }

    /// The key of a record that has no id: its content within its session.
    pub(super) fn content_key(&self, content: &str) -> EventKey {
        EventKey::of_parts(&[b"line", self.identity.me.as_str().as_bytes(), content.as_bytes()])
    }

    /// The place of a record whose repetitions are one event: its type and `value`.
    pub(super) fn open_value<'l>(&mut self, line: &'l Line<'_>, value: &str) -> Option<Place<'l>> {
        let mut place = self.open(line, "")?;
        if !place.has_id() && line.timestamp.is_empty() {
            let parts = [line.kind.as_str(), value].join("\0");
            place.key = self.content_key(&parts);
        }
        Some(place)
    }

    /// The session of this file.
    pub(super) fn me(&mut self) -> SessionIx {
        self.out.session(&self.identity.me)
    }

    /// Old transcripts hold the sub-agents' records themselves; those with an agent id belong to
    /// the sub-agent's session, where its own file would put them.
    fn session_of(&mut self, line: &Line<'_>) -> SessionIx {
        let agent = usable_id(line.agent_id.as_str());
        match agent {
            Some(agent) if self.identity.parent.is_none() && line.is_sidechain.0 => {
                self.link_child(agent, None, None);
                let child = agent_uid(&self.state.root, agent);
                self.out.session(&child)
            }
            _ => self.me(),
        }
    }

    fn parent_of(&self, line: &Line<'_>) -> Option<EventKey> {
        [&line.parent_uuid, &line.logical_parent_uuid]
            .into_iter()
            .find(|uuid| !uuid.is_empty())
            .map(|uuid| self.state.stored_key(EventKey::of(uuid.as_str())))
    }

    /// Whether a record is another session's, met here again. Forks copy a conversation from its
    /// first record on; a side question repeats its parent's.
    fn is_copy(&mut self, key: EventKey, opens_chain: bool) -> bool {
        let begins = !std::mem::replace(&mut self.state.has_begun, true);
        let identity = self.identity;
        if let Some(parent) = &identity.parent
            && (begins || opens_chain)
            && self.ancestry.has_event(parent, key)
        {
            self.copied_from(parent);
        }
        if opens_chain
            && let Some(owner) = self.ancestry.owner_of_root(key)
            && owner != identity.me
            && self.copied_from(&owner)
            && identity.parent.as_ref() != Some(&owner)
        {
            self.tell_origin(owner);
        }
        self.is_copied(key) || self.is_copied_from_fork(key) || self.is_held_by_fork(key)
    }

    /// Whether a copy of this session was read before this file had grown so far: the copy then
    /// stored the event first, and keeps it.
    fn is_held_by_fork(&mut self, key: EventKey) -> bool {
        let (ancestry, me) = (&mut *self.ancestry, &self.identity.me);
        let forks = self.state.forks.get_or_insert_with(|| {
            ancestry.forks_of(me).iter().map(|fork| fork.as_str().to_owned()).collect()
        });
        forks.iter().any(|fork| ancestry.has_event(&SessionUid::from_stored(fork.clone()), key))
    }

    /// Whether a fork of a session this file copies from has an event: then this file is a copy of
    /// that fork. Asked until the copied part is over.
    fn is_copied_from_fork(&mut self, key: EventKey) -> bool {
        if self.state.copied_part == CopiedPart::Over {
            return false;
        }
        for owner in self.state.copied_from.clone() {
            for fork in self.ancestry.forks_of(&SessionUid::from_stored(owner)) {
                if fork != self.identity.me && self.ancestry.has_event(&fork, key) {
                    self.copied_from(&fork);
                    self.tell_origin(fork);
                    return true;
                }
            }
        }
        self.state.copied_part = CopiedPart::Over;
        false
    }

    /// Whether a session this file copies from has an event.
    pub(super) fn is_copied(&mut self, key: EventKey) -> bool {
        let owners = &self.state.copied_from;
        let ancestry = &mut *self.ancestry;
        owners.iter().any(|owner| ancestry.has_event(&SessionUid::from_stored(owner.clone()), key))
    }

    fn tell_origin(&mut self, origin: SessionUid) {
        let me = self.me();
        self.out.patch(me, SessionPatch { forked_from: Some(origin), ..SessionPatch::default() });
    }

    /// Notes a session this file copies from; true when it is new.
    fn copied_from(&mut self, owner: &SessionUid) -> bool {
        let known = &mut self.state.copied_from;
        if known.len() == COPIED_FROM_MAX || known.iter().any(|uid| uid == owner.as_str()) {
            return false;
        }
        known.push(owner.as_str().to_owned());
        true
    }

    fn tell_parent(&mut self) {
        let Some(parent) = &self.identity.parent else { return };
        if !std::mem::replace(&mut self.state.is_linked, true) {
            let me = self.me();
            let parent = Some(parent.clone());
            self.out.patch(me, SessionPatch { parent, ..SessionPatch::default() });
        }
    }

    fn tell_facts(&mut self, line: &Line<'_>, model: &str) {
        let told = &mut self.state.told;
        let patch = SessionPatch {
            cwd: changed(&mut told.cwd, line.cwd.as_str()),
            git_branch: changed(&mut told.git_branch, line.git_branch.as_str()),
            model: changed(&mut told.model, model),
            cli_version: changed(&mut told.cli_version, line.version.as_str()),
            ..SessionPatch::default()
        };
        let is_news = patch.cwd.is_some()
            || patch.git_branch.is_some()
            || patch.model.is_some()
            || patch.cli_version.is_some();
        if is_news {
            let me = self.me();
            self.out.patch(me, patch);
        }
    }

    /// Tells that a sub-agent was started here, once without and once with the call that did it.
    pub(super) fn link_child(&mut self, agent: &str, call_id: Option<&str>, name: Option<&str>) {
        let link = [agent, call_id.unwrap_or_default()].join("\0");
        if !self.state.is_new_child(&link) {
            return;
        }
        let child = self.out.session(&agent_uid(&self.state.root, agent));
        let patch = SessionPatch {
            parent: Some(self.identity.me.clone()),
            parent_call_id: call_id.map(str::to_owned),
            agent_name: name.map(str::to_owned),
            ..SessionPatch::default()
        };
        self.out.patch(child, patch);
    }

    /// The text of the content of a message's block.
    pub(super) fn content_text(&mut self, content: &Content<'_>, block: usize) -> Span {
        if !matches!(content, Content::Other) {
            return self.out.text_with(|text| push_content(content, text));
        }
        let path = sonic_rs::pointer!["message", "content", block, "content"];
        self.raw_at(&path).map_or_else(Span::default, |raw| self.out.text(raw.as_raw_str()))
    }

    /// Yields an event of the harness, named after the native record.
    pub(super) fn note(&mut self, place: &mut Place<'_>, tool: &str, payload: Span) {
        let draft = self.note_draft(place, tool, payload);
        self.out.event(draft);
    }

    /// An event of the harness, to be completed.
    pub(super) fn note_draft(
        &mut self,
        place: &mut Place<'_>,
        tool: &str,
        payload: Span,
    ) -> EventDraft {
        let mut draft = place.draft(EventKind::Lifecycle, Role::System);
        draft.tool = Some(self.out.text(tool));
        draft.payload = payload;
        draft
    }
}

fn changed(told: &mut String, now: &str) -> Option<String> {
    if now.is_empty() || now == told || now.len() > FACT_MAX {
        return None;
    }
    now.clone_into(told);
    Some(now.to_owned())
}

/// RFC 3339 text, or milliseconds since the epoch.
fn timestamp(raw: &Raw<'_>) -> Option<Timestamp> {
    let raw = raw.as_str();
    match decode(raw) {
        Some(text) => Timestamp::parse(&text),
        None => raw.parse().ok().map(Timestamp),
    }
}
