//! `backstory show`.

use crate::sandbox::Sandbox;
use insta::assert_snapshot;

const HUNT: &str = "claude:5ca1ab1e-7e57-4c0d-9b0c-0f10a3b1c2d3";

#[test]
fn sessions_are_told_as_timelines() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!("show_claude", sandbox.run(&["show", "5ca1"]));
    assert_snapshot!("show_codex", sandbox.run(&["show", "codex:019a"]));
    assert_snapshot!("show_grok", sandbox.run(&["show", "last"]));
    assert_snapshot!("show_fork", sandbox.run(&["show", "f0cacc1a"]));
    assert_snapshot!("show_subagent", sandbox.run(&["show", "a5ee7ab1"]));
}

#[test]
fn full_shows_bookkeeping_and_cuts_nothing() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!("show_full", sandbox.run(&["show", "019a7d3e", "--full"]));
}

#[test]
fn markdown_can_be_passed_on() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!("show_markdown", sandbox.run(&["show", HUNT, "--markdown"]));
}

#[test]
fn an_address_shows_one_event_and_its_neighbours() {
    let sandbox = Sandbox::with_history();
    let run = sandbox.run(&["show", &format!("backstory://{HUNT}/4")]);
    assert_snapshot!("show_address", run);
    let run = sandbox.run(&["show", &format!("backstory://{HUNT}/4000")]);
    assert_eq!(run.code, 5, "{run}");
    let whole = sandbox.run(&["show", &format!("backstory://{HUNT}")]);
    assert_eq!(whole.stdout, sandbox.run(&["show", HUNT]).stdout);
}

#[test]
fn ambiguous_and_unknown_ids_are_told_apart() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!("show_ambiguous", sandbox.run(&["show", "019a7"]));
    assert_snapshot!("show_unknown", sandbox.run(&["show", "ffffffff"]));
}

#[test]
fn json_is_a_session_and_its_events_with_payloads_on_request() {
    let sandbox = Sandbox::with_history();
    let lines = sandbox.json(&["show", "019a7d3e", "--json"]);
    let (session, events) = lines.split_first().unwrap();
    assert_eq!(session["events"].as_u64().unwrap() as usize, events.len());
    assert!(events.iter().all(|event| event.get("payload").is_none()));
    let places: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(places.is_sorted());
    let full = sandbox.json(&["show", "019a7d3e", "--json", "--full"]);
    let patch = full.iter().find(|event| event["kind"] == "edit").unwrap();
    assert!(patch["payload"].as_str().unwrap().contains("*** Update File: src/checkout.rs"));
    assert_eq!(sandbox.run(&["show", "last", "--json", "--markdown"]).code, 2);
}

#[test]
fn logs_cannot_steer_the_terminal() {
    let sandbox = Sandbox::new();
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{202e}txt\r\nnext";
    sandbox.write_claude("baadf00d-1", &[(hostile, hostile)]);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    for arguments in [
        &["show", "last", "--color", "always"][..],
        &["show", "last", "--color", "always", "--full"],
        &["show", "last", "--markdown"],
        &["sessions"],
    ] {
        let out = sandbox.run(arguments).stdout;
        for bad in ["\u{1b}]", "\u{7}", "\u{202e}", "\r", "\u{1b}[31mred"] {
            assert!(!out.contains(bad), "{arguments:?} lets {bad:?} through: {out:?}");
        }
    }
}
