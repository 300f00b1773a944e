//! What Grok writes when it asks the human.

use super::{Folder, text};
use crate::eval::render::chosen;
use serde_json::{Value, json};

impl Folder<'_> {
    /// The question tool. What is typed is a note beside the answer `Other`.
    pub(super) fn questions(&mut self, questions: &Value, answers: Option<&Value>, declined: bool) {
        const TOOL: &str = "ask_user_question";
        let call = self.call(TOOL, "other", &json!({"questions": questions}));
        let shown = if declined {
            "User declined to answer the questions. Continue with the task using your best judgment, or ask different questions.".to_owned()
        } else if let Some(answers) = answers {
            let entries: Vec<String> = questions
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|question| {
                    let text = question["question"].as_str()?;
                    Some(entry(question, text, &chosen(answers.get(text)?)))
                })
                .collect();
            format!(
                "User has answered your questions: {}. You can now continue with the user's answers in mind.",
                entries.join(", ")
            )
        } else {
            self.pending = Some((call, TOOL));
            return;
        };
        let content = json!([{"type": "content", "content": text(&shown)}]);
        self.result((&call, TOOL), "success", &json!({"content": content}));
    }

    /// A plan: written into a file, then put up.
    pub(super) fn plan(&mut self, plan: &str, approved: bool, words: Option<&str>) {
        const TOOL: &str = "exit_plan_mode";
        let path = format!("/home/dev/.grok/sessions/app/{}/plan.md", self.id);
        self.write(&path, plan);
        let call = self.call(TOOL, "other", &json!({}));
        let shown = match (approved, words) {
            (true, None) => format!(
                "Your plan has been approved. You can now start coding.\n\nYour plan has been saved at: {path}\n\n{plan}"
            ),
            (true, Some(words)) => {
                format!("The user approved the plan with the following review comments:\n{words}")
            }
            (false, Some(words)) => {
                format!("The user wants to revise the plan. The user said:\n{words}")
            }
            (false, None) => "The user rejected the plan.".to_owned(),
        };
        let content = json!([{"type": "content", "content": text(&shown)}]);
        self.result((&call, TOOL), "success", &json!({"content": content}));
    }

    /// A command the human permitted.
    pub(super) fn permit(&mut self, command: &str) {
        const TOOL: &str = "run_terminal_command";
        let input = json!({"variant": "Bash", "command": command, "description": "run it"});
        let call = self.call(TOOL, "execute", &input);
        self.event("permission_requested", &json!({"tool_name": TOOL}));
        self.clock.pass(4_000);
        self.event(
            "permission_resolved",
            &json!({"tool_name": TOOL, "decision": "allow", "wait_ms": 4_000}),
        );
        let raw = json!({"type": "Bash", "output": b"ok", "output_for_prompt": "ok",
            "exit_code": 0, "timed_out": false});
        let content = json!([{"type": "content", "content": text("ok")}]);
        self.result((&call, TOOL), "success", &json!({"content": content, "rawOutput": raw}));
    }
}

fn entry(question: &Value, asked: &str, given: &[String]) -> String {
    let labels: Vec<&str> = question["options"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|option| option["label"].as_str())
        .collect();
    let typed = given.iter().find(|value| !labels.contains(&value.as_str()));
    match typed {
        Some(words) => format!("\"{asked}\"=\"Other\" user notes: {words}"),
        None => format!("\"{asked}\"=\"{}\"", given.join(", ")),
    }
}
