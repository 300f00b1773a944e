//! Grok's session folders: the log it resumes from, its bookkeeping, and the summary.

mod asks;

use super::{Clock, Rendered, Scene, lines, root, uuid4, uuid7};
use crate::corpus::clock::iso;
use crate::eval::case::{Case, Step};
use backstory_model::{Flavor, SessionUid};
use serde_json::{Value, json};

const MODEL: &str = "grok-5-code";
const ACP: &str = "session/update";
const VENDOR: &str = "_x.ai/session/update";

/// A session folder being written.
struct Folder<'a> {
    scene: &'a Scene,
    id: String,
    /// `primary` or `subagent`.
    relation: &'static str,
    clock: Clock,
    updates: Vec<Value>,
    events: Vec<Value>,
    /// Sub-agents' files.
    files: Vec<(String, String)>,
    prompts: usize,
    ids: usize,
    /// The call that has no result yet.
    pending: Option<(String, &'static str)>,
}

/// Writes a case.
pub(super) fn render(case: &Case, scene: &Scene) -> Rendered {
    let mut folder = Folder::new(scene, uuid7(scene.number, 0), "primary");
    for (at, step) in case.steps.iter().enumerate() {
        folder.step(step, case.steps.get(at + 1));
    }
    let uid = SessionUid::new(Flavor::Grok, &folder.id);
    let kind = if case.is_exec { "headless" } else { "interactive" };
    Rendered { uid, files: folder.close(kind) }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

impl<'a> Folder<'a> {
    fn new(scene: &'a Scene, id: String, relation: &'static str) -> Self {
        Self {
            scene,
            id,
            relation,
            clock: Clock::new(scene),
            updates: Vec::new(),
            events: Vec::new(),
            files: Vec::new(),
            prompts: 0,
            ids: 0,
            pending: None,
        }
    }

    fn close(mut self, kind: &str) -> Vec<(String, String)> {
        let group = self.scene.cwd.replace('/', "%2F");
        let folder = format!("{}/{group}/{}", root(Flavor::Grok), self.id);
        let (began, ended) = (iso(self.scene.began), iso(self.clock.now));
        let summary = json!({"info": {"id": self.id, "cwd": self.scene.cwd}, "created_at": began,
            "updated_at": ended, "last_active_at": ended, "num_messages": self.updates.len(),
            "current_model_id": MODEL, "head_branch": self.scene.branch, "session_kind": kind,
            "chat_format_version": 1});
        let mut files = vec![
            (format!("{folder}/updates.jsonl"), lines(&self.updates)),
            (format!("{folder}/events.jsonl"), lines(&self.events)),
            (format!("{folder}/summary.json"), summary.to_string()),
        ];
        files.append(&mut self.files);
        files
    }

    fn prompt_id(&self) -> String {
        uuid4(self.scene.number, 0x100 + self.prompts)
    }

    fn update(&mut self, method: &str, kind: &str, fields: &Value) {
        self.clock.pass(400);
        let mut update = fields.clone();
        update["sessionUpdate"] = json!(kind);
        let meta = json!({"eventId": format!("{}-{}", self.id, self.updates.len() + 1),
            "agentTimestampMs": self.clock.now, "promptId": self.prompt_id()});
        let params = json!({"sessionId": self.id, "update": update, "_meta": meta});
        self.updates
            .push(json!({"timestamp": self.clock.now / 1_000, "method": method, "params": params}));
    }

    fn event(&mut self, kind: &str, fields: &Value) {
        let mut event = fields.clone();
        event["ts"] = json!(self.clock.stamp());
        event["type"] = json!(kind);
        self.events.push(event);
    }

    fn step(&mut self, step: &Step, next: Option<&Step>) {
        match step {
            Step::User(words) => self.prompt(words),
            Step::Steer(words) => {
                self.event("interjected", &json!({"source": "direct", "image_count": 0}));
                let fields = json!({"content": text(words), "_meta": {"interjection": true}});
                self.update(ACP, "user_message_chunk", &fields);
            }
            Step::Say(words) => {
                self.event("phase_changed", &json!({"phase": "streaming_text"}));
                self.update(ACP, "agent_message_chunk", &json!({"content": text(words)}));
            }
            Step::Think(words) => {
                self.update(ACP, "agent_thought_chunk", &json!({"content": text(words)}));
            }
            Step::Run { command, exit, output } => self.run(command, *exit, output),
            Step::Edit { path, old, new } => self.edit(path, old, new),
            Step::Write { path, content } => self.write(path, content),
            Step::Ask { question, answer } => self.ask(question, answer.as_deref()),
            Step::Questions { questions, answers, declined } => {
                self.questions(questions, answers.as_ref(), *declined);
            }
            Step::Plan { plan, approved, words } => self.plan(plan, *approved, words.as_deref()),
            Step::Permit(command) => self.permit(command),
            Step::Agent { task, report } => self.delegate(task, report),
            Step::Deny { command, words } => {
                let goes_on = next.is_some_and(Step::is_agents);
                self.deny(command, words.as_deref(), goes_on);
            }
            Step::Interrupt => self.interrupt(),
            Step::Retry(reason) => self.retry("retrying", reason),
            Step::Error(reason) => {
                self.retry("failed", reason);
                self.turn_over("error", &json!({"outcome": "error"}));
            }
            Step::Compact(summary) => self.compact(summary),
            Step::Wait(span) => self.clock.pass(*span),
            Step::End => self.turn_over("end_turn", &json!({"outcome": "completed"})),
        }
    }

    fn prompt(&mut self, words: &str) {
        self.clock.pass(20_000);
        let index = self.prompts;
        self.prompts += 1;
        self.event(
            "turn_started",
            &json!({"session_id": self.id, "turn_number": index, "model_id": MODEL,
                "yolo_mode": false, "conversation_message_count": index * 6 + 3,
                "session_relationship": self.relation, "schema_version": "1.0",
                "prompt_id": self.prompt_id()}),
        );
        self.event("phase_changed", &json!({"phase": "waiting_for_model"}));
        let query = format!("<user_query>\n{words}\n</user_query>");
        let meta = json!({"promptIndex": index, "modelId": MODEL});
        self.update(ACP, "user_message_chunk", &json!({"content": text(&query), "_meta": meta}));
    }

    /// A call; gives its id.
    fn call(&mut self, name: &str, kind: &str, input: &Value) -> String {
        self.clock.pass(3_000);
        self.ids += 1;
        let id = format!("call-{:06x}{:06x}", self.scene.number, self.ids);
        let tool = json!({"x.ai/tool": {"version": 1, "name": name, "kind": kind,
            "namespace": "grok_build"}});
        self.event("tool_started", &json!({"tool_name": name}));
        let fields = json!({"toolCallId": id, "title": name, "kind": kind, "rawInput": input,
            "_meta": tool});
        self.update(ACP, "tool_call", &fields);
        id
    }

    fn result(&mut self, (id, name): (&str, &str), outcome: &str, fields: &Value) {
        self.clock.pass(2_000);
        let mut update = fields.clone();
        update["toolCallId"] = json!(id);
        let is_done = outcome == "success";
        update["status"] = json!(if is_done { "completed" } else { "failed" });
        self.update(ACP, "tool_call_update", &update);
        self.event(
            "tool_completed",
            &json!({"tool_name": name, "duration_ms": 12, "outcome": outcome,
                "tool_call_id": id}),
        );
    }

    fn run(&mut self, command: &str, exit: Option<i32>, output: &str) {
        const TOOL: &str = "run_terminal_command";
        let input = json!({"variant": "Bash", "command": command, "description": "run it"});
        let call = self.call(TOOL, "execute", &input);
        let Some(code) = exit else {
            self.pending = Some((call, TOOL));
            return;
        };
        let raw = json!({"type": "Bash", "output": output.as_bytes(),
            "output_for_prompt": output, "exit_code": code, "timed_out": false});
        let content = json!([{"type": "content", "content": text(output)}]);
        self.result((&call, TOOL), "success", &json!({"content": content, "rawOutput": raw}));
    }

    fn edit(&mut self, path: &str, old: &str, new: &str) {
        const TOOL: &str = "search_replace";
        let input = json!({"variant": "SearchReplace", "file_path": path, "old_string": old,
            "new_string": new});
        let call = self.call(TOOL, "edit", &input);
        let diff = json!([{"type": "diff", "path": path, "oldText": old, "newText": new}]);
        let fields = json!({"content": diff, "locations": [{"path": path, "line": 1}]});
        self.result((&call, TOOL), "success", &fields);
    }

    fn write(&mut self, path: &str, content: &str) {
        const TOOL: &str = "write";
        let input = json!({"variant": "Write", "file_path": path, "contents": content});
        let call = self.call(TOOL, "edit", &input);
        let diff = json!([{"type": "diff", "path": path, "oldText": null, "newText": content}]);
        self.result((&call, TOOL), "success", &json!({"content": diff}));
    }

    fn ask(&mut self, question: &str, answer: Option<&str>) {
        const TOOL: &str = "ask_user_question";
        let options = json!([{"label": answer.unwrap_or("The first")}, {"label": "Other"}]);
        let input = json!({"questions": [{"question": question, "options": options}]});
        let call = self.call(TOOL, "other", &input);
        let Some(answer) = answer else {
            self.pending = Some((call, TOOL));
            return;
        };
        let shown = text(&format!("The user answered \"{question}\": {answer}"));
        let content = json!([{"type": "content", "content": shown}]);
        self.result((&call, TOOL), "success", &json!({"content": content}));
    }

    /// A sub-agent: a call and its news here, a folder of its own beside it.
    fn delegate(&mut self, task: &str, report: &str) {
        const TOOL: &str = "spawn_subagent";
        let input = json!({"variant": "Task", "description": task, "prompt": task});
        let call = self.call(TOOL, "task", &input);
        let mut child =
            Self::new(self.scene, uuid7(self.scene.number, 0xa00 + self.ids), "subagent");
        child.clock = self.clock;
        child.prompts = 0x100 + self.ids;
        child.prompt(task);
        child.step(&Step::Say(report.to_owned()), None);
        child.step(&Step::End, None);
        let id = child.id.clone();
        let spawned = json!({"subagent_id": id, "child_session_id": id,
            "parent_session_id": self.id, "subagent_type": "explore", "description": task,
            "effective_context_source": "new", "model": MODEL});
        self.update(VENDOR, "subagent_spawned", &spawned);
        let finished = json!({"subagent_id": id, "status": "completed", "output": report,
            "tokens_used": 900, "tool_calls": 4, "turns": 1, "duration_ms": 4_200});
        self.update(VENDOR, "subagent_finished", &finished);
        let content = json!([{"type": "content", "content": text(report)}]);
        self.result((&call, TOOL), "success", &json!({"content": content}));
        self.files.append(&mut child.close("subagent"));
    }

    fn deny(&mut self, command: &str, words: Option<&str>, goes_on: bool) {
        const TOOL: &str = "run_terminal_command";
        let input = json!({"variant": "Bash", "command": command, "description": "run it"});
        let call = self.call(TOOL, "execute", &input);
        self.event("permission_requested", &json!({"tool_name": TOOL}));
        let decision = if words.is_some() { "followup" } else { "deny" };
        self.event(
            "permission_resolved",
            &json!({"tool_name": TOOL, "decision": decision, "wait_ms": 4_000}),
        );
        let shown = match words {
            Some(words) => format!("The user did not run this command and said: {words}"),
            None => "The user rejected this tool call.".to_owned(),
        };
        let content = json!([{"type": "content", "content": text(&shown)}]);
        self.result((&call, TOOL), "permission_rejected", &json!({"content": content}));
        if words.is_none() && !goes_on {
            let ended =
                json!({"outcome": "cancelled", "cancellation_category": "permission_rejected"});
            self.turn_over("cancelled", &ended);
        }
    }

    fn interrupt(&mut self) {
        if let Some((call, tool)) = self.pending.take() {
            let content = json!([{"type": "content", "content": text("Cancelled")}]);
            self.result((&call, tool), "cancelled", &json!({"content": content}));
        }
        let ended = json!({"outcome": "cancelled", "cancellation_category": "mid_turn_abort"});
        self.turn_over("cancelled", &ended);
    }

    fn retry(&mut self, kind: &str, reason: &str) {
        let fields = json!({"type": kind, "attempt": 1, "max_retries": 3, "reason": reason});
        self.update(VENDOR, "retry_state", &fields);
    }

    fn turn_over(&mut self, stop_reason: &str, ended: &Value) {
        let mut fields = json!({"prompt_id": self.prompt_id(), "stop_reason": stop_reason,
            "elapsed_ms": 20_000});
        if stop_reason == "end_turn" {
            fields["usage"] = json!({"inputTokens": 12_000, "outputTokens": 800,
                "totalTokens": 12_800, "cachedReadTokens": 9_000, "cacheCreationTokens": 0,
                "reasoningTokens": 200, "modelCalls": 6, "costUsdTicks": 91_000_000});
        }
        self.update(VENDOR, "turn_completed", &fields);
        self.event("turn_ended", ended);
    }

    fn compact(&mut self, summary: &str) {
        let started = json!({"tokens_used": 180_000, "context_window": 200_000,
            "percentage": 90, "reason": "threshold"});
        self.update(VENDOR, "auto_compact_started", &started);
        let checkpoint = json!({"checkpoint_id": "k1", "schema_version": 1,
            "prompt_index_at_compaction": self.prompts,
            "checkpoint_file": "compaction_checkpoints/k1.json"});
        self.update(VENDOR, "compaction_checkpoint", &checkpoint);
        let completed = json!({"tokens_before": 180_000, "tokens_after": 9_000,
            "elapsed_ms": 3_000, "summary_preview": summary});
        self.update(VENDOR, "auto_compact_completed", &completed);
    }
}
