//! TOML settings: the MCP server.

use super::super::{Part, with_ours, without_ours};
use super::{check_round, is_part_of, program, with};
use backstory_model::Flavor;
use insta::assert_snapshot;

const FILES: [(&str, &str); 10] = [
    ("an ordinary file", "model = \"gpt-5.5\"\n\n[features]\nplugins = false # slow\n"),
    ("other servers", "[mcp_servers.a]\ncommand = \"a\"\n\n[other]\nx = 1\n# the end\n"),
    ("dotted", "mcp_servers.a.command = \"a\"\nx = 1\n"),
    ("a table of servers", "[mcp_servers]\na = { command = \"a\" }\n"),
    ("in one line", "mcp_servers = { a = { command = \"a\" } }\nx = 1\n"),
    ("Windows lines", "a = 1\r\n\r\n[b]\r\nc = 2\r\n"),
    ("a byte order mark", "\u{feff}a = 1\n"),
    ("lists of tables", "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = '''\nx\n'''\n"),
    ("blank lines at the end", "a = 1\n\n\n"),
    ("only a remark", "# nothing yet\n"),
];

#[test]
fn the_server_goes_in_and_out_of_any_settings() {
    for (name, text) in FILES {
        let with_it = check_round(Part::TomlServer, name, text);
        let read: toml::Table = with_it.trim_start_matches('\u{feff}').parse().unwrap();
        let server = &read["mcp_servers"]["backstory"];
        assert_eq!(server["command"].as_str(), Some("/opt/my tools/backstory"), "{name}");
        let mut left = read.clone();
        let servers = left["mcp_servers"].as_table_mut().unwrap();
        servers.remove("backstory");
        if servers.is_empty() {
            left.remove("mcp_servers");
        }
        let before: toml::Table = text.trim_start_matches('\u{feff}').parse().unwrap();
        assert_eq!(left, before, "{name}");
    }
    assert_eq!(with(Part::TomlServer, "").unwrap().lines().next(), Some("[mcp_servers.backstory]"));
}

#[test]
fn lines_end_as_they_did() {
    let with_it = with(Part::TomlServer, FILES[5].1).unwrap();
    assert_eq!(with_it.matches('\n').count(), with_it.matches("\r\n").count());
}

#[test]
fn a_file_without_a_last_line_end_gets_one() {
    let with_it = with(Part::TomlServer, "a = 1").unwrap();
    assert!(with_it.starts_with("a = 1\n\n[mcp_servers.backstory]\n"), "{with_it}");
    assert_eq!(without_ours(Part::TomlServer, &with_it, None).unwrap(), "a = 1\n");
}

const GROWN: &str = "[mcp_servers.backstory]
# slow machine
startup_timeout_sec = 30
command = \"/old/backstory\"
args = [\"serve\"]

[mcp_servers.backstory.env]
OLD = \"1\"

[mcp_servers.backstory.tools.recall]
approval_mode = \"approve\"

# of mine
[tui]
theme = \"dark\"
";

#[test]
fn an_older_server_is_brought_up_to_date_and_keeps_what_was_added() {
    assert_snapshot!(with(Part::TomlServer, GROWN).unwrap(), @r#"
    [mcp_servers.backstory]
    # slow machine
    startup_timeout_sec = 30
    command = "/opt/my tools/backstory"
    args = ["mcp"]

    [mcp_servers.backstory.env]
    OLD = "1"

    [mcp_servers.backstory.tools.recall]
    approval_mode = "approve"

    # of mine
    [tui]
    theme = "dark"
    "#);
    let mut program = program();
    program.home = Some("/else where".into());
    let with_home = with_ours(Part::TomlServer, Flavor::Codex, GROWN, &program).unwrap();
    let read: toml::Table = with_home.parse().unwrap();
    let env = &read["mcp_servers"]["backstory"]["env"];
    assert_eq!(env.as_table().unwrap().len(), 2, "{with_home}");
    assert_eq!(env["BACKSTORY_HOME"].as_str(), Some("/else where"));
    assert_eq!(env["OLD"].as_str(), Some("1"));
}

/// Our server with variables somebody added, written in every way there is.
const WITH_VARIABLES: [&str; 7] = [
    "[mcp_servers.backstory]\ncommand = \"/old/backstory\"\n[mcp_servers.backstory.env] # mine\nFOO=\"1\" # keep\n[z]\nq=1\n",
    "[mcp_servers.backstory]\ncommand = \"/old/backstory\"\nenv = { FOO=\"1\" } # keep\n",
    "[mcp_servers.backstory]\r\ncommand = \"/old/backstory\"\r\nenv.FOO=\"1\" # keep\r\n",
    "[mcp_servers.backstory]\ncommand = \"/old/backstory\"\nenv = {} # keep\nFOO=\"1\"",
    "mcp_servers = { backstory = { command = \"/old/backstory\", env = { FOO=\"1\" } } } # keep\n",
    "mcp_servers.backstory.command = \"/old/backstory\"\nmcp_servers.backstory.env.FOO=\"1\" # keep\nx = 1\n",
    "[mcp_servers]\n  backstory.command = \"/old/backstory\" # keep\n  backstory.env = { FOO=\"1\" }",
];

#[test]
fn variables_of_others_stay_as_they_are_written() {
    let mut with_home = program();
    with_home.home = Some("/else where".into());
    with_home.variables.insert("CODEX_HOME".into(), "/c".into());
    for text in WITH_VARIABLES {
        let moved = text.replace("/old/backstory", "/opt/my tools/backstory");
        let plain = with(Part::TomlServer, text).unwrap();
        assert!(is_part_of(&moved, &plain), "{plain}");
        assert!(!plain.contains("_HOME"), "{plain}");
        let homed = with_ours(Part::TomlServer, Flavor::Codex, &plain, &with_home).unwrap();
        assert!(is_part_of(&plain, &homed), "{homed}");
        let read: toml::Table = homed.parse().unwrap();
        let server = &read["mcp_servers"]["backstory"];
        assert_eq!(server["args"][0].as_str(), Some("mcp"), "{homed}");
        assert_eq!(server["env"]["BACKSTORY_HOME"].as_str(), Some("/else where"), "{homed}");
        assert_eq!(server["env"]["CODEX_HOME"].as_str(), Some("/c"), "{homed}");
        let again = with_ours(Part::TomlServer, Flavor::Codex, &homed, &with_home).unwrap();
        assert_eq!(again, homed, "a second time changes it");
        // What only an earlier installation said goes again, and nothing else.
        let back: toml::Table = with(Part::TomlServer, &homed).unwrap().parse().unwrap();
        let mut expected: toml::Table = plain.parse().unwrap();
        if text.contains("env = {} ") {
            let server = expected["mcp_servers"]["backstory"].as_table_mut().unwrap();
            server.remove("env");
        }
        assert_eq!(back, expected, "{homed}");
    }
}

#[test]
fn dotted_keys_are_followed_or_refused_but_never_broken() {
    let dotted = "a = 1\nmcp_servers.backstory.command = \"/old/backstory\" # mine\nb = 2";
    assert_snapshot!(with(Part::TomlServer, dotted).unwrap(), @r#"
    a = 1
    mcp_servers.backstory.command = "/opt/my tools/backstory" # mine
    mcp_servers.backstory.args = ["mcp"]
    b = 2
    "#);
    let others = "mcp_servers = { a.command = \"a\" }\n";
    check_round(Part::TomlServer, "dotted in one line", others);
    let inline = "x = 1\nmcp_servers = { backstory.command = \"backstory\" }\n";
    let refusal = with(Part::TomlServer, inline).unwrap_err();
    assert!(refusal.what.contains("without touching the rest"), "{refusal:?}");
}

#[test]
fn everything_below_our_server_goes_with_it() {
    let without = without_ours(Part::TomlServer, GROWN, None).unwrap();
    assert_eq!(without, "\n# of mine\n[tui]\ntheme = \"dark\"\n");
    for ours in [
        "mcp_servers = { backstory = { command = \"backstory\" } }\nx = 1\n",
        "[mcp_servers]\nbackstory = { command = \"backstory\" }\n\n[x]\ny = 1\n",
        "mcp_servers.backstory.command = \"backstory\"\nx = 1\n",
    ] {
        let without = without_ours(Part::TomlServer, ours, None).unwrap();
        let read: toml::Table = without.parse().unwrap();
        assert!(read.contains_key("x"), "{without}");
        assert!(!without.contains("backstory"), "{without}");
    }
}

#[test]
fn what_cannot_be_understood_is_refused_with_its_line() {
    for (text, line) in [
        ("a = 1\nb = \n", 2),
        ("a = 1\nmcp_servers = 3\n", 2),
        ("\n[mcp_servers.backstory]\ncommand = \"npx\"\n", 2),
    ] {
        let refusal = with(Part::TomlServer, text).unwrap_err();
        assert_eq!(refusal.line, Some(line), "{text}: {refusal:?}");
    }
    let foreign = "[mcp_servers.backstory]\ncommand = \"npx\"\n";
    assert_eq!(without_ours(Part::TomlServer, foreign, None).unwrap(), foreign);
}
