//! What holds on a server beyond the story: tenants, cells of vectors, commits that broke off.

use crate::story::event;
use crate::{shelf_for, shelf_of};
use backstory_index::{
    IndexWriter, LocalShelf, Place, Prepared, SessionCard, Shelf, Stay, Wanted, WantedWord,
};
use backstory_meaning::Embedding;
use backstory_model::EventKind;
use backstory_testkit::postgres::database;

fn add(shelf: &dyn Shelf, batch: u64, session: i64, texts: &[&str]) -> u64 {
    let mut index = IndexWriter::open(shelf, batch).unwrap();
    for (seq, text) in (0..).zip(texts) {
        index.add_event(session, &event(seq, EventKind::UserMsg), text).unwrap();
    }
    let batch = index.commit().unwrap();
    index.finish().unwrap();
    batch
}

fn find(shelf: &dyn Shelf, word: &str) -> Vec<Place> {
    let wanted = Wanted { words: vec![WantedWord::of(word, false)], ..Wanted::default() };
    let reader = shelf.reader(Stay::Long).unwrap();
    let hits = reader.ask(&wanted).unwrap().prose(10, None).unwrap();
    hits.into_iter().map(|hit| hit.place).collect()
}

#[test]
fn tenants_do_not_see_each_other() {
    let database = database();
    let [one, other] = ["one", "other"].map(|name| shelf_for(&database, name));
    assert!(!one.exists());
    add(&one, 0, 1, &["a walrus on the beach"]);
    assert!(one.exists() && !other.exists());
    add(&other, 0, 1, &["a seal on the beach"]);
    assert_eq!(find(&one, "walrus"), [Place::event(1, 0)]);
    assert!(find(&other, "walrus").is_empty() && find(&one, "seal").is_empty());
    assert_eq!(one.reader(Stay::Long).unwrap().stock().documents, 1);
    one.remove().unwrap();
    assert!(!one.exists() && one.bytes() == 0 && other.bytes() > 0);
    assert_eq!(find(&other, "seal"), [Place::event(1, 0)]);
}

#[test]
fn what_was_not_committed_never_was() {
    let database = database();
    let shelf = shelf_of(&database);
    let batch = add(&shelf, 0, 1, &["a walrus on the beach"]);
    let mut index = IndexWriter::open(&shelf, batch).unwrap();
    index.remove_events(1).unwrap();
    index.add_event(2, &event(0, EventKind::UserMsg), "a seal on the beach").unwrap();
    drop(index);
    assert_eq!(find(&shelf, "walrus"), [Place::event(1, 0)]);
    assert!(find(&shelf, "seal").is_empty());
}

#[test]
fn what_is_added_and_removed_in_one_commit_is_as_if_it_were_never_there() {
    let database = database();
    let shelf = shelf_of(&database);
    let mut index = IndexWriter::open(&shelf, 0).unwrap();
    index.add_event(1, &event(0, EventKind::UserMsg), "a walrus on the beach").unwrap();
    index.remove_events(1).unwrap();
    index.add_event(1, &event(0, EventKind::UserMsg), "a seal on the beach").unwrap();
    let card = |title: &str| SessionCard { title: title.into(), ..SessionCard::default() };
    index.put_card(1, &card("Walrus notes")).unwrap();
    index.put_card(1, &card("Seal notes")).unwrap();
    index.commit().unwrap();
    index.finish().unwrap();
    assert!(find(&shelf, "walrus").is_empty());
    assert_eq!(find(&shelf, "seal").len(), 2);
    assert_eq!(shelf.reader(Stay::Long).unwrap().stock().documents, 2);
}

/// A vector that depends on its number alone.
pub(crate) fn vector(number: u64) -> Embedding {
    let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let values = std::array::from_fn(|_| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % 255) as i8
    });
    let length = values.iter().map(|value: &i8| f32::from(*value).powi(2)).sum::<f32>().sqrt();
    Embedding { values, scale: 1.0 / length }
}

pub(crate) fn add_vectors(shelf: &dyn Shelf, batch: u64, sessions: std::ops::Range<i64>) -> u64 {
    let mut writer = shelf.writer(batch).unwrap();
    for session in sessions {
        let mut prepared = Prepared::default();
        prepared.vectors.extend((0..100).map(|seq| {
            (Place::event(session, seq), vector(session as u64 * 100 + u64::from(seq)))
        }));
        writer.add(prepared).unwrap();
    }
    let batch = writer.commit().unwrap();
    writer.finish().unwrap();
    batch
}

#[test]
fn cells_of_vectors_find_what_files_of_vectors_find() {
    let database = database();
    let home = tempfile::tempdir().unwrap();
    let shelves: [&dyn Shelf; 2] = [&shelf_of(&database), &LocalShelf::new(home.path())];
    let mut batches = [0; 2];
    // The second time cells are there already, the third they are chosen anew.
    for sessions in [1..45, 45..60, 60..190] {
        for (shelf, batch) in shelves.iter().zip(&mut batches) {
            *batch = add_vectors(*shelf, *batch, sessions.clone());
        }
        for number in [117, 2_300, 4_444] {
            let [here, there] = shelves.map(|shelf| {
                let near = shelf.reader(Stay::Long).unwrap();
                near.nearest(&vector(number), 5, &mut |place| place.session() % 3 != 0).unwrap()
            });
            assert_eq!(here[0], there[0]);
            let of_session = |place: Place| place.session() == 7;
            let few = shelves.map(|shelf| {
                let near = shelf.reader(Stay::Long).unwrap();
                near.nearest(&vector(number), 200, &mut |place| of_session(place)).unwrap()
            });
            assert!(few[0].len() == 100 && few[0] == few[1]);
        }
    }
    let mut writer = shelves[0].writer(batches[0]).unwrap();
    writer.remove_events(23).unwrap();
    writer.commit().unwrap();
    writer.finish().unwrap();
    let reader = shelves[0].reader(Stay::Long).unwrap();
    assert_eq!(reader.stock().vectors, 18_800);
    let near = reader.nearest(&vector(2_300), 50, &mut |_| true).unwrap();
    assert!(near.len() == 50 && near.iter().all(|(place, _)| place.session() != 23));
    assert_eq!(reader.nearness(&vector(1), &[Place::event(23, 4)]).unwrap(), [None]);
}
