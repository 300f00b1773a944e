//! `backstory demo`.

use crate::sandbox::Sandbox;

#[test]
fn the_walk_touches_nothing_of_the_users() {
    let sandbox = Sandbox::new();
    sandbox.write_claude("beefcafe-1", &[("Mine", "Yours")]);
    let run = sandbox.run(&["demo"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(!run.stdout.contains("Mine"), "{run}");
    for expected in ["$ backstory sessions", "exit 101", "forked from", "All is well."] {
        assert!(run.stdout.contains(expected), "{expected:?} is missing: {run}");
    }
    assert!(!sandbox.home().join(".local").exists());
    let place = run.stdout.split("It lies in ").nth(1).unwrap().split(';').next().unwrap();
    assert!(!std::path::Path::new(place).exists(), "{place} was left behind");
}

#[test]
fn a_kept_history_must_not_overwrite_anything() {
    let sandbox = Sandbox::new();
    sandbox.write("full/file", "");
    let run = sandbox.run(&["demo", "--keep", "full"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("is not empty"), "{run}");
}

#[test]
fn the_history_shows_what_the_product_does() {
    let sandbox = Sandbox::with_history();
    let sessions = sandbox.json(&["sessions", "--all", "--json"]);
    let has = |field: &str| sessions.iter().any(|session| !session[field].is_null());
    assert!(has("forked_from_uid") && has("parent_session_uid") && has("task_ref"));
    for flavor in ["claude", "codex", "grok"] {
        assert!(sessions.iter().any(|session| session["flavor"] == flavor), "{flavor}");
    }
    let report = sandbox.json(&["doctor", "--json"]);
    assert!(report.iter().all(|check| check["level"] != "attention"), "{report:?}");
    let status = &sandbox.json(&["status", "--json"])[0];
    for agent in status["agents"].as_array().unwrap() {
        assert_eq!((&agent["unknown"], &agent["bad"]), (&0.into(), &0.into()), "{agent}");
    }
}
