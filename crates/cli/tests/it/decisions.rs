//! `backstory decisions`: the ledger, listed, shown and filtered.

use crate::sandbox::Sandbox;
use backstory_model::{
    Decision, DecisionForm, DecisionKind, DecisionOption, DecisionState, Timestamp,
};
use backstory_store::Account;
use insta::assert_snapshot;

pub(crate) const HUNT: &str = "claude:5ca1ab1e-7e57-4c0d-9b0c-0f10a3b1c2d3";
pub(crate) const REVIEW: &str = "codex:019a7d3e-5a1e-7c0d-9b0c-0f10a3b1c2d4";

fn option(key: &str, label: &str, description: &str) -> DecisionOption {
    DecisionOption { key: key.into(), label: label.into(), description: description.into() }
}

/// A question of Claude Code's own tool, answered as it was recommended.
pub(crate) fn asked(seq: u32) -> Decision {
    Decision {
        seq,
        answer_seq: Some(seq + 1),
        asked_at: Timestamp::parse("2026-11-13T09:00:20Z"),
        answered_at: Timestamp::parse("2026-11-13T09:01:50Z"),
        state: DecisionState::Answered,
        question_id: "hook-0a1b2c3d4e".into(),
        header: "Expiry".into(),
        question: "How long may a session live?".into(),
        options: vec![
            option("", "30 minutes", "What the other services do"),
            option("", "8 hours", "One working day"),
        ],
        recommended: Some(0),
        chosen: vec![0],
        confidence: 100,
        ..Decision::default()
    }
}

/// What a brief of Codex asks, with a marker; answered in other words.
pub(crate) fn brief(seq: u32) -> Decision {
    Decision {
        asked_at: Timestamp::parse("2026-11-14T08:30:00Z"),
        answered_at: Timestamp::parse("2026-11-14T08:30:05Z"),
        form: DecisionForm::Marker,
        question_id: "ship-changelog".into(),
        skill: "ship".into(),
        header: "D2".into(),
        question: "Write the changelog\nby hand?".into(),
        options: vec![option("A", "By hand", ""), option("B", "From the commits", "")],
        recommended: Some(1),
        chosen: Vec::new(),
        free_text: Some("leave it \u{1b}[31mout".into()),
        confidence: 90,
        ..asked(seq)
    }
}

/// The same without one, nobody answered yet.
fn open(seq: u32) -> Decision {
    Decision {
        form: DecisionForm::Pattern,
        state: DecisionState::Open,
        asked_at: Timestamp::parse("2026-11-14T08:45:00Z"),
        answer_seq: None,
        answered_at: None,
        question_id: "hook-ffffffffff".into(),
        header: "D3".into(),
        question: "Merge now?".into(),
        free_text: None,
        ..brief(seq)
    }
}

fn permission(seq: u32) -> Decision {
    Decision {
        kind: DecisionKind::Permission,
        question_id: "hook-eeeeeeeeee".into(),
        header: "Bash".into(),
        question: "rm -r target".into(),
        options: Vec::new(),
        recommended: None,
        chosen: Vec::new(),
        free_text: Some("allowed".into()),
        ..asked(seq)
    }
}

/// The demo's history with decisions that do not depend on the rules that find them.
pub(crate) fn decided() -> Sandbox {
    let sandbox = Sandbox::with_history();
    let put = |uid: &str, decisions: Vec<Decision>| {
        sandbox.put_account(uid, &Account { decisions, ..Account::default() });
    };
    put(HUNT, vec![asked(3), permission(6)]);
    put(REVIEW, vec![brief(4), open(6)]);
    sandbox
}

#[test]
fn the_latest_decisions_come_first() {
    let sandbox = decided();
    assert_snapshot!("decisions", sandbox.run(&["decisions"]));
    assert_snapshot!("decisions_all", sandbox.run(&["decisions", "--all", "--limit", "2"]));
    assert_snapshot!("decisions_json", sandbox.run(&["decisions", "--json", "--limit", "1"]));
}

#[test]
fn decisions_are_filtered() {
    let sandbox = decided();
    let places = |filter: &[&str]| -> Vec<String> {
        let found = sandbox.json(&[&["decisions", "--json"], filter].concat());
        let id = |row: &serde_json::Value| row["question_id"].as_str().unwrap().to_owned();
        found.iter().map(id).collect()
    };
    let (expiry, changelog, merge) = ("hook-0a1b2c3d4e", "ship-changelog", "hook-ffffffffff");
    assert_eq!(places(&[]), [merge, changelog, expiry]);
    assert_eq!(places(&["--open"]), [merge]);
    assert_eq!(places(&["--all"]).len(), 4);
    assert_eq!(places(&["--kind", "permission"]), ["hook-eeeeeeeeee"]);
    assert_eq!(places(&["--since", "2026-11-14"]), [merge, changelog]);
    assert_eq!(places(&["--until", "2026-11-13"]), [expiry]);
    assert_eq!(places(&["--project", "TEASHOP"]), [merge, changelog, expiry]);
    assert_eq!(places(&["--project", "nowhere"]), [""; 0]);
    assert_eq!(places(&["--limit", "1"]), [merge]);
    let session = &sandbox.json(&["show", "5ca1ab1e", "--json"])[0];
    assert_eq!(places(&["--project", session["cwd"].as_str().unwrap()]).len(), 3);
    assert_eq!(places(&["--project", "."]), [""; 0]);
}

#[test]
fn one_decision_is_told_at_length() {
    let sandbox = decided();
    assert_snapshot!("decisions_show", sandbox.run(&["decisions", "show", "5ca1ab1e/3"]));
    let by_id = sandbox.run(&["decisions", "show", "ship-changelog"]);
    assert_snapshot!("decisions_show_id", by_id);
    let session = sandbox.run(&["decisions", "show", "5ca1ab1e"]).stdout;
    assert!(session.contains("rm -r target") && session.contains("How long"), "{session}");
    let address = format!("backstory://{REVIEW}/4");
    assert_eq!(sandbox.run(&["decisions", "show", &address]).stdout, by_id.stdout);
    assert_eq!(sandbox.json(&["decisions", "show", "5ca1ab1e", "--json"]).len(), 2);
}

#[test]
fn an_answer_given_again_is_told_beside_the_latest() {
    let sandbox = decided();
    let before = Decision {
        asked_at: Timestamp::parse("2026-11-12T09:00:00Z"),
        answered_at: None,
        chosen: vec![1],
        ..asked(9)
    };
    sandbox.put_account(REVIEW, &Account { decisions: vec![before], ..Account::default() });
    let told = sandbox.run(&["decisions", "show", "hook-0a1b2c3d4e"]);
    assert_snapshot!("decisions_show_again", told);
}

#[test]
fn what_is_not_there_is_named() {
    let sandbox = decided();
    assert_snapshot!(sandbox.run(&["decisions", "--project", "nowhere"]), @r"
    exit 5
    --- stderr
    no decision matches
    ");
    assert_snapshot!(sandbox.run(&["decisions", "show", "5ca1ab1e/99"]), @r#"
    exit 5
    --- stderr
    error: nothing was asked at "5ca1ab1e/99"
      hint: `backstory decisions` lists what was asked
    "#);
    assert_eq!(sandbox.run(&["decisions", "show", "hub/17"]).code, 5);
    assert_eq!(sandbox.run(&["decisions", "show", "ffffffff"]).code, 5);
    assert_eq!(sandbox.run(&["decisions", "--kind", "wish"]).code, 2);
    assert_eq!(sandbox.run(&["decisions", "--since", "soon"]).code, 2);
    assert_eq!(sandbox.run(&["decisions", "show"]).code, 2);
    let empty = Sandbox::new().run(&["decisions"]);
    assert!(empty.code == 5 && empty.stderr.contains("hint: run `backstory`"), "{empty}");
}

#[test]
fn decisions_move_with_their_session() {
    let sandbox = decided();
    assert_eq!(sandbox.run(&["export", "--out", "all.jsonl"]).code, 0);
    for _ in 0..2 {
        assert_eq!(sandbox.run(&["import", "all.jsonl", "--home", "other"]).code, 0);
    }
    let of = |home: &str| sandbox.json(&["decisions", "--all", "--json", "--home", home]);
    assert_eq!(of("other"), of("archive"));
    let receipt = &sandbox.json(&["forget", "5ca1ab1e", "--yes", "--json"])[0];
    assert_eq!(receipt["decisions"], 2);
    assert_eq!(of("archive").len(), 2);
}
