//! What Claude Code writes when it asks the human.

use super::{REJECTED, STOP, Transcript};
use crate::eval::render::chosen;
use serde_json::{Value, json};

impl Transcript<'_> {
    /// The question tool.
    pub(super) fn questions(&mut self, questions: &Value, answers: Option<&Value>, declined: bool) {
        let call = self.call("AskUserQuestion", &json!({"questions": questions}));
        if declined {
            return self.reject(&call);
        }
        let Some(answers) = answers else {
            self.pending = Some(call);
            return;
        };
        let told: Vec<(String, String)> = questions
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|question| {
                let text = question["question"].as_str()?;
                Some((text.to_owned(), chosen(answers.get(text)?).join(", ")))
            })
            .collect();
        let pairs: Vec<String> =
            told.iter().map(|(question, answer)| format!("\"{question}\"=\"{answer}\"")).collect();
        let text = format!(
            "User has answered your questions: {}. You can now continue with the user's answers in mind.",
            pairs.join(", ")
        );
        let map: serde_json::Map<String, Value> =
            told.into_iter().map(|(question, answer)| (question, json!(answer))).collect();
        let twin = json!({"questions": questions, "answers": map});
        self.result(&call, &json!(text), false, &twin);
    }

    /// A plan put up for approval.
    pub(super) fn plan(&mut self, plan: &str, approved: bool, words: Option<&str>) {
        let call = self.call("ExitPlanMode", &json!({"plan": plan}));
        if approved {
            let path = "/home/dev/.claude/plans/quiet-river.md";
            let text = format!(
                "User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: {path}\nYou can refer back to it if needed during implementation.\n\n## Approved Plan:\n{plan}"
            );
            let twin = json!({"plan": plan, "isAgent": false, "filePath": path});
            return self.result(&call, &json!(text), false, &twin);
        }
        let Some(words) = words else { return self.reject(&call) };
        let text = format!("{REJECTED} To tell you how to proceed, the user said:\n{words}");
        self.result(&call, &json!(text), true, &json!("User rejected tool use"));
    }

    /// A command the human permitted.
    pub(super) fn permit(&mut self, command: &str) {
        let input = json!({"command": command, "description": "Run a command"});
        let call = self.call("Bash", &input);
        let twin = json!({"stdout": "ok", "stderr": "", "interrupted": false, "isImage": false});
        self.result(&call, &json!("ok"), false, &twin);
        if let Some(record) = self.records.last_mut() {
            record["permissionDecision"] =
                json!({"decision": "accept", "source": "user_temporary"});
        }
    }

    fn reject(&mut self, call: &str) {
        let text = format!("{REJECTED} {STOP}");
        self.result(call, &json!(text), true, &json!("User rejected tool use"));
        self.marker("[Request interrupted by user for tool use]");
    }
}
