//! The wrapped dialect (0.34–0.144): items of the model and events that mirror them.

use super::items::Call;
use super::rollout::Rollout;
use crate::corpus::family::{Family, Seedbed};
use crate::corpus::json::{Raw, object};
use crate::corpus::secrets::split_over_escapes;

/// A thread, its sub-agents, and sometimes a fork.
pub(crate) fn family(bed: &mut Seedbed<'_>) -> Family {
    let minor = 34 + (bed.age - 130) * 110 / 510;
    let now = bed.moment(bed.age, bed.age + 15);
    let mut rollout = Rollout::new(bed, "codex-legacy", minor, now);
    rollout.session_meta("", "\"cli\"");
    super::spawn::finish(rollout)
}

impl Rollout<'_, '_> {
    /// What opens a turn, and the prompt.
    pub(crate) fn legacy_prompt(&mut self) {
        let first = self.turn_id.is_empty();
        self.turn_id = self.bed.writer.rng.uuid7(self.now);
        let (turn, cwd, model) = (self.turn_id.clone(), self.bed.cwd.clone(), self.model());
        let seconds = self.now / 1_000;
        if self.minor >= 100 {
            let json = self.event("task_started").put("turn_id", &turn);
            json.put("started_at", seconds).put("model_context_window", 258_400_u64);
            json.put("collaboration_mode_kind", "default");
            self.finish();
        }
        if first {
            self.environment_item();
        }
        let key = if self.minor < 90 { "mode" } else { "type" };
        let minor = self.minor;
        let json = self.begin("turn_context");
        if minor >= 98 {
            json.put("turn_id", &turn);
        }
        json.put("cwd", &cwd).put("approval_policy", "never").open_in("sandbox_policy");
        json.put(key, "danger-full-access").close().put("model", model).put("effort", "high");
        json.put("summary", "auto");
        self.finish();
        let file = self.path.clone();
        let (prompt, escaped) = self.bed.prompt(&file);
        let start = self.out.len();
        self.message_item("user", &prompt);
        let json = self.event("user_message").put("message", &prompt);
        if minor < 60 {
            json.put("kind", "plain");
        } else {
            json.put("images", Raw("[]")).put("local_images", Raw("[]"));
            json.put("text_elements", Raw("[]"));
        }
        self.finish();
        if let Some(secret) = escaped {
            self.out.replace_after(start, &secret, &split_over_escapes(&secret));
        }
        self.count_prompt(&prompt);
        if self.bed.writer.rng.percent(30) {
            self.token_count_empty();
        }
    }

    /// Counts a prompt.
    pub(crate) fn count_prompt(&mut self, prompt: &str) {
        self.unseen += prompt.len() as u64;
        if self.is_child {
            self.sums.records.subagent_prompts += 1;
        } else {
            self.sums.records.user_prompts += 1;
        }
    }

    /// A thought: the event and the item.
    pub(crate) fn legacy_reasoning(&mut self) -> u64 {
        let summary = self.summary();
        if !summary.is_empty() {
            self.event("agent_reasoning").put("text", &summary);
            self.finish();
        }
        self.reasoning_item(&summary);
        summary.len() as u64 + 200
    }

    /// A call, its output, and what the version records around it.
    pub(crate) fn legacy_call(&mut self, call: &Call) {
        self.call_item(call);
        self.wait(30, 9_000);
        if (118..=128).contains(&self.minor) && call.patch.is_none() {
            self.exec_end(call);
        }
        if let Some((path, patch)) = call.patch.as_ref().filter(|_| self.minor >= 129) {
            let (turn, diff) = (self.turn_id.clone(), patch.clone());
            let json = self.event("patch_apply_end").put("call_id", &call.id);
            json.put("turn_id", &turn).put("stdout", &call.output).put("stderr", "");
            json.put("success", true).open_in("changes").open_in(path).put("type", "update");
            json.put("unified_diff", &diff).put("move_path", None::<u64>).close().close();
            json.put("status", "completed");
            self.finish();
        }
        self.output_item(call);
    }

    fn exec_end(&mut self, call: &Call) {
        let (turn, cwd) = (self.turn_id.clone(), self.bed.cwd.clone());
        let status = if call.exit_code == 0 { "completed" } else { "failed" };
        let argv = [String::from("/bin/bash"), "-lc".to_owned(), call.command.clone()];
        let json = self.event("exec_command_end").put("call_id", &call.id);
        json.put("process_id", "29959").put("turn_id", &turn);
        json.put("command", crate::corpus::json::Texts(&argv)).put("cwd", &cwd);
        json.put("parsed_cmd", Raw("[]")).put("source", "unified_exec_startup");
        json.put("stdout", "").put("stderr", "").put("aggregated_output", &call.output);
        json.put("exit_code", call.exit_code).put("duration", Raw(r#"{"secs":0,"nanos":3958000}"#));
        json.put("formatted_output", &call.output).put("status", status);
        self.finish();
    }

    /// A text: the event and the item.
    pub(crate) fn legacy_text(&mut self, text: &str) {
        self.event("agent_message").put("message", text);
        self.finish();
        self.message_item("assistant", text);
        self.sums.records.assistant_texts += 1;
    }

    /// What closes a turn.
    pub(crate) fn task_complete(&mut self, text: &str) {
        if self.minor < 100 {
            return;
        }
        let (turn, seconds) = (self.turn_id.clone(), self.now / 1_000);
        let json = self.event("task_complete").put("turn_id", &turn);
        json.put("last_agent_message", text).put("completed_at", seconds);
        json.put("duration_ms", 61_234_u64);
        self.finish();
    }

    /// A person stops the agent.
    pub(crate) fn abort(&mut self) {
        let turn = self.turn_id.clone();
        self.message_item(
            "user",
            "<turn_aborted>\n  <reason>interrupted</reason>\n  <guidance>The user interrupted the previous turn on purpose.</guidance>\n</turn_aborted>",
        );
        self.event("turn_aborted").put("turn_id", &turn).put("reason", "interrupted");
        self.finish();
        self.sums.records.interrupts += 1;
    }

    /// The context is full: it is replaced, and the counters show an estimate.
    pub(crate) fn compact(&mut self) {
        let kept = self.kept_history();
        let message = if self.minor < 100 { self.bed.writer.prose(2_000) } else { String::new() };
        let json = self.begin("compacted").put("message", &message);
        json.put("replacement_history", Raw(&kept));
        self.finish();
        if self.ordinal.is_some() {
            let id = self.bed.writer.rng.uuid4();
            self.completed(&object(|json| {
                json.put("type", "ContextCompaction").put("id", &id);
            }));
        } else {
            self.event("context_compacted");
            self.finish();
        }
        self.context = 18_000;
        let estimate = object(|json| {
            for key in
                ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"]
            {
                json.put(key, 0_u64);
            }
            json.put("total_tokens", 18_000_u64);
        });
        if self.total != super::rollout::Counter::default() {
            self.token_count_line(&estimate);
        }
        self.sums.records.compactions += 1;
    }
}
