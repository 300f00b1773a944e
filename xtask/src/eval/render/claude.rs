//! Claude Code's project transcripts, as 2.1.150 writes them.

mod asks;

use super::{Clock, Rendered, Scene, lines, root, uuid4};
use crate::eval::case::{Case, Step};
use backstory_model::{Flavor, SessionUid};
use serde_json::{Map, Value, json};

const VERSION: &str = "2.1.150";
const MODEL: &str = "claude-opus-5-5";
const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
const STOP: &str = "STOP what you are doing and wait for the user to tell you how to proceed.";

/// A transcript being written.
struct Transcript<'a> {
    case: &'a Case,
    scene: &'a Scene,
    clock: Clock,
    session: String,
    records: Vec<Value>,
    /// Sub-agents' files.
    files: Vec<(String, String)>,
    last: Option<String>,
    ids: usize,
    /// Set while a sub-agent's own transcript is written.
    agent: Option<String>,
    /// The call that has no result yet.
    pending: Option<String>,
}

/// Writes a case.
pub(super) fn render(case: &Case, scene: &Scene) -> Rendered {
    let session = uuid4(scene.number, 0);
    let mut log = Transcript {
        case,
        scene,
        clock: Clock::new(scene),
        session: session.clone(),
        records: Vec::new(),
        files: Vec::new(),
        last: None,
        ids: 0,
        agent: None,
        pending: None,
    };
    log.bare("permission-mode", &json!({"permissionMode": "default"}));
    if case.steps.is_empty() {
        log.record(
            "system",
            &json!({"subtype": "local_command", "level": "info", "isMeta": false,
                "content": "<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>"}),
        );
    }
    for (at, step) in case.steps.iter().enumerate() {
        log.step(step, case.steps.get(at + 1));
    }
    let mut files = vec![(log.path(&format!("{session}.jsonl")), lines(&log.records))];
    files.append(&mut log.files);
    Rendered { uid: SessionUid::new(Flavor::Claude, &session), files }
}

impl Transcript<'_> {
    fn path(&self, name: &str) -> String {
        format!("{}/{}/{name}", root(Flavor::Claude), self.scene.cwd.replace('/', "-"))
    }

    fn id(&mut self) -> usize {
        self.ids += 1;
        self.ids
    }

    /// A record without identity and time.
    fn bare(&mut self, kind: &str, fields: &Value) {
        if self.scene.is_bare {
            return;
        }
        let mut record = json!({"type": kind, "sessionId": self.session});
        merge(&mut record, fields);
        self.records.push(record);
    }

    fn record(&mut self, kind: &str, fields: &Value) {
        let place = self.id();
        let uuid = uuid4(self.scene.number, place);
        let entrypoint = if self.case.is_exec { "sdk-cli" } else { "cli" };
        let mut record = json!({"parentUuid": self.last, "isSidechain": self.agent.is_some(),
            "type": kind, "uuid": uuid, "timestamp": self.clock.stamp(), "userType": "external",
            "entrypoint": entrypoint, "cwd": self.scene.cwd, "sessionId": self.session, "version": VERSION,
            "gitBranch": self.scene.branch});
        if let Some(agent) = &self.agent {
            record["agentId"] = json!(agent);
        }
        merge(&mut record, fields);
        self.records.push(record);
        self.last = Some(uuid);
    }

    fn step(&mut self, step: &Step, next: Option<&Step>) {
        match step {
            Step::User(text) => self.prompt(text),
            Step::Steer(text) => self.steer(text),
            Step::Say(text) => {
                let reason = if next == Some(&Step::End) { "end_turn" } else { "tool_use" };
                self.assistant(&json!({"type": "text", "text": text}), reason);
            }
            Step::Think(text) => {
                let block = json!({"type": "thinking", "thinking": text, "signature": "c2lnbg=="});
                self.assistant(&block, "tool_use");
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
            Step::Retry(reason) => self.record(
                "system",
                &json!({"subtype": "api_error", "level": "error", "retryInMs": 612.5,
                    "retryAttempt": 1, "maxRetries": 10,
                    "error": {"status": 529, "message": reason}}),
            ),
            Step::Error(text) => self.api_error(text),
            Step::Compact(summary) => self.compact(summary),
            Step::Wait(span) => self.clock.pass(*span),
            Step::End => self.record(
                "system",
                &json!({"subtype": "turn_duration", "durationMs": 61_234, "messageCount": 12,
                    "isMeta": false}),
            ),
        }
    }

    fn prompt(&mut self, text: &str) {
        self.clock.pass(20_000);
        let source = if self.case.is_exec { "sdk" } else { "typed" };
        self.record(
            "user",
            &json!({"message": {"role": "user", "content": text}, "permissionMode": "default",
                "promptSource": source, "origin": {"kind": "human"}}),
        );
        self.bare("last-prompt", &json!({"lastPrompt": text, "leafUuid": self.last}));
    }

    fn steer(&mut self, text: &str) {
        let at = self.clock.stamp();
        let queue =
            |operation: &str| json!({"operation": operation, "timestamp": at, "content": text});
        self.bare("queue-operation", &queue("enqueue"));
        self.bare("queue-operation", &queue("remove"));
        let attachment = json!({"type": "queued_command", "prompt": text, "commandMode": "prompt"});
        self.record("attachment", &json!({"attachment": attachment}));
    }

    fn assistant(&mut self, block: &Value, stop_reason: &str) {
        self.clock.pass(3_000);
        let place = self.id();
        let usage = json!({"input_tokens": 4, "cache_creation_input_tokens": 210,
            "cache_read_input_tokens": 14_000 + place * 300, "output_tokens": 90,
            "cache_creation": {"ephemeral_5m_input_tokens": 210, "ephemeral_1h_input_tokens": 0},
            "service_tier": "standard"});
        let (id, request) = self.response(place);
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": MODEL,
            "content": [block], "stop_reason": stop_reason, "stop_sequence": null,
            "usage": usage});
        self.record("assistant", &json!({"requestId": request, "message": message}));
    }

    fn response(&self, place: usize) -> (String, String) {
        let tail = format!("{:06x}{place:06x}", self.scene.number);
        (format!("msg_01{tail}"), format!("req_01{tail}"))
    }

    /// A tool call; gives its id.
    fn call(&mut self, tool: &str, input: &Value) -> String {
        let id = format!("toolu_01{:06x}{:06x}", self.scene.number, self.ids);
        let block = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        self.assistant(&block, "tool_use");
        id
    }

    fn result(&mut self, call: &str, content: &Value, is_error: bool, twin: &Value) {
        self.clock.pass(2_000);
        let block = json!({"type": "tool_result", "tool_use_id": call, "content": content,
            "is_error": is_error});
        self.record(
            "user",
            &json!({"message": {"role": "user", "content": [block]}, "toolUseResult": twin,
                "sourceToolAssistantUUID": self.last}),
        );
    }

    fn run(&mut self, command: &str, exit: Option<i32>, output: &str) {
        let input = json!({"command": command, "description": "Run a command"});
        let call = self.call("Bash", &input);
        let twin = json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false});
        match exit {
            None => self.pending = Some(call),
            Some(0) => self.result(&call, &json!(output), false, &twin),
            Some(code) => {
                let text = format!("Exit code {code}\n{output}");
                self.result(&call, &json!(text), true, &json!(format!("Error: {text}")));
            }
        }
    }

    fn edit(&mut self, path: &str, old: &str, new: &str) {
        let path = format!("{}/{path}", self.scene.cwd);
        // An insertion names the text it follows.
        let (old, new) = if old.is_empty() {
            ("\n".to_owned(), format!("\n{new}"))
        } else {
            (old.to_owned(), new.to_owned())
        };
        let call =
            self.call("Edit", &json!({"file_path": path, "old_string": old, "new_string": new}));
        let patch: Vec<String> = old
            .lines()
            .map(|line| format!("-{line}"))
            .chain(new.lines().map(|line| format!("+{line}")))
            .collect();
        let hunk = json!({"oldStart": 12, "oldLines": old.lines().count(), "newStart": 12,
            "newLines": new.lines().count(), "lines": patch});
        let twin = json!({"filePath": path, "oldString": old, "newString": new,
            "originalFile": old, "structuredPatch": [hunk], "userModified": false,
            "replaceAll": false});
        let text = format!("The file {path} has been updated successfully.");
        self.result(&call, &json!(text), false, &twin);
    }

    fn write(&mut self, path: &str, content: &str) {
        let path = format!("{}/{path}", self.scene.cwd);
        let call = self.call("Write", &json!({"file_path": path, "content": content}));
        let twin = json!({"type": "create", "filePath": path, "content": content,
            "structuredPatch": [], "originalFile": null});
        let text = format!("File created successfully at: {path}");
        self.result(&call, &json!(text), false, &twin);
    }

    fn ask(&mut self, question: &str, answer: Option<&str>) {
        let options = json!([{"label": answer.unwrap_or("The first"), "description": ""},
            {"label": "Something else", "description": ""}]);
        let questions = json!([{"question": question, "header": "Choice", "options": options,
            "multiSelect": false}]);
        let call = self.call("AskUserQuestion", &json!({"questions": questions}));
        let Some(answer) = answer else {
            self.pending = Some(call);
            return;
        };
        let text = format!(
            "User has answered your questions: \"{question}\"=\"{answer}\". You can now continue with the user's answers in mind."
        );
        let twin = json!({"questions": questions, "answers": {question: answer}});
        self.result(&call, &json!(text), false, &twin);
    }

    /// A sub-agent: a call here, a transcript of its own beside it.
    fn delegate(&mut self, task: &str, report: &str) {
        let input = json!({"description": task, "prompt": task, "subagent_type": "Explore"});
        let call = self.call("Agent", &input);
        let agent = format!("a{:08x}{:08x}", self.scene.number, self.ids);
        let main = (std::mem::take(&mut self.records), self.last.take());
        self.agent = Some(agent.clone());
        self.record("user", &json!({"message": {"role": "user", "content": task}}));
        self.assistant(&json!({"type": "text", "text": report}), "end_turn");
        self.agent = None;
        let child = lines(&std::mem::replace(&mut self.records, main.0));
        self.last = main.1;
        let folder = format!("{}/subagents/agent-{agent}", self.session);
        self.files.push((self.path(&format!("{folder}.jsonl")), child));
        let meta = json!({"agentType": "Explore", "description": task, "toolUseId": call,
            "spawnDepth": 1});
        self.files.push((self.path(&format!("{folder}.meta.json")), meta.to_string()));
        let content = json!([{"type": "text", "text": report}]);
        let twin = json!({"status": "completed", "prompt": task, "agentId": agent,
            "agentType": "Explore", "content": content, "totalDurationMs": 21_000,
            "totalTokens": 9_000, "totalToolUseCount": 4, "usage": {"output_tokens": 90}});
        self.result(&call, &content, false, &twin);
    }

    fn deny(&mut self, command: &str, words: Option<&str>, goes_on: bool) {
        let input = json!({"command": command, "description": "Run a command"});
        let call = self.call("Bash", &input);
        let text = match words {
            Some(words) => {
                format!("{REJECTED} To tell you how to proceed, the user said:\n{words}")
            }
            None => format!("{REJECTED} {STOP}"),
        };
        self.result(&call, &json!(text), true, &json!("User rejected tool use"));
        if words.is_none() && !goes_on {
            self.marker("[Request interrupted by user for tool use]");
        }
    }

    fn interrupt(&mut self) {
        let Some(call) = self.pending.take() else {
            return self.marker("[Request interrupted by user]");
        };
        let twin = json!({"stdout": "", "stderr": "", "interrupted": true, "isImage": false});
        let text = "[Request interrupted by user for tool use]";
        self.result(&call, &json!(text), true, &twin);
        self.marker(text);
    }

    fn marker(&mut self, text: &str) {
        let content = json!([{"type": "text", "text": text}]);
        self.record("user", &json!({"message": {"role": "user", "content": content}}));
    }

    fn api_error(&mut self, text: &str) {
        let usage = json!({"input_tokens": 0, "output_tokens": 0,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
        let place = self.id();
        let message = json!({"id": uuid4(self.scene.number, place), "model": "<synthetic>",
            "role": "assistant", "type": "message", "stop_reason": "stop_sequence",
            "stop_sequence": "", "usage": usage, "content": [{"type": "text", "text": text}]});
        self.record("assistant", &json!({"message": message, "isApiErrorMessage": true}));
    }

    fn compact(&mut self, summary: &str) {
        let before = self.last.take();
        self.record(
            "system",
            &json!({"subtype": "compact_boundary", "content": "Conversation compacted",
                "logicalParentUuid": before, "isMeta": false, "level": "info",
                "compactMetadata": {"trigger": "auto", "preTokens": 165_000}}),
        );
        let text = format!(
            "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n{summary}"
        );
        self.record(
            "user",
            &json!({"message": {"role": "user", "content": text}, "isCompactSummary": true,
                "isVisibleInTranscriptOnly": true}),
        );
    }
}

fn merge(record: &mut Value, fields: &Value) {
    let empty = Map::new();
    for (key, value) in fields.as_object().unwrap_or(&empty) {
        record[key] = value.clone();
    }
}
