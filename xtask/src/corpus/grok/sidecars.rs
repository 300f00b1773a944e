//! The small files beside a session's log: usage, summary, signals, links to sub-agents.

use super::{MODEL, Session, Spent};
use crate::corpus::clock::iso;
use crate::corpus::family::Written;
use crate::corpus::json::object;

impl Session<'_, '_> {
    fn add_file(&mut self, name: &str, text: String) {
        let path = format!("{}/{name}", self.folder);
        self.children.files.push(Written::text(path, text, self.now));
    }

    /// Writes every sidecar.
    pub(super) fn sidecars(&mut self) {
        let usage = self.usage();
        self.add_file("usage.json", usage);
        let summary = self.summary();
        self.add_file("summary.json", summary);
        let records = self.sums.records;
        let turns = self.turns.len() as u64;
        let signals = object(|json| {
            json.put("turnCount", turns).put("userMessageCount", turns);
            json.put("toolCallCount", records.tool_calls).put("primaryModelId", MODEL);
            json.put("contextWindowTokens", 256_000_u64);
        });
        self.add_file("signals.json", signals);
        if !self.bed.tiny {
            let prompt = self.bed.writer.prose(2_500);
            self.add_file("system_prompt.txt", prompt);
        }
    }

    fn usage(&self) -> String {
        let mut total = Spent::default();
        for (_, spent) in &self.turns {
            total.add(*spent);
        }
        let (now, session) = (iso(self.now), total.fields());
        object(|json| {
            json.put("sessionId", &self.id).put("updatedAt", &now).open_in("session");
            json.fields(&session).put("turnCount", self.turns.len() as u64);
            json.put("primaryModelId", MODEL).open_in("modelUsage").open_in(MODEL);
            json.fields(&session).close().close().close().list_in("turns");
            for (at, (ended, spent)) in self.turns.iter().enumerate() {
                let fields = spent.fields();
                json.open().put("turnNumber", at as u64 + 1).put("endedAt", &iso(*ended));
                json.fields(&fields).put("turnCount", 1_u64).put("primaryModelId", MODEL);
                json.open_in("modelUsage").open_in(MODEL).fields(&fields).close().close().close();
            }
            json.end_list();
        })
    }

    fn summary(&mut self) -> String {
        let commit = self.bed.writer.rng.hex(40);
        let (began, ended) = (iso(self.began), iso(self.now));
        let kind = if self.kind == "primary" { "headless" } else { self.kind };
        object(|json| {
            json.open_in("info").put("id", &self.id).put("cwd", &self.bed.cwd).close();
            json.put("session_summary", &self.title).put("created_at", &began);
            json.put("updated_at", &ended).put("num_messages", self.sequence);
            json.put("num_chat_messages", self.turns.len() as u64 * 4);
            json.put("current_model_id", MODEL).put("chat_format_version", 1_u64);
            json.put("session_kind", kind).put("git_root_dir", &self.bed.cwd);
            json.put("head_commit", &commit).put("head_branch", &self.bed.branch);
            json.put("last_active_at", &ended).put("generated_title", &self.title);
            json.put("agent_name", "grok-build-plan").put("sandbox_profile", "off");
        })
    }

    /// The parent's note of a sub-agent.
    pub(super) fn subagent_meta(&mut self, child: &str, calls: u64) {
        let meta = object(|json| {
            json.put("subagent_id", child).put("parent_session_id", &self.id);
            json.put("child_session_id", child).put("subagent_type", "explore");
            json.put("description", "look into it").put("status", "completed");
            json.put("tool_calls", calls).put("turns", 1_u64);
        });
        self.add_file(&format!("subagents/{child}/meta.json"), meta);
    }
}
