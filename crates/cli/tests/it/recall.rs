//! `backstory recall`, `backstory why` and `backstory mute`.

use crate::hooked::{ONE, THREE, TWO, finished};
use crate::json::{assert_same_fields, documented};
use crate::sandbox::Sandbox;
use backstory_engine::Archive;
use backstory_engine::recall::{Occasion, RecallOptions, at_prompt};
use backstory_model::{SessionUid, Timestamp};
use insta::assert_snapshot;
use serde_json::json;
use std::process::Stdio;

const PROMPT: &str = "Which host do deploys to staging go through?";

/// A user who once asked, in the folder the commands run in.
fn deployed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_claude(
        "deploy001",
        &[
            (
                "How do we deploy the shop to staging?",
                "Deploys to staging go through the host heron-7; the health check is on port 7411.",
            ),
            ("Rename the cart module", "The cart module is called basket now."),
        ],
    );
    sandbox.write_claude(
        "other0001",
        &[("Add dark mode to the website", "The colours follow the system setting now.")],
    );
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    sandbox
}

/// Hands the user's agent what it is told at a prompt.
fn inject(sandbox: &Sandbox) {
    let archive = Archive::indexed_at_home(sandbox.archive_in(".local/share/backstory"));
    let session = SessionUid::from_stored("codex:0198-live".into());
    let options =
        RecallOptions { prompt: PROMPT.into(), everywhere: true, ..RecallOptions::default() };
    let at = Timestamp::parse("2026-11-15T11:58:00Z").unwrap();
    let occasion = Occasion { session: &session, event: "UserPromptSubmit", at };
    assert!(!at_prompt(&archive, &options, &occasion).unwrap().is_empty());
}

#[test]
fn what_an_agent_would_be_told_is_shown() {
    let sandbox = deployed();
    assert_snapshot!(sandbox.run(&["recall", PROMPT, "--all"]), @r#"
    exit 0
    <backstory-context source="auto-recall" format="digest">
    Backstory memory digest:
    - [answer] 2026-11-14: Deploys to staging go through the host heron-7; the health check is on port 7411. (backstory://claude:deploy001/1)
    More detail: use the backstory MCP tools read and search with these addresses.
    </backstory-context>
    --- stderr
    1 thing, 319 bytes, about 80 tokens
    "#);
    let json = sandbox.json(&["recall", PROMPT, "--all", "--json"]);
    let shown = sandbox.run(&["recall", PROMPT, "--all", "--quiet"]);
    assert_eq!(json[0]["text"].as_str().unwrap(), shown.stdout.trim_end());
    assert_snapshot!(sandbox.run(&["recall", "hello there"]), @r"
    exit 5
    --- stderr
    nothing relevant is known: an agent would be told nothing
      --all looks in every project
    ");
    assert_snapshot!(sandbox.run(&["recall", "write a haiku about the sea", "--all"]), @r"
    exit 5
    --- stderr
    nothing relevant is known: an agent would be told nothing
    ");
}

/// What an agent is told at the prompt.
fn hooked(sandbox: &Sandbox, session: &str) -> String {
    let mut hook = sandbox.command(&["hook", "claude", "UserPromptSubmit"]);
    hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let sent = json!({"session_id": session, "cwd": "/elsewhere", "prompt": PROMPT,
        "hook_event_name": "UserPromptSubmit"});
    let answer = finished(hook, &sent.to_string());
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_hooks_are_tuned_with_is_what_is_shown() {
    let mut sandbox = deployed();
    sandbox.write_claude(
        "deploy002",
        &[
            ("Where do deploys to production go?", "Deploys to production avoid the staging host."),
            ("Which host is staging on?", "Deploys to staging need the host heron-7 to be awake."),
        ],
    );
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    let shown = |sandbox: &Sandbox, more: &[&str]| {
        let asked = ["recall", PROMPT, "--project", "/elsewhere", "--quiet"];
        sandbox.run(&[&asked[..], more].concat()).stdout.trim_end().to_owned()
    };
    let things = |text: &str| text.lines().filter(|line| line.starts_with("- [")).count();
    assert_eq!((shown(&sandbox, &[]), hooked(&sandbox, ONE)), (String::new(), String::new()));
    sandbox.set("BACKSTORY_RECALL_EVERYWHERE", "1");
    let all = hooked(&sandbox, ONE);
    assert!(things(&all) > 1, "{all}");
    assert_eq!(shown(&sandbox, &[]), all);
    sandbox.set("BACKSTORY_RECALL_LIMIT", "1");
    let first = hooked(&sandbox, TWO);
    assert_eq!((things(&first), shown(&sandbox, &[])), (1, first));
    assert_eq!(shown(&sandbox, &["--limit", "6"]), all);
    sandbox.set("BACKSTORY_RECALL_MAX_TOKENS", "20");
    assert_eq!((shown(&sandbox, &[]), hooked(&sandbox, THREE)), (String::new(), String::new()));
    assert_eq!(shown(&sandbox, &["--limit", "6", "--max-bytes", "10000"]), all);
}

#[test]
fn what_an_agent_was_told_is_explained() {
    let sandbox = deployed();
    assert_snapshot!(sandbox.run(&["why"]), @r"
    exit 5
    --- stderr
    no agent was told anything yet
    ");
    if crate::store::is_postgres() {
        return;
    }
    inject(&sandbox);
    let told = sandbox.run(&["why"]);
    let (head, item) = told.stdout.split_once("\n\n").unwrap();
    assert_snapshot!(head, @r"
    Injection 1, 2026-11-15 11:58
    told    codex:0198-live, at UserPromptSubmit
    size    319 bytes, about 80 tokens
    prompt  Which host do deploys to staging go through?
    ");
    let lines: Vec<&str> = item.lines().collect();
    assert!(lines[0].starts_with("[answer] 2026-11-14: Deploys to staging go through"), "{told}");
    assert_eq!(lines[1], "  backstory://claude:deploy001/1");
    assert!(lines[2].starts_with("  3 of 3 words: host, deploys, staging; nearness"), "{told}");
    assert_snapshot!(sandbox.run(&["why", "--list"]), @r"
    exit 0
    N  WHEN              AGENT  EVENT             THINGS  TOKENS  PROMPT
    1  2026-11-15 11:58  codex  UserPromptSubmit       1      80  Which host do deploys to staging go through?
    ");
    assert_same_fields(
        "why",
        &documented()["backstory why --json"][0],
        &sandbox.json(&["why", "1", "--json"])[0],
    );
    assert_snapshot!(sandbox.run(&["why", "7"]), @r"
    exit 5
    --- stderr
    error: there is no injection 7 on record
      hint: `backstory why --list` lists them
    ");
}

#[test]
fn what_is_muted_is_listed_and_may_be_told_again() {
    let sandbox = deployed();
    assert_snapshot!(sandbox.run(&["mute", "--list"]), @r"
    exit 5
    --- stderr
    nothing is muted
    ");
    assert_snapshot!(sandbox.run(&["mute", "deploy001"]), @r"
    exit 0
    session claude:deploy001 is muted: agents are not told of it
    ");
    assert_eq!(sandbox.run(&["mute", "backstory://claude:other0001/1"]).code, 0);
    assert_eq!(sandbox.run(&["mute", "/shop"]).code, 0);
    assert_snapshot!(sandbox.run(&["mute", "--list"]), @r"
    exit 0
    KIND     MUTED             WHAT
    session  2026-11-15 12:00  claude:deploy001
    address  2026-11-15 12:00  backstory://claude:other0001/1
    project  2026-11-15 12:00  /shop
    ");
    assert!(!sandbox.run(&["recall", PROMPT, "--all"]).stdout.contains("heron-7"));
    assert_snapshot!(sandbox.run(&["mute", "claude:deploy001", "--undo"]), @r"
    exit 0
    session claude:deploy001 may be told again
    ");
    assert_snapshot!(sandbox.run(&["mute", "/shop", "--undo"]), @r"
    exit 0
    project /shop may be told again
    ");
    assert!(sandbox.run(&["recall", PROMPT, "--all"]).stdout.contains("heron-7"));
    assert_snapshot!(sandbox.run(&["mute", "/nowhere", "--undo"]), @r"
    exit 0
    project /nowhere was not muted
    ");
    assert_snapshot!(sandbox.run(&["mute", "nobody"]), @r#"
    exit 5
    --- stderr
    error: no session begins with "nobody"
      hint: `backstory sessions` lists them, `backstory sessions --all` sub-agents too
    "#);
}
