//! Codex CLI: a review of the mended test, and a change that came out of it.

use super::{Clock, DAY, HOUR, Stage};
use backstory_model::Timestamp;
use serde_json::{Value, json};
use std::io;

const REVIEW: &str = "019a7d3e-5a1e-7c0d-9b0c-0f10a3b1c2d4";

const PROMPT: &str =
    "Review SHOP-12: is the new expiry right everywhere it is used? Run all tests.";
const DIFF: &str = "-    let expires = now + Duration::from_secs(86_400);\n\
    +    let expires = now.to_zoned(zone).tomorrow()?.start_of_day()?.timestamp();";
const BROKEN: &str = "error[E0277]: the `?` operator can only be used in a function that returns \
    `Result`\n  --> src/checkout.rs:17:44\nerror: could not compile `teashop`";
const PATCH: &str = "*** Begin Patch\n*** Update File: src/checkout.rs\n@@\n\
    -pub fn begin(cart: Cart) -> Session {\n+pub fn begin(cart: Cart) -> Result<Session, Error> {\n\
    *** End Patch\n";
const ANSWER: &str = "The expiry is right, but `checkout` called it as if it could not fail, so \
    the crate did not compile. I let the error pass on; all 112 tests are green now.";

pub(super) fn write(stage: &Stage<'_>) -> io::Result<()> {
    let mut clock = stage.clock(DAY + 2 * HOUR);
    let start = clock.after(0);
    let mut rollout = Rollout { clock, lines: Vec::new(), spent: [0; 3] };
    let git = json!({"branch": "fix/SHOP-12-session-expiry"});
    rollout.line(
        0,
        "session_meta",
        &json!({"id": REVIEW, "timestamp": start.to_string(), "cwd": stage.cwd(), "git": git,
            "originator": "codex_cli_rs", "cli_version": "0.128.0", "source": "cli"}),
    );
    rollout.line(
        1,
        "turn_context",
        &json!({"cwd": stage.cwd(), "model": "gpt-5.2-codex", "approval_policy": "on-request",
            "effort": "medium", "summary": "auto"}),
    );
    rollout.event(0, &json!({"type": "task_started", "turn_id": "1"}));
    rollout.message(0, "user", "input_text", PROMPT);
    rollout.event(0, &json!({"type": "user_message", "message": PROMPT}));
    let thought = "**Looking at the diff** and at who calls it";
    let summary = json!([{"type": "summary_text", "text": thought}]);
    rollout.item(5, &json!({"type": "reasoning", "summary": summary}));
    rollout.run("call_demo_1", "git diff main -- src/session.rs", (0, 1, DIFF));
    rollout.spend(9_200, 7_100, 310);
    rollout.run("call_demo_2", "cargo test --all", (101, 38, BROKEN));
    rollout.item(
        6,
        &json!({"type": "custom_tool_call", "call_id": "call_demo_3", "name": "apply_patch",
            "status": "completed", "input": PATCH}),
    );
    rollout.item(
        1,
        &json!({"type": "custom_tool_call_output", "call_id": "call_demo_3",
            "output": "Success. Updated the following files:\nM src/checkout.rs\n"}),
    );
    let passed = "test result: ok. 112 passed; 0 failed; 0 ignored";
    rollout.run("call_demo_4", "cargo test --all", (0, 41, passed));
    rollout.spend(15_400, 13_380, 600);
    rollout.message(3, "assistant", "output_text", ANSWER);
    rollout.event(0, &json!({"type": "agent_message", "message": ANSWER}));
    rollout.event(
        0,
        &json!({"type": "task_complete", "turn_id": "1", "last_agent_message": ANSWER,
            "duration_ms": 104_000}),
    );
    let (day, stem) = (path_of_day(start), stem(start));
    let path = format!(".codex/sessions/{day}/rollout-{stem}-{REVIEW}.jsonl");
    stage.write_lines(&path, &rollout.lines)
}

/// Lines of one rollout file.
struct Rollout {
    clock: Clock,
    lines: Vec<Value>,
    /// Input, cached input and output tokens so far.
    spent: [u64; 3],
}

impl Rollout {
    fn line(&mut self, seconds: i64, kind: &str, payload: &Value) {
        let at = self.clock.after(seconds).to_string();
        self.lines.push(json!({"timestamp": at, "type": kind, "payload": payload}));
    }

    fn item(&mut self, seconds: i64, payload: &Value) {
        self.line(seconds, "response_item", payload);
    }

    fn event(&mut self, seconds: i64, payload: &Value) {
        self.line(seconds, "event_msg", payload);
    }

    fn message(&mut self, seconds: i64, role: &str, kind: &str, text: &str) {
        let content = json!([{"type": kind, "text": text}]);
        self.item(seconds, &json!({"type": "message", "role": role, "content": content}));
    }

    /// A command and what came of it: exit code, seconds, output.
    fn run(&mut self, id: &str, command: &str, (exit_code, seconds, text): (i32, i64, &str)) {
        let arguments = json!({"command": ["bash", "-lc", command]}).to_string();
        self.item(
            4,
            &json!({"type": "function_call", "name": "shell", "arguments": arguments,
                "call_id": id}),
        );
        // A text, so that the fields stand in the order Codex writes them.
        let output = format!(
            r#"{{"output":{},"metadata":{{"exit_code":{exit_code},"duration_seconds":{seconds}.0}}}}"#,
            json!(text)
        );
        self.item(
            seconds,
            &json!({"type": "function_call_output", "call_id": id, "output": output}),
        );
    }

    fn spend(&mut self, input: u64, cached: u64, output: u64) {
        let last = [input, cached, output];
        for (spent, more) in self.spent.iter_mut().zip(last) {
            *spent += more;
        }
        let usage = |[input, cached, output]: [u64; 3]| {
            json!({"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output,
                "reasoning_output_tokens": output / 4, "total_tokens": input + output})
        };
        let info = json!({"total_token_usage": usage(self.spent), "last_token_usage": usage(last),
            "model_context_window": 272_000});
        self.event(0, &json!({"type": "token_count", "info": info}));
    }
}

/// `YYYY/MM/DD`.
fn path_of_day(at: Timestamp) -> String {
    at.to_string()[..10].replace('-', "/")
}

/// `YYYY-MM-DDThh-mm-ss`.
fn stem(at: Timestamp) -> String {
    at.to_string()[..19].replace(':', "-")
}
