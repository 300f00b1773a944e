//! Records beside the conversation: progress, attachments, snapshots, bookkeeping. They make up
//! much of a real log and must cost a reader little.

use super::session::Transcript;
use super::tools::Call;
use crate::corpus::clock::iso;
use crate::corpus::json::{Raw, Texts, object};

impl Transcript<'_, '_> {
    /// Opens the session.
    pub(crate) fn opening(&mut self) {
        if self.era.summaries() && self.agent_id.is_none() {
            for _ in 0..self.bed.writer.rng.range(1, 4) {
                let file = self.path.clone();
                let title = self.bed.title(&file);
                let leaf = self.bed.writer.rng.uuid4();
                self.out.open().put("type", "summary").put("summary", &title);
                self.out.put("leafUuid", &leaf).close().newline();
            }
        }
        if !self.era.attachments() || self.agent_id.is_some() {
            return;
        }
        let context = self.bed.writer.prose(if self.bed.tiny { 60 } else { 1_500 });
        self.attachment("hook_success", |json| {
            json.put("hookName", "SessionStart:startup").put("toolUseID", "SessionStart");
            json.put("hookEvent", "SessionStart").put("content", &context);
            json.put("stdout", &context).put("stderr", "").put("exitCode", 0_u64);
            json.put("command", "node hooks/session-start.mjs").put("durationMs", 253_u64);
        });
        if self.bed.tiny {
            return;
        }
        let listing = self.bed.writer.prose(5_000);
        let names: Vec<String> = (0..12).map(|_| self.bed.writer.name()).collect();
        self.attachment("skill_listing", |json| {
            json.put("content", &listing).put("skillCount", 12_u64).put("isInitial", true);
            json.put("names", Texts(&names));
        });
        self.attachment("deferred_tools_delta", |json| {
            json.put("addedNames", Texts(&names)).put("addedLines", Texts(&names));
            json.put("removedNames", Raw("[]"));
        });
    }

    /// One attachment record.
    fn attachment(&mut self, kind: &str, body: impl FnOnce(&mut crate::corpus::json::Json)) {
        self.follow();
        self.out.open_in("attachment").put("type", kind);
        body(&mut self.out);
        self.out.close().put("type", "attachment");
        self.stamp();
        self.finish();
    }

    fn progress(&mut self, data: &str, tool_use: &str, parent: &str) {
        self.follow();
        self.out.put("type", "progress").put("data", Raw(data));
        self.out.put("toolUseID", tool_use).put("parentToolUseID", parent);
        self.stamp();
        self.finish();
    }

    /// Before a result: hooks and progress of the tool, in the versions that record them.
    pub(crate) fn before_result(&mut self, call: &Call) {
        if !self.era.progress() || self.bed.tiny {
            return;
        }
        let hook = object(|json| {
            json.put("type", "hook_progress").put("hookEvent", "PreToolUse");
            json.put("hookName", &format!("PreToolUse:{}", call.name));
            json.put("command", "callback");
        });
        self.progress(&hook, &call.id, &call.id);
        if let Some((agent, task)) = &call.agent {
            self.agent_progress(agent, task, &call.id);
        }
        if call.name == "Bash" && self.bed.writer.rng.percent(30) {
            let seen = call.result.lines().count() as u64;
            for tick in 1..=self.bed.writer.rng.range(2, 7) {
                let data = object(|json| {
                    let tail: String = call.result.chars().take(400).collect();
                    json.put("type", "bash_progress").put("output", &tail);
                    json.put("fullOutput", &tail).put("elapsedTimeSeconds", tick + 2);
                    json.put("totalLines", seen).put("totalBytes", 0_u64);
                });
                let tool_use = format!("bash-progress-{tick}");
                self.progress(&data, &tool_use, &call.id);
            }
        }
    }

    fn agent_progress(&mut self, agent: &str, task: &str, call: &str) {
        let at = iso(self.now);
        for round in 0..self.bed.writer.rng.range(2, 8) {
            let text = if round == 0 { task.to_owned() } else { self.bed.writer.output(700) };
            let uuid = self.bed.writer.rng.uuid4();
            let data = object(|json| {
                json.open_in("message").put("type", "user").open_in("message");
                json.put("role", "user").list_in("content").open().put("type", "text");
                json.put("text", &text).close().end_list().close();
                json.put("uuid", &uuid).put("timestamp", &at).close();
                json.put("normalizedMessages", Raw("[]")).put("type", "agent_progress");
                json.put("prompt", if round == 0 { task } else { "" }).put("agentId", agent);
            });
            let tool_use = format!("agent_msg_01{}", self.bed.writer.rng.alnum(22));
            self.progress(&data, &tool_use, call);
        }
    }

    /// After a result: hooks that ran, files that changed, in the versions that attach them.
    pub(crate) fn after_result(&mut self, call: &Call) {
        if !self.era.attachments() || self.bed.tiny {
            return;
        }
        for event in ["PreToolUse", "PostToolUse"] {
            if !self.bed.writer.rng.percent(45) {
                continue;
            }
            let duration = self.bed.writer.rng.range(4, 400);
            let stdout = if self.bed.writer.rng.percent(15) {
                self.bed.writer.output(250)
            } else {
                String::new()
            };
            self.attachment("hook_success", |json| {
                json.put("hookName", &format!("{event}:{}", call.name)).put("toolUseID", &call.id);
                json.put("hookEvent", event).put("content", "").put("stdout", &stdout);
                json.put("stderr", "").put("exitCode", 0_u64);
                json.put("command", "sh -c 'command -v tracker >/dev/null && exec tracker hook'");
                json.put("durationMs", duration);
            });
        }
        match self.bed.writer.rng.below(40) {
            0 => self.attachment("task_reminder", |json| {
                json.put("content", Raw("[]")).put("itemCount", 0_u64);
            }),
            1 => {
                let (name, snippet) = (self.bed.file(), self.bed.writer.code(1_200));
                self.attachment("edited_text_file", |json| {
                    json.put("filename", &name).put("snippet", &snippet);
                });
            }
            2 if self.agent_id.is_none() => self.queued_prompt(),
            _ => {}
        }
    }

    /// A prompt typed while the agent is working: queued, then attached.
    fn queued_prompt(&mut self) {
        let text = self.bed.writer.prompt();
        let at = iso(self.now);
        self.out.open().put("type", "queue-operation").put("operation", "enqueue");
        self.out.put("timestamp", &at).put("sessionId", &self.session_id);
        self.out.put("content", &text).close().newline();
        self.attachment("queued_command", |json| {
            json.put("prompt", &text).put("commandMode", "prompt").put("timestamp", &at);
        });
        self.out.open().put("type", "queue-operation").put("operation", "remove");
        self.out.put("timestamp", &at).put("sessionId", &self.session_id);
        self.out.close().newline();
        self.sums.records.user_prompts += 1;
        self.sums.records.queued_prompts += 1;
        self.unseen += text.len() as u64;
    }

    /// Before a prompt.
    pub(crate) fn turn_opening(&mut self) {
        if self.agent_id.is_some() || !self.era.snapshots() {
            return;
        }
        let id = self.bed.writer.rng.uuid4();
        let at = iso(self.now);
        self.out.open().put("type", "file-history-snapshot").put("messageId", &id);
        self.out.open_in("snapshot").put("messageId", &id).open_in("trackedFileBackups");
        let files = if self.bed.tiny { 0 } else { self.bed.writer.rng.range(0, 5) };
        for _ in 0..files {
            let path = self.bed.writer.path();
            let name = format!("{}@v1", self.bed.writer.rng.hex(16));
            self.out.open_in(&path).put("backupFileName", &name).put("version", 1_u64);
            self.out.put("backupTime", &at).close();
        }
        self.out.close().put("timestamp", &at).close().put("isSnapshotUpdate", false).close();
        self.out.newline();
    }

    /// After a turn.
    pub(crate) fn turn_closing(&mut self, prompt: &str) {
        if self.agent_id.is_some() {
            return;
        }
        if self.era.stop_hooks() {
            self.follow();
            self.out.put("type", "system").put("subtype", "stop_hook_summary");
            self.out.put("hookCount", 1_u64);
            self.out.put("hookInfos", Raw(r#"[{"command":"tracker hook stop","durationMs":74}]"#));
            self.out.put("hookErrors", Raw("[]")).put("preventedContinuation", false);
            self.out.put("stopReason", "").put("hasOutput", false).put("level", "suggestion");
            self.stamp();
            self.finish();
        }
        if self.era.turn_duration() {
            let duration = self.bed.writer.rng.range(2_000, 900_000);
            self.follow();
            self.out.put("type", "system").put("subtype", "turn_duration");
            self.out.put("durationMs", duration);
            self.stamp();
            self.out.put("isMeta", false);
            self.finish();
        }
        self.bookkeeping(prompt);
    }

    fn bookkeeping(&mut self, prompt: &str) {
        if self.era.requests() && !self.bed.tiny {
            self.requests();
        }
        let id = self.session_id.clone();
        if self.era.last_prompt() {
            let leaf = self.last.clone();
            let shown: String = prompt.chars().take(200).collect();
            self.out.open().put("type", "last-prompt").put("lastPrompt", &shown);
            self.out.put("leafUuid", leaf.as_ref()).put("sessionId", &id).close().newline();
            self.out.open().put("type", "permission-mode").put("permissionMode", "acceptEdits");
            self.out.put("sessionId", &id).close().newline();
        }
        if self.era.mode() {
            self.out.open().put("type", "mode").put("mode", "normal").put("sessionId", &id);
            self.out.close().newline();
        }
        if self.era.custom_titles() && self.bed.writer.rng.percent(20) {
            let file = self.path.clone();
            let title = self.bed.title(&file);
            self.out.open().put("type", "custom-title").put("customTitle", &title);
            self.out.put("sessionId", &id).close().newline();
            self.out.open().put("type", "agent-name").put("agentName", &title);
            self.out.put("sessionId", &id).close().newline();
        }
        if self.era.ai_titles() {
            let file = self.path.clone();
            let title = self.bed.title(&file);
            self.out.open().put("type", "ai-title").put("aiTitle", &title);
            self.out.put("sessionId", &id).close().newline();
        }
    }

    /// The newest versions keep what they sent to the model.
    fn requests(&mut self) {
        let (id, at) = (self.session_id.clone(), iso(self.now));
        let hash = self.bed.writer.rng.hex(64);
        if self.context < 30_000 {
            let system = self.bed.writer.prose(5_000);
            self.attachment("prompt_snapshot", |json| {
                json.list_in("systemPrompt").end_list().put("text", &system);
                json.put("contextRendering", "announced");
            });
        }
        let blob = self.bed.writer.prose(500);
        self.out.open().put("type", "api-request-blob").put("sessionId", &id).put("hash", &hash);
        self.out.open_in("message").put("role", "user").list_in("content").open();
        self.out.put("type", "text").put("text", &blob).close().end_list().close().close();
        self.out.newline();
        let request = self.bed.writer.rng.uuid4();
        self.out.open().put("type", "api-request").put("sessionId", &id).put("id", &request);
        self.out.put("timestamp", &at).put("version", &self.era.text).put("querySource", "repl");
        self.out.open_in("params").put("model", self.era.model).put("max_tokens", 128_000_u64);
        self.out.close().put("keep", 0_u64).put("requestDigest", &hash).close().newline();
        self.out.open().put("type", "tools-used").put("tools", Raw(r#"["Bash","Read"]"#));
        self.out.put("sessionId", &id).close().newline();
        let tokens = self.sums.tokens;
        self.out.open().put("type", "cost-state").put("sessionId", &id).open_in("modelUsage");
        self.out.open_in(self.era.model).put("inputTokens", tokens.input);
        self.out.put("outputTokens", tokens.output).put("cacheReadInputTokens", tokens.cache_read);
        self.out.close().close().put("hasUnknownModelCost", false).close().newline();
    }
}
