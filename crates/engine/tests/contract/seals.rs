//! Seals: what a session had come to each time a stretch of it was closed.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, ODD, chunk, session};
use backstory_model::{Seal, SealReason};

on_every_engine!(
    seals_come_back_in_their_order,
    a_number_is_given_once,
    seals_stay_when_raw_events_leave_and_go_with_their_session,
    seals_of_an_open_transaction_are_not_there_yet,
    events_without_a_source_are_events,
);

fn seal(number: u32, reason: SealReason) -> Seal {
    Seal {
        number,
        last_seq: number * 10,
        sealed_at: NOW,
        reason,
        abstract_text: ODD.into(),
        overview: format!("## Session Title\n\n{}\n", "seal ".repeat(number as usize * 200)),
    }
}

fn stored(archive: &Archive, seals: &[(i64, Seal)]) {
    let mut writer = archive.writer();
    for (session_id, seal) in seals {
        assert!(writer.put_seal(*session_id, seal).unwrap());
    }
    writer.commit().unwrap();
}

fn seals_come_back_in_their_order(archive: &Archive) {
    archive.store(&[
        chunk(session(1, "one"), &[Event::new(0)]),
        chunk(session(2, "two"), &[Event::new(0)]),
    ]);
    let one = uid("claude:one");
    assert_eq!(archive.vault().latest_seal(&one).unwrap(), None);
    let seals: Vec<Seal> =
        SealReason::ALL.into_iter().zip(1..).map(|(reason, number)| seal(number, reason)).collect();
    for seal in seals.iter().rev() {
        stored(archive, &[(1, seal.clone())]);
    }
    let vault = archive.vault();
    assert_eq!(vault.seals_of(&one).unwrap(), seals);
    assert_eq!(vault.latest_seal(&one).unwrap().as_ref(), seals.last());
    assert_eq!(vault.seal(&one, 2).unwrap().as_ref(), seals.get(1));
    assert_eq!(vault.seal(&one, 9).unwrap(), None);
    assert_eq!(vault.seals_of(&uid("claude:two")).unwrap(), []);
    assert_eq!(vault.latest_seal(&uid("claude:none")).unwrap(), None);
    archive.tamper("UPDATE seals SET reason = 'later' WHERE number = 2");
    assert_eq!(archive.vault().seal(&one, 2).unwrap().unwrap().reason, SealReason::Asked);
}

fn a_number_is_given_once(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::new(0)])]);
    stored(archive, &[(1, seal(1, SealReason::Idle))]);
    let mut writer = archive.writer();
    assert!(!writer.put_seal(1, &seal(1, SealReason::Ended)).unwrap());
    assert!(writer.put_seal(1, &seal(2, SealReason::Ended)).unwrap());
    writer.commit().unwrap();
    let reasons: Vec<SealReason> = archive
        .vault()
        .seals_of(&uid("claude:one"))
        .unwrap()
        .iter()
        .map(|seal| seal.reason)
        .collect();
    assert_eq!(reasons, [SealReason::Idle, SealReason::Ended]);
}

fn seals_stay_when_raw_events_leave_and_go_with_their_session(archive: &Archive) {
    archive.store(&[
        chunk(session(1, "one"), &[Event::with_payload(0, "x")]),
        chunk(session(2, "two"), &[Event::new(0)]),
    ]);
    let (one, two) = (seal(1, SealReason::Ended), seal(1, SealReason::Idle));
    stored(archive, &[(1, one.clone()), (2, two.clone())]);
    let mut writer = archive.writer();
    writer.evict(&[1], NOW).unwrap();
    writer.reclaim().unwrap();
    let of = |name: &str| archive.vault().seals_of(&uid(name)).unwrap();
    assert_eq!(of("claude:one"), [one]);
    writer.forget(1, NOW).unwrap();
    writer.reclaim().unwrap();
    assert_eq!(of("claude:one"), []);
    assert_eq!(of("claude:two"), [two]);
}

fn seals_of_an_open_transaction_are_not_there_yet(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::new(0)])]);
    let mut writer = archive.writer();
    writer.put_seal(1, &seal(1, SealReason::Ended)).unwrap();
    assert_eq!(archive.vault().latest_seal(&uid("claude:one")).unwrap(), None);
    drop(writer);
    assert_eq!(archive.vault().latest_seal(&uid("claude:one")).unwrap(), None);
}

fn events_without_a_source_are_events(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::new(0)])]);
    let source = || format!("{:?}", archive.vault().cursor(1000).unwrap());
    let before = source();
    let mut writer = archive.writer();
    let said = Event::with_payload(1, "what was said last");
    writer.add(&chunk(session(1, "one"), &[said]), NOW).unwrap();
    writer.commit().unwrap();
    let vault = archive.vault();
    let events = vault.events(&uid("claude:one")).unwrap();
    assert_eq!(events.len(), 2);
    assert_eq!(vault.payload(&events[1]).unwrap(), "what was said last");
    assert_eq!(vault.session(&uid("claude:one")).unwrap().unwrap().events, 2);
    assert_eq!(source(), before);
    assert_eq!(vault.pending(false).unwrap()[0].next_seq, 2);
}
