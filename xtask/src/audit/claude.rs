//! Counts the records of a Claude transcript.

use super::Counts;
use super::words::has_words_beside;
use serde_json::Value;
use std::collections::HashSet;

/// Elements the harness, the editor and hooks put into a user record.
const INJECTED: &[&str] = &[
    "backstory-context",
    "bash-input",
    "bash-stderr",
    "bash-stdout",
    "command-args",
    "command-contents",
    "command-message",
    "command-name",
    "ide_diagnostics",
    "ide_opened_file",
    "ide_selection",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "post-tool-use-hook",
    "session-start-hook",
    "system-reminder",
    "task-notification",
    "teammate-message",
    "user-memory-input",
    "user-prompt-submit-hook",
];

/// Beginnings of texts that are the harness's from end to end.
const NOT_HUMAN: &[&str] = &[
    "[Request interrupted by user",
    "Caveat: The messages below were generated",
    "Stop hook feedback:",
    "This session is being continued from a previous conversation",
];

/// Blocks of the messages and prompts of the human, each record id once.
pub(super) fn count(records: &[Value]) -> Counts {
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    for record in records {
        // A torn record does not take its id from the whole one that follows.
        let has_content =
            !record["message"]["content"].is_null() || record["attachment"].is_object();
        let is_copy = record["uuid"].as_str().is_some_and(|id| has_content && !seen.insert(id));
        let is_own = record["message"]["model"] != "<synthetic>"
            && !record["isApiErrorMessage"].as_bool().unwrap_or_default();
        if is_copy || !is_own {
            continue;
        }
        match record["type"].as_str() {
            Some("user") => counts.prompts += u64::from(is_prompt(record)),
            Some("attachment") => {
                let attachment = &record["attachment"];
                let is_queued = attachment["type"] == "queued_command";
                counts.prompts += u64::from(is_queued && is_human(&text(&attachment["prompt"])));
                continue;
            }
            Some("assistant") => {}
            _ => continue,
        }
        for block in record["message"]["content"].as_array().into_iter().flatten() {
            match (block["type"].as_str(), record["type"].as_str()) {
                (Some("text"), Some("assistant")) => counts.answers += 1,
                (Some("thinking"), _) => counts.thoughts += 1,
                (Some("tool_use"), _) => counts.calls += 1,
                (Some("tool_result"), _) => counts.results += 1,
                _ => {}
            }
        }
    }
    counts
}

/// Whether a user record holds words, or a picture, of the human.
fn is_prompt(record: &Value) -> bool {
    let is_set = |name: &str| record[name].as_bool().unwrap_or_default();
    let origin = record["origin"]["kind"].as_str().unwrap_or("human");
    !is_set("isMeta")
        && !is_set("isCompactSummary")
        && origin == "human"
        && record["promptSource"] != "system"
        && is_human(&text(&record["message"]["content"]))
}

fn is_human(text: &str) -> bool {
    let text = text.trim();
    !NOT_HUMAN.iter().any(|beginning| text.starts_with(beginning))
        && has_words_beside(text, INJECTED)
}

/// The text of a content, with a word in place of each picture.
fn text(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let blocks = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks
        .filter_map(|block| match block["type"].as_str() {
            Some("text") => block["text"].as_str(),
            Some("image" | "document") => Some("picture"),
            _ => block.as_str(),
        })
        .collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_humans_words_are_prompts() {
        let user = |id: &str, content: Value| json!({"type": "user", "uuid": id, "message": {"content": content}});
        let result = json!({"type": "tool_result", "content": "ok"});
        let mut meta = user("6", json!("a skill"));
        meta["isMeta"] = json!(true);
        let records = [
            user("1", json!("fix it")),
            user("1", json!("fix it")),
            user("2", json!([result])),
            user("3", json!([{"type": "text", "text": "[Request interrupted by user]"}])),
            user("4", json!("<ide_opened_file>a</ide_opened_file> and this")),
            user("5", json!([{"type": "image", "source": {}}])),
            meta,
            json!({"type": "attachment", "uuid": "7",
                "attachment": {"type": "queued_command", "prompt": "also that"}}),
        ];
        let counts = count(&records);
        assert_eq!((counts.prompts, counts.results), (4, 1));
    }
}
