//! Whatever is stored and whatever is asked, both indices find the same.

use crate::shelf_of;
use crate::story::event;
use backstory_index::{
    Accept, Facts, Hit, IndexWriter, Lexical, LocalShelf, Place, Reader, SessionCard, Shelf, Stay,
    Wanted, WantedWord,
};
use backstory_model::{EventKind, Timestamp};
use backstory_testkit::postgres::database;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;

/// Few enough to meet again: words and their forms, names, files, paths, marks, other scripts.
const WORDS: [&str; 28] = [
    "lock",
    "locked",
    "locking",
    "the",
    "a",
    "deploy",
    "deployment",
    "deployed",
    "deploys",
    "load_pack",
    "LoadPack",
    "load_pack.rs",
    "src/store/load_pack.rs",
    "it's",
    "naïve",
    "Straße",
    "数据库",
    "数据",
    "データベース",
    "error:",
    "E0308",
    "0x7f3a9b",
    "x",
    "100%",
    "don't",
    "back\\slash",
    "quo'te",
    "--force",
];
const KINDS: [EventKind; 5] = [
    EventKind::UserMsg,
    EventKind::AssistantMsg,
    EventKind::ToolCall,
    EventKind::ToolResult,
    EventKind::Lifecycle,
];

#[derive(Clone, Debug)]
struct Told {
    session: i64,
    kind: EventKind,
    words: Vec<&'static str>,
    ts: i64,
    exit: Option<i32>,
}

#[derive(Clone, Debug)]
struct Question {
    words: Vec<(&'static str, bool)>,
    phrases: Vec<Vec<&'static str>>,
    without: Vec<Vec<&'static str>>,
    limit: usize,
    sessions: i64,
}

fn word() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(WORDS.as_slice())
}

fn told() -> impl Strategy<Value = Told> {
    let words = proptest::collection::vec(word(), 0..14);
    let exit = proptest::option::of(-1..2);
    (1_i64..6, proptest::sample::select(KINDS.as_slice()), words, 0_i64..9, exit)
        .prop_map(|(session, kind, words, ts, exit)| Told { session, kind, words, ts, exit })
}

fn question() -> impl Strategy<Value = Question> {
    let phrases =
        |most| proptest::collection::vec(proptest::collection::vec(word(), 1..4), 0..=most);
    let words = proptest::collection::vec((word(), proptest::bool::weighted(0.25)), 0..5);
    (words, phrases(1), phrases(2), 1_usize..200, 1_i64..9).prop_map(
        |(words, phrases, without, limit, sessions)| Question {
            words,
            phrases,
            without,
            limit,
            sessions,
        },
    )
}

fn fill(shelf: &dyn Shelf, batch: u64, all: &[Told]) -> u64 {
    let mut index = IndexWriter::open(shelf, batch).unwrap();
    for session in 1..6 {
        index.remove_events(session).unwrap();
        let of_session = all.iter().filter(|told| told.session == session);
        for (seq, told) in (0..).zip(of_session) {
            let mut event = event(seq, told.kind);
            (event.ts, event.exit_code) = (Some(Timestamp(told.ts)), told.exit);
            index.add_event(session, &event, &told.words.join(" ")).unwrap();
        }
    }
    for (session, told) in (1..6).zip(all) {
        let title = told.words.iter().take(3).copied().collect::<Vec<_>>().join(" ");
        let text = told.words.join("\n");
        let card = SessionCard { title, text, ts: Some(Timestamp(told.ts)) };
        index.put_card(session, &card).unwrap();
    }
    let batch = index.commit().unwrap();
    index.finish().unwrap();
    batch
}

fn wanted(question: &Question) -> Wanted {
    let mut wanted = Wanted::default();
    for (word, is_prefix) in &question.words {
        let start = word.get(..4).filter(|_| *is_prefix).unwrap_or(word);
        wanted.words.push(WantedWord::of(start, *is_prefix));
    }
    question.phrases.iter().for_each(|phrase| wanted.require(&phrase.join(" ")));
    question.without.iter().for_each(|phrase| wanted.refuse(&phrase.join(" ")));
    wanted
}

/// A number that is the same if it nearly is: sums are made in another order.
#[derive(Clone, Copy, Debug)]
struct Nearly(f32);

impl PartialEq for Nearly {
    fn eq(&self, other: &Self) -> bool {
        (self.0 - other.0).abs() <= 1e-4 * self.0.abs().max(1e-3)
    }
}

fn scored(hits: &[Hit]) -> BTreeMap<Place, (Nearly, Facts)> {
    hits.iter().map(|hit| (hit.place, (Nearly(hit.score), hit.facts))).collect()
}

type Answers =
    ([BTreeMap<Place, (Nearly, Facts)>; 4], Vec<Place>, BTreeMap<i64, Nearly>, (Nearly, Nearly));

fn answers(reader: &dyn Reader, question: &Question) -> Answers {
    let wanted = wanted(question);
    let session = |session: i64| session < question.sessions;
    let passage = |_: Place, facts: &Facts| facts.exit != Some(1);
    let accept = Accept { sessions: None, session: &session, passage: Some(&passage) };
    let of_sessions = Accept { passage: None, ..accept };
    let asked = reader.ask(&wanted).unwrap();
    let prose = asked.prose(500, None).unwrap();
    let tools = asked.tools(500, None).unwrap();
    let filtered = asked.tools(500, Some(accept)).unwrap();
    let evidence = asked.evidence(&|session| session < question.sessions).unwrap();
    // Sessions that are named, not only recognised, are the same sessions.
    let names: Vec<i64> = (0..question.sessions).collect();
    let by_name = Accept { sessions: Some(&names), ..of_sessions };
    let asked_by_name = reader.ask(&wanted).unwrap();
    let named = [
        asked_by_name.prose(500, Some(by_name)).unwrap(),
        asked_by_name.tools(500, Some(Accept { sessions: Some(&names), ..accept })).unwrap(),
    ];
    let evidence_by_name = asked_by_name.evidence(&|session| session < question.sessions).unwrap();
    assert_eq!(evidence_by_name, evidence);
    let of_sessions = asked.prose(500, Some(of_sessions)).unwrap();
    assert_eq!(scored(&named[0]), scored(&of_sessions));
    assert_eq!(scored(&named[1]), scored(&filtered));
    let search = Lexical { wanted: &wanted, limit: question.limit, accept: Some(accept) };
    let newest = reader.newest(&search).unwrap().iter().map(|hit| hit.place).collect();
    let sessions = evidence.sessions.iter();
    let sessions = sessions.map(|(session, value)| (*session, Nearly(*value))).collect();
    let whole = (Nearly(evidence.attainable), Nearly(evidence.foreign));
    let lists = [prose, tools, filtered, of_sessions].map(|hits| scored(&hits));
    (lists, newest, sessions, whole)
}

#[test]
fn both_indices_find_the_same() {
    let database = database();
    let there = shelf_of(&database);
    let stories =
        (proptest::collection::vec(told(), 1..40), proptest::collection::vec(question(), 1..12));
    let mut runner = TestRunner::new(ProptestConfig { cases: 24, ..ProptestConfig::default() });
    runner
        .run(&stories, |(all, questions)| {
            let home = tempfile::tempdir().unwrap();
            let here = LocalShelf::new(home.path());
            fill(&here, 0, &all);
            there.remove().unwrap();
            fill(&there, 0, &all);
            let (here, there) =
                (here.reader(Stay::Short).unwrap(), there.reader(Stay::Long).unwrap());
            prop_assert_eq!(here.stock().documents, there.stock().documents);
            prop_assert_eq!(here.stock().vectors, there.stock().vectors);
            for question in &questions {
                prop_assert_eq!(
                    answers(&*here, question),
                    answers(&*there, question),
                    "{:?}",
                    question
                );
            }
            Ok(())
        })
        .unwrap();
}

/// Adds a session of some texts as a commit of its own.
fn add_session(shelf: &dyn Shelf, batch: u64, session: i64) -> u64 {
    let mut index = IndexWriter::open(shelf, batch).unwrap();
    let words = |from: usize| (0..9).map(move |nth| WORDS[(from * 5 + nth * 3) % WORDS.len()]);
    for seq in 0..12 {
        let mut event = event(seq, KINDS[seq as usize % KINDS.len()]);
        event.ts = Some(Timestamp(session * 7 % 5 + i64::from(seq)));
        let text: Vec<&str> = words(session as usize + seq as usize).collect();
        index.add_event(session, &event, &text.join(" ")).unwrap();
    }
    let batch = index.commit().unwrap();
    index.finish().unwrap();
    batch
}

#[test]
fn merged_segments_find_the_same() {
    let database = database();
    let there = shelf_of(&database);
    let home = tempfile::tempdir().unwrap();
    let here = LocalShelf::new(home.path());
    let (mut batch_here, mut batch_there) = (0, 0);
    for session in 1..=30 {
        batch_here = add_session(&here, batch_here, session);
        batch_there = add_session(&there, batch_there, session);
    }
    let questions: Vec<Question> = (0..WORDS.len())
        .map(|nth| Question {
            words: vec![(WORDS[nth], nth % 4 == 0), (WORDS[(nth + 7) % WORDS.len()], false)],
            phrases: if nth % 3 == 0 { vec![vec![WORDS[nth]]] } else { Vec::new() },
            without: if nth % 5 == 0 { vec![vec![WORDS[(nth + 2) % 28]]] } else { Vec::new() },
            limit: 50,
            sessions: 25,
        })
        .collect();
    let (near, far) = (here.reader(Stay::Short).unwrap(), there.reader(Stay::Long).unwrap());
    assert!(far.stock().segments < 16, "{} segments", far.stock().segments);
    for question in &questions {
        assert_eq!(answers(&*near, question), answers(&*far, question), "{question:?}");
    }
    // What leaves is gone from both, whatever segment it came to lie in.
    for (shelf, batch) in [(&here as &dyn Shelf, batch_here), (&there, batch_there)] {
        let mut index = IndexWriter::open(shelf, batch).unwrap();
        for session in [3, 11, 12, 30] {
            index.remove_events(session).unwrap();
        }
        index.commit().unwrap();
        index.finish().unwrap();
    }
    let near = here.reader(Stay::Short).unwrap();
    assert_eq!(near.stock().documents, there.reader(Stay::Short).unwrap().stock().documents);
    // One that was open before sees it too.
    for question in &questions {
        let [near, far] = [&near, &far].map(|reader| answers(&**reader, question));
        assert_eq!(near, far, "{question:?}");
        assert!(near.0[0].keys().all(|place| ![3, 11, 12, 30].contains(&place.session())));
    }
}
