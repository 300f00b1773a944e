//! `backstory config`.

use crate::sandbox::Sandbox;
use insta::assert_snapshot;

#[test]
fn defaults_are_shown_as_such() {
    let sandbox = Sandbox::new();
    assert_snapshot!("config_defaults", sandbox.run(&["config"]));
}

#[test]
fn every_value_says_where_it_came_from() {
    let mut sandbox = Sandbox::new();
    sandbox.write(
        ".config/backstory/config.toml",
        "[session_memory.retention]\nraw_soft_cap_bytes = \"2GiB\"\ncadance = \"weekly\"\n\n\
         [session_memory.sources]\ngrok = [\"~/grok-logs\", \"/mnt/grok\"]\n\n\
         [session_memory.domains]\nteashop = \"retail\"\n\n\
         [server]\nlisten = \"127.0.0.1:7\"\nkey_file = \"key\"\nbody_limit_bytes = 1048576\n\n\
         [decisions]\nmarker = \"ask\"\n",
    );
    sandbox.set("CODEX_HOME", "/opt/codex");
    assert_snapshot!("config_mixed", sandbox.run(&["config"]));
}

#[test]
fn a_home_of_its_own_has_a_configuration_of_its_own() {
    let sandbox = Sandbox::new();
    sandbox.write("own/config.toml", "[session_memory.retention]\nraw_max_age_days = 7\n");
    let settings = sandbox.json(&["--home", "own", "config", "--json"]);
    let age = settings
        .iter()
        .find(|setting| setting["key"] == "session_memory.retention.raw_max_age_days")
        .unwrap();
    assert_eq!((&age["value"], &age["origin"]), (&7.into(), &"file".into()));
    assert_eq!(age["origin_detail"], "[HOME]/own/config.toml:2");
}

#[test]
fn a_broken_file_is_refused_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox.write("own/config.toml", "[session_memory.retention]\ncadence = \"hourly\"\n");
    assert_snapshot!(sandbox.run(&["--home", "own", "sync"]), @r#"
    exit 2
    --- stderr
    error: [HOME]/own/config.toml:2:11: cadence must be one of "daily", "weekly", "on-hook"
    "#);
    sandbox.write("own/config.toml", "[session_memory.task_ref]\npatterns = ['(']\n");
    sandbox.write_claude("c0ffee00-1", &[("Hello", "Hi")]);
    let run = sandbox.run(&["--home", "own", "sync"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("is not a regular expression"), "{run}");
}

#[test]
fn configured_domains_and_patterns_reach_the_sessions() {
    let sandbox = Sandbox::with_history();
    sandbox.remove_archive("archive");
    sandbox.write(
        "archive/config.toml",
        "[session_memory.domains]\nteashop = \"retail\"\n\
         [session_memory.task_ref]\npatterns = ['SHOP-(\\d+)']\n",
    );
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    let sessions = sandbox.json(&["sessions", "--json"]);
    assert!(sessions.iter().all(|session| session["domain"] == "retail"), "{sessions:?}");
    assert!(sessions.iter().any(|session| session["task_ref"] == "12"), "{sessions:?}");
}
