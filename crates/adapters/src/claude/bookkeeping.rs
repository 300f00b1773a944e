//! Lines around the conversation: titles, queue, modes, progress, snapshots.

use super::lenient::Text;
use super::map::Mapper;
use super::state::usable_id;
use super::text::decode;
use super::wire::{Content, Line};
use crate::{Span, TitleRank};
use backstory_model::{EventKey, summarize};

/// Line types of which only that they were there is kept.
const NOTES: &[&str] = &[
    "agent-color",
    "agent-setting",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attribution-snapshot",
    "content-replacement",
    "cost-state",
    "file-history-delta",
    "file-history-snapshot",
    "frame-link",
    "relocated",
    "result",
    "speculation-accept",
    "started",
    "tag",
    "task-summary",
    "tools-used",
    "worktree-state",
];

/// Kinds of progress; the words in them come again in the tool's result or the sub-agent's file.
const PROGRESS: &[&str] = &[
    "agent_progress",
    "bash_progress",
    "hook_progress",
    "mcp_progress",
    "query_update",
    "search_results_received",
    "waiting_for_task",
];

impl Mapper<'_> {
    /// Maps a line that is no part of the conversation.
    pub(super) fn bookkeeping(&mut self, line: &Line<'_>) {
        match line.kind.as_str() {
            "summary" => self.summary(line),
            "ai-title" => self.given_title(line, TitleRank::Generated, line.ai_title.as_str()),
            "custom-title" => self.given_title(line, TitleRank::Human, line.custom_title.as_str()),
            "agent-name" => self.given_title(line, TitleRank::AgentName, line.agent_name.as_str()),
            "queue-operation" => self.queue_operation(line),
            "last-prompt" => self.value(line, &line.last_prompt),
            "mode" => self.value(line, &line.mode),
            "permission-mode" => self.value(line, &line.permission_mode),
            "bridge-session" => self.value(line, &line.bridge_session_id),
            "pr-link" => self.value(line, &line.pr_url),
            kind if NOTES.contains(&kind) => {
                if let Some(mut place) = self.open(line, "") {
                    self.note(&mut place, kind, Span::default());
                }
            }
            kind => self.unknown(kind, line),
        }
    }

    /// Maps a progress line. Those of sub-agents name the call that started them.
    pub(super) fn progress(&mut self, line: &Line<'_>) {
        let kind = line.data.field("type");
        let kind = kind.as_ref().and_then(|kind| decode(kind.as_raw_str())).unwrap_or_default();
        if !PROGRESS.contains(&&*kind) {
            return self.unknown(&format!("progress/{kind}"), line);
        }
        let Some(mut place) = self.open(line, "") else { return };
        if kind == "agent_progress"
            && let Some(agent) = line.data.field("agentId")
            && let Some(agent) = decode(agent.as_raw_str())
            && let Some(agent) = usable_id(&agent)
        {
            self.link_child(agent, usable_id(line.parent_tool_use_id.as_str()), None);
        }
        self.note(&mut place, &kind, Span::default());
    }

    /// A title the agent, the human or the harness gave.
    fn given_title(&mut self, line: &Line<'_>, rank: TitleRank, title: &str) {
        let mut clean = String::new();
        summarize(title, &mut clean);
        if clean.is_empty() {
            if let Some(mut place) = self.open(line, "") {
                self.note(&mut place, line.kind.as_str(), Span::default());
            }
            return;
        }
        self.title(rank, clean);
    }

    /// Summaries of other conversations are written into this file too; only one that names a
    /// record of this one is its title.
    fn summary(&mut self, line: &Line<'_>) {
        let leaf = EventKey::of(line.leaf_uuid.as_str());
        let is_mine = !line.leaf_uuid.is_empty()
            && (self.state.is_recent(leaf) || self.ancestry.has_event(&self.identity.me, leaf));
        if is_mine {
            return self.given_title(line, TitleRank::Summary, line.summary.as_str());
        }
        if let Some(mut place) = self.open(line, "") {
            let payload = self.out.text(line.summary.as_str());
            self.note(&mut place, "summary", payload);
        }
    }

    /// What was queued is said again when its turn comes; here it only waits.
    fn queue_operation(&mut self, line: &Line<'_>) {
        let Some(mut place) = self.open(line, "") else { return };
        let content = match &line.content {
            Content::Text(text) => text,
            _ => "",
        };
        if content.trim_start().starts_with("<task-notification>") {
            let parts = super::prompt::take_apart(content);
            for piece in &parts.pieces {
                self.piece(&mut place, piece);
            }
            if !place.is_bare() {
                return;
            }
        }
        let payload = self.out.text(content);
        let mut draft = self.note_draft(&mut place, "queue-operation", payload);
        draft.summary = self.out.opt_text(Some(line.operation.as_str()));
        self.out.event(draft);
    }

    /// A setting, rewritten again and again: equal ones are one event.
    fn value(&mut self, line: &Line<'_>, value: &Text<'_>) {
        let Some(mut place) = self.open_value(line, value.as_str()) else { return };
        let payload = self.out.text(value.as_str());
        self.note(&mut place, line.kind.as_str(), payload);
    }
}
