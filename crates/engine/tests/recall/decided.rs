//! Earlier answers to a similar question.

use crate::history::{BREWERY, History, NOW, SHOP, uid};
use crate::{options, told};
use backstory_engine::recall::{Category, RecallOptions, Target, mute};
use backstory_model::{
    Decision, DecisionForm, DecisionKind, DecisionOption, DecisionState, Timestamp,
};
use backstory_store::{HubDecision, PendingSession, Writer};

fn asked(seq: u32, day: u32, chosen: u16) -> Decision {
    let option = |label: &str| DecisionOption { label: label.into(), ..Default::default() };
    Decision {
        seq,
        answer_seq: Some(seq + 1),
        asked_at: Timestamp::parse(&format!("2026-03-{day:02}T12:00:00Z")),
        state: DecisionState::Answered,
        question_id: "hook-0123456789".into(),
        header: "Invoices".into(),
        question: "Which font should invoices be printed in?".into(),
        options: vec![option("Garamond"), option("Helvetica")],
        recommended: Some(1),
        chosen: vec![chosen],
        confidence: 100,
        ..Decision::default()
    }
}

/// Adds decisions to what is kept of a session.
fn put(history: &History, id: &str, decisions: Vec<Decision>) {
    let vault = history.vault();
    let head = vault.session_head(&uid(id)).unwrap().unwrap();
    let mut account = vault.account(&uid(id)).unwrap().unwrap();
    account.decisions = decisions;
    let session =
        PendingSession { id: head.id, uid: uid(id), from_seq: 0, next_seq: head.next_seq };
    let mut writer = Writer::open(&history.archive.home).unwrap();
    writer.put_account(&session, &account, NOW).unwrap();
    writer.commit().unwrap();
}

const PROMPT: &str = "Print the invoices in a nicer font";

#[test]
fn an_earlier_answer_is_told_with_the_question() {
    let history = History::told();
    put(&history, "deploy", vec![asked(1, 2, 1)]);
    put(&history, "prefer", vec![asked(2, 4, 0)]);
    let found = told(&history, &options(PROMPT, SHOP));
    let item = &found.items[0];
    assert_eq!(item.category, Category::Decision, "{found:#?}");
    // The latest answer, and that alone.
    assert_eq!(
        item.text,
        "2026-03-04: asked \"Which font should invoices be printed in?\", \
         the user chose: Garamond (instead of Helvetica)"
    );
    assert_eq!(item.address, "backstory://claude:prefer/2");
    assert_eq!(found.text.matches("Which font").count(), 1, "{found:#?}");
    assert_eq!(told(&history, &options(PROMPT, SHOP)), found);
}

#[test]
fn answers_are_told_where_they_may_be() {
    let history = History::told();
    put(&history, "prefer", vec![asked(2, 4, 0)]);
    let tells = |asked: &RecallOptions| told(&history, asked).text.contains("Garamond");
    let asked_here = options(PROMPT, SHOP);
    assert!(tells(&asked_here));
    assert!(!tells(&options(PROMPT, BREWERY)));
    assert!(tells(&RecallOptions { everywhere: true, ..options(PROMPT, BREWERY) }));
    assert!(!tells(&RecallOptions { session: Some(uid("prefer")), ..asked_here.clone() }));
    assert!(!tells(&options("Upgrade the database driver", SHOP)));
    mute(&history.archive.home, &Target::Session("claude:prefer".into()), NOW).unwrap();
    assert!(!tells(&asked_here));
}

#[test]
fn what_is_open_or_a_permission_is_not_told() {
    let history = History::told();
    let open = Decision { state: DecisionState::Open, ..asked(2, 4, 0) };
    let permission =
        Decision { kind: DecisionKind::Permission, question_id: "x".into(), ..asked(4, 4, 0) };
    put(&history, "prefer", vec![open, permission]);
    assert!(!told(&history, &options(PROMPT, SHOP)).text.contains("Garamond"));
}

#[test]
fn what_a_hub_recorded_of_the_project_is_told() {
    let history = History::told();
    let recorded = HubDecision {
        origin: "hub-17".into(),
        project: Some("teashop".into()),
        repo: Some("teashop".into()),
        decision: Decision { form: DecisionForm::Hub, ..asked(0, 9, 0) },
        ..HubDecision::default()
    };
    let mut writer = Writer::open(&history.archive.home).unwrap();
    writer.record_hub_decision(&recorded).unwrap();
    writer.commit().unwrap();
    let found = told(&history, &options(PROMPT, SHOP));
    assert!(found.text.contains("backstory://decisions/hub/hub-17"), "{found:#?}");
    assert!(!told(&history, &options(PROMPT, BREWERY)).text.contains("Garamond"));
}
