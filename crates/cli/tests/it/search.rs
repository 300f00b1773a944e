//! `backstory search` and `backstory index`.

use crate::sandbox::Sandbox;
use crate::store::about_the_file;
use insta::assert_snapshot;
use std::io::Write;
use std::process::Stdio;

/// The sessions an answer tells, by the beginning of their ids.
fn sessions(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let lines = sandbox.json(&[&["search", "--json"], arguments].concat());
    let uids = lines[1..].iter().map(|line| line["session"]["session_uid"].as_str().unwrap());
    uids.map(|uid| uid.split(':').nth(1).unwrap()[..8].to_owned()).collect()
}

#[test]
fn moments_are_told_by_session() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!(
        "search",
        sandbox.run(&["search", "Europe/Berlin", "--mode", "lexical", "--context", "1"])
    );
    let coloured = sandbox.run(&["search", "Europe/Berlin", "--color", "always"]);
    assert!(coloured.stdout.contains("\u{1b}[1m\u{1b}[33m"), "{coloured}");
}

#[test]
fn a_place_can_be_shown() {
    let sandbox = Sandbox::with_history();
    let found = sandbox.run(&["search", "Europe/Berlin", "kind:test"]);
    let place = found.stdout.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    assert!(place.starts_with("5ca1ab1e/"), "{found}");
    let shown = sandbox.run(&["show", place]);
    assert!(shown.code == 0 && shown.stdout.contains("TZ=Europe/Berlin cargo test"), "{shown}");
}

#[test]
fn filters_may_be_words_or_flags() {
    let sandbox = Sandbox::with_history();
    assert!(sessions(&sandbox, &["expiry"]).len() > 1);
    for arguments in [
        &["expiry", "agent:codex"][..],
        &["expiry agent:codex"],
        &["expiry", "--agent", "codex"],
        &["expiry", "since:yesterday", "until:yesterday"],
        &["expiry", "--since", "yesterday", "--until", "yesterday"],
    ] {
        assert_eq!(sessions(&sandbox, arguments), ["019a7d3e"], "{arguments:?}");
    }
    let bad = sandbox.run(&["search", "expiry", "--kind", "promt"]);
    assert!(bad.code == 2 && bad.stderr.contains("did you mean prompt?"), "{bad}");
}

#[test]
fn words_are_left_out_without_a_quote() {
    let sandbox = Sandbox::with_history();
    let all = sessions(&sandbox, &["expiry", "--mode", "lexical"]);
    let left = sessions(&sandbox, &["expiry", "-Berlin", "--mode", "lexical"]);
    assert!(all.contains(&"5ca1ab1e".to_owned()) && !left.is_empty(), "{all:?} {left:?}");
    let moments = sandbox.run(&["search", "expiry", "-Berlin", "--mode", "lexical"]);
    assert!(!moments.stdout.contains("Berlin"), "{moments}");
}

#[test]
fn hints_do_not_stand_in_the_way() {
    let sandbox = Sandbox::with_history();
    let run = sandbox.run(&["search", "expiry", "agnet:codex"]);
    assert!(run.code == 0 && run.stderr.contains("hint: agnet: is no filter"), "{run}");
    let head = &sandbox.json(&["search", "expiry", "agnet:codex", "--json"])[0];
    assert!(head["hints"][0].as_str().unwrap().contains("did you mean agent:?"), "{head}");
}

#[test]
fn nothing_found_says_what_may_help() {
    let sandbox = Sandbox::with_history();
    assert_snapshot!(sandbox.run(&["search", "zyzzyva", "repo:nowhere", "--mode", "lexical"]), @r"
    exit 5
    --- stderr
    nothing matches
      look further, without the filters
      ask by meaning too: drop --mode lexical
      look for a beginning: zyzzyva*
      take in what is new: backstory sync
    ");
    let json = sandbox.json(&["search", "zyzzyva", "repo:nowhere", "--json"]);
    assert_eq!(json.len(), 1, "{json:?}");
    let empty = sandbox.run(&["search", "=>"]);
    assert!(empty.code == 2 && empty.stderr.contains("nothing to look for"), "{empty}");
}

#[test]
fn a_word_of_no_language_that_nobody_wrote_is_not_found() {
    let sandbox = Sandbox::with_history();
    assert!(sessions(&sandbox, &["zqxyzzyq"]).is_empty());
}

#[test]
fn files_and_commands_are_told_alone() {
    let sandbox = Sandbox::with_history();
    let files = sandbox.run(&["search", "expires", "--files"]);
    assert!(files.code == 0 && files.stdout.contains("src/session.rs"), "{files}");
    assert_snapshot!("search_commands", sandbox.run(&["search", "cargo test", "--commands"]));
    let failed = sandbox.json(&["search", "cargo", "exit:fail", "--commands", "--json"]);
    assert!(failed.len() > 1 && failed[1..].iter().all(|ran| ran["exit_code"] != 0), "{failed:?}");
}

#[test]
fn a_question_may_come_from_stdin() {
    let sandbox = Sandbox::with_history();
    let mut command = sandbox.command(&["search", "-", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"Europe/Berlin\xff \"unclosed").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("is never closed"), "{text}");
}

#[test]
fn the_index_can_be_rebuilt_and_is_missed() {
    let sandbox = Sandbox::with_history();
    let rebuilt = sandbox.run(&["index", "--rebuild"]);
    assert!(rebuilt.code == 0 && rebuilt.stdout.starts_with("built anew: 6 sessions"), "{rebuilt}");
    let again = sandbox.run(&["index"]);
    assert!(again.stdout.starts_with("the search index is up to date"), "{again}");
    let state = &sandbox.json(&["index", "--json"])[0];
    let name = state["name"].as_str().unwrap();
    assert!(state["documents"].as_u64().unwrap() > 0 && state["behind"] == 0, "{state}");
    about_the_file!("the index is lost as files are");
    fs_err::remove_dir_all(sandbox.home().join("archive").join(name)).unwrap();
    let missed = sandbox.run(&["search", "expiry"]);
    assert!(missed.code == 5 && missed.stderr.contains("backstory index"), "{missed}");
    assert_eq!(sandbox.run(&["index"]).code, 0);
    assert!(!sessions(&sandbox, &["expiry"]).is_empty());
}
