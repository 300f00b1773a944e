//! What is left when something fails half-way: all of it or nothing.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, chunk, session};
use backstory_model::{EventKey, Usage};
use backstory_store::{StoreError, SweepLock, UsageRow, UsageRule, Vault};

on_every_engine!(
    nothing_is_there_before_the_first_write,
    what_is_not_committed_is_not_seen,
    a_chunk_that_fails_takes_its_transaction_along,
    packs_are_cut_to_what_was_committed,
    one_sweep_at_a_time,
);

fn events(archive: &Archive, name: &str) -> Vec<String> {
    let vault = archive.vault();
    let events = vault.events(&uid(name)).unwrap();
    events.iter().map(|event| vault.payload(event).unwrap()).collect()
}

fn nothing_is_there_before_the_first_write(archive: &Archive) {
    assert!(!archive.home.engine().exists().unwrap());
    assert!(archive.home.expect_archive().is_err());
    assert!(matches!(Vault::open(&archive.home).unwrap_err(), StoreError::Missing(_)));
    drop(archive.writer());
    assert!(archive.home.engine().exists().unwrap());
    archive.home.expect_archive().unwrap();
    let vault = archive.vault();
    assert_eq!(vault.last_ids().unwrap(), (0, 0));
    assert!(vault.totals().unwrap().is_empty());
    assert_eq!(vault.verify().unwrap(), []);
    // Opening it again changes nothing.
    archive.store(&[chunk(session(1, "one"), &[Event::new(0)])]);
    drop(archive.writer());
    assert_eq!(archive.vault().last_ids().unwrap(), (1, 1));
}

fn what_is_not_committed_is_not_seen(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::with_payload(0, "first")])]);
    let before = archive.vault();
    let mut writer = archive.writer();
    writer.apply(&chunk(session(1, "one"), &[Event::with_payload(1, "lost")]), NOW).unwrap();
    writer.apply(&chunk(session(2, "two"), &[Event::with_payload(0, "lost")]), NOW).unwrap();
    assert_eq!(before.last_ids().unwrap(), (1, 1));
    drop(writer);
    assert_eq!(events(archive, "claude:one"), ["first"]);
    assert_eq!(archive.vault().last_ids().unwrap(), (1, 1));
    let mut writer = archive.writer();
    writer.apply(&chunk(session(2, "two"), &[Event::with_payload(0, "second")]), NOW).unwrap();
    writer.commit().unwrap();
    // A reader opened before sees what was committed since.
    assert_eq!(before.last_ids().unwrap(), (2, 2));
    writer.commit().unwrap();
    assert_eq!(events(archive, "claude:two"), ["second"]);
}

fn a_chunk_that_fails_takes_its_transaction_along(archive: &Archive) {
    archive.store(&[chunk(session(1, "one"), &[Event::with_payload(0, "first")])]);
    let mut writer = archive.writer();
    let mut fine = chunk(session(2, "two"), &[Event::new(0)]);
    let model = Some(fine.text("opus"));
    let usage = Usage { input: 5, ..Usage::default() };
    let usage = |key| UsageRow {
        session_id: 2,
        key: EventKey(key),
        ts: None,
        model,
        usage,
        usd: None,
        rule: UsageRule::Max,
    };
    fine.usage.push(usage(1));
    writer.apply(&fine, NOW).unwrap();
    // The same place twice.
    let twice = chunk(session(1, "one"), &[Event::new(1), Event::new(1)]);
    assert!(writer.apply(&twice, NOW).is_err());
    // The writer is as good as new, and nothing of what failed is left in it.
    writer.commit().unwrap();
    assert_eq!(archive.vault().last_ids().unwrap(), (1, 1));
    writer.apply(&fine, NOW).unwrap();
    writer.apply(&chunk(session(1, "one"), &[Event::with_payload(1, "second")]), NOW).unwrap();
    writer.commit().unwrap();
    assert_eq!(events(archive, "claude:one"), ["first", "second"]);
    let vault = archive.vault();
    assert_eq!(vault.session(&uid("claude:two")).unwrap().unwrap().cost.input_tokens, 5);
    let spending = vault.spending(&uid("claude:two")).unwrap();
    assert_eq!(spending[0].model.as_deref(), Some("opus"));
    assert_eq!(vault.verify().unwrap(), []);
}

fn packs_are_cut_to_what_was_committed(archive: &Archive) {
    let part = |seq: u32, text: &str| chunk(session(1, "one"), &[Event::with_payload(seq, text)]);
    archive.store(&[part(0, "first")]);
    let len = || fs_err::metadata(archive.pack(1)).unwrap().len();
    let committed = len();
    let mut writer = archive.writer();
    writer.apply(&part(1, "lost with the transaction"), NOW).unwrap();
    assert!(len() > committed);
    drop(writer);
    archive.store(&[part(1, "again")]);
    assert_eq!(events(archive, "claude:one"), ["first", "again"]);
    let vault = archive.vault();
    assert_eq!(vault.sizes().unwrap().packs, len());
    assert_eq!(vault.verify().unwrap(), []);
}

fn one_sweep_at_a_time(archive: &Archive) {
    let held = SweepLock::acquire(&archive.home).unwrap();
    assert!(matches!(SweepLock::acquire(&archive.home).unwrap_err(), StoreError::Busy(_)));
    // Whoever only reads or writes does not wait for it.
    archive.store(&[chunk(session(1, "one"), &[Event::new(0)])]);
    drop(held);
    SweepLock::acquire(&archive.home).unwrap();
}
