//! Codex's rollouts: the wrapped dialect as 0.128 writes it, the older one of 0.44, and the numbered
//! one of 0.166.

mod asks;

use super::{Clock, Rendered, Scene, lines, root, uuid7};
use crate::corpus::clock::{day_path, file_stamp, iso};
use crate::eval::case::{Case, Dialect, Step};
use backstory_model::{Flavor, SessionUid};
use serde_json::{Value, json};

const MODEL: &str = "gpt-5.4";

/// A rollout being written.
struct Rollout<'a> {
    scene: &'a Scene,
    dialect: Dialect,
    clock: Clock,
    records: Vec<Value>,
    /// Sub-agents' files.
    files: Vec<(String, String)>,
    thread: String,
    turn: Option<String>,
    ids: usize,
    /// What the agent said last in this turn.
    words: Option<String>,
    /// Tokens so far.
    spent: u64,
    /// The call that has no result yet.
    pending: Option<String>,
}

/// Writes a case.
pub(super) fn render(case: &Case, scene: &Scene) -> Rendered {
    let mut log = Rollout::new(scene, case.dialect, uuid7(scene.number, 0));
    let (source, originator) =
        if case.is_exec { ("exec", "codex_exec") } else { ("cli", "codex-tui") };
    log.meta(&json!(source), originator);
    for (at, step) in case.steps.iter().enumerate() {
        log.step(step, case.steps.get(at + 1));
    }
    let uid = SessionUid::new(Flavor::Codex, &log.thread);
    let mut files = vec![(log.path(), lines(&log.records))];
    files.append(&mut log.files);
    Rendered { uid, files }
}

impl<'a> Rollout<'a> {
    fn new(scene: &'a Scene, dialect: Dialect, thread: String) -> Self {
        Self {
            scene,
            dialect,
            clock: Clock::new(scene),
            records: Vec::new(),
            files: Vec::new(),
            thread,
            turn: None,
            ids: 0,
            words: None,
            spent: 0,
            pending: None,
        }
    }

    fn path(&self) -> String {
        let began = self.scene.began;
        let (day, stamp) = (day_path(began), file_stamp(began));
        format!("{}/{day}/rollout-{stamp}-{}.jsonl", root(Flavor::Codex), self.thread)
    }

    fn line(&mut self, kind: &str, payload: &Value) {
        let at = self.clock.stamp();
        let mut line = json!({"timestamp": at, "type": kind, "payload": payload});
        if self.dialect == Dialect::Paginated {
            line["ordinal"] = json!(self.records.len());
        }
        self.records.push(line);
    }

    fn item(&mut self, payload: &Value) {
        self.line("response_item", payload);
    }

    fn event(&mut self, payload: &Value) {
        self.line("event_msg", payload);
    }

    const fn version(&self) -> &'static str {
        match self.dialect {
            Dialect::Old => "0.44.0",
            Dialect::Usual => "0.128.0",
            Dialect::Paginated => "0.166.0",
        }
    }

    fn meta(&mut self, source: &Value, originator: &str) {
        let began = iso(self.clock.now);
        let git = json!({"commit_hash": "0".repeat(40), "branch": self.scene.branch});
        let mut meta = json!({"id": self.thread, "timestamp": began, "cwd": self.scene.cwd,
            "originator": originator, "cli_version": self.version(), "git": git});
        match self.dialect {
            Dialect::Old => meta["instructions"] = json!(null),
            Dialect::Usual | Dialect::Paginated => {
                meta["source"] = source.clone();
                meta["model_provider"] = json!("openai");
                meta["base_instructions"] = json!({"text": "You are Codex."});
            }
        }
        if self.dialect == Dialect::Paginated {
            meta["session_id"] = json!(self.thread);
            meta["history_mode"] = json!("paginated");
        }
        self.line("session_meta", &meta);
    }

    fn step(&mut self, step: &Step, next: Option<&Step>) {
        match step {
            Step::User(text) => self.prompt(text),
            Step::Steer(text) => self.user(text),
            Step::Say(text) => self.say(text, next == Some(&Step::End)),
            Step::Think(text) => {
                if self.dialect == Dialect::Paginated {
                    let id = format!("rs_{}", self.records.len());
                    self.completed(&json!({"type": "Reasoning", "id": id,
                        "summary_text": [text], "raw_content": []}));
                } else {
                    self.event(&json!({"type": "agent_reasoning", "text": text}));
                }
                self.item(&json!({"type": "reasoning", "content": null,
                    "summary": [{"type": "summary_text", "text": text}],
                    "encrypted_content": "gAAAAABp"}));
            }
            Step::Run { command, exit, output } => self.run(command, *exit, output),
            Step::Edit { path, old, new } => {
                let body = format!("@@\n{}{}", prefixed('-', old), prefixed('+', new));
                self.patch("Update", path, &body);
            }
            Step::Write { path, content } => self.patch("Add", path, &prefixed('+', content)),
            Step::Ask { question, answer } => self.ask(question, answer.as_deref()),
            Step::Questions { questions, answers, declined } => {
                self.questions(questions, answers.as_ref(), *declined);
            }
            Step::Plan { plan, approved, words } => self.plan(plan, *approved, words.as_deref()),
            // Codex does not log what it was permitted.
            Step::Permit(command) => self.run(command, Some(0), "ok"),
            Step::Agent { task, report } => self.delegate(task, report),
            Step::Deny { command, words } => {
                let goes_on = next.is_some_and(Step::is_agents);
                self.deny(command, words.as_deref(), goes_on);
            }
            Step::Interrupt => self.abort(),
            Step::Retry(reason) => {
                let text = format!("Reconnecting... 1/5 ({reason})");
                self.event(&json!({"type": "stream_error", "message": text}));
            }
            Step::Error(text) => {
                self.event(&json!({"type": "error", "message": text, "codex_error_info": "other"}));
                self.words = None;
                self.complete();
            }
            Step::Compact(summary) => self.compact(summary),
            Step::Wait(span) => self.clock.pass(*span),
            Step::End => self.complete(),
        }
    }

    /// Opens a turn.
    fn prompt(&mut self, text: &str) {
        self.clock.pass(20_000);
        let is_first = self.ids == 0;
        self.ids += 1;
        let turn = uuid7(self.scene.number, self.ids);
        if self.dialect != Dialect::Old {
            self.event(&json!({"type": "task_started", "turn_id": turn,
                "started_at": self.clock.now / 1_000, "model_context_window": 258_400,
                "collaboration_mode_kind": "default"}));
        }
        if is_first {
            let context = format!(
                "<environment_context>\n  <cwd>{}</cwd>\n  <shell>bash</shell>\n</environment_context>",
                self.scene.cwd
            );
            self.message("user", "input_text", &context);
        }
        self.line(
            "turn_context",
            &json!({"turn_id": turn, "cwd": self.scene.cwd, "approval_policy": "on-request",
                "sandbox_policy": {"type": "workspace-write"}, "model": MODEL,
                "effort": "medium", "summary": "auto"}),
        );
        self.turn = Some(turn);
        self.words = None;
        self.user(text);
    }

    fn user(&mut self, text: &str) {
        self.message("user", "input_text", text);
        match self.dialect {
            Dialect::Old => {
                self.event(&json!({"type": "user_message", "message": text, "kind": "plain"}));
            }
            Dialect::Usual => self.event(&json!({"type": "user_message", "message": text,
                "images": [], "local_images": [], "text_elements": []})),
            Dialect::Paginated => {
                let content = json!([{"type": "text", "text": text, "text_elements": []}]);
                let id = format!("item_{}", self.records.len());
                self.completed(&json!({"type": "UserMessage", "id": id, "content": content}));
            }
        }
    }

    fn message(&mut self, role: &str, kind: &str, text: &str) {
        let content = json!([{"type": kind, "text": text}]);
        self.item(&json!({"type": "message", "role": role, "content": content}));
    }

    fn say(&mut self, text: &str, is_final: bool) {
        self.clock.pass(4_000);
        if self.dialect == Dialect::Paginated {
            let content = json!([{"type": "Text", "text": text}]);
            let id = format!("msg_{}", self.records.len());
            self.completed(&json!({"type": "AgentMessage", "id": id, "content": content}));
        } else {
            self.event(&json!({"type": "agent_message", "message": text}));
        }
        let phase = if is_final { "final_answer" } else { "commentary" };
        let content = json!([{"type": "output_text", "text": text}]);
        self.item(&json!({"type": "message", "role": "assistant", "content": content,
            "phase": phase}));
        self.words = Some(text.to_owned());
        self.spend();
    }

    fn spend(&mut self) {
        self.spent += 1_200;
        let usage = |input: u64| {
            json!({"input_tokens": input, "cached_input_tokens": input / 2,
                "output_tokens": input / 20, "reasoning_output_tokens": input / 60,
                "total_tokens": input + input / 20})
        };
        let info = json!({"total_token_usage": usage(self.spent),
            "last_token_usage": usage(1_200), "model_context_window": 258_400});
        self.event(&json!({"type": "token_count", "info": info}));
    }

    /// A call; gives its id.
    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        self.clock.pass(3_000);
        self.ids += 1;
        let id = format!("call_{:06x}{:06x}", self.scene.number, self.ids);
        self.item(&json!({"type": "function_call", "name": tool,
            "arguments": arguments.to_string(), "call_id": id}));
        id
    }

    fn output(&mut self, call: &str, text: &str) {
        self.item(&json!({"type": "function_call_output", "call_id": call, "output": text}));
        self.spend();
    }

    fn run(&mut self, command: &str, exit: Option<i32>, output: &str) {
        let call = self.call("exec_command", &json!({"cmd": command, "workdir": self.scene.cwd}));
        let Some(code) = exit else {
            self.pending = Some(call);
            return;
        };
        let argv = json!(["/bin/bash", "-lc", command]);
        let status = if code == 0 { "completed" } else { "failed" };
        match self.dialect {
            Dialect::Old => {}
            Dialect::Usual => self.event(&json!({"type": "exec_command_end", "call_id": call,
                "process_id": "29959", "turn_id": self.turn, "command": argv,
                "cwd": self.scene.cwd, "parsed_cmd": [], "source": "unified_exec_startup",
                "stdout": "", "stderr": "", "aggregated_output": output, "exit_code": code,
                "duration": {"secs": 1, "nanos": 3_958_000}, "formatted_output": output,
                "status": status})),
            Dialect::Paginated => {
                let cwd = format!("file://{}", self.scene.cwd);
                self.completed(&json!({"type": "CommandExecution", "id": call,
                    "process_id": "29959", "command": argv, "cwd": cwd, "parsed_cmd": [],
                    "source": "unified_exec_startup", "status": status,
                    "aggregated_output": output, "exit_code": code,
                    "duration": {"secs": 1, "nanos": 3_958_000}}));
            }
        }
        let text = format!(
            "Chunk ID: 1a2b3c\nWall time: 1.0040 seconds\nProcess exited with code {code}\nOriginal token count: {}\nOutput:\n{output}\n",
            output.len() / 4
        );
        self.output(&call, &text);
    }

    fn patch(&mut self, verb: &str, path: &str, body: &str) {
        self.clock.pass(3_000);
        self.ids += 1;
        let id = format!("call_{:06x}{:06x}", self.scene.number, self.ids);
        let input = format!("*** Begin Patch\n*** {verb} File: {path}\n{body}*** End Patch\n");
        self.item(&json!({"type": "custom_tool_call", "status": "completed", "call_id": id,
            "name": "apply_patch", "input": input}));
        let mark = if verb == "Add" { 'A' } else { 'M' };
        // A text, so that the fields stand in the order Codex writes them.
        let shown = json!(format!("Success. Updated the following files:\n{mark} {path}\n"));
        let output = format!(
            "{{\"output\":{shown},\"metadata\":{{\"exit_code\":0,\"duration_seconds\":0.0}}}}"
        );
        self.item(&json!({"type": "custom_tool_call_output", "call_id": id, "output": output}));
        self.spend();
    }

    fn ask(&mut self, question: &str, answer: Option<&str>) {
        let options = json!([{"label": answer.unwrap_or("The first"), "description": ""},
            {"label": "Something else", "description": ""}]);
        let questions = json!([{"id": "choice", "header": "Choice", "question": question,
            "options": options}]);
        let call = self.call("request_user_input", &json!({"questions": questions}));
        match answer {
            Some(answer) => {
                let text = json!({"answers": {"choice": {"answers": [answer]}}}).to_string();
                self.output(&call, &text);
            }
            None => self.pending = Some(call),
        }
    }

    /// A sub-agent: calls here, a rollout of its own beside it.
    fn delegate(&mut self, task: &str, report: &str) {
        let call = self.call("spawn_agent", &json!({"agent_type": "explorer", "message": task}));
        let mut child =
            Self::new(self.scene, self.dialect, uuid7(self.scene.number, 0xa00 + self.ids));
        child.ids = self.ids + 0x1000;
        child.clock = self.clock;
        let spawn = json!({"parent_thread_id": self.thread, "depth": 1});
        child.meta(&json!({"subagent": {"thread_spawn": spawn}}), "codex-tui");
        child.prompt(task);
        child.say(report, true);
        child.complete();
        self.files.push((child.path(), lines(&child.records)));
        self.output(&call, &json!({"agent_id": child.thread, "nickname": "Kepler"}).to_string());
        let wait = self.call("wait_agent", &json!({"ids": [child.thread]}));
        let status = json!({child.thread: {"completed": report}});
        self.output(&wait, &json!({"status": status, "timed_out": false}).to_string());
    }

    fn deny(&mut self, command: &str, words: Option<&str>, goes_on: bool) {
        let call = self.call("exec_command", &json!({"cmd": command, "workdir": self.scene.cwd}));
        let text = format!(
            "exec_command failed for `/bin/bash -lc {}`: CreateProcess {{ message: \"Rejected(\\\"rejected by user\\\")\" }}",
            json!(command)
        );
        self.output(&call, &text);
        if let Some(words) = words {
            self.abort();
            self.prompt(words);
        } else if !goes_on {
            self.abort();
        }
    }

    fn abort(&mut self) {
        if let Some(call) = self.pending.take() {
            self.output(&call, "aborted by user after 12.4s");
        }
        let text =
            "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>";
        self.message("user", "input_text", text);
        self.event(&json!({"type": "turn_aborted", "turn_id": self.turn,
            "reason": "interrupted"}));
    }

    fn compact(&mut self, summary: &str) {
        self.line("compacted", &json!({"message": summary, "replacement_history": []}));
        self.event(&json!({"type": "context_compacted"}));
    }

    fn complete(&mut self) {
        if self.dialect == Dialect::Old {
            return;
        }
        self.event(&json!({"type": "task_complete", "turn_id": self.turn,
            "last_agent_message": self.words, "completed_at": self.clock.now / 1_000,
            "duration_ms": 61_234}));
    }
}

fn prefixed(mark: char, text: &str) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        out.push(mark);
        out.push_str(line);
        out.push('\n');
        out
    })
}
