//! `backstory install` and `backstory uninstall`: the agents' settings before, between and after.

use crate::sandbox::{Run, Sandbox};
use insta::assert_snapshot;
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Settings as somebody has them who has used the agents for a while.
const CLAUDE_SETTINGS: &str = r#"{
  // everything I like
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [{ "type": "command", "command": "notify-send done" }]
      }
    ]
  }
}
"#;
const CLAUDE_STATE: &str = r#"{
  "numStartups": 7,
  "mcpServers": {
    "files": { "command": "npx", "args": ["files"], "env": { "GH": "ghp_R7bq2Zk9Lm4Xw8Vt1Np6Ys3Ud5Hf0Jc2Ga4E" } }
  },
  "projects": {}
}"#;
const CODEX_CONFIG: &str =
    "model = \"gpt-5.5\" # the best\r\n\r\n[features]\r\nplugins = false\r\n";
const CODEX_HOOKS: &str = "{\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n";
const GROK_RULES: &str = "# Mine\n\nBe brief.\n";

fn used() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".claude/settings.json", CLAUDE_SETTINGS);
    sandbox.write(".claude.json", CLAUDE_STATE);
    sandbox.write(".codex/config.toml", CODEX_CONFIG);
    sandbox.write(".codex/hooks.json", CODEX_HOOKS);
    sandbox.write(".grok/AGENTS.md", GROK_RULES);
    sandbox
}

#[test]
fn a_binary_of_another_name_is_refused() {
    let sandbox = used();
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let renamed = dir.path().join("my-backstory");
    fs_err::hard_link(env!("CARGO_BIN_EXE_backstory"), &renamed).unwrap();
    let mut install = std::process::Command::new(&renamed);
    install.args(["install", "all"]).env_clear().env("HOME", sandbox.home());
    let run = sandbox.finish(install);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("call it `backstory`"), "{run}");
    assert_eq!(read(&sandbox, ".claude/settings.json"), CLAUDE_SETTINGS);
}

fn ok(run: Run) -> Run {
    assert_eq!(run.code, 0, "{run}");
    run
}

/// A run's words, without the path of the binary.
fn told(run: Run) -> String {
    ok(run).to_string().replace(env!("CARGO_BIN_EXE_backstory"), "[BIN]")
}

fn read(sandbox: &Sandbox, path: &str) -> String {
    let text = fs_err::read_to_string(sandbox.home().join(path)).unwrap();
    text.replace(&sandbox.home().display().to_string(), "[HOME]")
        .replace(env!("CARGO_BIN_EXE_backstory"), "[BIN]")
}

/// Every file and folder of the user, with what is in it.
fn everything(sandbox: &Sandbox) -> BTreeMap<PathBuf, Option<String>> {
    fn walk(dir: &Path, found: &mut BTreeMap<PathBuf, Option<String>>) {
        for entry in fs_err::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
                found.insert(path, None);
            } else {
                let text = fs_err::read_to_string(&path).unwrap();
                found.insert(path, Some(text));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&sandbox.home(), &mut found);
    // The archive's own folder stays.
    found.retain(|path, _| !path.starts_with(sandbox.home().join(".local")));
    found
}

#[test]
fn everything_is_as_it_was_after_uninstalling() {
    let sandbox = used();
    let before = everything(&sandbox);
    assert_snapshot!("install_all", told(sandbox.run(&["install", "all"])));
    for (name, path) in [
        ("claude_settings", ".claude/settings.json"),
        ("claude_state", ".claude.json"),
        ("codex_config", ".codex/config.toml"),
        ("codex_hooks", ".codex/hooks.json"),
        ("grok_config", ".grok/config.toml"),
        ("grok_hooks", ".grok/hooks/backstory.json"),
        ("grok_rules", ".grok/AGENTS.md"),
    ] {
        assert_snapshot!(format!("install_{name}"), read(&sandbox, path));
    }
    let between = everything(&sandbox);
    assert_snapshot!("install_again", told(sandbox.run(&["install", "all"])));
    assert_eq!(everything(&sandbox), between, "a second time changes nothing");
    assert_snapshot!("uninstall_all", told(sandbox.run(&["uninstall", "all"])));
    assert_eq!(everything(&sandbox), before);
    let again = ok(sandbox.run(&["uninstall", "all"]));
    assert!(again.stderr.contains("Nothing of Backstory"), "{again}");
    assert_eq!(everything(&sandbox), before);
}

#[test]
fn without_a_receipt_nothing_of_ours_is_left_either() {
    let sandbox = used();
    let before = everything(&sandbox);
    ok(sandbox.run(&["install", "all"]));
    fs_err::remove_dir_all(sandbox.home().join(".local")).unwrap();
    ok(sandbox.run(&["uninstall", "all"]));
    let mut after = everything(&sandbox);
    let is_backup = |path: &PathBuf| path.to_string_lossy().contains(".backstory-backup-");
    assert!(after.keys().any(is_backup), "what was changed without knowing is kept");
    after.retain(|path, _| !is_backup(path));
    for (path, text) in &before {
        // Whether an empty list was there is the one thing nobody remembers.
        if !path.ends_with("hooks.json") {
            assert_eq!(after.get(path), Some(text), "{}", path.display());
        }
    }
    assert!(!after.values().flatten().any(|text| text.contains("backstory")), "{after:#?}");
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let sandbox = used();
    let before = everything(&sandbox);
    assert_snapshot!("install_dry_run", told(sandbox.run(&["install", "claude", "--dry-run"])));
    let dry = sandbox.run(&["install", "claude", "--dry-run"]);
    assert!(!dry.stdout.contains("ghp_"), "a secret beside our lines is shown: {dry}");
    assert_eq!(everything(&sandbox), before);
    ok(sandbox.run(&["install", "codex"]));
    let between = everything(&sandbox);
    assert_snapshot!("uninstall_dry_run", told(sandbox.run(&["uninstall", "codex", "--dry-run"])));
    assert_eq!(everything(&sandbox), between);
    let line = &sandbox.json(&["uninstall", "codex", "--dry-run", "--json"])[0];
    assert_eq!((&line["agent"], &line["dry_run"]), (&"codex".into(), &true.into()));
    assert_eq!(line["files"][0]["action"], "restored", "{line}");
    assert!(line["files"][0]["diff"].as_array().unwrap().len() > 5, "{line}");
}

#[test]
fn a_file_that_cannot_be_read_is_not_touched_and_nothing_else_either() {
    let sandbox = used();
    sandbox.write(".codex/config.toml", "model = \"x\"\nbroken = \n");
    let before = everything(&sandbox);
    assert_snapshot!(sandbox.run(&["install", "all"]).to_string(), @r"
    exit 2
    --- stderr
    error: [HOME]/.codex/config.toml:2: not valid TOML: string values must be quoted, expected literal string
      hint: correct the file and run the command again; nothing was installed
      hint: or leave codex out: name claude or grok instead
    ");
    assert_eq!(everything(&sandbox), before);
    ok(sandbox.run(&["install", "claude", "grok"]));
    fs_err::write(sandbox.home().join(".claude/settings.json"), b"\xff\xfe{").unwrap();
    let run = sandbox.run(&["uninstall", "claude"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("settings.json: it is not UTF-8 text"), "{run}");
}

#[test]
fn links_are_followed_and_modes_kept() {
    let sandbox = used();
    let settings = sandbox.home().join(".claude/settings.json");
    let real = sandbox.home().join("dotfiles/claude.json");
    fs_err::create_dir(sandbox.home().join("dotfiles")).unwrap();
    fs_err::rename(&settings, &real).unwrap();
    symlink("../dotfiles/claude.json", &settings).unwrap();
    fs_err::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    ok(sandbox.run(&["install", "claude"]));
    assert!(fs_err::symlink_metadata(&settings).unwrap().is_symlink());
    assert!(fs_err::read_to_string(&real).unwrap().contains("hook claude Stop"));
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&real), 0o640);
    let backups: Vec<PathBuf> = everything(&sandbox)
        .into_keys()
        .filter(|path| path.to_string_lossy().contains("settings.json.backstory-backup-"))
        .collect();
    assert_eq!(backups.len(), 1);
    assert_eq!(backups[0].parent(), settings.parent(), "beside the link");
    assert_eq!(mode(&backups[0]), 0o600);
    ok(sandbox.run(&["uninstall", "claude"]));
    assert_eq!(fs_err::read_to_string(&real).unwrap(), CLAUDE_SETTINGS);
    assert!(!backups[0].exists(), "what is there again needs no backup");
    assert_eq!(mode(&real), 0o640);
}

#[test]
fn an_older_claude_code_gets_only_hooks_it_knows() {
    let mut sandbox = used();
    sandbox.write("bin/claude", "#!/bin/sh\necho '2.1.63 (Claude Code)'\n");
    let claude = sandbox.home().join("bin/claude");
    fs_err::set_permissions(&claude, PermissionsExt::from_mode(0o755)).unwrap();
    let bin = sandbox.home().join("bin").display().to_string();
    sandbox.set("PATH", &bin);
    let run = ok(sandbox.run(&["install", "claude"]));
    assert!(run.stdout.contains("Claude Code 2.1.63 has no PostCompact hooks"), "{run}");
    assert!(!read(&sandbox, ".claude/settings.json").contains("PostCompact"));
    assert_eq!(sandbox.run(&["doctor"]).code, 0, "what it cannot have is not missing");
    sandbox.write("bin/claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    ok(sandbox.run(&["install", "claude"]));
    assert!(read(&sandbox, ".claude/settings.json").contains("PostCompact"));
}

#[test]
fn what_was_changed_since_stays() {
    let sandbox = used();
    ok(sandbox.run(&["install", "claude"]));
    let installed = read(&sandbox, ".claude/settings.json");
    let changed = fs_err::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap();
    sandbox.write(".claude/settings.json", &changed.replace("\"opus\"", "\"sonnet\""));
    ok(sandbox.run(&["uninstall", "claude"]));
    let expected = CLAUDE_SETTINGS.replace("\"opus\"", "\"sonnet\"");
    assert_eq!(read(&sandbox, ".claude/settings.json"), expected);
    ok(sandbox.run(&["install", "claude"]));
    assert_eq!(
        read(&sandbox, ".claude/settings.json"),
        installed.replace("\"opus\"", "\"sonnet\"")
    );
}

#[test]
fn installing_over_changed_settings_leaves_nothing_behind() {
    let sandbox = used();
    let changed = CLAUDE_SETTINGS.replace("\"opus\"", "\"sonnet\"");
    for again in [&["install", "claude"][..], &["install", "claude", "--home", "other"]] {
        sandbox.write(".claude/settings.json", CLAUDE_SETTINGS);
        ok(sandbox.run(&["install", "claude"]));
        let installed = read(&sandbox, ".claude/settings.json");
        let moved = installed.replace("[BIN]", "/old/backstory").replace("opus", "sonnet");
        sandbox.write(".claude/settings.json", &moved);
        ok(sandbox.run(again));
        assert!(!read(&sandbox, ".claude/settings.json").contains("/old/"));
        let home = again.get(2..).unwrap_or_default();
        ok(sandbox.run(&[&["uninstall", "claude"], home].concat()));
        assert_eq!(read(&sandbox, ".claude/settings.json"), changed, "{again:?}");
    }
}

#[test]
fn an_agent_that_was_never_used_is_installed_only_by_its_name() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["install", "all"]);
    assert_eq!(run.code, 5, "{run}");
    assert_eq!(everything(&sandbox), BTreeMap::new());
    ok(sandbox.run(&["install", "grok"]));
    assert!(sandbox.home().join(".grok/hooks/backstory.json").exists());
    ok(sandbox.run(&["uninstall", "grok"]));
    assert_eq!(everything(&sandbox), BTreeMap::new(), "folders of ours go too");
}

#[test]
fn agents_own_folders_and_another_archive_are_respected() {
    let mut sandbox = Sandbox::new();
    let named = sandbox.home().join("elsewhere/claude");
    fs_err::create_dir_all(&named).unwrap();
    sandbox.set("CLAUDE_CONFIG_DIR", &named.display().to_string());
    ok(sandbox.run(&["install", "claude", "--home", "my archive"]));
    let settings = read(&sandbox, "elsewhere/claude/settings.json");
    assert!(settings.contains("hook claude Stop --home '[HOME]/my archive'\""), "{settings}");
    let state = read(&sandbox, "elsewhere/claude/.claude.json");
    assert!(state.contains("\"BACKSTORY_HOME\": \"[HOME]/my archive\""), "{state}");
    assert!(state.contains("\"CLAUDE_CONFIG_DIR\": \"[HOME]/elsewhere/claude\""), "{state}");
    assert!(!sandbox.home().join(".claude.json").exists());
}

#[test]
fn the_server_looks_where_the_state_is() {
    for name in ["BACKSTORY_STATE_DIR", "OPENVIKING_CODEX_STATE_DIR"] {
        let mut sandbox = used();
        sandbox.set(name, "my state");
        ok(sandbox.run(&["install", "claude", "codex"]));
        let json = read(&sandbox, ".claude.json");
        assert!(json.contains("\"BACKSTORY_STATE_DIR\": \"[HOME]/my state\""), "{json}");
        let toml = read(&sandbox, ".codex/config.toml");
        assert!(toml.contains("BACKSTORY_STATE_DIR = \"[HOME]/my state\""), "{toml}");
    }
}

#[test]
fn a_rule_whose_end_got_lost_takes_nothing_of_others_along() {
    let sandbox = used();
    let write = |text: &str| sandbox.write(".grok/AGENTS.md", text);
    ok(sandbox.run(&["install", "grok"]));
    let lost = read(&sandbox, ".grok/AGENTS.md").replace("<!-- backstory:end -->", "") + "Mine.\n";
    write(&lost);
    ok(sandbox.run(&["install", "grok"]));
    let installed = read(&sandbox, ".grok/AGENTS.md");
    write(&format!("{installed}More of mine.\n"));
    ok(sandbox.run(&["install", "grok"]));
    ok(sandbox.run(&["uninstall", "grok"]));
    assert_eq!(read(&sandbox, ".grok/AGENTS.md"), format!("{lost}More of mine.\n"));
}

#[test]
fn a_command_that_does_more_than_ours_outlives_us_and_that_is_said() {
    let sandbox = used();
    let theirs = "backstory hook claude Stop && notify-send done";
    let settings = CLAUDE_SETTINGS.replace("notify-send done", theirs);
    sandbox.write(".claude/settings.json", &settings);
    ok(sandbox.run(&["install", "claude"]));
    let installed = read(&sandbox, ".claude/settings.json");
    assert_eq!(installed.matches("hook claude Stop").count(), 1, "{installed}");
    let run = ok(sandbox.run(&["uninstall", "claude"]));
    assert!(run.stdout.contains("~/.claude/settings.json still runs Backstory"), "{run}");
    assert_eq!(read(&sandbox, ".claude/settings.json"), settings);
}

#[test]
fn a_store_the_hooks_would_not_see_is_refused() {
    let sandbox = used();
    let before = everything(&sandbox);
    let url = "postgres://ada@db.example/archive";
    let refused = sandbox.run(&["install", "all", "--store", url]);
    assert_eq!(refused.code, 2, "{refused}");
    assert!(refused.stderr.contains("would not reach what agents run"), "{refused}");
    assert_eq!(everything(&sandbox), before);
}

#[test]
fn a_plugin_is_written_for_both_agents() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["install", "--plugin", "plug"]);
    assert_snapshot!("install_plugin", told(run));
    let files: Vec<String> = everything(&sandbox)
        .into_iter()
        .filter(|(_, text)| text.is_some())
        .map(|(path, _)| path.strip_prefix(sandbox.home()).unwrap().display().to_string())
        .collect();
    assert_snapshot!(files.join("\n"), @r"
    plug/.agents/plugins/marketplace.json
    plug/.claude-plugin/marketplace.json
    plug/.claude-plugin/plugin.json
    plug/.codex-plugin/plugin.json
    plug/.mcp.json
    plug/README.md
    plug/hooks/codex.json
    plug/hooks/hooks.json
    plug/skills/backstory/SKILL.md
    ");
    assert_snapshot!("plugin_codex", read(&sandbox, "plug/.codex-plugin/plugin.json"));
    assert!(read(&sandbox, "plug/hooks/codex.json").contains("'[BIN]' hook codex Interrupt"));
    let line = &sandbox.json(&["install", "--plugin", "plug", "--json"])[0];
    assert_eq!(line["files"].as_array().unwrap().len(), files.len());
}

/// Codex as far as `doctor` talks to it: every hook of its file has the trust that stands in a file.
const CODEX: &str = r#"#!/bin/sh
while read -r line; do
  case "$line" in
    *'"initialize"'*) echo '{"id":1,"result":{}}' ;;
    *hooks/list*)
      echo '{"method":"something/else"}'
      sed -n 's/.*"command": "\(.*\)",*$/\1/p' "$HOME/.codex/hooks.json" | {
        printf '{"id":2,"result":{"data":[{"hooks":['
        while read -r command; do
          printf '{"command":"%s","eventName":"x","enabled":true,"trustStatus":"%s"},' \
            "$command" "$(cat "$HOME/trust")"
        done
        echo '{}]}]}}'
      } ;;
  esac
done
"#;

fn hooks_of(sandbox: &Sandbox) -> String {
    let run = sandbox.run(&["doctor"]).stdout;
    let section = run.split("What agents are told to run\n").nth(1).unwrap_or_default();
    section.split("\n\n").next().unwrap().replace(env!("CARGO_BIN_EXE_backstory"), "[BIN]")
}

#[test]
fn doctor_tells_what_is_installed_and_trusted() {
    let mut sandbox = used();
    assert_snapshot!("doctor_not_installed", hooks_of(&sandbox));
    ok(sandbox.run(&["install", "all"]));
    assert_snapshot!("doctor_installed", hooks_of(&sandbox));
    sandbox.write("bin/codex", CODEX);
    let codex = sandbox.home().join("bin/codex");
    fs_err::set_permissions(&codex, PermissionsExt::from_mode(0o755)).unwrap();
    let bin = sandbox.home().join("bin").display().to_string();
    sandbox.set("PATH", &format!("{bin}:/usr/bin:/bin"));
    sandbox.write("trust", "untrusted");
    assert_snapshot!("doctor_untrusted", hooks_of(&sandbox));
    assert_eq!(sandbox.run(&["doctor"]).code, 1);
    sandbox.write("trust", "trusted");
    assert_snapshot!("doctor_trusted", hooks_of(&sandbox));
    sandbox.write("bin/codex", "#!/bin/sh\nexit 3\n");
    assert!(hooks_of(&sandbox).contains("ended without an answer"));
}

#[test]
fn doctor_finds_what_is_gone_broken_or_incomplete() {
    let sandbox = used();
    ok(sandbox.run(&["install", "all"]));
    let here = env!("CARGO_BIN_EXE_backstory");
    let gone = read(&sandbox, ".codex/hooks.json").replace("[BIN]", "/gone/backstory");
    sandbox.write(".codex/hooks.json", &gone);
    sandbox.write(".codex/config.toml", "a = \n");
    let partial = read(&sandbox, ".grok/hooks/backstory.json").replace("[BIN]", here);
    sandbox.write(".grok/hooks/backstory.json", &partial.replace("\"Stop\"", "\"Other\""));
    sandbox.write(".grok/AGENTS.md", GROK_RULES);
    assert_snapshot!("doctor_trouble", hooks_of(&sandbox));
    sandbox.write(".codex/config.toml", CODEX_CONFIG);
    ok(sandbox.run(&["install", "all"]));
    assert!(read(&sandbox, ".codex/hooks.json").contains("'[BIN]' hook codex Stop"));
    assert!(!read(&sandbox, ".codex/hooks.json").contains("/gone/"));
    assert_eq!(sandbox.run(&["doctor"]).code, 0);
}
