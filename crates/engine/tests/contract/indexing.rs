//! What a search index has to hear: noted with every change, struck out once it has.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, chunk, session};
use backstory_store::{Account, IndexDebt, IndexState, PendingSession};

on_every_engine!(debts_are_noted_and_struck_out, a_new_index_hears_everything);

fn debt(id: i64, name: &str, from_seq: u32, next_seq: u32, flags: u32) -> IndexDebt {
    let session = PendingSession { id, uid: uid(name), from_seq, next_seq };
    IndexDebt { session, flags, is_known: true }
}

const NEW: u32 = IndexDebt::EVENTS | IndexDebt::CARD;

fn debts_are_noted_and_struck_out(archive: &Archive) {
    let (one, two) = ("claude:one", "claude:two");
    let mut writer = archive.writer();
    writer.renew_index("index-v1").unwrap();
    let state = |batch| Some(IndexState { name: "index-v1".into(), batch });
    assert_eq!(archive.vault().index_state().unwrap(), state(0));
    assert_eq!(archive.vault().index_debt_count().unwrap(), 0);
    archive.store(&[
        chunk(session(1, "one"), &[Event::new(0), Event::new(1)]),
        chunk(session(2, "two"), &[Event::new(0)]),
    ]);
    let all = [debt(1, one, 0, 2, NEW), debt(2, two, 0, 1, NEW)];
    let vault = archive.vault();
    assert_eq!(vault.index_debts(0, 9).unwrap(), all);
    assert_eq!(vault.index_debts(0, 1).unwrap(), all[..1]);
    assert_eq!(vault.index_debts(1, 9).unwrap(), all[1..]);
    assert_eq!(vault.index_debt(2).unwrap(), Some(all[1].clone()));
    assert_eq!(vault.index_debt(3).unwrap(), None);
    assert_eq!(vault.index_debt_count().unwrap(), 2);
    writer.settle_index(&all, u64::from(u32::MAX) + 7).unwrap();
    assert_eq!(archive.vault().index_debt_count().unwrap(), 0);
    assert_eq!(archive.vault().index_state().unwrap(), state(u64::from(u32::MAX) + 7));

    // More events, a digest, a changed event: each adds to what is owed.
    let owed = || archive.vault().index_debt(1).unwrap();
    writer.apply(&chunk(session(1, "one"), &[Event::new(2)]), NOW).unwrap();
    writer.commit().unwrap();
    assert_eq!(owed(), Some(debt(1, one, 2, 3, NEW)));
    writer.settle_index(&[debt(1, one, 2, 3, NEW)], 8).unwrap();
    let pending = PendingSession { id: 1, uid: uid(one), from_seq: 0, next_seq: 3 };
    writer.put_account(&pending, &Account::default(), NOW).unwrap();
    writer.commit().unwrap();
    assert_eq!(owed(), Some(debt(1, one, 3, 3, IndexDebt::CARD)));
    let again = Event { refresh: true, ..Event::new(1) };
    writer.apply(&chunk(session(1, "one"), &[again]), NOW).unwrap();
    writer.commit().unwrap();
    assert_eq!(owed(), Some(debt(1, one, 0, 3, IndexDebt::REDO | IndexDebt::CARD)));
    writer.evict(&[1], NOW).unwrap();
    assert_eq!(owed(), Some(debt(1, one, 3, 3, IndexDebt::REDO | IndexDebt::CARD)));
    writer.forget(1, NOW).unwrap();
    writer.commit().unwrap();
    assert!(!owed().unwrap().is_known);
}

fn a_new_index_hears_everything(archive: &Archive) {
    archive.store(&[
        chunk(session(1, "one"), &[Event::new(0)]),
        chunk(session(2, "two"), &[Event::new(0)]),
        chunk(session(3, "empty"), &[]),
    ]);
    assert_eq!(archive.vault().index_state().unwrap(), None);
    let mut writer = archive.writer();
    writer.forget(2, NOW).unwrap();
    writer.commit().unwrap();
    let paid = archive.vault().index_debts(0, 9).unwrap();
    writer.settle_index(&paid, 1).unwrap();
    for name in ["index-v1", "index-v2"] {
        writer.renew_index(name).unwrap();
        let vault = archive.vault();
        assert_eq!(vault.index_state().unwrap(), Some(IndexState { name: name.into(), batch: 0 }));
        assert_eq!(vault.index_debts(0, 9).unwrap(), [debt(1, "claude:one", 0, 1, NEW)]);
    }
}
