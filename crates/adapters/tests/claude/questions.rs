//! What the human was asked by a tool, and what came back.

use crate::log::{call, kinds, read, result, said};
use backstory_model::EventKind;

#[test]
fn questions_to_the_human_and_their_answers_are_decisions() {
    let input = r#"{"questions":[{"question":"Which one?","options":[{"label":"A"}]}]}"#;
    let batch = read(&[
        call("a1", "", "t1", "AskUserQuestion", input),
        result(
            "u1",
            "a1",
            "t1",
            r#""content":"User has answered your questions: A""#,
            r#"{"questions":[],"answers":{"Which one?":"A"}}"#,
        ),
    ]);
    assert_eq!(kinds(&batch), [EventKind::Decision, EventKind::Decision]);
    assert_eq!(said(&batch)[0].2, input);
    assert_eq!(said(&batch)[1].2, r#"{"answers":{"Which one?":"A"}}"#);
}

#[test]
fn answers_are_kept_as_they_were_filed() {
    let told =
        r#""content":"User has answered your questions: \"Which one?\"=\"call it \"a\", \"b\"\".""#;
    let asked = || call("a1", "", "t1", "AskUserQuestion", r#"{"questions":[]}"#);
    let kept = |twin: &str| {
        let batch = read(&[asked(), result("u1", "a1", "t1", told, twin)]);
        said(&batch)[1].2.to_owned()
    };
    let answers = r#""answers":{"Which one?":"call it \"a\", \"b\""}"#;
    let notes = r#""annotations":{"Which one?":{"notes":"please"}}"#;
    assert_eq!(
        kept(&format!(r#"{{"questions":[],{notes},{answers}}}"#)),
        format!("{{{answers},{notes}}}")
    );
    assert_eq!(
        kept(&format!(r#"{{"questions":[],{answers},"annotations":{{}}}}"#)),
        format!("{{{answers}}}")
    );
    // Who filed nothing is understood by what the model was told.
    for twin in [r#"{"questions":[],"answers":{ }}"#, r#"{"questions":[]}"#, "null"] {
        assert!(kept(twin).starts_with("User has answered"), "{twin}");
    }
}

#[test]
fn plans_put_up_are_decisions_and_so_are_answers_without_text() {
    let batch = read(&[
        call("a1", "", "t1", "ExitPlanMode", r#"{"plan":"First this."}"#),
        result(
            "u1",
            "a1",
            "t1",
            r#""content":"User has approved your plan.""#,
            r#"{"plan":"First this.","isAgent":false}"#,
        ),
        call("a2", "u1", "t2", "AskUserQuestion", r#"{"questions":[]}"#),
        result(
            "u2",
            "a2",
            "t2",
            r#""content":"""#,
            r#"{"questions":[],"answers":{"Which one?":"A"}}"#,
        ),
    ]);
    assert_eq!(kinds(&batch), [EventKind::Decision; 4]);
    assert_eq!(said(&batch)[3].2, r#"{"answers":{"Which one?":"A"}}"#);
}
