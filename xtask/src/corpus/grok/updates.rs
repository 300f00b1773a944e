//! `updates.jsonl`, the log Grok itself resumes from, with the events and the chat beside it.

use super::{MODEL, Session, tool_of};
use crate::corpus::clock::iso;
use crate::corpus::json::{Json, Raw, object};
use crate::corpus::secrets::split_over_escapes;
use crate::corpus::work::Step;

const ACP: &str = "session/update";
const VENDOR: &str = "_x.ai/session/update";
/// Bytes of a command's output that are also written as numbers.
const BYTE_LIST_LIMIT: usize = 6_000;

impl Session<'_, '_> {
    fn update(&mut self, method: &str, kind: &str, body: impl FnOnce(&mut Json)) {
        self.wait(1, 40);
        self.sequence += 1;
        let prompt = (method == ACP).then(|| self.prompt_id.clone());
        self.updates.open().put("timestamp", self.now / 1_000).put("method", method);
        self.updates.open_in("params").put("sessionId", &self.id).open_in("update");
        self.updates.put("sessionUpdate", kind);
        body(&mut self.updates);
        self.updates.close().open_in("_meta");
        self.updates.put("eventId", &format!("{}-{}", self.id, self.sequence));
        self.updates.put("agentTimestampMs", self.now).maybe("promptId", prompt.as_ref());
        self.updates.close().close().close().newline();
    }

    /// A line of `events.jsonl`.
    pub(super) fn event_line(&mut self, kind: &str, fields: &str) {
        self.events.open().put("ts", &iso(self.now)).put("type", kind).fields(fields).close();
        self.events.newline();
    }

    fn phase(&mut self, phase: &str) {
        self.event_line("phase_changed", &format!("\"phase\":\"{phase}\""));
    }

    fn chat_line(&mut self, kind: &str, body: impl FnOnce(&mut Json)) {
        self.chat.open().put("type", kind);
        body(&mut self.chat);
        self.chat.close().newline();
    }

    /// The prompt of a turn.
    pub(super) fn opening(&mut self) {
        let file = format!("{}/updates.jsonl", self.folder);
        let (prompt, escaped) = self.bed.prompt(&file);
        let index = self.turns.len() as u64;
        let started = format!(
            "\"session_id\":\"{}\",\"turn_number\":{index},\"model_id\":\"{MODEL}\",\"yolo_mode\":true,\"conversation_message_count\":{},\"session_relationship\":\"{}\",\"schema_version\":\"1.0\"",
            self.id,
            index * 6 + 3,
            self.kind
        );
        self.event_line("turn_started", &started);
        if index == 0 {
            self.hook("session_start");
        }
        self.hook("user_prompt_submit");
        let start = self.updates.len();
        self.update(ACP, "user_message_chunk", |json| {
            json.open_in("content").put("type", "text").put("text", &prompt).close();
            json.open_in("_meta").put("modelId", MODEL).put("promptIndex", index).close();
        });
        if let Some(secret) = escaped {
            self.updates.replace_after(start, &secret, &split_over_escapes(&secret));
        }
        self.chat_line("user", |json| {
            json.list_in("content").open().put("type", "text");
            json.put("text", &format!("<user_query>\n{prompt}\n</user_query>")).close().end_list();
            json.put("prompt_index", index);
        });
        self.unseen += prompt.len() as u64;
        if self.kind == "primary" {
            self.sums.records.user_prompts += 1;
        } else {
            self.sums.records.subagent_prompts += 1;
        }
        self.phase("waiting_for_model");
    }

    fn hook(&mut self, event: &str) {
        let name = format!("global/tracker:{event}[0].hooks[0]");
        self.update(VENDOR, "hook_execution", |json| {
            json.put("event_name", event).list_in("runs").open().put("name", &name);
            json.put("status", Raw(r#"{"status":"success","elapsed_ms":33}"#)).close().end_list();
        });
    }

    /// A thought.
    pub(super) fn think(&mut self, text: &str) {
        self.event_line("first_token", "");
        self.phase("streaming_reasoning");
        self.update(ACP, "agent_thought_chunk", |json| {
            json.open_in("content").put("type", "text").put("text", text).close();
        });
        self.chat_line("reasoning", |json| {
            json.put("id", "").list_in("summary").open().put("type", "summary_text");
            json.put("text", text).close().end_list();
        });
        self.sums.records.thinking += 1;
    }

    /// A text.
    pub(super) fn say(&mut self, text: &str) {
        for _ in 0..self.bed.writer.rng.range(2, 9) {
            self.phase("streaming_text");
        }
        self.update(ACP, "agent_message_chunk", |json| {
            json.open_in("content").put("type", "text").put("text", text).close();
        });
        self.chat_line("assistant", |json| {
            json.put("content", text).put("model_id", MODEL);
        });
        self.sums.records.assistant_texts += 1;
    }

    /// A tool call with its updates; tells how many bytes the model wrote.
    pub(super) fn tool(&mut self, step: &Step) -> usize {
        let id = format!("call_{}", self.bed.writer.rng.hex(24));
        let (name, kind, input) = tool_of(step);
        let meta = format!(
            "{{\"x.ai/tool\":{{\"version\":1,\"name\":\"{name}\",\"kind\":\"{kind}\",\"namespace\":\"grok_build\",\"label\":\"Tool\",\"read_only\":false}}}}"
        );
        self.phase("tool_execution");
        self.event_line("tool_started", &format!("\"tool_name\":\"{name}\""));
        self.update(ACP, "tool_call", |json| {
            json.put("toolCallId", &id).put("title", name).put("rawInput", Raw(&input));
            json.put("_meta", Raw(&meta));
        });
        self.hook("pre_tool_use");
        self.wait(40, 6_000);
        let (shown, raw, failed) = outcome(step);
        let status = if failed { "failed" } else { "completed" };
        self.update(ACP, "tool_call_update", |json| {
            json.put("toolCallId", &id).put("kind", kind).put("status", status);
            json.put("title", name).list_in("content").open().put("type", "content");
            json.open_in("content").put("type", "text").put("text", &shown).close().close();
            json.end_list().put("rawOutput", Raw(&raw)).put("_meta", Raw(&meta));
        });
        let outcome = if failed { "error" } else { "success" };
        self.event_line(
            "tool_completed",
            &format!("\"tool_name\":\"{name}\",\"duration_ms\":12,\"outcome\":\"{outcome}\",\"tool_call_id\":\"{id}\""),
        );
        self.hook("post_tool_use");
        self.chat_line("assistant", |json| {
            json.put("content", "").list_in("tool_calls").open().put("id", &id);
            json.put("name", name).put("arguments", &input).close().end_list();
        });
        self.chat_line("tool_result", |json| {
            json.put("tool_call_id", &id).put("content", &shown);
        });
        self.sums.records.tool_calls += 1;
        self.sums.records.tool_results += 1;
        self.unseen += shown.len() as u64;
        input.len()
    }

    /// The end of a turn and what it cost; now and then a second writer cut it short before.
    pub(super) fn completed(&mut self) {
        let spent = self.spent;
        if self.bed.writer.rng.below(50) == 0 {
            self.turn_completed(
                "interrupted",
                Some(super::Spent { output: spent.output / 2, ..spent }),
            );
        }
        self.turn_completed("end_turn", Some(spent));
        self.event_line("turn_ended", "\"outcome\":\"completed\"");
        self.hook("stop");
        self.turns.push((self.now, spent));
        self.sums.tokens.add(spent.tokens());
    }

    /// A turn a person broke off: nothing is said of its cost.
    pub(super) fn cancelled(&mut self) {
        self.turn_completed("cancelled", None);
        let fields = "\"outcome\":\"cancelled\",\"cancellation_category\":\"mid_turn_abort\"";
        self.event_line("turn_ended", fields);
        self.sums.records.interrupts += 1;
        self.turns.push((self.now, super::Spent::default()));
    }

    fn turn_completed(&mut self, reason: &str, spent: Option<super::Spent>) {
        let prompt = self.prompt_id.clone();
        self.update(VENDOR, "turn_completed", |json| {
            json.put("prompt_id", &prompt).put("stop_reason", reason);
            if let Some(spent) = spent {
                let fields = spent.fields();
                json.open_in("usage").fields(&fields).put("apiDurationMs", 12_000_u64);
                json.open_in("modelUsage").open_in(MODEL).fields(&fields).close().close();
                json.put("numTurns", spent.calls).close();
            }
            json.put("elapsed_ms", 21_174_u64);
        });
    }

    /// A sub-agent's beginning and end, as its parent sees them.
    pub(super) fn subagent_updates(&mut self, child: &str, calls: u64) {
        let parent = self.id.clone();
        self.update(VENDOR, "subagent_spawned", |json| {
            json.put("subagent_id", child).put("child_session_id", child);
            json.put("parent_session_id", &parent).put("subagent_type", "explore");
            json.put("description", "look into it").put("effective_context_source", "new");
        });
        let output = self.bed.writer.prose(500);
        self.update(VENDOR, "subagent_finished", |json| {
            json.put("subagent_id", child).put("child_session_id", child);
            json.put("status", "completed").put("output", &output).put("tool_calls", calls);
            json.put("turns", 1_u64).put("duration_ms", 61_000_u64);
        });
        self.subagent_meta(child, calls);
    }
}

/// What the model sees, the raw output, and whether it failed.
fn outcome(step: &Step) -> (String, String, bool) {
    match step {
        Step::Run { command, output, exit_code } => {
            let head: String = output.chars().take(BYTE_LIST_LIMIT).collect();
            let bytes: Vec<String> = head.bytes().map(|byte| byte.to_string()).collect();
            let shown = format!("exit: {exit_code}\n{output}");
            let raw = object(|json| {
                json.put("type", "Bash").put("output", Raw(&format!("[{}]", bytes.join(","))));
                json.put("output_for_prompt", &shown).put("exit_code", *exit_code);
                json.put("command", command).put("truncated", head.len() < output.len());
                json.put("timed_out", false);
            });
            (shown, raw, *exit_code > 0)
        }
        Step::Read { path, content } => {
            let shown = content.clone().unwrap_or_else(|| format!("Error: {path} not found"));
            let raw = object(|json| {
                json.put("type", "ReadFile").put("content", &shown);
            });
            (shown, raw, content.is_none())
        }
        Step::Edit { path, old, new, .. } => {
            let raw = object(|json| {
                json.put("type", "SearchReplace").put("path", path);
                json.put("old_text", old).put("new_text", new);
            });
            (format!("The file {path} has been updated."), raw, false)
        }
        Step::Write { path, .. } => {
            (format!("Wrote {path}"), r#"{"type":"Write"}"#.to_owned(), false)
        }
        Step::Search { output, .. } => {
            let raw = object(|json| {
                json.put("type", "Grep").put("output_for_prompt", output);
            });
            (output.clone(), raw, false)
        }
    }
}
