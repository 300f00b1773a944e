//! What Codex writes when it asks the human.

use super::Rollout;
use crate::eval::render::chosen;
use serde_json::{Map, Value, json};

impl Rollout<'_> {
    /// The question tool. Its questions have ids, and what is typed is a note.
    pub(super) fn questions(&mut self, questions: &Value, answers: Option<&Value>, declined: bool) {
        let mut asked = questions.clone();
        for (at, question) in asked.as_array_mut().into_iter().flatten().enumerate() {
            question["id"] = json!(format!("question_{}", at + 1));
        }
        let call = self.call("request_user_input", &json!({"questions": asked}));
        if answers.is_none() && !declined {
            self.pending = Some(call);
            return;
        }
        let mut filed = Map::new();
        for (at, question) in asked.as_array().into_iter().flatten().enumerate() {
            let text = question["question"].as_str().unwrap_or_default();
            let given =
                answers.and_then(|answers| answers.get(text)).map(chosen).unwrap_or_default();
            let labels: Vec<&str> = question["options"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|option| option["label"].as_str())
                .collect();
            let mut list: Vec<String> = Vec::new();
            for value in given {
                if labels.contains(&value.as_str()) {
                    list.push(value);
                } else {
                    list.push("None of the above".to_owned());
                    list.push(format!("user_note: {value}"));
                }
            }
            filed.insert(format!("question_{}", at + 1), json!({"answers": list}));
        }
        self.output(&call, &json!({"answers": filed}).to_string());
    }

    /// A plan of plan mode; the dialog that asks for approval is not logged.
    pub(super) fn plan(&mut self, plan: &str, approved: bool, words: Option<&str>) {
        self.ids += 1;
        let id = format!("plan_{:06x}{:06x}", self.scene.number, self.ids);
        self.completed(&json!({"type": "Plan", "id": id, "text": plan}));
        self.complete();
        match words {
            None if approved => self.prompt("Implement the plan."),
            None => {}
            Some(words) => self.prompt(words),
        }
    }

    /// An item people see.
    pub(super) fn completed(&mut self, item: &Value) {
        let at = self.clock.now;
        self.event(&json!({"type": "item_completed", "thread_id": self.thread,
            "turn_id": self.turn, "item": item, "started_at_ms": at, "completed_at_ms": at + 40}));
    }
}
