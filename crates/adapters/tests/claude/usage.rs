//! Tokens: one response is written as several lines that repeat its numbers.

use crate::log::{assistant, events, read, usage};
use backstory_adapters::Record;
use backstory_model::{EventKey, Usage};

fn response(uuid: &str, message: &str, block: &str, usage: &str) -> String {
    assistant(uuid, "", block)
        .replace(&format!("msg_{uuid}"), message)
        .replace(r#"{"input_tokens":3,"output_tokens":7}"#, usage)
}

const TEXT: &str = r#"[{"type":"text","text":"x"}]"#;

#[test]
fn lines_of_one_response_count_once_with_their_last_numbers() {
    let batch = read(&[
        response("a1", "msg_1", TEXT, r#"{"input_tokens":5,"output_tokens":1}"#),
        response("b1", "msg_2", TEXT, r#"{"input_tokens":1,"output_tokens":2}"#),
        response("a2", "msg_1", TEXT, r#"{"input_tokens":5,"output_tokens":90}"#),
    ]);
    let merged = usage(&batch);
    assert_eq!(merged.len(), 2);
    let first = merged[&EventKey::of_parts(&[b"claude", b"msg_1"])];
    assert_eq!((first.input, first.output), (5, 90));
    // Tokens stand on the event that opens a response.
    assert_eq!(events(&batch).map(|event| event.tokens).collect::<Vec<_>>(), [1, 2, 0]);
}

#[test]
fn the_request_is_no_part_of_the_identity() {
    let one = response("a1", "msg_1", TEXT, r#"{"output_tokens":1}"#);
    let replayed = one.replace("req_1", "req_2").replace("\"a1\"", "\"a9\"");
    assert_eq!(usage(&read(&[one, replayed])).len(), 1);
}

#[test]
fn cache_writes_are_split_by_life() {
    let cases = [
        (r#"{"cache_creation_input_tokens":10}"#, (10, 0)),
        (
            r#"{"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_5m_input_tokens":4,"ephemeral_1h_input_tokens":6}}"#,
            (4, 6),
        ),
        (
            r#"{"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":6}}"#,
            (4, 6),
        ),
        (r#"{"cache_creation_input_tokens":10,"cache_creation":null}"#, (10, 0)),
    ];
    for (wire, expected) in cases {
        let merged = usage(&read(&[response("a1", "msg_1", TEXT, wire)]));
        let found = merged.values().next().unwrap();
        assert_eq!((found.cache_write_5m, found.cache_write_1h), expected, "{wire}");
    }
}

#[test]
fn every_class_of_tokens_is_taken() {
    let wire = r#"{"input_tokens":1,"output_tokens":20,"cache_read_input_tokens":3,"output_tokens_details":{"thinking_tokens":5},"server_tool_use":{"web_search_requests":9},"iterations":[{"output_tokens":20}]}"#;
    let merged = usage(&read(&[response("a1", "msg_1", TEXT, wire)]));
    let expected = Usage { input: 1, output: 20, cache_read: 3, reasoning: 5, ..Usage::default() };
    assert_eq!(merged.values().collect::<Vec<_>>(), [&expected]);
}

#[test]
fn lines_of_the_harness_cost_nothing() {
    let line = assistant("a1", "", TEXT).replace("claude-x-1", "<synthetic>");
    let batch = read(&[line]);
    assert!(usage(&batch).is_empty());
    let has_model = batch.records().iter().any(
        |located| matches!(&located.record, Record::Session(_, patch) if patch.model.is_some()),
    );
    assert!(!has_model);
}
