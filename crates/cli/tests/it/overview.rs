//! `backstory` without a command.

use crate::sandbox::Sandbox;
use insta::assert_snapshot;

#[test]
fn a_fresh_machine_is_told_where_was_looked() {
    let sandbox = Sandbox::new();
    assert_snapshot!(sandbox.run(&[]));
}

#[test]
fn a_first_run_tells_what_there_is() {
    let sandbox = Sandbox::with_history();
    sandbox.remove_archive("archive");
    assert_snapshot!("first", sandbox.run(&[]));
    assert_snapshot!("second", sandbox.run(&[]));
}

#[test]
fn quiet_says_nothing_when_all_is_well() {
    let sandbox = Sandbox::with_history();
    let run = sandbox.run(&["--quiet"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
}

#[test]
fn problems_are_named_with_file_and_line() {
    let sandbox = Sandbox::new();
    sandbox.write_claude("aaaaaaaa-1111", &[("Hello", "Hi")]);
    let log = sandbox.home().join(".claude/projects/-shop/aaaaaaaa-1111.jsonl");
    let text = fs_err::read_to_string(&log).unwrap();
    fs_err::write(&log, format!("{{ not json\n{text}")).unwrap();
    assert_snapshot!(sandbox.run(&[]));
}
