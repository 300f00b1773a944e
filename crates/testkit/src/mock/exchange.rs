//! A request of any protocol, boiled down to what the script needs.

use serde_json::Value;

use super::script::{self, Call, Script};

/// One request for an answer.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    /// The model the client named.
    pub(crate) model: String,
    /// True when the answer has to be a stream of events.
    pub(crate) stream: bool,
    /// The latest prompt.
    pub(crate) prompt: String,
    /// Tool results since that prompt.
    pub(crate) results: Vec<String>,
    /// Names of the tools the client offers.
    pub(crate) tools: Vec<String>,
    /// True for a request the client made for itself.
    pub(crate) aside: bool,
}

/// What to answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    /// Call a tool.
    Call { name: String, arguments: Value },
    /// End the turn with this text.
    Say(String),
    /// Answer this HTTP status.
    Fail(u16),
}

impl Exchange {
    /// Takes the model, the streaming wish and the tools, which every protocol spells alike. Without
    /// tools, or with a forced one, a client only wants a title or a summary for itself.
    pub(crate) fn of(body: &Value) -> Self {
        let tools = array(&body["tools"]);
        Self {
            model: text(&body["model"]).to_owned(),
            stream: body["stream"].as_bool().unwrap_or_default(),
            tools: tools.iter().filter_map(tool_name).map(str::to_owned).collect(),
            aside: tools.is_empty() || forces_a_tool(&body["tool_choice"]),
            ..Self::default()
        }
    }

    /// Takes the next message of a user. Text the client injects in angle brackets is no prompt.
    pub(crate) fn hear(&mut self, said: &str) {
        let trimmed = said.trim_start();
        if trimmed.starts_with("<user_query>") || !trimmed.starts_with('<') {
            said.clone_into(&mut self.prompt);
            self.results.clear();
        }
    }

    /// The answer the script asks for next.
    pub(crate) fn next_step(&self) -> Step {
        if self.aside && !is_scripted_aside(&self.prompt) {
            return Step::Say("Scripted title".to_owned());
        }
        let script = Script::parse(&self.prompt);
        let latest = self.results.last().map(String::as_str);
        match (script.calls.get(self.results.len()), script.fail) {
            (Some(Call::Tool { name, arguments }), _) => {
                Step::Call { name: name.clone(), arguments: script::fill(arguments, latest) }
            }
            (Some(Call::Shell(command)), _) => {
                match script::shell_call(command, self.tools.iter().map(String::as_str)) {
                    Some((name, arguments)) => Step::Call { name: name.to_owned(), arguments },
                    None => Step::Say("This client offers no shell tool.".to_owned()),
                }
            }
            (None, Some(status)) => Step::Fail(status),
            (None, None) => {
                Step::Say(script.say.unwrap_or_else(|| "Nothing was scripted.".to_owned()))
            }
        }
    }

    /// The thought that opens the turn.
    pub(crate) fn thought(&self) -> Option<String> {
        let opens = !self.aside && self.results.is_empty();
        opens.then(|| Script::parse(&self.prompt).thought).flatten()
    }
}

/// What Backstory asks behind an agent's back comes without tools too, and is no title.
fn is_scripted_aside(prompt: &str) -> bool {
    prompt.contains("\"max_bullets\"")
}

/// A client that forces one tool wants a form filled in, not a turn.
fn forces_a_tool(choice: &Value) -> bool {
    matches!(text(&choice["type"]), "function" | "tool")
}

fn tool_name(tool: &Value) -> Option<&str> {
    tool["name"].as_str().or_else(|| tool["function"]["name"].as_str())
}

/// The string, or nothing.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The items, or none.
pub(crate) fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The text of a message's content: a string, or parts of which some are text.
pub(crate) fn content_text(content: &Value) -> String {
    match content {
        Value::String(whole) => whole.clone(),
        parts => {
            let texts: Vec<&str> = array(parts).iter().filter_map(|p| p["text"].as_str()).collect();
            texts.join("\n")
        }
    }
}

/// A text cut where a model would pause, so that clients have to join it again.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with_results(prompt: &str, results: &[&str]) -> Exchange {
        Exchange {
            prompt: prompt.to_owned(),
            results: results.iter().map(|&r| r.to_owned()).collect(),
            tools: vec!["Read".to_owned(), "exec_command".to_owned()],
            ..Exchange::default()
        }
    }

    #[test]
    fn calls_come_first_one_by_one_then_the_text() {
        let prompt = "@@think t@@ @@sh ls@@ @@tool x {}@@ @@say end@@";
        let shell = Step::Call { name: "exec_command".into(), arguments: json!({"cmd": "ls"}) };
        assert_eq!(with_results(prompt, &[]).next_step(), shell);
        assert_eq!(with_results(prompt, &[]).thought().as_deref(), Some("t"));
        let tool = Step::Call { name: "x".into(), arguments: json!({}) };
        assert_eq!(with_results(prompt, &["r"]).next_step(), tool);
        assert_eq!(with_results(prompt, &["r"]).thought(), None);
        assert_eq!(with_results(prompt, &["r", "r"]).next_step(), Step::Say("end".into()));
    }

    #[test]
    fn a_failure_waits_for_the_calls() {
        let prompt = "@@sh ls@@ @@fail 500@@";
        assert!(matches!(with_results(prompt, &[]).next_step(), Step::Call { .. }));
        assert_eq!(with_results(prompt, &["r"]).next_step(), Step::Fail(500));
    }

    #[test]
    fn a_title_is_not_scripted_and_a_question_of_backstory_is() {
        let aside = |prompt: &str| Exchange { aside: true, ..with_results(prompt, &[]) };
        let title = Step::Say("Scripted title".into());
        assert_eq!(aside("Name this: @@say a@@").next_step(), title);
        let question = r#"{"max_bullets":6,"memories":["@@say a@@"]}"#;
        assert_eq!(aside(question).next_step(), Step::Say("a".into()));
    }

    #[test]
    fn injected_context_is_no_prompt() {
        let mut exchange = with_results("@@say a@@", &["r"]);
        exchange.hear("<environment_context>…</environment_context>");
        assert_eq!((exchange.prompt.as_str(), exchange.results.len()), ("@@say a@@", 1));
        exchange.hear("<user_query>\nnext\n</user_query>");
        assert_eq!(exchange.results.len(), 0);
    }
}
