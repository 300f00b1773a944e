//! The real agent CLIs write what the recordings say they do.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::collections::BTreeMap;
use std::path::Path;

use backstory_model::{Flavor, Usage};
use backstory_testkit::agents::{Part, RecordedSession, Recording, record_all, total};
use serde_json::Value;

/// One run for all assertions: it starts twelve programs.
#[test]
fn every_agent_writes_the_scripted_history() {
    let directory = tempfile::tempdir().unwrap();
    let recordings = record_all(directory.path()).unwrap_or_else(|error| {
        panic!("The real agent CLIs are part of the tests and could not be run.\n{error}")
    });
    let flavors: Vec<Flavor> = recordings.iter().map(|r| r.flavor).collect();
    assert_eq!(flavors, Flavor::LOGGED);
    for recording in &recordings {
        check_script(recording);
        check_ledger(recording);
        for session in &recording.sessions {
            check_layout(recording, session);
            check_words(recording.flavor, session);
            check_exit_codes(recording.flavor, session);
            check_tokens(recording.flavor, session);
        }
    }
}

fn check_script(recording: &Recording) {
    let [main, child, fork] = &recording.sessions;
    assert_eq!([main.part, child.part, fork.part], [Part::Main, Part::SubAgent, Part::Fork]);
    let counts = |s: &RecordedSession| (s.prompts.len(), s.answers.len(), s.thoughts.len());
    assert_eq!(counts(main), (3, 3, 1), "{main:#?}");
    assert_eq!(counts(child), (1, 1, 0), "{child:#?}");
    assert_eq!(counts(fork), (1, 1, 0), "{fork:#?}");
    let ends = |s: &RecordedSession| -> Vec<i32> {
        s.tools.iter().filter_map(|tool| tool.exit_code).collect()
    };
    assert_eq!((ends(main), ends(child), ends(fork)), (vec![0, 3], vec![0], vec![4]));
    let delegating: Vec<&str> =
        main.tools.iter().filter(|t| t.command.is_none()).map(|t| t.name.as_str()).collect();
    let expected: &[&str] = match recording.flavor {
        Flavor::Claude => &["Agent"],
        Flavor::Codex => &["spawn_agent", "wait_agent"],
        Flavor::Grok => &["spawn_subagent"],
        Flavor::Pushed => &[],
    };
    assert_eq!(delegating, expected);
}

/// Every answer that is not an aside belongs to one session, and nothing else was asked.
fn check_ledger(recording: &Recording) {
    let answers = recording.ledger.iter().filter(|answer| !answer.aside);
    let input: u64 = answers.clone().map(|answer| answer.usage.input).sum();
    let output: u64 = answers.map(|answer| answer.usage.output).sum();
    assert_eq!((recording.usage().input, recording.usage().output), (input, output));
    let known = ["/v1/messages", "/v1/responses", "/v1/chat/completions", "/v1/models", "/"];
    for request in &recording.requests {
        let path = request.split(' ').nth(1).unwrap();
        assert!(known.contains(&path), "{} asked for {request}", recording.flavor);
    }
}

fn check_layout(recording: &Recording, session: &RecordedSession) {
    let [main, ..] = &recording.sessions;
    let file = session.file.strip_prefix(&recording.sandbox.home).unwrap().to_str().unwrap();
    let parts: Vec<&str> = file.split('/').collect();
    let id = session.id.as_str();
    match (recording.flavor, session.part) {
        (Flavor::Claude, Part::SubAgent) => {
            let [".claude", "projects", _, parent, "subagents", name] = parts.as_slice() else {
                panic!("{file}");
            };
            assert_eq!((*parent, *name), (main.id.as_str(), &*format!("agent-{id}.jsonl")));
        }
        (Flavor::Claude, _) => {
            let [".claude", "projects", _, name] = parts.as_slice() else { panic!("{file}") };
            assert_eq!(*name, format!("{id}.jsonl"));
        }
        (Flavor::Codex, _) => {
            let [".codex", "sessions", _, _, _, name] = parts.as_slice() else { panic!("{file}") };
            assert!(name.starts_with("rollout-") && name.ends_with(&format!("-{id}.jsonl")));
        }
        (Flavor::Grok, _) => {
            let [".grok", "sessions", _, directory, "updates.jsonl"] = parts.as_slice() else {
                panic!("{file}");
            };
            assert_eq!(*directory, id);
        }
        (Flavor::Pushed, _) => panic!("{file}"),
    }
}

fn check_words(flavor: Flavor, session: &RecordedSession) {
    let text = fs_err::read_to_string(&session.file).unwrap();
    let calls = session.tools.iter().map(|tool| &tool.call_id);
    let commands = session.tools.iter().filter_map(|tool| tool.command.as_ref());
    let words = session.prompts.iter().chain(&session.answers).chain(&session.thoughts);
    for word in words.chain(calls).chain(commands) {
        let escaped = serde_json::to_string(word).unwrap();
        let inner = escaped.trim_matches('"');
        assert!(text.contains(inner), "{flavor} {:?}: {word}", session.part);
    }
}

fn records(file: &Path) -> Vec<Value> {
    let text = fs_err::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check_exit_codes(flavor: Flavor, session: &RecordedSession) {
    let records = records(&session.file);
    for tool in &session.tools {
        let Some(expected) = tool.exit_code else { continue };
        let found: Vec<i64> =
            records.iter().filter_map(|r| exit_code(flavor, r, &tool.call_id)).collect();
        assert_eq!(found, [i64::from(expected)], "{flavor} {:?} {tool:?}", session.part);
    }
}

fn exit_code(flavor: Flavor, record: &Value, call: &str) -> Option<i64> {
    match flavor {
        Flavor::Claude => {
            let result = &record["message"]["content"][0];
            let said = (result["tool_use_id"] == call).then(|| result["content"].as_str())??;
            let code = said.strip_prefix("Exit code ").and_then(|rest| rest.lines().next());
            assert_eq!(result["is_error"], code.is_some());
            Some(code.map_or(0, |code| code.parse().unwrap()))
        }
        Flavor::Codex => {
            let item = &record["payload"]["item"];
            (item["id"] == call).then(|| item["exit_code"].as_i64())?
        }
        Flavor::Grok => {
            let update = &record["params"]["update"];
            (update["toolCallId"] == call).then(|| update["rawOutput"]["exit_code"].as_i64())?
        }
        Flavor::Pushed => None,
    }
}

fn check_tokens(flavor: Flavor, session: &RecordedSession) {
    let label = format!("{flavor} {:?}", session.part);
    match flavor {
        Flavor::Claude => assert_eq!(claude_usage(&session.file), session.stated, "{label}"),
        Flavor::Codex => {
            let records = records(&session.file);
            let own = records.iter().filter(|r| r["type"] == "token_usage_record");
            let own = own.map(|r| codex_usage(&r["payload"]["usage"]));
            assert_eq!(total(own), session.usage, "{label}");
            let mut totals = records.iter().map(|r| &r["payload"]["info"]["total_token_usage"]);
            let last = totals.rfind(|last| last.is_object()).unwrap();
            assert_eq!(codex_usage(last), session.stated, "{label}");
        }
        Flavor::Grok => {
            let file = session.file.with_file_name("usage.json");
            let usage: Value = serde_json::from_slice(&fs_err::read(file).unwrap()).unwrap();
            assert_eq!(grok_usage(&usage["session"]), session.stated, "{label}");
            let turns = records(&session.file).into_iter().map(|r| r["params"]["update"].clone());
            let turns = turns.filter(|update| update["sessionUpdate"] == "turn_completed");
            let turns = turns.map(|update| grok_usage(&update["usage"]));
            assert_eq!(total(turns), session.stated, "{label}");
        }
        Flavor::Pushed => panic!("{label}"),
    }
}

fn claude_usage(file: &Path) -> Usage {
    let messages = records(file).into_iter().filter(|r| r["type"] == "assistant");
    let by_id: BTreeMap<String, Usage> = messages
        .map(|record| {
            let message = &record["message"];
            let used = &message["usage"];
            let written = &used["cache_creation"];
            let usage = Usage {
                input: number(&used["input_tokens"]),
                output: number(&used["output_tokens"]),
                cache_read: number(&used["cache_read_input_tokens"]),
                cache_write_5m: number(&written["ephemeral_5m_input_tokens"]),
                cache_write_1h: number(&written["ephemeral_1h_input_tokens"]),
                reasoning: 0,
            };
            (message["id"].as_str().unwrap().to_owned(), usage)
        })
        .collect();
    total(by_id.into_values())
}

fn codex_usage(used: &Value) -> Usage {
    let cache_read = number(&used["cached_input_tokens"]);
    let cache_write_5m = number(&used["cache_write_input_tokens"]);
    Usage {
        input: number(&used["input_tokens"]) - cache_read - cache_write_5m,
        output: number(&used["output_tokens"]),
        cache_read,
        cache_write_5m,
        cache_write_1h: 0,
        reasoning: number(&used["reasoning_output_tokens"]),
    }
}

fn grok_usage(used: &Value) -> Usage {
    let cache_read = number(&used["cachedReadTokens"]);
    Usage {
        input: number(&used["inputTokens"]) - cache_read,
        output: number(&used["outputTokens"]),
        cache_read,
        cache_write_5m: number(&used["cacheCreationTokens"]),
        cache_write_1h: 0,
        reasoning: number(&used["reasoningTokens"]),
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("a number was expected, not {value}"))
}
