//! Digests and signals: what is kept of a session, and the patterns made of it.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, ODD, chunk, session};
use backstory_model::{
    Digest, Fix, Judgement, Outcome, Sighting, Signal, SignalKind, Snippet, Timestamp,
};
use backstory_store::{Account, PendingSession, SessionDelta, SignalFilter};

on_every_engine!(
    accounts_come_back_whole,
    digests_of_many_are_told_together,
    a_new_account_replaces_the_old_one,
    what_is_pending_is_what_the_digest_has_not_seen,
    an_archive_from_before_the_ledger_is_analysed_anew,
    an_account_that_cannot_be_stored_leaves_the_others,
    signals_are_filtered_and_the_latest_come_first,
);

fn pending(id: i64, name: &str, from_seq: u32, next_seq: u32) -> PendingSession {
    PendingSession { id, uid: uid(name), from_seq, next_seq }
}

fn signal(kind: SignalKind, fingerprint: u64, seq: u32) -> Signal {
    Signal {
        kind,
        fingerprint,
        seq,
        last_seq: seq,
        ts: None,
        count: 1,
        what: format!("{} {fingerprint}", kind.name()),
        fix: None,
    }
}

fn account() -> Account {
    let fixed = Signal {
        ts: Some(Timestamp(-5)),
        count: u32::MAX >> 1,
        last_seq: 9,
        what: ODD.into(),
        fix: Some(Fix { seq: 8, what: ODD.into(), tried: "one\ntwo".into() }),
        ..signal(SignalKind::ErrorFix, u64::MAX, 0)
    };
    let judgement = Judgement {
        outcome: Outcome::Success,
        confidence: 90,
        evidence: vec![(3, "the tests pass".into()), (4, "weaker".into())],
    };
    let snippet = Snippet { seq: 1, why: "goal".into(), text: ODD.repeat(50) };
    Account {
        digest: Digest { version: 3, goal: Some(snippet), judgement, ..Digest::default() },
        signals: vec![
            fixed,
            signal(SignalKind::Error, 1 << 63, 0),
            signal(SignalKind::Error, 2, 5),
        ],
        decisions: vec![crate::decisions::full()],
        state: vec![0, 1, 255, 0],
    }
}

/// In the order they are listed in.
fn sorted(mut account: Account) -> Account {
    account.signals.sort_by_key(|signal| (signal.seq, signal.kind));
    account
}

fn accounts_come_back_whole(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::new(0)])]);
    assert_eq!(archive.vault().account(&uid("claude:one")).unwrap(), None);
    let mut writer = archive.writer();
    writer.put_account(&pending(1, "claude:one", 0, 1), &account(), NOW).unwrap();
    writer.commit().unwrap();
    let vault = archive.vault();
    assert_eq!(vault.account(&uid("claude:one")).unwrap(), Some(sorted(account())));
    let session = vault.session(&uid("claude:one")).unwrap().unwrap();
    assert_eq!(session.outcome, Outcome::Success);
    assert_eq!(session.outcome_reason.as_deref(), Some("the tests pass"));
    assert_eq!(session.watermarks.analyzed_at, Some(NOW));
    assert_eq!(vault.account(&uid("claude:none")).unwrap(), None);
}

fn digests_of_many_are_told_together(archive: &Archive) {
    let ids = 1..=70;
    let chunks: Vec<_> =
        ids.clone().map(|id| chunk(session(id, &format!("s{id}")), &[Event::new(0)])).collect();
    archive.store(&chunks);
    let mut writer = archive.writer();
    for id in (1..=70).filter(|id| id % 3 != 0) {
        let signals =
            if id == 1 { account().signals } else { vec![signal(SignalKind::Error, id as u64, 0)] };
        let account = Account { signals, ..account() };
        writer.put_account(&pending(id, &format!("claude:s{id}"), 0, 1), &account, NOW).unwrap();
    }
    writer.commit().unwrap();
    archive.tamper("UPDATE digests SET digest = state WHERE session_id = 2");
    let vault = archive.vault();
    let wanted: Vec<i64> = ids.chain([99]).collect();
    let found = vault.digests(&wanted, &[]).unwrap();
    assert_eq!(found.len(), 46);
    for (id, (digest, signals)) in &found {
        let account = vault.account(&uid(&format!("claude:s{id}"))).unwrap().unwrap();
        assert_eq!((digest, signals), (&account.digest, &account.signals), "{id}");
    }
    assert!(!found.contains_key(&2));
    let kind = found[&1].1[0].kind;
    let some = vault.digests(&[1], &[kind]).unwrap();
    assert!(some[&1].1.iter().all(|signal| signal.kind == kind));
    assert!((1..found[&1].1.len()).contains(&some[&1].1.len()));
    assert!(vault.digests(&[], &[]).unwrap().is_empty());
}

fn a_new_account_replaces_the_old_one(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::new(0)])]);
    let mut writer = archive.writer();
    let one = pending(1, "claude:one", 0, 1);
    writer.put_account(&one, &account(), NOW).unwrap();
    let other = Account { signals: vec![signal(SignalKind::Thrash, 2, 1)], ..Account::default() };
    writer.put_account(&one, &other, NOW).unwrap();
    writer.commit().unwrap();
    let vault = archive.vault();
    assert_eq!(vault.account(&uid("claude:one")).unwrap(), Some(other));
    assert_eq!(vault.session(&uid("claude:one")).unwrap().unwrap().outcome_reason, None);
}

fn what_is_pending_is_what_the_digest_has_not_seen(archive: &Archive) {
    let (one, two) = ("claude:one", "claude:two");
    let pending_now = |all: bool| archive.vault().pending(all).unwrap();
    archive.store(&[
        chunk(session(1, "one"), &[Event::new(0), Event::new(1)]),
        chunk(session(2, "two"), &[Event::new(0)]),
        chunk(session(3, "empty"), &[]),
    ]);
    assert_eq!(pending_now(false), [pending(1, one, 0, 2), pending(2, two, 0, 1)]);
    let mut writer = archive.writer();
    writer.put_account(&pending(1, one, 0, 2), &account(), NOW).unwrap();
    // It grew meanwhile: what was distilled does not cover it.
    writer.put_account(&pending(2, two, 0, 9), &account(), NOW).unwrap();
    writer.commit().unwrap();
    assert_eq!(pending_now(false), [pending(2, two, 0, 1)]);
    assert_eq!(pending_now(true), [pending(1, one, 0, 2), pending(2, two, 0, 1)]);
    archive.store(&[chunk(session(1, "one"), &[Event::new(2)])]);
    assert_eq!(pending_now(false)[0], pending(1, one, 2, 3));
    assert_eq!(pending_now(true)[0], pending(1, one, 0, 3));
    // A changed event makes all of it void.
    let again = Event { refresh: true, ..Event::new(0) };
    archive.store(&[chunk(session(1, "one"), &[again])]);
    assert_eq!(pending_now(false)[0], pending(1, one, 0, 3));
}

fn an_archive_from_before_the_ledger_is_analysed_anew(archive: &Archive) {
    let names = ["claude:whole", "claude:gone", "claude:grown"];
    let some =
        |id: i64, seq: u32| chunk(session(id, &names[id as usize - 1][7..]), &[Event::new(seq)]);
    archive.store(&[some(1, 0), some(2, 0), some(3, 0)]);
    let analyse = |id: i64, next_seq: u32| {
        let mut writer = archive.writer();
        let session = pending(id, names[id as usize - 1], 0, next_seq);
        writer.put_account(&session, &account(), NOW).unwrap();
        writer.commit().unwrap();
    };
    (1..4).for_each(|id| analyse(id, 1));
    let mut writer = archive.writer();
    writer.evict(&[2, 3], NOW).unwrap();
    writer.reclaim().unwrap();
    drop(writer);
    archive.store(&[some(3, 1)]);
    analyse(3, 2);
    assert_eq!(archive.vault().pending(false).unwrap(), []);
    archive.tamper("DROP INDEX decisions_kind");
    archive.tamper("DELETE FROM migrations WHERE name = '20261118T060000_asked_before'");
    let vault = archive.vault();
    assert_eq!(vault.pending(false).unwrap(), [pending(1, names[0], 0, 1)]);
    // Until then its digest is there, and its events may not leave.
    assert_eq!(vault.account(&uid(names[0])).unwrap(), Some(sorted(account())));
    let residents = vault.residents().unwrap();
    let mut analyzed: Vec<_> = residents.iter().map(|held| (held.id, held.analyzed_at)).collect();
    analyzed.sort_by_key(|(id, _)| *id);
    assert_eq!(analyzed, [(1, None), (3, Some(NOW))]);
    analyse(1, 1);
    assert_eq!(archive.vault().pending(false).unwrap(), []);
}

fn an_account_that_cannot_be_stored_leaves_the_others(archive: &Archive) {
    let sessions: Vec<_> =
        (1..4).map(|id| chunk(session(id, &format!("s{id}")), &[Event::new(0)])).collect();
    archive.store(&sessions);
    let mut writer = archive.writer();
    let twice = Account {
        signals: vec![signal(SignalKind::Error, 2, 1), signal(SignalKind::Error, 2, 1)],
        ..Account::default()
    };
    writer.put_account(&pending(1, "claude:s1", 0, 1), &account(), NOW).unwrap();
    assert!(writer.put_account(&pending(2, "claude:s2", 0, 1), &twice, NOW).is_err());
    writer.put_account(&pending(3, "claude:s3", 0, 1), &account(), NOW).unwrap();
    writer.commit().unwrap();
    let vault = archive.vault();
    let has = |name: &str| vault.account(&uid(name)).unwrap().is_some();
    assert_eq!([has("claude:s1"), has("claude:s2"), has("claude:s3")], [true, false, true]);
    assert_eq!(vault.pending(false).unwrap(), [pending(2, "claude:s2", 0, 1)]);
}

fn signals_are_filtered_and_the_latest_come_first(archive: &Archive) {
    let told = |id: i64, native: &str, repo: Option<&str>, started: Option<i64>| SessionDelta {
        repo: repo.map(str::to_owned),
        started_at: started.map(Timestamp),
        ..session(id, native)
    };
    archive.store(&[
        chunk(told(1, "b", Some("shop"), Some(100)), &[Event::new(0), Event::new(1)]),
        chunk(told(2, "a", None, None), &[Event::new(0)]),
        chunk(told(3, "B", Some("Shop"), Some(100)), &[Event::new(0)]),
    ]);
    archive.tamper("UPDATE sessions SET output_tokens = 30");
    let mut writer = archive.writer();
    let at = |ts: i64, signal: Signal| Signal { ts: Some(Timestamp(ts)), ..signal };
    for (id, signals) in [
        (1, vec![signal(SignalKind::Error, 1, 4), at(300, signal(SignalKind::Thrash, 2, 1))]),
        (2, vec![signal(SignalKind::Error, 1, 0)]),
        (3, vec![signal(SignalKind::Error, u64::MAX, 4), signal(SignalKind::IdleGap, 1, 4)]),
    ] {
        let account = Account { signals, ..Account::default() };
        writer.put_account(&pending(id, "claude:any", 0, 1), &account, NOW).unwrap();
    }
    writer.commit().unwrap();
    let vault = archive.vault();
    let found = |filter: SignalFilter| -> Vec<(String, u8, Option<i64>)> {
        let told = |sighting: Sighting| {
            let signal = sighting.signal;
            (sighting.session_uid.native().to_owned(), signal.kind.code(), signal.ts.map(|at| at.0))
        };
        vault.signals(&filter).unwrap().into_iter().map(told).collect()
    };
    let row = |name: &str, kind: SignalKind, ts: Option<i64>| (name.to_owned(), kind.code(), ts);
    let all = [
        row("b", SignalKind::Thrash, Some(300)),
        row("B", SignalKind::Error, Some(100)),
        row("B", SignalKind::IdleGap, Some(100)),
        row("b", SignalKind::Error, Some(100)),
        row("a", SignalKind::Error, None),
    ];
    let any = SignalFilter::default;
    assert_eq!(found(any()), all);
    assert_eq!(found(SignalFilter { limit: Some(2), ..any() }), all[..2]);
    let kinds = vec![SignalKind::Thrash, SignalKind::IdleGap];
    assert_eq!(found(SignalFilter { kinds, ..any() }), [all[0].clone(), all[2].clone()]);
    assert_eq!(found(SignalFilter { session: Some(uid("claude:a")), ..any() }), all[4..]);
    assert_eq!(found(SignalFilter { repo: Some("Shop".into()), ..any() }), all[1..3]);
    assert_eq!(found(SignalFilter { since: Some(Timestamp(101)), ..any() }), all[..1]);
    assert_eq!(found(SignalFilter { fingerprint: Some(u64::MAX), ..any() }), all[1..2]);
    assert_eq!(found(SignalFilter { fingerprint: Some(1), ..any() }), all[2..]);
    let per_event: Vec<f64> = vault
        .signals(&any())
        .unwrap()
        .into_iter()
        .map(|sighting| sighting.tokens_per_event)
        .collect();
    assert_eq!(per_event, [15.0, 30.0, 30.0, 15.0, 30.0]);
}
