//! Random histories against a model: whatever happens, a committed block is what it was.

use crate::flaky::Dice;
use backstory_packs_object::ObjectPacks;
use backstory_store::{PackFault, PackFiles, Packs};
use proptest::prelude::*;
use std::collections::HashMap;

/// What may happen between two looks.
#[derive(Clone, Debug)]
enum Act {
    /// Blocks of some sessions, committed together.
    Commit(Vec<(i64, Vec<u16>)>),
    /// The same, but the process ends before the rows are committed: with its uploads done, or not.
    Crash(Vec<(i64, Vec<u16>)>, bool),
    /// A session leaves.
    Remove(i64),
    /// Another process takes over.
    Reopen,
}

/// What rows would know.
#[derive(Default)]
struct Rows {
    len: HashMap<i64, u64>,
    blocks: HashMap<(i64, u64), Vec<u8>>,
}

fn session() -> impl Strategy<Value = i64> {
    prop_oneof![Just(1_i64), Just(2), Just(0x101)]
}

fn blocks() -> impl Strategy<Value = Vec<(i64, Vec<u16>)>> {
    prop::collection::vec((session(), prop::collection::vec(1_u16..200, 1..4)), 1..4)
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => blocks().prop_map(Act::Commit),
        2 => (blocks(), any::<bool>()).prop_map(|(blocks, done)| Act::Crash(blocks, done)),
        1 => session().prop_map(Act::Remove),
        1 => Just(Act::Reopen),
    ];
    prop::collection::vec(act, 1..25)
}

/// Lives through a history, and looks at everything after each act.
fn walk(acts: &[Act], open: &dyn Fn() -> Box<dyn Packs>) {
    let mut packs = open();
    packs.create().unwrap();
    let mut rows = Rows::default();
    let mut dice = Dice::new(7);
    for act in acts {
        match act {
            Act::Commit(adds) => write(&*packs, &mut rows, adds, &mut dice, true),
            Act::Crash(adds, settles) => {
                let mut lost = Rows { len: rows.len.clone(), blocks: HashMap::new() };
                write(&*packs, &mut lost, adds, &mut dice, *settles);
                packs = open();
                packs.create().unwrap();
            }
            Act::Remove(session_id) => {
                packs.remove(*session_id).unwrap();
                rows.len.remove(session_id);
                rows.blocks.retain(|(owner, _), _| owner != session_id);
            }
            Act::Reopen => {
                packs = open();
                packs.create().unwrap();
            }
        }
        for ((session_id, at), block) in &rows.blocks {
            assert_eq!(packs.read(*session_id, *at, block.len()).unwrap(), *block, "{act:?}");
        }
    }
    for session_id in [1, 2, 0x101] {
        packs.remove(session_id).unwrap();
    }
    assert_eq!(packs.pieces().unwrap(), []);
    for (session_id, at) in rows.blocks.keys() {
        assert!(matches!(packs.read(*session_id, *at, 1), Err(PackFault::Lost(_))));
    }
}

fn write(
    packs: &dyn Packs,
    rows: &mut Rows,
    adds: &[(i64, Vec<u16>)],
    dice: &mut Dice,
    settles: bool,
) {
    let mut batch = packs.begin();
    for (session_id, sizes) in adds {
        let blocks: Vec<Vec<u8>> =
            sizes.iter().map(|size| (0..*size).map(|_| dice.next() as u8).collect()).collect();
        let bytes: Vec<&[u8]> = blocks.iter().map(Vec::as_slice).collect();
        let committed = rows.len.get(session_id).copied().unwrap_or(0);
        let appended = batch.append(*session_id, committed, &bytes).unwrap();
        rows.len.insert(*session_id, appended.len);
        for (at, block) in appended.positions.into_iter().zip(blocks) {
            let before = rows.blocks.insert((*session_id, at), block);
            assert_eq!(before, None, "two blocks at one position");
        }
    }
    if settles {
        batch.settle().unwrap();
    }
}

/// A few histories, for places that are slow.
pub(crate) fn walk_many(cases: u32, open: &dyn Fn(u32) -> Box<dyn Packs>) {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    for case in 0..cases {
        let history = acts().new_tree(&mut runner).unwrap().current();
        walk(&history, &|| open(case));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn growing_files_keep_what_is_committed(history in acts()) {
        let dir = tempfile::tempdir().unwrap();
        walk(&history, &|| Box::new(PackFiles::new(dir.path())));
    }

    #[test]
    fn objects_keep_what_is_committed(history in acts()) {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().display().to_string();
        walk(&history, &|| Box::new(ObjectPacks::open(&place, "team", &[]).unwrap()));
    }
}
