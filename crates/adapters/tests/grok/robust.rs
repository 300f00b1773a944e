//! Damaged input, older forms, and reading in pieces.

use crate::reading::{
    SID, acp, chunk, chunk_update, events_of, kinds, path_of, read, reader, shown, updates,
};
use backstory_adapters::{Batch, Form, NoAncestry, Record};
use backstory_model::EventKind;
use proptest::prelude::*;
use std::fmt::Write;

#[test]
fn bare_notifications_of_older_versions_are_read() {
    let update = chunk_update("agent_message_chunk", "hello");
    let bare = format!(r#"{{"sessionId":"{SID}","update":{update}}}"#);
    let rpc = format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{SID}","update":{update}}}}}"#
    );
    for line in [bare, rpc, update] {
        let batch = updates(std::slice::from_ref(&line));
        assert_eq!(kinds(&batch), [EventKind::AssistantMsg], "{line}");
        assert_eq!(batch.sessions()[0].native(), SID);
    }
}

#[test]
fn the_same_words_twice_are_two_events_without_ids_too() {
    let update = chunk_update("agent_message_chunk", "ok");
    let line =
        format!(r#"{{"timestamp":1790000000,"params":{{"sessionId":"{SID}","update":{update}}}}}"#);
    let batch = updates(&[line.clone(), line]);
    let events = events_of(&batch);
    assert_ne!(events[0].key, events[1].key);
    assert_eq!(events[0].ts.map(|at| at.0), Some(1_790_000_000_000));
}

#[test]
fn a_torn_write_costs_one_line() {
    let whole = chunk(1, "agent_message_chunk", "before");
    let torn = &chunk(2, "agent_message_chunk", "lost")[..60];
    let batch = updates(&[whole, torn.to_owned(), chunk(3, "agent_message_chunk", "after")]);
    assert_eq!(kinds(&batch), [EventKind::AssistantMsg; 2]);
    let bad: Vec<u64> = batch
        .records()
        .iter()
        .filter(|located| matches!(located.record, Record::Bad { .. }))
        .map(|located| located.line)
        .collect();
    assert_eq!(bad, [2], "{}", shown(&batch));
}

#[test]
fn two_records_on_a_line_and_stray_bytes_are_recovered() {
    let one = chunk(1, "agent_message_chunk", "a");
    let two = chunk(2, "agent_message_chunk", "b");
    assert_eq!(kinds(&updates(&[format!("{one}{two}")])), [EventKind::AssistantMsg; 2]);
    let (mut reader, _) = reader(&path_of(SID, "updates.jsonl"));
    let mut out = Batch::default();
    let mut bytes = b"\0\0".to_vec();
    bytes.extend_from_slice(one.as_bytes());
    reader.record(&bytes, &mut NoAncestry, &mut out);
    assert_eq!(kinds(&out), [EventKind::AssistantMsg]);
}

#[test]
fn broken_utf8_anywhere_in_a_record_is_replaced() {
    let line = acp(
        1,
        r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","locations":[{"path":"a#b"}]}"#,
    );
    let bytes: Vec<u8> = line.bytes().map(|byte| if byte == b'#' { 0xff } else { byte }).collect();
    let (mut reader, _) = reader(&path_of(SID, "updates.jsonl"));
    let mut out = Batch::default();
    reader.begin(&bytes);
    reader.record(&bytes, &mut NoAncestry, &mut out);
    assert_eq!(kinds(&out), [EventKind::ToolCall]);
    assert_eq!(out.get(events_of(&out)[0].files[0]), "a\u{fffd}b");
}

#[test]
fn fields_of_odd_types_do_not_hide_the_rest() {
    let update = r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":7,"rawInput":"text","locations":{"a":1},"_meta":{"x.ai/tool":{"name":["x"]}}}"#;
    let batch = updates(&[acp(1, update)]);
    assert_eq!(kinds(&batch), [EventKind::ToolCall], "{}", shown(&batch));
    for odd in ["7", "[]", "\"x\"", "null", "{}", "[{}]"] {
        let batch = updates(&[odd.to_owned()]);
        assert_eq!(batch.records().len(), 1, "{odd}: {}", shown(&batch));
    }
}

#[test]
fn damaged_documents_are_reported() {
    for file in ["summary.json", "usage.json", "signals.json"] {
        let batch = read(&path_of(SID, file), "{\"info\":");
        assert!(matches!(batch.records()[0].record, Record::Bad { .. }), "{file}");
        assert!(read(&path_of(SID, file), "").is_empty());
    }
}

#[test]
fn a_state_of_another_kind_is_refused() {
    let (mut reader, _) = reader(&path_of(SID, "updates.jsonl"));
    assert!(!reader.restore(b"{\"format\":99}"));
    let saved = reader.save();
    assert!(reader.restore(&saved));
}

/// Lines of every sort, valid and not.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let names = prop::sample::select(vec![
        "user_message_chunk",
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update",
        "turn_completed",
        "compaction_checkpoint",
        "auto_compact_completed",
        "auto_compact_started",
        "subagent_spawned",
        "model_changed",
        "rewind_marker",
        "strange",
    ]);
    let texts = prop::sample::select(vec!["go", "<user_query>a</user_query>", "", "ok \\\"x\\\""]);
    let ids = prop::sample::select(vec!["c1", "c2", "c3"]);
    let statuses = prop::sample::select(vec!["completed", "failed", "pending"]);
    let update = (names, texts, ids, statuses, 0_u32..6, any::<bool>()).prop_map(
        |(name, text, id, status, number, has_id)| {
            let meta = if has_id {
                format!(r#","_meta":{{"eventId":"{SID}-{number}"}}"#)
            } else {
                String::new()
            };
            format!(
                r#"{{"timestamp":{number},"params":{{"sessionId":"{SID}","update":{{"sessionUpdate":"{name}","content":{{"type":"text","text":"{text}"}},"toolCallId":"{id}","title":"bash","status":"{status}","rawInput":{{"command":"{text}","description":"{text}"}},"prompt_id":"p{number}","stop_reason":"{status}","child_session_id":"child","description":"{text}","model_id":"m{number}","usage":{{"inputTokens":{number}}}}}{meta}}}}}"#
            )
            .into_bytes()
        },
    );
    let event = (0_u32..4, prop::sample::select(vec!["turn_started", "turn_ended", "x"])).prop_map(
        |(number, name)| {
            format!(r#"{{"ts":"2026-09-01T10:00:0{number}Z","type":"{name}","prompt_id":"p{number}","outcome":"cancelled"}}"#).into_bytes()
        },
    );
    let chat = prop::sample::select(vec!["user", "assistant", "tool_result"]).prop_map(|name| {
        format!(r#"{{"type":"{name}","content":"words","tool_call_id":"c1"}}"#).into_bytes()
    });
    prop_oneof![8 => update, 2 => event, 2 => chat, 1 => any_bytes()]
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>().prop_filter("a line", |byte| *byte != b'\n'), 0..60)
}

fn any_file() -> impl Strategy<Value = String> {
    let mut files: Vec<String> = ["updates.jsonl", "events.jsonl", "chat_history.jsonl"]
        .map(|file| path_of(SID, file))
        .into();
    files.push("out/any.jsonl".to_owned());
    prop::sample::select(files)
}

fn read_in_pieces(path: &str, lines: &[Vec<u8>], cut: usize) -> String {
    let (mut first, _) = reader(path);
    let mut out = Batch::default();
    first.begin(&lines.join(&b'\n'));
    let (head, tail) = lines.split_at(cut.min(lines.len()));
    for line in head {
        first.record(line, &mut NoAncestry, &mut out);
    }
    let (mut second, _) = reader(path);
    assert!(second.restore(&first.save()));
    for line in tail {
        second.record(line, &mut NoAncestry, &mut out);
    }
    assert_eq!(second.save(), {
        let (mut third, _) = reader(path);
        assert!(third.restore(&second.save()));
        third.save()
    });
    identities(&out)
}

/// Everything that must not depend on how a file was read: kinds, keys, parents, texts.
fn identities(batch: &Batch) -> String {
    let mut text = shown(batch);
    for event in events_of(batch) {
        let _ = writeln!(text, "{:?} {:?} {:?}", event.key, event.parent, event.opens_chain);
    }
    text
}

proptest! {
    #[test]
    fn reading_in_two_parts_is_reading_at_once(
        path in any_file(),
        lines in prop::collection::vec(any_line(), 0..14),
        cut in 0_usize..14,
    ) {
        prop_assert_eq!(read_in_pieces(&path, &lines, cut), read_in_pieces(&path, &lines, lines.len()));
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for file in ["updates.jsonl", "events.jsonl", "chat_history.jsonl", "summary.json",
            "usage.json", "signals.json", "subagents/x/meta.json"] {
            let (mut reader, form) = reader(&path_of(SID, file));
            let mut out = Batch::default();
            reader.restore(&bytes);
            reader.begin(&bytes);
            if form == Form::Document {
                reader.record(&bytes, &mut NoAncestry, &mut out);
            } else {
                for line in bytes.split(|byte| *byte == b'\n') {
                    reader.record(line, &mut NoAncestry, &mut out);
                }
            }
        }
    }
}
