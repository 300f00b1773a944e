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
