//! The real agent CLIs, after `backstory install` in a fresh home: they load the settings, run the hooks
//! and start the MCP server. A stand-in takes our place and writes down what it is run for.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use backstory_model::Flavor;
use backstory_testkit::agents::{Agent, Clis, cache, install};
use backstory_testkit::mock::Mock;
use backstory_testkit::sandbox::SEARCH_PATH;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Writes down its arguments and hands nothing back. Grok runs the hooks of Claude Code too.
const STAND_IN: &str = "#!/bin/sh\necho \"$*\" >> \"$HOME/calls\"\ncat > /dev/null\necho '{}'\n";
const PROMPT: &str = "A prompt. @@sh echo a-command-ran@@ @@say An answer.@@";

fn clis() -> Clis {
    install(&cache().unwrap()).unwrap_or_else(|error| {
        panic!("the real agent CLIs could not be had, so nothing was tested: {error}")
    })
}

fn backstory(home: &Path, arguments: &[&str], path: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backstory"))
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .env("PATH", path)
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&said).into_owned()
}

/// Puts the stand-in where the settings name this program.
fn stand_in(home: &Path, files: &[&str]) {
    let program = home.join("backstory");
    fs_err::write(&program, STAND_IN).unwrap();
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    for file in files {
        let file = home.join(file);
        let settings = fs_err::read_to_string(&file).unwrap();
        assert!(settings.contains(env!("CARGO_BIN_EXE_backstory")), "{settings}");
        let settings =
            settings.replace(env!("CARGO_BIN_EXE_backstory"), &program.display().to_string());
        fs_err::write(&file, settings).unwrap();
    }
}

fn assert_calls(home: &Path, flavor: Flavor, events: &[&str]) {
    let calls = fs_err::read_to_string(home.join("calls")).unwrap_or_default();
    for event in events {
        let call = format!("hook {flavor} {event}");
        assert!(calls.lines().any(|line| line == call), "{call:?} is missing:\n{calls}");
    }
    assert!(calls.lines().any(|line| line == "mcp"), "the server was not started:\n{calls}");
}

#[test]
fn claude_code_runs_what_is_installed() {
    let (clis, mock, dir) = (clis(), Mock::start().unwrap(), tempfile::tempdir().unwrap());
    let agent = Agent::prepare(Flavor::Claude, &clis, dir.path(), &mock).unwrap();
    let home = &agent.sandbox().home;
    let installed = backstory(home, &["install", "claude"], SEARCH_PATH);
    assert!(installed.status.success(), "{}", text(&installed));
    stand_in(home, &[".claude/settings.json", ".claude.json"]);
    agent.run(PROMPT).unwrap();
    let events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"];
    assert_calls(home, Flavor::Claude, &events);
    // It has rewritten its state meanwhile; ours is taken out all the same.
    let removed = backstory(home, &["uninstall", "claude"], SEARCH_PATH);
    assert!(removed.status.success(), "{}", text(&removed));
    for file in [".claude/settings.json", ".claude.json"] {
        let left = fs_err::read_to_string(home.join(file)).unwrap_or_default();
        assert!(!left.contains("hook claude") && !left.contains("\"mcp\""), "{file}: {left}");
    }
    agent.run("Another prompt. @@say Another answer.@@").unwrap();
}

#[test]
fn codex_lists_the_hooks_and_runs_those_it_may() {
    let (clis, mock, dir) = (clis(), Mock::start().unwrap(), tempfile::tempdir().unwrap());
    let agent = Agent::prepare(Flavor::Codex, &clis, dir.path(), &mock).unwrap();
    let home = &agent.sandbox().home;
    let installed = backstory(home, &["install", "codex"], SEARCH_PATH);
    assert!(text(&installed).contains("only once you trust them"), "{}", text(&installed));
    let codex = clis.program(Flavor::Codex);
    let path = format!("{}:{SEARCH_PATH}", codex.parent().unwrap().display());
    let doctor = text(&backstory(home, &["doctor"], &path));
    assert!(doctor.contains("10 hooks not trusted yet"), "{doctor}");
    stand_in(home, &[".codex/hooks.json", ".codex/config.toml"]);
    agent.run(PROMPT).unwrap();
    let calls = fs_err::read_to_string(home.join("calls")).unwrap_or_default();
    assert!(!calls.contains("hook"), "hooks nobody trusts are left out: {calls}");
    let arguments = ["exec", "--dangerously-bypass-hook-trust", "--json", PROMPT];
    let mut command = agent.sandbox().command(&codex);
    let ran = command.env("SCRIPTED_API_KEY", "scripted").args(arguments).output().unwrap();
    assert!(ran.status.success(), "{}", text(&ran));
    let events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"];
    assert_calls(home, Flavor::Codex, &events);
}

#[test]
fn grok_runs_what_is_installed_and_reads_the_rule() {
    let (clis, mock, dir) = (clis(), Mock::start().unwrap(), tempfile::tempdir().unwrap());
    let agent = Agent::prepare(Flavor::Grok, &clis, dir.path(), &mock).unwrap();
    let home = &agent.sandbox().home;
    let installed = backstory(home, &["install", "grok"], SEARCH_PATH);
    assert!(installed.status.success(), "{}", text(&installed));
    stand_in(home, &[".grok/hooks/backstory.json", ".grok/config.toml"]);
    let session = agent.run(PROMPT).unwrap().session;
    let events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"];
    assert_calls(home, Flavor::Grok, &events);
    let history = agent.transcript(&session).unwrap().with_file_name("chat_history.jsonl");
    let history = fs_err::read_to_string(history).unwrap();
    assert!(history.contains("Memory of earlier sessions"), "{history}");
}

#[test]
fn both_agents_load_the_plugin() {
    let (clis, mock, dir) = (clis(), Mock::start().unwrap(), tempfile::tempdir().unwrap());
    let agent = Agent::prepare(Flavor::Claude, &clis, dir.path(), &mock).unwrap();
    let home = &agent.sandbox().home;
    let written = backstory(home, &["install", "--plugin", "plugin"], SEARCH_PATH);
    assert!(written.status.success(), "{}", text(&written));
    let plugin = home.join("plugin").display().to_string();
    let ask = |flavor: Flavor, arguments: &[&str]| {
        let mut command = agent.sandbox().command(&clis.program(flavor));
        let said = command.args(arguments).output().unwrap();
        assert!(said.status.success(), "{flavor} {arguments:?}: {}", text(&said));
        text(&said)
    };
    let valid = ask(Flavor::Claude, &["plugin", "validate", &plugin]);
    assert!(valid.contains("Validation passed"), "{valid}");
    ask(Flavor::Claude, &["plugin", "marketplace", "add", &plugin]);
    ask(Flavor::Claude, &["plugin", "install", "backstory@backstory"]);
    fs_err::create_dir_all(home.join(".codex")).unwrap();
    ask(Flavor::Codex, &["plugin", "marketplace", "add", &plugin]);
    ask(Flavor::Codex, &["plugin", "add", "backstory@backstory"]);
    let listed = ask(Flavor::Codex, &["plugin", "list"]);
    assert!(listed.contains("installed, enabled"), "{listed}");
}
