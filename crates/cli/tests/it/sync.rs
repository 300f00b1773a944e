//! `backstory sync`.

use crate::sandbox::{Sandbox, claude};
use crate::store::about_the_file;
use insta::assert_snapshot;
use std::io::Write;

const ID: &str = "5e551011-0000-4000-8000-000000000001";

#[test]
fn twice_changes_nothing_and_a_new_turn_is_all_that_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write_claude(ID, &[("Hello", "Hi"), ("Thanks", "Welcome")]);
    assert_snapshot!("sync_first", sandbox.run(&["sync"]));
    assert_snapshot!("sync_again", sandbox.run(&["sync"]));
    let log = sandbox.home().join(format!(".claude/projects/-shop/{ID}.jsonl"));
    let turns = [("Hello", "Hi"), ("Thanks", "Welcome"), ("One more", "Yes")];
    let mut file = fs_err::OpenOptions::new().append(true).open(&log).unwrap();
    let more = claude(ID, &turns);
    file.write_all(more.lines().skip(4).collect::<Vec<_>>().join("\n").as_bytes()).unwrap();
    file.write_all(b"\n").unwrap();
    let report = &sandbox.json(&["sync", "--json"])[0];
    let agent = &report["agents"].as_array().unwrap().iter().find(|a| a["flavor"] == "claude");
    let agent = agent.unwrap();
    assert_eq!((&agent["files_read"], &agent["new_events"]), (&1.into(), &2.into()), "{report}");
}

#[test]
fn a_dry_run_lists_files_and_stores_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    assert_snapshot!("sync_dry_run", sandbox.run(&["sync", "--dry-run"]));
    let planned = sandbox.json(&["sync", "--dry-run", "--json"]);
    assert_eq!(planned[0]["why"], "new");
    assert!(!sandbox.archive_in(".local/share/backstory").engine().exists().unwrap());
}

#[test]
fn a_root_replaces_the_agents_own() {
    let sandbox = Sandbox::new();
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    sandbox.write("elsewhere/other.jsonl", &claude("07e70000-1", &[("There", "Yes")]));
    let report = &sandbox.json(&["sync", "--json", "--root", "claude=~/elsewhere"])[0];
    let searched: Vec<&str> = report["roots"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|root| root["flavor"] == "claude")
        .map(|root| root["path"].as_str().unwrap())
        .collect();
    assert_eq!(searched, ["[HOME]/elsewhere"]);
    let others = report["roots"].as_array().unwrap().iter().any(|root| root["flavor"] == "codex");
    assert!(others, "other agents keep their own folders");
    let sessions = sandbox.json(&["sessions", "--json"]);
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0]["native_session_id"], "07e70000-1");
}

#[test]
fn wrong_arguments_are_refused() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["sync", "--root", "claude=/no/such/folder"][..],
        &["sync", "--agent", "codex", "--root", "claude=."],
        &["sync", "--root", "gemini=."],
        &["sync", "--root", "."],
        &["sync", "--agent", "gemini"],
        &["sync", "extra"],
        &["frobnicate"],
    ] {
        let run = sandbox.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?} {run}");
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
    assert_snapshot!(sandbox.run(&["sync", "--root", "claude=/no/such/folder"]), @r"
    exit 2
    --- stderr
    error: --root claude=/no/such/folder: /no/such/folder does not exist
    ");
}

#[test]
fn an_unusable_home_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    sandbox.write("file", "");
    let run = sandbox.run(&["--home", "file/archive", "sync"]);
    assert_eq!(run.code, 3, "{run}");
    assert!(run.stderr.contains("the archive cannot be used"), "{run}");
    about_the_file!("what is damaged is the file");
    sandbox.write("damaged/archive.db", "this is not a database, but long enough to look at it");
    let run = sandbox.run(&["--home", "damaged", "sync"]);
    assert_eq!(run.code, 3, "{run}");
    assert!(run.stderr.contains("is damaged") && run.stderr.contains("hint:"), "{run}");
}

#[test]
fn problems_set_the_exit_code_and_nothing_stops() {
    let sandbox = Sandbox::new();
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    sandbox.write(".claude/projects/-shop/bad-0001.jsonl", "{ not json\n");
    let run = sandbox.run(&["sync", "--quiet"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.contains("bad-0001.jsonl:1"), "{run}");
    assert_eq!(sandbox.json(&["sessions", "--json"]).len(), 1);
}

#[test]
fn a_second_sync_leaves_at_once() {
    let sandbox = Sandbox::new();
    sandbox.write_claude(ID, &[("Hello", "Hi")]);
    let home = sandbox.archive_in("held");
    let held = backstory_store::SweepLock::acquire(&home).unwrap();
    let run = sandbox.run(&["--home", "held", "sync"]);
    assert_eq!(run.code, 4, "{run}");
    assert!(run.stderr.contains("another sync is already running"), "{run}");
    drop(held);
    assert_eq!(sandbox.run(&["--home", "held", "sync"]).code, 0);
}
