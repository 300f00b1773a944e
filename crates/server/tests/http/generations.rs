//! What plugins of each generation send, in the order they send it, and what they read of the answers.

use crate::running::Running;
use serde_json::{Value, json};

/// A request and what the plugin reads of the answer: pointers into the result and what is there; `*`
/// for anything that is not null.
type Step = (&'static str, &'static str, Value, &'static [(&'static str, &'static str)]);

fn play(server: &Running, steps: &[Step]) {
    for (method, path, body, read) in steps {
        let kind = ("content-type", "application/json");
        let body = (!body.is_null()).then(|| body.to_string());
        let answer = server.ask(method, path, &[kind], body.as_deref());
        let result = answer.result();
        for (pointer, expected) in *read {
            let found = result.pointer(pointer).unwrap_or(&Value::Null);
            let told = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
            let fits = if *expected == "*" { !found.is_null() } else { told == *expected };
            assert!(fits, "{method} {path}: {pointer} is {told}, not {expected}\n{result}");
        }
    }
}

fn text(role: &str, words: &str) -> Value {
    json!({"role": role, "parts": [{"type": "text", "text": words}], "peer_id": "-tmp-p"})
}

fn batch() -> Value {
    json!({"messages": [
        text("user", "Use SQLite WAL for the queue"),
        {"role": "assistant", "peer_id": "-tmp-p", "parts": [{"type": "tool", "tool_id": "c1",
            "tool_name": "shell", "tool_status": "running", "tool_input": {"command": ["ls"]}}]},
        {"role": "user", "peer_id": "-tmp-p", "parts": [{"type": "tool", "tool_id": "c1",
            "tool_name": "shell", "tool_status": "completed", "tool_output": "a.rs\nb.rs"}]},
    ]})
}

#[test]
fn the_first_generation_posts_turn_by_turn() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let turn = "/api/v1/sessions/cx-s1/messages";
    let find = json!({"query": "which database mode did we pick?", "limit": 24,
        "target_uri": "viking://user/default/memories", "score_threshold": 0});
    play(
        &server,
        &[
            ("GET", "/health", Value::Null, &[("/status", "ok"), ("/healthy", "true")]),
            ("GET", "/api/v1/system/status", Value::Null, &[("/user", "default")]),
            (
                "GET",
                "/api/v1/fs/ls?uri=viking%3A%2F%2Fuser&output=original",
                Value::Null,
                &[("/0/name", "default"), ("/0/isDir", "true")],
            ),
            ("POST", "/api/v1/search/find", find, &[("/memories", "[]"), ("/total", "0")]),
            (
                "POST",
                turn,
                json!({"role": "user", "content": "Use SQLite WAL"}),
                &[("/added", "1")],
            ),
            (
                "POST",
                turn,
                json!({"role": "assistant", "content": "Switched the journal to WAL."}),
                &[("/added", "1"), ("/message_count", "2")],
            ),
            // The answer was lost; the plugin posts the turn once more.
            (
                "POST",
                turn,
                json!({"role": "assistant", "content": "Switched the journal to WAL."}),
                &[("/added", "0"), ("/duplicates", "1")],
            ),
            (
                "POST",
                "/api/v1/sessions/cx-s1/commit",
                json!({}),
                &[
                    ("/archived", "true"),
                    ("/status", "accepted"),
                    ("/trace_id", "*"),
                    ("/task_id", "*"),
                ],
            ),
        ],
    );
}

#[test]
fn later_generations_post_in_batches_and_close_by_threshold() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let session = "/api/v1/sessions/cx-s1";
    play(
        &server,
        &[
            (
                "POST",
                "/api/v1/sessions/cx-s1/messages/batch",
                batch(),
                &[("/added", "3"), ("/pending_tokens", "*")],
            ),
            // The whole batch again: nothing is added.
            ("POST", "/api/v1/sessions/cx-s1/messages/batch", batch(), &[("/added", "0")]),
            (
                "GET",
                session,
                Value::Null,
                &[
                    ("/pending_tokens", "*"),
                    ("/commit_count", "0"),
                    ("/total_message_count", "3"),
                    ("/message_count", "3"),
                    ("/session_uid", "codex:s1"),
                ],
            ),
            (
                "POST",
                "/api/v1/sessions/cx-s1/commit",
                json!({"keep_recent_count": 10}),
                &[("/archived", "false"), ("/reason", "all_within_keep_window")],
            ),
            ("POST", "/api/v1/sessions/cx-s1/commit", json!({}), &[("/archived", "true")]),
            ("POST", "/api/v1/sessions/cx-s1/commit", json!({}), &[("/reason", "no_messages")]),
            (
                "GET",
                "/api/v1/sessions/cx-s1/context?token_budget=32000",
                Value::Null,
                &[
                    ("/latest_archive_overview", "*"),
                    ("/pre_archive_abstracts", "[]"),
                    ("/messages", "[]"),
                ],
            ),
            ("GET", session, Value::Null, &[("/commit_count", "1"), ("/pending_tokens", "0")]),
            ("GET", "/api/v1/skills?node_limit=200", Value::Null, &[("/skills", "[]")]),
        ],
    );
    let overview = server.get("/api/v1/sessions/cx-s1/context").result();
    let overview = overview["latest_archive_overview"].as_str().unwrap();
    assert!(overview.contains("Use SQLite WAL for the queue"), "{overview}");
    for section in [
        "Session Title",
        "Current State",
        "Task & Goals",
        "Key Facts & Decisions",
        "Files & Context",
        "Errors & Corrections",
        "Open Issues",
    ] {
        assert!(overview.contains(section), "{section}");
    }
    let narrow = server.get("/api/v1/sessions/cx-s1/context?token_budget=5").result();
    assert_eq!(narrow["latest_archive_overview"], "", "all of it or nothing");
}

#[test]
fn claude_code_puts_several_parts_into_one_message_and_has_subagents() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let messages = json!({"messages": [
        {"role": "assistant", "parts": [{"type": "text", "text": "I look at the files."},
            {"type": "tool", "tool_id": "t1", "tool_name": "Bash", "tool_status": "pending",
             "tool_input": {"command": "ls"}}]},
        {"role": "user", "parts": [{"type": "tool", "tool_id": "t1", "tool_name": "Bash",
            "tool_status": "error", "tool_output": "ls: no such file"}]},
    ]});
    play(
        &server,
        &[
            (
                "POST",
                "/api/v1/sessions/cc-77__subagent-a1/messages/batch",
                messages,
                &[("/added", "2")],
            ),
            (
                "GET",
                "/api/v1/sessions/cc-77__subagent-a1",
                Value::Null,
                &[("/session_uid", "claude:77/a1")],
            ),
            (
                "GET",
                "/api/v1/sessions/cc-77__subagent-a1/context",
                Value::Null,
                &[
                    ("/messages/0/parts/0/text", "I look at the files."),
                    ("/messages/0/parts/1/tool_input/command", "ls"),
                    ("/messages/1/parts/0/tool_status", "error"),
                ],
            ),
        ],
    );
}

#[test]
fn every_form_of_recall_is_answered_also_by_an_empty_archive() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let context = json!({"query": "which database mode did we pick?", "mode": "context",
        "purpose": "coding", "score_threshold": 0.35, "session_id": "cx-s1", "dedup_turns": 5,
        "quotas": {"events": 1}, "max_tokens": 1600, "peer_scope": "actor", "query_expansion": "auto",
        "exclude_uris": [], "rewrite": "auto", "rewrite_max_bullets": 6, "a_field_of_next_year": 1});
    let recall = json!({"query": "which database mode", "quotas": {"events": 5}, "max_chars": 18000,
        "min_score": 0.35, "render": true});
    let list = json!({"query": "which database mode", "limit": 40, "score_threshold": 0,
        "target_uri": "viking://~/skills", "session_id": "cx-s1"});
    let empty =
        &[("/entries", "[]"), ("/rendered", ""), ("/digest", ""), ("/stats/rewrite", "off")];
    play(
        &server,
        &[
            ("POST", "/api/v1/search/search", context, empty),
            ("POST", "/api/v1/search/recall", recall, empty),
            ("POST", "/api/v1/search/search", list, &[("/memories", "[]"), ("/skills", "[]")]),
        ],
    );
}

#[test]
fn sessions_are_created_configured_and_removed() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let policy = json!({"idle_timeout": 60});
    let create = json!({"session_id": "pi-1", "auto_commit_policy": policy});
    play(
        &server,
        &[
            (
                "POST",
                "/api/v1/sessions",
                create.clone(),
                &[
                    ("/session_id", "pi-1"),
                    ("/auto_commit_policy/idle_timeout", "60"),
                    ("/auto_commit_idle_enabled", "true"),
                ],
            ),
            (
                "PATCH",
                "/api/v1/sessions/pi-1/config",
                json!({"auto_commit_policy": {"idle_timeout": 90}}),
                &[("/auto_commit_policy/idle_timeout", "90")],
            ),
        ],
    );
    let again = server.post("/api/v1/sessions", &create);
    assert_eq!((again.status, &again.json()["error"]["code"]), (409, &json!("ALREADY_EXISTS")));
    assert_eq!(server.get("/api/v1/sessions").result()[0]["session_id"], "pi-1");
    let removed = server.ask("DELETE", "/api/v1/sessions/pi-1", &[], None);
    assert_eq!(removed.result()["removed"], true);
    assert_eq!(server.get("/api/v1/sessions/pi-1").status, 404);
}

#[test]
fn a_restart_between_stop_and_resume_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    server.post("/api/v1/sessions/cx-s1/messages/batch", &batch()).result();
    server.post("/api/v1/sessions/cx-s1/commit", &json!({})).result();
    server.post("/api/v1/sessions/cx-s1/messages", &text("user", "And now the reader")).result();
    let before = server.get("/api/v1/sessions/cx-s1/context").result();
    server.end();
    let server = Running::on(dir.path());
    assert_eq!(server.get("/api/v1/sessions/cx-s1/context").result(), before);
    assert_eq!(before["messages"][0]["parts"][0]["text"], "And now the reader");
    let again = server.post("/api/v1/sessions/cx-s1/messages", &text("user", "And now the reader"));
    assert_eq!(again.result()["added"], 0);
    server.end();
}
