//! What plugins do when something fails depends on the status and on single words: they are pinned here.

use crate::running::Running;
use serde_json::{Value, json};

/// Requests nobody should send, and the status each gets.
const WRONG: &[(&str, &str, &str, u16)] = &[
    ("POST", "/api/v1/sessions/cx-1/messages", "{", 400),
    ("POST", "/api/v1/sessions/cx-1/messages", "[]", 400),
    ("POST", "/api/v1/sessions/cx-1/messages", "{}", 400),
    ("POST", "/api/v1/sessions/cx-1/messages", "{\"role\":\"user\"}", 400),
    ("POST", "/api/v1/sessions/cx-1/messages/batch", "{\"messages\":3}", 400),
    ("POST", "/api/v1/sessions/cx-1/messages/batch", "{\"messages\":[{}]}", 400),
    ("POST", "/api/v1/sessions/%ff/messages/batch", "{\"messages\":[]}", 400),
    ("POST", "/api/v1/sessions/__/messages/batch", "{\"messages\":[]}", 400),
    ("POST", "/api/v1/search/search", "{\"mode\":", 400),
    ("POST", "/api/v1/search/search", "\"extra\"", 400),
    ("POST", "/api/v1/search/grep", "{}", 400),
    ("POST", "/api/v1/search/grep", "{\"pattern\":\"x\",\"uri\":\"../etc\"}", 400),
    ("PATCH", "/api/v1/sessions/cx-none/config", "{}", 404),
    ("GET", "/api/v1/sessions/cx-none", "", 404),
    ("GET", "/api/v1/sessions/cx-none/context", "", 404),
    ("GET", "/api/v1/sessions/cx-none/archives/archive_001", "", 404),
    ("GET", "/api/v1/content/read?uri=viking://user/default/memories/none.md", "", 404),
    ("GET", "/api/v1/content/read?uri=file:///etc/passwd", "", 400),
    ("GET", "/api/v1/content/read?uri=viking://~/memories/../../archive.db", "", 400),
    ("GET", "/nowhere", "", 404),
    ("DELETE", "/health", "", 405),
];

#[test]
fn errors_are_structured_and_never_say_what_plugins_misread() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    for (method, path, body, status) in WRONG {
        let body = (!body.is_empty()).then_some(*body);
        let answer = server.ask(method, path, &[], body);
        let error = answer.json();
        let told = format!("{method} {path} {body:?}: {} {error}", answer.status);
        assert_eq!(answer.status, *status, "{told}");
        assert_eq!(error["status"], "error", "{told}");
        assert!(error["error"]["code"].as_str().is_some_and(|code| !code.is_empty()), "{told}");
        assert_eq!(error["error"]["trace_id"], answer.request_id, "{told}");
        assert_eq!(error["error"]["details"]["retryable"], false, "{told}");
        let message = error["error"]["message"].as_str().unwrap().to_lowercase();
        if path.contains("/search/search") {
            for word in ["mode", "extra", "unexpected"] {
                assert!(!message.contains(word), "{told}");
            }
        }
    }
}

#[test]
fn odd_values_are_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    for body in [
        json!({}),
        json!({"query": 7, "mode": "context"}),
        json!({"query": "hello there", "mode": "context", "limit": "ten", "max_tokens": -1}),
        json!({"query": "hello there", "mode": {"x": 1}, "session_id": [], "exclude_uris": "x"}),
        json!({"query": "\u{0}\u{10ffff}".repeat(9000), "mode": "context", "limit": u64::MAX}),
    ] {
        assert_eq!(server.post("/api/v1/search/search", &body).status, 200, "{body}");
    }
    for body in [json!({"keep_recent_count": "all"}), json!({"keep_recent_count": -3}), Value::Null]
    {
        assert_eq!(server.post("/api/v1/sessions/cx-1/commit", &body).status, 200, "{body}");
    }
    for (number, policy) in [json!(3), json!([1]), json!("idle"), Value::Null].iter().enumerate() {
        let create = json!({"session_id": format!("pi-{number}"), "auto_commit_policy": policy});
        let created = server.post("/api/v1/sessions", &create).result();
        assert_eq!(created["auto_commit_policy"], Value::Null, "{policy}");
    }
    let budget = "/api/v1/sessions/cx-1/context?token_budget=lots";
    server
        .post("/api/v1/sessions/cx-1/messages", &json!({"role": "user", "content": "hello there"}));
    assert_eq!(server.get(budget).status, 200);
}

#[test]
fn a_batch_with_one_bad_message_is_not_stored_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let messages =
        json!({"messages": [{"role": "user", "content": "a good one"}, {"role": "user"}]});
    assert_eq!(server.post("/api/v1/sessions/cx-1/messages/batch", &messages).status, 400);
    assert_eq!(server.get("/api/v1/sessions/cx-1").status, 404);
}

#[test]
#[cfg(unix)]
fn a_home_that_cannot_be_written_is_an_error_that_may_pass() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let home = dir.path().join("home");
    fs_err::create_dir_all(&home).unwrap();
    // A file where the folder should be: root may write anywhere, but not below a file.
    fs_err::write(home.join("pushed"), "").unwrap();
    let message = json!({"role": "user", "content": "where does this go"});
    let answer = server.post("/api/v1/sessions/cx-1/messages", &message);
    assert_eq!(
        (answer.status, &answer.json()["error"]["details"]["retryable"]),
        (503, &json!(true))
    );
    fs_err::remove_file(home.join("pushed")).unwrap();
    assert_eq!(server.post("/api/v1/sessions/cx-1/messages", &message).result()["added"], 1);
    let mode = fs_err::metadata(home.join("pushed")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn half_a_character_does_not_fail_a_request() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let batch = r#"{"messages":[{"role":"user","content":"the text is cut here \ud83d"},
        {"role":"assistant","content":"whole \ud83d\ude00, a path C:\\ud83d, turned \ude00\uD83D"}]}"#;
    let path = "/api/v1/sessions/cx-1/messages/batch";
    let added = server.ask("POST", path, &[], Some(batch)).result();
    assert_eq!(added["added"], 2, "{added}");
    let stored = server.get("/api/v1/sessions/cx-1/context").result();
    let text = |at: usize| stored["messages"][at]["parts"][0]["text"].clone();
    assert_eq!(text(0), "the text is cut here \u{fffd}");
    assert_eq!(text(1), "whole 😀, a path C:\\ud83d, turned \u{fffd}\u{fffd}");
    let search = r#"{"query":"why was the text cut \ud83d"}"#;
    assert_eq!(server.ask("POST", "/api/v1/search/search", &[], Some(search)).status, 200);
}

#[test]
fn what_is_nested_too_deeply_is_kept_as_text() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    for levels in [20, 121, 200, 100_000] {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        let batch = format!(
            r#"{{"messages":[{{"role":"user","content":"look into it"}},{{"role":"assistant","parts":
            [{{"type":"tool","tool_id":"c1","tool_name":"eval","tool_input":{open}"the core"{close}}}]}}]}}"#
        );
        let session = format!("/api/v1/sessions/cx-{levels}");
        let added = server.ask("POST", &format!("{session}/messages/batch"), &[], Some(&batch));
        assert_eq!(added.result()["added"], 2, "{levels}");
        let stored = server.get(&format!("{session}/context")).result();
        let input = stored["messages"][1]["parts"][0]["tool_input"].to_string();
        // The middle of a very long one is left out, as of any text.
        assert!(levels > 200 || input.contains("the core"), "{levels}: {input}");
        let torn = server.ask("POST", &format!("{session}/messages/batch"), &[], Some(&open));
        assert_eq!(torn.status, 400, "{levels}");
    }
}

#[test]
fn a_policy_is_kept_as_far_as_it_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let policy = json!({"idle_timeout_seconds": 60, "keep_recent_count": token, "note": token});
    let create = json!({"session_id": "pi-1", "auto_commit_policy": policy});
    let known = json!({"idle_timeout_seconds": 60});
    assert_eq!(server.post("/api/v1/sessions", &create).result()["auto_commit_policy"], known);
    let listed = server.get("/api/v1/sessions");
    assert_eq!(listed.result()[0]["auto_commit_policy"], known);
    assert!(!listed.text.contains(token));
}
