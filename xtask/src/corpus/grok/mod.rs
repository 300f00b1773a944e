//! Grok CLI: a folder per session; a parent's tokens include its sub-agents'.

mod sidecars;
mod updates;

use super::clock::Millis;
use super::family::{Family, Seedbed, Written};
use super::json::{Json, Raw, object};
use super::truth::{self, Tokens};
use super::work::Step;

/// A session and its sub-agents.
pub(crate) fn family(bed: &mut Seedbed<'_>) -> Family {
    let now = bed.moment(640, 1_000);
    let mut session = Session::new(bed, now, "primary");
    let target = session.bed.target;
    while session.written() < target {
        session.turn(target);
        session.wait(20_000, 900_000);
    }
    session.close()
}

/// What one turn cost; input includes everything cached.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    input: u64,
    output: u64,
    cached: u64,
    created: u64,
    reasoning: u64,
    calls: u64,
}

impl Spent {
    fn add(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.cached += other.cached;
        self.created += other.created;
        self.reasoning += other.reasoning;
        self.calls += other.calls;
    }

    /// The fields Grok writes.
    fn fields(self) -> String {
        format!(
            "\"inputTokens\":{},\"outputTokens\":{},\"totalTokens\":{},\"cachedReadTokens\":{},\"cacheCreationTokens\":{},\"reasoningTokens\":{},\"modelCalls\":{}",
            self.input,
            self.output,
            self.input + self.output,
            self.cached,
            self.created,
            self.reasoning,
            self.calls
        )
    }

    fn tokens(self) -> Tokens {
        Tokens {
            input: self.input - self.cached - self.created,
            output: self.output,
            cache_read: self.cached,
            cache_write_5m: self.created,
            cache_write_1h: 0,
            reasoning: self.reasoning,
        }
    }
}

/// A session being written.
#[derive(Debug)]
pub(crate) struct Session<'s, 'a> {
    bed: &'s mut Seedbed<'a>,
    id: String,
    folder: String,
    kind: &'static str,
    updates: Json,
    events: Json,
    chat: Json,
    now: Millis,
    began: Millis,
    sequence: u64,
    turns: Vec<(Millis, Spent)>,
    spent: Spent,
    context: u64,
    unseen: u64,
    prompt_id: String,
    title: String,
    sums: truth::Session,
    children: Family,
}

const MODEL: &str = "grok-build-1";

impl<'s, 'a> Session<'s, 'a> {
    fn new(bed: &'s mut Seedbed<'a>, now: Millis, kind: &'static str) -> Self {
        let id = bed.writer.rng.uuid7(now);
        let group: String = bed
            .cwd
            .bytes()
            .map(|b| {
                if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) {
                    char::from(b).to_string()
                } else {
                    format!("%{b:02X}")
                }
            })
            .collect();
        let folder = format!(".grok/sessions/{group}/{id}");
        let title = bed.title(&format!("{folder}/summary.json"));
        let sums = truth::Session {
            uid: format!("grok:{id}"),
            file: format!("{folder}/updates.jsonl"),
            dialect: "grok".to_owned(),
            ..Default::default()
        };
        Self {
            bed,
            id,
            folder,
            kind,
            updates: Json::default(),
            events: Json::default(),
            chat: Json::default(),
            now,
            began: now,
            sequence: 0,
            turns: Vec::new(),
            spent: Spent::default(),
            context: 12_000,
            unseen: 0,
            prompt_id: String::new(),
            title,
            sums,
            children: Family::default(),
        }
    }

    fn wait(&mut self, low: u64, high: u64) {
        self.now += self.bed.writer.rng.range(low, high);
    }

    fn written(&self) -> usize {
        self.updates.len() + self.events.len() + self.chat.len()
    }

    /// Spends the tokens of one call of the model.
    fn spend(&mut self, bytes: usize, thought: usize) {
        let rng = &mut self.bed.writer.rng;
        let grown = self.unseen / 4 + rng.range(20, 300);
        let reasoning = thought as u64 / 4;
        let spent = Spent {
            input: self.context + grown,
            output: bytes as u64 / 4 + reasoning + rng.range(4, 40),
            cached: if rng.percent(6) { 0 } else { self.context / 64 * 64 },
            created: if rng.percent(10) { grown / 2 } else { 0 },
            reasoning,
            calls: 1,
        };
        self.context = (self.context + grown + spent.output) % 200_000 + 1;
        self.unseen = 0;
        self.spent.add(spent);
    }

    fn turn(&mut self, target: usize) {
        self.spent = Spent::default();
        self.prompt_id = self.bed.writer.rng.uuid4();
        self.opening();
        let rounds = if self.bed.tiny { 1 } else { self.bed.writer.rng.size(5.0, 0.8, 1, 50) };
        for at in 0..rounds {
            self.round(at as u64);
            if self.written() >= target {
                break;
            }
        }
        if self.bed.writer.rng.below(40) == 0 && self.kind == "primary" {
            self.cancelled();
            return;
        }
        let size = self.bed.writer.rng.size(450.0, 0.8, 50, 4_000);
        let text = self.bed.writer.prose(size);
        self.spend(text.len(), 0);
        self.say(&text);
        self.completed();
    }

    fn round(&mut self, at: u64) {
        self.wait(600, 7_000);
        self.event_line("loop_started", &format!("\"loop_index\":{at}"));
        let mut thought = 0;
        if self.bed.writer.rng.percent(55) {
            let size = self.bed.writer.rng.size(300.0, 0.8, 30, 3_000);
            let text = self.bed.writer.thoughts(size);
            thought = text.len();
            self.think(&text);
        }
        if self.kind == "primary" && !self.bed.tiny && self.bed.writer.rng.below(60) == 0 {
            self.delegate();
        }
        let file = format!("{}/updates.jsonl", self.folder);
        let step = self.bed.step(&file);
        let asked = self.tool(&step);
        self.spend(asked, thought);
    }

    /// Starts a sub-agent: a folder of its own, its tokens part of this turn's.
    fn delegate(&mut self) {
        let now = self.now + 900;
        let parent = self.sums.uid.clone();
        let mut child = Session::new(self.bed, now, "subagent");
        child.sums.parent = Some(parent);
        child.sums.in_parent = true;
        let target = child.bed.writer.rng.size(40_000.0, 0.9, 4_000, 400_000);
        child.turn(target);
        let (id, turns) = (child.id.clone(), child.turns.clone());
        let calls = child.sums.records.tool_calls;
        self.now = child.now;
        let mut family = child.close();
        for (_, spent) in turns {
            self.spent.add(spent);
        }
        self.children.files.append(&mut family.files);
        self.children.sessions.append(&mut family.sessions);
        self.subagent_updates(&id, calls);
    }

    fn close(mut self) -> Family {
        self.sidecars();
        let mut family = std::mem::take(&mut self.children);
        let lines = [
            ("updates.jsonl", std::mem::take(&mut self.updates)),
            ("events.jsonl", std::mem::take(&mut self.events)),
            ("chat_history.jsonl", std::mem::take(&mut self.chat)),
        ];
        for (name, json) in lines {
            let path = format!("{}/{name}", self.folder);
            family.files.push(Written::text(path, json.into_string(), self.now));
        }
        family.sessions.insert(0, self.sums);
        family
    }
}

/// A tool of Grok and its input, for a step.
fn tool_of(step: &Step) -> (&'static str, &'static str, String) {
    match step {
        Step::Run { command, .. } => (
            "run_terminal_command",
            "execute",
            object(|json| {
                json.put("command", command).put("description", "run a command");
            }),
        ),
        Step::Read { path, .. } => (
            "read_file",
            "read",
            object(|json| {
                json.put("target_file", path);
            }),
        ),
        Step::Edit { path, old, new, .. } => (
            "search_replace",
            "edit",
            object(|json| {
                json.put("file_path", path).put("old_string", old).put("new_string", new);
            }),
        ),
        Step::Write { path, content } => (
            "write",
            "edit",
            object(|json| {
                json.put("file_path", path).put("contents", content);
            }),
        ),
        Step::Search { pattern, .. } => (
            "grep",
            "search",
            object(|json| {
                json.put("pattern", pattern).put("head_limit", Raw("200"));
            }),
        ),
    }
}
