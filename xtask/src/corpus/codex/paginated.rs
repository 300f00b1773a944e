//! The numbered dialect (0.147 on): items as people see them beside the items of the model.

use super::items::Call;
use super::rollout::Rollout;
use crate::corpus::family::{Family, Seedbed};
use crate::corpus::json::{Raw, Texts, object};
use crate::corpus::secrets::split_over_escapes;

/// A thread, its sub-agents, and sometimes a fork.
pub(crate) fn family(bed: &mut Seedbed<'_>) -> Family {
    let minor = (147 + (bed.age.max(640) - 640) * 20 / 360).min(166);
    let now = bed.moment(bed.age.min(980), bed.age.min(980) + 15);
    let mut rollout = Rollout::new(bed, "codex-paginated", minor, now);
    rollout.ordinal = Some(0);
    rollout.session_meta("", "\"cli\"");
    super::spawn::finish(rollout)
}

impl Rollout<'_, '_> {
    /// An `item_completed` event.
    pub(crate) fn completed(&mut self, item: &str) {
        let (thread, turn, at) = (self.id.clone(), self.turn_id.clone(), self.now);
        let json = self.event("item_completed").put("thread_id", &thread).put("turn_id", &turn);
        json.put("item", Raw(item)).put("started_at_ms", at).put("completed_at_ms", at + 40);
        self.finish();
    }

    /// What opens a turn, and the prompt.
    pub(crate) fn paginated_prompt(&mut self) {
        let first = self.turn_id.is_empty();
        self.turn_id = self.bed.writer.rng.uuid7(self.now);
        let (turn, cwd, model) = (self.turn_id.clone(), self.bed.cwd.clone(), self.model());
        let seconds = self.now / 1_000;
        let json = self.event("task_started").put("turn_id", &turn).put("root_turn_id", &turn);
        json.put("started_at", seconds).put("model_context_window", 258_400_u64);
        json.put("collaboration_mode_kind", "default");
        self.finish();
        if first {
            self.first_turn();
        }
        let json = self.begin("turn_context").put("turn_id", &turn).put("cwd", &cwd);
        json.put("approval_policy", "never")
            .put("sandbox_policy", Raw(r#"{"type":"danger-full-access"}"#));
        json.put("permission_profile", Raw(r#"{"type":"disabled"}"#)).put("model", model);
        json.put("realtime_active", false).put("summary", "none");
        self.finish();
        let file = self.path.clone();
        let (prompt, escaped) = self.bed.prompt(&file);
        let start = self.out.len();
        self.message_item("user", &prompt);
        let id = self.bed.writer.rng.uuid7(self.now);
        self.completed(&object(|json| {
            json.put("type", "UserMessage").put("id", &id).list_in("content").open();
            json.put("type", "text").put("text", &prompt).put("text_elements", Raw("[]"));
            json.close().end_list();
        }));
        if let Some(secret) = escaped {
            self.out.replace_after(start, &secret, &split_over_escapes(&secret));
        }
        self.count_prompt(&prompt);
    }

    fn first_turn(&mut self) {
        let size = if self.bed.tiny { 100 } else { 2_500 };
        let skills = self.bed.writer.prose(size);
        let developer = format!("<skills_instructions>\n{skills}\n</skills_instructions>");
        self.message_item("developer", &developer);
        self.environment_item();
        let cwd = self.bed.cwd.clone();
        let json = self.begin("world_state").put("full", true).open_in("state");
        json.open_in("environments").put("cwd", &cwd).put("shell", "bash").close();
        json.open_in("host_skills").put("body", &skills).close().put("model", "gpt-5.5").close();
        self.finish();
    }

    /// A thought: the item people see and the item of the model.
    pub(crate) fn paginated_reasoning(&mut self) -> u64 {
        let summary = self.summary();
        let id = format!("rs_{}", self.bed.writer.rng.hex(48));
        let texts = if summary.is_empty() { Vec::new() } else { vec![summary.clone()] };
        self.completed(&object(|json| {
            json.put("type", "Reasoning").put("id", &id).put("summary_text", Texts(&texts));
            json.put("raw_content", Raw("[]"));
        }));
        self.reasoning_item(&summary);
        summary.len() as u64 + 200
    }

    /// A call, the item people see, and the output.
    pub(crate) fn paginated_call(&mut self, call: &Call) {
        self.call_item(call);
        self.wait(30, 9_000);
        let status = if call.exit_code == 0 { "completed" } else { "failed" };
        let cwd = format!("file://{}", self.bed.cwd);
        let argv = [String::from("/bin/bash"), "-lc".to_owned(), call.command.clone()];
        let item = object(|json| {
            if let Some((path, change)) = &call.patch {
                json.put("type", "FileChange").put("id", &call.id).open_in("changes");
                json.open_in(path).put("type", "update").put("unified_diff", change);
                json.put("move_path", None::<u64>).close().close().put("status", "completed");
                json.put("stdout", &call.output).put("stderr", "");
                return;
            }
            json.put("type", "CommandExecution").put("id", &call.id).put("process_id", "71685");
            json.put("command", Texts(&argv)).put("cwd", &cwd).put("parsed_cmd", Raw("[]"));
            json.put("source", "unified_exec_startup").put("status", status);
            json.put("aggregated_output", &call.output).put("exit_code", call.exit_code);
            json.put("duration", Raw(r#"{"secs":0,"nanos":5544000}"#));
        });
        self.completed(&item);
        self.output_item(call);
    }

    /// A text: the item people see and the item of the model.
    pub(crate) fn paginated_text(&mut self, text: &str) {
        let id = format!("msg_{}", self.bed.writer.rng.hex(24));
        self.completed(&object(|json| {
            json.put("type", "AgentMessage").put("id", &id).list_in("content").open();
            json.put("type", "Text").put("text", text).close().end_list();
        }));
        self.message_item("assistant", text);
        self.sums.records.assistant_texts += 1;
    }

    /// The newest versions write what each response cost.
    pub(crate) fn usage_record(&mut self) {
        if self.ordinal.is_none() || self.minor < 153 {
            return;
        }
        let (last, total) = (self.last.json(true), self.total.json(true));
        let (thread, root, turn) = (self.id.clone(), self.root.clone(), self.turn_id.clone());
        let response = format!("resp_{}", self.bed.writer.rng.hex(24));
        let json = self.begin("token_usage_record").put("thread_id", &thread);
        json.put("turn_id", &turn).put("session_id", &root).put("root_turn_id", &turn);
        json.put("response_id", &response).put("usage", Raw(&last));
        json.put("turn_token_usage", Raw(&last)).put("thread_token_usage", Raw(&total));
        self.finish();
    }
}
