//! One transcript of Claude Code: envelope, prompts and the records that carry conversation.

use super::era::Era;
use crate::corpus::clock::{Millis, iso};
use crate::corpus::family::{Family, Seedbed, Written};
use crate::corpus::json::{Json, NULL, Raw};
use crate::corpus::secrets::split_over_escapes;
use crate::corpus::truth;

/// A transcript being written.
#[derive(Debug)]
pub(crate) struct Transcript<'s, 'a> {
    /// Text and secrets of the family.
    pub(crate) bed: &'s mut Seedbed<'a>,
    /// The version that writes it.
    pub(crate) era: Era,
    /// The lines.
    pub(crate) out: Json,
    /// The session's id; sub-agents carry their parent's.
    pub(crate) session_id: String,
    /// The sub-agent's id.
    pub(crate) agent_id: Option<String>,
    /// The file below the home directory.
    pub(crate) path: String,
    /// The record the next one follows.
    pub(crate) last: Option<String>,
    /// The transcript's clock.
    pub(crate) now: Millis,
    /// Tokens the model has seen so far.
    pub(crate) context: u64,
    /// Bytes written since the model answered last.
    pub(crate) unseen: u64,
    /// Cache writes live for an hour.
    pub(crate) hour_cache: bool,
    prompt_id: String,
    slug: String,
    /// What is known about it.
    pub(crate) sums: truth::Session,
    /// Sub-agents finished so far.
    pub(crate) children: Family,
}

/// The folder of a project below the home directory.
pub(crate) fn project_dir(cwd: &str) -> String {
    let slug: String =
        cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!(".claude/projects/{slug}")
}

impl<'s, 'a> Transcript<'s, 'a> {
    /// An empty main transcript.
    pub(crate) fn new(bed: &'s mut Seedbed<'a>, era: Era, now: Millis) -> Self {
        let session_id = bed.writer.rng.uuid4();
        let path = format!("{}/{session_id}.jsonl", project_dir(&bed.cwd));
        let hour_cache = era.cache_split() && bed.writer.rng.percent(40);
        let slug = format!("{}-{}", bed.writer.name(), bed.writer.name()).replace('_', "-");
        let sums = truth::Session {
            uid: format!("claude:{session_id}"),
            file: path.clone(),
            dialect: era.generation().to_owned(),
            ..Default::default()
        };
        let room = bed.target + 65_536;
        Self {
            prompt_id: bed.writer.rng.uuid4(),
            bed,
            era,
            out: Json::with_room(room),
            session_id,
            agent_id: None,
            path,
            last: None,
            now,
            context: 14_000,
            unseen: 0,
            hour_cache,
            slug,
            sums,
            children: Family::default(),
        }
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, low: u64, high: u64) {
        self.now += self.bed.writer.rng.range(low, high);
    }

    /// Opens a record and writes what stands before its body.
    pub(crate) fn begin(&mut self, parent: Option<&str>) {
        self.out.open().put("parentUuid", parent).put("isSidechain", self.agent_id.is_some());
        if self.era.envelope_last() {
            self.out.put("promptId", &self.prompt_id);
            self.out.maybe("agentId", self.agent_id.as_ref());
        } else {
            self.envelope();
            self.out.maybe("agentId", self.agent_id.as_ref());
        }
    }

    /// Opens a record that follows the last one.
    pub(crate) fn follow(&mut self) {
        let parent = self.last.clone();
        self.begin(parent.as_deref());
    }

    fn envelope(&mut self) {
        self.out.put("userType", "external");
        if self.era.envelope_last() {
            self.out.put("entrypoint", "cli");
        }
        self.out
            .put("cwd", &self.bed.cwd)
            .put("sessionId", &self.session_id)
            .put("version", &self.era.text);
        if self.era.git_branch() {
            self.out.put("gitBranch", &self.bed.branch);
        }
        if self.era.slug() {
            self.out.put("slug", &self.slug);
        }
    }

    /// Gives the record its identity; the next record will follow it.
    pub(crate) fn stamp(&mut self) {
        self.wait(3, 900);
        let uuid = self.bed.writer.rng.uuid4();
        self.out.put("uuid", &uuid).put("timestamp", &iso(self.now));
        self.last = Some(uuid);
    }

    /// Closes a record.
    pub(crate) fn finish(&mut self) {
        if self.era.envelope_last() {
            if self.era.snake_session_id() {
                self.out.put("session_id", &self.session_id);
            }
            self.envelope();
        }
        self.out.close().newline();
    }

    /// A prompt of a person, or for a sub-agent the task it is given.
    pub(crate) fn prompt(&mut self) -> String {
        let file = self.path.clone();
        let (text, escaped) = self.bed.prompt(&file);
        let start = self.out.len();
        self.prompt_id = self.bed.writer.rng.uuid4();
        let with_image =
            !self.bed.tiny && self.agent_id.is_none() && self.bed.writer.rng.below(60) == 0;
        self.follow();
        self.out.put("type", "user").open_in("message").put("role", "user");
        if with_image {
            let size = self.bed.writer.rng.size(60_000.0, 0.8, 4_000, 500_000);
            let data = format!("iVBORw0KGgo{}", self.bed.writer.rng.base64(size));
            self.out.list_in("content").open().put("type", "image").open_in("source");
            self.out.put("type", "base64").put("media_type", "image/png").put("data", &data);
            self.out
                .close()
                .close()
                .open()
                .put("type", "text")
                .put("text", &text)
                .close()
                .end_list();
        } else {
            self.out.put("content", &text);
        }
        self.out.close();
        self.stamp();
        self.prompt_extras();
        self.finish();
        if let Some(secret) = escaped {
            self.out.replace_after(start, &secret, &split_over_escapes(&secret));
        }
        self.unseen += text.len() as u64;
        if self.agent_id.is_some() {
            self.sums.records.subagent_prompts += 1;
        } else {
            self.sums.records.user_prompts += 1;
        }
        text
    }

    fn prompt_extras(&mut self) {
        if self.agent_id.is_some() {
            return;
        }
        if self.era.thinking_metadata() {
            self.out
                .put("thinkingMetadata", Raw(r#"{"level":"high","disabled":false,"triggers":[]}"#));
        }
        if self.era.slug() {
            self.out.put("todos", Raw("[]"));
        }
        if self.era.permission_mode() {
            self.out.put("permissionMode", "acceptEdits");
        }
        if self.era.prompt_source() {
            self.out.put("promptSource", "user").put("origin", Raw(r#"{"kind":"human"}"#));
        }
    }

    /// A `user` record that no person wrote: injected text, markup of commands, interrupts.
    pub(crate) fn injected(&mut self, text: &str, flags: &str, as_list: bool) {
        self.follow();
        self.out.put("type", "user").open_in("message").put("role", "user");
        if as_list {
            self.out.list_in("content").open().put("type", "text").put("text", text);
            self.out.close().end_list();
        } else {
            self.out.put("content", text);
        }
        self.out.close().fields(flags);
        self.stamp();
        self.finish();
    }

    /// A person stops the agent.
    pub(crate) fn interrupt(&mut self) {
        let for_tool = self.bed.writer.rng.percent(50);
        let text = if for_tool {
            "[Request interrupted by user for tool use]"
        } else {
            "[Request interrupted by user]"
        };
        self.injected(text, "", true);
        self.sums.records.interrupts += 1;
    }

    /// A slash command and what it printed, in the form of the version.
    pub(crate) fn slash_command(&mut self) {
        let name = self.bed.writer.rng.pick(&["/clear", "/model", "/cost", "/context"]);
        if self.era.attachments() {
            self.follow();
            self.out.put("type", "system").put("subtype", "local_command").put(
                "content",
                &format!("<command-name>{name}</command-name>\n<command-message>{}</command-message>\n<command-args></command-args>", &name[1..]),
            );
            self.out.put("level", "info");
            self.stamp();
            self.out.put("isMeta", false);
            self.finish();
            return;
        }
        self.injected(
            "Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to.",
            "\"isMeta\":true",
            false,
        );
        self.injected(
            &format!("<command-name>{name}</command-name>\n            <command-message>{}</command-message>\n            <command-args></command-args>", &name[1..]),
            "",
            false,
        );
        self.injected("<local-command-stdout></local-command-stdout>", "", false);
    }

    /// The context is full: a summary takes its place.
    pub(crate) fn compact(&mut self) {
        if !self.era.compact_boundary() {
            self.context = 30_000;
            return;
        }
        let before = self.last.clone();
        let tokens = self.context;
        self.begin(None);
        self.out.put("logicalParentUuid", before.as_ref()).put("type", "system");
        self.out.put("subtype", "compact_boundary").put("content", "Conversation compacted");
        self.out.put("isMeta", false);
        self.stamp();
        self.out.put("level", "info").open_in("compactMetadata").put("trigger", "auto");
        self.out.put("preTokens", tokens).close();
        self.finish();
        let summary = self.bed.writer.prose(6_000);
        self.injected(
            &format!("This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n{summary}"),
            "\"isVisibleInTranscriptOnly\":true,\"isCompactSummary\":true",
            false,
        );
        self.sums.records.compactions += 1;
        self.context = 22_000;
    }

    /// An error of the API, which Claude Code writes as a message of its own.
    pub(crate) fn api_error(&mut self) {
        self.follow();
        let id = self.bed.writer.rng.uuid4();
        self.out.put("type", "assistant").open_in("message").put("id", &id);
        self.out.put("model", "<synthetic>").put("role", "assistant").put("type", "message");
        self.out.put("stop_reason", "stop_sequence").put("stop_sequence", "");
        self.out.put("usage", Raw(r#"{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}"#));
        self.out.list_in("content").open().put("type", "text");
        self.out.put("text", "API Error: 529 Overloaded").close().end_list().close();
        self.stamp();
        self.out.put("isApiErrorMessage", true);
        self.finish();
    }

    /// The finished file and what is known of it.
    pub(crate) fn close(self) -> Family {
        let mut family = self.children;
        let file = Written::text(self.path, self.out.into_string(), self.now);
        family.files.insert(0, file);
        family.sessions.insert(0, self.sums);
        family
    }

    /// Writes `null` for values a record of this version leaves open.
    pub(crate) fn open_values(&mut self) {
        self.out.put("stop_sequence", NULL);
    }
}
