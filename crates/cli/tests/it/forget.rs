//! `backstory forget`.

use crate::sandbox::{Sandbox, claude};
use insta::assert_snapshot;

const ID: &str = "f0e6e700-0000-4000-8000-000000000001";
const PHRASE: &str = "the zebra password";

/// The demo's history and a session nobody wants to be reminded of.
fn history() -> Sandbox {
    let sandbox = Sandbox::with_history();
    let prompt = format!("Never mention {PHRASE} again");
    sandbox.write_claude(ID, &[(&prompt, "I will not"), ("Sure?", &format!("Yes: {PHRASE}"))]);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    sandbox
}

fn ids(sandbox: &Sandbox) -> Vec<String> {
    let sessions = sandbox.json(&["sessions", "--all", "--json"]);
    sessions.iter().map(|session| session["session_uid"].as_str().unwrap()[..14].into()).collect()
}

#[test]
fn what_is_forgotten_is_nowhere_and_does_not_come_back() {
    let sandbox = history();
    assert!(!sandbox.holders(PHRASE).is_empty(), "the phrase is found while it is here");
    let before = sandbox.json(&["status", "--json"])[0]["agents"][0]["cost"].clone();
    assert_snapshot!("forget_dry_run", sandbox.run(&["forget", "--match", "ZEBRA", "--dry-run"]));
    assert_eq!(ids(&sandbox).len(), 7);
    assert_snapshot!("forget", sandbox.run(&["forget", "--match", "ZEBRA", "--yes"]));
    let log = sandbox.home().join(format!(".claude/projects/-shop/{ID}.jsonl"));
    for arguments in [&["sync"][..], &["sync", "--reparse"], &["distil", "--all"]] {
        assert_eq!(sandbox.run(arguments).code, 0, "{arguments:?}");
        assert_eq!(sandbox.holders(PHRASE), [""; 0], "{arguments:?}");
        assert_eq!(sandbox.holders(ID), ["rows"]);
        assert_eq!(ids(&sandbox).len(), 6, "{arguments:?}");
    }
    let after = sandbox.json(&["status", "--json"])[0]["agents"][0]["cost"].clone();
    assert_eq!(before, after, "token counts stay");

    let grown = [("a", "b"), ("c", "d"), ("One more word on it", &format!("{PHRASE} it is"))];
    let old = fs_err::read_to_string(&log).unwrap();
    let more: Vec<String> = claude(ID, &grown).lines().skip(4).map(str::to_owned).collect();
    fs_err::write(&log, format!("{old}{}\n{{ broken {PHRASE}\n", more.join("\n"))).unwrap();
    let report = &sandbox.json(&["sync", "--json"])[0];
    assert_eq!(report["agents"][0]["new_events"], 0, "{report}");
    assert_eq!(sandbox.holders(PHRASE), [""; 0]);
    assert_eq!(sandbox.run(&["show", ID]).code, 5);
    let doctor = sandbox.run(&["doctor"]);
    assert!(doctor.code == 0 && !doctor.stdout.contains(ID), "{doctor}");
}

#[test]
fn subagents_go_with_their_session_and_forks_keep_only_their_own() {
    let sandbox = history();
    let run = sandbox.run(&["forget", "5ca1ab1e", "--yes"]);
    assert!(run.code == 0 && run.stdout.contains("2 sessions"), "{run}");
    assert_eq!(sandbox.run(&["sync", "--reparse"]).code, 0);
    let left = ids(&sandbox);
    assert!(left.contains(&"claude:f0cacc1".to_owned()), "the fork stays: {left:?}");
    assert_eq!(left.len(), 5, "{left:?}");
    // Copied into the fork's log, told by the forgotten session only.
    assert_eq!(sandbox.holders("the session test fails twice a year"), [""; 0]);
    let doctor = sandbox.run(&["doctor"]);
    assert!(doctor.code == 0, "{doctor}");
}

#[test]
fn a_new_subagent_of_a_forgotten_session_is_not_taken_in() {
    let sandbox = history();
    let known = find(&sandbox.home().join(".claude/projects"), "agent-");
    let name = known.file_stem().unwrap().to_str().unwrap().to_owned();
    assert_eq!(sandbox.run(&["forget", "5ca1ab1e", "--yes"]).code, 0);
    let before = ids(&sandbox);
    let text = fs_err::read_to_string(&known).unwrap();
    let text = text
        .replace(name.trim_start_matches("agent-"), "feedbee")
        .replace("uuid\":\"", "uuid\":\"f");
    let fresh = known.with_file_name("agent-feedbee.jsonl");
    fs_err::write(&fresh, &text).unwrap();
    for arguments in [&["sync"][..], &["sync"], &["sync", "--reparse"]] {
        assert_eq!(sandbox.run(arguments).code, 0, "{arguments:?}");
        assert_eq!(ids(&sandbox), before, "{arguments:?}");
        let mut more = fs_err::read_to_string(&fresh).unwrap();
        more.push_str(&text.lines().last().unwrap().replace("uuid\":\"", "uuid\":\"e"));
        fs_err::write(&fresh, more + "\n").unwrap();
    }
}

/// The first file below a folder whose name begins like this.
fn find(dir: &std::path::Path, beginning: &str) -> std::path::PathBuf {
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().unwrap().to_str().unwrap().starts_with(beginning) {
                return path;
            }
        }
    }
    panic!("there is no {beginning}…");
}

#[test]
fn conditions_combine() {
    let sandbox = history();
    let chosen = |arguments: &[&str]| {
        let all = [&["forget", "--dry-run", "--json"], arguments].concat();
        let receipt = sandbox.json(&all);
        receipt.first().map_or(0, |receipt| receipt["sessions"].as_array().unwrap().len())
    };
    assert_eq!(chosen(&["--repo", "teashop"]), 6);
    assert_eq!(chosen(&["--repo", "teashop", "--since", "36h"]), 2);
    assert_eq!(chosen(&["--repo", "teashop", "--since", "36h", "--match", "changelog"]), 1);
    assert_eq!(chosen(&["last", "--repo", "nowhere"]), 0);
    assert_eq!(chosen(&["5ca1ab1e", "last"]), 3);
    assert_eq!(sandbox.run(&["forget", "last", "--repo", "nowhere", "--yes"]).code, 5);
    assert_eq!(ids(&sandbox).len(), 7, "a dry run does nothing");
}

#[test]
fn nobody_is_asked_where_nobody_is() {
    let sandbox = history();
    let run = sandbox.run(&["forget", ID]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("nobody is here to confirm"), "{run}");
    for wrong in [
        &["forget", "--yes"][..],
        &["forget", "--match", " ", "--yes"],
        &["forget", &format!("backstory://claude:{ID}/1"), "--yes"],
    ] {
        assert_eq!(sandbox.run(wrong).code, 2, "{wrong:?}");
    }
    assert_eq!(ids(&sandbox).len(), 7);
}
