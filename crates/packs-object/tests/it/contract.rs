//! What every place of packs has to do.

use backstory_packs_object::ObjectPacks;
use backstory_store::{Appended, PackFault, PackFiles, Packs};
use backstory_testkit::s3::S3;

/// Opens the same place again and again, as one process after the other would.
type Open<'a> = &'a dyn Fn() -> Box<dyn Packs>;

#[test]
fn growing_files() {
    let dir = tempfile::tempdir().unwrap();
    story(&|| Box::new(PackFiles::new(dir.path().join("packs"))));
}

#[test]
fn objects_in_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let place = format!("file://{}", dir.path().join("packs").display());
    story(&|| Box::new(ObjectPacks::open(&place, "team", &[]).unwrap()));
}

#[test]
fn a_place_is_told_by_who_made_it() {
    let dir = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| dir.path().join(name).display().to_string());
    let open = |place: &str, owner| ObjectPacks::open(place, "team", &[]).unwrap().made_by(owner);
    open(&one, "ann").create().unwrap();
    open(&other, "bob").create().unwrap();
    let mark = open(&one, "bob").mark().unwrap().unwrap();
    assert!(mark.contains("ann") && mark.contains(&one), "{mark}");
    assert_ne!(open(&other, "ann").mark().unwrap(), Some(mark));
}

#[test]
fn objects_on_an_s3_server() {
    let data = tempfile::tempdir().unwrap();
    let server = S3::start(data.path()).unwrap();
    let open = |prefix: &str| -> Box<dyn Packs> {
        Box::new(ObjectPacks::open(&server.place(prefix), "team", &server.options()).unwrap())
    };
    story(&|| open("some/prefix"));
    crate::model::walk_many(3, &|case| open(&format!("walk-{case}")));
    wrong_keys_are_named(&server);
    missing_bucket_is_no_loss(&server);
}

fn story(open: Open<'_>) {
    assert_eq!(open().mark().unwrap(), None);
    open().create().unwrap();
    let mark = open().mark().unwrap();
    open().create().unwrap();
    assert_eq!(open().mark().unwrap(), mark);
    blocks_come_back(open);
    what_is_not_settled_leaves_the_rest_alone(open);
    a_huge_block_and_many_small_ones_share_a_pack(open);
    removed_is_gone(open);
    pieces_are_those_of_the_sessions(open);
}

fn append(packs: &dyn Packs, session_id: i64, committed: u64, blocks: &[&[u8]]) -> Appended {
    let mut batch = packs.begin();
    let appended = batch.append(session_id, committed, blocks).unwrap();
    batch.settle().unwrap();
    appended
}

fn blocks_come_back(open: Open<'_>) {
    let packs = open();
    let mut batch = packs.begin();
    let one = batch.append(1, 0, &[b"first block", b"second"]).unwrap();
    let other = batch.append(0x101, 0, &[b"of another session in the same folder"]).unwrap();
    let more = batch.append(1, one.len, &[b"third"]).unwrap();
    batch.settle().unwrap();
    // Later, in another process.
    let packs = open();
    packs.create().unwrap();
    let last = append(&*packs, 1, more.len, &[b"fourth"]);
    let positions = [one.positions, more.positions, last.positions].concat();
    let blocks: [&[u8]; 4] = [b"first block", b"second", b"third", b"fourth"];
    for (at, block) in positions.iter().zip(blocks) {
        assert!(i64::try_from(*at).is_ok());
        assert_eq!(packs.read(1, *at, block.len()).unwrap(), block);
        // Asking for more than there is gives what there is.
        assert!(packs.read(1, *at, 20_000).unwrap().starts_with(block));
    }
    assert_eq!(packs.read(0x101, other.positions[0], 10).unwrap(), b"of another");
    assert_eq!(packs.read(1, positions[3] + 6, 10).unwrap(), b"");
    assert_eq!(packs.len(1).unwrap(), last.len);
    assert!(last.len > more.len && more.len > one.len);
    assert!(!packs.piece_at(1, positions[0]).is_empty());
}

fn what_is_not_settled_leaves_the_rest_alone(open: Open<'_>) {
    let kept = append(&*open(), 2, 0, &[b"committed"]);
    for _ in 0..3 {
        // Written, but the rows never were: by a process that is gone, …
        append(&*open(), 2, kept.len, &[b"the sync was killed before its rows were"]);
        // … and by one that gave up before.
        let packs = open();
        drop(packs.begin().append(2, kept.len, &[b"dropped"]).unwrap());
    }
    let packs = open();
    packs.create().unwrap();
    let again = append(&*packs, 2, kept.len, &[b"new"]);
    let more = append(&*packs, 2, again.len, &[b"newer"]);
    assert_eq!(packs.read(2, kept.positions[0], 9).unwrap(), b"committed");
    assert_eq!(packs.read(2, again.positions[0], 3).unwrap(), b"new");
    assert_eq!(packs.read(2, more.positions[0], 5).unwrap(), b"newer");
    assert!(again.len > kept.len);
}

fn a_huge_block_and_many_small_ones_share_a_pack(open: Open<'_>) {
    let packs = open();
    let huge: Vec<u8> = (0..70_u32 << 20).map(|at| (at >> 8) as u8 ^ at as u8).collect();
    let small = [b"small block".as_slice(); 100];
    let mut batch = packs.begin();
    let before = batch.append(3, 0, &small).unwrap();
    let with_huge = batch.append(3, before.len, &[&huge, b"behind it"]).unwrap();
    batch.settle().unwrap();
    for at in before.positions {
        assert_eq!(packs.read(3, at, 11).unwrap(), b"small block");
    }
    assert!(packs.read(3, with_huge.positions[0], huge.len()).unwrap() == huge);
    // The middle of a block is read as store reads what its first guess did not cover.
    let middle = packs.read(3, with_huge.positions[0] + 20_000, 300).unwrap();
    assert_eq!(middle, huge[20_000..20_300]);
    assert_eq!(packs.read(3, with_huge.positions[1], 9).unwrap(), b"behind it");
    assert!(with_huge.len >= huge.len() as u64);
    packs.remove(3).unwrap();
}

fn removed_is_gone(open: Open<'_>) {
    let packs = open();
    let first = append(&*packs, 4, 0, &[b"one"]);
    append(&*packs, 4, first.len, &[b"two"]);
    let neighbour = append(&*packs, 0x104, 0, &[b"stays"]);
    packs.remove(4).unwrap();
    packs.remove(4).unwrap();
    packs.remove(0x9999).unwrap();
    assert!(matches!(packs.read(4, first.positions[0], 3), Err(PackFault::Lost(_))));
    assert_eq!(packs.len(4).unwrap(), 0);
    assert_eq!(packs.read(0x104, neighbour.positions[0], 5).unwrap(), b"stays");
    let anew = append(&*packs, 4, 0, &[b"begun anew"]);
    assert_eq!(packs.read(4, anew.positions[0], 10).unwrap(), b"begun anew");
}

fn pieces_are_those_of_the_sessions(open: Open<'_>) {
    let packs = open();
    let written = append(&*packs, 5, 0, &[b"here", b"and here"]);
    let pieces = packs.pieces().unwrap();
    assert!(pieces.iter().all(|piece| piece.session_id.is_some()), "{pieces:?}");
    for at in written.positions {
        let holds = |piece: &&backstory_store::Piece| {
            piece.session_id == Some(5)
                && piece.positions.as_ref().is_none_or(|positions| positions.contains(&at))
        };
        let found: Vec<_> = pieces.iter().filter(holds).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, packs.piece_at(5, at));
    }
}

fn wrong_keys_are_named(server: &S3) {
    let mut options = server.options();
    for (name, value) in &mut options {
        if name == "aws_secret_access_key" {
            *value = "not the secret".into();
        }
    }
    let packs = ObjectPacks::open(&server.place("x"), "team", &options).unwrap();
    let refused = packs.create().unwrap_err().to_string();
    assert!(refused.contains("s3://backstory/x/team") && refused.contains("keys"), "{refused}");
}

fn missing_bucket_is_no_loss(server: &S3) {
    let packs = ObjectPacks::open("s3://elsewhere/x", "team", &server.options()).unwrap();
    let fault = packs.read(1, 0, 10).unwrap_err();
    assert!(matches!(&fault, PackFault::Unreachable(told) if told.contains("s3://elsewhere")));
}
