//! Decisions a hub recorded, as they come: JSON Lines, a list, or a page of one. Hubs call the same things
//! by different names; whatever names a question is taken.

use backstory_model::{
    Decision, DecisionForm, DecisionKind, DecisionOption, DecisionState, EventKey, Timestamp,
};
use backstory_store::HubDecision;
use serde_json::{Map, Value};

/// What an id may be long.
const MAX_ORIGIN: usize = 120;
/// From here on a number counts milliseconds: as seconds it would be the year 5138.
const MILLISECONDS: f64 = 1e11;

/// Names for the same thing, the most telling first.
const ID: &[&str] = &["id", "decision_id", "uid", "uuid", "key"];
const QUESTION: &[&str] = &["question", "title", "summary", "topic", "prompt", "text"];
const HEADER: &[&str] = &["header", "title"];
const OPTIONS: &[&str] = &["options", "choices", "alternatives"];
const RECOMMENDED: &[&str] = &["recommendation", "recommended", "recommended_option"];
const ANSWER: &[&str] = &["decision", "answer", "chosen", "choice", "selected", "user_choice"];
const WORDS: &[&str] = &["free_text", "resolution", "description", "body", "details"];
const RATIONALE: &[&str] = &["rationale", "reason", "reasoning", "why", "because"];
const ASKED_AT: &[&str] = &["created_at", "asked_at", "ts", "timestamp", "date", "at"];
const ANSWERED_AT: &[&str] = &["decided_at", "answered_at", "resolved_at", "updated_at"];
const PROJECT: &[&str] = &["project", "repo", "repository", "project_slug", "slug", "domain"];
const SESSION: &[&str] = &["session_id", "session_uid", "session"];
const STATE: &[&str] = &["state", "status"];
const SKILL: &[&str] = &["skill", "agent", "author"];
const QUESTION_ID: &[&str] = &["question_id", "qid"];
const LISTS: &[&str] = &["decisions", "items", "data", "results"];
const NEXT: &[&str] = &["next", "next_url", "next_cursor", "cursor"];

/// A list as a hub gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HubList {
    /// What could be understood.
    pub decisions: Vec<HubDecision>,
    /// What could not: the line or entry, from 1, and why.
    pub bad: Vec<(usize, String)>,
    /// Where the list goes on: an address, or a word that asks for it.
    pub next: Option<String>,
}

/// Understands a list; `hub` tells decisions of several hubs apart.
pub fn read_hub(text: &str, hub: &str) -> HubList {
    let mut list = HubList::default();
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(entries)) => list.entries(&entries, hub),
        Ok(Value::Object(page)) => match first(&page, LISTS) {
            Some(Value::Array(entries)) => {
                list.entries(entries, hub);
                list.next = next(&page);
            }
            _ => list.entry(1, &Value::Object(page), hub),
        },
        Ok(_) => list.bad.push((1, "this is no decision".into())),
        // One value over several lines that breaks off says where; otherwise each line is one.
        Err(error) if text.trim_start().starts_with('[') => {
            list.bad.push((error.line(), error.to_string()));
        }
        Err(_) => list.lines(text, hub),
    }
    list
}

impl HubList {
    fn lines(&mut self, text: &str, hub: &str) {
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
            match serde_json::from_str::<Value>(line) {
                Ok(entry) => self.entry(number, &entry, hub),
                Err(error) => self.bad.push((number, error.to_string())),
            }
        }
    }

    fn entries(&mut self, entries: &[Value], hub: &str) {
        for (entry, number) in entries.iter().zip(1..) {
            self.entry(number, entry, hub);
        }
    }

    fn entry(&mut self, number: usize, entry: &Value, hub: &str) {
        match entry.as_object().ok_or("it is no object").and_then(|entry| recorded(entry, hub)) {
            Ok(recorded) => self.decisions.push(recorded),
            Err(reason) => self.bad.push((number, reason.into())),
        }
    }
}

/// Where a page says the list goes on. A page that says it does not has nothing there.
fn next(page: &Map<String, Value>) -> Option<String> {
    let found = NEXT.iter().find_map(|name| page.get(*name).and_then(words));
    let beside = ["pagination", "meta", "links", "paging"].iter().find_map(|name| {
        let inner = page.get(*name)?.as_object()?;
        NEXT.iter().find_map(|name| inner.get(*name).and_then(words))
    });
    found.or(beside)
}

fn recorded(entry: &Map<String, Value>, hub: &str) -> Result<HubDecision, &'static str> {
    let question = said(entry, QUESTION).ok_or("it has no question, title or summary")?;
    let header = said(entry, HEADER).filter(|header| *header != question).unwrap_or_default();
    let options = first(entry, OPTIONS).map(options).unwrap_or_default();
    let (offered, marked): (Vec<DecisionOption>, Vec<bool>) = options.into_iter().unzip();
    let advised = first(entry, RECOMMENDED).and_then(|value| place(value, &offered));
    let marked = marked.iter().position(|marked| *marked).and_then(|at| u16::try_from(at).ok());
    let (chosen, own_words) =
        first(entry, ANSWER).map(|value| answer(value, &offered)).unwrap_or_default();
    let (asked_at, answered_at) = (moment(entry, ASKED_AT), moment(entry, ANSWERED_AT));
    let skill = said(entry, SKILL).unwrap_or_default();
    let mut decision = Decision {
        asked_at,
        answered_at,
        kind: DecisionKind::Question,
        form: DecisionForm::Hub,
        question_id: said(entry, QUESTION_ID).unwrap_or_else(|| question_id(&question, &offered)),
        skill,
        header,
        question,
        options: offered,
        recommended: advised.or(marked),
        chosen,
        free_text: own_words,
        confidence: 100,
        ..Decision::default()
    };
    judge(&mut decision, entry);
    let project = said(entry, PROJECT);
    Ok(HubDecision {
        origin: origin(entry, &decision, project.as_deref(), hub),
        repo: project.as_deref().map(repo_name),
        project,
        session: said(entry, SESSION),
        rationale: said(entry, RATIONALE),
        decision,
    })
}

/// What became of it: as the hub says, else as its fields tell. A hub that keeps only what was decided has
/// no question, and its title is the answer; a state nobody knows makes no answer of it.
fn judge(decision: &mut Decision, entry: &Map<String, Value>) {
    let state = said(entry, STATE).unwrap_or_default().to_lowercase();
    let has_answer = !decision.chosen.is_empty() || decision.free_text.is_some();
    let is_told = said(entry, &["free_text", "resolution"]).is_some();
    let is_recorded = decision.answered_at.is_some() && decision.options.is_empty();
    decision.state = match state.as_str() {
        "open" | "pending" | "proposed" | "draft" | "asked" | "deferred" => DecisionState::Open,
        "skipped" | "declined" | "cancelled" | "canceled" | "withdrawn" | "rejected" => {
            DecisionState::Skipped
        }
        "interrupted" => DecisionState::Interrupted,
        "decided" | "resolved" | "accepted" | "approved" | "answered" => DecisionState::Answered,
        _ if has_answer || is_told => DecisionState::Answered,
        "" if is_recorded => DecisionState::Answered,
        "closed" | "done" | "completed" | "superseded" | "obsolete" => DecisionState::Skipped,
        _ => DecisionState::Open,
    };
    if decision.state == DecisionState::Answered && !has_answer {
        decision.free_text = said(entry, WORDS).or_else(|| Some(decision.question.clone()));
    }
}

/// The first of several names that has a value.
fn first<'a>(entry: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().filter_map(|name| entry.get(*name)).find(|value| !value.is_null())
}

/// The same as text.
fn said(entry: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().filter_map(|name| entry.get(*name)).find_map(words)
}

/// A text, a number, or what names an object.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Object(inner) => {
            return said(inner, &["label", "text", "title", "name", "value", "id"]);
        }
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// What was offered, and whether it is marked as recommended.
fn options(value: &Value) -> Vec<(DecisionOption, bool)> {
    let one = |value: &Value| match value {
        Value::Object(inner) => {
            let text = |names| said(inner, names).unwrap_or_default();
            let label = said(inner, &["label", "text", "title", "name", "value"])
                .unwrap_or_else(|| text(&["key", "id"]));
            let is_marked = inner.get("recommended").and_then(Value::as_bool).unwrap_or(false);
            let description = text(&["description", "details", "pros"]);
            (DecisionOption { key: text(&["key", "letter", "id"]), label, description }, is_marked)
        }
        other => {
            let label = words(other).unwrap_or_default();
            (DecisionOption { label, ..DecisionOption::default() }, false)
        }
    };
    match value {
        Value::Array(all) => {
            all.iter().map(one).filter(|(option, _)| !option.label.is_empty()).collect()
        }
        // Letters with their labels.
        Value::Object(all) => {
            let keyed = |(key, value): (&String, &Value)| {
                let (option, is_marked) = one(value);
                (DecisionOption { key: key.clone(), ..option }, is_marked)
            };
            all.iter().map(keyed).collect()
        }
        _ => Vec::new(),
    }
}

/// Which option a value names: by its label, its key or its number.
fn place(value: &Value, options: &[DecisionOption]) -> Option<u16> {
    let text = words(value)?;
    let is_label = |option: &&DecisionOption| option.label.eq_ignore_ascii_case(&text);
    let is_key = |option: &&DecisionOption| !option.key.is_empty() && option.key == text;
    let by_name = options.iter().position(|option| is_label(&option) || is_key(&option));
    let by_number = || value.as_u64().map(|at| at as usize).filter(|at| *at < options.len());
    by_name.or_else(by_number).and_then(|at| u16::try_from(at).ok())
}

/// What was chosen, and what was said that is none of the options.
fn answer(value: &Value, options: &[DecisionOption]) -> (Vec<u16>, Option<String>) {
    let all = match value {
        Value::Array(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    let (mut chosen, mut others) = (Vec::new(), Vec::new());
    for value in all {
        match place(value, options) {
            Some(at) if !chosen.contains(&at) => chosen.push(at),
            Some(_) => {}
            None => others.extend(words(value)),
        }
    }
    chosen.sort_unstable();
    (chosen, (!others.is_empty()).then(|| others.join(", ")))
}

fn moment(entry: &Map<String, Value>, names: &[&str]) -> Option<Timestamp> {
    names.iter().filter_map(|name| entry.get(*name)).find_map(|value| match value {
        Value::String(text) => {
            let text = text.trim();
            Timestamp::parse(text)
                // A day, or a moment without a zone.
                .or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")))
                .or_else(|| Timestamp::parse(&format!("{text}Z")))
        }
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| *number > 0.0)?;
            Some(Timestamp(if number >= MILLISECONDS { number } else { number * 1000.0 } as i64))
        }
        _ => None,
    })
}

/// `org/app`, `/src/app`, `app.git` → `app`.
fn repo_name(project: &str) -> String {
    let name = project.trim_end_matches('/').rsplit('/').next().unwrap_or(project);
    name.strip_suffix(".git").unwrap_or(name).to_owned()
}

/// The same question has the same id, whatever else is recorded with it.
fn question_id(question: &str, options: &[DecisionOption]) -> String {
    let normal = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let mut parts: Vec<String> = options.iter().map(|option| normal(&option.label)).collect();
    parts.sort();
    parts.insert(0, normal(question));
    let parts: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    format!("hub-{:010x}", EventKey::of_parts(&parts).0 >> 24)
}

/// What a decision is called: its hub, and its id there; where it has none, what it says. It is part of an
/// address, so that it holds no character an address may not hold.
fn origin(
    entry: &Map<String, Value>,
    decision: &Decision,
    project: Option<&str>,
    hub: &str,
) -> String {
    let hash = |parts: &[&str]| {
        let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        format!("{:016x}", EventKey::of_parts(&parts).0)
    };
    let Some(id) = said(entry, ID) else {
        let at = decision.asked_at.or(decision.answered_at);
        let at = at.map(|at| at.to_string()).unwrap_or_default();
        return format!("{hub}-{}", hash(&[&decision.question, &at, project.unwrap_or_default()]));
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':');
    if id.chars().all(is_plain) && id.len() <= MAX_ORIGIN && !id.starts_with('.') {
        return format!("{hub}-{id}");
    }
    format!("{hub}-{}", hash(&[&id]))
}

#[cfg(test)]
#[path = "hub_tests.rs"]
mod tests;
