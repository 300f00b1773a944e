//! The ledger: what agents asked, what the human answered, and what hubs recorded.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, ODD, chunk, session};
use backstory_model::{
    Decision, DecisionForm, DecisionKind, DecisionOption, DecisionState, Timestamp,
};
use backstory_store::{
    Account, DecisionFilter, HubDecision, LedgerEntry, PendingSession, Recorded, SessionDelta,
    Vault,
};

on_every_engine!(
    decisions_come_back_whole,
    the_ledger_is_filtered_and_the_latest_come_first,
    a_session_that_goes_on_updates_its_rows,
    what_a_hub_recorded_is_recorded_once,
    decisions_stay_when_events_leave_and_leave_when_forgotten,
);

fn option(key: &str, label: &str) -> DecisionOption {
    DecisionOption { key: key.into(), label: label.into(), description: String::new() }
}

/// Everything a decision may hold.
pub(crate) fn full() -> Decision {
    Decision {
        seq: u32::MAX >> 1,
        part: u16::MAX,
        answer_seq: Some(9),
        asked_at: Some(Timestamp(-5)),
        answered_at: Some(Timestamp(i64::MAX >> 1)),
        kind: DecisionKind::Plan,
        form: DecisionForm::Marker,
        state: DecisionState::Interrupted,
        question_id: "ship-database".into(),
        skill: ODD.into(),
        header: "D3".into(),
        question: ODD.repeat(20),
        options: vec![
            DecisionOption { description: ODD.into(), ..option("A", ODD) },
            option("", "Postgres"),
        ],
        recommended: Some(1),
        chosen: vec![0, 1, u16::MAX],
        free_text: Some(ODD.into()),
        confidence: 100,
    }
}

fn asked(seq: u32, part: u16, at: Option<i64>, question: &str) -> Decision {
    Decision {
        seq,
        part,
        asked_at: at.map(Timestamp),
        question: question.into(),
        question_id: format!("q-{}", question.to_lowercase()),
        ..Decision::default()
    }
}

fn put(archive: &Archive, id: i64, next_seq: u32, decisions: Vec<Decision>) {
    let session = PendingSession { id, uid: uid("claude:any"), from_seq: 0, next_seq };
    let mut writer = archive.writer();
    let account = Account { decisions, ..Account::default() };
    writer.put_account(&session, &account, NOW).unwrap();
    writer.commit().unwrap();
}

fn questions(found: &[LedgerEntry]) -> Vec<&str> {
    found.iter().map(|entry| entry.decision.question.as_str()).collect()
}

fn all(vault: &Vault) -> Vec<LedgerEntry> {
    vault.decisions(&DecisionFilter::default()).unwrap()
}

fn decisions_come_back_whole(archive: &Archive) {
    let delta = SessionDelta {
        project_key: Some("/src/shop/.git".into()),
        repo: Some("shop".into()),
        cwd: Some("/src/shop".into()),
        title: Some((1, "Ship it".into())),
        started_at: Some(Timestamp(70)),
        ..session(1, "one")
    };
    archive.store(&[chunk(delta, &[Event::new(0)])]);
    let untimed = asked(3, 0, None, "When?");
    put(archive, 1, 1, vec![full(), untimed.clone()]);
    let vault = archive.vault();
    let account = vault.account(&uid("claude:one")).unwrap().unwrap();
    assert_eq!(account.decisions, [untimed.clone(), full()]);
    let found = all(&vault);
    let entry = LedgerEntry {
        session_uid: Some(uid("claude:one")),
        project: Some("/src/shop/.git".into()),
        repo: Some("shop".into()),
        cwd: Some("/src/shop".into()),
        title: Some("Ship it".into()),
        // Who does not know when it was asked knows when the session began.
        at: Some(Timestamp(70)),
        decision: untimed,
        ..LedgerEntry::default()
    };
    let odd = LedgerEntry { at: Some(Timestamp(-5)), decision: full(), ..entry.clone() };
    assert_eq!(found, [entry, odd]);
    assert_eq!(found[0].address(), "backstory://claude:one/3");
    assert!(vault.account(&uid("claude:one")).unwrap().unwrap().text().contains("When?"));
}

fn the_ledger_is_filtered_and_the_latest_come_first(archive: &Archive) {
    let of = |id: i64, native: &str, project: &str| SessionDelta {
        project_key: Some(format!("/src/{project}")),
        repo: Some(project.into()),
        ..session(id, native)
    };
    archive.store(&[
        chunk(of(1, "one", "Shop"), &[Event::new(0)]),
        chunk(of(2, "two", "brew"), &[Event::new(0)]),
    ]);
    let permission = Decision {
        kind: DecisionKind::Permission,
        state: DecisionState::Answered,
        ..asked(5, 0, Some(40), "May I?")
    };
    let brief = Decision { form: DecisionForm::Pattern, ..asked(1, 0, Some(20), "Why?") };
    let said = Decision { free_text: Some("The BLUE one".into()), ..asked(1, 1, Some(20), "Who?") };
    put(archive, 1, 1, vec![permission, asked(0, 0, Some(10), "How?")]);
    put(archive, 2, 1, vec![said, brief]);
    let vault = archive.vault();
    let any = DecisionFilter::default;
    let some = |filter: DecisionFilter| {
        let found = vault.decisions(&filter).unwrap();
        questions(&found).join(" ")
    };
    assert_eq!(some(any()), "May I? Why? Who? How?");
    assert_eq!(some(DecisionFilter { limit: Some(2), ..any() }), "May I? Why?");
    for (filter, expected) in [
        (DecisionFilter { projects: vec!["/src/Shop".into()], ..any() }, "May I? How?"),
        (
            DecisionFilter { projects: vec!["/src/Shop".into(), "/src/brew".into()], ..any() },
            "May I? Why? Who? How?",
        ),
        (DecisionFilter { projects: vec!["/src/shop".into()], ..any() }, ""),
        (DecisionFilter { repo: Some("SHOP".into()), ..any() }, "May I? How?"),
        (DecisionFilter { session: Some(uid("claude:two")), ..any() }, "Why? Who?"),
        (DecisionFilter { session: Some(uid("claude:none")), ..any() }, ""),
        (DecisionFilter { seq: Some(1), ..any() }, "Why? Who?"),
        (DecisionFilter { since: Some(Timestamp(20)), ..any() }, "May I? Why? Who?"),
        (DecisionFilter { until: Some(Timestamp(20)), ..any() }, "How?"),
        (DecisionFilter { state: Some(DecisionState::Answered), ..any() }, "May I?"),
        (DecisionFilter { kinds: vec![DecisionKind::Question], ..any() }, "Why? Who? How?"),
        (DecisionFilter { form: Some(DecisionForm::Pattern), ..any() }, "Why?"),
        (DecisionFilter { question_id: Some("q-how?".into()), ..any() }, "How?"),
        (DecisionFilter { text: Some("blue".into()), ..any() }, "Who?"),
        (DecisionFilter { text: Some("HOW".into()), ..any() }, "How?"),
        (DecisionFilter { text: Some("%".into()), ..any() }, ""),
    ] {
        assert_eq!(some(filter.clone()), expected, "{filter:?}");
    }
    assert_eq!(vault.projects_called("shop").unwrap(), ["/src/Shop"]);
    assert!(vault.projects_called("none").unwrap().is_empty());
}

fn a_session_that_goes_on_updates_its_rows(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::new(0)])]);
    let open = asked(0, 0, Some(10), "How?");
    put(archive, 1, 1, vec![open.clone()]);
    put(archive, 1, 1, vec![open.clone()]);
    assert_eq!(all(&archive.vault()).len(), 1);
    let answered = Decision { state: DecisionState::Answered, chosen: vec![1], ..open };
    put(archive, 1, 1, vec![answered.clone(), asked(2, 0, Some(30), "Why?")]);
    let vault = archive.vault();
    assert_eq!(questions(&all(&vault)), ["Why?", "How?"]);
    assert_eq!(all(&vault)[1].decision, answered);
    put(archive, 1, 1, Vec::new());
    assert!(all(&archive.vault()).is_empty());
}

fn recorded(origin: &str, question: &str) -> HubDecision {
    HubDecision {
        origin: origin.into(),
        project: Some("shop".into()),
        repo: Some("shop".into()),
        session: Some("claude:one".into()),
        rationale: Some(ODD.into()),
        decision: Decision { form: DecisionForm::Hub, ..asked(0, 0, Some(50), question) },
    }
}

fn what_a_hub_recorded_is_recorded_once(archive: &Archive) {
    let mut writer = archive.writer();
    let mut record = |recorded: &HubDecision| {
        let became = writer.record_hub_decision(recorded).unwrap();
        writer.commit().unwrap();
        became
    };
    assert_eq!(record(&recorded("hub:1", "Where?")), Recorded::New);
    assert_eq!(record(&recorded("hub:2", ODD)), Recorded::New);
    assert_eq!(record(&recorded("hub:1", "Where?")), Recorded::Known);
    assert_eq!(record(&recorded("hub:2", ODD)), Recorded::Known);
    assert_eq!(record(&recorded("hub:1", "Where to?")), Recorded::Changed);
    let vault = archive.vault();
    let found = all(&vault);
    assert_eq!(questions(&found), ["Where to?", ODD]);
    assert_eq!(found[0].address(), "backstory://decisions/hub/hub:1");
    assert_eq!((&found[0].session_uid, found[0].rationale.as_deref()), (&None, Some(ODD)));
    let one = DecisionFilter { origin: Some("hub:2".into()), ..DecisionFilter::default() };
    assert_eq!(questions(&vault.decisions(&one).unwrap()), [ODD]);
}

fn decisions_stay_when_events_leave_and_leave_when_forgotten(archive: &Archive) {
    let chunks =
        [(1, "one"), (2, "two")].map(|(id, name)| chunk(session(id, name), &[Event::new(0)]));
    archive.store(&chunks);
    put(archive, 1, 1, vec![asked(0, 0, Some(10), "How?")]);
    put(archive, 2, 1, vec![asked(0, 0, Some(20), "Why?")]);
    let mut writer = archive.writer();
    writer.record_hub_decision(&recorded("of one", "Where?")).unwrap();
    let other = HubDecision { session: None, ..recorded("of none", "Who?") };
    writer.record_hub_decision(&other).unwrap();
    writer.commit().unwrap();
    writer.evict(&[1, 2], NOW).unwrap();
    writer.reclaim().unwrap();
    assert_eq!(questions(&all(&archive.vault())), ["Who?", "Where?", "Why?", "How?"]);
    assert_eq!(archive.vault().to_forget(&uid("claude:one")).unwrap().decisions, 1);
    assert_eq!(writer.forget(1, NOW).unwrap().decisions, 1);
    writer.commit().unwrap();
    // What a hub recorded of a forgotten session is forgotten with it.
    assert_eq!(questions(&all(&archive.vault())), ["Who?", "Why?"]);
}
