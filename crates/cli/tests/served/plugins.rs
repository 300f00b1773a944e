//! OpenViking's plugins for Codex and Claude Code, unmodified, against `backstory serve`: what they post
//! arrives, what they ask for comes back, and what fails harms nobody.

use crate::machine::{Machine, Server};
use backstory_testkit::plugins::{RELEASES, Release};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CODEX: &str = "01990000-0000-7000-8000-00000000000a";
const CLAUDE: &str = "5ca1ab1e-7e57-4c0d-9b0c-0f10a3b1c2d4";
/// Where sessions ask that were not there before.
const LATER: &str = "01990000-0000-7000-8000-00000000000b";
const ASKED: &str = "why did the harbour scheduler deadlock with two cranes?";
const KNOWN: &str = "sort cranes by id before locking";

/// One plugin, and what it sees of the machine.
struct Plugin<'a> {
    folder: PathBuf,
    machine: &'a Machine,
    url: &'a str,
    key: Option<&'a str>,
}

impl<'a> Plugin<'a> {
    fn new(release: Release, name: &str, machine: &'a Machine, url: &'a str) -> Self {
        let releases = release.install().unwrap_or_else(|error| {
            panic!("the plugins could not be fetched, so nothing was tested: {error}")
        });
        Self { folder: releases.join(name), machine, url, key: None }
    }

    fn version(&self, manifest: &str) -> Value {
        let text = fs_err::read_to_string(self.folder.join(manifest)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["version"].clone()
    }

    fn command(&self, script: &str) -> Command {
        let mut command = Command::new("node");
        command.arg(self.folder.join(script));
        self.machine.at_home(&mut command);
        let below = |name: &str| self.machine.home().join("plugin").join(name);
        fs_err::create_dir_all(below("tmp")).unwrap();
        command
            .env("OPENVIKING_URL", self.url)
            .env("OPENVIKING_CREDENTIAL_SOURCE", "env")
            .env("OPENVIKING_MEMORY_ENABLED", "1")
            .env("OPENVIKING_CODEX_STATE_DIR", below("codex"))
            .env("OPENVIKING_STATE_DIR", below("state"))
            .env("OPENVIKING_PENDING_DIR", below("pending"))
            .env("TMPDIR", below("tmp"))
            // The hook itself posts, and no model shortens what it was told.
            .env("OPENVIKING_WRITE_PATH_ASYNC", "0")
            .env("OPENVIKING_RECALL_COMPRESS", "0")
            .env("OPENVIKING_RESUME_ARCHIVE_INJECT", "1")
            .envs(self.key.map(|key| ("OPENVIKING_API_KEY", key)));
        command
    }

    /// Runs a hook as its agent does.
    fn hook(&self, script: &str, input: &Value) -> Value {
        self.hook_with(script, &[], input)
    }

    fn hook_with(&self, script: &str, arguments: &[&str], input: &Value) -> Value {
        let mut command = self.command(&format!("scripts/{script}.mjs"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let (said, trouble) = (output.stdout.as_slice(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{script}: {trouble}");
        serde_json::from_slice(said).unwrap_or_else(|error| panic!("{script}: {error} {trouble}"))
    }

    fn input(&self, session: &str, more: Value) -> Value {
        let mut input = json!({"session_id": session, "cwd": self.machine.home()});
        let Value::Object(more) = more else { panic!("no object") };
        input.as_object_mut().unwrap().extend(more);
        input
    }

    /// What is handed to the agent at a prompt.
    fn recall(&self, session: &str) -> String {
        let input = json!({"prompt": ASKED, "hook_event_name": "UserPromptSubmit"});
        let told = self.hook("auto-recall", &self.input(session, input));
        context(&told)
    }
}

fn context(told: &Value) -> String {
    told["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// A session of Codex as its log has it.
fn rollout(dir: &Path) -> PathBuf {
    let item = |second: u32, payload: Value| {
        let at = format!("2026-11-17T10:00:{second:02}.000Z");
        json!({"timestamp": at, "type": "response_item", "payload": payload}).to_string()
    };
    let said = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    let meta = json!({"id": CODEX, "timestamp": "2026-11-17T10:00:00.000Z", "cwd": dir,
        "originator": "codex_cli_rs", "cli_version": "0.166.0"});
    let lines = [
        json!({"timestamp": "2026-11-17T10:00:00.000Z", "type": "session_meta", "payload": meta})
            .to_string(),
        item(
            1,
            said(
                "user",
                "input_text",
                "The harbour scheduler deadlocks when two cranes share a berth, please fix it",
            ),
        ),
        item(
            2,
            json!({"type": "function_call", "name": "shell", "call_id": "c1",
            "arguments": "{\"command\":[\"cargo\",\"test\"]}"}),
        ),
        item(
            3,
            json!({"type": "function_call_output", "call_id": "c1",
            "output": "test cranes ... FAILED: deadlock"}),
        ),
        item(
            4,
            said(
                "assistant",
                "output_text",
                &format!(
                    "The harbour scheduler deadlock came from the berth lock order. I {KNOWN}."
                ),
            ),
        ),
    ];
    let path = dir.join(format!("rollout-2026-11-17T10-00-00-{CODEX}.jsonl"));
    fs_err::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

/// A session of Claude Code as its log has it.
fn transcript(dir: &Path) -> PathBuf {
    let line = |number: u32, role: &str, content: Value| {
        let at = format!("2026-11-17T11:00:{number:02}.000Z");
        json!({"type": role, "uuid": format!("u{number}"), "sessionId": CLAUDE, "timestamp": at,
            "cwd": dir, "message": {"role": role, "content": content}})
        .to_string()
    };
    let lines = [
        line(1, "user", json!("Which paint do the lighthouses get before winter comes?")),
        line(
            2,
            "assistant",
            json!([{"type": "text", "text": "I look into the ledger."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat ledger"}}]),
        ),
        line(
            3,
            "user",
            json!([{"type": "tool_result", "tool_use_id": "t1", "content": "red lead"}]),
        ),
        line(4, "assistant", json!([{"type": "text", "text": "They get two coats of red lead."}])),
    ];
    let path = dir.join(format!("{CLAUDE}.jsonl"));
    fs_err::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

/// Waits until what was posted can be recalled.
fn until_recalled(server: &Server) {
    let (began, ask) = (Instant::now(), json!({"query": ASKED, "mode": "context"}));
    while server.post("/api/v1/search/search", &ask)["entries"].as_array().unwrap().is_empty() {
        assert!(began.elapsed() < Duration::from_mins(1), "never taken in");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What Codex runs in a session that is compacted and resumed, and at a prompt of another one.
fn codex_hooks(codex: &Plugin<'_>, server: &Server, log: &Path) {
    let session = format!("cx-{CODEX}");
    let with_log =
        |event: &str| codex.input(CODEX, json!({"hook_event_name": event, "transcript_path": log}));
    let starts = |source: &str| {
        codex.input(
            CODEX,
            json!({"hook_event_name": "SessionStart", "source": source,
            "transcript_path": log, "model": "m", "permission_mode": "default"}),
        )
    };
    codex.hook("session-start-commit", &starts("startup"));
    let stopped = codex.hook("auto-capture", &with_log("Stop"));
    let appended = format!("appended 4 turn(s) to OpenViking session {session}");
    assert_eq!(stopped["systemMessage"], appended);
    assert_eq!(codex.hook("auto-capture", &with_log("Stop")), json!({}), "nothing is new");
    let compacts = codex.hook("pre-compact-capture", &with_log("PreCompact"));
    let committed = format!("OpenViking session {session} is committed");
    assert!(compacts["systemMessage"].as_str().unwrap().starts_with(&committed), "{compacts}");
    let standing = server.get(&format!("/api/v1/sessions/{session}"));
    assert_eq!(standing["session_uid"], format!("codex:{CODEX}"));
    assert_eq!(
        (&standing["total_message_count"], &standing["commit_count"]),
        (&json!(4), &json!(1))
    );
    until_recalled(server);
    let told = codex.recall(LATER);
    assert!(told.contains(KNOWN), "{told}");
    let resumed = context(&codex.hook("session-start-commit", &starts("resume")));
    assert!(resumed.contains("harbour scheduler"), "{resumed}");
}

/// What Claude Code runs in a session that ends, and at a prompt of another one, which is told what Codex
/// knows.
fn claude_hooks(claude: &Plugin<'_>, server: &Server, log: &Path) {
    let session = format!("cc-{CLAUDE}");
    let with_log = |event: &str| {
        claude.input(CLAUDE, json!({"hook_event_name": event, "transcript_path": log}))
    };
    let starts = json!({"hook_event_name": "SessionStart", "source": "startup"});
    claude.hook("session-start", &claude.input(CLAUDE, starts));
    let stopped = claude.hook("auto-capture", &with_log("Stop"));
    assert_eq!(stopped["decision"], "approve");
    let captured = format!("captured 4 turns to ov session {session}");
    assert_eq!(stopped["systemMessage"], captured);
    assert_eq!(claude.hook("session-end", &with_log("SessionEnd"))["decision"], "approve");
    let standing = server.get(&format!("/api/v1/sessions/{session}"));
    assert_eq!(
        (&standing["total_message_count"], &standing["commit_count"]),
        (&json!(4), &json!(1))
    );
    let told = claude.recall(LATER);
    assert!(told.contains(KNOWN), "{told}");
}

fn all_hooks(release: Release) {
    let machine = Machine::new();
    let server = machine.serve();
    let codex = Plugin::new(release, "codex-memory-plugin", &machine, &server.url);
    let claude = Plugin::new(release, "claude-code-memory-plugin", &machine, &server.url);
    assert_eq!(codex.version(".codex-plugin/plugin.json"), release.codex);
    assert_eq!(claude.version(".claude-plugin/plugin.json"), release.claude);
    let log = rollout(machine.home());
    codex_hooks(&codex, &server, &log);
    claude_hooks(&claude, &server, &transcript(machine.home()));
    drop(server);
    // What was posted and the log of the same session are one session.
    let logs = machine.home().join(".codex/sessions/2026/11/17");
    fs_err::create_dir_all(&logs).unwrap();
    fs_err::rename(&log, logs.join(log.file_name().unwrap())).unwrap();
    machine.run(&["sync"]);
    let sessions = machine.json(&["sessions", "--json"]);
    let mut uids: Vec<&str> =
        sessions.iter().map(|session| session["session_uid"].as_str().unwrap()).collect();
    uids.sort_unstable();
    assert_eq!(uids, [format!("claude:{CLAUDE}"), format!("codex:{CODEX}")]);
    let of_codex = sessions.iter().find(|session| session["flavor"] == "codex").unwrap();
    assert_eq!(of_codex["cli_version"], "0.166.0", "the log is the truth");
}

#[test]
fn plugins_of_the_first_generation_post_and_recall() {
    all_hooks(RELEASES[0]);
}

#[test]
fn plugins_that_post_parts_post_and_recall() {
    all_hooks(RELEASES[1]);
}

#[test]
fn plugins_that_post_batches_post_and_recall() {
    all_hooks(RELEASES[2]);
}

#[test]
fn plugins_with_a_queue_post_and_recall() {
    all_hooks(RELEASES[3]);
}

#[test]
fn plugins_of_the_latest_generation_post_and_recall() {
    all_hooks(RELEASES[4]);
}

#[test]
fn what_a_plugin_could_not_post_it_posts_later() {
    for release in [RELEASES[0], RELEASES[4]] {
        let machine = Machine::new();
        let log = rollout(machine.home());
        let server = machine.serve_with_key("s3cret");
        let url = server.url.clone();
        let mut codex = Plugin::new(release, "codex-memory-plugin", &machine, &url);
        let with_log = |event: &str| {
            codex.input(CODEX, json!({"hook_event_name": event, "transcript_path": log}))
        };
        let (stop, compact) = (with_log("Stop"), with_log("PreCompact"));
        // Refused, and let down by nobody: the agent goes on.
        assert_eq!(codex.hook("auto-capture", &stop), json!({}), "{release:?}");
        let told = codex.hook("pre-compact-capture", &compact).to_string();
        assert!(!told.contains("is committed"), "{told}");
        assert_eq!(codex.recall(LATER), "");
        codex.key = Some("s3cret");
        let posted = codex.hook("auto-capture", &stop);
        assert!(
            posted["systemMessage"].as_str().unwrap().contains("appended 4 turn(s)"),
            "{posted}"
        );
        // Nobody listens any more.
        drop(server);
        assert_eq!(codex.hook("auto-capture", &stop), json!({}));
        assert_eq!(codex.recall(LATER), "");
    }
}

#[test]
fn the_plugins_proxy_speaks_with_our_tools() {
    for release in [RELEASES[1], RELEASES[4]] {
        let machine = Machine::with_history();
        let server = machine.serve();
        let codex = Plugin::new(release, "codex-memory-plugin", &machine, &server.url);
        let mut command = codex.command("servers/mcp-proxy.mjs");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut proxy = command.spawn().unwrap();
        let mut line = proxy.stdin.take().unwrap();
        let mut answers = BufReader::new(proxy.stdout.take().unwrap()).lines();
        let mut ask = |id: u32, method: &str, params: Value| -> Value {
            let asked = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            writeln!(line, "{asked}").unwrap();
            let answers =
                answers.by_ref().map(|line| serde_json::from_str(&line.unwrap()).unwrap());
            let mut answers = answers.filter(|answer: &Value| answer["id"] == id);
            answers.next().unwrap()["result"].clone()
        };
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        assert!(ask(1, "initialize", client)["serverInfo"].is_object());
        let tools = ask(2, "tools/list", json!({}));
        let names = tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone());
        assert!(names.into_iter().any(|name| name == "search"), "{tools}");
        let call = json!({"name": "health", "arguments": {}});
        let called = ask(3, "tools/call", call);
        assert!(called["content"][0]["text"].is_string(), "{called}");
        drop(line);
        proxy.wait().unwrap();
    }
}

#[test]
fn the_plugins_own_doctor_finds_nothing_wrong() {
    for (release, name) in [
        (RELEASES[3], "codex-memory-plugin"),
        (RELEASES[4], "codex-memory-plugin"),
        (RELEASES[4], "claude-code-memory-plugin"),
    ] {
        let machine = Machine::new();
        let server = machine.serve();
        let plugin = Plugin::new(release, name, &machine, &server.url);
        let output = plugin.command("scripts/ov-memory-doctor.mjs").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("POST /mcp tools/list → 24 tools"), "{said}");
        assert!(said.contains("\n  0 failure(s)"), "{said}");
    }
}

#[test]
fn sessions_of_other_agents_are_sessions_like_all_others() {
    let machine = Machine::new();
    let server = machine.serve();
    let trae = Plugin::new(RELEASES[4], "agent-hook-plugin", &machine, &server.url);
    let hook = |event: &str, input: Value| {
        assert_eq!(
            trae.hook_with("hook", &[event, "trae"], &trae.input("1", input))["decision"],
            "approve"
        );
    };
    let answer =
        format!("The harbour scheduler deadlock came from the berth lock order. I {KNOWN}.");
    hook("user-prompt-submit", json!({"prompt": "The harbour scheduler deadlocks, please fix it"}));
    hook("stop", json!({"last_assistant_message": answer}));
    let message = json!({"role": "user", "content": "Look at the berths"});
    server.post("/api/v1/sessions/tr-1__subagent-2/messages", &message);
    until_recalled(&server);
    drop(server);
    machine.run(&["sync"]);
    let sessions = machine.json(&["sessions", "--agent", "pushed", "--all", "--json"]);
    let of = |uid: &str| sessions.iter().find(|session| session["session_uid"] == uid).unwrap();
    assert_eq!(sessions.len(), 2);
    assert_eq!(of("pushed:tr-1")["seal_reason"], "asked");
    assert_eq!(of("pushed:tr-1__subagent-2")["parent_session_uid"], "pushed:tr-1");
    let text = |arguments: &[&str]| String::from_utf8(machine.run(arguments).stdout).unwrap();
    let shown = text(&["show", "pushed:tr-1"]);
    assert!(shown.contains("Trae") && shown.contains(KNOWN), "{shown}");
    assert!(shown.contains("(asked), to event 1"), "{shown}");
    assert!(text(&["search", "berth lock order"]).contains("harbour"));
    assert!(text(&["recall", ASKED, "--all"]).contains(KNOWN));
    let status = machine.json(&["status", "--json"]).remove(0);
    assert_eq!(
        (&status["posted"]["sessions"], &status["posted"]["waiting"]),
        (&json!(2), &json!(0))
    );
    assert!(text(&["status"]).contains("2 sessions ("));
    assert!(text(&["doctor"]).contains("What plugins posted"));
    machine.run(&["forget", "pushed:tr-1", "--yes"]);
    assert_eq!(machine.json(&["status", "--json"])[0]["posted"]["sessions"], 0);
}
