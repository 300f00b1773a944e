//! `backstory doctor`.

use crate::sandbox::Sandbox;
use crate::store::{self, PACKS_MARKER};
use insta::assert_snapshot;

#[test]
fn a_healthy_archive_gets_a_clean_bill() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!("doctor", sandbox.run(&["doctor"]));
}

#[test]
fn the_secret_itself_is_never_shown() {
    let sandbox = Sandbox::with_history();
    let log = sandbox.run(&["show", "de9107ed", "--json", "--full"]).stdout;
    let report = sandbox.run(&["doctor", "--json"]).stdout;
    for text in [&log, &report] {
        assert!(!text.contains("ghp_R7bq2"), "{text}");
    }
    assert!(report.contains("github-token"), "{report}");
}

#[test]
fn versions_nobody_checked_are_warned_of_once_and_read() {
    let sandbox = Sandbox::new();
    let log = crate::sandbox::claude("0ddba110-1", &[("New", "Yes")]);
    let newer = log.replace("2.1.217", "99.0.1");
    // A warning nobody reads is none.
    let before = newer.replace("0ddba110-1", "0ddba110-0");
    sandbox.write(".claude/projects/-shop/0ddba110-0.jsonl", &before);
    assert_eq!(sandbox.run(&["sync", "--quiet"]).stderr, "");
    sandbox.write(".claude/projects/-shop/0ddba110-1.jsonl", &newer);
    let run = sandbox.run(&["sync"]);
    assert_eq!(run.code, 0, "{run}");
    assert_snapshot!(run.stderr, @"warning: Claude Code 99.0.1 was not checked with this program; its logs are read all the same");
    sandbox.write(
        ".claude/projects/-shop/0ddba110-2.jsonl",
        &newer.replace("0ddba110-1", "0ddba110-2"),
    );
    assert_eq!(sandbox.run(&["sync"]).stderr, "");
    let doctor = sandbox.run(&["doctor"]).stdout;
    assert!(doctor.contains("Claude Code 99.0.1 was not checked: 3 sessions"), "{doctor}");
    assert!(doctor.contains("Codex CLI 0."), "{doctor}");
    assert_eq!(sandbox.json(&["sessions", "--json"]).len(), 3);
}

#[test]
fn before_the_first_sync_only_the_folders_are_looked_at() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["doctor"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("nothing has been taken in yet"), "{run}");
}

#[test]
fn what_is_not_read_yet_is_noted() {
    let sandbox = Sandbox::with_history();
    sandbox.write_claude("0ddba110-1", &[("New", "Yes")]);
    let run = sandbox.run(&["doctor"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("1 not read yet"), "{run}");
}

#[cfg(unix)]
#[test]
fn trouble_of_every_kind_is_found() {
    use std::os::unix::fs::PermissionsExt;
    let mut sandbox = Sandbox::with_history();
    let silent = ".claude/projects/-shop/51e47000-1.jsonl";
    let odd =
        "{\"type\":\"tomorrow\",\"version\":\"9.9\",\"sessionId\":\"51e47000-1\"}\n{ broken\n";
    sandbox.write(silent, odd);
    sandbox.run(&["sync"]);
    let archive = sandbox.home().join("archive");
    fs_err::set_permissions(&archive, PermissionsExt::from_mode(0o755)).unwrap();
    let packs = walk(&store::packs(&archive));
    let pack = packs.into_iter().find(|path| !path.ends_with(PACKS_MARKER)).unwrap();
    let len = fs_err::metadata(&pack).unwrap().len();
    let file = fs_err::OpenOptions::new().write(true).open(&pack).unwrap();
    file.set_len(len / 2).unwrap();
    sandbox.set("CODEX_HOME", "/no/such/place");
    let run = sandbox.run(&["doctor"]);
    assert_eq!(run.code, 1, "{run}");
    for expected in [
        "others can read it (mode 755)",
        "unknown type `tomorrow`",
        "unreadable",
        "51e47000-1.jsonl:2",
        "yet no message was found in it",
        "pack block at",
        "it is named by CODEX_HOME",
        "things need attention.",
    ] {
        assert!(run.stdout.contains(expected), "{expected:?} is missing: {run}");
    }
    let levels = sandbox.json(&["doctor", "--json"]);
    assert!(levels.iter().any(|check| check["level"] == "attention"));
    assert!(levels.iter().any(|check| check["level"] == "note"));
}

#[test]
fn packs_without_a_session_are_named() {
    let sandbox = Sandbox::with_history();
    let packs = store::packs(&sandbox.home().join("archive"));
    fs_err::create_dir_all(packs.join("ff")).unwrap();
    fs_err::write(packs.join("ff/0000ffff.pack"), "left behind").unwrap();
    let run = sandbox.run(&["doctor"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.contains("0000ffff.pack  belongs to no session"), "{run}");
}

#[cfg(unix)]
fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}
