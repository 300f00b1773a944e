//! Counts the records of a Codex rollout in every dialect.

use super::Counts;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Beginnings of texts the harness writes in the human's place.
const INJECTED: &[&str] = &[
    "# AGENTS.md instructions",
    "<backstory-context",
    "<codex_internal_context",
    "<environment_context>",
    "<goal_context",
    "<hook_prompt",
    "<recommended_plugins",
    "<skill>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<user_action>",
    "<user_instructions>",
    "<user_shell_command>",
    "Another language model started to solve this problem and produced a summary",
];

/// Where an editor's prompt begins, after the context the editor adds.
const REQUEST: &str = "## My request for Codex:";

/// How often each prompt stands in what the model was shown, and on the screen.
type Prompts = HashMap<String, [u64; 2]>;

const MODEL: usize = 0;
const SCREEN: usize = 1;

/// Items, each call id once, and prompts. A prompt is written into both tellings of the
/// conversation, or into one: the telling that has it more often is right.
pub(super) fn count(records: &[Value]) -> Counts {
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    let mut prompts = Prompts::new();
    let mut is_review = false;
    for record in records {
        let items: Vec<&Value> = match (&record["items"], record["type"].as_str()) {
            (Value::Array(items), _) => items.iter().collect(),
            (_, Some("response_item")) => vec![&record["payload"]],
            (_, Some("event_msg")) => {
                screen(&record["payload"], &mut is_review, &mut prompts);
                Vec::new()
            }
            _ if record["payload"].is_null() => vec![record],
            _ => Vec::new(),
        };
        for item in items {
            let kind = item["type"].as_str().unwrap_or_default();
            let call = item["call_id"].as_str().unwrap_or_default();
            if !call.is_empty() && !seen.insert(format!("{kind} {call}")) {
                continue;
            }
            match (kind, item["role"].as_str()) {
                ("message", Some("assistant")) => counts.answers += 1,
                ("message" | "", Some("user")) => {
                    if let Some(prompt) = model_prompt(item) {
                        prompts.entry(prompt).or_default()[MODEL] += 1;
                    }
                }
                ("function_call" | "custom_tool_call" | "local_shell_call", _) => counts.calls += 1,
                ("function_call_output" | "custom_tool_call_output", _) => counts.results += 1,
                ("reasoning", _) => counts.thoughts += 1,
                _ => {}
            }
        }
    }
    counts.prompts = prompts.values().map(|times| times[MODEL].max(times[SCREEN])).sum();
    counts
}

/// Notes the prompt of an event. In a review the harness writes the prompts.
fn screen(event: &Value, is_review: &mut bool, prompts: &mut Prompts) {
    let item = &event["item"];
    let said = match (event["type"].as_str(), item["type"].as_str()) {
        (Some("entered_review_mode"), _) | (_, Some("EnteredReviewMode")) => {
            *is_review = true;
            None
        }
        (Some("exited_review_mode"), _) | (_, Some("ExitedReviewMode")) => {
            *is_review = false;
            None
        }
        (Some("user_message"), _) => {
            let is_plain = matches!(event["kind"].as_str(), None | Some("plain"));
            event["message"].as_str().filter(|_| is_plain).map(str::to_owned)
        }
        (Some("item_completed"), Some("UserMessage")) => {
            let parts = item["content"].as_array().into_iter().flatten();
            let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
            Some(texts.join("\n"))
        }
        _ => None,
    };
    if let Some(said) = said.filter(|text| !*is_review && !is_injected(text)) {
        prompts.entry(request(&said)).or_default()[SCREEN] += 1;
    }
}

/// The human's words in a message, without what the harness added to it.
fn model_prompt(message: &Value) -> Option<String> {
    let kinds = &message["internal_chat_message_metadata_passthrough"]["content_item_kinds"];
    let single = [serde_json::json!({"text": message["content"]})];
    let parts = message["content"].as_array().map_or(single.as_slice(), Vec::as_slice);
    let mut said = Vec::new();
    let (mut has_image, mut has_injected) = (false, false);
    for (at, part) in parts.iter().enumerate() {
        let text = part["text"].as_str().unwrap_or_default();
        let is_tag = parts.len() > 1 && (text.starts_with("<image") || text == "</image>");
        let is_harness = match kinds[at].as_str() {
            Some(kind) if !kind.is_empty() => !kind.starts_with("user."),
            _ => is_injected(text),
        };
        if part["type"] == "input_image" {
            has_image = true;
        } else if is_harness {
            has_injected = true;
        } else if !is_tag {
            said.push(text);
        }
    }
    let said = said.join("\n");
    let is_prompt = has_image || !has_injected || !said.trim().is_empty();
    is_prompt.then(|| request(&said))
}

fn is_injected(text: &str) -> bool {
    INJECTED.iter().any(|beginning| text.trim_start().starts_with(beginning))
}

/// The request itself.
fn request(text: &str) -> String {
    let is_editors = text.trim_start().starts_with('#');
    let request = text.split_once(REQUEST).filter(|_| is_editors).map_or(text, |(_, after)| after);
    request.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(text: &str) -> Value {
        let part = json!({"type": "input_text", "text": text});
        json!({"type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [part]}})
    }

    fn shown(text: &str) -> Value {
        json!({"type": "event_msg", "payload": {"type": "user_message", "message": text}})
    }

    #[test]
    fn both_tellings_of_a_prompt_are_one() {
        let item = json!({"type": "UserMessage", "content": [{"type": "text", "text": "three"}]});
        let records = [
            said("<environment_context>x</environment_context>"),
            said("# Open tabs\n\n## My request for Codex:\none\n"),
            shown("one"),
            said("two"),
            shown("two"),
            said("two"),
            json!({"type": "event_msg", "payload": {"type": "item_completed", "item": item}}),
            json!({"type": "message", "role": "user", "content": [{"text": "bare"}]}),
            json!({"items": [{"role": "user", "content": "chat"}]}),
        ];
        assert_eq!(count(&records).prompts, 6);
    }
}
