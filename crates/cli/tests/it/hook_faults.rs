//! Hooks that are killed, doubled, cut off from their store or run out of disk: the agent goes on, and
//! the next sync has all that was said, once.

use crate::hooked::{
    ONE, PATIENCE, THREE, TWO, archive, codex, command, finished, hook, log as log_of, run,
    sandbox, sealed, seals, sent, started, told,
};
use crate::sandbox::{NOW, claude};
use backstory_model::Flavor;
use backstory_store::SweepLock;
use serde_json::json;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_killed_hook_loses_nothing_and_doubles_nothing() {
    let sandbox = sandbox();
    let mut turns: Vec<(String, String)> = Vec::new();
    let moments = [None, Some(0), Some(1), Some(4), Some(12)];
    for signal in ["-TERM", "-INT", "-KILL"] {
        for moment in moments {
            let number = turns.len();
            turns.push((format!("prompt number {number}."), format!("answer number {number}.")));
            let log: Vec<(&str, &str)> = turns.iter().map(|(a, b)| (&**a, &**b)).collect();
            // The log lacks the answer that the hook tells: agents do not wait for their disk.
            let whole = claude(ONE, &log);
            let torn: String = whole.split_inclusive('\n').take(2 * number + 1).collect();
            sandbox.write(&log_of(Flavor::Claude, ONE), &torn);
            let more = json!({"last_assistant_message": turns[number].1});
            let sent = sent(&sandbox, Flavor::Claude, "Stop", ONE, &more);
            let whole_input = if moment.is_some() { sent.len() } else { sent.len() / 2 };
            let mut hook = command(&sandbox, Flavor::Claude, "Stop", 60).spawn().unwrap();
            let mut input = hook.stdin.take().unwrap();
            let _ = input.write_all(&sent.as_bytes()[..whole_input]);
            let held = moment.is_none().then_some(input);
            std::thread::sleep(Duration::from_millis(moment.unwrap_or(5)));
            let pid = hook.id().to_string();
            let _ = Command::new("kill").args([signal, &pid]).stderr(Stdio::null()).status();
            hook.wait().unwrap();
            drop(held);
            sandbox.write(&log_of(Flavor::Claude, ONE), &whole);
            if number % 4 == 3 {
                run(&sandbox, &["sync"], NOW);
            }
        }
    }
    hook(&sandbox, Flavor::Claude, "SessionEnd", ONE, (0, json!({"reason": "other"})));
    assert_eq!(sealed(&sandbox, Flavor::Claude, ONE), ["ended"]);
    for (prompt, answer) in &turns {
        assert_eq!((told(&sandbox, prompt), told(&sandbox, answer)), (1, 1), "{prompt}");
    }
    let status = &sandbox.json(&["status", "--json"])[0];
    assert_eq!(status["live"], json!({"sessions": 0, "waiting": 0}));
}

#[test]
fn a_cleared_session_is_sealed_and_its_successor_is_not() {
    let sandbox = sandbox();
    sandbox.write_claude(ONE, &[("Make the cache expire", "It does.")]);
    sandbox.write_claude(TWO, &[("Now the index", "Done.")]);
    hook(&sandbox, Flavor::Claude, "UserPromptSubmit", ONE, (50, json!({"prompt": "ok"})));
    hook(
        &sandbox,
        Flavor::Claude,
        "Stop",
        ONE,
        (40, json!({"last_assistant_message": "It does."})),
    );
    hook(&sandbox, Flavor::Claude, "SessionEnd", ONE, (30, json!({"reason": "clear"})));
    hook(&sandbox, Flavor::Claude, "SessionStart", TWO, (29, json!({"source": "clear"})));
    hook(&sandbox, Flavor::Claude, "Stop", TWO, (0, json!({"last_assistant_message": "Done."})));
    assert_eq!(sealed(&sandbox, Flavor::Claude, ONE), ["ended"]);
    run(&sandbox, &["commit", "--pending"], NOW);
    assert_eq!(seals(&sandbox, Flavor::Claude, ONE), ["ended"]);
    assert!(seals(&sandbox, Flavor::Claude, TWO).is_empty());
}

#[test]
fn a_new_session_seals_the_one_it_takes_the_place_of() {
    let sandbox = sandbox();
    for (id, prompt) in [(ONE, "Make the cache expire"), (TWO, "Now the index")] {
        sandbox.write(&log_of(Flavor::Codex, id), &codex(id, prompt));
    }
    hook(&sandbox, Flavor::Codex, "SessionStart", ONE, (100, json!({"source": "startup"})));
    hook(&sandbox, Flavor::Codex, "Stop", ONE, (90, json!({"last_assistant_message": "Done."})));
    hook(&sandbox, Flavor::Codex, "SessionStart", TWO, (10, json!({"source": "startup"})));
    assert_eq!(sealed(&sandbox, Flavor::Codex, ONE), ["orphaned"]);
    assert!(seals(&sandbox, Flavor::Codex, TWO).is_empty());
    assert_eq!(told(&sandbox, "Done."), 1);
}

#[test]
fn a_sync_that_is_running_is_waited_for() {
    let sandbox = sandbox();
    sandbox.write_claude(ONE, &[("Make the cache expire", "It does.")]);
    run(&sandbox, &["sync"], NOW);
    let running = SweepLock::acquire(&archive(&sandbox)).unwrap();
    hook(&sandbox, Flavor::Claude, "SessionEnd", ONE, (0, json!({"reason": "other"})));
    std::thread::sleep(Duration::from_millis(500));
    assert!(seals(&sandbox, Flavor::Claude, ONE).is_empty());
    drop(running);
    let began = Instant::now();
    while seals(&sandbox, Flavor::Claude, ONE).is_empty() && began.elapsed() < 2 * PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(seals(&sandbox, Flavor::Claude, ONE), ["ended"]);
}

#[test]
fn of_two_at_once_nobody_can_tell_who_ended() {
    let sandbox = sandbox();
    for id in [ONE, TWO, THREE] {
        sandbox.write(&log_of(Flavor::Codex, id), &codex(id, &format!("prompt of {id}")));
    }
    let stop = |id: &str| {
        let sent = sent(
            &sandbox,
            Flavor::Codex,
            "Stop",
            id,
            &json!({"last_assistant_message": format!("words of {id}")}),
        );
        started(command(&sandbox, Flavor::Codex, "Stop", 60), &sent)
    };
    // At the very same time, and each several times over.
    let hooks: Vec<Child> = [ONE, TWO, ONE, TWO, ONE, TWO].into_iter().map(stop).collect();
    for hook in hooks {
        assert_eq!(hook.wait_with_output().unwrap().status.code(), Some(0));
    }
    hook(&sandbox, Flavor::Codex, "SessionStart", THREE, (10, json!({"source": "startup"})));
    run(&sandbox, &["commit", "--pending"], NOW);
    for id in [ONE, TWO, THREE] {
        assert!(seals(&sandbox, Flavor::Codex, id).is_empty(), "{id}");
    }
    let status = &sandbox.json(&["status", "--json"])[0];
    assert_eq!(status["live"], json!({"sessions": 3, "waiting": 0}));
    // Once they are silent any sync seals them.
    run(&sandbox, &["sync"], "2026-11-15T13:00:00Z");
    for id in [ONE, TWO] {
        assert_eq!(seals(&sandbox, Flavor::Codex, id), ["idle"], "{id}");
        assert_eq!(told(&sandbox, &format!("words of {id}")), 1, "{id}");
    }
}

#[test]
fn what_happens_while_the_store_is_away_is_noted() {
    let sandbox = sandbox();
    sandbox.write_claude(ONE, &[("Make the cache expire", "It does.")]);
    for (event, more) in [
        ("SessionStart", json!({"source": "startup"})),
        ("Stop", json!({"last_assistant_message": "It does."})),
        ("SessionEnd", json!({"reason": "other"})),
    ] {
        let mut away = command(&sandbox, Flavor::Claude, event, 5);
        away.env("BACKSTORY_STORE", "postgres://nobody@127.0.0.1:1/none");
        let answer = finished(away, &sent(&sandbox, Flavor::Claude, event, ONE, &more));
        assert_eq!(answer, json!({}), "{event}");
    }
    run(&sandbox, &["commit", "--pending"], NOW);
    assert_eq!(seals(&sandbox, Flavor::Claude, ONE), ["ended"]);
    assert_eq!(told(&sandbox, "It does."), 1);
}

#[test]
fn a_full_disk_keeps_no_agent_waiting_and_breaks_no_state() {
    let sandbox = sandbox();
    sandbox.write_claude(ONE, &[("Make the cache expire", "It does.")]);
    hook(
        &sandbox,
        Flavor::Claude,
        "Stop",
        ONE,
        (60, json!({"last_assistant_message": "It does."})),
    );
    for (event, more) in [
        ("UserPromptSubmit", json!({"prompt": "Make the index smaller"})),
        ("Stop", json!({"last_assistant_message": "It does."})),
        ("SessionEnd", json!({"reason": "other"})),
    ] {
        // No file can grow, as on a full disk.
        let ready = command(&sandbox, Flavor::Claude, event, 5);
        let mut full = Command::new("sh");
        full.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
            .arg(ready.get_program())
            .args(ready.get_args())
            .env_clear()
            .envs(ready.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .current_dir(sandbox.home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let answer = finished(full, &sent(&sandbox, Flavor::Claude, event, ONE, &more));
        assert_eq!(answer, json!({}), "{event}");
    }
    run(&sandbox, &["sync"], NOW);
    let status = &sandbox.json(&["status", "--json"])[0];
    assert_eq!(status["live"], json!({"sessions": 1, "waiting": 0}), "the state is as it was");
    hook(&sandbox, Flavor::Claude, "SessionEnd", ONE, (0, json!({"reason": "other"})));
    assert_eq!(sealed(&sandbox, Flavor::Claude, ONE), ["ended"]);
    assert_eq!(told(&sandbox, "It does."), 1);
}

#[test]
fn what_nobody_knows_is_answered_with_nothing() {
    let sandbox = sandbox();
    let grok = json!({"hookEventName": "session_start", "sessionId": ONE, "source": "new"});
    for (agent, event, sent) in [
        ("cursor", "SessionStart", json!({"session_id": ONE}).to_string()),
        ("claude", "TeammateIdle", json!({"session_id": ONE, "new": [1]}).to_string()),
        ("claude", "SessionStart", grok.to_string()),
        ("codex", "Stop", String::new()),
        ("codex", "Stop", "no JSON".into()),
        ("grok", "", "{\"sessionId\":".into()),
    ] {
        let mut hook = sandbox.command(&["hook", agent, event]);
        hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        assert_eq!(finished(hook, &sent), json!({}), "{agent} {event}");
    }
    let live = fs_err::read_dir(archive(&sandbox).dir().join("state/live")).unwrap();
    let mut noted: Vec<_> = live.map(|file| file.unwrap().file_name()).collect();
    noted.sort();
    // The event nobody knows says that the session lives; Grok's has a hook of its own.
    assert_eq!(noted, [format!("claude-{ONE}.json").as_str(), "lock"]);
}

#[test]
fn a_hook_is_done_before_its_agent_would_end_it() {
    let sandbox = sandbox();
    let mut hook = command(&sandbox, Flavor::Codex, "SessionEnd", 0);
    hook.env("OPENVIKING_RECALL_TIMEOUT_MS", "120000");
    let began = Instant::now();
    let mut hook = hook.spawn().unwrap();
    // The agent never says all it has to say.
    let input = hook.stdin.take();
    let output = hook.wait_with_output().unwrap();
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    assert_eq!((output.status.code(), output.stdout.trim_ascii()), (Some(0), &b"{}"[..]));
    drop(input);
}

#[test]
fn every_hook_hears_its_agent_out() {
    let usual = &["hook", "codex", "PostToolUse"][..];
    let (short, long) = (200_000, 17 << 20);
    let no = ("BACKSTORY_DEBUG", "0");
    for (arguments, variable, size) in [
        (usual, no, short),
        (usual, no, long),
        (usual, ("BACKSTORY_HOOKS", "0"), short),
        (usual, ("OPENVIKING_MEMORY_ENABLED", "0"), short),
        (usual, ("BACKSTORY_NOW", "soon"), short),
        (&["hook", "codex", "PostToolUse", "more"], no, short),
        (&["hook", "codex", "PostToolUse", "--home", "broken"], no, short),
        (&["--home", "/nowhere", "hook", "codex", "PostToolUse", "--unknown"], no, short),
        (&["--quiet", "hook"], no, short),
    ] {
        let mut sandbox = sandbox();
        sandbox.write("broken/config.toml", "broken = [");
        sandbox.set(variable.0, variable.1);
        let mut hook = sandbox.command(arguments);
        hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = "x".repeat(size);
        let sent = json!({"session_id": ONE, "tool_name": "Bash", "tool_response": output});
        let mut hook = hook.spawn().unwrap();
        let written = hook.stdin.take().unwrap().write_all(sent.to_string().as_bytes());
        assert!(written.is_ok(), "{arguments:?} {variable:?}: {written:?}");
        // Any other code is a veto, or a failure of the hook.
        let ended = hook.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{arguments:?} {variable:?}");
    }
}

#[test]
fn a_hook_with_nothing_to_do_waits_for_no_end() {
    for (arguments, value) in [(&["hook", "codex", "Stop"][..], "0"), (&["hook"], "1")] {
        let mut sandbox = sandbox();
        sandbox.set("BACKSTORY_HOOKS", value);
        let mut hook = sandbox.command(arguments);
        hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let mut hook = hook.spawn().unwrap();
        let input = hook.stdin.take();
        assert_eq!(hook.wait_with_output().unwrap().status.code(), Some(0), "{arguments:?}");
        assert!(began.elapsed() < PATIENCE, "{arguments:?}: {:?}", began.elapsed());
        drop(input);
    }
}

#[test]
fn a_beginning_nobody_knows_takes_no_sessions_place() {
    let sandbox = sandbox();
    sandbox.write(&log_of(Flavor::Codex, ONE), &codex(ONE, "Make the cache expire"));
    hook(&sandbox, Flavor::Codex, "Stop", ONE, (90, json!({"last_assistant_message": "Done."})));
    for (id, more) in [(TWO, json!({"source": "reconnected"})), (THREE, json!({}))] {
        hook(&sandbox, Flavor::Codex, "SessionStart", id, (10, more));
    }
    run(&sandbox, &["commit", "--pending"], NOW);
    assert!(seals(&sandbox, Flavor::Codex, ONE).is_empty());
    let status = &sandbox.json(&["status", "--json"])[0];
    assert_eq!(
        status["live"],
        json!({"sessions": 3, "waiting": 0}),
        "they are alive, all the same"
    );
}

#[test]
fn what_a_sub_agent_of_codex_does_changes_nothing_of_its_session() {
    let sandbox = sandbox();
    for (id, prompt) in [(ONE, "Make the cache expire"), (TWO, "Look"), (THREE, "Now the index")] {
        sandbox.write(&log_of(Flavor::Codex, id), &codex(id, prompt));
    }
    let child = sandbox.home().join(log_of(Flavor::Codex, TWO));
    let told = |event: &str, id: &str, (ago, more)| {
        hook(&sandbox, Flavor::Codex, event, id, (ago, more));
    };
    told("UserPromptSubmit", ONE, (100, json!({"prompt": "ok", "turn_id": "t1"})));
    told("Stop", ONE, (90, json!({"last_assistant_message": "Done."})));
    let state = || {
        let path = archive(&sandbox).dir().join(format!("state/live/codex-{ONE}.json"));
        let state: serde_json::Value =
            serde_json::from_slice(&fs_err::read(path).unwrap()).unwrap();
        (state["turns"].as_u64(), state["position"].as_u64(), state["seal"].clone())
    };
    let before = state();
    assert_eq!((before.0, before.2.is_null()), (Some(1), true));
    // Inside of it the log is the sub-agent's own, and the session that of its root.
    let inside = |more: serde_json::Value| {
        let mut sent = json!({"agent_id": TWO, "agent_type": "explorer", "turn_id": "t2",
            "transcript_path": child});
        sent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sent
    };
    for (event, more) in [
        ("SubagentStart", json!({})),
        ("UserPromptSubmit", json!({"prompt": "ok"})),
        ("PostToolUse", json!({"tool_name": "Bash", "tool_input": {}, "tool_response": "ok"})),
        ("PreCompact", json!({"trigger": "auto"})),
        ("SessionStart", json!({"source": "compact"})),
    ] {
        told(event, ONE, (80, inside(more)));
        assert_eq!(state(), before, "{event}");
    }
    told(
        "SubagentStop",
        ONE,
        (70, json!({"agent_id": TWO, "agent_type": "explorer", "agent_transcript_path": child})),
    );
    assert_eq!(state(), before);
    // Of all that only one session was active, so it is known whose place the next one takes.
    let begins =
        sent(&sandbox, Flavor::Codex, "SessionStart", THREE, &json!({"source": "startup"}));
    finished(command(&sandbox, Flavor::Codex, "SessionStart", 10), &begins);
    assert_eq!(sealed(&sandbox, Flavor::Codex, ONE), ["orphaned"]);
}
