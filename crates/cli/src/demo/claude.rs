//! Claude Code: a bug hunt with a sub-agent, a fork of it, and an older session with a leaked token.

use super::{Clock, DAY, HOUR, Stage};
use serde_json::{Value, json};
use std::io;

const HUNT: &str = "5ca1ab1e-7e57-4c0d-9b0c-0f10a3b1c2d3";
const FORK: &str = "f0cacc1a-0b5e-4a1e-8c0a-5e1ec7edbea7";
const DEPLOY: &str = "de9107ed-caca-4b0b-9cab-0b1ec75ca1ed";
const AGENT: &str = "a5ee7ab1e0dd5eed1";
const MODEL: &str = "claude-opus-4-8";

/// Put together here so that no scanner takes this file for a leak.
fn pasted_token() -> String {
    ["ghp_", "R7bq2LmX9wKe4TzV", "n8YcJ5sHd3GfPa1U", "Qo60"].concat()
}

pub(super) fn write(stage: &Stage<'_>) -> io::Result<()> {
    let slug: String =
        stage.cwd().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let folder = format!(".claude/projects/{slug}");
    let hunt = hunt(stage);
    stage.write_lines(&format!("{folder}/{HUNT}.jsonl"), &hunt)?;
    let side = format!("{folder}/{HUNT}/subagents/agent-{AGENT}");
    stage.write_lines(&format!("{side}.jsonl"), &explorer(stage))?;
    let meta = json!({"agentType": "Explore", "description": "Find where sessions expire",
        "toolUseId": "toolu_demo_explore"});
    stage.write(&format!("{side}.meta.json"), &meta.to_string())?;
    stage.write_lines(&format!("{folder}/{FORK}.jsonl"), &fork(stage, &hunt))?;
    stage.write_lines(&format!("{folder}/{DEPLOY}.jsonl"), &deploy(stage))
}

/// Lines of one transcript, each the child of the one before.
struct Script {
    session: &'static str,
    branch: &'static str,
    cwd: String,
    clock: Clock,
    agent: Option<&'static str>,
    lines: Vec<Value>,
    last: Option<String>,
    replies: u32,
}

impl Script {
    fn new(stage: &Stage<'_>, session: &'static str, branch: &'static str, ago: i64) -> Self {
        let (cwd, clock) = (stage.cwd(), stage.clock(ago));
        let (agent, lines, last) = (None, Vec::new(), None);
        Self { session, branch, cwd, clock, agent, lines, last, replies: 0 }
    }

    fn line(&mut self, seconds: i64, kind: &str, more: Value) {
        let mark = self.agent.unwrap_or(self.session);
        let uuid = format!("{}-{:04}-4000-8000-00000000de30", &mark[..8], self.lines.len() + 1);
        let mut line = json!({"type": kind, "uuid": uuid, "parentUuid": self.last,
            "timestamp": self.clock.after(seconds).to_string(), "sessionId": self.session,
            "cwd": self.cwd, "gitBranch": self.branch, "version": "2.1.217",
            "userType": "external", "isSidechain": self.agent.is_some()});
        if let (Some(line), Value::Object(more)) = (line.as_object_mut(), more) {
            line.extend(more);
            line.extend(self.agent.map(|agent| ("agentId".to_owned(), json!(agent))));
        }
        self.last = Some(uuid);
        self.lines.push(line);
    }

    fn prompt(&mut self, seconds: i64, text: &str) {
        self.line(seconds, "user", json!({"message": {"role": "user", "content": text}}));
    }

    /// One response: a line per block, all with the same usage.
    fn reply(&mut self, seconds: i64, blocks: &[Value]) {
        self.replies += 1;
        let name = &self.agent.unwrap_or(self.session)[..8];
        let (id, request) = (format!("msg_demo_{name}_{}", self.replies), self.replies);
        let grown = u64::from(self.replies) * 900;
        for block in blocks {
            self.line(
                seconds,
                "assistant",
                json!({"requestId": format!("req_{name}_{request}"),
                "message": {"role": "assistant", "type": "message", "id": id, "model": MODEL,
                "content": [block], "usage": {"input_tokens": 12,
                "output_tokens": 180 + grown / 10, "cache_read_input_tokens": 14_000 + grown,
                "cache_creation_input_tokens": 900, "cache_creation":
                {"ephemeral_5m_input_tokens": 900, "ephemeral_1h_input_tokens": 0}}}}),
            );
        }
    }

    fn result(&mut self, seconds: i64, call: &str, output: &str, failed: bool) {
        let sidecar = if failed {
            json!(format!("Error: {output}"))
        } else {
            json!({"stdout": output, "stderr": "", "interrupted": false})
        };
        self.line(
            seconds,
            "user",
            json!({"toolUseResult": sidecar, "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": call, "content": output,
            "is_error": failed}]}}),
        );
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "signature": "demo"})
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

const FAILING: &str = "Exit code 101\nrunning 14 tests\ntest session::expires_at_midnight ... FAILED\n\n\
    ---- session::expires_at_midnight stdout ----\nassertion `left == right` failed\n  \
    left: 86400\n right: 82800\n\ntest result: FAILED. 13 passed; 1 failed; 0 ignored";
const PASSING: &str = "running 14 tests\ntest session::expires_at_midnight ... ok\n\
    test result: ok. 14 passed; 0 failed; 0 ignored";

fn hunt(stage: &Stage<'_>) -> Vec<Value> {
    let mut script = Script::new(stage, HUNT, "fix/SHOP-12-session-expiry", 2 * DAY + 3 * HOUR);
    let file = format!("{}/src/session.rs", stage.cwd());
    script.prompt(0, "SHOP-12: the session test fails twice a year, when the clocks change. Please find out why and mend it.");
    script.reply(6, &[
        thinking("Twice a year means daylight saving. Somebody adds 24 hours where a calendar day is meant. Let me see the failure first."),
        text("That smells of daylight saving. I will run the test and have the code searched for every place that computes an expiry."),
        call("toolu_demo_test1", "Bash", &json!({"command": "TZ=Europe/Berlin cargo test session", "description": "Run the session tests"})),
    ]);
    script.result(9, "toolu_demo_test1", FAILING, true);
    script.reply(4, &[call("toolu_demo_explore", "Task", &json!({"subagent_type": "Explore", "description": "Find where sessions expire", "prompt": "Find every place that computes when a session expires."}))]);
    script.result(31, "toolu_demo_explore", "Two places: src/session.rs:41 adds 86,400 seconds; src/cart.rs:90 uses the calendar and is right.", false);
    script.reply(5, &[
        text("Only `src/session.rs` counts seconds. A day is not always 86,400 of them."),
        call("toolu_demo_edit", "Edit", &json!({"file_path": file, "old_string": "    let expires = now + Duration::from_secs(86_400);\n    Session { id, expires }", "new_string": "    let expires = now.to_zoned(zone).tomorrow()?.start_of_day()?.timestamp();\n    Session { id, expires }"})),
    ]);
    script.result(1, "toolu_demo_edit", &format!("The file {file} has been updated."), false);
    script.reply(3, &[call("toolu_demo_test2", "Bash", &json!({"command": "TZ=Europe/Berlin cargo test session", "description": "Run the session tests"}))]);
    script.result(11, "toolu_demo_test2", PASSING, false);
    script.reply(4, &[text("Mended: a session now ends at the next local midnight, whatever the clocks do. All 14 tests pass.")]);
    let title = json!({"type": "ai-title", "aiTitle": "Mend session expiry at clock changes", "sessionId": HUNT});
    script.lines.push(title);
    script.lines
}

fn explorer(stage: &Stage<'_>) -> Vec<Value> {
    let ago = 2 * DAY + 3 * HOUR - 25_000;
    let mut script = Script::new(stage, HUNT, "fix/SHOP-12-session-expiry", ago);
    script.agent = Some(AGENT);
    script.prompt(0, "Find every place that computes when a session expires.");
    script.reply(
        4,
        &[call("toolu_demo_grep", "Grep", &json!({"pattern": "expires", "path": "src"}))],
    );
    script.result(2, "toolu_demo_grep", "src/session.rs:41: let expires = now + Duration::from_secs(86_400);\nsrc/cart.rs:90: let expires = cart.day.tomorrow();", false);
    script.reply(5, &[text("Two places: src/session.rs:41 adds 86,400 seconds; src/cart.rs:90 uses the calendar and is right.")]);
    script.lines
}

/// The hunt's beginning copied under a new id, then another direction.
fn fork(stage: &Stage<'_>, hunt: &[Value]) -> Vec<Value> {
    let mut script = Script::new(stage, FORK, "feature/short-sessions", 2 * DAY + HOUR);
    for line in hunt.iter().filter(|line| line["uuid"].is_string()) {
        let mut line = line.clone();
        line["sessionId"] = json!(FORK);
        script.last = line["uuid"].as_str().map(str::to_owned);
        script.lines.push(line);
    }
    script.prompt(0, "What if sessions simply lasted two hours? Sketch it, change nothing.");
    script.reply(8, &[text("Then no calendar is needed: `now + 2h` is exact in every zone. It would sign people out in the middle of a long order, so the cart should prolong the session. I would change three files; say the word.")]);
    script.lines
}

fn deploy(stage: &Stage<'_>) -> Vec<Value> {
    let mut script = Script::new(stage, DEPLOY, "main", 5 * DAY);
    let token = pasted_token();
    script.prompt(0, &format!("Publish the release notes. Use this token: GITHUB_TOKEN={token}"));
    script.reply(
        5,
        &[call(
            "toolu_demo_gh",
            "Bash",
            &json!({"command": "gh release create v1.4.0 --notes-file NOTES.md"}),
        )],
    );
    script.result(
        3,
        "toolu_demo_gh",
        "Exit code 1\nHTTP 403: Resource not accessible by personal access token",
        true,
    );
    script.reply(4, &[
        text("The token may not create releases. Shall I try again, or do you want to check its permissions first?"),
    ]);
    script.line(40, "user", json!({"message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}}));
    script.lines
}
