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

struct Reading {
    /// What the human said.
    said: Vec<String>,
    /// What was put there.
    injected: Vec<String>,
    title: Option<String>,
}

fn read(agent: Flavor, prompts: &[&str]) -> Reading {
    let (path, lines) = log(agent, prompts);
    let adapter = of(agent).unwrap();
    let claim = adapter.claim(Path::new(&path)).unwrap();
    let mut reader = adapter.reader(Path::new(&path), &claim);
    let mut batch = Batch::default();
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    reader.begin(text.join("\n").as_bytes());
    for line in &text {
        reader.record(line.as_bytes(), &mut NoAncestry, &mut batch);
    }
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
