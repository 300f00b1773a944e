//! The real agent CLIs ask and are answered: in prose over two turns, and with a tool. What they write
//! down becomes one row of the ledger.

use crate::machine::{Machine, clis};
use backstory_model::{Flavor, SessionUid};
use backstory_testkit::mock::Mock;
use serde_json::{Value, json};
use std::path::Path;

const QUESTION: &str = "Where should drafts be kept?";
const BRIEF: &str = "D1 — Where should drafts be kept?\n\
                     Recommendation: A, because nothing has to be migrated.\n\
                     A) In files\n\
                     B) In the database";
/// Lets Claude Code ask although it has no terminal.
const ASKING: [&str; 2] = ["--permission-prompt-tool", "stdio"];

/// The ledger after a sync. One more sync leaves it as it is.
fn ledger(machine: &Machine<'_>) -> Vec<Value> {
    machine.backstory(&["sync"]);
    let listed = listed(machine);
    machine.backstory(&["sync"]);
    assert_eq!(self::listed(machine), listed, "one more sync changed the ledger");
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// All of the ledger; nothing in it is no failure here.
fn listed(machine: &Machine<'_>) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_backstory"));
    let mut command = machine.agent.sandbox().command(program);
    let output = command.args(["decisions", "--all", "--limit", "0", "--json"]).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 5)), "{complaint}");
    String::from_utf8(output.stdout).unwrap()
}

/// The only row, which must be of this session.
fn only_row(machine: &Machine<'_>, session: &str) -> Value {
    let rows = ledger(machine);
    let [row] = &rows[..] else { panic!("there should be one row: {rows:#?}") };
    let uid = SessionUid::new(machine.agent.flavor(), session);
    assert_eq!(row["session_uid"], uid.as_str());
    row.clone()
}

/// What was asked: the question and its options, with the recommended one.
fn asked(row: &Value) -> Value {
    let options = row["options"].as_array().unwrap().iter();
    let options: Vec<_> = options
        .map(|option| json!([option["key"], option["label"], option["recommended"]]))
        .collect();
    json!([row["kind"], row["question"], options])
}

/// What was answered: the chosen options, words, and whether they are what was recommended.
fn answered(row: &Value) -> Value {
    let options = row["options"].as_array().unwrap().iter();
    let chosen: Vec<_> =
        options.filter(|option| option["chosen"] == true).map(|option| &option["label"]).collect();
    json!([row["state"], chosen, row["free_text"], row["followed_recommendation"]])
}

fn of_brief() -> Value {
    json!(["question", QUESTION, [["A", "In files", true], ["B", "In the database", false]]])
}

fn database() -> Value {
    json!(["answered", ["In the database"], null, false])
}

#[test]
fn a_brief_answered_in_the_next_turn_is_one_row() {
    for flavor in Flavor::LOGGED {
        let mock = Mock::start().unwrap();
        let machine = Machine::new(flavor, &clis(), &mock);
        let first = machine.agent.run(&format!("Keep my drafts. @@say {BRIEF}@@")).unwrap();
        let open = only_row(&machine, &first.session);
        assert_eq!(asked(&open), of_brief(), "{flavor}");
        assert_eq!(answered(&open), json!(["open", [], null, null]), "{flavor}");

        let second = machine.agent.resume("B").unwrap();
        assert_eq!(second.session, first.session, "{flavor}");
        let row = only_row(&machine, &first.session);
        assert_eq!(asked(&row), of_brief(), "{flavor}");
        assert_eq!(answered(&row), database(), "{flavor}");
        assert_eq!(row["source"], format!("{flavor}-import-pattern"));
        assert_eq!(row["is_preference_key"], false, "{flavor}");
        assert!(row["latency_ms"].as_i64().is_some_and(|latency| latency > 0), "{flavor}: {row}");
        for name in ["address", "question_id", "asked_at"] {
            assert_eq!(row[name], open[name], "{flavor}");
        }
    }
}

#[test]
fn codex_is_answered_in_a_sentence_in_a_paginated_rollout() {
    let mock = Mock::start().unwrap();
    let machine = Machine::new(Flavor::Codex, &clis(), &mock);
    let session = machine.agent.run(&format!("Keep my drafts. @@say {BRIEF}@@")).unwrap().session;
    machine.agent.resume("Put them into the database, please.").unwrap();
    let rollout = fs_err::read_to_string(machine.agent.transcript(&session).unwrap()).unwrap();
    let meta: Value = serde_json::from_str(rollout.lines().next().unwrap()).unwrap();
    assert_eq!(meta["payload"]["history_mode"], "paginated");

    let row = only_row(&machine, &session);
    assert_eq!((asked(&row), answered(&row)), (of_brief(), database()));
    assert_eq!(row["source"], "codex-import-pattern");
    let logged: Value = serde_json::from_str(&machine.backstory(&["decisions", "export"])).unwrap();
    let project = machine.agent.sandbox().project.display().to_string();
    for (name, value) in [
        ("codex_session_id", json!(session)),
        ("codex_cwd", json!(project)),
        ("codex_ts", row["asked_at"].clone()),
        ("source", json!("codex-import-pattern")),
        ("question_id", row["question_id"].clone()),
        ("user_choice", json!("In the database")),
        ("recommended", json!("In files")),
        ("followed_recommendation", json!(false)),
    ] {
        assert_eq!(logged[name], value, "{name}: {logged}");
    }
}

#[test]
fn a_marker_names_the_question_of_codex() {
    let mock = Mock::start().unwrap();
    let machine = Machine::new(Flavor::Codex, &clis(), &mock);
    let brief = format!("{BRIEF}\n<gstack-qid:drafts-place>");
    let session = machine.agent.run(&format!("Keep my drafts. @@say {brief}@@")).unwrap().session;
    machine.agent.resume("B").unwrap();
    let row = only_row(&machine, &session);
    assert_eq!((asked(&row), answered(&row)), (of_brief(), database()));
    assert_eq!(row["source"], "codex-import-marker");
    assert_eq!(row["question_id"], "drafts-place");
    assert_eq!(row["is_preference_key"], true);
}

/// What Claude Code's own tool asks.
fn questions() -> Value {
    json!([{
        "question": QUESTION, "header": "Drafts", "multiSelect": false,
        "options": [
            {"label": "In files (Recommended)", "description": "One for each"},
            {"label": "In the database", "description": "One table"},
        ],
    }])
}

fn ask() -> String {
    let questions = json!({ "questions": questions() });
    format!("Keep my drafts. @@tool AskUserQuestion {questions}@@ @@say So be it.@@")
}

/// Has a hook answer what a machine's Claude Code asks, as a human would in the dialog.
fn answer(machine: &Machine<'_>, label: &str) {
    let home = &machine.agent.sandbox().home;
    let said = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"questions": questions(), "answers": {QUESTION: label}},
    }});
    let answer = home.join("answer.json");
    fs_err::write(&answer, said.to_string()).unwrap();
    let path = home.join(".claude/settings.json");
    let mut settings: Value = serde_json::from_slice(&fs_err::read(&path).unwrap()).unwrap();
    let command = format!("cat '{}'", answer.display());
    let hook = json!({"matcher": "AskUserQuestion",
        "hooks": [{"type": "command", "command": command}]});
    match &mut settings["hooks"]["PreToolUse"] {
        Value::Array(hooks) => hooks.push(hook),
        none => *none = json!([hook]),
    }
    fs_err::write(&path, settings.to_string()).unwrap();
}

#[test]
fn what_the_tool_of_claude_asks_is_one_row() {
    for (label, outcome) in [
        ("In the database", database()),
        ("In files (Recommended)", json!(["answered", ["In files"], null, true])),
        ("On paper", json!(["answered", [], "On paper", false])),
    ] {
        let mock = Mock::start().unwrap();
        let machine = Machine::with(Flavor::Claude, &clis(), &mock, &ASKING);
        answer(&machine, label);
        let session = machine.agent.run(&ask()).unwrap().session;
        let row = only_row(&machine, &session);
        let options = json!([["", "In files", true], ["", "In the database", false]]);
        assert_eq!(asked(&row), json!(["question", QUESTION, options]));
        assert_eq!(answered(&row), outcome);
        assert_eq!(row["source"], "claude-tool");
        assert_eq!(row["header"], "Drafts");
        assert_eq!(row["is_preference_key"], true);
    }
}

#[test]
fn a_tool_that_was_refused_asked_nobody() {
    let mock = Mock::start().unwrap();
    // Without a terminal and anybody to ask, Claude Code has no such tool.
    let machine = Machine::new(Flavor::Claude, &clis(), &mock);
    machine.agent.run(&ask()).unwrap();
    assert_eq!(ledger(&machine), Vec::<Value>::new());
}
