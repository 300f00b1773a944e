//! `updates.jsonl`: the authoritative log of a session, one notification per line.

use super::prompt::Parts;
use super::stamp::{Desk, Stamp, report_model, uid};
use super::wire::{Block, Envelope, Notification, Raw, Scalar, Update, part};
use super::{keys, tools, vendor};
use crate::hygiene::remark;
use crate::{EventDraft, SessionPatch, TitleRank};
use backstory_model::{EventKind, Role, summarize};
use std::borrow::Cow;

/// Maps one line; `false` if it is no JSON object of this log's kind.
pub(super) fn record(json: &str, cwd: Option<&str>, desk: &mut Desk<'_>) -> bool {
    let Some((timestamp, method, notification)) = parsed(json) else { return false };
    let Some(update) = notification.update.as_ref() else {
        desk.out.unknown(method.text().unwrap_or("no-update"), None, json.as_bytes());
        return true;
    };
    if let Some(id) = notification.session_id.text() {
        desk.state.confirm_session(id);
    }
    let stamp = stamped(json, &timestamp, &notification, update, desk);
    open_log(&stamp, cwd, desk);
    match update.name.text() {
        Some("user_message_chunk") => prompt(update, &stamp, desk),
        Some("agent_message_chunk") => {
            message(update, &stamp, EventKind::AssistantMsg, desk);
        }
        Some("agent_thought_chunk") => message(update, &stamp, EventKind::Thinking, desk),
        Some("tool_call") => tools::call(update, &stamp, desk),
        Some("tool_call_update") => tools::update(update, &stamp, desk),
        Some(name) => vendor::update(name, update, &stamp, desk),
        None => desk.out.unknown(method.text().unwrap_or("no-type"), None, json.as_bytes()),
    }
    true
}

/// A line in any of its three forms: enveloped, a bare notification, a bare update.
fn parsed(json: &str) -> Option<(Scalar<'_>, Scalar<'_>, Notification<'_>)> {
    let envelope: Envelope<'_> = sonic_rs::from_str(json).ok()?;
    if let Some(notification) = envelope.params {
        return Some((envelope.timestamp, envelope.method, notification));
    }
    let mut bare: Notification<'_> = sonic_rs::from_str(json).ok()?;
    if bare.update.is_none() {
        bare.update =
            sonic_rs::from_str(json).ok().filter(|update: &Update<'_>| !update.name.is_nothing());
    }
    Some((envelope.timestamp, envelope.method, bare))
}

fn stamped<'a>(
    json: &'a str,
    timestamp: &Scalar<'_>,
    notification: &'a Notification<'_>,
    update: &Update<'_>,
    desk: &mut Desk<'_>,
) -> Stamp<'a> {
    let meta = notification.meta.as_ref();
    let event_id = meta.and_then(|meta| meta.event_id.text());
    let agent_time = meta.and_then(|meta| meta.agent_timestamp_ms.moment());
    let own = notification.session_id.text().unwrap_or(&desk.state.session).to_owned();
    let (key, session_id) = if let Some(id) = event_id {
        let key = keys::numbered(id, agent_time.map_or(0, |at| at.0));
        (key, keys::writer_of(id).unwrap_or(&own).to_owned())
    } else {
        let prompt_id = meta.and_then(|meta| meta.prompt_id.text());
        let key = desk.state.chain_key(&[
            update_json(json).as_bytes(),
            prompt_id.unwrap_or_default().as_bytes(),
            &agent_time.map_or(0, |at| at.0).to_le_bytes(),
        ]);
        let can_tell_copies = agent_time.is_some() || prompt_id.is_some();
        (key, owner_by_content(key, update, &own, can_tell_copies, desk))
    };
    let prompt = desk.state.prompt.as_ref().filter(|(session, _)| *session == session_id);
    Stamp {
        session: desk.out.session(&uid(&session_id)),
        key,
        event_id,
        // A fork writes the copied lines with a new envelope time, the agent's own time is kept.
        ts: agent_time.or_else(|| timestamp.moment()),
        prompt: prompt.map(|(_, key)| backstory_model::EventKey(*key)),
        session_id,
        raw: json,
    }
}

/// The session a record without an event id belongs to. A fork begins with a copy of another
/// session's records: it is recognised by its first prompt and followed as long as that session has
/// the messages. Prompts that carry neither time nor id are too much alike to tell.
fn owner_by_content(
    key: backstory_model::EventKey,
    update: &Update<'_>,
    own: &str,
    can_tell_copies: bool,
    desk: &mut Desk<'_>,
) -> String {
    let name = update.name.text().unwrap_or_default();
    if name == "user_message_chunk" && desk.state.prompt.is_none() && can_tell_copies {
        let owner = desk.ancestry.owner_of_root(key);
        desk.state.copy_of = owner.map(|owner| owner.native().to_owned()).filter(|id| id != own);
    }
    let is_message = matches!(name, "user_message_chunk" | "agent_message_chunk");
    if let Some(source) = desk.state.copy_of.clone() {
        if !is_message || desk.ancestry.has_event(&uid(&source), key) {
            return source;
        }
        desk.state.copy_of = None;
    }
    own.to_owned()
}

/// The update of a line as JSON.
pub(super) fn update_json(line: &str) -> Cow<'_, str> {
    let enveloped = sonic_rs::get(line, ["params", "update"]);
    match enveloped.or_else(|_| sonic_rs::get(line, ["update"])) {
        Ok(update) => update.as_raw_cow(),
        Err(_) => Cow::Borrowed(line),
    }
}

/// Tells once that the session has this log, and where it worked.
fn open_log(stamp: &Stamp<'_>, cwd: Option<&str>, desk: &mut Desk<'_>) {
    if std::mem::replace(&mut desk.state.is_opened, true) {
        return;
    }
    let own = desk.state.session.clone();
    let session = desk.out.session(&uid(&own));
    let mut draft =
        EventDraft::new(session, keys::log_opened(), EventKind::Lifecycle, Role::System);
    draft.tool = Some(desk.out.text("session_log"));
    draft.summary = Some(desk.out.text("session log opened"));
    // The first line of a fork is a copy and older than the session.
    draft.ts = stamp.ts.filter(|_| stamp.session == session);
    desk.out.event(draft);
    if let Some(cwd) = cwd {
        let patch = SessionPatch { cwd: Some(cwd.to_owned()), ..SessionPatch::default() };
        desk.out.patch(session, patch);
    }
}

/// The text of a chunk's content, or the type of content it is instead.
enum Content<'a> {
    Text(Cow<'a, str>),
    Other { kind: String, uri: Option<String> },
}

fn content<'a>(raw: &'a Raw<'_>) -> Content<'a> {
    if let Some(Scalar::Text(text)) = part::<Scalar<'_>>(raw) {
        return Content::Text(text);
    }
    if let Some(blocks) = part::<Vec<Block<'_>>>(raw) {
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.text()).collect();
        return Content::Text(Cow::Owned(texts.join("\n")));
    }
    let block: Block<'_> = part(raw).unwrap_or_default();
    match (block.kind.text(), block.text) {
        (None | Some("text"), Scalar::Text(text)) => Content::Text(text),
        (kind, _) => Content::Other {
            kind: kind.unwrap_or("none").to_owned(),
            uri: block.uri.text().map(str::to_owned),
        },
    }
}

/// A chunk without text: an image, a link to a file.
fn attachment(kind: &str, uri: Option<&str>, stamp: &Stamp<'_>, role: Role, desk: &mut Desk<'_>) {
    let mut draft = stamp.draft(EventKind::Lifecycle, role, desk.out);
    draft.tool = Some(desk.out.text("attachment"));
    draft.summary = Some(desk.out.text(kind));
    draft.files.extend(desk.out.opt_text(uri));
    desk.out.event(draft);
}

fn message(update: &Update<'_>, stamp: &Stamp<'_>, kind: EventKind, desk: &mut Desk<'_>) {
    match content(&update.content) {
        // A chunk that only opens or closes a stream says nothing.
        Content::Text(text) if text.is_empty() => {}
        Content::Text(text) => {
            let mut draft = stamp.draft(kind, Role::Assistant, desk.out);
            draft.payload = desk.out.text(&text);
            desk.out.event(draft);
        }
        Content::Other { kind, uri } => {
            attachment(&kind, uri.as_deref(), stamp, Role::Assistant, desk);
        }
    }
}

fn prompt(update: &Update<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let meta = update.meta.as_ref();
    report_model(desk, stamp.session, meta.and_then(|meta| meta.model_id.text()));
    let text = match content(&update.content) {
        Content::Text(text) => text,
        Content::Other { kind, uri } => {
            return attachment(&kind, uri.as_deref(), stamp, Role::User, desk);
        }
    };
    let reason = meta.and_then(|meta| meta.synthetic_reason.text());
    let is_interjection =
        reason == Some("interjection") || meta.is_some_and(|meta| is_set(&meta.interjection));
    let is_synthetic = reason.is_some() || meta.is_some_and(|meta| meta.host_turn.is_true());
    if is_synthetic && !is_interjection {
        let what = reason.unwrap_or("host_turn");
        return injected(&[Cow::Borrowed(&text)], what, stamp.key, stamp, desk);
    }
    let parts = Parts::of(&text);
    if parts.words.is_empty() {
        return injected(&parts.injected, "injected_context", stamp.key, stamp, desk);
    }
    injected(&parts.injected, "injected_context", keys::beside(stamp.key, "injected"), stamp, desk);
    let kind = if is_interjection { EventKind::HumanIntervention } else { EventKind::UserMsg };
    let mut draft = stamp.draft(kind, Role::User, desk.out);
    draft.payload = desk.out.text(&parts.words);
    if is_interjection {
        draft.tool = Some(desk.out.text("interjection"));
    } else {
        draft.parent = None;
        draft.opens_chain = desk.state.prompt.is_none() && stamp.event_id.is_none();
        desk.state.prompt = Some((stamp.session_id.clone(), stamp.key.0));
    }
    desk.out.event(draft);
    if !is_interjection {
        title_from_prompt(&parts.words, stamp, desk);
    }
}

/// A mark is set when it is there and not `false`.
fn is_set(raw: &Raw<'_>) -> bool {
    raw.as_ref().is_some_and(|raw| !matches!(raw.as_raw_str(), "false" | "null"))
}

/// What the harness put into the conversation in the human's name.
fn injected(
    texts: &[Cow<'_, str>],
    what: &str,
    key: backstory_model::EventKey,
    stamp: &Stamp<'_>,
    desk: &mut Desk<'_>,
) {
    if texts.iter().all(|text| text.trim().is_empty()) {
        return;
    }
    let mut draft = stamp.draft(EventKind::Lifecycle, Role::System, desk.out);
    draft.key = key;
    draft.tool = Some(desk.out.text(what));
    draft.payload = desk.out.text_with(|payload| payload.push_str(&texts.join("\n")));
    desk.out.event(draft);
}

fn title_from_prompt(words: &str, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let is_own = stamp.session_id == desk.state.session;
    if !is_own || !remark(words).can_name() || std::mem::replace(&mut desk.state.is_titled, true) {
        return;
    }
    let mut title = String::new();
    summarize(words, &mut title);
    let patch = SessionPatch { title: Some((TitleRank::Prompt, title)), ..SessionPatch::default() };
    desk.out.patch(stamp.session, patch);
}
