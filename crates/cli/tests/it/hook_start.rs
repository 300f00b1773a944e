//! What hooks hand over when a session or a sub-agent begins, and what other beginnings and ends come to.

use crate::hooked::{
    ONE, THREE, TWO, codex, command, finished, hook, log, run, sandbox, sealed, seals, sent,
};
use crate::sandbox::{NOW, Sandbox};
use backstory_model::Flavor;
use serde_json::{Value, json};

const RULE: &str = "Always run make check before you commit.";
const REQUEST: &str = "The invoice lacks the number of the customer, please add it.";
const ERROR: &str = "error: no such table: invoices";

/// A session of Claude Code in which a command failed, something was changed, and the command worked.
fn worked(id: &str, day: u32, request: &str, file: &str) -> String {
    let call = |number: u32, name: &str, input: Value| json!([{"type": "tool_use", "id": format!("{id}-call-{number}"), "name": name, "input": input}]);
    let result = |number: u32, failed: bool, text: &str| {
        json!([{"type": "tool_result", "tool_use_id": format!("{id}-call-{number}"),
            "is_error": failed, "content": text}])
    };
    let import = json!({"command": "cargo run --bin import"});
    let edit = json!({"file_path": format!("/shop/{file}"), "old_string": "a", "new_string": "b"});
    let said = [
        ("user", json!(format!("{request} {RULE}"))),
        ("assistant", call(1, "Bash", import.clone())),
        ("user", result(1, true, &format!("Exit code 1\n{ERROR}"))),
        ("assistant", call(2, "Edit", edit)),
        ("user", result(2, false, "The file has been updated")),
        ("assistant", call(3, "Bash", import)),
        ("user", result(3, false, "imported")),
        ("assistant", json!([{"type": "text", "text": "It is there now."}])),
    ];
    let line = |(at, (role, content)): (usize, &(&str, Value))| {
        json!({"type": role, "uuid": format!("{id}-{at}"), "sessionId": id, "cwd": "/shop",
            "parentUuid": at.checked_sub(1).map(|at| format!("{id}-{at}")), "version": "2.1.217",
            "isSidechain": false, "userType": "external",
            "timestamp": format!("2026-11-{day}T10:00:{at:02}.000Z"),
            "message": {"role": role, "content": content}})
        .to_string()
            + "\n"
    };
    said.iter().enumerate().map(line).collect()
}

/// A user who did two things in a project.
fn with_work() -> Sandbox {
    let sandbox = sandbox();
    for (id, day, request, file) in [
        ("stock001", 12, "Show the stock of every warehouse on one page.", "stock.rs"),
        ("invoice1", 13, REQUEST, "invoice.rs"),
    ] {
        let log = worked(id, day, request, file);
        sandbox.write(&format!(".claude/projects/-shop/{id}.jsonl"), &log);
    }
    run(&sandbox, &["sync"], NOW);
    sandbox
}

/// What an agent is answered.
fn answered(sandbox: &Sandbox, agent: Flavor, event: &str, id: &str, more: &Value) -> Value {
    let mut sent = sent(sandbox, agent, event, id, more);
    if agent == Flavor::Grok {
        // Its own spelling, by which it is told from the others.
        sent = sent.replacen("\"hook_event_name\"", "\"hookEventName\"", 1);
    }
    finished(command(sandbox, agent, event, 0), &sent)
}

fn context(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

#[test]
fn a_session_that_begins_is_told_of_its_project() {
    let sandbox = with_work();
    let begin = |agent, id, source: &str| {
        answered(&sandbox, agent, "SessionStart", id, &json!({"source": source}))
    };
    let first = begin(Flavor::Claude, ONE, "startup");
    assert_eq!(first["hookSpecificOutput"]["hookEventName"], "SessionStart");
    let told = context(&first).to_owned();
    assert!(told.starts_with("<backstory-context source=\"session-start\""), "{first}");
    for words in
        [RULE, ERROR, "The invoice lacks", "changed stock.rs", "backstory://claude:invoice1"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
    // The same bytes for whoever begins, so that prompt caches survive; what a user can look up, too.
    assert_eq!(context(&begin(Flavor::Codex, TWO, "clear")), told);
    assert_eq!(context(&begin(Flavor::Claude, ONE, "startup")), told);
    let mut shown = sandbox.command(&["recall", "--project", "/shop"]);
    shown.env("BACKSTORY_NOW", "2027-01-01T00:00:00Z");
    assert_eq!(sandbox.finish(shown).stdout.trim_end(), told);
    // A copy knows what it was copied from, and Grok hears nothing at a beginning.
    assert_eq!(begin(Flavor::Claude, THREE, "fork"), json!({}));
    assert_eq!(begin(Flavor::Grok, THREE, "new"), json!({}));
    let why = sandbox.json(&["why", "1", "--json"]);
    assert_eq!((&why[0]["event"], &why[0]["prompt"]), (&json!("SessionStart"), &json!("")));
    let items = why[0]["items"].as_array().unwrap();
    assert!(items.iter().all(|item| item["why"].as_str().unwrap().contains("this project")));
    assert_eq!(why[0]["bytes"], told.len());
}

#[test]
fn the_first_prompt_hears_only_what_the_beginning_did_not_tell() {
    let sandbox = with_work();
    let prompt = json!({"prompt": "the invoice still lacks the number of the customer in German"});
    let ask = |id: &str| answered(&sandbox, Flavor::Claude, "UserPromptSubmit", id, &prompt);
    assert!(context(&ask(TWO)).contains("The invoice lacks the number"));
    answered(&sandbox, Flavor::Claude, "SessionStart", ONE, &json!({"source": "startup"}));
    let asked = ask(ONE);
    assert!(!context(&asked).contains("The invoice lacks the number"), "{asked}");
}

#[test]
fn whoever_wants_to_hear_nothing_at_the_beginning_hears_nothing() {
    let mut sandbox = with_work();
    let source = json!({"source": "startup"});
    assert_eq!(sandbox.run(&["mute", "/shop"]).code, 0);
    assert_eq!(answered(&sandbox, Flavor::Claude, "SessionStart", ONE, &source), json!({}));
    assert_eq!(sandbox.run(&["mute", "/shop", "--undo"]).code, 0);
    sandbox.set("BACKSTORY_START_INJECT", "0");
    assert_eq!(answered(&sandbox, Flavor::Claude, "SessionStart", ONE, &source), json!({}));
    let subagent = json!({"agent_id": "a1", "agent_type": "Explore"});
    assert_eq!(answered(&sandbox, Flavor::Claude, "SubagentStart", ONE, &subagent), json!({}));
    assert_eq!(sandbox.json(&["why", "--json"]), [Value::Null]);
}

#[test]
fn a_sub_agent_has_ears_of_its_own() {
    let sandbox = with_work();
    let subagent = json!({"agent_id": "a1", "agent_type": "Explore"});
    for agent in [Flavor::Claude, Flavor::Codex] {
        let begun = answered(&sandbox, agent, "SubagentStart", ONE, &subagent);
        let told = context(&begun);
        assert!(told.contains(RULE) && told.contains(ERROR), "{begun}");
        assert!(!told.contains("[digest]"), "{begun}");
    }
    assert_eq!(answered(&sandbox, Flavor::Grok, "SubagentStart", ONE, &subagent), json!({}));
    let failure = json!({"tool_name": "Bash", "tool_input": {"command": "import"},
        "error": format!("Exit code 1\n{ERROR}")});
    let mut inside = failure.clone();
    inside["agent_id"] = "a2".into();
    inside["agent_type"] = "Explore".into();
    let fails = |failure: &Value| {
        let answer = answered(&sandbox, Flavor::Claude, "PostToolUseFailure", ONE, failure);
        context(&answer).contains("invoice.rs")
    };
    // The session and its sub-agent hear of the fix, each once.
    assert_eq!([fails(&failure), fails(&inside)], [true, true]);
    assert_eq!([fails(&failure), fails(&inside)], [false, false]);
    let told = sandbox.json(&["why", "--list", "--json"]);
    let told: Vec<&str> = told.iter().map(|one| one["session_uid"].as_str().unwrap()).collect();
    assert_eq!(told[..2], [format!("claude:{ONE}/a2"), format!("claude:{ONE}")]);
}

#[test]
fn what_was_told_before_a_compaction_may_be_told_again() {
    let mut sandbox = with_work();
    sandbox.set("BACKSTORY_RESUME_INJECT", "0");
    let failure = json!({"tool_name": "Bash", "tool_input": {"command": "import"},
        "error": format!("Exit code 1\n{ERROR}"),
        "tool_response": {"exit_code": 1, "output": ERROR}});
    for (agent, id, failed, compacted) in [
        (Flavor::Claude, ONE, "PostToolUseFailure", ("SessionStart", json!({"source": "compact"}))),
        (Flavor::Codex, TWO, "PostToolUse", ("PostCompact", json!({"trigger": "auto"}))),
        (Flavor::Grok, THREE, "PostToolUse", ("PostCompact", json!({"source": "auto"}))),
    ] {
        let fails = || {
            let answer = answered(&sandbox, agent, failed, id, &failure);
            context(&answer).contains("invoice.rs")
        };
        assert_eq!((fails(), fails()), (true, false), "{agent}");
        let answer = answered(&sandbox, agent, compacted.0, id, &compacted.1);
        assert_eq!((answer, fails()), (json!({}), true), "{agent}");
    }
}

#[test]
fn a_stopped_turn_is_a_sign_of_life_and_no_end() {
    let sandbox = sandbox();
    sandbox.write(&log(Flavor::Codex, ONE), &codex(ONE, "Make the cache expire"));
    let told = |event: &str, ago, more| hook(&sandbox, Flavor::Codex, event, ONE, (ago, more));
    told("UserPromptSubmit", 40, json!({"prompt": "ok", "turn_id": "t1"}));
    told("Interrupt", 30, json!({"turn_id": "t1"}));
    run(&sandbox, &["commit", "--pending"], NOW);
    assert!(seals(&sandbox, Flavor::Codex, ONE).is_empty());
    let live = |sandbox: &Sandbox| sandbox.json(&["status", "--json"])[0]["live"].clone();
    assert_eq!(live(&sandbox), json!({"sessions": 1, "waiting": 0}));
    told("SessionEnd", 0, json!({"reason": "other"}));
    assert_eq!(sealed(&sandbox, Flavor::Codex, ONE), ["ended"]);
}

#[test]
fn sub_agents_of_grok_leave_their_session_alone() {
    let sandbox = sandbox();
    run(&sandbox, &["sync"], NOW);
    let begin = |event: &str, more: &Value| {
        assert_eq!(answered(&sandbox, Flavor::Grok, event, ONE, more), json!({}), "{event}");
    };
    begin("UserPromptSubmit", &json!({"prompt": "ok"}));
    let subagent = json!({"subagentId": "s1", "subagentType": "general", "description": "Look"});
    begin("SubagentStart", &subagent);
    begin("SubagentStop", &subagent);
    // Its hooks name no session of the sub-agent's own; its session goes on.
    let status = &sandbox.json(&["status", "--json"])[0];
    assert_eq!(status["live"], json!({"sessions": 1, "waiting": 0}));
}

#[test]
fn nothing_is_said_in_json_to_whoever_asked_for_json() {
    let sandbox = sandbox();
    run(&sandbox, &["sync"], NOW);
    for command in [&["why"][..], &["why", "--list"], &["mute"], &["mute", "--list"]] {
        let run = sandbox.run(&[command, &["--json"]].concat());
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (5, "null\n", ""));
        let run = sandbox.run(command);
        assert_eq!((run.code, run.stdout.as_str()), (5, ""), "{run}");
        assert!(!run.stderr.is_empty(), "{run}");
    }
    assert_eq!(sandbox.run(&["mute", "--undo"]).code, 2);
    assert_eq!(sandbox.run(&["mute", "/shop"]).code, 0);
    let muted = sandbox.json(&["mute", "--json"]);
    assert_eq!((muted.len(), &muted[0]["name"]), (1, &json!("/shop")));
}
