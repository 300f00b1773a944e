//! A rollout being written: lines, counters, the head of a session.

use crate::corpus::clock::{Millis, day_path, file_stamp, iso};
use crate::corpus::family::{Family, Seedbed, Written};
use crate::corpus::json::{Json, Raw, object};
use crate::corpus::truth::{self, Tokens};

/// Token counters as Codex keeps them: input includes what was cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counter {
    input: u64,
    cached: u64,
    cache_write: u64,
    output: u64,
    reasoning: u64,
}

impl Counter {
    fn add(&mut self, other: Self) {
        self.input += other.input;
        self.cached += other.cached;
        self.cache_write += other.cache_write;
        self.output += other.output;
        self.reasoning += other.reasoning;
    }

    /// As JSON; older versions do not know cache writes.
    pub(crate) fn json(self, cache_write: bool) -> String {
        object(|json| {
            json.put("input_tokens", self.input).put("cached_input_tokens", self.cached);
            if cache_write {
                json.put("cache_write_input_tokens", self.cache_write);
            }
            json.put("output_tokens", self.output);
            json.put("reasoning_output_tokens", self.reasoning);
            json.put("total_tokens", self.input + self.output);
        })
    }

    fn tokens(self) -> Tokens {
        Tokens {
            input: self.input - self.cached - self.cache_write,
            output: self.output,
            cache_read: self.cached,
            cache_write_5m: self.cache_write,
            cache_write_1h: 0,
            reasoning: self.reasoning,
        }
    }
}

/// A rollout being written.
#[derive(Debug)]
pub(crate) struct Rollout<'s, 'a> {
    /// Text and secrets of the family.
    pub(crate) bed: &'s mut Seedbed<'a>,
    /// The lines.
    pub(crate) out: Json,
    /// The thread.
    pub(crate) id: String,
    /// The root thread of an agent tree.
    pub(crate) root: String,
    /// Minor version, `0.<minor>.0`.
    pub(crate) minor: u64,
    /// The next line's number, in the dialect that numbers lines.
    pub(crate) ordinal: Option<u64>,
    /// The file below the home directory.
    pub(crate) path: String,
    /// The rollout's clock.
    pub(crate) now: Millis,
    /// Everything counted so far, inherited counts included.
    pub(crate) total: Counter,
    /// What the last response cost.
    pub(crate) last: Counter,
    /// Tokens in the context.
    pub(crate) context: u64,
    /// Bytes written since the model answered last.
    pub(crate) unseen: u64,
    /// The current turn.
    pub(crate) turn_id: String,
    /// Neither compressed nor archived.
    pub(crate) pinned: bool,
    /// True for a sub-agent.
    pub(crate) is_child: bool,
    /// What is known about it.
    pub(crate) sums: truth::Session,
    /// Sub-agents finished so far.
    pub(crate) children: Family,
}

impl<'s, 'a> Rollout<'s, 'a> {
    /// An empty rollout.
    pub(crate) fn new(bed: &'s mut Seedbed<'a>, dialect: &str, minor: u64, now: Millis) -> Self {
        let id = bed.writer.rng.uuid7(now);
        let path =
            format!(".codex/sessions/{}/rollout-{}-{id}.jsonl", day_path(now), file_stamp(now));
        let sums = truth::Session {
            uid: format!("codex:{id}"),
            file: path.clone(),
            dialect: dialect.to_owned(),
            ..Default::default()
        };
        let room = bed.target + 65_536;
        Self {
            turn_id: String::new(),
            bed,
            out: Json::with_room(room),
            root: id.clone(),
            id,
            minor,
            ordinal: None,
            path,
            now,
            total: Counter::default(),
            last: Counter::default(),
            context: 9_000,
            unseen: 0,
            pinned: false,
            is_child: false,
            sums,
            children: Family::default(),
        }
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, low: u64, high: u64) {
        self.now += self.bed.writer.rng.range(low, high);
    }

    /// Opens a line; the payload's fields follow.
    pub(crate) fn begin(&mut self, kind: &str) -> &mut Json {
        self.wait(1, 60);
        self.out.open().put("timestamp", &iso(self.now));
        if let Some(ordinal) = &mut self.ordinal {
            self.out.put("ordinal", *ordinal);
            *ordinal += 1;
        }
        self.out.put("type", kind).open_in("payload")
    }

    /// Opens an event line.
    pub(crate) fn event(&mut self, kind: &str) -> &mut Json {
        self.begin("event_msg").put("type", kind)
    }

    /// Opens a line with an item of the model's conversation.
    pub(crate) fn item(&mut self, kind: &str) -> &mut Json {
        self.begin("response_item").put("type", kind)
    }

    /// Closes a line.
    pub(crate) fn finish(&mut self) {
        self.out.close().close().newline();
    }

    /// Closes an item, with the stamps of newer versions.
    pub(crate) fn finish_item(&mut self) {
        if self.minor >= 141 {
            self.out.open_in("internal_chat_message_metadata_passthrough");
            self.out.put("turn_id", &self.turn_id).close();
        }
        self.finish();
    }

    /// The first line of a thread; `lineage` holds the fields that tie it to another one.
    pub(crate) fn session_meta(&mut self, lineage: &str, source: &str) {
        let minor = self.minor;
        let instructions = self.bed.writer.prose(if self.bed.tiny { 200 } else { 3_000 });
        let (id, root, began) = (self.id.clone(), self.root.clone(), iso(self.now));
        let (cwd, branch) = (self.bed.cwd.clone(), self.bed.branch.clone());
        let commit = self.bed.writer.rng.hex(40);
        let paginated = self.ordinal.is_some();
        let window = self.bed.writer.rng.uuid7(self.now);
        let json = self.begin("session_meta");
        if minor >= 142 {
            json.put("session_id", &root);
        }
        json.put("id", &id).fields(lineage).put("timestamp", &began).put("cwd", &cwd);
        json.put("originator", if minor >= 100 { "codex-tui" } else { "codex_cli_rs" });
        json.put("cli_version", &format!("0.{minor}.0"));
        if minor >= 44 {
            json.put("source", Raw(source));
        }
        if minor >= 130 {
            let kind = if source.starts_with('{') { "subagent" } else { "user" };
            json.put("thread_source", kind);
        }
        if minor >= 51 {
            json.put("model_provider", "openai");
        }
        if minor >= 90 {
            json.open_in("base_instructions").put("text", &instructions).close();
        } else {
            json.put("instructions", &instructions);
        }
        if paginated {
            json.put("history_mode", "paginated").open_in("context_window");
            json.put("window_id", &window).close();
        }
        json.open_in("git").put("commit_hash", &commit).put("branch", &branch);
        json.put("repository_url", "git@github.com:example/app.git").close();
        self.finish();
    }

    /// The settings of a thread, which also end the copied part of a fork.
    pub(crate) fn thread_settings(&mut self) {
        let cwd = self.bed.cwd.clone();
        let model = self.model();
        let json = self.event("thread_settings_applied").open_in("thread_settings");
        json.put("model", model).put("model_provider_id", "openai");
        json.put("approval_policy", "never").put("cwd", &cwd).put("reasoning_effort", "high");
        json.close();
        self.finish();
    }

    /// The model in use.
    pub(crate) fn model(&self) -> &'static str {
        match self.minor {
            0..60 => "gpt-5-codex",
            60..110 => "gpt-5.2-codex",
            110..140 => "gpt-5.4",
            _ => "gpt-5.5",
        }
    }

    /// Spends the tokens of one response.
    pub(crate) fn spend(&mut self, output_bytes: u64, reasoning_bytes: u64) {
        let rng = &mut self.bed.writer.rng;
        let grown = self.unseen / 4 + rng.range(20, 300);
        let cached = if rng.percent(5) { 0 } else { self.context * 9 / 10 / 128 * 128 };
        let input = self.context + grown;
        let reasoning = reasoning_bytes / 4 + rng.range(0, 60);
        let cache_write = if self.minor >= 150 && rng.percent(15) { grown / 2 } else { 0 };
        let last = Counter {
            input,
            cached,
            cache_write,
            output: output_bytes / 4 + reasoning + rng.range(5, 60),
            reasoning,
        };
        self.context = input + last.output;
        self.unseen = 0;
        self.last = last;
        self.total.add(last);
        self.sums.tokens.add(last.tokens());
    }

    /// The counters, which are written again whenever the rate limits change.
    pub(crate) fn token_count(&mut self) {
        let again = match self.bed.writer.rng.below(100) {
            0..=70 => 1,
            71..=90 => 2,
            _ => 3,
        };
        for _ in 0..again {
            let last = self.last.json(self.minor >= 140);
            self.token_count_line(&last);
        }
    }

    /// One line with the counters.
    pub(crate) fn token_count_line(&mut self, last: &str) {
        let total = self.total.json(self.minor >= 140);
        let used = self.bed.writer.rng.range(1, 90);
        let limits = self.rate_limits(used);
        let json = self.event("token_count").open_in("info");
        json.put("total_token_usage", Raw(&total)).put("last_token_usage", Raw(last));
        json.put("model_context_window", 258_400_u64).close();
        json.fields(&limits);
        self.finish();
    }

    /// A line with limits only.
    pub(crate) fn token_count_empty(&mut self) {
        let limits = self.rate_limits(1);
        self.event("token_count").put("info", Raw("null")).fields(&limits);
        self.finish();
    }

    fn rate_limits(&self, used: u64) -> String {
        if self.minor < 44 {
            return String::new();
        }
        format!(
            "\"rate_limits\":{{\"limit_id\":\"codex\",\"limit_name\":null,\"primary\":{{\"used_percent\":{used}.0,\"window_minutes\":300,\"resets_at\":1785274415}},\"secondary\":null,\"credits\":null,\"plan_type\":\"pro\"}}"
        )
    }

    /// The finished file; old ones are archived or compressed now and then.
    pub(crate) fn close(mut self) -> Family {
        let mut family = self.children;
        let movable = !self.bed.tiny && !self.pinned;
        let (archived, packed) = match self.bed.writer.rng.below(100) {
            0..=5 if movable => (true, false),
            6..=10 if movable => (false, true),
            11..=13 if movable => (true, true),
            _ => (false, false),
        };
        if archived {
            let name = self.path.rsplit('/').next().unwrap_or_default().to_owned();
            self.path = format!(".codex/archived_sessions/{name}");
        }
        let mut file = Written::text(self.path, self.out.into_string(), self.now);
        if packed && let Ok(bytes) = zstd::encode_all(file.bytes.as_slice(), 3) {
            file.bytes = bytes;
            file.path.push_str(".zst");
        }
        self.bed.stash.renamed(&self.sums.file, &file.path);
        self.sums.file.clone_from(&file.path);
        family.files.insert(0, file);
        family.sessions.insert(0, self.sums);
        family
    }
}
