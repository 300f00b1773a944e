//! The four dialects, mixed files, damaged lines, and the same history in two dialects.

use crate::support::*;
use backstory_model::{EventKey, EventKind, Timestamp};

#[test]
fn typescript_document() {
    let reading = read_document(&format!(
        r#"{{
  "session": {{"timestamp": "2025-08-23T11:00:00.000Z", "id": "{}", "instructions": ""}},
  "items": [
    {{"type": "message", "role": "user", "content": [{{"type": "input_text", "text": "hi"}}]}},
    {{"role": "user", "content": [{{"type": "text", "text": "list files"}}]}},
    {{"role": "assistant", "content": "", "reasoning": "We", "tool_calls": [{{"id": "c1", "type": "function", "function": {{"name": "shell", "arguments": "{{\"command\":[\"bash\",\"-lc\",\"ls\"]}}"}}}}]}},
    {{"role": "tool", "tool_call_id": "c1", "content": "{{\"output\":\"a\\n\",\"metadata\":{{\"exit_code\":0,\"duration_seconds\":0.1}}}}"}},
    {{"role": "assistant", "content": "One file."}}
  ]
}}"#,
        id(7)
    ));
    assert_eq!(
        reading.talk(),
        [
            (EventKind::UserMsg, "hi"),
            (EventKind::UserMsg, "list files"),
            (EventKind::Thinking, "We"),
            (EventKind::ToolCall, r#"{"command":["bash","-lc","ls"]}"#),
            (EventKind::ToolResult, "a\n"),
            (EventKind::AssistantMsg, "One file."),
        ]
    );
    assert!(reading.events.iter().all(|event| event.session == uid(7)));
    assert_eq!(reading.session(7).started_at, Timestamp::parse("2025-08-23T11:00:00Z"));
    assert_eq!(read_document("{\"other\":1}").unknown, ["?"]);
    assert_eq!(read_document("{torn").bad, 1);
}

fn bare() -> Vec<String> {
    [
        format!(r#"{{"id":"{}","timestamp":"2025-08-19T08:31:17.000Z","instructions":"x","git":{{"branch":"dev"}}}}"#, id(1)),
        r#"{"record_type":"state"}"#.to_owned(),
        r#"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"<environment_context>\nCurrent working directory: /w/old\n</environment_context>"}]}"#.to_owned(),
        r#"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"hello"}]}"#.to_owned(),
        r#"{"type":"reasoning","id":"rs_1","summary":[],"content":null,"encrypted_content":"g"}"#.to_owned(),
        r#"{"type":"function_call","id":"fc","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c"}"#.to_owned(),
        r#"{"type":"function_call_output","call_id":"c","output":"{\"output\":\"a\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.0}}"}"#.to_owned(),
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hey"}]}"#.to_owned(),
    ]
    .into()
}

#[test]
fn bare_lines() {
    let reading = read(&bare());
    assert_eq!(
        reading.talk(),
        [
            (EventKind::UserMsg, "hello"),
            (EventKind::Thinking, ""),
            (EventKind::ToolCall, r#"{"command":["ls"]}"#),
            (EventKind::ToolResult, "a"),
            (EventKind::AssistantMsg, "hey"),
        ]
    );
    let session = reading.session(1);
    assert_eq!(session.cwd.as_deref(), Some("/w/old"));
    assert_eq!(session.git_branch.as_deref(), Some("dev"));
    assert_eq!(session.started_at, Timestamp::parse("2025-08-19T08:31:17Z"));
    // Only the separator says nothing.
    assert_eq!(reading.yields.iter().filter(|yields| **yields == 0).count(), 1);
}

/// Two turns as the legacy dialect tells them.
fn legacy() -> Vec<String> {
    vec![
        meta(1, ""),
        started("t1"),
        user("go"),
        user_event("go"),
        event(r#"{"type":"agent_reasoning","text":"Look"}"#),
        event(r#"{"type":"agent_reasoning","text":"Think"}"#),
        item(
            r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"Look"},{"type":"summary_text","text":"Think"}],"encrypted_content":"g1"}"#,
        ),
        item(r#"{"type":"reasoning","summary":[],"encrypted_content":"g2"}"#),
        exec("c1", "ls"),
        event(
            r#"{"type":"exec_command_end","call_id":"c1","command":["bash","-lc","ls"],"aggregated_output":"a","exit_code":0,"duration":{"secs":1,"nanos":500000000},"status":"completed"}"#,
        ),
        output("c1", "a"),
        assistant_event("Done."),
        assistant("Done."),
        event(
            r#"{"type":"web_search_end","call_id":"ws_1","query":"rust","action":{"type":"search","query":"rust"}}"#,
        ),
        item(
            r#"{"type":"web_search_call","status":"completed","action":{"type":"search","query":"rust"}}"#,
        ),
        done("t1"),
        started("t2"),
        user("go"),
        user_event("go"),
        assistant_event("Done."),
        assistant("Done."),
        done("t2"),
    ]
}

/// The same turns after the file was rewritten in the paginated dialect.
fn paginated() -> Vec<String> {
    let said = |text: &str| {
        completed(&format!(
            r#"{{"type":"AgentMessage","id":"m","content":[{{"type":"Text","text":"{text}"}}]}}"#
        ))
    };
    let asked = |text: &str| {
        completed(&format!(
            r#"{{"type":"UserMessage","id":"u","content":[{{"type":"text","text":"{text}","text_elements":[]}}]}}"#
        ))
    };
    let lines = vec![
        meta(1, r#","history_mode":"paginated""#),
        started("t1"),
        user("go"),
        asked("go"),
        item(
            r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"Look"},{"type":"summary_text","text":"Think"}],"encrypted_content":"g1"}"#,
        ),
        completed(
            r#"{"type":"Reasoning","id":"rs","summary_text":["Look","Think"],"raw_content":[]}"#,
        ),
        item(r#"{"type":"reasoning","summary":[],"encrypted_content":"g2"}"#),
        completed(r#"{"type":"Reasoning","id":"rs","summary_text":[],"raw_content":[]}"#),
        exec("c1", "ls"),
        completed(
            r#"{"type":"CommandExecution","id":"c1","command":["bash","-lc","ls"],"cwd":"file:///w","source":"unified_exec_startup","status":"completed","aggregated_output":"a","exit_code":0,"duration":{"secs":1,"nanos":500000000}}"#,
        ),
        output("c1", "a"),
        said("Done."),
        assistant("Done."),
        item(
            r#"{"type":"web_search_call","status":"completed","action":{"type":"search","query":"rust"}}"#,
        ),
        completed(
            r#"{"type":"WebSearch","id":"ws_1","query":"rust","action":{"type":"search","query":"rust"}}"#,
        ),
        done("t1"),
        started("t2"),
        user("go"),
        asked("go"),
        said("Done."),
        assistant("Done."),
        done("t2"),
    ];
    lines.iter().enumerate().map(|(n, line)| ordinal(n as u64, line)).collect()
}

fn conversation(reading: &Reading) -> Vec<(EventKey, EventKind, String, Option<i32>)> {
    let talk = reading.events.iter().filter(|event| event.kind.is_conversation());
    talk.map(|event| (event.key, event.kind, event.payload.clone(), event.exit_code)).collect()
}

#[test]
fn migration_to_the_paginated_dialect_changes_no_identity() {
    let (old, new) = (read(&legacy()), read(&paginated()));
    assert_eq!(conversation(&old), conversation(&new));
    let kinds: Vec<EventKind> = conversation(&old).iter().map(|event| event.1).collect();
    assert_eq!(
        kinds,
        [
            EventKind::UserMsg,
            EventKind::Thinking,
            EventKind::Thinking,
            EventKind::Thinking,
            EventKind::ToolCall,
            EventKind::ToolResult,
            EventKind::AssistantMsg,
            EventKind::ToolCall,
            EventKind::UserMsg,
            EventKind::AssistantMsg,
        ]
    );
    let result = old.only(EventKind::ToolResult);
    assert_eq!((result.exit_code, result.duration_ms), (Some(0), Some(1500)));
    assert_eq!((old.unknown.len(), new.unknown.len()), (0, 0));
}

#[test]
fn a_file_resumed_over_an_upgrade_is_one_conversation() {
    let mut mixed = legacy()[..16].to_vec();
    mixed.extend_from_slice(&paginated()[16..]);
    assert_eq!(conversation(&read(&mixed)), conversation(&read(&legacy())));
}

#[test]
fn re_reading_gives_the_same_keys() {
    let keys = |reading: Reading| reading.events.iter().map(|event| event.key).collect::<Vec<_>>();
    let all = keys(read(&legacy()));
    assert_eq!(all, keys(read(&legacy())));
    let mut unique = all.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), all.len());
}

#[test]
fn damaged_lines_are_recovered_or_reported() {
    let two = format!("{}{}", user("one"), user("two"));
    let lines: Vec<Vec<u8>> = vec![
        meta(1, "").into_bytes(),
        two.into_bytes(),
        assistant("a?b").replace('?', "\u{1}").into_bytes(),
        [user("x").as_bytes(), b"\r"].concat(),
        user("bad byte").into_bytes().iter().map(|b| if *b == b' ' { 0xff } else { *b }).collect(),
        b"   ".to_vec(),
        b"\xff\xfe{{{".to_vec(),
    ];
    let mut reader = open(1, &[]);
    let mut reading = Reading::default();
    feed(reader.as_mut(), &lines, 0, &mut Known::default(), &mut reading);
    let talk = reading.talk();
    assert_eq!(talk[0], (EventKind::UserMsg, "one"));
    assert_eq!(talk[1], (EventKind::UserMsg, "two"));
    assert_eq!(talk[2].0, EventKind::AssistantMsg);
    assert_eq!(talk[3], (EventKind::UserMsg, "x"));
    assert_eq!(talk[4], (EventKind::UserMsg, "bad\u{fffd}byte"));
    assert_eq!(reading.bad, 1);
    assert_eq!(reading.yields[5], 0);
}

#[test]
fn the_name_gives_the_thread_when_no_head_does() {
    let reading = read(&[user("hello")]);
    assert_eq!(reading.events[0].session, uid(1));
    // A head after the first lines still names them all.
    let reading = read(&[user("hello"), meta(9, "")]);
    assert!(reading.events.iter().all(|event| event.session == uid(9)));
}
