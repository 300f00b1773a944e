//! Turns, forks and sub-agents, in both wrapped dialects.

use super::rollout::{Counter, Rollout};
use crate::corpus::clock::iso;
use crate::corpus::family::Family;
use crate::corpus::json::object;

const COMPACT_AT: u64 = 220_000;
/// A fork repeats at most so much of its parent.
const PREFIX_LIMIT: usize = 3_000_000;

/// A point at which a fork can begin.
#[derive(Clone, Copy, Debug)]
struct Cut {
    offset: usize,
    ordinal: Option<u64>,
    total: Counter,
    context: u64,
}

/// Writes the turns of a thread and, now and then, a fork of it.
pub(crate) fn finish(mut main: Rollout<'_, '_>) -> Family {
    let target = main.bed.target;
    let cut = main.turns(target);
    let forks = main.minor >= 90 && !main.bed.tiny && main.bed.writer.rng.percent(12);
    let Some(cut) = cut.filter(|_| forks) else { return main.close() };
    let mut copy = main.fork(cut);
    // A thread others refer to is neither compressed nor moved.
    main.pinned = true;
    let mut family = main.close();
    family.files.append(&mut copy.files);
    family.sessions.append(&mut copy.sessions);
    family
}

impl Rollout<'_, '_> {
    fn turns(&mut self, target: usize) -> Option<Cut> {
        let mut cut = None;
        loop {
            self.turn(target);
            if self.out.len() >= target {
                return cut;
            }
            let counted = self.total != Counter::default();
            if counted && self.out.len() < PREFIX_LIMIT && self.bed.writer.rng.percent(60) {
                cut = Some(self.here());
            }
            self.wait(20_000, 1_200_000);
        }
    }

    fn here(&self) -> Cut {
        Cut {
            offset: self.out.len(),
            ordinal: self.ordinal,
            total: self.total,
            context: self.context,
        }
    }

    fn turn(&mut self, target: usize) {
        let paginated = self.ordinal.is_some();
        if self.context > COMPACT_AT {
            self.compact();
        }
        if paginated {
            self.paginated_prompt();
        } else {
            self.legacy_prompt();
        }
        let rounds = if self.bed.tiny { 1 } else { self.bed.writer.rng.size(7.0, 0.8, 1, 60) };
        for _ in 0..rounds {
            self.round();
            if self.out.len() >= target || self.context > COMPACT_AT {
                break;
            }
        }
        if self.bed.writer.rng.below(40) == 0 && !self.is_child {
            self.abort();
            return;
        }
        let size = self.bed.writer.rng.size(500.0, 0.9, 60, 5_000);
        let text = self.bed.writer.prose(size);
        self.spend(text.len() as u64, 0);
        self.say(&text);
        self.usage_record();
        self.token_count();
        self.task_complete(&text);
    }

    fn say(&mut self, text: &str) {
        if self.ordinal.is_some() {
            self.paginated_text(text);
        } else {
            self.legacy_text(text);
        }
    }

    /// One response with tools.
    fn round(&mut self) {
        self.wait(900, 9_000);
        let mut reasoning = 0;
        if self.bed.writer.rng.percent(60) {
            reasoning = if self.ordinal.is_some() {
                self.paginated_reasoning()
            } else {
                self.legacy_reasoning()
            };
        }
        if self.bed.writer.rng.percent(20) {
            let text = self.bed.writer.prose(120);
            self.say(&text);
        }
        if self.may_delegate() {
            self.delegate();
        }
        let call = self.call();
        let asked = call.command.len() + call.patch.as_ref().map_or(0, |(_, patch)| patch.len());
        self.spend(asked as u64 + 100, reasoning);
        if self.ordinal.is_some() {
            self.paginated_call(&call);
        } else {
            self.legacy_call(&call);
        }
        self.usage_record();
        self.token_count();
    }

    /// A copy of the thread up to a point, and turns of its own.
    fn fork(&mut self, cut: Cut) -> Family {
        let prefix = self.out.as_str()[..cut.offset].to_owned();
        let parent = (self.id.clone(), self.sums.uid.clone());
        let (dialect, minor, now) = (self.sums.dialect.clone(), self.minor, self.now + 5_400_000);
        let mut copy = Rollout::new(self.bed, &dialect, minor, now);
        copy.sums.fork_of = Some(parent.1);
        copy.total = cut.total;
        copy.context = cut.context;
        let more = copy.bed.writer.rng.size(30_000.0, 1.0, 4_000, 300_000);
        let mut lineage = format!("\"forked_from_id\":\"{}\"", parent.0);
        if let Some(ordinal) = cut.ordinal {
            // Numbered threads refer to their parent's lines instead of repeating them.
            let base = object(|json| {
                json.put("thread_id", &parent.0).put("end_ordinal_exclusive", ordinal);
                json.put("end_byte_offset", cut.offset as u64);
            });
            lineage = format!("{lineage},\"history_base\":{base}");
            copy.ordinal = Some(ordinal);
            copy.session_meta(&lineage, "\"cli\"");
        } else {
            copy.session_meta(&lineage, "\"cli\"");
            copy.copied(&prefix);
        }
        copy.thread_settings();
        copy.wait(5_000, 120_000);
        "forked".clone_into(&mut copy.turn_id);
        let own = copy.out.len();
        copy.turns(own + more);
        copy.close()
    }

    /// Takes over lines of another thread, stamped with the present.
    fn copied(&mut self, lines: &str) {
        let mut stamped = String::with_capacity(lines.len());
        for (at, line) in lines.lines().enumerate() {
            // {"timestamp":"2026-01-02T03:04:05.678Z",…
            stamped.push_str("{\"timestamp\":\"");
            stamped.push_str(&iso(self.now + at as u64 / 40));
            stamped.push_str(line.get(38..).unwrap_or_default());
            stamped.push('\n');
        }
        self.out.append(&stamped);
        self.now += lines.len() as u64 / 40_000 + 5;
    }

    fn may_delegate(&mut self) -> bool {
        self.minor >= 110 && !self.is_child && !self.bed.tiny && self.bed.writer.rng.below(90) == 0
    }

    /// Starts a sub-agent: a thread of its own that may inherit history and counters.
    fn delegate(&mut self) {
        let call_id = format!("call_{}", self.bed.writer.rng.alnum(24));
        let inherits = self.total != Counter::default()
            && self.out.len() < PREFIX_LIMIT
            && self.bed.writer.rng.percent(50);
        let prefix = if inherits { self.out.as_str().to_owned() } else { String::new() };
        let parent = (self.id.clone(), self.root.clone(), self.sums.uid.clone());
        let here = self.here();
        let (dialect, minor, now) = (self.sums.dialect.clone(), self.minor, self.now + 2_000);
        let numbered = self.ordinal.is_some();
        let mut child = Rollout::new(self.bed, &dialect, minor, now);
        child.is_child = true;
        child.root = parent.1;
        child.sums.parent = Some(parent.2);
        child.ordinal = numbered.then_some(0);
        let child_id = child.id.clone();
        let inherited = if numbered { final_messages(&prefix) } else { String::new() };
        let lineage = child.lineage(&parent.0, inherited.lines().count() as u64 + 1, inherits);
        let source = object(|json| {
            json.open_in("subagent").open_in("thread_spawn").put("parent_thread_id", &parent.0);
            json.put("depth", 1_u64).put("agent_path", None::<u64>);
            json.put("agent_nickname", "Euler").put("agent_role", "explorer").close().close();
        });
        child.session_meta(&lineage, &source);
        if inherits {
            child.inherit(&prefix, &inherited);
            child.total = here.total;
            child.context = here.context;
            child.thread_settings();
        }
        child.wait(1_000, 4_000);
        let size = child.bed.writer.rng.size(40_000.0, 1.0, 4_000, 600_000);
        let end = child.out.len() + size;
        child.turn(end);
        self.now = child.now;
        child.pinned = true;
        let mut family = child.close();
        self.children.files.append(&mut family.files);
        self.children.sessions.append(&mut family.sessions);
        self.spawn_items(&call_id, &child_id);
    }

    fn lineage(&self, parent: &str, start: u64, inherits: bool) -> String {
        let link = format!("\"parent_thread_id\":\"{parent}\"");
        match self.ordinal {
            Some(_) if inherits => format!("{link},\"subagent_history_start_ordinal\":{start}"),
            _ if self.minor >= 137 => link,
            _ => String::new(),
        }
    }

    fn inherit(&mut self, prefix: &str, messages: &str) {
        if self.ordinal.is_none() {
            self.copied(prefix);
            return;
        }
        for line in messages.lines() {
            let Some(at) = line.find("\"type\":\"response_item\"") else { continue };
            let ordinal = self.ordinal.unwrap_or_default();
            self.out
                .append(&format!("{{\"timestamp\":\"{}\",\"ordinal\":{ordinal},", iso(self.now)));
            self.out.append(&line[at..]);
            self.out.newline();
            self.ordinal = Some(ordinal + 1);
        }
    }

    fn spawn_items(&mut self, call_id: &str, child: &str) {
        self.spend(300, 0);
        let task = self.bed.writer.prompt();
        let arguments = object(|json| {
            json.put("agent_type", "explorer").put("message", &task);
        });
        let json = self.item("function_call").put("name", "spawn_agent");
        json.put("arguments", &arguments).put("call_id", call_id);
        self.finish_item();
        let output = format!("{{\"agent_id\":\"{child}\",\"nickname\":\"Euler\"}}");
        self.item("function_call_output").put("call_id", call_id).put("output", &output);
        self.finish_item();
        self.sums.records.tool_calls += 1;
        self.sums.records.tool_results += 1;
        self.usage_record();
        self.token_count();
        let note = format!(
            "<subagent_notification>\n{{\"agent_id\":\"{child}\",\"status\":\"completed\"}}\n</subagent_notification>"
        );
        self.message_item("user", &note);
    }
}

/// The messages a numbered sub-agent inherits: neither tools nor events.
fn final_messages(lines: &str) -> String {
    lines
        .lines()
        .filter(|line| {
            line.contains("\"type\":\"response_item\",\"payload\":{\"type\":\"message\"")
                && !line.contains("\"role\":\"developer\"")
        })
        .flat_map(|line| [line, "\n"])
        .collect()
}
