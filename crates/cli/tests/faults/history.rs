//! Claude Code and Codex logs, as large as a test wants them.

use serde_json::{Value, json};

/// A session id made from a number.
pub(crate) fn session_id(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}

fn record_id(session: usize, record: usize) -> String {
    format!("11111111-{session:04x}-4000-8000-{record:012x}")
}

fn time(record: usize) -> String {
    let (day, hour, minute) = (1 + record / 1440 % 28, record / 60 % 24, record % 60);
    format!("2026-03-{day:02}T{hour:02}:{minute:02}:00.000Z")
}

/// Some text that differs from record to record and compresses like prose.
pub(crate) fn prose(seed: usize, words: usize) -> String {
    const WORDS: [&str; 16] = [
        "cache", "token", "build", "the", "fails", "retry", "module", "of", "parser", "state", "a",
        "worker", "drops", "queue", "index", "again",
    ];
    let mut state = seed as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..words).map(|_| format!("{}{} ", WORDS[next() as usize % 16], next() % 97)).collect()
}

/// One Claude Code session: turns of prompt, tool call, result and answer.
pub(crate) struct Claude {
    /// Number the record ids are made from: a fork keeps its parent's.
    pub(crate) origin: usize,
    /// Session id written into the records.
    pub(crate) id: String,
    /// Words per prompt; results are four times as long.
    pub(crate) words: usize,
}

impl Claude {
    pub(crate) fn new(number: usize, words: usize) -> Self {
        Self { origin: number, id: session_id(number), words }
    }

    /// The lines of some turns.
    pub(crate) fn turns(&self, turns: std::ops::Range<usize>) -> String {
        turns.flat_map(|turn| self.turn(turn)).map(|line| format!("{line}\n")).collect()
    }

    fn turn(&self, turn: usize) -> [Value; 4] {
        let seed = self.origin * 10_000 + turn;
        let call = format!("toolu_{seed}");
        let answer = |part: &str, content: Value| {
            json!({"role": "assistant", "id": format!("msg_{seed}_{part}"), "model": "claude-opus-4-8",
                "content": [content],
                "usage": {"input_tokens": 3, "cache_read_input_tokens": 100, "output_tokens": 7}})
        };
        [
            self.record(
                turn * 4,
                "user",
                &json!({"role": "user", "content": prose(seed, self.words)}),
            ),
            self.record(
                turn * 4 + 1,
                "assistant",
                &answer(
                    "call",
                    json!({"type": "tool_use", "id": call, "name": "Bash",
                    "input": {"command": format!("ls {seed}")}}),
                ),
            ),
            self.record(
                turn * 4 + 2,
                "user",
                &json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call,
                    "content": prose(seed + 1, self.words * 4)}]}),
            ),
            self.record(
                turn * 4 + 3,
                "assistant",
                &answer("text", json!({"type": "text", "text": prose(seed + 2, self.words)})),
            ),
        ]
    }

    fn record(&self, number: usize, kind: &str, message: &Value) -> Value {
        let parent = number.checked_sub(1).map(|parent| record_id(self.origin, parent));
        json!({"type": kind, "uuid": record_id(self.origin, number), "parentUuid": parent,
            "sessionId": self.id, "timestamp": time(number), "isSidechain": false,
            "userType": "external", "cwd": "/src/app", "version": "2.1.100", "gitBranch": "main",
            "requestId": format!("req_{number}"), "message": message})
    }
}

/// One Codex session in the wrapped dialect.
pub(crate) fn codex(number: usize, turns: usize, words: usize) -> String {
    let id = session_id(number);
    let mut lines = vec![json!({"timestamp": time(0), "type": "session_meta", "payload": {
        "id": id, "timestamp": time(0), "cwd": "/src/app", "originator": "codex_cli_rs",
        "cli_version": "0.120.0", "source": "cli"}})];
    for turn in 0..turns {
        let seed = number * 10_000 + turn;
        let item = |payload: Value| json!({"timestamp": time(turn + 1), "type": "response_item", "payload": payload});
        let message = |role: &str, kind: &str, seed: usize| {
            json!({"type": "message", "role": role,
                "content": [{"type": kind, "text": prose(seed, words)}]})
        };
        lines.push(item(message("user", "input_text", seed)));
        lines.push(item(json!({"type": "function_call", "name": "exec_command",
            "arguments": "{\"cmd\":\"ls\"}", "call_id": format!("call_{seed}")})));
        lines.push(item(json!({"type": "function_call_output", "call_id": format!("call_{seed}"),
            "output": format!("Process exited with code 0\nOutput:\n{}", prose(seed, words * 4))})));
        lines.push(item(message("assistant", "output_text", seed + 1)));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
