//! Pipes, colours, help and version: how the binary behaves among others.

use crate::sandbox::Sandbox;
use std::io::Read;
use std::process::Stdio;

#[test]
fn a_reader_that_leaves_is_no_error() {
    let sandbox = Sandbox::new();
    let long = "word ".repeat(2000);
    let turns: Vec<(&str, &str)> = (0..60).map(|_| (long.as_str(), long.as_str())).collect();
    sandbox.write_claude("10000000-1", &turns);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    for arguments in [&["show", "last", "--full"][..], &["show", "last", "--full", "--json"]] {
        let mut child = sandbox
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn colours_only_where_they_are_wanted() {
    let mut sandbox = Sandbox::with_history();
    let is_colourful =
        |sandbox: &Sandbox, arguments: &[&str]| sandbox.run(arguments).stdout.contains('\u{1b}');
    assert!(!is_colourful(&sandbox, &["sessions"]), "a pipe is no terminal");
    assert!(is_colourful(&sandbox, &["sessions", "--color", "always"]));
    assert!(!is_colourful(&sandbox, &["sessions", "--color", "never"]));
    assert!(!is_colourful(&sandbox, &["sessions", "--json", "--color", "always"]));
    sandbox.set("NO_COLOR", "1");
    assert!(!is_colourful(&sandbox, &["sessions"]));
    let error = sandbox.run(&["show", "nothing"]).stderr;
    assert!(!error.contains('\u{1b}'), "{error:?}");
}

#[test]
fn completions_and_manual_are_written() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = sandbox.run(&["completions", shell]);
        assert!(run.code == 0 && run.stdout.contains("sessions"), "{shell}: {run}");
    }
    assert_eq!(sandbox.run(&["completions", "cmd"]).code, 2);
    let page = sandbox.run(&["man"]).stdout;
    for expected in [".TH backstory 1", "BACKSTORY_HOME", "another sync is running"] {
        assert!(page.contains(expected), "{expected} is missing: {page}");
    }
}

#[test]
fn version_and_help_need_no_home() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["--version"]);
    let output = command.env_clear().output().unwrap();
    let version = String::from_utf8(output.stdout).unwrap();
    assert_eq!(version, format!("backstory {}\n", env!("CARGO_PKG_VERSION")));
    let mut command = sandbox.command(&["sessions"]);
    let output = command.env_clear().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--home DIR"));
}
