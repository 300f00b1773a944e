//! `docs/cli.md` is the help of every command, and stays it.

use crate::sandbox::Sandbox;
use std::fmt::Write;

const COMMANDS: [&str; 34] = [
    "sync",
    "watch",
    "search",
    "sessions",
    "show",
    "digest",
    "signals",
    "patterns",
    "errors",
    "decisions",
    "recall",
    "why",
    "mute",
    "install",
    "uninstall",
    "hook",
    "mcp",
    "serve",
    "commit",
    "distil",
    "index",
    "evict",
    "pin",
    "forget",
    "export",
    "import",
    "migrate-store",
    "status",
    "doctor",
    "config",
    "schedule",
    "demo",
    "completions",
    "man",
];

#[test]
fn the_reference_equals_the_help() {
    let sandbox = Sandbox::new();
    let mut reference = String::from(
        "# Command line\n\nWritten from `backstory --help`; a test compares the two.\n",
    );
    let mut add = |arguments: &[&str]| {
        let help = sandbox.run(&[arguments, &["--help"]].concat());
        assert_eq!(help.code, 0, "{help}");
        let name = [&["backstory"], arguments].concat().join(" ");
        let lines: Vec<&str> = help.stdout.trim_end().lines().map(str::trim_end).collect();
        let _ = write!(reference, "\n## `{name}`\n\n```text\n{}\n```\n", lines.join("\n"));
        help.stdout
    };
    let top = add(&[]);
    for command in COMMANDS {
        add(&[command]);
        let actions: &[&str] = match command {
            "schedule" => &["install", "remove", "show"],
            "decisions" => {
                &["show", "stats", "suggested", "accept", "reject", "reset", "export", "import"]
            }
            _ => &[],
        };
        for action in actions {
            add(&[command, action]);
        }
    }
    let listed = top.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed: Vec<&str> = listed
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(listed, COMMANDS, "a command is missing here");
    compare("docs/cli.md", &reference);
}

/// Compares with a file of the repository; on a difference the right text is left to be copied.
fn compare(path: &str, expected: &str) {
    let file = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    if fs_err::read_to_string(&file).is_ok_and(|text| text == expected) {
        return;
    }
    let name = path.rsplit('/').next().unwrap();
    let fresh = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    fs_err::write(&fresh, expected).unwrap();
    panic!("{path} is not up to date: cp {fresh} {path}");
}
