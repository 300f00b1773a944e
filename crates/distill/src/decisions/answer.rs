//! What came back from a question tool, in the words of each agent.

use super::options::unmark;
use super::reply_words::fold;
use crate::clip;
use backstory_model::{Decision, DecisionState};
use serde_json::{Map, Value};

/// Bytes of a result that are read.
const RESULT_MAX: usize = 1 << 20;
/// Answers of a result that are looked through; no call asks as much.
const KEYS: usize = 64;

/// How harnesses say that nobody was asked at all.
const NEVER_ASKED: &[&str] = &[
    "<tool_use_error>",
    "InputValidationError",
    "No such tool",
    "request_user_input is unavailable",
    "request_user_input is not supported",
    "request_user_input requires",
    "request_user_input can only",
    "request_user_input handler",
    "failed to parse function arguments",
    "unsupported call",
    "No questions provided",
    "Duplicate question text",
    "UserQuestionSender is not available",
    "invalid_arguments",
];

/// How they say that the human stopped it.
const STOPPED: &[&str] = &[
    "[Request interrupted",
    "aborted by user",
    "aborted",
    "request_user_input was cancelled",
    "Cancelled",
    "Canceled",
    "Interrupted",
    "Tool call was interrupted",
    "The user interrupted",
];

/// What the human did with a call as a whole.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// It never reached the human.
    NeverAsked,
    /// The human stopped it.
    Stopped,
    /// The human dismissed it, perhaps with words.
    Dismissed(Option<String>),
    /// There may be answers in it.
    Told,
}

/// What the text of a result says of its call.
pub(super) fn outcome(text: &str) -> Outcome {
    let text = text.trim_start();
    let plain = text.strip_prefix("Error: ").unwrap_or(text);
    let opens = |openings: &[&str]| openings.iter().any(|opening| plain.starts_with(opening));
    if opens(NEVER_ASKED) {
        return Outcome::NeverAsked;
    }
    if opens(STOPPED) {
        return Outcome::Stopped;
    }
    if is_refusal(plain) {
        return Outcome::Dismissed(reason(plain));
    }
    let dismissed = [
        "User declined to answer",
        "The user declined",
        "User dismissed",
        "The user dismissed",
        "The user did not answer",
        "User did not answer",
        "User skipped",
        "No user is available",
    ];
    if opens(&dismissed) {
        return Outcome::Dismissed(None);
    }
    Outcome::Told
}

/// True if the human refused a call.
pub(super) fn is_refusal(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    [
        "The user doesn't want to proceed with this tool use",
        "The user doesn't want to take this action right now",
        "The user doesn't want to proceed",
        "User rejected tool use",
        "The user rejected",
        "User rejected",
        "The user did not run",
        "The user denied",
        "User denied",
        "Permission denied by user",
        "Permission denied by the user",
        "Tool call rejected by user",
    ]
    .iter()
    .any(|opening| text.starts_with(opening))
}

/// The human's words in a refusal.
pub(super) fn reason(text: &str) -> Option<String> {
    const MARKS: &[&str] = &[
        "the user said:",
        "The user said:",
        "and said:",
        "reason for the rejection:",
        "following feedback:",
        "review comments:",
        "feedback:",
    ];
    let (at, mark) = MARKS.iter().filter_map(|mark| Some((text.find(mark)?, mark))).min()?;
    let words = text[at + mark.len()..].trim();
    // What the harness adds for the model.
    let end = ["\n\nNote: The user's next message", "\n\n<system-reminder>"]
        .iter()
        .filter_map(|end| words.find(end))
        .min();
    let words = words[..end.unwrap_or(words.len())].trim();
    (!words.is_empty()).then(|| words.to_owned())
}

/// One question's answer: values that were picked or typed, and notes beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Given {
    /// As they stand there; several for a list.
    pub(super) values: Vec<String>,
    /// What was added.
    pub(super) notes: Option<String>,
}

/// The answers of a result, by question: `ids` are those of the questions, where they have any.
pub(super) fn given(text: &str, rows: &[&Decision], ids: &[String]) -> Vec<Option<Given>> {
    let text = clip::head(text.trim(), RESULT_MAX);
    if text.starts_with('{')
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        if let Some(answers) = find(&value, "answers", 3) {
            return filed(answers, find(&value, "annotations", 3), rows, ids);
        }
        if let Some(message) = ["message", "text", "output", "content"]
            .iter()
            .find_map(|key| find(&value, key, 3)?.as_str())
        {
            return quoted(message, rows);
        }
    }
    quoted(text, rows)
}

/// True if a response says that it was cut short.
pub(super) fn was_interrupted(text: &str) -> bool {
    text.contains("\"interrupted\":true") || text.contains("\"interrupted\": true")
}

fn find<'a>(value: &'a Value, key: &str, depth: usize) -> Option<&'a Value> {
    let object = value.as_object()?;
    if let Some(found) = object.get(key) {
        return Some(found);
    }
    if depth == 0 {
        return None;
    }
    object.values().find_map(|inner| find(inner, key, depth - 1))
}

/// The answers filed under the ids or words of questions, or at their places.
fn filed(
    answers: &Value,
    notes: Option<&Value>,
    rows: &[&Decision],
    ids: &[String],
) -> Vec<Option<Given>> {
    let map = match answers {
        Value::Object(map) => map,
        Value::Array(list) => return (0..rows.len()).map(|at| list.get(at).map(values)).collect(),
        _ => return vec![None; rows.len()],
    };
    let given = |key: &str| {
        let mut given = values(map.get(key)?);
        let note = notes.and_then(|notes| notes.get(key)?.get("notes")?.as_str());
        given.notes = given.notes.or(note.map(str::to_owned));
        Some(given)
    };
    keys(map, rows, ids).into_iter().map(|key| key.and_then(given)).collect()
}

/// The key of each question: its id or its words, else what holds its words or is a part of them and is no
/// other question's.
fn keys<'m>(
    map: &'m Map<String, Value>,
    rows: &[&Decision],
    ids: &[String],
) -> Vec<Option<&'m str>> {
    let keys: Vec<(&str, String)> =
        map.keys().take(KEYS).map(|key| (key.as_str(), fold(key))).collect();
    let asked: Vec<String> = rows.iter().map(|row| fold(&row.question)).collect();
    let exactly = |(at, row): (usize, &&Decision)| {
        let id = ids.get(at).map_or("", String::as_str);
        let is = |name: &str| keys.iter().position(|(key, _)| *key == name);
        let reads = |(_, key): &(&str, String)| *key == asked[at] && !key.is_empty();
        let by_id = Some(id).filter(|id| !id.is_empty()).and_then(is);
        by_id.or_else(|| is(&row.question)).or_else(|| keys.iter().position(reads))
    };
    let mut found: Vec<Option<usize>> = rows.iter().enumerate().map(exactly).collect();
    for (at, asked) in asked.iter().enumerate() {
        if found[at].is_some() || asked.is_empty() {
            continue;
        }
        let is_only = rows.len() == 1 && keys.len() == 1;
        let is_alike = |(n, (_, key)): (usize, &(&str, String))| {
            let holds = key.contains(asked) || key.len() > 8 && asked.contains(key);
            (is_only || holds) && !found.contains(&Some(n))
        };
        found[at] = keys.iter().enumerate().position(is_alike);
    }
    found.into_iter().map(|at| at.map(|at| keys[at].0)).collect()
}

fn values(value: &Value) -> Given {
    let mut given = Given::default();
    let list = match value {
        Value::Object(map) => map
            .get("answers")
            .or(map.get("answer"))
            .or(map.get("selected"))
            .or(map.get("option_label"))
            .cloned()
            .unwrap_or(Value::Null),
        value => value.clone(),
    };
    let texts: Vec<String> = match list {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::Number(number) => vec![number.to_string()],
        Value::Bool(flag) => vec![if flag { "yes".to_owned() } else { "no".to_owned() }],
        _ => Vec::new(),
    };
    for text in texts {
        match text.strip_prefix("user_note:") {
            Some(note) => given.notes = Some(note.trim().to_owned()),
            None => given.values.push(text),
        }
    }
    given
}

/// Answers told as `"question"="answer"`, or as a list of questions with answers below them.
fn quoted(text: &str, rows: &[&Decision]) -> Vec<Option<Given>> {
    let places = places(text, rows);
    let answer = |place: &Option<usize>| {
        let Some(start) = *place else {
            // A single question whose words were changed on the way.
            let only = text.find("\"=\"").filter(|_| rows.len() == 1)?;
            return Some(tail(&text[only + 3..]));
        };
        let next = places.iter().flatten().copied().filter(|other| *other > start).min();
        entry(&text[start..next.unwrap_or(text.len())])
    };
    places.iter().map(answer).collect()
}

/// Where questions stand in a text, each at a place of its own: in full, else by their beginnings.
fn places(text: &str, rows: &[&Decision]) -> Vec<Option<usize>> {
    let mut places: Vec<Option<usize>> = vec![None; rows.len()];
    let free = |form: &str, places: &[Option<usize>]| {
        let is_taken =
            |at: usize| places.iter().flatten().any(|place| at == *place || at == place + 1);
        text.match_indices(form).map(|(at, _)| at).find(|at| !is_taken(*at))
    };
    for (at, row) in rows.iter().enumerate() {
        places[at] = free(&format!("\"{}\"", row.question), &places);
    }
    for (at, row) in rows.iter().enumerate() {
        let line = row.question.lines().next().unwrap_or_default().trim_end_matches('…');
        // Long questions are known by their beginning.
        let head: String = line.chars().take(80).collect();
        if places[at].is_none() && !head.is_empty() {
            places[at] = free(&format!("\"{head}"), &places).or_else(|| free(&head, &places));
        }
    }
    places
}

fn entry(text: &str) -> Option<Given> {
    for mark in ["\"=\"", "\": \"", "\"=", "\": "] {
        if let Some(at) = text.find(mark) {
            return Some(tail(&text[at + mark.len()..]));
        }
    }
    if let Some(at) = text.find("Answer:") {
        let line = text[at + "Answer:".len()..].lines().next().unwrap_or_default().trim();
        return (!line.is_empty()).then(|| Given { values: vec![line.to_owned()], notes: None });
    }
    None
}

/// An answer up to where the harness goes on. What the human typed may have quotes of its own.
fn tail(text: &str) -> Given {
    const ENDS: [&str; 6] = [
        "\". You can now",
        "\". Read the answers",
        "\" selected",
        "\" user notes:",
        ". You can now",
        ". Read the answers carefully",
    ];
    let notes = text.find("user notes:").map(|at| &text[at + "user notes:".len()..]).map(|notes| {
        let notes = until(notes, &["\", \"", ". You can now", ". Read the answers", ", \""]);
        notes.trim().trim_end_matches(',').to_owned()
    });
    let end = ENDS.iter().filter_map(|end| text.find(end)).chain(next_entry(text)).min();
    let own = text[..end.unwrap_or(text.len())].trim().trim_end_matches(',');
    let is_closed = end.is_some_and(|end| text[end..].starts_with('"'));
    let own = own.strip_suffix('"').filter(|_| !is_closed).unwrap_or(own).trim();
    let values = if own.is_empty() { Vec::new() } else { vec![own.to_owned()] };
    Given { values, notes: notes.filter(|notes| !notes.is_empty()) }
}

/// Where an answer ends that is followed by one to a question nobody knows.
fn next_entry(text: &str) -> Option<usize> {
    const JOINT: &str = "\", \"";
    text.find(JOINT).filter(|at| text[at + JOINT.len()..].contains("\"=\""))
}

fn until<'a>(text: &'a str, ends: &[&str]) -> &'a str {
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    &text[..end.unwrap_or(text.len())]
}

/// Applies an answer to its row.
pub(super) fn apply(row: &mut Decision, given: Given) {
    let mut free: Vec<String> = Vec::new();
    for value in given.values {
        let value = value.trim();
        let (labels, rest) = match label(row, value) {
            Some(at) => (vec![at], ""),
            None => several(row, value),
        };
        for at in labels {
            push(&mut row.chosen, at);
        }
        if !is_other(rest) && !rest.is_empty() {
            free.push(rest.to_owned());
        }
    }
    free.extend(given.notes.filter(|notes| !notes.trim().is_empty()));
    if !free.is_empty() {
        row.free_text = Some(free.join("; "));
    }
    row.state = if row.chosen.is_empty() && row.free_text.is_none() {
        DecisionState::Skipped
    } else {
        DecisionState::Answered
    };
}

fn push(chosen: &mut Vec<u16>, at: u16) {
    if !chosen.contains(&at) {
        chosen.push(at);
    }
}

fn is_other(value: &str) -> bool {
    matches!(fold(value).as_str(), "other" | "none of the above" | "none" | "something else")
}

fn label(row: &Decision, value: &str) -> Option<u16> {
    let plain = |text: &str| fold(&unmark(text).0);
    let exact = row.options.iter().position(|option| option.label == value);
    let alike = || {
        let value = plain(value);
        row.options.iter().position(|option| plain(&option.label) == value && !value.is_empty())
    };
    exact.or_else(alike).map(|at| at as u16)
}

/// The labels a value begins with, joined by commas, and what the human typed behind them; labels may have
/// commas of their own.
fn several<'v>(row: &Decision, value: &'v str) -> (Vec<u16>, &'v str) {
    let (mut found, mut rest) = (Vec::new(), value);
    while !rest.is_empty() {
        let first = row
            .options
            .iter()
            .enumerate()
            .filter_map(|(at, option)| Some((at as u16, prefix(rest, &option.label)?)))
            .max_by_key(|(_, len)| *len);
        let Some((at, len)) = first else { break };
        found.push(at);
        rest = rest[len..].trim_start_matches([',', ';', ' ']);
    }
    (found, rest)
}

/// How much of a text a label takes at its beginning, with the remark that it is recommended.
fn prefix(text: &str, label: &str) -> Option<usize> {
    let head = text.get(..label.len())?;
    if label.is_empty() || !head.eq_ignore_ascii_case(label) {
        return None;
    }
    let mut len = head.len();
    for mark in [" (Recommended)", " (recommended)"] {
        if text[len..].starts_with(mark) {
            len += mark.len();
        }
    }
    let closes = text[len..].is_empty() || text[len..].starts_with([',', ';']);
    closes.then_some(len)
}
