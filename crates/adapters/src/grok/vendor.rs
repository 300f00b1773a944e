//! Updates that are not messages or tools: turns, compactions, sub-agents, settings.

use super::keys::{self, TurnEnd};
use super::stamp::{Desk, Stamp, report_model, uid};
use super::state::CompactionMark;
use super::updates::update_json;
use super::usage::{self, Spending, Turn};
use super::wire::{Update, part};
use crate::{SessionPatch, TitleRank};
use backstory_model::{EventKind, Role, summarize};
use std::fmt::Write;

/// Updates kept as bookkeeping.
const BOOKKEEPING: &[&str] = &[
    "plan",
    "current_mode_update",
    "config_option_update",
    "available_commands_update",
    "usage_update",
    "session_info_update",
    "diff_review",
    "auto_compact_started",
    "auto_compact_cancelled",
    "memory_flush_started",
    "memory_flush_completed",
    "memory_dream_completed",
    "memory_session_saved",
    "memory_files",
    "auto_continue_completed",
    "feedback_request",
    "relay_sync_status",
    "auto_recovery_started",
    "hook_annotation",
    "hook_execution",
    "hooks_changed",
    "plugins_changed",
    "plugin_updates_installed",
    "session_summary_generated",
    "session_recap",
    "session_recap_unavailable",
    "last_turn_summary",
    "task_completed",
    "task_backgrounded",
    "background_tasks",
    "scheduled_task_created",
    "scheduled_task_fired",
    "scheduled_task_deleted",
    "monitor_event",
    "model_auto_switched",
    "model_changed",
    "image_compressed",
    "image_dropped",
    "workflow_updated",
    "goal_updated",
    "pending_interaction",
    "interaction_resolved",
];

/// Updates that only repeat, while it happens, what another record of the log says: the stream of a
/// response, of a tool's input, and counters of a sub-agent whose end is recorded.
pub(super) const MIRRORS: &[&str] = &[
    "response_started",
    "reasoning_completed",
    "response_completed",
    "tool_call_delta_chunk",
    "subagent_progress",
    "session_status",
];

/// Maps an update by its name.
pub(super) fn update(name: &str, update: &Update<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    match name {
        "turn_completed" => turn_completed(update, stamp, desk),
        "auto_compact_completed" => {
            compaction(CompactionMark::Completed, name, update, stamp, desk);
        }
        "compaction_checkpoint" => {
            compaction(CompactionMark::Checkpoint, name, update, stamp, desk);
        }
        "auto_compact_failed" | "auto_recovery_exhausted" => {
            note(EventKind::Error, name, update, stamp, desk);
        }
        "retry_state" => {
            let kind = match update.subtype.text() {
                Some("retrying") => EventKind::Retry,
                Some("exhausted" | "failed") => EventKind::Error,
                _ => EventKind::Lifecycle,
            };
            note(kind, name, update, stamp, desk);
        }
        "rewind_marker" => note(EventKind::HumanIntervention, name, update, stamp, desk),
        "subagent_spawned" => subagent_spawned(update, stamp, desk),
        "subagent_finished" => {
            let has_failed = update.status.text() == Some("failed");
            let kind = if has_failed { EventKind::Error } else { EventKind::Lifecycle };
            note(kind, name, update, stamp, desk);
        }
        name if BOOKKEEPING.contains(&name) => bookkeeping(name, update, stamp, desk),
        name if MIRRORS.contains(&name) => {}
        name => desk.out.unknown(&format!("x.ai/{name}"), None, stamp.raw.as_bytes()),
    }
}

fn bookkeeping(name: &str, update: &Update<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    match name {
        "auto_compact_started" => desk.state.compaction = CompactionMark::None,
        "model_changed" | "model_auto_switched" => {
            report_model(desk, stamp.session, update.model_id.text());
        }
        "session_summary_generated" => {
            report_title(TitleRank::Summary, update.session_summary.text(), stamp, desk);
        }
        "session_info_update" => {
            report_title(TitleRank::Generated, update.title.text(), stamp, desk);
        }
        _ => {}
    }
    note(EventKind::Lifecycle, name, update, stamp, desk);
}

fn report_title(rank: TitleRank, title: Option<&str>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    if let Some(title) = title {
        let title = Some((rank, title.to_owned()));
        desk.out.patch(stamp.session, SessionPatch { title, ..SessionPatch::default() });
    }
}

/// Who a kind of bookkeeping speaks for.
fn role_of(kind: EventKind) -> Role {
    if kind == EventKind::HumanIntervention { Role::User } else { Role::System }
}

/// An event that keeps its record as it stands.
fn note(kind: EventKind, name: &str, update: &Update<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let mut draft = stamp.draft(kind, role_of(kind), desk.out);
    draft.tool = Some(desk.out.text(name));
    draft.call_id = desk.out.opt_text(update.tool_call_id.text());
    draft.duration_ms = update.duration_ms.duration_ms().or(update.elapsed_ms.duration_ms());
    let summary = headline(name, update);
    draft.summary = Some(desk.out.text(&summary));
    // The list of commands is the same in every session and nobody's words.
    if name != "available_commands_update" {
        draft.payload = desk.out.text(&update_json(stamp.raw));
    }
    desk.out.event(draft);
}

/// What an update is about, in a few words.
fn headline(name: &str, update: &Update<'_>) -> String {
    let telling = [
        &update.error,
        &update.summary,
        &update.session_summary,
        &update.summary_preview,
        &update.reason,
        &update.message,
        &update.description,
        &update.command,
        &update.title,
        &update.model_id,
        &update.mode_id,
        &update.event_name,
        &update.stop_reason,
        &update.status,
    ];
    let mut headline = name.to_owned();
    if let Some(target) = update.target_prompt_index.int() {
        let _ = write!(headline, " to prompt {target}");
    }
    if let (Some(before), Some(after)) = (update.tokens_before.int(), update.tokens_after.int()) {
        let _ = write!(headline, " {before} → {after} tokens");
    }
    if let Some(text) = telling.iter().find_map(|field| field.text()) {
        headline.push_str(": ");
        let mut short = String::new();
        summarize(text, &mut short);
        headline.push_str(&short);
    }
    headline
}

/// One compaction is told twice, as a checkpoint and as a completion, in either order, and by older
/// versions only once: the first record of a pair is the compaction.
fn compaction(
    mark: CompactionMark,
    name: &str,
    update: &Update<'_>,
    stamp: &Stamp<'_>,
    desk: &mut Desk<'_>,
) {
    let known = desk.state.compaction;
    let is_second = known != CompactionMark::None && known != mark;
    desk.state.compaction = if is_second { CompactionMark::None } else { mark };
    let kind = if is_second { EventKind::Lifecycle } else { EventKind::Compaction };
    note(kind, name, update, stamp, desk);
}

fn turn_completed(update: &Update<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    let (end, kind) = match update.stop_reason.text() {
        Some("cancelled" | "interrupted") => (TurnEnd::Interrupted, EventKind::HumanIntervention),
        Some("error") => (TurnEnd::Failed, EventKind::Error),
        _ => (TurnEnd::Completed, EventKind::Completion),
    };
    let tokens: Option<Spending<'_>> = part(&update.usage);
    let prompt_id = update.prompt_id.text();
    let mut draft = stamp.draft(kind, role_of(kind), desk.out);
    if let Some(prompt_id) = prompt_id {
        draft.key = keys::turn(end, prompt_id);
    }
    draft.tool = Some(desk.out.text("turn_completed"));
    let summary = headline("turn_completed", update);
    draft.summary = Some(desk.out.text(&summary));
    draft.payload = desk.out.text(&update_json(stamp.raw));
    draft.duration_ms = update.elapsed_ms.duration_ms();
    draft.tokens = tokens.as_ref().map_or(0, Spending::output);
    desk.out.event(draft);

    let Some(tokens) = tokens else { return };
    report_model(desk, stamp.session, tokens.main_model());
    let own_id = format!("{:016x}", stamp.key.0);
    let turn = Turn {
        session: stamp.session,
        session_id: &stamp.session_id,
        prompt_id: prompt_id.unwrap_or(&own_id),
        ts: stamp.ts,
    };
    usage::report(&tokens, turn, desk.out);
}

/// A sub-agent is a session of its own that does not name its parent; only the parent tells.
fn subagent_spawned(update: &Update<'_>, stamp: &Stamp<'_>, desk: &mut Desk<'_>) {
    note(EventKind::Lifecycle, "subagent_spawned", update, stamp, desk);
    let Some(child) = update.child_session_id.text().or(update.subagent_id.text()) else { return };
    let parent = update.parent_session_id.text().unwrap_or(&stamp.session_id);
    if child == parent {
        return;
    }
    let described = update.description.text().and_then(|what| desk.state.take_spawn(what));
    let patch = SessionPatch {
        parent: Some(uid(parent)),
        parent_call_id: update.tool_call_id.text().map(str::to_owned).or(described),
        agent_name: update.subagent_type.text().map(str::to_owned),
        model: update.model.text().map(str::to_owned),
        continues: update.resumed_from.text().filter(|id| *id != child).map(uid),
        cost_in_parent: true,
        ..SessionPatch::default()
    };
    let session = desk.out.session(&uid(child));
    desk.out.patch(session, patch);
}
