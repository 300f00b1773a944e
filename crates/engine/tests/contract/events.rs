//! Events: what goes in comes out, whatever is in it.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, ODD, chunk, session};
use backstory_model::{EventKey, EventKind, Role, SessionEvent, Timestamp};
use backstory_store::{KnownEvent, PendingSession, Stretch};
use std::ops::ControlFlow;

on_every_engine!(
    every_column_comes_back,
    payloads_come_back_whatever_their_size,
    keys_are_known_with_the_top_bit_set,
    a_refreshed_event_keeps_its_place,
    many_keys_are_looked_up_at_once,
    stretches_are_read_by_seq,
    many_stretches_are_read_at_once,
    grok_events_are_told_by_time,
);

/// As it was put in: the place of a payload is the archive's own affair.
fn told(mut events: Vec<SessionEvent>) -> Vec<SessionEvent> {
    for event in &mut events {
        event.payload_ref = None;
    }
    events
}

fn full(seq: u32) -> Event {
    Event {
        parent_seq: Some(u32::MAX >> 1),
        ts: Some(Timestamp(-1)),
        kind: EventKind::ToolResult,
        role: Role::Tool,
        is_sidechain: true,
        tokens: u64::from(u32::MAX) * 8,
        exit_code: Some(-1),
        duration_ms: Some(1 << 40),
        ..Event::new(seq)
    }
}

fn every_column_comes_back(archive: &Archive) {
    let ids = [
        "0198c0de-1234-7abc-8def-0123456789ab",
        "0198C0DE-1234-7ABC-8DEF-0123456789AB",
        "00000000-0000-0000-0000-000000000000",
        "call_1",
        "",
        ODD,
    ];
    let mut events = vec![Event::new(0)];
    for (seq, id) in (1..).zip(ids) {
        events.push(Event { native_id: Some(id.to_owned()), ..full(seq) });
    }
    for (seq, text) in (10..).zip([ODD, "", " ", "NULL", "\u{0}", "\\x00", "\\0\\\\", "\u{2400}"]) {
        events.push(Event {
            tool: Some(text.to_owned()),
            call_id: Some(text.to_owned()),
            summary: text.to_owned(),
            files: vec!["src/a b.rs".into(), "src/é🦀.rs".into()],
            ..Event::new(seq)
        });
    }
    for (seq, kind) in (30..).zip(EventKind::ALL) {
        let role = Role::ALL[seq as usize % 4];
        events.push(Event { kind, role, exit_code: Some(i32::MIN), ..Event::new(seq) });
    }
    archive.store(&[chunk(session(1, "one"), &events)]);
    let one = uid("claude:one");
    let expected: Vec<SessionEvent> = events.iter().map(|event| event.stored(&one)).collect();
    let stored = told(archive.vault().events(&one).unwrap());
    for (stored, expected) in stored.iter().zip(&expected) {
        assert_eq!(stored, expected);
    }
    assert_eq!(stored.len(), expected.len());
}

fn payloads_come_back_whatever_their_size(archive: &Archive) {
    let long = "0123456789abcdef".repeat(9000);
    let payloads = ["short", "", ODD, long.as_str(), "last"];
    let events: Vec<Event> =
        (0..).zip(payloads).map(|(seq, text)| Event::with_payload(seq, text)).collect();
    let (first, second) = events.split_at(3);
    archive.store(&[chunk(session(1, "one"), first), chunk(session(2, "two"), first)]);
    archive.store(&[chunk(session(1, "one"), second), chunk(session(1, "one"), &[Event::new(9)])]);
    let kept = |seq, role| Event {
        kind: EventKind::Lifecycle,
        role,
        ..Event::with_payload(seq, "kept apart")
    };
    archive.store(&[chunk(session(3, "three"), &[kept(0, Role::System), kept(1, Role::Tool)])]);
    let vault = archive.vault();
    let one = uid("claude:one");
    let read = |event: &SessionEvent| vault.payload(event).unwrap();
    let stored: Vec<String> = vault.events(&one).unwrap().iter().map(read).collect();
    assert_eq!(stored, ["short", "", ODD, long.as_str(), "last", "event 9"]);
    let two: Vec<String> = vault.events(&uid("claude:two")).unwrap().iter().map(read).collect();
    assert_eq!(two, ["short", "", ODD]);
    let mut texts = Vec::new();
    vault.for_each_text(&one, |text| texts.push(text.len())).unwrap();
    assert_eq!(texts, [5, 0, ODD.len(), long.len(), 4, 7]);
    // What a tool said is read wherever it is kept; other bookkeeping is known by its summary.
    let mut texts = Vec::new();
    vault.for_each_text(&uid("claude:three"), |text| texts.push(text.to_owned())).unwrap();
    assert_eq!(texts, ["event 0", "kept apart"]);
}

fn keys_are_known_with_the_top_bit_set(archive: &Archive) {
    let keys = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1];
    let events: Vec<Event> =
        (0..).zip(keys).map(|(seq, key)| Event { key, ..Event::new(seq) }).collect();
    let mut chunk = chunk(session(1, "one"), &events);
    chunk.roots = keys.iter().map(|key| (EventKey(*key), 1)).collect();
    archive.store(&[chunk]);
    let vault = archive.vault();
    for (seq, key) in (0..).zip(keys) {
        let known = vault.known_event(1, EventKey(key)).unwrap();
        assert_eq!(known, Some(KnownEvent { seq, payload_lost: false }));
        assert_eq!(vault.known_event(2, EventKey(key)).unwrap(), None);
        assert_eq!(vault.root_owner(EventKey(key)).unwrap(), Some(uid("claude:one")));
    }
    assert_eq!(vault.known_event(1, EventKey(2)).unwrap(), None);
    assert_eq!(vault.root_owner(EventKey(2)).unwrap(), None);
    let mut found = Vec::new();
    let each = |key: EventKey, event: SessionEvent| -> Result<(), backstory_store::StoreError> {
        found.push((event.seq, key.0));
        Ok(())
    };
    vault.for_each_keyed_event(&uid("claude:one"), each).unwrap();
    assert_eq!(found, (0..).zip(keys).collect::<Vec<_>>());
}

fn many_keys_are_looked_up_at_once(archive: &Archive) {
    let key = |seq: u32| u64::from(seq).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let events: Vec<Event> =
        (0..700).map(|seq| Event { key: key(seq), ..Event::new(seq) }).collect();
    archive.store(&[chunk(session(1, "one"), &events), chunk(session(2, "two"), &events[..1])]);
    let vault = archive.vault();
    let keys: Vec<EventKey> = (0..1000).map(|seq| EventKey(key(seq))).collect();
    let known = vault.known_events(1, &keys).unwrap();
    assert_eq!(known.len(), 700);
    for seq in 0..700 {
        assert_eq!(known[&EventKey(key(seq))], KnownEvent { seq, payload_lost: false });
    }
    assert_eq!(vault.known_events(2, &keys).unwrap().len(), 1);
    assert_eq!(vault.known_events(1, &keys[..1]).unwrap().len(), 1);
    assert!(vault.known_events(1, &[]).unwrap().is_empty());
    assert!(vault.known_events(3, &keys[..9]).unwrap().is_empty());
}

fn a_refreshed_event_keeps_its_place(archive: &Archive) {
    let before = Event { payload: Some("old".into()), parent_seq: Some(4), ..full(0) };
    let kept = Event { payload: Some("kept".into()), ..Event::new(1) };
    archive.store(&[chunk(session(1, "one"), &[before.clone(), kept.clone()])]);
    let after = Event {
        kind: EventKind::Error,
        role: Role::System,
        tool: Some("Bash".into()),
        summary: "new summary".into(),
        payload: Some("new".into()),
        exit_code: None,
        parent_seq: None,
        refresh: true,
        ..before.clone()
    };
    let without = Event { payload: None, summary: "other".into(), refresh: true, ..kept };
    archive.store(&[chunk(session(1, "one"), &[after.clone(), without])]);
    let vault = archive.vault();
    let one = uid("claude:one");
    let stored = vault.events(&one).unwrap();
    let payloads: Vec<String> = stored.iter().map(|event| vault.payload(event).unwrap()).collect();
    assert_eq!(payloads, ["new", "kept"]);
    // What is not said anew stays.
    let expected = Event { parent_seq: Some(4), ..after };
    assert_eq!(told(stored)[0], expected.stored(&one));
    assert_eq!(vault.session(&one).unwrap().unwrap().events, 2);
}

fn stretches_are_read_by_seq(archive: &Archive) {
    let events: Vec<Event> = [5, 3, 0, 1].map(Event::new).to_vec();
    archive.store(&[chunk(session(1, "one"), &events)]);
    let vault = archive.vault();
    let one = uid("claude:one");
    let seqs = |events: Vec<SessionEvent>| -> Vec<u32> {
        events.into_iter().map(|event| event.seq).collect()
    };
    assert_eq!(seqs(vault.events(&one).unwrap()), [0, 1, 3, 5]);
    let mut seen = Vec::new();
    vault
        .for_each_event(&one, |event| {
            seen.push(event.seq);
            if event.seq == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(seen, [0, 1]);
    assert!(vault.events(&uid("claude:none")).unwrap().is_empty());
}

fn many_stretches_are_read_at_once(archive: &Archive) {
    let stored = |id: i64, native: &str, seqs: &[u32]| {
        let events: Vec<Event> = seqs.iter().map(|seq| Event::with_payload(*seq, native)).collect();
        chunk(session(id, native), &events)
    };
    let many: Vec<u32> = (0..200).collect();
    archive.store(&[stored(1, "one", &[5, 3, 0, 1]), stored(2, "two", &many)]);
    let vault = archive.vault();
    let (one, two) = (uid("claude:one"), uid("claude:two"));
    let told = |wanted: &[Stretch<'_>]| -> Vec<Vec<u32>> {
        let found = vault.stretches(wanted).unwrap();
        let seqs = |events: &Vec<SessionEvent>| events.iter().map(|event| event.seq).collect();
        found.iter().map(seqs).collect()
    };
    let wanted = [
        Stretch { session: 1, uid: &one, first: 1, last: 3 },
        Stretch::one(1, &one, 3),
        Stretch::one(1, &one, 4),
        Stretch { session: 2, uid: &two, first: 198, last: u32::MAX },
        Stretch { session: 1, uid: &one, first: 3, last: 1 },
        Stretch { session: 1, uid: &one, first: 0, last: 3 },
        Stretch::one(3, &one, 0),
    ];
    let expected: [&[u32]; 7] = [&[1, 3], &[3], &[], &[198, 199], &[], &[0, 1, 3], &[]];
    assert_eq!(told(&wanted), expected);
    assert!(told(&[]).is_empty());
    let places: Vec<Stretch<'_>> = (0..250).rev().map(|seq| Stretch::one(2, &two, seq)).collect();
    let singles: Vec<Vec<u32>> =
        (0..250).rev().map(|seq| if seq < 200 { vec![seq] } else { Vec::new() }).collect();
    assert_eq!(told(&places), singles);
    let [event] = &vault.stretches(&wanted[1..2]).unwrap()[0][..] else { panic!() };
    assert_eq!(Some(event), vault.events(&one).unwrap().iter().find(|event| event.seq == 3));
    assert_eq!(vault.payload(event).unwrap(), "one");
}

fn grok_events_are_told_by_time(archive: &Archive) {
    let times = [Some(30), None, Some(10), Some(10), None];
    let events: Vec<Event> = (0..)
        .zip(times)
        .map(|(seq, ts)| Event { ts: ts.map(Timestamp), ..Event::with_payload(seq, "said") })
        .collect();
    let mut grok = session(1, "one");
    (grok.uid, grok.flavor) = ("grok:one".into(), "grok");
    archive.store(&[chunk(grok, &events), chunk(session(2, "two"), &events)]);
    let vault = archive.vault();
    let told = |id: i64, name: &str, from_seq: u32| {
        let session = PendingSession { id, uid: uid(name), from_seq, next_seq: 5 };
        let mut told = Vec::new();
        let each = |event: SessionEvent, text: &str| {
            assert_eq!(text, "said");
            told.push(event.seq);
        };
        vault.for_each_moment(&session, |kind| kind == EventKind::UserMsg, each).unwrap();
        told
    };
    assert_eq!(told(1, "grok:one", 0), [1, 4, 2, 3, 0]);
    assert_eq!(told(1, "grok:one", 2), [4, 2, 3]);
    assert_eq!(told(2, "claude:two", 0), [0, 1, 2, 3, 4]);
}
