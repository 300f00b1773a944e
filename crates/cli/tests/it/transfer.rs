//! `export` and `import`: what leaves one archive arrives in another, once.

use crate::sandbox::Sandbox;
use serde_json::Value;

/// What a session is, but for where and when this archive came by it.
fn sessions(sandbox: &Sandbox, home: &str) -> Vec<Value> {
    let mut sessions = sandbox.json(&["sessions", "--all", "--json", "--home", home]);
    for session in &mut sessions {
        let session = session.as_object_mut().unwrap();
        for own in ["discovered_at", "ingested_at", "analyzed_at", "source_bytes"] {
            session.remove(own);
        }
    }
    sessions
}

/// Every event with its content, but for where in a pack it lies.
fn events(sandbox: &Sandbox, home: &str) -> Vec<Value> {
    let mut events = Vec::new();
    for session in sessions(sandbox, home) {
        let uid = session["session_uid"].as_str().unwrap();
        let told = sandbox.json(&["show", uid, "--json", "--full", "--home", home]);
        events.extend(told.into_iter().filter(|line| line.get("seq").is_some()));
    }
    for event in &mut events {
        event.as_object_mut().unwrap().remove("payload_ref");
    }
    events
}

#[test]
fn an_archive_moves_whole_and_only_once() {
    let sandbox = Sandbox::with_history();
    let exported = sandbox.run(&["export", "--out", "all.jsonl"]);
    assert_eq!(exported.code, 0, "{exported}");
    let imported = sandbox.run(&["import", "all.jsonl", "--home", "other"]);
    assert_eq!(imported.code, 0, "{imported}");
    assert_eq!(sessions(&sandbox, "other"), sessions(&sandbox, "archive"));
    assert_eq!(events(&sandbox, "other"), events(&sandbox, "archive"));
    assert!(!events(&sandbox, "other").is_empty());
    let again = &sandbox.json(&["import", "all.jsonl", "--home", "other", "--json"])[0];
    assert_eq!((&again["new_sessions"], &again["new_events"]), (&0.into(), &0.into()));
    assert_eq!(sessions(&sandbox, "other"), sessions(&sandbox, "archive"));
    let exported = fs_err::read_to_string(sandbox.home().join("all.jsonl")).unwrap();
    let second = sandbox.run(&["export", "--home", "other"]);
    let changing = |text: &str| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(changing(&second.stdout).len(), changing(&exported).len());
}

#[test]
fn what_is_synced_after_an_import_is_not_stored_again() {
    let mut sandbox = Sandbox::with_history();
    sandbox.run(&["export", "--out", "all.jsonl"]);
    sandbox.run(&["import", "all.jsonl", "--home", "other"]);
    let before = events(&sandbox, "other").len();
    sandbox.set("BACKSTORY_HOME", &sandbox.home().join("other").display().to_string());
    let synced = sandbox.run(&["sync"]);
    assert_eq!(synced.code, 0, "{synced}");
    assert_eq!(events(&sandbox, "other").len(), before, "{synced}");
}

#[test]
fn an_export_is_private_and_a_broken_one_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with_history();
    sandbox.run(&["export", "last", "--out", "one.jsonl"]);
    let path = sandbox.home().join("one.jsonl");
    let mode = fs_err::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut text = fs_err::read_to_string(&path).unwrap();
    text.push_str("{\"type\":\"event\"}\n");
    let lines = text.lines().count();
    sandbox.write("broken.jsonl", &text);
    let broken = sandbox.run(&["import", "broken.jsonl", "--home", "other"]);
    assert_eq!(broken.code, 2, "{broken}");
    assert!(broken.stderr.contains(&format!("broken.jsonl:{lines}: ")), "{broken}");
    sandbox.write("no-export.jsonl", "{\"type\":\"user\"}\n");
    let foreign = sandbox.run(&["import", "no-export.jsonl", "--home", "other"]);
    assert_eq!(foreign.code, 2, "{foreign}");
    let newer = "{\"type\":\"backstory\",\"format\":99}\n";
    sandbox.write("newer.jsonl", newer);
    let newer = sandbox.run(&["import", "newer.jsonl", "--home", "other"]);
    assert!(newer.stderr.contains("newer than this program"), "{newer}");
}

#[test]
fn markdown_tells_every_session() {
    let sandbox = Sandbox::with_history();
    let told = sandbox.run(&["export", "--markdown"]);
    assert_eq!(told.code, 0, "{told}");
    for session in sessions(&sandbox, "archive") {
        let uid = session["session_uid"].as_str().unwrap();
        assert!(told.stdout.contains(uid), "{uid} is missing");
    }
}
