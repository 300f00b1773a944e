//! Events: turns, tasks and settings, and the person's view of the conversation.

use super::images::push_url;
use super::injected;
use super::items::string_or_json;
use super::outcome::Outcome;
use super::table::{Says, Scope, find};
use super::thread::{Cx, Note, Thread};
use super::tools::{Ended, Search, ToolUse, join_command};
use super::turns::{Identity, Stream, digest};
use super::wire::{Detail, Event, Part, Raw, Text, raw_str, read};
use crate::{SessionPatch, TitleRank};
use backstory_model::{EventKind, Role};
use std::borrow::Cow;

impl Thread {
    /// Maps one event.
    pub(super) fn event(&mut self, cx: &mut Cx<'_>, event: &Event<'_>, json: &str) {
        let Some(row) = find(Scope::Event, &event.kind) else {
            let name = format!("{}{}", Scope::Event.prefix(), event.kind.or("?"));
            return self.unknown(cx, &name);
        };
        self.cross(cx, &event.turn_id, row.2 == Says::Settings);
        if row.2 == Says::ItemCompleted {
            return self.turn_item(cx, raw_str(&event.item));
        }
        match row.2 {
            Says::TokenCount => {
                let info = read(raw_str(&event.info)).unwrap_or_default();
                self.token_count(cx, &info);
            }
            Says::TokenRecord => self.token_record(cx, &read(json).unwrap_or_default()),
            Says::UserMessage => self.user_event(cx, event),
            Says::AgentMessage => self.answer(cx, Stream::Screen, &event.message, ""),
            Says::AgentReasoning => self.thought(cx, Stream::Screen, &event.text, ""),
            _ => self.event_or_item(cx, event, row.1, row.2),
        }
    }

    /// Maps what events and completed items say alike.
    pub(super) fn event_or_item(
        &mut self,
        cx: &mut Cx<'_>,
        event: &Event<'_>,
        name: &'static str,
        says: Says,
    ) {
        match says {
            Says::TaskStarted | Says::TaskComplete | Says::TurnAborted => {
                self.task(cx, event, says);
            }
            Says::RolledBack => self.rolled_back(cx, event),
            Says::Settings | Says::Goal | Says::ThreadName => self.settings(cx, event, says),
            Says::ReviewEntered | Says::ReviewExited => self.review(cx, event, says),
            Says::CommandEnd => self.command_end(cx, event),
            Says::PatchEnd => self.patch_end(cx, event),
            Says::McpEnd => self.mcp_end(cx, event),
            Says::ToolEnd => self.tool_end(cx, event, name),
            Says::SpawnEnd => self.spawn_end(cx, event),
            Says::WebSearchEnd => self.search_end(cx, event),
            Says::ImageEnd => self.image_end(cx, event),
            Says::Activity => self.activity(cx, event),
            Says::Compacted => self.compaction(cx, name, ""),
            Says::Error => self.error(cx, event),
            _ => self.note(cx, name, &event.message),
        }
    }

    fn user_event(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        let stated = match &*event.sort {
            "user_instructions" => Some("user_instructions"),
            "environment_context" => Some("environment_context"),
            _ => None,
        };
        if let Some(name) = stated.or_else(|| injected::marker(&event.message)) {
            return self.inject(cx, Stream::Screen, name, &event.message);
        }
        self.screen_prompt(cx, &event.message, |out| {
            let images: Vec<Text<'_>> = read(raw_str(&event.images)).unwrap_or_default();
            let local: Vec<Text<'_>> = read(raw_str(&event.local_images)).unwrap_or_default();
            for image in images.iter().chain(&local) {
                out.push('\n');
                push_url(out, image);
            }
        });
    }

    /// A prompt on the screen: the human's, or in a review the harness's.
    pub(super) fn screen_prompt(
        &mut self,
        cx: &mut Cx<'_>,
        text: &str,
        attachments: impl FnOnce(&mut String),
    ) {
        if self.task.review {
            self.inject(cx, Stream::Screen, "review_prompt", text);
        } else {
            self.prompt(cx, Stream::Screen, text, attachments);
        }
    }

    fn task(&mut self, cx: &mut Cx<'_>, event: &Event<'_>, says: Says) {
        let turn_id = event.turn_id.to_string();
        let identity = |tag: &'static str| match turn_id.as_str() {
            "" => Identity::InTurn(tag, 0),
            id => Identity::Named(tag, id),
        };
        let (note, text) = match says {
            Says::TaskStarted => {
                self.task.running = true;
                self.task.prompts = 0;
                (Note::lifecycle(identity("task_started"), "task_started"), Cow::Borrowed(""))
            }
            Says::TaskComplete => {
                self.task.running = false;
                let failure = failure_text(&event.error);
                let kind =
                    if failure.is_empty() { EventKind::Completion } else { EventKind::Error };
                let note = Note::new(identity("task_complete"), kind, Role::System);
                // The last message itself is an event already.
                (Note { tool: "task_complete", ..note }, failure)
            }
            _ => {
                self.task.running = false;
                let by_human = &*event.reason == "interrupted" || event.reason.is_empty();
                let (kind, role) = if by_human {
                    (EventKind::HumanIntervention, Role::User)
                } else {
                    (EventKind::Lifecycle, Role::System)
                };
                let note = Note::new(identity("turn_aborted"), kind, role);
                (Note { tool: "turn_aborted", ..note }, Cow::Borrowed(&*event.reason))
            }
        };
        let duration_ms = event.duration_ms.0;
        self.emit(cx, &Note { native_id: &turn_id, duration_ms, ..note }, |out| {
            out.push_str(&text);
        });
    }

    fn rolled_back(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        let turns = event.num_turns.0.unwrap_or_default();
        let identity = Identity::InTurn("thread_rolled_back", turns);
        let note = Note::new(identity, EventKind::HumanIntervention, Role::User);
        let summary = format!("rolled back {turns} turns");
        let note = Note { tool: "thread_rolled_back", summary: &summary, ..note };
        self.emit(cx, &note, |_| {});
    }

    fn settings(&mut self, cx: &mut Cx<'_>, event: &Event<'_>, says: Says) {
        match says {
            Says::Settings => {
                let settings: Detail<'_> =
                    read(raw_str(&event.thread_settings)).unwrap_or_default();
                let name = "thread_settings_applied";
                let note = Note::lifecycle(Identity::InTurn(name, digest(&settings.model)), name);
                if self.emit(cx, &note, |out| out.push_str(&settings.model)) {
                    self.use_own_model(cx, &settings.model);
                    self.use_cwd(cx, &settings.cwd);
                }
            }
            Says::Goal => {
                let goal: Detail<'_> = read(raw_str(&event.goal)).unwrap_or_default();
                self.note(cx, "thread_goal_updated", &goal.objective);
            }
            _ => {
                if !self.lineage.is_copying()
                    && let Some(name) = event.thread_name.some()
                {
                    self.told.title = true;
                    let title = Some((TitleRank::Human, name.to_owned()));
                    self.patch(cx, SessionPatch { title, ..SessionPatch::default() });
                }
                self.note(cx, "thread_name_updated", &event.thread_name);
            }
        }
    }

    fn review(&mut self, cx: &mut Cx<'_>, event: &Event<'_>, says: Says) {
        self.task.review = says == Says::ReviewEntered;
        if self.task.review {
            self.note(cx, "entered_review_mode", &event.user_facing_hint);
        } else {
            self.note(cx, "exited_review_mode", raw_str(&event.review_output));
        }
    }

    fn activity(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        self.link_child(cx, &event.new_thread_id, "", &event.agent_path);
        let text = format!("{} {}", event.sort.or("?"), event.agent_path.or(&event.new_thread_id));
        self.note(cx, "sub_agent_activity", &text);
    }

    fn error(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        let nested = failure_text(&event.error);
        let text = event.message.or(&nested);
        let identity = Identity::InTurn("error", digest(text));
        let note = Note::new(identity, EventKind::Error, Role::System);
        self.emit(cx, &Note { tool: "error", ..note }, |out| out.push_str(text));
    }

    fn command_end(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        let outcome = outcome_of(event);
        if self.completes(&event.id, outcome) {
            return;
        }
        let command = join_command(raw_str(&event.command)).unwrap_or_default();
        let input = sonic_rs::to_string(&command).unwrap_or_default();
        let input = format!("{{\"cmd\":{input}}}");
        let by_human = &*event.source == "user_shell";
        let role = if by_human { Role::User } else { Role::Assistant };
        let call = ToolUse { role, ..ToolUse::new("exec_command", &event.id, &input) };
        let mut output = string_or_json(&event.aggregated_output).into_owned();
        if output.is_empty() {
            output = outputs(event);
        }
        self.ended(cx, Ended { call, outcome, output: Some(output) });
    }

    fn patch_end(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        let outcome = outcome_of(event);
        if self.completes(&event.id, outcome) {
            return;
        }
        let changes = raw_str(&event.changes);
        let call =
            ToolUse { files: keys_of(changes), ..ToolUse::new("apply_patch", &event.id, changes) };
        self.ended(cx, Ended { call, outcome, output: Some(outputs(event)) });
    }

    fn mcp_end(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        let invocation: Detail<'_> = read(raw_str(&event.invocation)).unwrap_or_default();
        let server = event.server.or(&invocation.server);
        let tool = format!("mcp__{server}__{}", event.tool.or(&invocation.tool));
        let arguments = match raw_str(&event.arguments) {
            "" => raw_str(&invocation.arguments),
            arguments => arguments,
        };
        let call = ToolUse::new(&tool, &event.id, arguments);
        let (output, failed) = mcp_result(event);
        let mut outcome = outcome_of(event);
        outcome.failed |= failed;
        self.ended(cx, Ended { call, outcome, output: Some(output) });
    }

    fn tool_end(&mut self, cx: &mut Cx<'_>, event: &Event<'_>, name: &'static str) {
        let tool = match name {
            "view_image_tool_call" | "ImageView" => "view_image",
            "collab_agent_interaction_end" => "send_input",
            "collab_waiting_end" => "wait_agent",
            "collab_close_end" => "close_agent",
            "collab_resume_end" => "resume_agent",
            _ => event.tool.or("dynamic_tool"),
        };
        let input = match raw_str(&event.arguments) {
            "" => event.prompt.or(&event.path),
            arguments => arguments,
        };
        let output = if name == "dynamic_tool_call_request" {
            None
        } else {
            Some(parts_text(raw_str(&event.content_items)))
        };
        let call = ToolUse::new(tool, &event.id, input);
        self.ended(cx, Ended { call, outcome: outcome_of(event), output });
    }

    fn spawn_end(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        let children: Vec<Text<'_>> = read(raw_str(&event.receiver_thread_ids)).unwrap_or_default();
        let tool = event.tool.or("spawn_agent");
        if tool == "spawn_agent" {
            let name = &event.new_agent_nickname;
            self.link_child(cx, &event.new_thread_id, &event.id, name);
            for child in &children {
                self.link_child(cx, child, &event.id, name);
            }
        }
        let call = ToolUse::new(tool, &event.id, &event.prompt);
        let output = Some(status_text(event));
        self.ended(cx, Ended { call, outcome: outcome_of(event), output });
    }

    /// A web search told on the screen.
    pub(super) fn search_end(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        let search = Search {
            id: &event.id,
            query: &event.query,
            action: raw_str(&event.action),
            results: raw_str(&event.results),
        };
        self.web_search(cx, Stream::Screen, &search);
    }

    /// A generated image told on the screen.
    pub(super) fn image_end(&mut self, cx: &mut Cx<'_>, event: &Event<'_>) {
        if !event.id.is_empty() && self.calls.is_done(&event.id) {
            return;
        }
        let result: Text<'_> = read(raw_str(&event.result)).unwrap_or_default();
        self.image(cx, &event.id, event.prompt.or(&event.path), &result);
    }
}

/// The message of an error object or text.
fn failure_text<'a>(error: &'a Raw<'_>) -> Cow<'a, str> {
    let json = raw_str(error);
    let detail: Option<Detail<'a>> = read(json);
    match detail {
        Some(detail) if !detail.message.is_empty() => detail.message.0,
        _ => string_or_json(error),
    }
}

fn status_text(event: &Event<'_>) -> String {
    string_or_json(&event.status).into_owned()
}

/// How a call ended, by the fields of an event or item.
fn outcome_of(event: &Event<'_>) -> Outcome {
    let duration: Detail<'_> = read(raw_str(&event.duration)).unwrap_or_default();
    let from_parts = duration
        .secs
        .0
        .map(|secs| secs.saturating_mul(1000) + duration.nanos.0.unwrap_or_default() / 1_000_000);
    let status = string_or_json(&event.status);
    Outcome {
        exit_code: event.exit_code.0.map(|code| code as i32),
        duration_ms: from_parts.or(event.duration_ms.0),
        failed: event.success.0 == Some(false)
            || matches!(&*status, "failed" | "declined")
            || !raw_str(&event.error).is_empty(),
    }
}

fn outputs(event: &Event<'_>) -> String {
    let mut output = string_or_json(&event.stdout).into_owned();
    let stderr = string_or_json(&event.stderr);
    if !output.is_empty() && !stderr.is_empty() {
        output.push('\n');
    }
    output.push_str(&stderr);
    output
}

/// The keys of a JSON object: the files of a change.
fn keys_of(json: &str) -> Vec<Cow<'_, str>> {
    let iter = sonic_rs::to_object_iter(json);
    iter.map_while(Result::ok).map(|(key, _)| Cow::Owned(key.to_string())).collect()
}

fn parts_text(json: &str) -> String {
    let parts: Vec<Part<'_>> = read(json).unwrap_or_default();
    let mut text = String::new();
    super::images::push_parts(&mut text, &parts);
    text
}

/// The result of an MCP call in both spellings, and whether it failed.
fn mcp_result(event: &Event<'_>) -> (String, bool) {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct McpResult<'a> {
        #[serde(rename = "Ok", borrow)]
        ok: Raw<'a>,
        #[serde(rename = "Err", borrow)]
        err: Raw<'a>,
        #[serde(borrow)]
        content: Raw<'a>,
        #[serde(rename = "isError")]
        is_error: super::wire::Maybe<bool>,
    }
    let outer: McpResult<'_> = read(raw_str(&event.result)).unwrap_or_default();
    let inner: McpResult<'_> = read(raw_str(&outer.ok)).unwrap_or_default();
    if !raw_str(&outer.err).is_empty() {
        return (string_or_json(&outer.err).into_owned(), true);
    }
    if !raw_str(&event.error).is_empty() {
        return (failure_text(&event.error).into_owned(), true);
    }
    let content = match raw_str(&outer.content) {
        "" => raw_str(&inner.content),
        content => content,
    };
    (parts_text(content), outer.is_error.0 == Some(true) || inner.is_error.0 == Some(true))
}
