//! Sealing sessions: by request, by any sync, and what is told of it.

use crate::sandbox::{NOW, Sandbox};
use backstory_engine::live::{Happening, Knobs, LiveEvent, note};
use backstory_model::{Flavor, SessionUid, Timestamp};
use backstory_store::{Home, Vault};
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

const ID: &str = "5ea1ed00-0000-4000-8000-000000000001";

fn archive(sandbox: &Sandbox) -> Home {
    sandbox.archive_in("archive")
}

fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.set("BACKSTORY_HOME", &archive(&sandbox).dir().display().to_string());
    sandbox.write_claude(ID, &[("Make the cache expire", "It expires after an hour now.")]);
    sandbox
}

/// A hook fires, so many minutes before now.
fn hook(sandbox: &Sandbox, happening: Happening, minutes: i64) {
    let event = LiveEvent {
        agent: Flavor::Claude,
        session: ID.into(),
        is_subagent: false,
        happening,
        event: format!("{happening:?}"),
        transcript_path: Some(sandbox.home().join(format!(".claude/projects/-shop/{ID}.jsonl"))),
        cwd: None,
        last_message: None,
    };
    let at = Timestamp(Timestamp::parse(NOW).unwrap().0 - minutes * 60_000);
    note(&archive(sandbox), &event, at, &Knobs::default()).unwrap();
}

#[test]
fn what_waits_is_sealed_and_told() {
    let sandbox = sandbox();
    hook(&sandbox, Happening::Stopped, 1);
    assert_eq!(sandbox.run(&["commit", "--pending"]).stdout, "nothing to seal\n");
    let status = sandbox.run(&["status"]);
    assert!(status.stdout.contains("1 session may still run, 0 to be sealed"), "{status}");
    hook(&sandbox, Happening::Ended, 0);
    let sealed = sandbox.run(&["commit", "--pending"]);
    let told = format!("claude:{ID} sealed (ended): seal 1, to event ");
    assert!(sealed.code == 0 && sealed.stdout.starts_with(&told), "{sealed}");
    assert_eq!(sandbox.run(&["commit"]).stdout, "nothing to seal\n");
    let uid = SessionUid::new(Flavor::Claude, ID);
    let seals = Vault::open(&archive(&sandbox)).unwrap().seals_of(&uid).unwrap();
    assert_eq!(seals.len(), 1);
    for words in ["## Session Title\n", "Make the cache expire", "It expires after an hour now."] {
        assert!(seals[0].overview.contains(words), "{}", seals[0].overview);
    }
}

#[test]
fn any_sync_seals_who_is_silent() {
    let sandbox = sandbox();
    hook(&sandbox, Happening::Stopped, 31);
    let synced = &sandbox.json(&["sync", "--json"])[0];
    assert_eq!(synced["sealing"]["sealed"][0]["reason"], "idle", "{synced}");
    let status = &sandbox.json(&["status", "--json"])[0];
    assert_eq!(status["live"], serde_json::json!({"sessions": 0, "waiting": 0}));
}

#[test]
fn whoever_comes_by_has_the_silent_sealed() {
    for command in [&["status"][..], &["sessions"], &["search", "cache"], &["why"]] {
        let sandbox = sandbox();
        sandbox.run(&["sync"]);
        hook(&sandbox, Happening::Stopped, 31);
        sandbox.run(command);
        let uid = SessionUid::new(Flavor::Claude, ID);
        let began = Instant::now();
        while Vault::open(&archive(&sandbox)).unwrap().seals_of(&uid).unwrap().is_empty() {
            assert!(began.elapsed() < Duration::from_secs(30), "{command:?} left it unsealed");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn state_lies_where_the_user_says() {
    for name in ["BACKSTORY_STATE_DIR", "OPENVIKING_CODEX_STATE_DIR"] {
        let mut sandbox = sandbox();
        let state = sandbox.home().join("elsewhere");
        sandbox.set(name, &state.display().to_string());
        // What the plugin knows of a session lies there too, and stays as it is.
        fs_err::create_dir_all(&state).unwrap();
        let known =
            format!(r#"{{"codexSessionId":"{ID}","ovSessionId":"cx-1","capturedTurnCount":7}}"#);
        let of_plugin = state.join(format!("{ID}.json"));
        fs_err::write(&of_plugin, &known).unwrap();
        let mut command = sandbox.command(&["hook", "codex", "UserPromptSubmit"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let sent = format!(r#"{{"session_id":"{ID}","hook_event_name":"UserPromptSubmit"}}"#);
        child.stdin.take().unwrap().write_all(sent.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        let own = fs_err::read_to_string(state.join(format!("live/codex-{ID}.json"))).unwrap();
        assert!(own.contains(ID), "{name}: {own}");
        assert_eq!(fs_err::read_to_string(&of_plugin).unwrap(), known, "{name}");
        assert!(!archive(&sandbox).dir().join("state/live").exists(), "{name}");
        let config = sandbox.run(&["config"]);
        assert!(config.stdout.contains("elsewhere") && config.stdout.contains(name), "{config}");
    }
}

#[test]
fn a_sweep_over_some_folders_seals_nobody() {
    let sandbox = sandbox();
    hook(&sandbox, Happening::Stopped, 31);
    let synced = &sandbox.json(&["sync", "--agent", "codex", "--json"])[0];
    assert!(synced["sealing"].is_null(), "{synced}");
    let synced = &sandbox.json(&["sync", "--no-distil", "--json"])[0];
    assert!(synced["sealing"].is_null(), "{synced}");
    let status = &sandbox.json(&["status", "--json"])[0];
    assert_eq!(status["live"], serde_json::json!({"sessions": 1, "waiting": 1}));
}

#[test]
fn knobs_go_by_both_names() {
    for name in ["BACKSTORY_IDLE_TTL_MS", "OPENVIKING_CODEX_IDLE_TTL_MS"] {
        let mut sandbox = sandbox();
        sandbox.set(name, "60000");
        hook(&sandbox, Happening::Stopped, 2);
        let sealed = &sandbox.json(&["commit", "--pending", "--json"])[0];
        assert_eq!(sealed["sealed"][0]["reason"], "idle", "{name}: {sealed}");
    }
}

#[test]
fn one_session_is_sealed_by_its_id() {
    let sandbox = sandbox();
    sandbox.run(&["sync"]);
    let sealed = &sandbox.json(&["commit", "5ea1ed00", "--json"])[0];
    assert_eq!(sealed["sealed"][0]["reason"], "asked", "{sealed}");
    assert_eq!(sandbox.run(&["commit", "none"]).code, 5);
    assert_eq!(sandbox.run(&["commit", "last", "--pending"]).code, 2);
}

#[test]
fn a_running_session_no_sync_has_seen_is_sealed_by_its_id() {
    let sandbox = sandbox();
    hook(&sandbox, Happening::Stopped, 0);
    assert_eq!(sandbox.run(&["commit", "none"]).code, 5);
    // There is no archive yet.
    let sealed = &sandbox.json(&["commit", "5ea1ed00", "--json"])[0];
    assert_eq!(sealed["sealed"][0]["reason"], "asked", "{sealed}");
    // There is one, without this session.
    let sandbox = self::sandbox();
    let log = format!(".claude/projects/-shop/{ID}.jsonl");
    let text = fs_err::read_to_string(sandbox.home().join(&log)).unwrap();
    fs_err::remove_file(sandbox.home().join(&log)).unwrap();
    sandbox.write_claude("0ther000-0000-4000-8000-000000000002", &[("Hello", "Hello.")]);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    sandbox.write(&log, &text);
    hook(&sandbox, Happening::Stopped, 0);
    let sealed = &sandbox.json(&["commit", &format!("claude:{ID}"), "--json"])[0];
    assert_eq!(sealed["sealed"][0]["reason"], "asked", "{sealed}");
    assert_eq!(sandbox.run(&["commit", "none"]).code, 5);
}

#[test]
fn seals_go_along_with_an_export() {
    let sandbox = sandbox();
    sandbox.run(&["sync"]);
    sandbox.run(&["commit", "5ea1ed00"]);
    sandbox.run(&["export", "--out", "all.jsonl"]);
    let exported = fs_err::read_to_string(sandbox.home().join("all.jsonl")).unwrap();
    assert!(exported.contains("\"type\":\"seal\""), "{exported}");
    let imported = sandbox.run(&["import", "all.jsonl", "--home", "other"]);
    assert_eq!(imported.code, 0, "{imported}");
    let uid = SessionUid::new(Flavor::Claude, ID);
    let seals = |home: &Home| Vault::open(home).unwrap().seals_of(&uid).unwrap();
    let (ours, theirs) = (seals(&archive(&sandbox)), seals(&sandbox.archive_in("other")));
    assert_eq!(ours.len(), 1);
    assert_eq!(ours, theirs);
    let forgotten = sandbox.run(&["forget", "5ea1ed00", "--yes"]);
    assert_eq!(forgotten.code, 0, "{forgotten}");
    assert!(seals(&archive(&sandbox)).is_empty());
}
