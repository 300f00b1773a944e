//! `events.jsonl`: turn, permission and server bookkeeping. It holds no text and no tokens.

use super::keys::{self, TurnEnd};
use super::stamp::{Desk, Stamp, report_model, uid};
use super::wire::Scalar;
use crate::{EventDraft, SessionPatch};
use backstory_model::{EventKey, EventKind, Role};
use serde::Deserialize;
use std::fmt::Write;

/// Events that add nothing to the other records: the phases of a running turn (nine tenths of the
/// file) and the start of tools, which `updates.jsonl` has with their input.
pub(super) const MIRRORS: &[&str] = &["phase_changed", "first_token", "tool_started"];

/// Beginnings of names whose events are all bookkeeping.
const FAMILIES: &[&str] = &["goal_", "mcp_", "todo_gate_", "laziness_"];

/// Endings of names in [`FAMILIES`] that tell of a failure.
const FAILURES: &[&str] = &["_failed", "_error", "_timeout"];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow)]
    ts: Scalar<'a>,
    #[serde(rename = "type")]
    name: Scalar<'a>,
    session_id: Scalar<'a>,
    model_id: Scalar<'a>,
    prompt_id: Scalar<'a>,
    turn_number: Scalar<'a>,
    session_relationship: Scalar<'a>,
    tool_name: Scalar<'a>,
    tool_call_id: Scalar<'a>,
    source: Scalar<'a>,
    outcome: Scalar<'a>,
    decision: Scalar<'a>,
    duration_ms: Scalar<'a>,
    wait_ms: Scalar<'a>,
    cancellation_category: Scalar<'a>,
    error: Scalar<'a>,
    server_name: Scalar<'a>,
}

/// Maps one line; `false` if it is no JSON object.
pub(super) fn record(json: &str, desk: &mut Desk<'_>) -> bool {
    let Ok(event) = sonic_rs::from_str::<Event<'_>>(json) else { return false };
    if let Some(id) = event.session_id.text() {
        desk.state.confirm_session(id);
    }
    let Some(name) = event.name.text() else {
        desk.out.unknown("events/no-type", None, json.as_bytes());
        return true;
    };
    let is_repetition = name == "tool_completed" && event.source.text() == Some("workspace");
    if MIRRORS.contains(&name) || is_repetition {
        return true;
    }
    let stamp = stamped(json, &event, desk);
    match kind_of(name, &event) {
        Some(kind) => {
            follow_turn(name, &event, &stamp, desk);
            note(kind, name, &event, &stamp, desk);
        }
        None => desk.out.unknown(&format!("events/{name}"), None, json.as_bytes()),
    }
    true
}

fn stamped<'a>(json: &'a str, event: &Event<'_>, desk: &mut Desk<'_>) -> Stamp<'a> {
    let ts = event.ts.moment();
    let time = ts.map_or(0, |at| at.0).to_le_bytes();
    let content = EventKey::of(json).0.to_le_bytes();
    let session_id = desk.state.session.clone();
    Stamp {
        session: desk.out.session(&uid(&session_id)),
        session_id,
        key: EventKey::of_parts(&[b"events", &content, &time]),
        event_id: None,
        ts,
        prompt: None,
        raw: json,
    }
}

/// What an event is; `None` for a name that is not known.
fn kind_of(name: &str, event: &Event<'_>) -> Option<EventKind> {
    Some(match name {
        "turn_ended" => match event.outcome.text() {
            Some("error") => EventKind::Error,
            Some("cancelled") if is_by_hand(event) => EventKind::HumanIntervention,
            _ => EventKind::Lifecycle,
        },
        "permission_resolved" => match event.decision.text() {
            Some("deny" | "cancelled" | "followup") => EventKind::HumanIntervention,
            _ => EventKind::Lifecycle,
        },
        "turn_started"
        | "loop_started"
        | "tool_completed"
        | "permission_requested"
        | "interjected"
        | "yolo_toggled" => EventKind::Lifecycle,
        _ if FAMILIES.iter().any(|family| name.starts_with(family)) => {
            let has_failed = FAILURES.iter().any(|ending| name.ends_with(ending));
            if has_failed { EventKind::Error } else { EventKind::Lifecycle }
        }
        _ => return None,
    })
}

/// A turn that ends because a permission was refused was already stopped by that refusal, and a
/// hook is not a human.
fn is_by_hand(event: &Event<'_>) -> bool {
    let category = event.cancellation_category.text().unwrap_or_default();
    !category.starts_with("permission_") && category != "hook_denied"
}

/// Remembers the open turn, so that its end is known under the id the other log gives it.
fn follow_turn(name: &str, event: &Event<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    if name != "turn_started" {
        return;
    }
    desk.state.turn = event.prompt_id.text().map(str::to_owned);
    report_model(desk, stamp.session, event.model_id.text());
    if event.session_relationship.text() == Some("subagent") {
        let patch = SessionPatch { cost_in_parent: true, ..SessionPatch::default() };
        desk.out.patch(stamp.session, patch);
    }
}

fn note(kind: EventKind, name: &str, event: &Event<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let role = if kind == EventKind::HumanIntervention { Role::User } else { Role::System };
    let mut draft: EventDraft = stamp.draft(kind, role, desk.out);
    if name == "turn_ended"
        && let Some(prompt_id) = desk.state.turn.take()
    {
        match kind {
            EventKind::HumanIntervention => {
                draft.key = keys::turn(TurnEnd::Interrupted, &prompt_id);
            }
            EventKind::Error => draft.key = keys::turn(TurnEnd::Failed, &prompt_id),
            _ => {}
        }
    }
    draft.parent = event.tool_call_id.text().map(keys::call);
    draft.call_id = desk.out.opt_text(event.tool_call_id.text());
    draft.duration_ms = event.duration_ms.duration_ms().or(event.wait_ms.duration_ms());
    draft.tool = Some(desk.out.text(name));
    let summary = headline(name, event);
    draft.summary = Some(desk.out.text(&summary));
    draft.payload = desk.out.text(stamp.raw);
    desk.out.event(draft);
}

fn headline(name: &str, event: &Event<'_>) -> String {
    let telling = [
        &event.error,
        &event.server_name,
        &event.tool_name,
        &event.outcome,
        &event.decision,
        &event.cancellation_category,
    ];
    let mut headline = name.to_owned();
    if let Some(number) = event.turn_number.int() {
        let _ = write!(headline, " {number}");
    }
    for text in telling.iter().filter_map(|field| field.text()) {
        headline.push(' ');
        headline.push_str(text);
    }
    headline
}
