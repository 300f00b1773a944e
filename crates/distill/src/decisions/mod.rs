//! Questions an agent put to the human and what became of them, folded beside the digest.
//!
//! A question is a call of the agent's own tool, or prose with a marker or the shape of a brief. It
//! is a row from the moment it is asked; the human's answer, their next words or an interruption
//! complete it. What waits for that is all there is to remember between two events.

mod answer;
mod brief;
mod identity;
mod options;
mod permission;
mod plan;
mod reply;
mod reply_keys;
mod reply_labels;
mod reply_phrases;
mod reply_share;
mod reply_words;
mod retold;
mod rows;
mod tool;
mod visible;
mod waiting;

#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod prose_tests;
#[cfg(test)]
mod reply_tests;
#[cfg(test)]
mod tool_tests;

pub(crate) use rows::Rows;
pub(crate) use waiting::Waiting;

use backstory_model::{Decision, DecisionState};

/// The name of the marker that tells which question a brief asks: `<gstack-qid:id>`.
pub const MARKER: &str = "gstack-qid";

/// What a message of an agent asks, as far as it is written like a brief.
pub fn briefs(message: &str, marker: &str) -> Vec<Decision> {
    brief::read(message, marker)
}

/// What a human's words make of open questions, the latest last.
pub fn reply(words: &str, open: &mut [Decision]) {
    let replies = reply_share::share(&reply::heard(words), &open.iter().collect::<Vec<_>>());
    for (decision, reply) in open.iter_mut().zip(replies) {
        reply::settle(decision, &reply);
    }
}

/// A question and what came of it, on one line.
pub(crate) fn told(decision: &Decision) -> String {
    let question = decision.question.lines().next().unwrap_or_default();
    let answer = match (decision.choice().collect::<Vec<_>>().join(", "), &decision.free_text) {
        (choice, None) => choice,
        (choice, Some(words)) if choice.is_empty() => words.clone(),
        (choice, Some(words)) => format!("{choice} ({words})"),
    };
    match decision.state {
        DecisionState::Answered => format!("{question} → {answer}"),
        state => format!("{question} → {}", state.name()),
    }
}
