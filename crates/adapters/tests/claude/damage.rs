//! Damaged and foreign lines: nothing panics, nothing is lost silently.

use crate::log::{MAIN_PATH, bad, events, kinds, read, read_with, said, show, unknown, user};
use backstory_adapters::{Batch, NoAncestry, Record};
use backstory_model::EventKind;
use proptest::prelude::*;

fn read_bytes(bytes: &[u8]) -> Batch {
    read_with(MAIN_PATH, bytes, &mut NoAncestry)
}

#[test]
fn two_objects_on_a_line_are_two_records() {
    let line = format!("{}{}", user("u1", "", r#""a}{b""#), user("u2", "u1", r#""c""#));
    let batch = read(&[line]);
    assert_eq!(said(&batch), [(EventKind::UserMsg, "", "a}{b"), (EventKind::UserMsg, "", "c")]);
    assert!(bad(&batch).is_empty());
}

#[test]
fn what_is_left_over_on_a_line_is_told() {
    let batch = read(&[format!("{}{{\"type\":", user("u1", "", r#""whole""#))]);
    assert_eq!(kinds(&batch), [EventKind::UserMsg]);
    assert_eq!(bad(&batch).len(), 1);
}

#[test]
fn broken_bytes_do_not_cost_the_record() {
    let line = user("u1", "", r#""a@b""#).into_bytes();
    let line: Vec<u8> = line.iter().map(|byte| if *byte == b'@' { 0xff } else { *byte }).collect();
    assert_eq!(said(&read_bytes(&line)), [(EventKind::UserMsg, "", "a\u{fffd}b")]);
    let mut line = vec![0, 0, 0];
    line.extend(user("u1", "", r#""after a crash""#).bytes());
    assert_eq!(said(&read_bytes(&line)), [(EventKind::UserMsg, "", "after a crash")]);
}

#[test]
fn bad_lines_say_why() {
    let torn = user("u1", "", r#""torn""#);
    let batch = read(&[
        torn[..torn.len() - 9].to_owned(),
        "not json".to_owned(),
        "[1,2]".to_owned(),
        "\"text\"".to_owned(),
        "17".to_owned(),
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        String::new(),
        "   ".to_owned(),
    ]);
    let reasons = bad(&batch);
    assert_eq!(reasons.len(), 7, "{reasons:?}");
    assert!(reasons[0].contains("EOF"), "{reasons:?}");
    assert_eq!(reasons[2..5], ["not a JSON object"; 3]);
    assert_eq!(reasons[5..], ["nested too deeply"; 2]);
}

#[test]
fn deep_but_sane_nesting_is_read_on_a_small_stack() {
    let deep = format!("{}1{}", "[".repeat(900), "]".repeat(900));
    let line = user("u1", "", r#""x""#).replace("\"external\"", &deep);
    let thread = std::thread::Builder::new().stack_size(512 * 1024);
    let kinds = thread.spawn(move || kinds(&read(&[line]))).unwrap().join().unwrap();
    assert_eq!(kinds, [EventKind::UserMsg]);
}

#[test]
fn other_agents_files_yield_no_events() {
    let qwen = r#"{"uuid":"q1","parentUuid":null,"sessionId":"s","type":"user","cwd":"/x","version":"0.9","message":{"role":"user","parts":[{"text":"hello"}]}}"#;
    let qwen_model = r#"{"uuid":"q2","sessionId":"s","type":"assistant","model":"q","message":{"role":"model","parts":[{"text":"hi"}]},"usageMetadata":{}}"#;
    let droid = r#"{"type":"message","id":"m1","message":{"role":"user","content":[{"type":"text","text":"hello"}]}}"#;
    let codex = r#"{"timestamp":"2026-01-02T03:04:05Z","type":"response_item","payload":{"type":"message"}}"#;
    let lines = [qwen, qwen_model, droid, codex].map(str::to_owned);
    let batch = read(&lines);
    assert_eq!(unknown(&batch), ["user", "assistant", "message", "response_item"]);
    assert_eq!(batch.records().len(), 4, "{}", show(&batch));
}

#[test]
fn a_wrong_shape_beside_the_words_costs_nothing() {
    let line = user("u1", "", r#""still here""#)
        .replace("\"version\":\"2.1.100\"", "\"version\":{\"major\":2}")
        .replace("\"2026-01-02T03:04:05.678Z\"", "1767323045678")
        .replace(
            "\"cwd\":\"/home/dev/shop\"",
            "\"cwd\":[1,null,{}],\"isMeta\":\"no\",\"content\":7",
        );
    let batch = read(&[line]);
    assert_eq!(said(&batch), [(EventKind::UserMsg, "", "still here")]);
    assert_eq!(events(&batch).next().unwrap().ts.map(|ts| ts.0), Some(1_767_323_045_678));
}

/// Any JSON value.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i32>().prop_map(|value| value.to_string()),
        "[a-z<>/ -]{0,12}".prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map(key(), inner, 0..4).prop_map(|fields| object(&fields)),
        ]
    })
}

fn object(fields: &std::collections::BTreeMap<&'static str, String>) -> String {
    let fields: Vec<_> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "type",
        "content",
        "text",
        "thinking",
        "id",
        "name",
        "input",
        "tool_use_id",
        "is_error",
        "source",
        "data",
        "usage",
        "model",
        "stdout",
        "agentId",
        "file",
        "prompt",
        "kind",
    ])
}

fn kind() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "user",
        "assistant",
        "system",
        "attachment",
        "progress",
        "summary",
        "ai-title",
        "queue-operation",
        "last-prompt",
        "mode",
        "pr-link",
        "file-history-snapshot",
        "new",
    ])
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_bytes(&bytes);
    }

    #[test]
    fn any_cut_of_a_line_yields_something(cut in 1_usize..400, flip in 0_usize..400, byte: u8) {
        let mut line = user("u1", "", r#"[{"type":"text","text":"a \"b\" c"},{"type":"image"}]"#).into_bytes();
        line.truncate(cut);
        if let Some(at) = line.get_mut(flip) {
            *at = byte;
        }
        prop_assume!(!line.contains(&b'\n'));
        let batch = read_bytes(&line);
        prop_assert!(!batch.is_empty());
    }

    #[test]
    fn any_shape_yields_a_record(
        kind in kind(), subtype in json(), message in json(), twin in json(), data in json(),
        uuid in "[a-c]{0,2}",
    ) {
        let line = format!(
            r#"{{"type":"{kind}","uuid":"{uuid}","subtype":{subtype},"message":{message},"toolUseResult":{twin},"attachment":{data},"data":{data},"content":{twin},"origin":{data},"lastPrompt":{twin},"aiTitle":{data}}}"#
        );
        let batch = read_bytes(line.as_bytes());
        prop_assert!(!batch.is_empty(), "{line}");
        let is_bad = batch.records().iter().any(|located| matches!(located.record, Record::Bad { .. }));
        prop_assert!(!is_bad, "{line}");
    }
}
