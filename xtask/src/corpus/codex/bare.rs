//! The first Rust versions: bare items, one per line, without times or tokens.

use super::rollout::Rollout;
use crate::corpus::clock::iso;
use crate::corpus::family::{Family, Seedbed};
use crate::corpus::json::NULL;

/// One rollout.
pub(crate) fn family(bed: &mut Seedbed<'_>) -> Family {
    let now = bed.moment(10, 160);
    let mut rollout = Rollout::new(bed, "codex-bare", 20, now);
    rollout.bare_meta();
    let target = rollout.bed.target;
    while rollout.out.len() < target {
        rollout.bare_turn();
    }
    rollout.close()
}

impl Rollout<'_, '_> {
    fn bare_meta(&mut self) {
        let instructions = self.bed.writer.prose(if self.bed.tiny { 100 } else { 1_200 });
        let commit = self.bed.writer.rng.hex(40);
        self.out.open().put("id", &self.id).put("timestamp", &iso(self.now));
        self.out.put("instructions", &instructions).open_in("git").put("commit_hash", &commit);
        self.out.put("branch", &self.bed.branch);
        self.out.put("repository_url", "git@github.com:example/app.git").close().close().newline();
        let context = format!(
            "<environment_context>\nCurrent working directory: {}\nApproval policy: never\n</environment_context>",
            self.bed.cwd
        );
        self.bare_message("user", &context);
    }

    fn bare_message(&mut self, role: &str, text: &str) {
        let kind = if role == "assistant" { "output_text" } else { "input_text" };
        self.out.open().put("type", "message").put("id", NULL).put("role", role);
        self.out.list_in("content").open().put("type", kind).put("text", text);
        self.out.close().end_list().close().newline();
    }

    fn bare_turn(&mut self) {
        let file = self.path.clone();
        let (prompt, _) = self.bed.prompt(&file);
        self.bare_message("user", &prompt);
        self.sums.records.user_prompts += 1;
        self.state();
        let rounds = if self.bed.tiny { 1 } else { self.bed.writer.rng.range(1, 9) };
        for _ in 0..rounds {
            let thought = self.bed.writer.thoughts(200);
            self.out.open().put("type", "reasoning").put("id", "").list_in("summary").end_list();
            self.out.list_in("content").open().put("type", "reasoning_text").put("text", &thought);
            self.out.close().end_list().put("encrypted_content", NULL).close().newline();
            self.sums.records.thinking += 1;
            self.bare_call();
            self.state();
        }
        let answer = self.bed.writer.prose(400);
        self.bare_message("assistant", &answer);
        self.sums.records.assistant_texts += 1;
        self.state();
        self.wait(10_000, 400_000);
    }

    fn state(&mut self) {
        self.out.open().put("record_type", "state").close().newline();
    }

    fn bare_call(&mut self) {
        let call = self.call();
        let command = match &call.patch {
            Some((_, patch)) => format!("apply_patch <<'EOF'\n{patch}\nEOF"),
            None => call.command.clone(),
        };
        let arguments = serde_json::json!({"command": ["bash", "-lc", command]}).to_string();
        let output = serde_json::json!({
            "output": call.output,
            "metadata": {"exit_code": call.exit_code, "duration_seconds": 0.4},
        })
        .to_string();
        self.out.open().put("type", "function_call").put("id", NULL).put("name", "shell");
        self.out.put("arguments", &arguments).put("call_id", &call.id).close().newline();
        self.out.open().put("type", "function_call_output").put("call_id", &call.id);
        self.out.put("output", &output).close().newline();
        self.sums.records.tool_calls += 1;
        self.sums.records.tool_results += 1;
    }
}
