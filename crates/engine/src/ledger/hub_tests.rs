//! Lists as hubs give them.

use super::*;
use crate::ledger::{answer as told_answer, question as told_question};
use proptest::prelude::*;

fn one(text: &str) -> HubDecision {
    let mut list = read_hub(text, "hub");
    assert_eq!((list.decisions.len(), list.bad.len()), (1, 0), "{list:?}");
    list.decisions.remove(0)
}

fn told(text: &str) -> String {
    let decision = one(text).decision;
    let advice = crate::ledger::advice(&decision).unwrap_or_default();
    format!("{} → {} {advice}", told_question(&decision), told_answer(&decision))
}

#[test]
fn the_same_things_under_other_names() {
    let full = r#"{"id": 17, "question": "Which store?", "options": ["SQLite", "Postgres"],
        "recommendation": "SQLite", "decision": "Postgres", "rationale": "Many machines",
        "decided_at": "2026-06-06T10:00:00Z", "created_at": "2026-06-06T09:00:00Z",
        "project": "agentic-resources", "session_id": "17092961"}"#;
    let recorded = one(full);
    assert_eq!(recorded.origin, "hub-17");
    assert_eq!(recorded.rationale.as_deref(), Some("Many machines"));
    assert_eq!(recorded.repo.as_deref(), Some("agentic-resources"));
    assert_eq!(recorded.session.as_deref(), Some("17092961"));
    assert_eq!(recorded.decision.latency_ms(), Some(3_600_000));
    assert_eq!(told(full), "Which store? → Postgres instead of SQLite");
    for (text, expected) in [
        (
            r#"{"title": "Which store?", "choices": {"A": "SQLite", "B": "Postgres"}, "chosen": "B"}"#,
            "Which store? → Postgres ",
        ),
        (
            r#"{"summary": "Which?", "options": [{"key": "a", "label": "One", "recommended": true},
                {"id": "b", "name": "Two"}], "answer": ["a"]}"#,
            "Which? → One as recommended",
        ),
        (
            r#"{"question": "Which?", "options": ["One", "Two"], "recommended": 1, "choice": 0}"#,
            "Which? → One instead of Two",
        ),
        (
            r#"{"question": "Which?", "options": ["One", "Two"], "answer": ["two", "three"]}"#,
            "Which? → Two, \"three\" ",
        ),
        (
            r#"{"question": "Which?", "options": ["One"], "answer": {"label": "none"}}"#,
            "Which? → none ",
        ),
        (r#"{"question": "Which?"}"#, "Which? → no answer yet "),
        (r#"{"question": "Which?", "status": "withdrawn"}"#, "Which? → skipped "),
        (
            r#"{"title": "Use SQLite to start", "decided_at": "2026-06-06"}"#,
            "Use SQLite to start → Use SQLite to start ",
        ),
        (
            r#"{"title": "Store", "status": "accepted", "description": "SQLite to start"}"#,
            "Store → SQLite to start ",
        ),
        (r#"{"header": "Store", "question": "Which?", "answer": "one"}"#, "Store: Which? → one "),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn a_state_is_an_answer_only_if_it_says_so() {
    for (state, without, with) in [
        ("decided", "Use SQLite", "yes"),
        ("Resolved", "Use SQLite", "yes"),
        ("accepted", "Use SQLite", "yes"),
        ("approved", "Use SQLite", "yes"),
        ("answered", "Use SQLite", "yes"),
        ("closed", "skipped", "yes"),
        ("superseded", "skipped", "yes"),
        ("rejected", "skipped", "skipped"),
        ("withdrawn", "skipped", "skipped"),
        ("deferred", "no answer yet", "no answer yet"),
        ("proposed", "no answer yet", "no answer yet"),
        ("marinating", "no answer yet", "yes"),
    ] {
        let answer = |more: &str| {
            let entry = format!(
                r#"{{"title": "Use SQLite", "status": "{state}", "decided_at": "2026-06-06"{more}}}"#
            );
            told_answer(&one(&entry).decision)
        };
        assert_eq!(answer(""), without, "{state}");
        assert_eq!(answer(r#", "answer": "yes""#), with, "{state}");
        assert_eq!(answer(r#", "resolution": "yes""#) == "yes", with == "yes", "{state}");
    }
}

#[test]
fn lists_come_in_several_forms() {
    let (a, b) = (r#"{"id": "a", "title": "A?"}"#, r#"{"id": "b", "title": "B?"}"#);
    for text in [
        format!("{a}\n{b}\n"),
        format!("\u{feff}{a}\r\n\r\n{b}"),
        format!("[{a},\n{b}]"),
        format!("{{\"decisions\": [{a}, {b}]}}"),
        format!("{{\"items\": [{a}, {b}], \"next\": null}}"),
    ] {
        let list = read_hub(&text, "x");
        let origins: Vec<&str> = list.decisions.iter().map(|one| one.origin.as_str()).collect();
        assert_eq!((origins.as_slice(), list.next), (&["x-a", "x-b"][..], None), "{text}");
    }
    let page = format!("{{\"items\": [{a}], \"next\": \"/decisions?page=2\"}}");
    assert_eq!(read_hub(&page, "x").next.as_deref(), Some("/decisions?page=2"));
    let page = format!("{{\"data\": [{a}], \"meta\": {{\"cursor\": 7}}}}");
    assert_eq!(read_hub(&page, "x").next.as_deref(), Some("7"));
}

#[test]
fn what_cannot_be_understood_is_named_by_its_line() {
    let list = read_hub("{\"title\": \"A?\"}\nnonsense\n{\"id\": 3}\n[]\n{\"title\": \"B?\"}", "x");
    assert_eq!(list.decisions.len(), 2);
    let lines: Vec<usize> = list.bad.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 3, 4]);
    assert_eq!(list.bad[1].1, "it has no question, title or summary");
    assert_eq!(read_hub("[{\"title\":\n\"A?\"}", "x").bad[0].0, 2);
    assert_eq!(read_hub("3", "x").bad.len(), 1);
    assert_eq!(read_hub("", "x"), HubList::default());
}

#[test]
fn names_and_times_are_made_plain() {
    let at = |text: &str| {
        let text = format!("{{\"title\": \"A?\", \"ts\": {text}}}");
        one(&text).decision.asked_at.map(|at| at.to_string())
    };
    let expected = Some("2026-06-06T00:00:00.000Z".to_owned());
    for text in ["\"2026-06-06\"", "\"2026-06-06T00:00:00\"", "1780704000", "1780704000000"] {
        assert_eq!(at(text), expected, "{text}");
    }
    assert_eq!(at("\"soon\""), None);
    for (project, repo) in [("org/app", "app"), ("/src/app/", "app"), ("app.git", "app")] {
        let recorded = one(&format!("{{\"title\": \"A?\", \"repo\": \"{project}\"}}"));
        assert_eq!(recorded.repo.as_deref(), Some(repo));
    }
    let odd = one("{\"title\": \"A?\", \"id\": \"../x y\"}").origin;
    assert!(odd.starts_with("hub-") && !odd.contains(['/', ' ']), "{odd}");
    // Without an id, what it says is its name.
    let (first, again) =
        (one("{\"title\": \"A?\"}"), one("{\"title\": \"A?\", \"answer\": \"x\"}"));
    assert_eq!(first.origin, again.origin);
    assert_ne!(first.origin, one("{\"title\": \"B?\"}").origin);
    assert_eq!(first.decision.question_id, one("{\"title\": \" a? \"}").decision.question_id);
}

proptest! {
    #[test]
    fn whatever_comes_is_understood_or_named(text in "\\PC{0,200}|[\\[\\]{}:,\"a1 \n]{0,80}") {
        let list = read_hub(&text, "hub");
        prop_assert!(list.decisions.iter().all(|one| !one.decision.question.is_empty()));
        prop_assert_eq!(read_hub(&text, "hub"), list);
    }
}
