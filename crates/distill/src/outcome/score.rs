//! Weighs what a session left behind.
//!
//! Every feature speaks for one outcome with a weight; the heaviest outcome wins if it is heavy
//! enough and leads. The evidence is what spoke for the winner, strongest first.

use super::trail::Trail;
use crate::clip;
use crate::facts::Facts;
use crate::words::{Report, Tone};
use backstory_model::{Digest, Judgement, Outcome};
use std::cmp::Reverse;

use Outcome::{Abandoned, Fail, Success};

/// Below this nobody can tell.
const ENOUGH: u32 = 3;
const EVIDENCE: usize = 4;

#[derive(Default)]
struct Scale {
    votes: Vec<(Outcome, u32, u32, String)>,
}

impl Scale {
    fn add(&mut self, outcome: Outcome, weight: u32, seq: u32, why: impl Into<String>) {
        self.votes.push((outcome, weight, seq, why.into()));
    }

    fn weight(&self, outcome: Outcome) -> u32 {
        self.votes.iter().filter(|vote| vote.0 == outcome).map(|vote| vote.1).sum()
    }

    fn judgement(mut self) -> Judgement {
        // On a tie the less flattering outcome is the safer guess.
        let mut order = [Fail, Abandoned, Success];
        order.sort_by_key(|outcome| Reverse(self.weight(*outcome)));
        let (best, next) = (self.weight(order[0]), self.weight(order[1]));
        let told = best >= ENOUGH;
        let outcome = if told { order[0] } else { Outcome::Unknown };
        let confidence = if told { (35 + 7 * best + 6 * (best - next)).min(96) } else { 20 };
        self.votes.sort_by_key(|vote| (Reverse(vote.1), Reverse(vote.2)));
        let evidence = self
            .votes
            .into_iter()
            .filter(|vote| !told || vote.0 == outcome)
            .take(EVIDENCE)
            .map(|(_, _, seq, why)| (seq, clip::line(&why, 110)))
            .collect();
        Judgement { outcome, confidence: confidence as u8, evidence }
    }
}

/// The verdict; `helper` is true for a sub-agent, whose report is its result.
pub(crate) fn judge(trail: &Trail, facts: &Facts, digest: &Digest, helper: bool) -> Judgement {
    let mut scale = Scale::default();
    if trail.agent_active().is_none() {
        never_answered(trail, &mut scale);
        return scale.judgement();
    }
    ending(trail, facts, &mut scale);
    human_words(trail, &mut scale);
    proof(trail, facts, &mut scale);
    agent_words(trail, digest, helper, &mut scale);
    scale.judgement()
}

fn never_answered(trail: &Trail, scale: &mut Scale) {
    if let Some(seq) = trail.api_failure {
        scale.add(Fail, 5, seq, "the request failed and nothing else came");
    }
    if let Some(seq) = trail.interrupt {
        scale.add(Abandoned, 6, seq, "interrupted before any answer");
    }
    if let Some(human) = &trail.human {
        scale.add(Abandoned, 4, human.seq, unanswered(&human.words));
    }
}

fn unanswered(words: &str) -> String {
    if words.is_empty() {
        "the prompt was never answered".to_owned()
    } else {
        format!("no answer to: {words}")
    }
}

/// How the last turn came to its end.
fn ending(trail: &Trail, facts: &Facts, scale: &mut Scale) {
    let active = trail.agent_active();
    let spoke = trail.agent.as_ref().map(|agent| agent.seq);
    if let Some(seq) = trail.interrupt.filter(|_| trail.interrupt > active) {
        scale.add(Abandoned, 6, seq, "interrupted by the human at the end");
    } else if let Some(seq) = trail.denial.filter(|_| denied_for_good(trail)) {
        scale.add(Abandoned, 5, seq, "a call was denied and nothing followed");
    } else if let Some(seq) = trail.api_failure.filter(|_| trail.api_failure > active) {
        scale.add(Fail, 6, seq, "the last request failed");
    } else if let Some(seq) = trail.question.filter(|_| trail.question > spoke) {
        scale.add(Abandoned, 5, seq, "a question to the human was never answered");
    } else if let Some(call) = facts.unanswered().filter(|call| Some(call.seq) > spoke) {
        scale.add(Abandoned, 5, call.seq, format!("broken off during {}", call.name()));
    } else if let Some(seq) = trail.result.filter(|_| trail.result > spoke) {
        scale.add(Abandoned, 3, seq, "broken off in the middle of a turn");
    } else if let Some(seq) = trail.completion.filter(|_| trail.completion > trail.call) {
        scale.add(Success, 1, seq, "the last turn was completed");
    }
}

/// A call was denied, and neither work nor words of the human followed.
fn denied_for_good(trail: &Trail) -> bool {
    let talked = trail.human.as_ref().map(|human| human.seq);
    trail.denial > trail.call.max(trail.result).max(talked)
}

/// What the human said last.
fn human_words(trail: &Trail, scale: &mut Scale) {
    let Some(human) = &trail.human else { return };
    let said = || format!("the human: {}", human.words);
    let answered = trail.agent_active() > Some(human.seq);
    if !answered {
        match human.tone {
            Tone::Happy if human.more => {
                scale.add(Abandoned, 3, human.seq, unanswered(&human.words));
                scale.add(Success, 1, human.seq, said());
            }
            Tone::Happy => scale.add(Success, 6, human.seq, said()),
            Tone::Unhappy => scale.add(Fail, 6, human.seq, said()),
            Tone::GivesUp => scale.add(Abandoned, 7, human.seq, said()),
            Tone::Neutral => {
                scale.add(Abandoned, 3, human.seq, unanswered(&human.words));
            }
        }
        return;
    }
    let worked = trail.call > Some(human.seq);
    match human.tone {
        Tone::Happy if human.more || worked => scale.add(Success, 1, human.seq, said()),
        Tone::Happy => scale.add(Success, 5, human.seq, said()),
        Tone::Unhappy if worked => scale.add(Fail, 1, human.seq, said()),
        Tone::Unhappy => scale.add(Fail, 4, human.seq, said()),
        Tone::GivesUp => scale.add(Abandoned, 6, human.seq, said()),
        Tone::Neutral => {}
    }
}

/// Tests, commits and failures.
fn proof(trail: &Trail, facts: &Facts, scale: &mut Scale) {
    let failing = facts.failing.iter().max_by_key(|failing| failing.last);
    if let Some(failing) = failing {
        // Work went on after it, or none was done: the failure may be nobody's fault here.
        let recent = trail.edit.is_some() && Some(failing.last) > trail.edit.max(trail.commit);
        let excused = trail.agent.as_ref().is_some_and(|agent| agent.excuses);
        let weight = match (excused, recent) {
            (true, _) => 1,
            (false, true) => 5,
            (false, false) => 2,
        };
        scale.add(Fail, weight, failing.last, format!("failing: {}", failing.what));
    } else if let Some((seq, true)) = trail.test {
        let weight = if Some(seq) > trail.edit { 3 } else { 2 };
        scale.add(Success, weight, seq, "the last test run passed");
    }
    let shipped = trail.commit.max(trail.push);
    if let Some(seq) = shipped {
        let last_bad = trail.failure.max(failing.map(|failing| failing.last));
        let clean = shipped > last_bad;
        let weight = if !clean {
            1
        } else if trail.push == shipped {
            4
        } else {
            3
        };
        let what = if trail.push == shipped { "pushed" } else { "committed" };
        scale.add(Success, weight, seq, format!("{what} after the last failure"));
    }
    let unmended = trail.failure > trail.test.map(|test| test.0).max(trail.edit).max(shipped);
    if let Some(seq) = trail.failure.filter(|_| unmended && trail.failure >= trail.result) {
        scale.add(Fail, 1, seq, "the last command failed");
    }
}

/// What the agent said last, if it had the last word of the turn.
fn agent_words(trail: &Trail, digest: &Digest, helper: bool, scale: &mut Scale) {
    let Some(agent) = &trail.agent else { return };
    if Some(agent.seq) < trail.result.max(trail.call) {
        return;
    }
    let answers = trail.human.as_ref().is_none_or(|human| agent.seq > human.seq);
    let answer = digest.snippets.iter().rfind(|snippet| snippet.why == "answer");
    let said = || {
        let opening = || answer.map_or("", |answer| answer.text.lines().next().unwrap_or_default());
        let words = if agent.question.is_empty() { opening() } else { agent.question.as_str() };
        format!("the agent: {words}")
    };
    match agent.report {
        Report::Done if answers => scale.add(Success, 4, agent.seq, said()),
        Report::Done => scale.add(Success, 1, agent.seq, said()),
        Report::Stuck if answers => scale.add(Fail, 5, agent.seq, said()),
        Report::Stuck => scale.add(Fail, 2, agent.seq, said()),
        Report::Asks if answers && trail.commit.is_none() => {
            scale.add(Abandoned, 4, agent.seq, said());
        }
        Report::Announces if answers => scale.add(Abandoned, 4, agent.seq, said()),
        Report::Plain if answers => {
            scale.add(Success, if helper { 4 } else { 3 }, agent.seq, said());
        }
        _ => {}
    }
}
