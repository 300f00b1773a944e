//! Sessions that come from another archive, or go to one.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, chunk, session};
use backstory_model::EventKey;
use backstory_store::{KnownEvent, Passport, PendingSession, SessionDelta};

on_every_engine!(passports_tell_what_a_row_does_not, departed_events_come_along);

fn passports_tell_what_a_row_does_not(archive: &Archive) {
    let titled = SessionDelta { title: Some((3, "title".into())), ..session(1, "one") };
    let events: Vec<Event> =
        (0..3).map(|seq| Event { key: u64::MAX - u64::from(seq), ..Event::new(seq) }).collect();
    let mut one = chunk(titled, &events);
    one.roots = vec![(EventKey(5), 1), (EventKey(u64::MAX), 1)];
    archive.store(&[one, chunk(session(2, "two"), &[Event::new(0)])]);
    let mut writer = archive.writer();
    let pending = PendingSession { id: 1, uid: uid("claude:one"), from_seq: 0, next_seq: 3 };
    writer.put_account(&pending, &backstory_store::Account::default(), NOW).unwrap();
    writer.commit().unwrap();
    writer.evict(&[1], NOW).unwrap();
    let vault = archive.vault();
    let mut departed = Vec::new();
    for event in &events {
        departed.extend_from_slice(&event.key.to_le_bytes()[..Passport::DEPARTED_KEY_BYTES]);
    }
    let expected = Passport {
        next_seq: 3,
        title_rank: 3,
        analyzed_seq: 3,
        // As signed numbers.
        roots: vec![EventKey(u64::MAX), EventKey(5)],
        departed,
    };
    assert_eq!(vault.passport(&uid("claude:one")).unwrap(), Some(expected));
    let two = Passport { next_seq: 1, ..Passport::default() };
    assert_eq!(vault.passport(&uid("claude:two")).unwrap(), Some(two));
    assert_eq!(vault.passport(&uid("claude:none")).unwrap(), None);
}

fn departed_events_come_along(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::new(2)])]);
    let mut writer = archive.writer();
    let keys = [[1, 0, 0, 0, 0, 0], [255, 255, 255, 255, 255, 255]].concat();
    writer.put_departed(1, &keys, 2, Some(NOW)).unwrap();
    writer.commit().unwrap();
    let vault = archive.vault();
    let known = |key: u64| vault.known_event(1, EventKey(key)).unwrap().map(|known| known.seq);
    assert_eq!(
        [known(1), known(u64::MAX), known(1002), known(2)],
        [Some(0), Some(1), Some(2), None]
    );
    assert_eq!(vault.passport(&uid("claude:one")).unwrap().unwrap().departed, keys);
    let resident = &vault.residents().unwrap()[0];
    assert_eq!(resident.events, 1);
    let first = vault.known_event(1, EventKey(1)).unwrap();
    assert_eq!(first, Some(KnownEvent { seq: 0, payload_lost: false }));
    let session = vault.session(&uid("claude:one")).unwrap().unwrap();
    assert_eq!(session.watermarks.evicted_at, Some(NOW));
    assert_eq!(vault.evicted_without_digest().unwrap(), [uid("claude:one")]);
}
