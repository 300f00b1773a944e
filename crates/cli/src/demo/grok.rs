//! Grok CLI: writes the changelog entry the others forgot.

use super::{HOUR, Stage};
use backstory_model::Timestamp;
use serde_json::{Value, json};
use std::io;

const NOTES: &str = "019a7f00-cafe-7e57-8bad-c0ffee5eed01";
const PROMPT_ID: &str = "019a7f00-d00d-7e57-8bad-c0ffee5eed02";
const ACP: &str = "session/update";
const VENDOR: &str = "_x.ai/session/update";

const PROMPT: &str = "Add a changelog entry for SHOP-12.";
const THOUGHT: &str = "The entry belongs under Fixed. I should read the file before I change it.";
const ENTRY: &str =
    "### Fixed\n\n- Sessions end at local midnight when the clocks change (SHOP-12).\n";
const ANSWER: &str = "Added under *Fixed*: sessions end at local midnight when the clocks change.";

pub(super) fn write(stage: &Stage<'_>) -> io::Result<()> {
    let encoded = stage.cwd().replace('%', "%25").replace('/', "%2F").replace(' ', "%20");
    let folder = format!(".grok/sessions/{encoded}/{NOTES}");
    let mut clock = stage.clock(3 * HOUR);
    let start = clock.after(0);
    let mut updates = Updates { lines: Vec::new() };
    let opening = json!({"promptIndex": 0, "modelId": "grok-5-code"});
    updates.push(
        start,
        ACP,
        &json!({"sessionUpdate": "user_message_chunk", "content": text(PROMPT), "_meta": opening}),
    );
    let thought = json!({"sessionUpdate": "agent_thought_chunk", "content": text(THOUGHT)});
    updates.push(clock.after(4), ACP, &thought);
    let read = ("call-demo-1", "read_file", "read");
    updates.call(clock.after(1), read, &json!({"target_file": "CHANGELOG.md"}));
    updates.answer(clock.after(1), read.0, "# Changelog\n\n## Unreleased\n\n### Fixed\n");
    let change = ("call-demo-2", "search_replace", "edit");
    let input =
        json!({"file_path": "CHANGELOG.md", "old_string": "### Fixed\n", "new_string": ENTRY});
    updates.call(clock.after(4), change, &input);
    updates.answer(clock.after(1), change.0, "CHANGELOG.md was updated.");
    let answer = json!({"sessionUpdate": "agent_message_chunk", "content": text(ANSWER)});
    updates.push(clock.after(3), ACP, &answer);
    let end = clock.after(1);
    let usage = json!({"inputTokens": 18_400, "outputTokens": 420, "totalTokens": 18_820,
        "cachedReadTokens": 15_900, "cacheCreationTokens": 0, "reasoningTokens": 96,
        "modelCalls": 3, "costUsdTicks": 91_000_000});
    updates.push(
        end,
        VENDOR,
        &json!({"sessionUpdate": "turn_completed", "prompt_id": PROMPT_ID,
            "stop_reason": "end_turn", "elapsed_ms": 15_000, "usage": usage}),
    );
    stage.write_lines(&format!("{folder}/updates.jsonl"), &updates.lines)?;
    let begun = json!({"ts": start.to_string(), "type": "turn_started", "session_id": NOTES,
        "turn_number": 0, "model_id": "grok-5-code", "yolo_mode": false,
        "session_relationship": "primary", "schema_version": "1.0"});
    let ended = json!({"ts": end.to_string(), "type": "turn_ended", "outcome": "completed"});
    stage.write_lines(&format!("{folder}/events.jsonl"), &[begun, ended])?;
    let summary = json!({"info": {"id": NOTES, "cwd": stage.cwd()},
        "generated_title": "Changelog entry for SHOP-12", "created_at": start.to_string(),
        "updated_at": end.to_string(), "num_messages": 4, "current_model_id": "grok-5-code",
        "head_branch": "fix/SHOP-12-session-expiry", "chat_format_version": 1});
    stage.write(&format!("{folder}/summary.json"), &summary.to_string())
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Lines of `updates.jsonl`.
struct Updates {
    lines: Vec<Value>,
}

impl Updates {
    fn push(&mut self, at: Timestamp, method: &str, update: &Value) {
        let event = format!("{NOTES}-{}", self.lines.len());
        let meta = json!({"eventId": event, "agentTimestampMs": at.0, "promptId": PROMPT_ID});
        let params = json!({"sessionId": NOTES, "update": update, "_meta": meta});
        self.lines.push(json!({"timestamp": at.0 / 1000, "method": method, "params": params}));
    }

    fn call(&mut self, at: Timestamp, (id, name, kind): (&str, &str, &str), input: &Value) {
        let tool = json!({"x.ai/tool": {"version": 1, "name": name, "kind": kind}});
        let update = json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": name,
            "kind": kind, "status": "pending", "rawInput": input, "_meta": tool});
        self.push(at, ACP, &update);
    }

    fn answer(&mut self, at: Timestamp, id: &str, output: &str) {
        let content = json!([{"type": "content", "content": text(output)}]);
        let update = json!({"sessionUpdate": "tool_call_update", "toolCallId": id,
            "status": "completed", "content": content});
        self.push(at, ACP, &update);
    }
}
