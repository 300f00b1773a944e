//! Bad lines, servers that cannot, places that are not what they should be.

use crate::flaky::{Conditional, Dice, Flaky};
use backstory_packs_object::{ObjectPacks, Patience};
use backstory_store::{PackFault, Packs, StoreError};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Tries again at once, for as long as a busy machine may take.
const EAGER: Patience = Patience {
    total: Duration::from_secs(30),
    first_pause: Duration::from_millis(1),
    longest_pause: Duration::from_millis(4),
};
/// Gives up at the first failure.
const NONE: Patience = Patience {
    total: Duration::from_millis(50),
    first_pause: Duration::from_secs(1),
    longest_pause: Duration::from_secs(1),
};

/// Rows of blocks that were committed, by position.
struct Rows {
    len: HashMap<i64, u64>,
    blocks: Vec<(i64, u64, Vec<u8>)>,
}

/// Many transactions of several sessions; returns how many failed.
fn write_much(packs: &dyn Packs, rows: &mut Rows) -> usize {
    let mut dice = Dice::new(1);
    let mut failed = 0;
    for transaction in 0..150_u64 {
        let mut batch = packs.begin();
        let mut new = Vec::new();
        let mut lens = rows.len.clone();
        let mut adds = || -> Result<(), StoreError> {
            for _ in 0..4 {
                let session_id = (dice.next() % 5) as i64;
                let block = format!("{transaction} of {session_id}: {}", dice.next()).into_bytes();
                let committed = lens.get(&session_id).copied().unwrap_or(0);
                let appended = batch.append(session_id, committed, &[&block])?;
                lens.insert(session_id, appended.len);
                new.push((session_id, appended.positions[0], block));
            }
            Ok(())
        };
        match adds().and_then(|()| batch.settle()) {
            Ok(()) => {
                rows.blocks.append(&mut new);
                rows.len = lens;
            }
            Err(_) => failed += 1,
        }
    }
    failed
}

#[test]
fn with_patience_a_bad_line_is_not_noticed() {
    let packs = ObjectPacks::on(Arc::new(Flaky::new(10)), "team", EAGER).unwrap();
    packs.create().unwrap();
    let mut rows = Rows { len: HashMap::new(), blocks: Vec::new() };
    assert_eq!(write_much(&packs, &mut rows), 0);
    for (session_id, at, block) in &rows.blocks {
        assert_eq!(packs.read(*session_id, *at, block.len()).unwrap(), *block);
    }
    for session_id in 0..5 {
        packs.remove(session_id).unwrap();
    }
    assert_eq!(packs.pieces().unwrap(), []);
}

#[test]
fn without_patience_whole_transactions_fail_and_nothing_committed_does() {
    let store = Arc::new(Flaky::new(10));
    let packs = ObjectPacks::on(store, "team", NONE).unwrap();
    while packs.create().is_err() {}
    let mut rows = Rows { len: HashMap::new(), blocks: Vec::new() };
    let failed = write_much(&packs, &mut rows);
    assert!(failed > 20 && rows.blocks.len() > 100, "{failed} failed, {}", rows.blocks.len());
    let mut unreachable = 0;
    for (session_id, at, block) in &rows.blocks {
        match packs.read(*session_id, *at, block.len()) {
            Ok(found) => assert_eq!(found, *block),
            Err(PackFault::Unreachable(told)) => {
                assert!(told.contains("flaky://team/") && told.contains("reached"), "{told}");
                unreachable += 1;
            }
            Err(PackFault::Lost(told)) => panic!("a bad line was taken for a loss: {told}"),
        }
    }
    assert!(unreachable > 0);
}

#[test]
fn a_server_that_may_overwrite_is_refused() {
    for conditional in [Conditional::Refused, Conditional::Ignored] {
        let mut store = Flaky::new(0);
        store.conditional = conditional;
        let packs = ObjectPacks::on(Arc::new(store), "team", EAGER).unwrap();
        // The second time the marker is there.
        for _ in 0..2 {
            let refused = packs.create().unwrap_err().to_string();
            assert!(refused.contains("If-None-Match"), "{conditional:?}: {refused}");
        }
    }
}

#[test]
fn a_part_another_writer_has_taken_is_left_to_it() {
    let store = Arc::new(Flaky::new(0));
    let open = || ObjectPacks::on(Arc::clone(&store) as _, "team", EAGER).unwrap();
    let (one, other) = (open(), open());
    one.create().unwrap();
    other.create().unwrap();
    // Both have looked before either wrote.
    let (mut first, mut second) = (one.begin(), other.begin());
    let kept = first.append(1, 0, &[b"the first"]).unwrap();
    second.append(1, 0, &[b"the second"]).unwrap();
    first.settle().unwrap();
    let refused = second.settle().unwrap_err().to_string();
    assert!(refused.contains("another sync"), "{refused}");
    assert_eq!(one.read(1, kept.positions[0], 9).unwrap(), b"the first");
    // It has learnt what is taken.
    let mut again = other.begin();
    let at = again.append(1, 0, &[b"the second"]).unwrap().positions[0];
    again.settle().unwrap();
    assert_eq!(other.read(1, at, 10).unwrap(), b"the second");
    assert_eq!(one.read(1, kept.positions[0], 9).unwrap(), b"the first");
}

fn directory(path: &Path) -> ObjectPacks {
    ObjectPacks::open(&path.display().to_string(), "team", &[]).unwrap()
}

#[test]
fn a_folder_that_takes_nothing_is_named_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let packs = directory(dir.path());
    packs.create().unwrap();
    fs_err::write(dir.path().join("team/01"), "a file where a folder should be").unwrap();
    let mut batch = packs.begin();
    let refused = batch.append(1, 0, &[b"block"]).and_then(|_| batch.settle()).unwrap_err();
    assert!(matches!(refused, StoreError::Io(_)), "{refused:?}");
    assert!(refused.to_string().contains("team/01"), "{refused}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_directory_is_refused() {
    // Not even root may write there.
    let refused = ObjectPacks::open("/sys/backstory-packs", "team", &[]).unwrap_err();
    assert!(matches!(refused, StoreError::Io(_)), "{refused:?}");
    assert!(refused.to_string().contains("/sys/backstory-packs"), "{refused}");
}

#[test]
fn a_file_system_that_is_not_mounted_is_no_loss() {
    let dir = tempfile::tempdir().unwrap();
    let packs = directory(&dir.path().join("mounted"));
    packs.create().unwrap();
    let mut batch = packs.begin();
    let at = batch.append(1, 0, &[b"block"]).unwrap().positions[0];
    batch.settle().unwrap();
    fs_err::rename(dir.path().join("mounted"), dir.path().join("away")).unwrap();
    let fault = directory(&dir.path().join("mounted")).read(1, at, 5).unwrap_err();
    assert!(matches!(&fault, PackFault::Unreachable(told) if told.contains("mounted")), "{fault}");
}

#[test]
fn a_missing_or_cut_part_is_a_loss_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let packs = directory(dir.path());
    packs.create().unwrap();
    let mut batch = packs.begin();
    let written = batch.append(1, 0, &[b"first", b"second"]).unwrap();
    batch.settle().unwrap();
    let part = packs.piece_at(1, written.positions[0]);
    fs_err::write(&part, b"fi").unwrap();
    assert_eq!(packs.read(1, written.positions[0], 5).unwrap(), b"fi");
    assert_eq!(packs.read(1, written.positions[1], 6).unwrap(), b"");
    fs_err::remove_file(&part).unwrap();
    let fault = packs.read(1, written.positions[0], 5).unwrap_err();
    assert!(matches!(&fault, PackFault::Lost(told) if told.contains(&part)), "{fault}");
}
