//! `backstory schedule`, with timers that only write down what they are asked for.

use crate::sandbox::{Run, Sandbox};
use crate::store::OWNER;
use insta::assert_snapshot;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Answers as a running user instance does; `enabled` stands for its state.
const SYSTEMCTL: &str = r#"#!/bin/sh
echo "systemctl $*" >> "$HOME/asked"
case "$2" in
  is-active) test -e "$HOME/enabled" ;;
  restart) touch "$HOME/enabled" ;;
  disable) rm -f "$HOME/enabled" ;;
  list-timers) echo '[{"next":1794873600000000,"last":1794787200000000}]' ;;
esac
"#;
const NO_SYSTEMCTL: &str = "#!/bin/sh\necho 'Failed to connect to bus' >&2; exit 1\n";
const CRONTAB: &str = r#"#!/bin/sh
echo "crontab $*" >> "$HOME/asked"
case "$1" in
  -l) if test -e "$HOME/tab"; then cat "$HOME/tab"; else echo "no crontab for ada" >&2; exit 1; fi ;;
  -r) rm "$HOME/tab" ;;
  -) cat > "$HOME/tab.new" && mv "$HOME/tab.new" "$HOME/tab" ;;
esac
"#;
const NO_CRONTAB: &str = "#!/bin/sh\necho 'crontabs/ada: Permission denied' >&2; exit 1\n";
const LAUNCHCTL: &str = r#"#!/bin/sh
echo "launchctl $*" | sed "s/[0-9][0-9]*/UID/" >> "$HOME/asked"
case "$1 $2" in
  "list backstory.sync") test -e "$HOME/loaded" ;;
  bootstrap*) touch "$HOME/loaded" ;;
  bootout*) rm "$HOME/loaded" ;;
esac
"#;

/// A user whose machine has these programs and no others of their kind.
fn machine(programs: &[(&str, &str)]) -> Sandbox {
    let mut sandbox = Sandbox::new();
    fs_err::create_dir(sandbox.home().join("bin")).unwrap();
    for (name, script) in programs {
        sandbox.write(&format!("bin/{name}"), script);
        let file = sandbox.home().join("bin").join(name);
        fs_err::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // The scripts need a shell's tools, but must not find the machine's own timers.
    for tool in ["sh", "cat", "mv", "rm", "touch", "sed", "id"] {
        let found = ["/bin", "/usr/bin"].map(|dir| PathBuf::from(dir).join(tool));
        let found = found.iter().find(|path| path.exists()).unwrap();
        std::os::unix::fs::symlink(found, sandbox.home().join("bin").join(tool)).unwrap();
    }
    let bin = sandbox.home().join("bin").display().to_string();
    sandbox.set("PATH", &bin);
    sandbox
}

fn read(sandbox: &Sandbox, path: &str) -> String {
    let text = fs_err::read_to_string(sandbox.home().join(path)).unwrap();
    text.replace(&sandbox.home().display().to_string(), "[HOME]")
        .replace(env!("CARGO_BIN_EXE_backstory"), "[BIN]")
}

fn asked(sandbox: &Sandbox) -> String {
    let asked = read(sandbox, "asked");
    fs_err::remove_file(sandbox.home().join("asked")).unwrap();
    asked
}

/// Every file of the user but the scripts and their notes.
fn files(sandbox: &Sandbox) -> Vec<String> {
    fn walk(dir: PathBuf, found: &mut Vec<PathBuf>) {
        for entry in fs_err::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            found.push(path.clone());
            if path.is_dir() {
                walk(path, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(sandbox.home(), &mut found);
    let name = |path: PathBuf| path.strip_prefix(sandbox.home()).unwrap().display().to_string();
    let mut names: Vec<String> = found.into_iter().map(name).collect();
    names.retain(|name| !name.starts_with("bin") && name != "asked");
    names.sort();
    names
}

fn ok(run: Run) -> Run {
    assert_eq!(run.code, 0, "{run}");
    run
}

#[test]
fn systemd_is_taken_where_it_runs() {
    let mut sandbox = machine(&[("systemctl", SYSTEMCTL), ("crontab", CRONTAB)]);
    sandbox.set("BACKSTORY_HOME", &sandbox.home().join("my archive").display().to_string());
    assert_snapshot!("schedule_systemd", ok(sandbox.run(&["schedule", "install"])));
    assert_snapshot!("schedule_systemd_asked", asked(&sandbox));
    let units = ".config/systemd/user/backstory-sync";
    assert_snapshot!("schedule_systemd_service", read(&sandbox, &format!("{units}.service")));
    assert!(read(&sandbox, &format!("{units}.timer")).contains("OnCalendar=daily"));
    let timer = sandbox.home().join(format!("{units}.timer"));
    assert_eq!(mode(&timer), 0o644);
    let again = &sandbox.json(&["schedule", "install", "--json"])[0];
    assert_eq!(again["action"], "unchanged", "{again}");
    assert!(!asked(&sandbox).contains("restart"));
    let weekly = &sandbox.json(&["schedule", "install", "--cadence", "weekly", "--json"])[0];
    assert_eq!((&weekly["action"], &weekly["cadence"]), (&"installed".into(), &"weekly".into()));
    assert!(asked(&sandbox).contains("restart"), "a running timer keeps its old times");
    assert_snapshot!("schedule_show", ok(sandbox.run(&["schedule", "show"])));
    ok(sandbox.run(&["schedule", "remove"]));
    assert_eq!(files(&sandbox), [".config"], "a folder we did not make alone");
    let show = sandbox.run(&["schedule", "show"]);
    assert_eq!(show.code, 5, "{show}");
    let again = ok(sandbox.run(&["schedule", "remove"]));
    assert_eq!(again.stdout, "no schedule was installed\n");
}

fn mode(path: &std::path::Path) -> u32 {
    fs_err::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn without_systemd_the_crontab_gets_a_line_and_keeps_the_rest() {
    let sandbox = machine(&[("systemctl", NO_SYSTEMCTL), ("crontab", CRONTAB)]);
    let theirs = "MAILTO=ada\n# mine\n\n0 5 * * * tidy  \n";
    sandbox.write("tab", theirs);
    assert_snapshot!("schedule_cron", ok(sandbox.run(&["schedule", "install"])));
    assert_snapshot!("schedule_cron_tab", read(&sandbox, "tab"));
    let first = read(&sandbox, "tab");
    asked(&sandbox);
    ok(sandbox.run(&["schedule", "install"]));
    assert_eq!(read(&sandbox, "tab"), first);
    assert!(!asked(&sandbox).contains("crontab -\n"), "nothing is written twice");
    ok(sandbox.run(&["schedule", "install", "--cadence", "on-hook"]));
    assert_eq!(read(&sandbox, "tab"), theirs);
    assert_eq!(files(&sandbox), ["tab"]);
}

#[test]
fn a_crontab_of_our_own_is_removed_altogether() {
    let sandbox = machine(&[("crontab", CRONTAB)]);
    ok(sandbox.run(&["schedule", "install", "--with", "cron"]));
    assert_eq!(files(&sandbox), ["tab"]);
    let removed = &sandbox.json(&["schedule", "remove", "--json"])[0];
    assert_eq!((&removed["action"], &removed["mechanism"]), (&"removed".into(), &().into()));
    assert_eq!(files(&sandbox), [""; 0]);
}

#[test]
fn a_crontab_that_cannot_be_read_is_not_overwritten() {
    let sandbox = machine(&[("systemctl", NO_SYSTEMCTL), ("crontab", NO_CRONTAB)]);
    let run = sandbox.run(&["schedule", "install", "--with", "cron"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("Permission denied"), "{run}");
}

#[test]
fn another_mechanism_takes_the_place_of_the_first() {
    let sandbox = machine(&[("systemctl", SYSTEMCTL), ("crontab", CRONTAB)]);
    ok(sandbox.run(&["schedule", "install", "--with", "cron"]));
    ok(sandbox.run(&["schedule", "install", "--with", "systemd"]));
    assert!(!sandbox.home().join("tab").exists(), "two would sync twice");
    let shown = &sandbox.json(&["schedule", "show", "--json"])[0];
    assert_eq!(shown["mechanism"], "systemd");
}

#[test]
fn launchd_is_told_what_to_run() {
    let sandbox = machine(&[("launchctl", LAUNCHCTL)]);
    ok(sandbox.run(&["schedule", "install", "--with", "launchd", "--cadence", "weekly"]));
    assert_snapshot!("schedule_launchd_asked", asked(&sandbox));
    assert_snapshot!(
        "schedule_launchd_plist",
        read(&sandbox, "Library/LaunchAgents/backstory.sync.plist")
    );
    ok(sandbox.run(&["schedule", "remove"]));
    assert_eq!(files(&sandbox), ["Library", "Library/LaunchAgents"]);
}

#[test]
fn a_machine_without_timers_is_told_what_to_do() {
    let sandbox = machine(&[]);
    assert_snapshot!(sandbox.run(&["schedule", "install"]), @r"
    exit 5
    --- stderr
    error: nothing on this machine can run a command periodically
      hint: install cron, or run `backstory watch` or `backstory sync` yourself
    ");
    let run = sandbox.run(&["schedule", "install", "--with", "systemd"]);
    assert_eq!(run.code, 5, "{run}");
    assert_eq!(files(&sandbox), [""; 0], "nothing is left behind");
}

#[test]
fn the_configured_cadence_holds() {
    let sandbox = machine(&[("crontab", CRONTAB)]);
    sandbox.write("own/config.toml", "[session_memory.retention]\ncadence = \"weekly\"\n");
    ok(sandbox.run(&["--home", "own", "schedule", "install"]));
    let tab = read(&sandbox, "tab");
    assert!(tab.starts_with("17 12 * * 1 BACKSTORY_HOME='[HOME]/own' "), "{tab}");
}

#[test]
fn the_timer_looks_where_the_state_is_and_waits_as_long() {
    for (state, idle) in [
        ("BACKSTORY_STATE_DIR", "BACKSTORY_IDLE_TTL_MS"),
        ("OPENVIKING_CODEX_STATE_DIR", "OPENVIKING_CODEX_IDLE_TTL_MS"),
    ] {
        let mut sandbox = machine(&[("crontab", CRONTAB)]);
        sandbox.set(state, "my state");
        sandbox.set(idle, "60000");
        ok(sandbox.run(&["schedule", "install", "--with", "cron"]));
        let tab = read(&sandbox, "tab");
        assert!(tab.contains("BACKSTORY_STATE_DIR='[HOME]/my state' "), "{tab}");
        assert!(tab.contains("BACKSTORY_IDLE_TTL_MS='60000' "), "{tab}");
    }
}

#[test]
fn a_store_the_timer_would_not_see_is_refused() {
    let mut sandbox = machine(&[("systemctl", NO_SYSTEMCTL), ("crontab", CRONTAB)]);
    let url = "postgres://ada@db.example/archive";
    sandbox.set("BACKSTORY_PACKS", "s3://packs/prod");
    sandbox.set("AWS_ACCESS_KEY_ID", "key");
    let refused = sandbox.run(&["schedule", "install", "--store", url]);
    assert_eq!(refused.code, 2, "{refused}");
    assert_snapshot!(refused.stderr, @"
    error: --store, BACKSTORY_OWNER, BACKSTORY_PACKS would not reach a sync run by a timer
      hint: say the same in [store] of [HOME]/.config/backstory/config.toml
    ");
    assert!(!sandbox.home().join("tab").exists());
    let file =
        format!("[store]\nurl = \"{url}\"\npacks = \"s3://packs/prod\"\nowner = \"{OWNER}\"\n");
    sandbox.write(".config/backstory/config.toml", &file);
    let installed = ok(sandbox.run(&["schedule", "install", "--store", url]));
    assert_snapshot!(installed.stderr, @"warning: packs are in a bucket: a sync run by the timer needs AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION in its own environment");
    assert!(read(&sandbox, "tab").contains("[BIN]"));
}
