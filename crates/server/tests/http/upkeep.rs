//! What the server does unasked, and what a server does for one that was killed.

use crate::running::{BEGAN, Running, home, logged, projects, until};
use backstory_engine::live::{Happening, Knobs, LiveEvent, note};
use backstory_engine::pushed::{Journal, Limits};
use backstory_model::{Flavor, SealReason, SessionUid, Timestamp};
use backstory_server::Options;
use backstory_store::Vault;
use serde_json::json;
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
