//! Plans put up for approval.

use super::answer;
use super::reply::condition;
use super::reply_phrases::{
    agrees, approves, is_thumb, objects, skips, starts, steers, turns_away, yes_or_no,
};
use super::reply_words::{contains, fold, is_faint, is_filler, tokens};
use backstory_model::{Decision, DecisionForm, DecisionKind, DecisionOption, DecisionState};
use serde_json::Value;
use std::collections::HashSet;

/// What a plan is called when its words are not in the log.
const NAMELESS: &str = "Approve the plan?";

/// Characters of a plan that are remembered until it is put up.
const DRAFT_MAX: usize = 2000;

/// What Codex says in the human's name when a plan is approved in its dialog.
const IMPLEMENT: &[&str] =
    &["Implement the plan.", "Implement the plan", "Go ahead and implement the plan."];

/// A row that asks for approval.
pub(super) fn row(plan: &str) -> Decision {
    let plan = plan.trim();
    let option =
        |label: &str| DecisionOption { label: label.to_owned(), ..DecisionOption::default() };
    Decision {
        kind: DecisionKind::Plan,
        form: DecisionForm::Tool,
        question: if plan.is_empty() { NAMELESS.to_owned() } else { plan.to_owned() },
        options: vec![option("Approve"), option("Reject")],
        confidence: 100,
        ..Decision::default()
    }
}

/// The plan in the input of a call.
pub(super) fn in_call(input: &str) -> String {
    let value: Option<Value> = serde_json::from_str(input).ok();
    let plan = value.as_ref().and_then(|value| value.get("plan")).and_then(Value::as_str);
    plan.unwrap_or_default().to_owned()
}

/// The plan a call writes into a file, where plans are kept in files.
pub(super) fn in_file(files: &[String], input: &str) -> Option<String> {
    let is_plan = |file: &String| {
        file.ends_with("plan.md")
            || file.contains("/plans/") && file.rsplit('.').next() == Some("md")
    };
    files.iter().find(|file| is_plan(file))?;
    let value: Value = serde_json::from_str(input).ok()?;
    let text =
        ["content", "contents", "file_text"].iter().find_map(|key| value.get(key)?.as_str())?;
    Some(text.trim().chars().take(DRAFT_MAX).collect::<String>()).filter(|text| !text.is_empty())
}

/// Completes a row by what its call came to; false if nobody was asked.
pub(super) fn answer(row: &mut Decision, text: &str) -> bool {
    let start = text.trim_start();
    match answer::outcome(start) {
        answer::Outcome::NeverAsked => return false,
        answer::Outcome::Stopped => row.state = DecisionState::Interrupted,
        answer::Outcome::Dismissed(words) => decide(row, false, words),
        answer::Outcome::Told => {
            let head: String = start.chars().take(300).collect::<String>().to_lowercase();
            let approved = head.contains("approved");
            let refused = [
                "revise",
                "reject",
                "declin",
                "not approve",
                "request changes",
                "requested changes",
                "keep planning",
                "wants to change",
            ]
            .iter()
            .any(|word| head.contains(word));
            if !approved && !refused {
                // An answer nobody knows is none.
                return true;
            }
            let is_yes = approved && !head.contains("not approved");
            decide(row, is_yes, answer::reason(start));
            if row.question == NAMELESS
                && let Some(plan) = told(start)
            {
                row.question = plan;
                row.question_id.clear();
            }
        }
    }
    true
}

/// Completes a row by the human's next words: Codex asks for approval outside of the log. Words about
/// something else pass the plan over, unless the human stopped the agent before.
pub(super) fn hear(row: &mut Decision, words: &str) {
    let (words, folded) = (words.trim(), fold(words));
    if IMPLEMENT.contains(&words) {
        decide(row, true, None);
    } else if objects(&folded) {
        let is_bare = yes_or_no(&folded) == Some(false) && folded.split(' ').skip(1).all(is_filler);
        decide(row, false, (!is_bare).then(|| words.to_owned()));
    } else if consents(words, &folded, row) {
        decide(row, true, condition(words));
    } else if changes(&folded, row) {
        decide(row, false, Some(words.to_owned()));
    } else if row.state == DecisionState::Open {
        row.state = DecisionState::Skipped;
    }
}

/// True if the human wants the plan carried out. An `ok` may also open another subject.
fn consents(words: &str, folded: &str, row: &Decision) -> bool {
    let opens = |rest: &str| {
        let first = rest.split(' ').next().unwrap_or_default();
        matches!(
            first,
            "" | "and" | "but" | "please" | "thanks" | "then" | "und" | "aber" | "bitte"
        )
    };
    let agrees_to = |rest: &str| {
        opens(rest) || agrees(rest).is_some() || starts(rest) || shared(rest, row) == Shared::Most
    };
    is_thumb(words)
        || starts(folded)
        || yes_or_no(folded) == Some(true)
        || !turns_away(folded) && approves(folded).is_some_and(agrees_to)
}

/// True if the human says what is to be done otherwise.
fn changes(folded: &str, row: &Decision) -> bool {
    let is_instead = contains(folded, "instead") || contains(folded, "rather");
    // Nobody begins something else with a single word.
    let is_remark = !folded.is_empty() && !folded.contains(' ');
    match shared(folded, row) {
        _ if turns_away(folded) || skips(folded) => false,
        Shared::Most => true,
        Shared::Some => steers(folded),
        Shared::None => is_remark || steers(folded) && is_instead,
    }
}

/// How many of some telling words are those of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shared {
    None,
    Some,
    Most,
}

fn shared(folded: &str, row: &Decision) -> Shared {
    let about: HashSet<String> = tokens(&fold(&row.question)).into_iter().collect();
    let mut said = tokens(folded);
    said.retain(|word| !is_filler(word) && !is_faint(word));
    let known = said.iter().filter(|word| about.contains(*word)).count();
    match known {
        0 => Shared::None,
        known if known * 2 >= said.len() => Shared::Most,
        _ => Shared::Some,
    }
}

fn decide(row: &mut Decision, is_yes: bool, words: Option<String>) {
    row.state = DecisionState::Answered;
    row.chosen = vec![u16::from(!is_yes)];
    row.free_text = words;
}

/// The plan as the answer tells it.
fn told(text: &str) -> Option<String> {
    let (_, plan) = ["Approved Plan:", "## Plan", "Plan:", "# Plan"]
        .iter()
        .find_map(|mark| text.split_once(mark))
        .or_else(|| text.split_once("\n\n"))?;
    Some(plan.trim().to_owned()).filter(|plan| !plan.is_empty())
}
