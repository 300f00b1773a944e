//! Every kind of posted message, and reading in two pieces.

use super::*;
use crate::{NoAncestry, Record};
use proptest::prelude::*;
use std::path::PathBuf;

const JOURNAL: &str = r#"{"session":{"v":1,"id":"cc-77__subagent-a1","at":5}}
{"message":{"id":"m1","role":"user","at":10,"key":1,"tokens":1,"parts":[{"text":"/clear"}]}}
{"message":{"id":"m2","role":"user","at":11,"key":2,"tokens":1,"parts":[{"text":"Use SQLite WAL"}]}}
{"message":{"id":"m3","role":"assistant","at":12,"key":3,"sure":true,"tokens":1,"parts":[{"text":"I look."},{"tool_id":"c1","tool":"Bash","status":"running","input":"{\"command\":\"cargo test\"}"}]}}
{"message":{"id":"m4","role":"user","at":13,"key":4,"sure":true,"tokens":1,"parts":[{"tool_id":"c1","tool":"Bash","status":"error","output":"boom","duration_ms":7}]}}
{"message":{"id":"m5","role":"assistant","at":14,"key":5,"sure":true,"tokens":1,"parts":[{"tool_id":"c2","tool":"Bash","status":"completed","input":"{\"command\":\"cargo test\"}","output":"ok"}]}}
{"seal":{"number":1,"at":20,"reason":"asked","through":5,"keep":0,"abstract":"","overview":""}}
{"news":{}}
"#;

fn read(reader: &mut PushedReader, text: &str) -> Vec<String> {
    let mut batch = Batch::default();
    for line in text.lines() {
        reader.record(line.as_bytes(), &mut NoAncestry, &mut batch);
    }
    let tell = |record: &Record| match record {
        Record::Event(event) => {
            let name = event.tool.map_or("", |tool| batch.get(tool));
            let text = batch.get(event.payload);
            let uid = &batch.sessions()[event.session.index()];
            format!("{uid} {} {name} {text} {:x}", event.kind.name(), event.key.0)
        }
        Record::Session(_, patch) => format!("{:?} {:?}", patch.title, patch.parent),
        Record::Unknown { type_name, .. } => format!("unknown {type_name}"),
        other => format!("{other:?}"),
    };
    batch.records().iter().map(|located| tell(&located.record)).collect()
}

fn begun() -> PushedReader {
    let mut reader = PushedReader::new(&PathBuf::from("x/cut.jsonl"));
    reader.begin(JOURNAL.as_bytes());
    reader
}

#[test]
fn messages_become_events_of_the_session_they_name() {
    let told = read(&mut begun(), JOURNAL);
    let without_key = |line: &String| line.rsplit_once(' ').map(|(text, _)| text.to_owned());
    let told: Vec<String> = told.iter().filter_map(without_key).collect();
    assert_eq!(
        told,
        [
            "None",
            "claude:77/a1 lifecycle slash-command /clear",
            "Some((Prompt, \"Use SQLite WAL\"))",
            "claude:77/a1 user_msg  Use SQLite WAL",
            "claude:77/a1 assistant_msg  I look.",
            "claude:77/a1 test_run Bash {\"command\":\"cargo test\"}",
            "claude:77/a1 error Bash boom",
            "claude:77/a1 retry Bash {\"command\":\"cargo test\"}",
            "claude:77/a1 tool_result Bash ok",
            "unknown",
        ]
    );
}

#[test]
fn the_first_project_that_is_named_is_told_once() {
    let named = |id: &str, peer: &str| {
        format!("{{\"message\":{{\"id\":\"{id}\",\"role\":\"user\"{peer},\"parts\":[]}}}}")
    };
    let mut batch = Batch::default();
    let mut reader = begun();
    for line in [
        named("m1", ""),
        named("m2", ",\"peer\":\"-home-ada-shop\""),
        named("m3", ",\"peer\":\"-home-ada-boat\""),
    ] {
        reader.record(line.as_bytes(), &mut NoAncestry, &mut batch);
    }
    let peers = batch.records().iter().filter_map(|located| match &located.record {
        Record::Session(_, patch) => patch.peer.as_deref(),
        _ => None,
    });
    assert_eq!(peers.collect::<Vec<_>>(), ["-home-ada-shop"]);
}

#[test]
fn two_pieces_are_the_same_as_one() {
    let whole = read(&mut begun(), JOURNAL);
    let lines: Vec<&str> = JOURNAL.lines().collect();
    for cut in 1..lines.len() {
        let mut first = begun();
        let mut told = read(&mut first, &lines[..cut].join("\n"));
        let mut second = PushedReader::new(&PathBuf::from("x/cut.jsonl"));
        assert!(second.restore(&first.save()));
        told.extend(read(&mut second, &lines[cut..].join("\n")));
        assert_eq!(told, whole, "cut behind line {cut}");
    }
}

#[test]
fn broken_lines_are_told_and_harm_nothing() {
    let mut reader = begun();
    let told = read(&mut reader, "{\"message\":{\"id\":\n\u{0}\n[[[\n{\"message\":3}");
    assert_eq!(told.iter().filter(|line| line.starts_with("Bad")).count(), 3);
    assert!(told[3].starts_with("unknown"));
}

proptest! {
    /// Nothing that may stand in a file makes the reader panic, and what follows is still read.
    #[test]
    fn damage_is_survived(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        cut in 0..JOURNAL.len(),
        flip in any::<u8>(),
    ) {
        let mut reader = begun();
        let mut batch = Batch::default();
        reader.record(&bytes, &mut NoAncestry, &mut batch);
        let mut damaged = JOURNAL.as_bytes().to_vec();
        damaged[cut] = flip;
        for line in damaged.split(|byte| *byte == b'\n') {
            reader.record(line, &mut NoAncestry, &mut batch);
        }
        let before = batch.records().len();
        reader.record(JOURNAL.lines().nth(2).unwrap().as_bytes(), &mut NoAncestry, &mut batch);
        prop_assert!(batch.records().len() > before);
    }
}
