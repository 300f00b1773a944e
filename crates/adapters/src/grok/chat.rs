//! `chat_history.jsonl`: what the model was shown. It has no times and is rewritten in place by every
//! compaction and rewind, so it speaks only for a session that has no `updates.jsonl`, and its
//! events are known by their content: the same words at another place are the same event.

use super::keys;
use super::prompt::Parts;
use super::stamp::{Desk, Stamp, report_model, uid};
use super::tools::{is_question, reached};
use super::wire::{Block, Raw, Scalar, part};
use crate::hygiene::remark;
use crate::json::readable;
use crate::{CallClass, EventDraft, SessionPatch, TitleRank, classify_call};
use backstory_model::{EventKey, EventKind, Role, summarize};
use serde::Deserialize;

/// A record in the current form (`type`) or the older one (`role`).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: Scalar<'a>,
    role: Scalar<'a>,
    id: Scalar<'a>,
    content: Raw<'a>,
    summary: Raw<'a>,
    reasoning_content: Scalar<'a>,
    synthetic_reason: Scalar<'a>,
    prior_turn_interrupt: Scalar<'a>,
    prompt_index: Scalar<'a>,
    model_id: Scalar<'a>,
    tool_call_id: Scalar<'a>,
    tool_calls: Option<Vec<Call<'a>>>,
    #[serde(rename = "kind")]
    backend: Raw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Call<'a> {
    #[serde(borrow)]
    id: Scalar<'a>,
    name: Scalar<'a>,
    arguments: Scalar<'a>,
    function: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    name: Scalar<'a>,
    arguments: Scalar<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments<'a> {
    #[serde(borrow)]
    command: Scalar<'a>,
    file_path: Scalar<'a>,
    target_file: Scalar<'a>,
    tool_name: Scalar<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Backend<'a> {
    #[serde(borrow)]
    tool_type: Scalar<'a>,
    id: Scalar<'a>,
}

/// Whether a `type` or `role` is one of a chat history.
pub(super) fn is_record_type(name: &str) -> bool {
    matches!(
        name,
        "system"
            | "user"
            | "assistant"
            | "tool"
            | "tool_result"
            | "reasoning"
            | "backend_tool_call"
    )
}

/// Maps one line; `false` if it is no JSON object. `is_needed` remembers whether the session lacks
/// the authoritative log.
pub(super) fn record(json: &str, is_needed: &mut Option<bool>, desk: &mut Desk<'_>) -> bool {
    let Ok(item) = sonic_rs::from_str::<Item<'_>>(json) else { return false };
    let session_id = desk.state.session.clone();
    let owner = uid(&session_id);
    let is_needed =
        *is_needed.get_or_insert_with(|| !desk.ancestry.has_event(&owner, keys::log_opened()));
    if !is_needed {
        return true;
    }
    let stamp = Stamp {
        session: desk.out.session(&owner),
        session_id,
        key: EventKey::of_parts(&[b"chat", json.as_bytes()]),
        event_id: None,
        ts: None,
        prompt: desk.state.prompt.as_ref().map(|(_, key)| EventKey(*key)),
        raw: json,
    };
    report_model(desk, stamp.session, item.model_id.text());
    match item.kind.text().or(item.role.text()) {
        Some("system") => system(&stamp, desk),
        Some("user") => user(&item, &stamp, desk),
        Some("assistant") => assistant(&item, &stamp, desk),
        Some("reasoning") => say(&text_of(&item.summary), EventKind::Thinking, &stamp, desk),
        Some("tool_result" | "tool") => tool_result(&item, &stamp, desk),
        Some("backend_tool_call") => backend_call(&item, &stamp, desk),
        other => {
            let name = format!("chat/{}", other.unwrap_or("no-type"));
            desk.out.unknown(&name, None, json.as_bytes());
        }
    }
    true
}

/// The text of a content: a string, or blocks of which some have text.
fn text_of(raw: &Raw<'_>) -> String {
    if let Some(Scalar::Text(text)) = part::<Scalar<'_>>(raw) {
        return text.into_owned();
    }
    let blocks: Vec<Block<'_>> = part(raw).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.text()).collect();
    texts.join("\n")
}

/// A prompt of the system is the same in every session: that it was given is kept, not its words.
fn system(stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let mut draft = stamp.draft(EventKind::Lifecycle, Role::System, desk.out);
    draft.tool = Some(desk.out.text("system_prompt"));
    draft.summary = Some(desk.out.text("system prompt"));
    desk.out.event(draft);
}

fn user(item: &Item<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let text = text_of(&item.content);
    let reason = item.synthetic_reason.text();
    let place = item.prompt_index.int().unwrap_or(-1).to_le_bytes();
    let key = EventKey::of_parts(&[b"chat-user", &place, text.as_bytes()]);
    if let Some(interrupt) = item.prior_turn_interrupt.text() {
        let mut draft = stamp.draft(EventKind::HumanIntervention, Role::User, desk.out);
        draft.key = keys::beside(key, "interrupt");
        draft.tool = Some(desk.out.text("prior_turn_interrupt"));
        draft.summary = Some(desk.out.text(interrupt));
        desk.out.event(draft);
    }
    let parts = Parts::of(&text);
    let (kind, role) = match reason {
        Some("interjection") => (EventKind::HumanIntervention, Role::User),
        Some("compaction_meta") => (EventKind::Compaction, Role::System),
        Some(_) => (EventKind::Lifecycle, Role::System),
        None if parts.words.is_empty() => (EventKind::Lifecycle, Role::System),
        None => (EventKind::UserMsg, Role::User),
    };
    let is_human = role == Role::User;
    let mut draft = stamp.draft(kind, role, desk.out);
    draft.key = key;
    draft.tool = desk.out.opt_text(reason);
    draft.payload = desk.out.text(if is_human { &parts.words } else { &text });
    if kind == EventKind::UserMsg {
        draft.parent = None;
        desk.state.prompt = Some((stamp.session_id.clone(), key.0));
    }
    desk.out.event(draft);
    if kind == EventKind::UserMsg
        && remark(&parts.words).can_name()
        && !std::mem::replace(&mut desk.state.is_titled, true)
    {
        let mut title = String::new();
        summarize(&parts.words, &mut title);
        let title = Some((TitleRank::Prompt, title));
        desk.out.patch(stamp.session, SessionPatch { title, ..SessionPatch::default() });
    }
}

/// Words of the agent; a record without any (reasoning that is only kept encrypted) says nothing.
fn say(text: &str, kind: EventKind, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    if text.is_empty() {
        return;
    }
    let mut draft = stamp.draft(kind, Role::Assistant, desk.out);
    draft.key = EventKey::of_parts(&[b"chat-say", kind.name().as_bytes(), text.as_bytes()]);
    draft.payload = desk.out.text(text);
    desk.out.event(draft);
}

fn assistant(item: &Item<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    if let Some(reasoning) = item.reasoning_content.text() {
        say(reasoning, EventKind::Thinking, stamp, desk);
    }
    say(&text_of(&item.content), EventKind::AssistantMsg, stamp, desk);
    for call in item.tool_calls.iter().flatten() {
        tool_call(call, stamp, desk);
    }
}

fn tool_call(call: &Call<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let function = call.function.as_ref();
    let name = call.name.text().or(function.and_then(|function| function.name.text()));
    let arguments = call.arguments.text().or(function.and_then(|it| it.arguments.text()));
    let (Some(id), name, arguments) =
        (call.id.text(), name.unwrap_or("tool"), arguments.unwrap_or_default())
    else {
        desk.out.unknown("chat/tool_call without id", None, stamp.raw.as_bytes());
        return;
    };
    let readable = readable(arguments.as_bytes()).unwrap_or_default();
    let input: Arguments<'_> = sonic_rs::from_str(readable).unwrap_or_default();
    let name = reached(name, input.tool_name.text());
    let class = classify_call(name, input.command.text());
    let retried = desk.state.retries.call(id, name, arguments.as_bytes(), class);
    let kind = if is_question(name) { EventKind::Decision } else { retried };
    desk.state.open_call(id, name, false);
    let mut draft = call_draft(id, name, kind, stamp, desk);
    draft.payload = desk.out.text(arguments);
    for path in [input.file_path.text(), input.target_file.text()] {
        draft.files.extend(desk.out.opt_text(path));
    }
    desk.out.event(draft);
}

fn call_draft(
    id: &str,
    name: &str,
    kind: EventKind,
    stamp: &Stamp<'_>,
    desk: &mut Desk<'_>,
) -> EventDraft {
    let mut draft = stamp.draft(kind, Role::Assistant, desk.out);
    draft.key = keys::call(id);
    draft.tool = Some(desk.out.text(name));
    draft.call_id = Some(desk.out.text(id));
    draft
}

/// A search or run that the service itself did; its record is call and result in one.
fn backend_call(item: &Item<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let backend: Backend<'_> = part(&item.backend).unwrap_or_default();
    let own_id = format!("{:016x}", stamp.key.0);
    let id = backend.id.text().or(item.id.text()).unwrap_or(&own_id);
    let name = backend.tool_type.text().unwrap_or("backend_tool");
    let mut draft = call_draft(id, name, CallClass::Other.kind(), stamp, desk);
    draft.payload = desk.out.text(item.backend.as_ref().map_or("", |raw| raw.as_raw_str()));
    desk.out.event(draft);
}

fn tool_result(item: &Item<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let text = text_of(&item.content);
    let id = item.tool_call_id.text();
    let tool = id.and_then(|id| desk.state.tool_of(id)).map(str::to_owned);
    let is_answer = tool.as_deref().is_some_and(is_question);
    let kind = if is_answer { EventKind::Decision } else { EventKind::ToolResult };
    let role = if is_answer { Role::User } else { Role::Tool };
    let mut draft = stamp.draft(kind, role, desk.out);
    if let Some(id) = id {
        desk.state.retries.result(id, false);
        draft.key = keys::output(id);
        draft.parent = Some(keys::call(id));
    }
    draft.call_id = desk.out.opt_text(id);
    draft.tool = desk.out.opt_text(tool.as_deref());
    draft.payload = desk.out.text(&text);
    desk.out.event(draft);
}
