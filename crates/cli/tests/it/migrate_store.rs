//! `backstory migrate-store`: from a file to a real Postgres and back.

use crate::json::{assert_same_fields, documented};
use crate::sandbox::Sandbox;
use crate::store::about_the_file;
use backstory_testkit::postgres::{Database, database};
use std::time::Duration;

/// A history with digests, and an empty database.
fn history() -> (Sandbox, Database) {
    (crate::digest::distilled(), database())
}

fn export(sandbox: &Sandbox, home: &str) -> String {
    let out = format!("{home}.jsonl");
    let run = sandbox.run(&["export", "--home", home, "--out", &out]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    fs_err::read_to_string(sandbox.home().join(out)).unwrap()
}

/// Moves the archive of the sandbox there, and from there into a folder.
fn there_and_back(sandbox: &Sandbox, there: &Database, back: &str) -> (String, String) {
    let sent = sandbox.run(&["migrate-store", "--from", "local", "--to", &there.url]);
    assert_eq!(sent.code, 0, "{}", sent.stderr);
    let fetched = sandbox.run(&["migrate-store", "--from", &there.url, "--to", back]);
    assert_eq!(fetched.code, 0, "{}", fetched.stderr);
    (sent.stdout, fetched.stdout)
}

fn local_export(sandbox: &Sandbox) -> String {
    export(sandbox, "archive")
}

#[test]
fn an_archive_comes_back_as_it_went() {
    about_the_file!("the move is from a file to Postgres and back");
    let (sandbox, there) = history();
    let sealed = sandbox.run(&["commit", "5ca1ab1e"]);
    assert_eq!(sealed.code, 0, "{sealed}");
    sandbox.write("hub.json", "[{\"id\": 7, \"title\": \"Move?\", \"answer\": \"yes\"}]");
    assert_eq!(sandbox.run(&["decisions", "import", "--hub", "hub.json"]).code, 0);
    for line in ["seal", "decision", "hub_decision"] {
        assert!(local_export(&sandbox).contains(&format!("\"type\":\"{line}\"")), "{line}");
    }
    let (sent, fetched) = there_and_back(&sandbox, &there, "back");
    assert!(sent.contains("on both sides"), "{sent}");
    let hash = |told: &str| told.split("hash ").nth(1).map(|rest| rest[..16].to_owned());
    assert_eq!(hash(&sent), hash(&fetched));
    assert_eq!(export(&sandbox, "back"), local_export(&sandbox));
    let found = sandbox.run(&["--store", &there.url, "search", "expiry"]);
    assert_eq!(found.code, 0, "{}", found.stderr);
    let again = sandbox.json(&["migrate-store", "--from", "local", "--to", &there.url, "--json"]);
    let heading = "backstory migrate-store --json";
    assert_same_fields(heading, &documented()[heading][0], &again[0]);
    assert_eq!(again[0]["sessions"], again[0]["sessions_there"]);
    assert_eq!(again[0]["sources"], again[0]["sources_there"]);
}

#[test]
fn what_changed_since_is_moved_again() {
    about_the_file!("the move is from a file to Postgres and back");
    let (sandbox, there) = history();
    there_and_back(&sandbox, &there, "before");
    sandbox.write_claude("0000000a-7e57-4c0d-9b0c-0f10a3b1c2d3", &[("why?", "because")]);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    there_and_back(&sandbox, &there, "after");
    let after = export(&sandbox, "after");
    assert_eq!(after, local_export(&sandbox));
    assert_ne!(after, export(&sandbox, "before"));
}

#[test]
fn a_move_that_is_killed_goes_on() {
    about_the_file!("the move is from a file to Postgres and back");
    let (sandbox, there) = history();
    for wait in [10, 30, 60, 100, 150, 220] {
        let arguments = ["migrate-store", "--from", "local", "--to", &there.url];
        let mut moving = sandbox.command(&arguments).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        moving.kill().unwrap();
        moving.wait().unwrap();
    }
    there_and_back(&sandbox, &there, "back");
    assert_eq!(export(&sandbox, "back"), local_export(&sandbox));
}

#[test]
fn an_archive_of_others_is_left_alone() {
    about_the_file!("the move is from a file to Postgres and back");
    let (sandbox, there) = history();
    sandbox.write("other/x.jsonl", &crate::sandbox::claude("0b", &[("mine", "yours")]));
    let other = ["sync", "--root", "claude=other", "--store", &there.url];
    assert_eq!(sandbox.run(&other).code, 0);
    let refused = sandbox.run(&["migrate-store", "--from", "local", "--to", &there.url]);
    assert_eq!(refused.code, 3);
    assert!(refused.stderr.contains("does not come from"), "{}", refused.stderr);
    let itself = sandbox.run(&["migrate-store", "--from", "local", "--to", "local"]);
    assert_eq!(itself.code, 2);
    let nothing = sandbox.run(&["migrate-store", "--from", "nowhere", "--to", &there.url]);
    assert_eq!(nothing.code, 5);
}
