//! What a tool was asked to do, on one line where possible.

use backstory_model::SessionEvent;
use serde_json::Value;

/// A tool call as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// A shell command, as it was typed.
    Command(String),
    /// Any other tool and what it was asked.
    Tool {
        /// Its name.
        name: String,
        /// What it was asked.
        about: String,
    },
}

/// Keys that say what a call is about, the most telling first.
const TELLING: [&str; 12] = [
    "file_path",
    "path",
    "target_file",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "message",
    "name",
    "skill",
];

/// Understands a call by its input.
pub(crate) fn of(event: &SessionEvent, payload: &str) -> Call {
    let name = event.tool.clone().unwrap_or_else(|| "tool".into());
    let Ok(Value::Object(input)) = serde_json::from_str(payload) else {
        return Call::Tool { name, about: event.summary.clone() };
    };
    if let Some(command) = ["command", "cmd"].iter().find_map(|key| typed(input.get(*key)?)) {
        return Call::Command(command);
    }
    let telling = TELLING.iter().find_map(|key| input.get(*key)?.as_str());
    let about = telling.unwrap_or(&event.summary).to_owned();
    Call::Tool { name, about }
}

/// A command line, or the script of `["bash", "-lc", script]`.
fn typed(command: &Value) -> Option<String> {
    match command {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [] => None,
                [_shell, "-c" | "-lc", script] => Some((*script).to_owned()),
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::event;
    use super::*;

    fn call(tool: &str, payload: &str) -> Call {
        let mut event = event(0, None);
        event.tool = Some(tool.into());
        event.summary = "the summary".into();
        of(&event, payload)
    }

    #[test]
    fn commands_are_shown_as_typed() {
        let command = |payload| call("shell", payload);
        assert_eq!(command(r#"{"command":"ls -l"}"#), Call::Command("ls -l".into()));
        let wrapped = r#"{"command":["bash","-lc","cargo test"]}"#;
        assert_eq!(command(wrapped), Call::Command("cargo test".into()));
        assert_eq!(command(r#"{"cmd":["git","status"]}"#), Call::Command("git status".into()));
    }

    #[test]
    fn other_tools_say_what_they_are_about() {
        let about = |payload| match call("Read", payload) {
            Call::Tool { about, .. } => about,
            Call::Command(command) => command,
        };
        assert_eq!(about(r#"{"limit":3,"file_path":"/a.rs"}"#), "/a.rs");
        assert_eq!(about(r#"{"other":1}"#), "the summary");
        assert_eq!(about("free text"), "the summary");
    }
}
