//! Every agent's reader against the same prompts: what memory tools put into them is never the human's
//! words, and what says nothing names no session.
#![expect(clippy::unwrap_used, reason = "a test that cannot prepare itself has failed")]

use backstory_adapters::{Batch, NoAncestry, Record, of};
use backstory_model::{EventKind, Flavor, Role};
use serde_json::{Value, json};
use std::path::Path;

const ID: &str = "01990000-0000-7000-8000-00000000000a";

/// Where an agent keeps a session, and the session in which the human says these things.
fn log(agent: Flavor, prompts: &[&str]) -> (String, Vec<Value>) {
    let numbered = prompts.iter().enumerate();
    match agent {
        Flavor::Claude => (
            format!("-w/{ID}.jsonl"),
            numbered
                .map(|(at, text)| {
                    json!({"type": "user", "uuid": format!("u{at}"), "parentUuid": null,
                        "sessionId": ID, "cwd": "/w", "timestamp": "2026-09-01T10:00:00Z",
                        "message": {"role": "user", "content": text}})
                })
                .collect(),
        ),
        Flavor::Codex => {
            let line = |kind: &str, payload: Value| {
                json!({"timestamp": "2026-09-01T10:00:00Z", "type": kind, "payload": payload})
            };
            let meta = json!({"id": ID, "cwd": "/w", "timestamp": "2026-09-01T10:00:00Z",
                "originator": "codex_cli_rs", "cli_version": "0.166.0"});
            let mut lines = vec![line("session_meta", meta)];
            for (at, text) in numbered {
                lines.push(line("event_msg", json!({"type": "task_started", "turn_id": at.to_string()})));
                let parts = json!([{"type": "input_text", "text": text}]);
                lines.push(line(
                    "response_item",
                    json!({"type": "message", "role": "user", "content": parts}),
                ));
                lines.push(line("event_msg", json!({"type": "user_message", "message": text})));
                lines.push(line("event_msg", json!({"type": "task_complete", "turn_id": at.to_string()})));
            }
            (format!("2026/09/01/rollout-2026-09-01T10-00-00-{ID}.jsonl"), lines)
        }
        Flavor::Grok => (
            format!("%2Fw/{ID}/updates.jsonl"),
            numbered
                .map(|(at, text)| {
                    json!({"timestamp": 1_790_000_000, "method": "session/update", "params": {
                        "sessionId": ID,
                        "_meta": {"eventId": format!("{ID}-{at}"), "agentTimestampMs": 1_790_000_000_000_u64},
                        "update": {"sessionUpdate": "user_message_chunk",
                            "content": {"type": "text", "text": text}}}})
                })
                .collect(),
        ),
        Flavor::Pushed => (format!("{ID}.jsonl"), Vec::new()),
    }
}

/// The session in which the agent calls a tool, and what that answers.
fn tool_log(agent: Flavor, (server, tool): (&str, &str), answer: &str) -> (String, Vec<Value>) {
    let (path, mut lines) = log(agent, &["look it up"]);
    match agent {
        Flavor::Claude => {
            let name =
                if server.is_empty() { tool.into() } else { format!("mcp__{server}__{tool}") };
            for (uuid, role, content) in [
                (
                    "u8",
                    "assistant",
                    json!({"type": "tool_use", "id": "c", "name": name, "input": {}}),
                ),
                (
                    "u9",
                    "user",
                    json!({"type": "tool_result", "tool_use_id": "c", "content": answer}),
                ),
            ] {
                lines.push(json!({"type": role, "uuid": uuid, "parentUuid": "u0", "sessionId": ID,
                    "cwd": "/w", "timestamp": "2026-09-01T10:00:01Z",
                    "message": {"role": role, "content": [content]}}));
            }
        }
        Flavor::Codex => {
            let mut call = json!({"type": "function_call", "name": tool, "arguments": "{}",
                "call_id": "c"});
            if !server.is_empty() {
                call["namespace"] = format!("mcp__{server}").into();
            }
            let output = json!({"type": "function_call_output", "call_id": "c", "output": answer});
            for payload in [call, output] {
                lines.push(json!({"timestamp": "2026-09-01T10:00:01Z", "type": "response_item",
                    "payload": payload}));
            }
        }
        Flavor::Grok => {
            let called = json!({"tool_name": format!("{server}__{tool}"), "tool_input": {}});
            let (title, input) =
                if server.is_empty() { (tool, json!({})) } else { ("use_tool", called) };
            for (number, update) in [
                json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": title}),
                json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawInput": input}),
                json!({"sessionUpdate": "tool_call_update", "toolCallId": "c",
                    "status": "completed", "rawOutput": {"output_for_prompt": answer}}),
            ]
            .into_iter()
            .enumerate()
            {
                lines.push(json!({"timestamp": 1_790_000_001, "method": "session/update",
                    "params": {"sessionId": ID, "update": update,
                        "_meta": {"eventId": format!("{ID}-{}", number + 7)}}}));
            }
        }
        Flavor::Pushed => {}
    }
    (path, lines)
}

struct Reading {
    /// What the human said.
    said: Vec<String>,
    /// What was put there.
    injected: Vec<String>,
    title: Option<String>,
}

fn batch(agent: Flavor, (path, lines): (String, Vec<Value>)) -> Batch {
    let adapter = of(agent).unwrap();
    let claim = adapter.claim(Path::new(&path)).unwrap();
    let mut reader = adapter.reader(Path::new(&path), &claim);
    let mut batch = Batch::default();
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    reader.begin(text.join("\n").as_bytes());
    for line in &text {
        reader.record(line.as_bytes(), &mut NoAncestry, &mut batch);
    }
    batch
}

fn read(agent: Flavor, prompts: &[&str]) -> Reading {
    let batch = batch(agent, log(agent, prompts));
    let mut reading = Reading { said: vec![], injected: vec![], title: None };
    for located in batch.records() {
        match &located.record {
            Record::Event(event) if event.role == Role::User => {
                assert_eq!(event.kind, EventKind::UserMsg, "{agent}");
                reading.said.push(batch.get(event.payload).to_owned());
            }
            Record::Event(event) => reading.injected.push(batch.get(event.payload).to_owned()),
            Record::Session(_, patch) => {
                reading.title = patch.title.clone().map(|(_, title)| title).or(reading.title);
            }
            _ => {}
        }
    }
    reading
}

#[test]
fn what_memory_tools_recalled_is_not_what_was_said() {
    for block in [
        "<backstory-context source=\"auto-recall\" format=\"digest\">\nplanted\n</backstory-context>",
        "<openviking-context source=\"startup\">\nplanted\n</openviking-context>",
        "<relevant-memories>\nplanted\n</relevant-memories>",
        "<claude-mem-context>\nplanted\n</claude-mem-context>",
        "OpenViking memory digest:\n- planted (viking://user/x)",
    ] {
        for agent in Flavor::LOGGED {
            let before = format!("{block}\n\nfix the login");
            let behind = format!("and the logout\n\n{block}");
            let reading = read(agent, &[block, &before, &behind]);
            assert_eq!(reading.said, ["fix the login", "and the logout"], "{agent} {block}");
            let kept = reading.injected.iter().filter(|text| text.contains("planted")).count();
            assert_eq!(kept, 3, "{agent} {block}");
            assert_eq!(reading.title.as_deref(), Some("fix the login"), "{agent} {block}");
        }
    }
}

#[test]
fn a_tag_that_is_spoken_of_stays() {
    let prompt = "why does <openviking-context source=\"startup\"> pass through?";
    for agent in Flavor::LOGGED {
        let reading = read(agent, &[prompt]);
        assert_eq!((reading.said, reading.title.as_deref()), (vec![prompt.into()], Some(prompt)));
    }
}

#[test]
fn acks_and_commands_are_kept_but_name_no_session() {
    for agent in Flavor::LOGGED {
        let reading = read(agent, &["ok", "/compact", "好的", "fix the login", "thanks"]);
        assert_eq!(reading.said.len(), 5, "{agent}");
        assert_eq!(reading.title.as_deref(), Some("fix the login"), "{agent}");
    }
}

#[test]
fn what_a_memory_server_told_is_kept_and_no_answer_of_a_tool() {
    let block = "<backstory-context source=\"error\">\nplanted\n</backstory-context>";
    let printed = "make: *** [all] Error 2";
    let both = format!("{printed}\n{block}");
    for agent in Flavor::LOGGED {
        let told = |called: (&str, &str), answer: &str| -> Vec<(EventKind, String)> {
            let batch = batch(agent, tool_log(agent, called, answer));
            let texts = batch.records().iter().filter_map(|located| match &located.record {
                Record::Event(event) => Some((event.kind, batch.get(event.payload).to_owned())),
                _ => None,
            });
            texts.filter(|(_, text)| text.contains("planted") || text.contains(printed)).collect()
        };
        let planted = "2026-08-30: planted (backstory://claude:1/2)";
        let kept = |text: &str| vec![(EventKind::Lifecycle, text.to_owned())];
        assert_eq!(told(("backstory", "search"), planted), kept(planted), "{agent}");
        assert_eq!(told(("", "Bash"), block), kept(block), "{agent}");
        let answer = |text: &str| (EventKind::ToolResult, text.to_owned());
        assert_eq!(told(("docs", "search"), planted), [answer(planted)], "{agent}");
        let apart = [answer(printed), (EventKind::Lifecycle, block.to_owned())];
        assert_eq!(told(("", "Bash"), &both), apart, "{agent}");
    }
}
