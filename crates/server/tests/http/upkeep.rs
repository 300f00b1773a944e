//! What the server does unasked, and what a server does for one that was killed.

use crate::running::{BEGAN, Running, home, logged, projects, until};
use backstory_engine::live::{Happening, Knobs, LiveEvent, note};
use backstory_engine::pushed::{Journal, Limits};
use backstory_model::{Flavor, SealReason, SessionUid, Timestamp};
use backstory_server::Options;
use backstory_store::Vault;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Why a session was sealed in the archive, each time.
fn seals(dir: &Path, uid: &str) -> Vec<SealReason> {
    let Ok(vault) = Vault::open(&home(dir)) else { return Vec::new() };
    let seals = vault.seals_of(&SessionUid::from_stored(uid.into())).unwrap_or_default();
    seals.into_iter().map(|seal| seal.reason).collect()
}

#[test]
fn what_a_killed_server_sealed_is_taken_in_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let killed = Running::on(dir.path());
    for id in ["cx-1", "oc-2"] {
        let message = json!({"role": "user", "content": format!("what {id} says of the harbour")});
        killed.post(&format!("/api/v1/sessions/{id}/messages"), &message).result();
    }
    killed.post("/api/v1/sessions/cx-1/commit", &json!({})).result();
    let journal = Journal::new(home(dir.path()), Limits::default());
    journal.seal("oc-2", 0, "idle", Timestamp(BEGAN)).unwrap();
    killed.end();
    assert_eq!(seals(dir.path(), "codex:1"), []);
    let _next = Running::with(dir.path(), |options| Options { sweeps: true, ..options });
    until("sealed", || !seals(dir.path(), "codex:1").is_empty());
    assert_eq!(seals(dir.path(), "codex:1"), [SealReason::Asked]);
    assert_eq!(seals(dir.path(), "pushed:oc-2"), [SealReason::Idle]);
}

fn say(server: &Running, id: &str, texts: &[&str]) {
    let said = |text: &&str| json!({"role": "user", "content": text});
    let messages = json!({"messages": texts.iter().map(said).collect::<Vec<_>>()});
    server.post(&format!("/api/v1/sessions/{id}/messages/batch"), &messages).result();
}

fn begin(server: &Running, id: &str, policy: &Value) -> Value {
    let asked = json!({"session_id": id, "auto_commit_policy": policy});
    server.post("/api/v1/sessions", &asked).result()
}

fn look(server: &Running, id: &str) -> Value {
    server.get(&format!("/api/v1/sessions/{id}")).result()
}

#[test]
fn a_session_is_sealed_once_it_has_as_much_as_its_plugin_said() {
    let dir = tempfile::tempdir().unwrap();
    let server = Running::on(dir.path());
    begin(&server, "pi-1", &json!({"message_count_threshold": 3, "keep_recent_count": 1}));
    say(&server, "pi-1", &["one of the cranes", "two of the tugs"]);
    assert_eq!(look(&server, "pi-1")["commit_count"], 0);
    say(&server, "pi-1", &["three of the quays"]);
    let sealed = look(&server, "pi-1");
    assert_eq!((&sealed["commit_count"], &sealed["message_count"]), (&json!(1), &json!(1)));
    server.end();
    // What was said holds for the next server, also if something else is said of the session.
    let server = Running::on(dir.path());
    let other = server.ask("PATCH", "/api/v1/sessions/pi-1/config", &[], Some("{\"other\": 1}"));
    assert_eq!(other.result()["auto_commit_policy"]["message_count_threshold"], 3);
    say(&server, "pi-1", &["four of the berths", "five of the ropes"]);
    assert_eq!(look(&server, "pi-1")["commit_count"], 2);
    begin(&server, "pi-2", &json!({"pending_token_threshold": 20}));
    say(&server, "pi-2", &["short"]);
    assert_eq!(look(&server, "pi-2")["commit_count"], 0);
    say(&server, "pi-2", &[&"a longer message about ships ".repeat(9)]);
    let sealed = look(&server, "pi-2");
    assert_eq!((&sealed["commit_count"], &sealed["pending_tokens"]), (&json!(1), &json!(0)));
    // Whoever says nothing asks for nothing.
    say(&server, "pi-3", &["one", "two", &"a longer message about ships ".repeat(9)]);
    assert_eq!(look(&server, "pi-3")["commit_count"], 0);
}

#[test]
fn an_idle_session_is_sealed_when_its_plugin_said() {
    let dir = tempfile::tempdir().unwrap();
    let often = Duration::from_millis(20);
    let server = Running::with(dir.path(), |options| Options { look: often, ..options });
    let policies = [
        ("pi-early", json!({"idle_timeout_seconds": 60}), true),
        ("pi-usual", json!({}), true),
        ("pi-late", json!({"idle_timeout_seconds": 7200}), true),
        ("pi-never", json!({"idle_timeout_seconds": 0}), false),
        ("pi-off", json!(null), false),
    ];
    for (id, policy, is_enabled) in &policies {
        assert_eq!(begin(&server, id, policy)["auto_commit_idle_enabled"], *is_enabled, "{id}");
        say(&server, id, &["then nothing more was heard"]);
        assert_eq!(look(&server, id)["auto_commit_idle_enabled"], *is_enabled, "{id}");
    }
    // Files have the system's own time.
    let real = fs_err::metadata(dir.path()).unwrap().modified().unwrap();
    let real = real.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64;
    let sealed = || -> Vec<&str> {
        let is_sealed = |id: &&str| look(&server, id)["commit_count"] == 1;
        policies.iter().map(|(id, ..)| *id).filter(is_sealed).collect()
    };
    for (minutes, expected) in [
        (2, &["pi-early"][..]),
        (32, &["pi-early", "pi-usual"]),
        (122, &["pi-early", "pi-usual", "pi-late"]),
    ] {
        server.later.store(real - BEGAN + minutes * 60_000, Ordering::Relaxed);
        until("sealed", || sealed().len() >= expected.len());
        std::thread::sleep(5 * often);
        assert_eq!(sealed(), expected);
    }
}

#[test]
fn sessions_that_hooks_told_of_are_sealed_when_they_fall_silent() {
    let dir = tempfile::tempdir().unwrap();
    let (session, cwd) = ("5ca1ab1e", dir.path().join("shop"));
    let logs = projects(dir.path()).join("-shop");
    fs_err::create_dir_all(&logs).unwrap();
    let log = logs.join(format!("{session}.jsonl"));
    let said = [("user", "Which paint do lighthouses get?"), ("assistant", "Red lead, two coats.")];
    let said = said.map(|(role, text)| logged(session, role, &cwd, text));
    fs_err::write(&log, said.concat()).unwrap();
    for happening in [Happening::Prompted, Happening::Stopped] {
        let event = LiveEvent {
            agent: Flavor::Claude,
            session: session.into(),
            is_subagent: false,
            happening,
            event: format!("{happening:?}"),
            transcript_path: Some(log.clone()),
            cwd: Some(cwd.clone()),
            last_message: None,
        };
        note(&home(dir.path()), &event, Timestamp(BEGAN), &Knobs::default()).unwrap();
    }
    let often = Duration::from_millis(20);
    let server =
        Running::with(dir.path(), |options| Options { sweeps: true, look: often, ..options });
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(seals(dir.path(), "claude:5ca1ab1e"), [], "it may go on");
    server.later.store(31 * 60_000, Ordering::Relaxed);
    until("sealed", || !seals(dir.path(), "claude:5ca1ab1e").is_empty());
    assert_eq!(seals(dir.path(), "claude:5ca1ab1e"), [SealReason::Idle]);
}
