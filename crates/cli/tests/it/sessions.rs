//! `backstory sessions`.

use crate::sandbox::Sandbox;
use insta::assert_snapshot;

fn ids(sandbox: &Sandbox, filter: &[&str]) -> Vec<String> {
    let arguments: Vec<&str> = ["sessions", "--json"].iter().chain(filter).copied().collect();
    let sessions = sandbox.json(&arguments);
    sessions.iter().map(|session| session["session_uid"].as_str().unwrap()[..8].into()).collect()
}

#[test]
fn the_latest_come_first_and_subagents_are_folded() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!("sessions", sandbox.run(&["sessions"]));
    assert_snapshot!("sessions_all", sandbox.run(&["sessions", "--all"]));
}

#[test]
fn filters_narrow_the_list() {
    let sandbox = Sandbox::with_history();
    assert_eq!(ids(&sandbox, &[]).len(), 5);
    assert_eq!(ids(&sandbox, &["--all"]).len(), 6);
    assert_eq!(ids(&sandbox, &["--agent", "claude"]).len(), 3);
    assert_eq!(ids(&sandbox, &["--repo", "teashop", "--agent", "codex"]), ["codex:01"]);
    assert_eq!(ids(&sandbox, &["--branch", "main"]), ["claude:d"]);
    assert_eq!(ids(&sandbox, &["--since", "36h"]), ["grok:019", "codex:01"]);
    assert_eq!(ids(&sandbox, &["--since", "yesterday", "--until", "yesterday"]), ["codex:01"]);
    assert_eq!(ids(&sandbox, &["--until", "2026-11-10"]), ["claude:d"]);
    assert_eq!(ids(&sandbox, &["--limit", "2"]).len(), 2);
    assert_eq!(ids(&sandbox, &["--limit", "0"]).len(), 5);
}

#[test]
fn nothing_found_says_so() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!(sandbox.run(&["sessions", "--repo", "nowhere"]), @r"
    exit 5
    --- stderr
    no session matches
    ");
    assert_snapshot!(sandbox.run(&["sessions", "--since", "soon"]), @r#"
    exit 2
    --- stderr
    error: "soon" is no moment
      hint: try 2026-11-01, 2026-11-01T10:00:00Z, 7d, 3h, today or yesterday
    "#);
    assert_eq!(sandbox.run(&["sessions", "--outcome", "great"]).code, 2);
}

#[test]
fn without_an_archive_the_way_to_one_is_named() {
    let sandbox = Sandbox::new();
    for command in ["sessions", "status"] {
        let run = sandbox.run(&[command]);
        assert_eq!(run.code, 5, "{run}");
        assert!(run.stderr.contains("hint: run `backstory`"), "{run}");
    }
}
