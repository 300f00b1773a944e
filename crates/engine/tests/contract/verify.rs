//! Damage is found, told, and made good where the source still exists.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, chunk, session};
use backstory_model::EventKey;
use backstory_store::{Account, PendingSession, Vault};

on_every_engine!(
    lost_payloads_are_marked_and_stored_again,
    packs_without_an_owner_are_found,
    digests_that_cannot_be_read_are_named,
);

fn lost_payloads_are_marked_and_stored_again(archive: &Archive) {
    let events: Vec<Event> =
        (0..4).map(|seq| Event::with_payload(seq, &format!("payload {seq}"))).collect();
    archive.store(&[chunk(session(1, "one"), &events), chunk(session(2, "two"), &events)]);
    assert_eq!(archive.vault().verify().unwrap(), []);
    assert_eq!(Vault::mark_lost_payloads(&archive.home).unwrap(), 0);
    // The second of two blocks is torn.
    let pack = fs_err::read(archive.pack(1)).unwrap();
    fs_err::write(archive.pack(1), &pack[..pack.len() - 1]).unwrap();
    let damage = archive.vault().verify().unwrap();
    assert_eq!(damage.len(), 1, "{damage:?}");
    assert_eq!(damage[0].session, Some(uid("claude:one")));
    assert_eq!(Vault::mark_lost_payloads(&archive.home).unwrap(), 1);
    assert_eq!(Vault::mark_lost_payloads(&archive.home).unwrap(), 0);
    let vault = archive.vault();
    let damage = vault.verify().unwrap();
    assert_eq!(damage[0].what, "payloads lost earlier have not been read again");
    let lost = |seq: u64| vault.known_event(1, EventKey(1000 + seq)).unwrap().unwrap().payload_lost;
    assert_eq!([0, 1, 2, 3].map(lost), [false, false, true, true]);
    let keys = [0, 1, 2, 3].map(|seq| EventKey(1000 + seq));
    let known = vault.known_events(1, &keys).unwrap();
    assert_eq!(keys.map(|key| known[&key].payload_lost), [false, false, true, true]);
    assert_eq!(keys.map(|key| known[&key].seq), [0, 1, 2, 3]);
    let read = || -> Vec<Option<String>> {
        let vault = archive.vault();
        let events = vault.events(&uid("claude:one")).unwrap();
        events.iter().map(|event| vault.payload(event).ok()).collect()
    };
    assert_eq!(read()[1..3], [Some("payload 1".into()), None]);
    let again: Vec<Event> =
        events[2..].iter().map(|event| Event { refresh: true, ..event.clone() }).collect();
    archive.store(&[chunk(session(1, "one"), &again)]);
    assert_eq!(archive.vault().verify().unwrap(), []);
    let expected: Vec<_> = (0..4).map(|seq| Some(format!("payload {seq}"))).collect();
    assert_eq!(read(), expected);
}

fn packs_without_an_owner_are_found(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::with_payload(0, "x")])]);
    assert!(archive.vault().orphan_packs().unwrap().is_empty());
    let (stray, orphan) = (archive.home.dir().join("packs/stray"), archive.pack(257));
    fs_err::write(&stray, "").unwrap();
    fs_err::write(&orphan, "").unwrap();
    assert_eq!(archive.vault().orphan_packs().unwrap(), [orphan, stray]);
}

fn digests_that_cannot_be_read_are_named(archive: &Archive) {
    archive.store(&[
        chunk(session(1, "one"), &[Event::new(0)]),
        chunk(session(2, "two"), &[Event::new(0)]),
    ]);
    let mut writer = archive.writer();
    for (id, name) in [(1, "claude:one"), (2, "claude:two")] {
        let session = PendingSession { id, uid: uid(name), from_seq: 0, next_seq: 1 };
        writer.put_account(&session, &Account::default(), NOW).unwrap();
    }
    writer.commit().unwrap();
    assert!(archive.vault().unreadable_digests().unwrap().is_empty());
    archive.tamper("UPDATE digests SET digest = state WHERE session_id = 2");
    let unreadable = archive.vault().unreadable_digests().unwrap();
    assert_eq!(unreadable.len(), 1);
    assert_eq!(unreadable[0].0, uid("claude:two"));
}
