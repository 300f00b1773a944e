//! Hooks as agents run them: what they send, the answer they get, and what comes of it.

use crate::sandbox::{NOW, Sandbox};
use backstory_model::{Flavor, SessionUid, Timestamp};
use backstory_store::{Home, Vault};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const ONE: &str = "fa010000-0000-7000-8000-000000000001";
pub(crate) const TWO: &str = "fa010000-0000-7000-8000-000000000002";
pub(crate) const THREE: &str = "fa010000-0000-7000-8000-000000000003";

/// How long a hook may take before an agent would notice, on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn archive(sandbox: &Sandbox) -> Home {
    sandbox.archive_in("archive")
}

pub(crate) fn sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.set("BACKSTORY_HOME", &archive(&sandbox).dir().display().to_string());
    sandbox
}

/// Where an agent writes a session down.
pub(crate) fn log(agent: Flavor, id: &str) -> String {
    match agent {
        Flavor::Codex => {
            format!(".codex/sessions/2026/11/14/rollout-2026-11-14T10-00-00-{id}.jsonl")
        }
        _ => format!(".claude/projects/-shop/{id}.jsonl"),
    }
}

/// A turn of Codex.
pub(crate) fn codex(id: &str, prompt: &str) -> String {
    let line = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-11-14T10:00:00.000Z", "type": kind, "payload": payload})
            .to_string()
    };
    let content = json!([{"type": "input_text", "text": prompt}]);
    [
        line(
            "session_meta",
            json!({"id": id, "timestamp": "2026-11-14T10:00:00Z", "cwd": "/shop",
                "originator": "codex", "cli_version": "0.166.0", "source": "cli"}),
        ),
        line("response_item", json!({"type": "message", "role": "user", "content": content})),
        String::new(),
    ]
    .join("\n")
}

/// What an agent sends.
pub(crate) fn sent(
    sandbox: &Sandbox,
    agent: Flavor,
    event: &str,
    id: &str,
    more: &Value,
) -> String {
    let mut sent = json!({"session_id": id, "cwd": "/shop", "hook_event_name": event,
        "transcript_path": sandbox.home().join(log(agent, id))});
    for (name, value) in more.as_object().into_iter().flatten() {
        sent[name] = value.clone();
    }
    sent.to_string()
}

/// The command of a hook, so many seconds before now.
pub(crate) fn command(sandbox: &Sandbox, agent: Flavor, event: &str, ago: i64) -> Command {
    let mut command = sandbox.command(&["hook", agent.name(), event]);
    let at = Timestamp(Timestamp::parse(NOW).unwrap().0 - ago * 1000);
    command.env("BACKSTORY_NOW", at.to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn started(mut command: Command, sent: &str) -> Child {
    let mut child = command.spawn().unwrap();
    // A hook that was killed does not listen any more.
    let _ = child.stdin.take().unwrap().write_all(sent.as_bytes());
    child
}

/// Runs a hook to its end; the agent must get an answer, in time.
pub(crate) fn finished(command: Command, sent: &str) -> Value {
    let began = Instant::now();
    let output = started(command, sent).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    serde_json::from_slice(&output.stdout).unwrap()
}

pub(crate) fn hook(
    sandbox: &Sandbox,
    agent: Flavor,
    event: &str,
    id: &str,
    (ago, more): (i64, Value),
) {
    let sent = sent(sandbox, agent, event, id, &more);
    let answer = finished(command(sandbox, agent, event, ago), &sent);
    assert_eq!(answer, json!({}), "{event}");
}

/// Why a session was sealed, each time.
pub(crate) fn seals(sandbox: &Sandbox, agent: Flavor, id: &str) -> Vec<&'static str> {
    let Ok(vault) = Vault::open(&archive(sandbox)) else { return Vec::new() };
    let seals = vault.seals_of(&SessionUid::new(agent, id)).unwrap_or_default();
    seals.iter().map(|seal| seal.reason.name()).collect()
}

/// The same once a sync has been there: the one a hook starts behind the agent's back, or the next.
pub(crate) fn sealed(sandbox: &Sandbox, agent: Flavor, id: &str) -> Vec<&'static str> {
    let began = Instant::now();
    loop {
        let seals = seals(sandbox, agent, id);
        if !seals.is_empty() || began.elapsed() > 2 * PATIENCE {
            return seals;
        }
        sandbox.run(&["commit", "--pending"]);
    }
}

/// Runs a command of which only one can run at a time, when it can.
pub(crate) fn run(sandbox: &Sandbox, arguments: &[&str], now: &str) {
    let began = Instant::now();
    loop {
        let mut command = sandbox.command(arguments);
        command.env("BACKSTORY_NOW", now);
        let run = sandbox.finish(command);
        if run.code == 0 {
            return;
        }
        assert!(run.stderr.contains("running") && began.elapsed() < 2 * PATIENCE, "{run}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// How many events of the archive hold a text.
pub(crate) fn told(sandbox: &Sandbox, text: &str) -> usize {
    let exported = sandbox.run(&["export"]).stdout;
    let events = exported.lines().filter(|line| line.starts_with("{\"type\":\"event\""));
    events.filter(|line| line.contains(text)).count()
}
