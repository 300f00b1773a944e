//! Attachments: what the harness hands to the model beside the conversation.

use super::map::Mapper;
use super::prompt::{Parts, take_apart};
use super::text::{decode, push_content, push_text};
use super::wire::{Attachment, Content, Line};
use crate::Span;

/// Prompts typed while a turn was running.
const QUEUED_PROMPT: &str = "queued_command";

/// Types whose content is worth keeping or names files.
const TOLD: &[&str] = &[
    QUEUED_PROMPT,
    "batching_reminder_sent",
    "compact_file_reference",
    "date",
    "date_change",
    "directory",
    "edited_text_file",
    "file",
    "hook_additional_context",
    "hook_blocking_error",
    "hook_cancelled",
    "hook_non_blocking_error",
    "hook_success",
    "hook_system_message",
    "nested_memory",
    "opened_file_in_ide",
    "plan_mode",
    "plan_mode_exit",
    "plan_mode_reentry",
    "read_truncation_notice",
    "selected_lines_in_ide",
    "silent_turn_reminder",
    "total_tokens_reminder",
];

/// Types of which only that they were there is kept: bulky, or without words.
const UNTOLD: &[&str] = &[
    "agent_listing_delta",
    "auto_mode",
    "auto_mode_exit",
    "budget_usd",
    "command_permissions",
    "deferred_tools_delta",
    "diagnostics",
    "dynamic_skill",
    "environment",
    "invoked_skills",
    "mcp_instructions_delta",
    "model",
    "prompt_snapshot",
    "remote_session_change",
    "session_context",
    "skill_listing",
    "task_reminder",
    "task_status",
    "todo_reminder",
    "ultra_effort_enter",
    "ultra_effort_exit",
];

impl Mapper<'_> {
    /// Maps an attachment line by the attachment's type.
    pub(super) fn attachment(&mut self, line: &Line<'_>) {
        let kind = line.attachment.field("type");
        let kind = kind.as_ref().and_then(|kind| decode(kind.as_raw_str())).unwrap_or_default();
        if UNTOLD.contains(&&*kind) {
            if let Some(mut place) = self.open(line, "") {
                self.note(&mut place, &kind, Span::default());
            }
            return;
        }
        match line.attachment.parse::<Attachment<'_>>() {
            Some(attachment) if kind == QUEUED_PROMPT => self.queued(line, &attachment),
            Some(attachment) if TOLD.contains(&&*kind) => self.told(line, &kind, &attachment),
            _ => self.unknown(&format!("attachment/{kind}"), line),
        }
    }

    fn queued(&mut self, line: &Line<'_>, attachment: &Attachment<'_>) {
        if matches!(attachment.prompt, Content::Absent | Content::Other) {
            return self.unknown("attachment/queued_command", line);
        }
        let Some(mut place) = self.open(line, "") else { return };
        let mut text = String::new();
        push_content(&attachment.prompt, &mut text);
        let Parts { prompt, pieces } = take_apart(&text);
        if !prompt.is_empty() {
            self.intervention(&mut place, QUEUED_PROMPT, &prompt);
        }
        for piece in &pieces {
            self.piece(&mut place, piece);
        }
        if place.is_bare() {
            self.note(&mut place, QUEUED_PROMPT, Span::default());
        }
    }

    fn told(&mut self, line: &Line<'_>, kind: &str, attachment: &Attachment<'_>) {
        let Some(mut place) = self.open(line, "") else { return };
        let payload = self.attachment_text(attachment);
        // Hooks are how our own context reaches the agent.
        let is_own = self.out.get(payload).contains("<backstory-context");
        let tool = if is_own { "backstory-context" } else { kind };
        let mut draft = self.note_draft(&mut place, tool, payload);
        draft.exit_code = attachment.exit_code.code();
        draft.duration_ms = attachment.duration_ms.count();
        for file in [&attachment.filename, &attachment.path, &attachment.plan_file_path] {
            draft.files.extend(self.out.opt_text(Some(file.as_str())));
        }
        self.out.event(draft);
    }

    fn attachment_text(&mut self, attachment: &Attachment<'_>) -> Span {
        let fields = [
            &attachment.content,
            &attachment.snippet,
            &attachment.stdout,
            &attachment.stderr,
            &attachment.text,
            &attachment.new_date,
        ];
        match fields.into_iter().find(|field| !field.is_empty()) {
            Some(field) => self.out.text_with(|text| push_content(field, text)),
            None => self.out.text_with(|text| push_text(attachment.blocking_error.as_str(), text)),
        }
    }
}
