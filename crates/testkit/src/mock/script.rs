//! The script of a turn, written inside the prompt itself.
//!
//! A prompt carries directives between double at signs. The server keeps no state: what it answers
//! follows from the conversation it is sent, so a resumed or forked session needs no preparation.
//!
//! | directive | effect |
//! |---|---|
//! | `@@sh COMMAND@@` | call the client's shell tool |
//! | `@@tool NAME {json}@@` | call that tool; `SPACE/NAME` for a namespaced one |
//! | `@@think TEXT@@` | think before the first answer of the turn |
//! | `@@say TEXT@@` | the final text, once every call has its result |
//! | `@@fail STATUS@@` | answer that HTTP status instead of the final text |
//!
//! A directive inside a tool's JSON (a prompt for a sub-agent) writes its at signs as `\u0040`, so
//! that it only comes to life in the child. A string argument `"{{key}}"` is replaced by that key of
//! the latest tool result which is a JSON object.

use serde_json::{Map, Value, json};

/// Everything the prompt asks for.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Script {
    /// Tool calls, one per answer, in order.
    pub(crate) calls: Vec<Call>,
    /// The thought before the first answer.
    pub(crate) thought: Option<String>,
    /// The final text.
    pub(crate) say: Option<String>,
    /// The HTTP status that replaces the final text.
    pub(crate) fail: Option<u16>,
}

/// One scripted tool call.
#[derive(Debug, PartialEq)]
pub(crate) enum Call {
    /// Whatever shell tool the client offers.
    Shell(String),
    /// A tool by its name.
    Tool {
        /// The tool's name, with its namespace before a slash.
        name: String,
        /// The arguments as written.
        arguments: Value,
    },
}

impl Script {
    /// Reads the directives of a prompt. Anything that is not one is left alone.
    pub(crate) fn parse(prompt: &str) -> Self {
        let mut script = Self::default();
        let mut rest = prompt;
        while let Some((_, after)) = rest.split_once("@@") {
            let Some((directive, next)) = after.split_once("@@") else { break };
            // Text between two directives must not swallow the opening of the second.
            rest = if script.take(directive) { next } else { after };
        }
        script
    }

    fn take(&mut self, directive: &str) -> bool {
        let Some((kind, body)) = directive.split_once(char::is_whitespace) else { return false };
        let body = body.trim();
        match kind {
            "sh" => self.calls.push(Call::Shell(body.to_owned())),
            "tool" => self.calls.push(tool_call(body)),
            "think" => self.thought = Some(body.to_owned()),
            "say" => self.say = Some(body.to_owned()),
            "fail" => self.fail = body.parse().ok(),
            _ => return false,
        }
        true
    }
}

fn tool_call(body: &str) -> Call {
    let (name, arguments) = body.split_once(char::is_whitespace).unwrap_or((body, "{}"));
    // A typo in a test's JSON has to reach the client as a refused call, not vanish here.
    let arguments =
        serde_json::from_str(arguments).unwrap_or_else(|e| json!({ "unreadable": e.to_string() }));
    Call::Tool { name: name.to_owned(), arguments }
}

/// The arguments with every `"{{key}}"` string replaced from the latest tool result.
pub(crate) fn fill(arguments: &Value, result: Option<&str>) -> Value {
    let known: Map<String, Value> =
        result.and_then(|r| serde_json::from_str(r).ok()).unwrap_or_default();
    fill_from(arguments, &known)
}

fn fill_from(value: &Value, known: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) => text
            .strip_prefix("{{")
            .and_then(|t| t.strip_suffix("}}"))
            .and_then(|key| known.get(key))
            .unwrap_or(value)
            .clone(),
        Value::Array(items) => items.iter().map(|v| fill_from(v, known)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(k, v)| (k.clone(), fill_from(v, known))).collect()
        }
        other => other.clone(),
    }
}

/// The client's shell tool among those it offers, and the arguments it wants.
pub(crate) fn shell_call<'a>(
    command: &str,
    mut offered: impl Iterator<Item = &'a str>,
) -> Option<(&'a str, Value)> {
    offered.find_map(|name| {
        let arguments = match name {
            "exec_command" => json!({ "cmd": command }),
            "Bash" | "run_terminal_command" => {
                json!({ "command": command, "description": "Run the scripted command" })
            }
            "shell_command" => json!({ "command": command }),
            _ => return None,
        };
        Some((name, arguments))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_directive_is_read_in_order() {
        let script = Script::parse(
            "Hi. @@think hm@@ @@sh echo a; exit 3@@ and @@tool ns/t {\"a\":[1]}@@ @@say done@@",
        );
        assert_eq!(
            script.calls,
            [
                Call::Shell("echo a; exit 3".into()),
                Call::Tool { name: "ns/t".into(), arguments: json!({"a": [1]}) }
            ]
        );
        assert_eq!(script.thought.as_deref(), Some("hm"));
        assert_eq!(script.say.as_deref(), Some("done"));
    }

    #[test]
    fn plain_text_and_stray_marks_are_no_script() {
        assert_eq!(Script::parse("mail a@@b, @@unknown x"), Script::default());
        assert_eq!(Script::parse("x @@ y @@say ok@@").say.as_deref(), Some("ok"));
        assert_eq!(Script::parse("@@fail 529@@").fail, Some(529));
    }

    #[test]
    fn a_nested_directive_lives_only_in_the_child() {
        let script =
            Script::parse(r#"@@tool Agent {"prompt":"\u0040\u0040say child\u0040\u0040"}@@"#);
        assert_eq!(script.say, None);
        let [Call::Tool { arguments, .. }] = script.calls.as_slice() else { panic!("one call") };
        assert_eq!(
            Script::parse(arguments["prompt"].as_str().unwrap()).say.as_deref(),
            Some("child")
        );
    }

    #[test]
    fn placeholders_come_from_the_latest_result() {
        let filled = fill(&json!({"ids": ["{{agent_id}}", "{{no}}"]}), Some(r#"{"agent_id":"x"}"#));
        assert_eq!(filled, json!({"ids": ["x", "{{no}}"]}));
        assert_eq!(fill(&json!("{{a}}"), Some("not json")), json!("{{a}}"));
    }
}
