//! Counts the records of a Grok session: its log of updates, or its chat history.

use super::Counts;
use super::words::has_words_beside;
use serde_json::Value;
use std::collections::HashSet;

/// Elements the harness puts around a prompt.
const INJECTED: &[&str] = &[
    "attached_files",
    "background_tasks",
    "backstory-context",
    "environment_context",
    "git_status",
    "hook_context",
    "open_and_recently_viewed_files",
    "project_instructions",
    "project_layout",
    "subagent_completed",
    "system-reminder",
    "system_reminder",
    "task-notification",
    "task_completed",
    "user_info",
];

/// Records of either log, each identity once.
pub(super) fn count(records: &[Value]) -> Counts {
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    for record in records {
        let notification = if record["params"].is_null() { record } else { &record["params"] };
        let bare = if notification["update"].is_null() { record } else { &notification["update"] };
        match bare["sessionUpdate"].as_str() {
            Some(name) => update(name, bare, &notification["_meta"], &mut seen, &mut counts),
            None => chat(record, &mut seen, &mut counts),
        }
    }
    counts
}

fn update(
    name: &str,
    update: &Value,
    meta: &Value,
    seen: &mut HashSet<String>,
    counts: &mut Counts,
) {
    if name.starts_with("tool_call") {
        let id = update["toolCallId"].as_str().unwrap_or_default();
        let is_ended = matches!(update["status"].as_str(), Some("completed" | "failed"));
        let is_call = name == "tool_call";
        counts.calls += u64::from(is_call && seen.insert(format!("call {id}")));
        counts.results += u64::from(is_ended && seen.insert(format!("result {id}")));
        return;
    }
    // Numbers begin anew with every resume, so that only the time makes them an identity.
    let id = meta["eventId"].as_str().map(|id| format!("{id} {}", meta["agentTimestampMs"]));
    let said = text(&update["content"]);
    if said.is_empty() || id.is_some_and(|id| !seen.insert(id)) {
        return;
    }
    match name {
        "agent_message_chunk" => counts.answers += 1,
        "agent_thought_chunk" => counts.thoughts += 1,
        "user_message_chunk" => {
            let marks = &update["_meta"];
            let reason = marks["synthetic_reason"].as_str().or(marks["syntheticReason"].as_str());
            let is_steer = reason == Some("interjection") || is_set(&marks["interjection"]);
            let is_host = marks["hostTurn"] == true || marks["host_turn"] == true;
            let is_human = is_steer || (reason.is_none() && !is_host);
            counts.prompts += u64::from(is_human && is_prompt(&said));
        }
        _ => {}
    }
}

/// A record of the chat history, whose only identity is its content.
fn chat(record: &Value, seen: &mut HashSet<String>, counts: &mut Counts) {
    let said = text(&record["content"]);
    let mut is_new =
        |what: &str, text: &str| !text.is_empty() && seen.insert(format!("{what} {text}"));
    match record["type"].as_str().or(record["role"].as_str()) {
        Some("user") => {
            let is_human =
                matches!(record["synthetic_reason"].as_str(), None | Some("interjection"));
            let place = format!("prompt {}", record["prompt_index"]);
            counts.prompts += u64::from(is_human && is_prompt(&said) && is_new(&place, &said));
        }
        Some("assistant") => {
            counts.answers += u64::from(is_new("answer", &said));
            let thought = record["reasoning_content"].as_str().unwrap_or_default();
            counts.thoughts += u64::from(is_new("thought", thought));
            for call in record["tool_calls"].as_array().into_iter().flatten() {
                counts.calls += u64::from(is_new("call", call["id"].as_str().unwrap_or_default()));
            }
        }
        Some("reasoning") => {
            counts.thoughts += u64::from(is_new("thought", &text(&record["summary"])));
        }
        Some("tool_result" | "tool") => {
            let id = record["tool_call_id"].as_str().unwrap_or_default();
            counts.results += u64::from(is_new("result", id));
        }
        _ => {}
    }
}

/// Whether a text holds words of the human: those of the query, where one is marked. The account of
/// the machine a session begins with has none.
fn is_prompt(text: &str) -> bool {
    let marked = text.split_once("<user_query>");
    if marked.is_none() && text.trim_start().starts_with("<user_info>") {
        return false;
    }
    let query = marked.map_or(text, |(_, query)| query);
    let query = query.split_once("</user_query>").map_or(query, |(query, _)| query);
    has_words_beside(query, INJECTED)
}

/// A mark is set when it is there and not `false`.
fn is_set(mark: &Value) -> bool {
    !mark.is_null() && *mark != false
}

/// The text of a content: a string, a block, or several.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|it| it["text"].as_str()).collect();
            texts.join("\n")
        }
        block => block["text"].as_str().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chunk(name: &str, text: &str, marks: &Value) -> Value {
        let content = json!({"type": "text", "text": text});
        let update = json!({"sessionUpdate": name, "content": content, "_meta": marks});
        json!({"method": "session/update", "params": {"update": update}})
    }

    #[test]
    fn only_the_humans_words_are_prompts() {
        let none = json!({});
        let records = [
            chunk("user_message_chunk", "<user_info>x</user_info>\n<rules>y</rules>", &none),
            chunk("user_message_chunk", "<user_query>do</user_query>", &none),
            chunk("user_message_chunk", "news", &json!({"syntheticReason": "task_completed"})),
            chunk("user_message_chunk", "stop", &json!({"syntheticReason": "interjection"})),
            chunk("agent_message_chunk", "done", &none),
            chunk("agent_message_chunk", "", &none),
            json!({"type": "user", "content": "<user_query>do</user_query>", "prompt_index": 0}),
            json!({"type": "user", "content": "x", "synthetic_reason": "system_reminder"}),
        ];
        let counts = count(&records);
        assert_eq!((counts.prompts, counts.answers), (3, 1));
    }

    #[test]
    fn a_call_and_its_end_count_once() {
        let tool = |name: &str, status: &str| {
            json!({"params": {"update":
                {"sessionUpdate": name, "toolCallId": "c", "status": status}}})
        };
        let records = [
            tool("tool_call", "pending"),
            tool("tool_call_update", "in_progress"),
            tool("tool_call_update", "completed"),
            tool("tool_call_update", "completed"),
        ];
        let counts = count(&records);
        assert_eq!((counts.calls, counts.results), (1, 1));
    }
}
