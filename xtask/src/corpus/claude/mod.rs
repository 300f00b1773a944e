//! Claude Code: transcripts of every generation, sub-agents in both layouts, forks that copy.

mod era;
mod noise;
mod reply;
mod session;
mod tools;

use super::family::{Family, Seedbed, Written};
use super::json::object;
use era::Era;
use reply::Block;
use session::{Transcript, project_dir};
use tools::Call;

const COMPACT_AT: u64 = 165_000;
/// A fork repeats at most so much of its parent.
const FORK_PREFIX_LIMIT: usize = 4_000_000;

/// A point at which a fork can begin.
#[derive(Clone, Debug)]
struct Cut {
    offset: usize,
    last: Option<String>,
    context: u64,
}

/// A session, its sub-agents, and sometimes a fork of it.
pub(crate) fn family(bed: &mut Seedbed<'_>) -> Family {
    let era = Era::of(bed);
    let now = bed.moment(era.span.0, era.span.1);
    let forked = !bed.is_alone() && bed.writer.rng.percent(10);
    let mut main = Transcript::new(bed, era, now);
    main.opening();
    let target = main.bed.target;
    let cut = main.turns(target);
    let Some(cut) = cut.filter(|_| forked) else { return main.close() };
    let prefix = main.out.as_str()[..cut.offset].to_owned();
    let parent = (main.session_id.clone(), main.sums.uid.clone(), main.now);
    let era = main.era.clone();
    let mut family = main.close();
    let mut copy = fork(bed, era, &prefix, &cut, &parent);
    family.files.append(&mut copy.files);
    family.sessions.append(&mut copy.sessions);
    family
}

/// A new file that begins with a copy: same record ids, new session id.
fn fork(
    bed: &mut Seedbed<'_>,
    era: Era,
    prefix: &str,
    cut: &Cut,
    (session_id, uid, ended): &(String, String, u64),
) -> Family {
    let mut copy = Transcript::new(bed, era, ended + 3_600_000);
    copy.sums.fork_of = Some(uid.clone());
    copy.out.append(&prefix.replace(session_id.as_str(), &copy.session_id));
    copy.last.clone_from(&cut.last);
    copy.context = cut.context;
    let more = copy.bed.writer.rng.size(30_000.0, 1.0, 4_000, 400_000);
    copy.turns(prefix.len() + more);
    copy.close()
}

impl Transcript<'_, '_> {
    /// Writes turns up to a size; tells where a fork could begin.
    fn turns(&mut self, target: usize) -> Option<Cut> {
        let mut cut = None;
        loop {
            self.turn(target);
            if self.out.len() >= target {
                return cut;
            }
            if self.out.len() < FORK_PREFIX_LIMIT && self.bed.writer.rng.percent(60) {
                cut = Some(Cut {
                    offset: self.out.len(),
                    last: self.last.clone(),
                    context: self.context,
                });
            }
            self.wait(20_000, 1_500_000);
        }
    }

    fn turn(&mut self, target: usize) {
        if self.context > COMPACT_AT {
            self.compact();
        }
        if self.agent_id.is_none() && self.bed.writer.rng.percent(6) {
            self.slash_command();
        }
        self.turn_opening();
        let prompt = self.prompt();
        let rounds = if self.bed.tiny { 1 } else { self.bed.writer.rng.size(6.0, 0.9, 1, 80) };
        for _ in 0..rounds {
            self.round();
            if self.out.len() >= target || self.context > COMPACT_AT {
                break;
            }
        }
        match self.bed.writer.rng.below(40) {
            0 if self.agent_id.is_none() => self.interrupt(),
            1 => self.api_error(),
            _ => {
                let size = self.bed.writer.rng.size(500.0, 0.9, 60, 6_000);
                let mut blocks = self.thought(25);
                blocks.push(Block::Text(self.bed.writer.prose(size)));
                self.respond(blocks);
            }
        }
        self.turn_closing(&prompt);
    }

    fn thought(&mut self, percent: usize) -> Vec<Block> {
        if !self.bed.writer.rng.percent(percent) {
            return Vec::new();
        }
        // The newest versions keep only the signature of most thoughts.
        if self.era.snake_session_id() && self.bed.writer.rng.percent(70) {
            return vec![Block::Thinking(String::new())];
        }
        let size = self.bed.writer.rng.size(450.0, 1.0, 40, 9_000);
        vec![Block::Thinking(self.bed.writer.thoughts(size))]
    }

    /// One response with tools.
    fn round(&mut self) {
        let mut blocks = self.thought(35);
        if self.bed.writer.rng.percent(35) {
            let size = self.bed.writer.rng.size(160.0, 0.8, 30, 2_000);
            blocks.push(Block::Text(self.bed.writer.prose(size)));
        }
        let calls = [1, 1, 1, 1, 2, 2, 3][self.bed.writer.rng.below(7)];
        for _ in 0..calls {
            let call = if self.may_delegate() { self.delegate() } else { self.call() };
            blocks.push(Block::Tool(call));
        }
        self.respond(blocks);
    }

    fn may_delegate(&mut self) -> bool {
        self.agent_id.is_none()
            && self.era.agent_files()
            && !self.bed.is_alone()
            && self.bed.writer.rng.below(70) == 0
    }

    /// Gives a task to a sub-agent, whose transcript is a file of its own.
    fn delegate(&mut self) -> Call {
        let id = self.call_id();
        let rng = &mut self.bed.writer.rng;
        let agent_id = match () {
            () if self.era.flat_agents() => rng.hex(8),
            () if self.era.agent_meta() => format!("a{}", rng.hex(16)),
            () => format!("a{}", rng.hex(6)),
        };
        let target = rng.size(45_000.0, 1.2, 4_000, 2_000_000);
        let folder = project_dir(&self.bed.cwd);
        let path = if self.era.flat_agents() {
            format!("{folder}/agent-{agent_id}.jsonl")
        } else {
            format!("{folder}/{}/subagents/agent-{agent_id}.jsonl", self.session_id)
        };
        let (era, now) = (self.era.clone(), self.now + 1_500);
        let mut child = Transcript::new(self.bed, era, now);
        child.session_id.clone_from(&self.session_id);
        child.agent_id = Some(agent_id.clone());
        child.hour_cache = false;
        child.sums.uid = format!("{}/{agent_id}", self.sums.uid);
        child.sums.parent = Some(self.sums.uid.clone());
        child.sums.file.clone_from(&path);
        child.path.clone_from(&path);
        let task = child.prompt();
        while child.out.len() < target {
            child.round();
            child.context = child.context.min(COMPACT_AT);
        }
        let answer = child.bed.writer.prose(1_200);
        child.respond(vec![Block::Text(answer.clone())]);
        self.now = child.now;
        let call = agent_call(id, self.era.agent_tool(), &child, &agent_id, (&task, &answer));
        let mut family = child.close();
        if self.era.agent_meta() {
            let meta = object(|json| {
                json.put("agentType", "general-purpose").put("description", "Look into it");
                json.put("toolUseId", &call.id).put("spawnDepth", 1_u64);
            });
            let path = path.replace(".jsonl", ".meta.json");
            family.files.push(Written::text(path, meta, self.now));
        }
        self.children.files.append(&mut family.files);
        self.children.sessions.append(&mut family.sessions);
        call
    }
}

fn agent_call(
    id: String,
    tool: &'static str,
    child: &Transcript<'_, '_>,
    agent_id: &str,
    (task, answer): (&str, &str),
) -> Call {
    let tokens = child.sums.tokens;
    let input = object(|json| {
        json.put("description", "Look into it").put("prompt", task);
        json.put("subagent_type", "general-purpose");
    });
    let sidecar = object(|json| {
        json.put("status", "completed").put("prompt", task).put("agentId", agent_id);
        json.list_in("content").open().put("type", "text").put("text", answer).close().end_list();
        json.put("totalDurationMs", 61_234_u64).put("totalTokens", tokens.sent() + tokens.output);
        json.put("totalToolUseCount", child.sums.records.tool_calls);
        json.open_in("usage").put("input_tokens", tokens.input);
        json.put("output_tokens", tokens.output).close();
    });
    let agent = Some((agent_id.to_owned(), task.to_owned()));
    Call { id, name: tool, input, result: answer.to_owned(), sidecar, error: false, agent }
}
