//! Calls of the agents' own question tools.

use super::brief::heading;
use super::identity;
use super::options::{recommends, unmark};
use super::reply_labels::named;
use super::rows::{OPTIONS, QUESTION_MAX, bound_option};
use crate::clip;
use backstory_model::{Decision, DecisionForm, DecisionOption};
use serde_json::Value;

/// Questions one call may ask.
const PARTS: usize = 32;
/// Bytes of an input that asks something.
const INPUT_MAX: usize = 1 << 20;
/// Bytes of a question that are looked at: as many as are kept of it at most.
const LOOK: usize = 4 * QUESTION_MAX;

/// What a tool asks the human for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// To choose or to say something.
    Question,
    /// To approve a plan.
    Plan,
}

/// What a tool asks for, if it puts something to the human.
pub(super) fn asks(tool: &str) -> Option<Asks> {
    let name = tool.strip_prefix("mcp__").and_then(|name| name.rsplit("__").next()).unwrap_or(tool);
    match name {
        "ExitPlanMode" | "exit_plan_mode" => Some(Asks::Plan),
        "AskUserQuestion" | "request_user_input" => Some(Asks::Question),
        name if name.starts_with("ask_user") => Some(Asks::Question),
        _ => None,
    }
}

/// A question of a call, and what answers call it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    /// The row.
    pub(super) row: Decision,
    /// The id answers are filed under, where questions have ids.
    pub(super) id: String,
    /// Its answer is not for keeping.
    pub(super) secret: bool,
}

/// The questions in the input of a call.
pub(super) fn read(input: &str, marker: &str) -> Vec<Asked> {
    if input.len() > INPUT_MAX {
        return Vec::new();
    }
    let Ok(input) = serde_json::from_str::<Value>(input) else { return Vec::new() };
    let list = match input.get("questions") {
        Some(Value::Array(list)) => list.as_slice(),
        // A tool with a single question.
        _ if input.get("question").is_some() => std::slice::from_ref(&input),
        _ => return Vec::new(),
    };
    let mut found: Vec<Asked> =
        list.iter().filter_map(|one| question(one, marker)).take(PARTS).collect();
    for (part, asked) in found.iter_mut().enumerate() {
        asked.row.part = part as u16;
    }
    found
}

fn question(value: &Value, marker: &str) -> Option<Asked> {
    let text = match value {
        Value::String(text) => text,
        value => value.get("question").or(value.get("prompt"))?.as_str()?,
    };
    let (id, text) = identity::marked(clip::head(text, LOOK), marker);
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let (mut options, mut marked) = (Vec::new(), Vec::new());
    let offered = value.get("options").and_then(Value::as_array).into_iter().flatten();
    for (option, is_marked) in offered.filter_map(option_of).take(OPTIONS) {
        if is_marked {
            marked.push(options.len() as u16);
        }
        options.push(option);
    }
    let by_line = || {
        let line = text.lines().find_map(|line| recommends(line.trim()))?;
        named(line, &options)
    };
    let recommended = match marked[..] {
        [at] => Some(at),
        _ => by_line(),
    };
    let name = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let heading = heading(text.lines().next().unwrap_or_default());
    let row = Decision {
        form: DecisionForm::Tool,
        question_id: id.unwrap_or_default(),
        header: name("header"),
        skill: heading.map(|heading| heading.skill).unwrap_or_default(),
        question: text.to_owned(),
        options,
        recommended,
        confidence: 100,
        ..Decision::default()
    };
    let secret =
        ["isSecret", "is_secret"].iter().any(|key| value.get(key) == Some(&Value::Bool(true)));
    Some(Asked { row, id: name("id"), secret })
}

fn option_of(value: &Value) -> Option<(DecisionOption, bool)> {
    let label = match value {
        Value::String(label) => label.as_str(),
        value => value.get("label").or(value.get("title")).or(value.get("value"))?.as_str()?,
    };
    let (label, is_marked) = unmark(label.trim());
    let description = value.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut option =
        DecisionOption { key: String::new(), label, description: description.to_owned() };
    bound_option(&mut option);
    Some((option, is_marked))
}
