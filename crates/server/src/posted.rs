//! Messages as plugins of every age post them → messages as they are kept.

use crate::refusal::Refusal;
use backstory_api::http::AddMessage;
use backstory_engine::pushed::{IMAGE, Incoming, Part};
use backstory_model::Timestamp;
use serde_json::Value;

/// Numbers below this are seconds, not milliseconds.
const SECONDS: i64 = 100_000_000_000;
/// No tool has a longer name.
const LONGEST_NAME: usize = 128;

/// Reads one message.
pub(crate) fn incoming(posted: &AddMessage) -> Result<Incoming, Refusal> {
    let role = match posted.role.as_deref().map(str::trim) {
        Some("assistant" | "tool_call" | "function_call") => "assistant",
        Some("system" | "developer") => "system",
        Some(role) if !role.is_empty() => "user",
        _ => return Err(Refusal::wrong("a message needs a role: user or assistant")),
    };
    let parts = match (&posted.parts, &posted.content) {
        (Value::Array(parts), _) if !parts.is_empty() => parts.iter().filter_map(part).collect(),
        (_, Value::Array(parts)) => parts.iter().filter_map(part).collect(),
        (_, Value::String(text)) => vec![said(posted.role.as_deref(), text)],
        (Value::Array(_), _) => Vec::new(),
        _ => return Err(Refusal::wrong("a message needs content or parts")),
    };
    let peer = posted.peer_id.clone().filter(|peer| !peer.is_empty());
    Ok(Incoming { role: role.to_owned(), parts, peer, at: moment(&posted.created_at) })
}

fn words(text: String) -> Part {
    Part { text: Some(text), ..Part::default() }
}

/// A message of one text. The first plugins had no parts: they posted calls of tools as the agent's words, what
/// came of them as the human's, with a mark in front.
fn said(role: Option<&str>, text: &str) -> Part {
    let marked = |mark: &str| {
        let (tool, rest) = text.trim_start().strip_prefix(mark)?.split_once(']')?;
        let tool = tool.trim();
        let is_name = !tool.is_empty() && tool.len() <= LONGEST_NAME && !tool.contains('\n');
        is_name.then(|| (Some(tool.to_owned()), Some(rest.trim_start().to_owned())))
    };
    if let Some((tool, input)) = marked("[tool-call ") {
        return Part { tool, input, status: Some("running".to_owned()), ..Part::default() };
    }
    if let Some((tool, output)) = marked("[tool-result ") {
        return Part { tool, output, status: Some("completed".to_owned()), ..Part::default() };
    }
    match role.map(str::trim) {
        Some("tool" | "tool_result" | "function" | "function_call_output") => Part {
            tool: Some("tool".to_owned()),
            output: Some(text.to_owned()),
            status: Some("completed".to_owned()),
            ..Part::default()
        },
        Some("tool_call" | "function_call") => Part {
            tool: Some("tool".to_owned()),
            input: Some(text.to_owned()),
            status: Some("running".to_owned()),
            ..Part::default()
        },
        _ => words(text.to_owned()),
    }
}

/// A part of a message; nothing for what is no part of the conversation.
fn part(posted: &Value) -> Option<Part> {
    let Some(fields) = posted.as_object() else {
        return posted.as_str().map(|text| words(text.into()));
    };
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let any = |names: &[&str]| names.iter().find_map(|name| fields.get(*name)).and_then(as_text);
    match fields.get("type").and_then(Value::as_str).unwrap_or("text") {
        "tool" | "tool_use" | "tool_result" => Some(Part {
            tool_id: any(&["tool_id", "id", "tool_use_id"]),
            tool: any(&["tool_name", "name"]).or_else(|| Some("tool".to_owned())),
            status: text("tool_status").or_else(|| text("status")),
            input: any(&["tool_input", "input"]),
            output: any(&["tool_output", "output", "content"]),
            duration_ms: fields.get("duration_ms").and_then(as_millis),
            ..Part::default()
        }),
        // What a server handed to the agent is not what anybody said.
        "context" => None,
        "image_url" | "image" => Some(words(IMAGE.to_owned())),
        _ => text("text").or_else(|| as_text(posted)).map(words),
    }
}

/// A text as it is, anything else as JSON.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn as_millis(value: &Value) -> Option<u64> {
    let number = value.as_f64().filter(|number| (0.0..1e15).contains(number))?;
    Some(number as u64)
}

/// A moment as RFC 3339, in seconds or in milliseconds.
fn moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => Timestamp::parse(text.trim()),
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| (1e9..1e14).contains(number))?;
            let whole = number as i64;
            Some(Timestamp(if whole < SECONDS { (number * 1000.0) as i64 } else { whole }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(message: Value) -> Result<Incoming, Refusal> {
        incoming(&serde_json::from_value(message).unwrap())
    }

    #[test]
    fn every_generation_is_understood() {
        let old = read(json!({"role": "user", "content": "hi"})).unwrap();
        let new = read(
            json!({"role": "user", "parts": [{"type": "text", "text": "hi"}], "content": "no"}),
        );
        assert_eq!(old.parts, new.unwrap().parts);
        let call =
            read(json!({"role": "assistant", "peer_id": "-tmp-p", "parts": [{"type": "tool",
            "tool_id": "c1", "tool_name": "shell", "tool_status": "running",
            "tool_input": {"command": ["ls"]}}]}))
            .unwrap();
        assert_eq!(call.parts[0].input.as_deref(), Some("{\"command\":[\"ls\"]}"));
        assert_eq!(call.peer.as_deref(), Some("-tmp-p"));
        let odd = read(
            json!({"role": "tool", "parts": ["words", {"type": "new", "x": 1}, {"type": "context"}, 3]}),
        );
        let odd = odd.unwrap();
        assert_eq!((odd.role.as_str(), odd.parts.len()), ("user", 2));
    }

    #[test]
    fn tools_are_told_from_words_where_there_are_no_parts() {
        let one = |role: &str, content: &str| {
            let read = read(json!({"role": role, "content": content, "parts": []})).unwrap();
            let [part] = read.parts.try_into().unwrap();
            part
        };
        let call = one("assistant", "[tool-call shell] {\"command\":\"ls\"}");
        assert_eq!(call.tool.as_deref(), Some("shell"));
        assert_eq!(call.input.as_deref(), Some("{\"command\":\"ls\"}"));
        let result = one("user", "[tool-result shell] error: you should never do this");
        assert_eq!(result.tool.as_deref(), Some("shell"));
        assert_eq!(result.output.as_deref(), Some("error: you should never do this"));
        assert_eq!((result.text, result.input), (None, None));
        assert_eq!(one("tool", "done").output.as_deref(), Some("done"));
        for words in ["[tool-result] is a mark", "[tool-call", "see [tool-call shell] above"] {
            assert_eq!(one("user", words).text.as_deref(), Some(words));
        }
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for message in [
            json!({}),
            json!({"role": "user"}),
            json!({"content": "x"}),
            json!({"role": 3, "content": "x"}),
        ] {
            assert_eq!(read(message.clone()).unwrap_err().status, 400, "{message}");
        }
    }

    #[test]
    fn times_are_read_in_every_unit() {
        let at = |value: Value| moment(&value).map(|at| at.0);
        assert_eq!(at(json!("2026-08-20T10:00:00Z")), Some(1_787_220_000_000));
        assert_eq!(at(json!(1_787_220_000)), Some(1_787_220_000_000));
        assert_eq!(at(json!(1_787_220_000_000_i64)), Some(1_787_220_000_000));
        for none in [json!(null), json!("soon"), json!(-1), json!(1e300), json!({})] {
            assert_eq!(at(none), None);
        }
    }
}
