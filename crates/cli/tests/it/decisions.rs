//! `backstory decisions`: the ledger, listed, shown, counted, exported and added to.

use crate::json::{assert_same_fields, documented};
use crate::sandbox::Sandbox;
use backstory_model::{
    Decision, DecisionForm, DecisionKind, DecisionOption, DecisionState, Timestamp,
};
use backstory_store::Account;
use insta::assert_snapshot;
use serde_json::Value;
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;

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

pub(crate) fn permission(seq: u32) -> Decision {
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
    let folder = sandbox.home().join("src/teashop").display().to_string();
    assert_eq!(places(&["--project", &folder]).len(), 3);
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
    assert_eq!(sandbox.run(&["import", "all.jsonl", "--home", "other"]).code, 0);
    let of = |home: &str| sandbox.json(&["decisions", "--all", "--json", "--home", home]);
    assert_eq!(of("other"), of("archive"));
    let receipt = &sandbox.json(&["forget", "5ca1ab1e", "--yes", "--json"])[0];
    assert_eq!(receipt["decisions"], 2);
    assert_eq!(of("archive").len(), 2);
}

#[test]
fn a_session_and_its_digest_mark_decisions() {
    let sandbox = crate::digest::distilled();
    let show = sandbox.run(&["show", "5ca1ab1e"]).stdout;
    let asked = "  ? Expiry: How long may a session live? → 30 minutes (as recommended)";
    assert!(show.contains(asked), "{show}");
    let markdown = sandbox.run(&["show", "019a7d3e", "--markdown"]).stdout;
    let told = "**Asked**\n\n> D2: Write the changelog by hand?\n\n**Answered**\n\n> leave it out (instead of From the commits)\n";
    assert!(markdown.contains(told), "{markdown}");
    let digest = sandbox.run(&["digest", "5ca1ab1e"]).stdout;
    assert!(digest.contains("Decisions\n"), "{digest}");
    assert!(digest.contains("1 permission"), "{digest}");
    let json = &sandbox.json(&["digest", "5ca1ab1e", "--json"])[0];
    assert_eq!(json["decisions"][0]["answer"], "30 minutes");
}

/// Lines of a file.
fn lines(sandbox: &Sandbox, name: &str) -> Vec<Value> {
    let text = fs_err::read_to_string(sandbox.home().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_question_log_is_appended_to_and_never_doubled() {
    let sandbox = decided();
    let export = |more: &[&str]| {
        sandbox.run(&[&["decisions", "export", "--out", "question-log.jsonl"], more].concat())
    };
    assert_snapshot!(export(&["--since", "2026-11-14"]), @r"
    exit 0
    --- stderr
    2 decisions added, 0 updated, 0 there already
    ");
    assert_eq!(lines(&sandbox, "question-log.jsonl").len(), 2);
    assert_snapshot!(export(&[]), @r"
    exit 0
    --- stderr
    1 decision added, 0 updated, 2 there already
    ");
    // Somebody else's line, and one that was torn.
    let path = sandbox.home().join("question-log.jsonl");
    let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"skill\":\"ship\",\"question_id\":\"x\"}\n{\"skill\":\"sh").unwrap();
    let answered = Decision { state: DecisionState::Answered, chosen: vec![0], ..open(6) };
    let decisions = vec![brief(4), answered];
    sandbox.put_account(REVIEW, &Account { decisions, ..Account::default() });
    assert_snapshot!(export(&[]), @r"
    exit 0
    --- stderr
    0 decisions added, 1 updated, 2 there already
    ");
    let text = fs_err::read_to_string(&path).unwrap();
    assert!(text.contains("\n{\"skill\":\"sh\n{\"skill\":\"ship\""), "{text}");
    assert_eq!(export(&[]).stderr, "0 decisions added, 0 updated, 3 there already\n");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
    assert_snapshot!("decisions_export", sandbox.run(&["decisions", "export"]));
    let report = &sandbox.json(&["decisions", "export", "--out", "new.jsonl", "--json"])[0];
    assert_eq!((&report["added"], &report["known"]), (&3.into(), &0.into()));
    assert_eq!(fs_err::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let refused = sandbox.run(&["decisions", "export", "--out", "no/such/folder.jsonl"]);
    assert_eq!(refused.code, 2, "{refused}");
    assert_eq!(sandbox.run(&["decisions", "export", "--project", "nowhere"]).code, 5);
}

#[test]
fn a_question_log_has_the_fields_its_readers_know() {
    let sandbox = decided();
    let printed = sandbox.json(&["decisions", "export"]);
    let documented = &documented()["backstory decisions export"];
    let of_codex = printed.iter().find(|line| line["source"] == "codex-import-marker").unwrap();
    assert_same_fields("a line of the question log", &documented[0], of_codex);
    assert_eq!(of_codex["session_id"], of_codex["codex_session_id"]);
    let of_claude = printed.iter().find(|line| line["source"] == "claude-tool").unwrap();
    assert!(of_claude.get("codex_session_id").is_none(), "{of_claude}");
}

/// The demo's history, with a question that was answered alike three times.
fn asked_often() -> Sandbox {
    let sandbox = decided();
    let day = |seq: u32, day: u32| Decision {
        asked_at: Timestamp::parse(&format!("2026-11-{day:02}T09:00:00Z")),
        answered_at: None,
        ..asked(seq)
    };
    let decisions = vec![day(2, 11), day(4, 12), Decision { chosen: vec![1], ..day(6, 10) }];
    sandbox.put_account(REVIEW, &Account { decisions, ..Account::default() });
    sandbox
}

#[test]
fn questions_are_counted() {
    assert_snapshot!("decisions_stats", asked_often().run(&["decisions", "stats"]));
    let none = decided().run(&["decisions", "stats", "--project", "nowhere"]);
    assert!(none.code == 5 && none.stderr == "no decision matches\n", "{none}");
    let json = &decided().json(&["decisions", "stats", "--json"])[0];
    assert_eq!(
        (&json["asked"], &json["followed"], &json["advised"]),
        (&3.into(), &1.into(), &2.into())
    );
    // What was recognised by its shape alone is no question of its own.
    assert_eq!(json["questions"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_always_answered_alike_is_suggested_accepted_and_told() {
    let sandbox = asked_often();
    assert_snapshot!("decisions_suggested", sandbox.run(&["decisions", "suggested"]));
    let id = "hook-0a1b2c3d4e";
    let heading = |name: &str| documented()[name][0].clone();
    let suggested = &sandbox.json(&["decisions", "suggested", "--json"])[0];
    assert_same_fields("suggested", &heading("backstory decisions suggested --json"), suggested);
    assert_snapshot!(sandbox.run(&["decisions", "accept", id]), @r"
    exit 0
    accepted hook-0a1b2c3d4e: agents are told from now on: backstory://memories/preferences/hook-0a1b2c3d4e.md
    ");
    assert_eq!(sandbox.run(&["decisions", "suggested"]).code, 5);
    let memory = sandbox.home().join("archive/memories/preferences/hook-0a1b2c3d4e.md");
    assert_snapshot!("preference", fs_err::read_to_string(&memory).unwrap());
    let told = sandbox.run(&["recall", "how long should a session live before expiry?", "--all"]);
    assert!(told.stdout.contains("memories/preferences/hook-0a1b2c3d4e.md"), "{told}");
    let reset = &sandbox.json(&["decisions", "reset", id, "--json"])[0];
    assert_same_fields("accept", &heading("backstory decisions accept ID --json"), reset);
    assert!(!memory.exists());
    assert_eq!(sandbox.run(&["decisions", "suggested"]).code, 0);
}

#[test]
fn what_is_rejected_is_not_suggested_again() {
    let sandbox = asked_often();
    let id = "hook-0a1b2c3d4e";
    assert_eq!(sandbox.run(&["decisions", "reject", id]).code, 0);
    assert_snapshot!(sandbox.run(&["decisions", "suggested"]), @r"
    exit 5
    --- stderr
    no preference is suggested
    ");
    assert_eq!(sandbox.run(&["decisions", "reset", id]).code, 0);
    assert_eq!(sandbox.run(&["decisions", "suggested"]).code, 0);
    assert_snapshot!(sandbox.run(&["decisions", "accept", "nothing"]), @r#"
    exit 5
    --- stderr
    error: nothing is suggested under "nothing"
      hint: `backstory decisions suggested` lists what is suggested
    "#);
    assert_eq!(sandbox.run(&["decisions", "reject", "nothing"]).code, 5);
    assert_eq!(sandbox.run(&["decisions", "reset", id]).code, 5);
    // A memory somebody changed stays.
    assert_eq!(sandbox.run(&["decisions", "accept", id]).code, 0);
    let memory = "archive/memories/preferences/hook-0a1b2c3d4e.md";
    sandbox.write(memory, "# Mine\n");
    let kept = sandbox.run(&["decisions", "reset", id]);
    assert!(kept.stdout.contains("the memory stays"), "{kept}");
    let refused = sandbox.run(&["decisions", "accept", id]);
    assert!(refused.code == 2 && refused.stderr.contains("exists already"), "{refused}");
    assert!(sandbox.home().join(memory).exists());
}

#[test]
fn a_marker_may_have_another_name_also_when_a_session_goes_on() {
    let mut sandbox = Sandbox::new();
    sandbox.set("BACKSTORY_DECISIONS_MARKER", "ask");
    let store = ("Ship it", "Which store? <ask:store> I will not ask for <gstack-qid:other> here.");
    let name = ("SQLite", "What shall it be called? <ask:name>");
    let ids = || -> Vec<Value> {
        let found = sandbox.json(&["decisions", "--json"]);
        found.iter().map(|row| row["question_id"].clone()).collect()
    };
    sandbox.write_claude("c0ffee00-1", &[store]);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    assert_eq!(ids(), ["store"]);
    sandbox.write_claude("c0ffee00-1", &[store, name]);
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    assert_eq!(ids(), ["name", "store"]);
}

#[test]
fn questions_of_one_call_are_exported_in_their_order() {
    let sandbox = decided();
    let part = |part: u16| Decision { part, question: format!("Number {part}?"), ..asked(3) };
    let decisions = vec![part(0), part(1), part(2)];
    sandbox.put_account(HUNT, &Account { decisions, ..Account::default() });
    let exported = sandbox.json(&["decisions", "export"]);
    let parts: Vec<&Value> = exported.iter().map(|line| &line["part"]).take(3).collect();
    assert_eq!(parts, [0, 1, 2]);
    assert!(exported.is_sorted_by_key(|line| line["ts"].as_str().unwrap()));
}

#[test]
fn suggestions_are_counted_where_they_are_made() {
    let sandbox = asked_often();
    sandbox.write("hub.jsonl", r#"{"id": 1, "title": "Why?", "answer": "x", "project": "brew"}"#);
    assert_eq!(sandbox.run(&["decisions", "import", "--hub", "hub.jsonl"]).code, 0);
    let suggested = |project: &str| {
        let stats = sandbox.json(&["decisions", "stats", "--project", project, "--json"]);
        stats[0]["suggested"].clone()
    };
    assert_eq!((suggested("teashop"), suggested("brew")), (1.into(), 0.into()));
}
