//! Sessions of all agents in which one question is asked, by tool or in prose, as native logs.

use crate::sandbox::Sandbox;
use backstory_model::{Flavor, Timestamp};
use serde_json::{Value, json};

/// How a session asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    ClaudeTool,
    ClaudeBrief,
    CodexTool,
    CodexPaginatedBrief,
    CodexMarker,
    GrokTool,
    GrokBrief,
}

const WAYS: [Way; 7] = [
    Way::ClaudeTool,
    Way::CodexPaginatedBrief,
    Way::GrokTool,
    Way::CodexMarker,
    Way::ClaudeBrief,
    Way::CodexTool,
    Way::GrokBrief,
];
const LABELS: [&str; 2] = ["In files", "In the database"];

/// Whether a line is written before the human answers, or then and later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Question,
    Answer,
}
use Moment::{Answer, Question};

type Lines = Vec<(Moment, Value)>;

/// A session of one question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker {
    number: usize,
    /// `2026-10` or `2026-11`.
    month: &'static str,
    way: Way,
}

impl Asker {
    /// The session of that number; the first half of all asks in October, the other in November.
    pub(crate) fn new(number: usize, all: usize) -> Self {
        let month = if number < all / 2 { "2026-10" } else { "2026-11" };
        Self { number, month, way: WAYS[number % WAYS.len()] }
    }

    /// Whether the human takes their time.
    pub(crate) fn hesitates(self) -> bool {
        self.number.is_multiple_of(5)
    }

    /// The session's id in the archive.
    pub(crate) fn uid(self) -> String {
        format!("{}:{}", self.flavor(), self.id())
    }

    pub(crate) fn question(self) -> String {
        format!("Where do the drafts of batch {} go?", self.number)
    }

    /// What the human answers.
    pub(crate) fn choice(self) -> &'static str {
        LABELS[self.picked()]
    }

    pub(crate) fn source(self) -> String {
        let form = match self.way {
            Way::ClaudeTool | Way::CodexTool | Way::GrokTool => "tool",
            Way::CodexMarker => "import-marker",
            Way::ClaudeBrief | Way::CodexPaginatedBrief | Way::GrokBrief => "import-pattern",
        };
        format!("{}-{form}", self.flavor())
    }

    pub(crate) fn is_of_november(self) -> bool {
        self.month == "2026-11"
    }

    /// Writes its log: up to the question, or with the answer.
    pub(crate) fn write(self, sandbox: &Sandbox, with_answer: bool) {
        let lines = match self.flavor() {
            Flavor::Claude => self.claude(),
            Flavor::Codex => self.codex(),
            Flavor::Grok | Flavor::Pushed => self.grok(),
        };
        // A log grows: what it said before the answer stays.
        let kept = lines.iter().filter(|(moment, _)| with_answer || *moment == Question);
        let text: String = kept.flat_map(|(_, line)| [line.to_string(), "\n".to_owned()]).collect();
        let id = self.id();
        match self.flavor() {
            Flavor::Claude => {
                sandbox.write(&format!(".claude/projects/-shop/{id}.jsonl"), &text);
            }
            Flavor::Codex => {
                let folder = self.stamp(0)[..10].replace('-', "/");
                let began = self.stamp(0)[..19].replace(':', "-");
                let path = format!(".codex/sessions/{folder}/rollout-{began}-{id}.jsonl");
                sandbox.write(&path, &text);
            }
            Flavor::Grok | Flavor::Pushed => {
                let folder = format!(".grok/sessions/%2Fshop/{id}");
                sandbox.write(&format!("{folder}/updates.jsonl"), &text);
                let summary = json!({"info": {"id": id, "cwd": "/shop"},
                    "created_at": self.stamp(0), "updated_at": self.stamp(50),
                    "current_model_id": "grok-5-code", "session_kind": "interactive"});
                sandbox.write(&format!("{folder}/summary.json"), &summary.to_string());
            }
        }
    }

    fn flavor(self) -> Flavor {
        match self.way {
            Way::ClaudeTool | Way::ClaudeBrief => Flavor::Claude,
            Way::CodexTool | Way::CodexPaginatedBrief | Way::CodexMarker => Flavor::Codex,
            Way::GrokTool | Way::GrokBrief => Flavor::Grok,
        }
    }

    fn id(self) -> String {
        format!("019a7d3e-5a1e-7c0d-9b0c-{:012x}", self.number)
    }

    fn picked(self) -> usize {
        (self.number / WAYS.len()) % 2
    }

    /// One session a minute, from the third of its month.
    fn stamp(self, second: usize) -> String {
        let (day, minute) = (3 + self.number / 1_440 % 9, self.number % 1_440);
        let (hour, minute) = (minute / 60, minute % 60);
        format!("{}-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z", self.month)
    }

    fn brief(self) -> String {
        let marker = match self.way {
            Way::CodexMarker => format!("\n<gstack-qid:batch-{}>", self.number),
            _ => String::new(),
        };
        let [files, database] = LABELS;
        format!("D1 — {}\nRecommendation: A\nA) {files}\nB) {database}{marker}", self.question())
    }

    fn letter(self) -> &'static str {
        ["A", "B"][self.picked()]
    }

    fn questions(self) -> Value {
        let options = LABELS.map(|label| json!({"label": label, "description": ""}));
        json!({"questions": [{"id": "place", "header": "Drafts", "question": self.question(),
            "options": options}]})
    }

    /// What Claude Code and Grok tell the model of an answer.
    fn told(self) -> String {
        format!(
            "User has answered your questions: \"{}\"=\"{}\". You can now continue with the user's answers in mind.",
            self.question(),
            self.choice()
        )
    }
}

impl Asker {
    fn claude(self) -> Lines {
        let id = self.id();
        let line = |role: &str, second: usize, content: Value| {
            let message = if role == "user" {
                json!({"role": role, "content": content})
            } else {
                json!({"role": role, "type": "message", "id": format!("msg-{id}-{second}"),
                    "model": "claude-opus-5-5", "content": [content],
                    "usage": {"input_tokens": 10, "output_tokens": 20}})
            };
            json!({"type": role, "uuid": format!("{id}-{second}"), "parentUuid": null,
                "sessionId": id, "cwd": "/shop", "version": "2.1.217", "isSidechain": false,
                "userType": "external", "timestamp": self.stamp(second), "message": message})
        };
        let prompt = (Question, line("user", 0, json!("Keep my drafts.")));
        let done = (Answer, line("assistant", 40, json!({"type": "text", "text": "Kept."})));
        if self.way == Way::ClaudeBrief {
            let brief = line("assistant", 5, json!({"type": "text", "text": self.brief()}));
            let answer = line("user", 30, json!(self.letter()));
            return vec![prompt, (Question, brief), (Answer, answer), done];
        }
        let call = format!("toolu_{}", self.number);
        let ask = line(
            "assistant",
            5,
            json!({"type": "tool_use", "id": call, "name": "AskUserQuestion",
                "input": self.questions()}),
        );
        let result = json!([{"type": "tool_result", "tool_use_id": call, "content": self.told()}]);
        let mut answer = line("user", 30, result);
        answer["toolUseResult"] = self.questions();
        answer["toolUseResult"]["answers"] = json!({self.question(): self.choice()});
        vec![prompt, (Question, ask), (Answer, answer), done]
    }

    fn codex(self) -> Lines {
        let (id, is_paginated) = (self.id(), self.way == Way::CodexPaginatedBrief);
        let mut lines = Lines::new();
        let mut line = |moment: Moment, second: usize, kind: &str, payload: Value| {
            let mut line =
                json!({"timestamp": self.stamp(second), "type": kind, "payload": payload});
            if is_paginated {
                line["ordinal"] = json!(lines.len());
            }
            lines.push((moment, line));
        };
        let (version, mode) =
            if is_paginated { ("0.166.0", "paginated") } else { ("0.128.0", "legacy") };
        line(
            Question,
            0,
            "session_meta",
            json!({"id": id, "timestamp": self.stamp(0), "cwd": "/shop", "source": "cli",
                "originator": "codex-tui", "cli_version": version, "history_mode": mode}),
        );
        let mut says = |moment: Moment, second: usize, role: &str, text: &str| {
            let (part, item) = match role {
                "user" => ("input_text", "UserMessage"),
                _ => ("output_text", "AgentMessage"),
            };
            let content = json!([{"type": part, "text": text}]);
            let message = json!({"type": "message", "role": role, "content": content});
            line(moment, second, "response_item", message);
            let mirror = if is_paginated {
                let content = json!([{"type": "text", "text": text}]);
                let item = json!({"type": item, "id": format!("item-{second}"),
                    "content": content});
                json!({"type": "item_completed", "thread_id": id, "item": item})
            } else {
                let kind = if role == "user" { "user_message" } else { "agent_message" };
                json!({"type": kind, "message": text})
            };
            line(moment, second, "event_msg", mirror);
        };
        says(Question, 1, "user", "Keep my drafts.");
        if self.way != Way::CodexTool {
            says(Question, 5, "assistant", &self.brief());
            says(Answer, 30, "user", self.letter());
            says(Answer, 40, "assistant", "Kept.");
            return lines;
        }
        let call = format!("call_{}", self.number);
        let arguments = self.questions().to_string();
        let ask = json!({"type": "function_call", "name": "request_user_input",
            "arguments": arguments, "call_id": call});
        line(Question, 5, "response_item", ask);
        let given = json!({"answers": {"place": {"answers": [self.choice()]}}}).to_string();
        let answer = json!({"type": "function_call_output", "call_id": call, "output": given});
        line(Answer, 30, "response_item", answer);
        lines
    }

    fn grok(self) -> Lines {
        let id = self.id();
        let line = |second: usize, kind: &str, fields: Value| {
            let at = Timestamp::parse(&self.stamp(second)).unwrap().0;
            let mut update = fields;
            update["sessionUpdate"] = json!(kind);
            let meta = json!({"eventId": format!("{id}-{second}"), "agentTimestampMs": at,
                "promptId": format!("{id}-prompt")});
            json!({"timestamp": at / 1_000, "method": "session/update",
                "params": {"sessionId": id, "update": update, "_meta": meta}})
        };
        let says = |second: usize, kind: &str, text: &str| {
            line(second, kind, json!({"content": {"type": "text", "text": text}}))
        };
        let asks = |words: &str| format!("<user_query>\n{words}\n</user_query>");
        let prompt = (Question, says(0, "user_message_chunk", &asks("Keep my drafts.")));
        let done = (Answer, says(40, "agent_message_chunk", "Kept."));
        if self.way == Way::GrokBrief {
            let brief = says(5, "agent_message_chunk", &self.brief());
            let answer = says(30, "user_message_chunk", &asks(self.letter()));
            return vec![prompt, (Question, brief), (Answer, answer), done];
        }
        let call = format!("call-{}", self.number);
        let tool = json!({"x.ai/tool": {"version": 1, "name": "ask_user_question",
            "kind": "other", "namespace": "grok_build"}});
        let ask = line(
            5,
            "tool_call",
            json!({"toolCallId": call, "title": "ask_user_question", "kind": "other",
                "rawInput": self.questions(), "_meta": tool}),
        );
        let content = json!([{"type": "content",
            "content": {"type": "text", "text": self.told()}}]);
        let answer = line(
            30,
            "tool_call_update",
            json!({"toolCallId": call, "status": "completed", "content": content}),
        );
        vec![prompt, (Question, ask), (Answer, answer), done]
    }
}
