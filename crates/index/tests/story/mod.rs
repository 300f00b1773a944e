//! An index from its first document to its last, wherever it is kept.

use backstory_index::{IndexWriter, Place, SessionCard, Shelf, Stay, Wanted, WantedWord, embed};
use backstory_model::{EventKind, Flavor, Role, SessionEvent, SessionUid, Timestamp};

/// Tells the parts of the story that need nothing but a place for an index.
macro_rules! tell_all {
    ($told:ident) => {
        $crate::story::tell_all!($told:
            words_stems_names_and_parts_are_found,
            phrases_bind_and_refusals_hold,
            meaning_finds_what_words_do_not,
            a_card_replaces_the_one_before,
            a_commit_the_archive_did_not_hear_of_is_undone,
        );
    };
    ($told:ident: $($part:ident,)*) => {
        $(#[test]
        fn $part() {
            $told(|shelf| story::$part(shelf));
        })*
    };
}
pub(crate) use tell_all;

pub(crate) fn event(seq: u32, kind: EventKind) -> SessionEvent {
    SessionEvent {
        session_uid: SessionUid::new(Flavor::Claude, "s"),
        seq,
        parent_seq: None,
        native_id: None,
        ts: Some(Timestamp(1_000 + i64::from(seq))),
        kind,
        role: Role::User,
        tool: None,
        call_id: None,
        summary: String::new(),
        payload_ref: None,
        tokens: 0,
        is_sidechain: false,
        exit_code: None,
        duration_ms: None,
        files: Vec::new(),
    }
}

fn add(index: &mut IndexWriter, session: i64, seq: u32, kind: EventKind, text: &str) {
    index.add_event(session, &event(seq, kind), text).unwrap();
}

fn find(shelf: &dyn Shelf, words: &str) -> Vec<Place> {
    let words = words.split(' ').map(|word| WantedWord::of(word, false)).collect();
    find_wanted(shelf, &Wanted { words, ..Wanted::default() })
}

fn find_wanted(shelf: &dyn Shelf, wanted: &Wanted) -> Vec<Place> {
    let index = shelf.reader(Stay::Long).unwrap();
    let asked = index.ask(wanted).unwrap();
    let prose = asked.prose(10, None).unwrap();
    let mut places: Vec<Place> = prose.iter().map(|hit| hit.place).collect();
    for hit in asked.tools(10, None).unwrap() {
        if !places.contains(&hit.place) {
            places.push(hit.place);
        }
    }
    places
}

fn filled(shelf: &dyn Shelf) -> u64 {
    let mut index = IndexWriter::open(shelf, 0).unwrap();
    add(&mut index, 1, 0, EventKind::UserMsg, "the sqlite database is locked again");
    add(&mut index, 1, 1, EventKind::AssistantMsg, "Raising the busy timeout fixed the locking");
    add(&mut index, 1, 2, EventKind::ToolCall, r#"{"command":"rg busy_timeout src/store.rs"}"#);
    add(&mut index, 2, 0, EventKind::UserMsg, "the deployment to staging times out after a minute");
    add(&mut index, 2, 1, EventKind::Lifecycle, "sqlite bookkeeping nobody looks for");
    let title = "Staging rollout".to_owned();
    let text = "the health check was too strict".to_owned();
    index.put_card(2, &SessionCard { title, text, ts: Some(Timestamp(5)) }).unwrap();
    let batch = index.commit().unwrap();
    index.finish().unwrap();
    batch
}

pub(crate) fn words_stems_names_and_parts_are_found(shelf: &dyn Shelf) {
    filled(shelf);
    let find = |words| find(shelf, words);
    assert_eq!(find("locked")[0], Place::event(1, 0));
    assert_eq!(find("locks").len(), 2);
    assert!(find("busy_timeout").contains(&Place::event(1, 2)));
    assert_eq!(find("store.rs"), [Place::event(1, 2)]);
    assert_eq!(find("strict rollout"), [Place::session_card(2)]);
    assert!(find("bookkeeping").is_empty());
    assert!(find("nowhere").is_empty());
}

pub(crate) fn phrases_bind_and_refusals_hold(shelf: &dyn Shelf) {
    filled(shelf);
    let mut wanted = Wanted::default();
    wanted.require("busy timeout");
    assert_eq!(find_wanted(shelf, &wanted), [Place::event(1, 1), Place::event(1, 2)]);
    wanted.refuse("fixed");
    assert_eq!(find_wanted(shelf, &wanted), [Place::event(1, 2)]);
    let mut start = Wanted::default();
    start.words.push(WantedWord::of("deploy", true));
    assert_eq!(find_wanted(shelf, &start), [Place::event(2, 0)]);
}

pub(crate) fn meaning_finds_what_words_do_not(shelf: &dyn Shelf) {
    filled(shelf);
    let index = shelf.reader(Stay::Long).unwrap();
    let query = embed("why does releasing to the test environment take so long").unwrap();
    let near = index.nearest(&query, 3, &mut |_| true).unwrap();
    assert_eq!(near[0].0.session(), 2);
    assert_eq!(index.nearness(&query, &[near[0].0]).unwrap(), [Some(near[0].1)]);
    let only_first = index.nearest(&query, 3, &mut |place| place.session() == 1).unwrap();
    assert!(only_first.iter().all(|(place, _)| place.session() == 1) && only_first.len() == 2);
}

/// `knows` says whether a stem is still stored anywhere.
pub(crate) fn what_is_removed_leaves_no_trace(shelf: &dyn Shelf, knows: &dyn Fn(&str) -> bool) {
    let batch = filled(shelf);
    assert!(knows("sqlite") && knows("strict"));
    let mut index = IndexWriter::open(shelf, batch).unwrap();
    index.remove_events(1).unwrap();
    index.commit().unwrap();
    index.finish().unwrap();
    assert!(!knows("sqlite"), "the words of a removed session are still on disk");
    assert!(knows("strict"));
    let reader = shelf.reader(Stay::Long).unwrap();
    assert_eq!((reader.stock().documents, reader.stock().vectors), (2, 2));
    assert!(find(shelf, "locked").is_empty());
}

pub(crate) fn a_card_replaces_the_one_before(shelf: &dyn Shelf) {
    let batch = filled(shelf);
    let mut index = IndexWriter::open(shelf, batch).unwrap();
    let title = "Staging rollback".to_owned();
    index.put_card(2, &SessionCard { title, ..SessionCard::default() }).unwrap();
    index.commit().unwrap();
    index.finish().unwrap();
    assert!(find(shelf, "rollout").is_empty() && find(shelf, "strict").is_empty());
    assert_eq!(find(shelf, "rollback"), [Place::session_card(2)]);
    let stock = shelf.reader(Stay::Long).unwrap().stock();
    assert_eq!((stock.documents, stock.vectors), (5, 4));
}

pub(crate) fn a_commit_the_archive_did_not_hear_of_is_undone(shelf: &dyn Shelf) {
    let batch = filled(shelf);
    let mut index = IndexWriter::open(shelf, batch).unwrap();
    add(&mut index, 3, 0, EventKind::UserMsg, "a message that is stored twice");
    index.commit().unwrap();
    index.finish().unwrap();
    // The archive was killed before it took note: it brings the same again.
    let mut index = IndexWriter::open(shelf, batch).unwrap();
    add(&mut index, 3, 0, EventKind::UserMsg, "a message that is stored twice");
    index.commit().unwrap();
    index.finish().unwrap();
    let stock = shelf.reader(Stay::Long).unwrap().stock();
    assert_eq!((stock.documents, stock.vectors), (6, 5));
    // An index that lacks what the archive knows of is no good.
    assert!(IndexWriter::open(shelf, 99).is_err());
}
