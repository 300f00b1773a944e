//! An index from its first document to its last.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use backstory_index::{IndexReader, IndexWriter, Place, SessionCard, Wanted, WantedWord};
use backstory_model::{EventKind, Flavor, Role, SessionEvent, SessionUid, Timestamp};
use std::path::Path;

fn event(seq: u32, kind: EventKind) -> SessionEvent {
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

fn find(home: &Path, words: &str) -> Vec<Place> {
    let words = words.split(' ').map(|word| WantedWord::of(word, false)).collect();
    find_wanted(home, &Wanted { words, ..Wanted::default() })
}

fn find_wanted(home: &Path, wanted: &Wanted) -> Vec<Place> {
    let index = IndexReader::open(home).unwrap();
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

fn filled(home: &Path) -> u64 {
    let mut index = IndexWriter::open(home, 0).unwrap();
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

#[test]
fn words_stems_names_and_parts_are_found() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path());
    let find = |words| find(home.path(), words);
    assert_eq!(find("locked")[0], Place::event(1, 0));
    assert_eq!(find("locks").len(), 2);
    assert!(find("busy_timeout").contains(&Place::event(1, 2)));
    assert_eq!(find("store.rs"), [Place::event(1, 2)]);
    assert_eq!(find("strict rollout"), [Place::session_card(2)]);
    assert!(find("bookkeeping").is_empty());
    assert!(find("nowhere").is_empty());
}

#[test]
fn phrases_bind_and_refusals_hold() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path());
    let mut wanted = Wanted::default();
    wanted.require("busy timeout");
    assert_eq!(find_wanted(home.path(), &wanted), [Place::event(1, 1), Place::event(1, 2)]);
    wanted.refuse("fixed");
    assert_eq!(find_wanted(home.path(), &wanted), [Place::event(1, 2)]);
    let mut start = Wanted::default();
    start.words.push(WantedWord::of("deploy", true));
    assert_eq!(find_wanted(home.path(), &start), [Place::event(2, 0)]);
}

#[test]
fn meaning_finds_what_words_do_not() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path());
    let index = IndexReader::open(home.path()).unwrap();
    let query =
        IndexReader::embed("why does releasing to the test environment take so long").unwrap();
    let near = index.vectors().nearest(&query, 3, &mut |_| true);
    assert_eq!(near[0].0.session(), 2);
    assert_eq!(index.vectors().nearness(&query, near[0].0), Some(near[0].1));
    let only_first = index.vectors().nearest(&query, 3, &mut |place| place.session() == 1);
    assert!(only_first.iter().all(|(place, _)| place.session() == 1) && only_first.len() == 2);
}

/// True if any file of the full text still knows a stem.
fn knows(home: &Path, stem: &str) -> bool {
    let index = tantivy::Index::open_in_dir(home.join(backstory_index::DIR_NAME)).unwrap();
    let searcher = index.reader().unwrap().searcher();
    searcher.segment_readers().iter().any(|segment| {
        ["prompt", "prose", "tool", "names"].iter().any(|name| {
            let field = index.schema().get_field(name).unwrap();
            let terms = segment.inverted_index(field).unwrap();
            terms.terms().get(stem.as_bytes()).unwrap().is_some()
        })
    })
}

#[test]
fn what_is_removed_leaves_no_trace() {
    let home = tempfile::tempdir().unwrap();
    let batch = filled(home.path());
    let has = |word: &str| knows(home.path(), word);
    assert!(has("sqlite") && has("strict"));
    let mut index = IndexWriter::open(home.path(), batch).unwrap();
    index.remove_events(1).unwrap();
    index.commit().unwrap();
    index.finish().unwrap();
    assert!(!has("sqlite"), "the words of a removed session are still on disk");
    assert!(has("strict"));
    let reader = IndexReader::open(home.path()).unwrap();
    assert_eq!((reader.stock().documents, reader.stock().vectors), (2, 2));
    assert!(find(home.path(), "locked").is_empty());
}

#[test]
fn a_card_replaces_the_one_before() {
    let home = tempfile::tempdir().unwrap();
    let batch = filled(home.path());
    let mut index = IndexWriter::open(home.path(), batch).unwrap();
    let title = "Staging rollback".to_owned();
    index.put_card(2, &SessionCard { title, ..SessionCard::default() }).unwrap();
    index.commit().unwrap();
    index.finish().unwrap();
    assert!(find(home.path(), "rollout").is_empty() && find(home.path(), "strict").is_empty());
    assert_eq!(find(home.path(), "rollback"), [Place::session_card(2)]);
    let stock = IndexReader::open(home.path()).unwrap().stock();
    assert_eq!((stock.documents, stock.vectors), (5, 4));
}

#[test]
fn a_commit_the_archive_did_not_hear_of_is_undone() {
    let home = tempfile::tempdir().unwrap();
    let batch = filled(home.path());
    let mut index = IndexWriter::open(home.path(), batch).unwrap();
    add(&mut index, 3, 0, EventKind::UserMsg, "a message that is stored twice");
    index.commit().unwrap();
    index.finish().unwrap();
    // The archive was killed before it took note: it brings the same again.
    let mut index = IndexWriter::open(home.path(), batch).unwrap();
    add(&mut index, 3, 0, EventKind::UserMsg, "a message that is stored twice");
    index.commit().unwrap();
    index.finish().unwrap();
    let stock = IndexReader::open(home.path()).unwrap().stock();
    assert_eq!((stock.documents, stock.vectors), (6, 5));
    // An index that lacks what the archive knows of is no good.
    assert!(IndexWriter::open(home.path(), 99).is_err());
}
