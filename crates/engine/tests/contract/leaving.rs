//! Raw events that leave, sessions that are forgotten, and those that must stay.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, chunk, session};
use backstory_model::{EventKey, Timestamp};
use backstory_store::{
    Account, Census, Forgotten, KnownEvent, PendingSession, QuarantineRow, Recent, Resident,
    SecretRow, SessionDelta,
};

on_every_engine!(
    an_evicted_session_keeps_its_name_and_its_keys,
    a_session_goes_on_after_its_eviction,
    a_crash_before_reclaiming_is_made_good,
    a_forgotten_session_leaves_no_word,
    pins_come_and_go,
    sessions_are_counted_by_what_is_kept,
    room_is_measured_per_tier,
);

const LATER: Timestamp = Timestamp(NOW.0 + 1000);

fn said(text: &str, seqs: std::ops::Range<u32>) -> Vec<Event> {
    seqs.map(|seq| Event::with_payload(seq, text)).collect()
}

fn distil(archive: &Archive, id: i64, next_seq: u32) {
    let session = PendingSession { id, uid: uid("claude:any"), from_seq: 0, next_seq };
    let mut writer = archive.writer();
    writer.put_account(&session, &Account::default(), NOW).unwrap();
    writer.commit().unwrap();
}

fn evict(archive: &Archive, ids: &[i64]) {
    let mut writer = archive.writer();
    writer.evict(ids, LATER).unwrap();
    writer.reclaim().unwrap();
}

fn an_evicted_session_keeps_its_name_and_its_keys(archive: &Archive) {
    let mut one = chunk(session(1, "one"), &said("x", 0..3));
    let raw = one.text("raw");
    one.quarantine.push(QuarantineRow {
        line: 1,
        cli_version: None,
        type_name: "new".into(),
        reason: None,
        raw,
    });
    archive.store(&[one, chunk(session(2, "two"), &said("y", 0..1))]);
    distil(archive, 1, 3);
    evict(archive, &[1]);
    let vault = archive.vault();
    assert!(vault.events(&uid("claude:one")).unwrap().is_empty());
    assert_eq!(vault.events(&uid("claude:two")).unwrap().len(), 1);
    assert!(!archive.pack(1).exists() && archive.pack(2).exists());
    let session = vault.session(&uid("claude:one")).unwrap().unwrap();
    assert_eq!((session.events, session.watermarks.evicted_at), (3, Some(LATER)));
    assert!(vault.account(&uid("claude:one")).unwrap().is_some());
    for seq in 0..3 {
        let known = vault.known_event(1, EventKey(1000 + u64::from(seq))).unwrap();
        assert_eq!(known, Some(KnownEvent { seq, payload_lost: false }));
    }
    assert_eq!(vault.known_event(1, EventKey(1)).unwrap(), None);
    let keys = [1, 1000, 1001, 1002].map(EventKey);
    let known = vault.known_events(1, &keys).unwrap();
    assert_eq!(
        keys.map(|key| known.get(&key).map(|event| event.seq)),
        [None, Some(0), Some(1), Some(2)]
    );
    assert_eq!(vault.quarantine().unwrap()[0].count, 1);
    assert!(vault.orphan_packs().unwrap().is_empty());
    assert_eq!(vault.verify().unwrap(), []);
}

fn a_session_goes_on_after_its_eviction(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &said("x", 0..2))]);
    distil(archive, 1, 2);
    evict(archive, &[1]);
    archive.store(&[chunk(session(1, "one"), &said("new", 2..4))]);
    let vault = archive.vault();
    let events = vault.events(&uid("claude:one")).unwrap();
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(vault.payload(&events[0]).unwrap(), "new");
    let pending = vault.pending(false).unwrap();
    assert_eq!((pending[0].from_seq, pending[0].next_seq), (2, 4));
    assert_eq!(vault.pending(true).unwrap()[0].from_seq, 2);
    distil(archive, 1, 4);
    evict(archive, &[1]);
    let vault = archive.vault();
    for seq in 0..4 {
        let known = vault.known_event(1, EventKey(1000 + u64::from(seq))).unwrap();
        assert_eq!(known.map(|known| known.seq), Some(seq));
    }
    assert!(vault.pending(true).unwrap().is_empty());
}

fn a_crash_before_reclaiming_is_made_good(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &said("x", 0..2))]);
    archive.writer().evict(&[1], LATER).unwrap();
    assert!(archive.pack(1).exists());
    // Doomed is not orphaned.
    assert!(archive.vault().orphan_packs().unwrap().is_empty());
    drop(archive.writer());
    assert!(!archive.pack(1).exists());
    archive.store(&[chunk(session(1, "one"), &said("new", 2..3))]);
    assert_eq!(archive.vault().verify().unwrap(), []);
    drop(archive.writer());
    assert!(archive.pack(1).exists());
}

fn a_forgotten_session_leaves_no_word(archive: &Archive) {
    let delta = SessionDelta {
        title: Some((1, "secret title".into())),
        repo: Some("repo".into()),
        cwd: Some("/src".into()),
        models: vec!["opus".into()],
        ..session(1, "one")
    };
    let mut one = chunk(delta.clone(), &said("x", 0..2));
    one.secrets.push(SecretRow { line: 1, kind: "token", fingerprint: "f".into() });
    one.cursor.state = vec![1, 2, 3];
    one.cursor.problem = Some("trouble".into());
    archive.store(&[one, chunk(session(2, "two"), &said("y", 0..1))]);
    distil(archive, 1, 2);
    let mut writer = archive.writer();
    writer.pin(&uid("claude:one"), Some(NOW)).unwrap();
    let pack_bytes = fs_err::metadata(archive.pack(1)).unwrap().len();
    let expected = Forgotten { events: 2, pack_bytes, digests: 1, signals: 0, decisions: 0 };
    assert_eq!(archive.vault().to_forget(&uid("claude:one")).unwrap(), expected);
    assert_eq!(archive.vault().to_forget(&uid("claude:none")).unwrap(), Forgotten::default());
    assert_eq!(writer.forget(1, LATER).unwrap(), expected);
    writer.commit().unwrap();
    writer.reclaim().unwrap();
    // Met again, it stays forgotten.
    let again = SessionDelta { events: 0, ..delta };
    writer.apply(&chunk(again, &[]), LATER).unwrap();
    writer.commit().unwrap();
    let vault = archive.vault();
    assert!(vault.is_forgotten(1).unwrap());
    let session = vault.session(&uid("claude:one")).unwrap().unwrap();
    assert_eq!((session.title, session.repo, session.cwd), (None, None, None));
    assert_eq!((session.events, session.source_path.as_str()), (0, ""));
    assert_eq!(session.watermarks.pinned_at, None);
    assert_eq!(vault.account(&uid("claude:one")).unwrap(), None);
    assert!(vault.secrets().unwrap().is_empty());
    assert!(!archive.pack(1).exists());
    assert_eq!(vault.to_forget(&uid("claude:one")).unwrap(), Forgotten::default());
    assert_eq!(vault.known_event(1, EventKey(1001)).unwrap().map(|known| known.seq), Some(1));
    assert_eq!(vault.events(&uid("claude:two")).unwrap().len(), 1);
}

fn pins_come_and_go(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &said("x", 0..1))]);
    let pinned = || {
        let vault = archive.vault();
        let session = vault.session(&uid("claude:one")).unwrap().unwrap();
        assert_eq!(session.watermarks.pinned_at.is_some(), vault.residents().unwrap()[0].is_pinned);
        session.watermarks.pinned_at
    };
    assert_eq!(pinned(), None);
    for at in [Some(LATER), None] {
        let mut writer = archive.writer();
        writer.pin(&uid("claude:one"), at).unwrap();
        writer.pin(&uid("claude:none"), at).unwrap();
        writer.commit().unwrap();
        assert_eq!(pinned(), at);
    }
}

fn sessions_are_counted_by_what_is_kept(archive: &Archive) {
    let active = |id: i64, native: &str, from: i64, to: i64| {
        let (started_at, ended_at) = (Some(Timestamp(from)), Some(Timestamp(to)));
        let mut chunk =
            chunk(SessionDelta { started_at, ended_at, ..session(id, native) }, &said("x", 0..2));
        chunk.grown_bytes = 100 * id;
        chunk
    };
    archive.store(&[
        active(1, "evicted", 10, 20),
        active(2, "resident", 30, 40),
        active(3, "pinned", 50, 60),
        active(4, "forgotten", 70, 80),
        chunk(session(5, "empty"), &[]),
    ]);
    distil(archive, 1, 2);
    distil(archive, 2, 2);
    evict(archive, &[1]);
    let mut writer = archive.writer();
    writer.pin(&uid("claude:pinned"), Some(NOW)).unwrap();
    writer.forget(4, NOW).unwrap();
    writer.commit().unwrap();
    let vault = archive.vault();
    let census = Census { resident: 2, evicted: 1, unanalyzed: 1, pinned: 1 };
    assert_eq!(vault.census().unwrap(), census);
    for (since, source_bytes, first) in
        [(0, 600, Some(10)), (40, 500, Some(30)), (41, 300, Some(50)), (61, 0, None)]
    {
        let first = first.map(Timestamp);
        let expected = Recent { source_bytes, first, resident_source_bytes: 500 };
        assert_eq!(vault.recent(Timestamp(since)).unwrap(), expected);
    }
    let mut residents = vault.residents().unwrap();
    residents.sort_by_key(|resident| resident.id);
    let resident = |id: i64, name: &str, from: i64| Resident {
        id,
        uid: uid(name),
        events: 2,
        pack_bytes: 4096,
        analyzed_at: (id == 2).then_some(NOW),
        started_at: Some(Timestamp(from)),
        active_at: Some(Timestamp(from + 10)),
        ingested_at: Some(NOW),
        is_pinned: id == 3,
    };
    let expected = [resident(2, "claude:resident", 30), resident(3, "claude:pinned", 50)];
    assert_eq!(residents, expected);
    assert!(vault.evicted_without_digest().unwrap().is_empty());
}

fn room_is_measured_per_tier(archive: &Archive) {
    drop(archive.writer());
    let tiers = || archive.vault().tiers(0).unwrap();
    let empty = tiers();
    assert!(empty.distilled > 0);
    assert_eq!((empty.raw_packs, empty.raw_index), (0, 0));
    let many = said(&"payload ".repeat(100), 0..2000);
    archive.store(&[chunk(session(1, "one"), &many)]);
    let mut writer = archive.writer();
    writer.reclaim().unwrap();
    let full = tiers();
    let pack = fs_err::metadata(archive.pack(1)).unwrap().len();
    assert_eq!(full.raw_packs, pack.div_ceil(4096) * 4096);
    assert!(full.raw_rows > empty.raw_rows + 50_000, "{full:?} after {empty:?}");
    let sizes = archive.vault().sizes().unwrap();
    assert_eq!((sizes.rows, sizes.packs), (full.raw_rows + full.distilled, pack));
    // Room is really given back.
    writer.evict(&[1], LATER).unwrap();
    writer.reclaim().unwrap();
    let after = tiers();
    assert_eq!(after.raw_packs, 0);
    assert!(after.raw_rows < empty.raw_rows + 50_000, "{after:?} of {full:?}");
}
