//! Every kind of event, from the records that give it.

use crate::reading::{
    SID, acp, chunk, events, events_of, kinds, only, patches, path_of, read, shown, unknown_of,
    updates,
};
use backstory_adapters::{Batch, EventDraft};
use backstory_model::{EventKey, EventKind, Role, Timestamp};

fn payload<'a>(batch: &'a Batch, event: &EventDraft) -> &'a str {
    batch.get(event.payload)
}

fn call(number: u32, id: &str, tool: &str, input: &str) -> String {
    acp(
        number,
        &format!(
            r#"{{"sessionUpdate":"tool_call","toolCallId":"{id}","title":"shown","rawInput":{input},"_meta":{{"x.ai/tool":{{"name":"{tool}"}}}}}}"#
        ),
    )
}

fn result(number: u32, id: &str, rest: &str) -> String {
    acp(number, &format!(r#"{{"sessionUpdate":"tool_call_update","toolCallId":"{id}",{rest}}}"#))
}

#[test]
fn user_msg_is_the_humans_words_without_their_wrapper() {
    let batch =
        updates(&[chunk(1, "user_message_chunk", "<user_query>\nfix the build\n</user_query>")]);
    let event = only(&batch);
    assert_eq!((event.kind, event.role), (EventKind::UserMsg, Role::User));
    assert_eq!(payload(&batch, event), "fix the build");
    assert_eq!(event.ts, Some(Timestamp(1_790_000_000_001)));
    assert_eq!(batch.get(event.native_id.unwrap()), format!("{SID}-1"));
    assert_eq!(patches(&batch, SID)[0].cwd.as_deref(), Some("/home/me/app"));
}

#[test]
fn event_numbers_begin_anew_with_every_resume() {
    let first = chunk(1, "user_message_chunk", "go on");
    let resumed = first.replace("1790000000001", "1790000900001");
    assert_ne!(first, resumed);
    let batch = updates(&[first.clone(), resumed, first.clone()]);
    let prompts = events_of(&batch).into_iter().filter(|event| event.kind == EventKind::UserMsg);
    let keys: Vec<EventKey> = prompts.map(|event| event.key).collect();
    assert_eq!(keys.len(), 3);
    assert_ne!(keys[0], keys[1]);
    assert_eq!(keys[0], keys[2]);
}

#[test]
fn injected_text_is_never_a_user_msg() {
    for text in [
        "<system-reminder>be brief</system-reminder>",
        "<user_info>os: linux</user_info>",
        "<backstory-context source=\"memory\">old things</backstory-context>",
    ] {
        let batch = updates(&[chunk(1, "user_message_chunk", text)]);
        assert_eq!(only(&batch).kind, EventKind::Lifecycle, "{text}");
    }
    let mixed = "<backstory-context a=\"b\">old</backstory-context>\ngo on";
    let batch = updates(&[chunk(1, "user_message_chunk", mixed)]);
    let events = events_of(&batch);
    assert_eq!(kinds(&batch), [EventKind::Lifecycle, EventKind::UserMsg]);
    assert_eq!(payload(&batch, events[1]), "go on");
    assert_ne!(events[0].key, events[1].key);
}

#[test]
fn synthetic_prompts_are_lifecycle_and_interjections_are_interventions() {
    let with_meta = |meta: &str| {
        let update = format!(
            r#"{{"sessionUpdate":"user_message_chunk","content":{{"type":"text","text":"stop"}},"_meta":{meta}}}"#
        );
        only(&updates(&[acp(1, &update)])).kind
    };
    assert_eq!(with_meta(r#"{"promptIndex":0}"#), EventKind::UserMsg);
    assert_eq!(with_meta(r#"{"syntheticReason":"auto_continue"}"#), EventKind::Lifecycle);
    assert_eq!(with_meta(r#"{"hostTurn":true}"#), EventKind::Lifecycle);
    assert_eq!(with_meta(r#"{"interjection":true}"#), EventKind::HumanIntervention);
    assert_eq!(with_meta(r#"{"interjection":{"source":"queue"}}"#), EventKind::HumanIntervention);
    assert_eq!(with_meta(r#"{"interjection":false}"#), EventKind::UserMsg);
}

#[test]
fn assistant_msg_and_thinking_follow_the_prompt() {
    let batch = updates(&[
        chunk(1, "user_message_chunk", "why?"),
        chunk(2, "agent_thought_chunk", "let me see"),
        chunk(3, "agent_message_chunk", "because"),
    ]);
    assert_eq!(kinds(&batch), [EventKind::UserMsg, EventKind::Thinking, EventKind::AssistantMsg]);
    let events = events_of(&batch);
    assert_eq!(events[2].parent, Some(events[0].key));
    assert_eq!(payload(&batch, events[2]), "because");
}

#[test]
fn images_are_noted_without_their_data() {
    let update = r#"{"sessionUpdate":"user_message_chunk","content":{"type":"image","data":"iVBORw0KGgo","mimeType":"image/png","uri":"file:///a.png"}}"#;
    let batch = updates(&[acp(1, update)]);
    assert_eq!(only(&batch).kind, EventKind::Lifecycle);
    assert!(!shown(&batch).contains("iVBOR"), "{}", shown(&batch));
    assert_eq!(batch.get(only(&batch).files[0]), "file:///a.png");
}

#[test]
fn tool_call_is_named_by_its_tool_and_keeps_its_input() {
    let input = r#"{"variant":"ReadFile","target_file":"src/a.rs"}"#;
    let batch = updates(&[call(1, "c1", "read_file", input)]);
    let event = only(&batch);
    assert_eq!(event.kind, EventKind::ToolCall);
    assert_eq!(event.tool.map(|tool| batch.get(tool)), Some("read_file"));
    assert_eq!(payload(&batch, event), input);
    assert_eq!(batch.get(event.files[0]), "src/a.rs");
    assert_eq!(event.key, EventKey::of_parts(&[b"call", b"c1"]));
}

#[test]
fn calls_of_mcp_servers_are_named_by_the_tool_they_reach() {
    let input = r#"{"tool_name":"notes__find","tool_input":{"q":"x"}}"#;
    let batch = updates(&[call(1, "c1", "use_tool", input)]);
    assert_eq!(only(&batch).tool.map(|tool| batch.get(tool)), Some("notes__find"));
}

#[test]
fn edit_and_test_run_are_told_from_other_calls() {
    let kind = |tool: &str, input: &str| only(&updates(&[call(1, "c", tool, input)])).kind;
    assert_eq!(kind("search_replace", r#"{"file_path":"a"}"#), EventKind::Edit);
    assert_eq!(kind("run_terminal_command", r#"{"command":"cargo test"}"#), EventKind::TestRun);
    assert_eq!(kind("run_terminal_command", r#"{"command":"ls"}"#), EventKind::ToolCall);
    let by_kind =
        r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"Rename","kind":"move"}"#;
    assert_eq!(only(&updates(&[acp(1, by_kind)])).kind, EventKind::Edit);
}

#[test]
fn tool_result_answers_its_call() {
    let output = r#""status":"completed","title":"Ran it","rawOutput":{"type":"Bash","output":[104,105],"output_for_prompt":"hi there","exit_code":0},"locations":[{"path":"b.rs","line":3}]"#;
    let batch = updates(&[call(1, "c1", "run_terminal_command", "{}"), result(2, "c1", output)]);
    let event = events_of(&batch)[1];
    assert_eq!((event.kind, event.role), (EventKind::ToolResult, Role::Tool));
    assert_eq!(payload(&batch, event), "hi there");
    assert_eq!(event.tool.map(|tool| batch.get(tool)), Some("run_terminal_command"));
    assert_eq!(event.parent, Some(EventKey::of_parts(&[b"call", b"c1"])));
    assert_eq!(event.exit_code, Some(0));
    assert_eq!(batch.get(event.files[0]), "b.rs");
}

#[test]
fn output_is_read_in_every_shape() {
    let text = |rest: &str| {
        let batch = updates(&[result(1, "c", &format!(r#""status":"completed",{rest}"#))]);
        payload(&batch, only(&batch)).to_owned()
    };
    assert_eq!(text(r#""rawOutput":{"output":[104,195,164,255]}"#), "hä\u{fffd}");
    assert_eq!(text(r#""rawOutput":{"output":"plain"}"#), "plain");
    let content = r#""content":[{"type":"content","content":{"type":"text","text":"one"}},{"type":"diff","path":"a.rs","newText":"two"}]"#;
    assert_eq!(text(content), "one\na.rs\ntwo");
    assert_eq!(text(r#""rawOutput":{"type":"ListDir","Content":{"content":"- src"}}"#), "- src");
    assert_eq!(text(r#""rawOutput":"just text""#), "just text");
    assert_eq!(text(r#""rawOutput":{"type":"Todo","n":1}"#), r#"{"type":"Todo","n":1}"#);
    assert_eq!(text(r#""rawOutput":{"image":"data:image/png;base64,AAAA"}"#), "[image]");
    assert_eq!(text(r#""rawOutput":null"#), "");
}

#[test]
fn error_is_a_failed_or_non_zero_result() {
    let kind = |rest: &str| only(&updates(&[result(1, "c", rest)])).kind;
    assert_eq!(kind(r#""status":"failed""#), EventKind::Error);
    assert_eq!(kind(r#""status":"completed","rawOutput":{"exit_code":2}"#), EventKind::Error);
    assert_eq!(kind(r#""status":"completed","rawOutput":{"timed_out":true}"#), EventKind::Error);
    assert_eq!(kind(r#""status":"completed","rawOutput":{"exit_code":0}"#), EventKind::ToolResult);
}

#[test]
fn retry_is_the_same_call_after_its_failure() {
    let input = r#"{"command":"cargo test"}"#;
    let batch = updates(&[
        call(1, "c1", "run_terminal_command", input),
        result(2, "c1", r#""status":"failed""#),
        call(3, "c2", "run_terminal_command", input),
        result(4, "c2", r#""status":"completed""#),
        call(5, "c3", "run_terminal_command", input),
    ]);
    let expected = [
        EventKind::TestRun,
        EventKind::Error,
        EventKind::Retry,
        EventKind::ToolResult,
        EventKind::TestRun,
    ];
    assert_eq!(kinds(&batch), expected);
}

#[test]
fn updates_of_a_running_call_only_count_when_they_say_something_new() {
    let batch = updates(&[
        call(1, "c1", "run_terminal_command", "{}"),
        result(2, "c1", r#""status":"in_progress","title":"Running","locations":[]"#),
        result(3, "c1", r#""rawInput":{"command":"ls"}"#),
        result(4, "c1", r#""rawInput":{"command":"ls"}"#),
        result(5, "c1", r#""status":"in_progress","rawOutput":{"output_for_prompt":"so far"}"#),
    ]);
    assert_eq!(
        kinds(&batch),
        [EventKind::ToolCall, EventKind::Lifecycle, EventKind::Lifecycle],
        "{}",
        shown(&batch)
    );
    assert_eq!(payload(&batch, events_of(&batch)[2]), "so far");
}

#[test]
fn a_call_may_come_with_its_result() {
    let update = r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"web_search","status":"completed","rawOutput":{"text":"found"}}"#;
    let batch = updates(&[acp(1, update)]);
    assert_eq!(kinds(&batch), [EventKind::ToolCall, EventKind::ToolResult]);
}

#[test]
fn decision_is_a_question_and_its_answer() {
    let batch = updates(&[
        call(1, "q", "ask_user_question", r#"{"questions":[{"question":"Which?"}]}"#),
        result(2, "q", r#""status":"completed","rawOutput":{"text":"The first"}"#),
    ]);
    assert_eq!(kinds(&batch), [EventKind::Decision, EventKind::Decision]);
    let answer = events_of(&batch)[1];
    assert_eq!((answer.role, payload(&batch, answer)), (Role::User, "The first"));
}

#[test]
fn questions_that_come_after_their_call_are_decisions_too() {
    let asked = r#"{"sessionUpdate":"tool_call_update","toolCallId":"q","status":"in_progress","rawInput":{"questions":[{"question":"Which?"}]}}"#;
    let batch = updates(&[call(1, "q", "ask_user_question", "{}"), acp(2, asked)]);
    assert_eq!(kinds(&batch), [EventKind::Decision, EventKind::Decision]);
    let late = events_of(&batch)[1];
    assert_eq!(late.role, Role::Assistant);
    assert_eq!(payload(&batch, late), r#"{"questions":[{"question":"Which?"}]}"#);
}

#[test]
fn human_intervention_comes_from_cancels_rewinds_and_denials() {
    let batch = updates(&[
        acp(1, r#"{"sessionUpdate":"turn_completed","prompt_id":"p","stop_reason":"cancelled"}"#),
        acp(2, r#"{"sessionUpdate":"rewind_marker","target_prompt_index":2,"created_at":"x"}"#),
    ]);
    assert_eq!(kinds(&batch), [EventKind::HumanIntervention; 2]);
    assert!(shown(&batch).contains("rewind_marker to prompt 2"), "{}", shown(&batch));

    let batch = events(&[
        r#"{"ts":"2026-09-01T10:00:00.000Z","type":"permission_resolved","tool_name":"write","decision":"deny","wait_ms":900}"#,
        r#"{"ts":"2026-09-01T10:00:01.000Z","type":"permission_resolved","tool_name":"write","decision":"allow"}"#,
        r#"{"ts":"2026-09-01T10:00:02.000Z","type":"turn_ended","outcome":"cancelled","cancellation_category":"permission_rejected"}"#,
        r#"{"ts":"2026-09-01T10:00:03.000Z","type":"turn_ended","outcome":"cancelled","cancellation_category":"mid_turn_abort"}"#,
    ]);
    let expected = [
        EventKind::HumanIntervention,
        EventKind::Lifecycle,
        EventKind::Lifecycle,
        EventKind::HumanIntervention,
    ];
    assert_eq!(kinds(&batch), expected);
    assert_eq!(events_of(&batch)[0].duration_ms, Some(900));
}

#[test]
fn one_cancel_told_by_both_logs_is_one_event() {
    let log = updates(&[acp(
        1,
        r#"{"sessionUpdate":"turn_completed","prompt_id":"p1","stop_reason":"cancelled"}"#,
    )]);
    let telemetry = events(&[
        r#"{"ts":"2026-09-01T10:00:00Z","type":"turn_started","session_id":"x","turn_number":1,"prompt_id":"p1"}"#,
        r#"{"ts":"2026-09-01T10:00:03Z","type":"turn_ended","outcome":"cancelled"}"#,
    ]);
    assert_eq!(only(&log).key, events_of(&telemetry)[1].key);
}

#[test]
fn lifecycle_is_what_events_tell_of_turns() {
    let batch = events(&[
        r#"{"ts":"2026-09-01T10:00:00.000Z","type":"turn_started","session_id":"other","turn_number":3,"model_id":"grok-5","session_relationship":"primary"}"#,
        r#"{"ts":"2026-09-01T10:00:01.000Z","type":"loop_started","loop_index":0}"#,
        r#"{"ts":"2026-09-01T10:00:02.000Z","type":"tool_completed","tool_name":"bash","duration_ms":40,"outcome":"error","tool_call_id":"c1"}"#,
        r#"{"ts":"2026-09-01T10:00:02.000Z","type":"tool_completed","tool_name":"bash","outcome":"success","source":"workspace"}"#,
        r#"{"ts":"2026-09-01T10:00:03.000Z","type":"turn_ended","outcome":"completed"}"#,
    ]);
    assert_eq!(kinds(&batch), [EventKind::Lifecycle; 4]);
    let tool = events_of(&batch)[2];
    assert_eq!(tool.duration_ms, Some(40));
    assert_eq!(tool.parent, Some(EventKey::of_parts(&[b"call", b"c1"])));
    assert_eq!(batch.sessions()[0].native(), "other");
}

#[test]
fn repetitions_in_the_event_log_give_nothing_and_unknown_names_are_kept() {
    for mirror in ["phase_changed", "first_token", "tool_started"] {
        let line = format!(r#"{{"ts":"2026-09-01T10:00:00Z","type":"{mirror}","phase":"x"}}"#);
        assert!(events(&[&line]).is_empty(), "{mirror}");
    }
    for known in ["yolo_toggled", "interjected", "goal_started", "todo_gate_hit", "laziness_seen"] {
        let line = format!(r#"{{"ts":"2026-09-01T10:00:00Z","type":"{known}"}}"#);
        assert_eq!(only(&events(&[&line])).kind, EventKind::Lifecycle, "{known}");
    }
    let batch = events(&[r#"{"ts":"2026-09-01T10:00:00Z","type":"brand_new"}"#, r#"{"a":1}"#]);
    assert_eq!(unknown_of(&batch), ["events/brand_new", "events/no-type"]);
}

#[test]
fn errors_of_turns_and_servers_are_errors() {
    for line in [
        r#"{"ts":"2026-09-01T10:00:00Z","type":"turn_ended","outcome":"error"}"#,
        r#"{"ts":"2026-09-01T10:00:00Z","type":"mcp_server_failed","server_name":"n","error":"x"}"#,
        r#"{"ts":"2026-09-01T10:00:00Z","type":"mcp_transport_error"}"#,
    ] {
        assert_eq!(only(&events(&[line])).kind, EventKind::Error, "{line}");
    }
    for update in [
        r#"{"sessionUpdate":"auto_compact_failed","error":"too long"}"#,
        r#"{"sessionUpdate":"retry_state","type":"exhausted","reason":"overloaded"}"#,
        r#"{"sessionUpdate":"turn_completed","stop_reason":"error"}"#,
        r#"{"sessionUpdate":"subagent_finished","status":"failed"}"#,
    ] {
        assert_eq!(only(&updates(&[acp(1, update)])).kind, EventKind::Error, "{update}");
    }
    let retrying = r#"{"sessionUpdate":"retry_state","type":"retrying","attempt":1}"#;
    assert_eq!(only(&updates(&[acp(1, retrying)])).kind, EventKind::Retry);
}

#[test]
fn completion_is_the_end_of_a_turn() {
    let batch = updates(&[acp(
        1,
        r#"{"sessionUpdate":"turn_completed","prompt_id":"p1","stop_reason":"end_turn","elapsed_ms":1200}"#,
    )]);
    let event = only(&batch);
    assert_eq!((event.kind, event.duration_ms), (EventKind::Completion, Some(1200)));
}

#[test]
fn one_compaction_is_one_event_whatever_tells_of_it() {
    let started = r#"{"sessionUpdate":"auto_compact_started","tokens_used":9}"#;
    let checkpoint = r#"{"sessionUpdate":"compaction_checkpoint","checkpoint_id":"k"}"#;
    let completed =
        r#"{"sessionUpdate":"auto_compact_completed","tokens_before":9,"tokens_after":2}"#;
    let count = |updates_of: &[&str]| {
        let lines: Vec<String> = updates_of.iter().zip(1..).map(|(u, n)| acp(n, u)).collect();
        let kinds = kinds(&updates(&lines));
        assert_eq!(kinds.len(), lines.len());
        kinds.iter().filter(|kind| **kind == EventKind::Compaction).count()
    };
    assert_eq!(count(&[started, checkpoint, completed]), 1);
    assert_eq!(count(&[completed, checkpoint]), 1);
    assert_eq!(count(&[completed, completed]), 2);
    assert_eq!(count(&[checkpoint, checkpoint]), 2);
    assert_eq!(count(&[checkpoint, completed, checkpoint, completed]), 2);
    assert_eq!(count(&[started, checkpoint, started, completed]), 2);
}

#[test]
fn settings_are_lifecycle_and_unknown_updates_are_kept() {
    for name in
        ["plan", "current_mode_update", "hook_execution", "task_backgrounded", "goal_updated"]
    {
        let batch = updates(&[acp(1, &format!(r#"{{"sessionUpdate":"{name}"}}"#))]);
        assert_eq!(only(&batch).kind, EventKind::Lifecycle, "{name}");
    }
    let mirrors = ["response_started", "subagent_progress", "tool_call_delta_chunk"];
    for name in mirrors {
        let batch = updates(&[acp(1, &format!(r#"{{"sessionUpdate":"{name}"}}"#))]);
        assert!(events_of(&batch).is_empty() && unknown_of(&batch).is_empty(), "{name}");
    }
    let batch = updates(&[acp(1, r#"{"sessionUpdate":"telepathy","x":1}"#)]);
    assert_eq!(unknown_of(&batch), ["x.ai/telepathy"]);
    let commands =
        r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"compact"}]}"#;
    let batch = updates(&[acp(1, commands)]);
    assert_eq!(payload(&batch, only(&batch)), "");
}

#[test]
fn titles_and_models_are_told_once_they_change() {
    let batch = updates(&[
        acp(
            1,
            r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"do it"},"_meta":{"modelId":"grok-5"}}"#,
        ),
        acp(2, r#"{"sessionUpdate":"model_changed","model_id":"grok-5"}"#),
        acp(3, r#"{"sessionUpdate":"model_changed","model_id":"grok-6"}"#),
        acp(4, r#"{"sessionUpdate":"session_info_update","title":"Doing it"}"#),
    ]);
    let patches = patches(&batch, SID);
    let models: Vec<_> = patches.iter().filter_map(|patch| patch.model.as_deref()).collect();
    assert_eq!(models, ["grok-5", "grok-6"]);
    let titles: Vec<_> = patches.iter().filter_map(|patch| patch.title.clone()).collect();
    assert_eq!(titles[0].1, "do it");
    assert!(titles[1].0 > titles[0].0 && titles[1].1 == "Doing it");
}

#[test]
fn chat_history_gives_every_kind_it_has() {
    let content = [
        r#"{"type":"system","content":"You are an agent"}"#,
        r#"{"type":"user","content":[{"type":"text","text":"<user_info>os</user_info>"}]}"#,
        r#"{"type":"user","content":[{"type":"text","text":"<user_query>go</user_query>"}],"prompt_index":0}"#,
        r#"{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}]}"#,
        r#"{"type":"reasoning","id":"r2","summary":[],"encrypted_content":"zzz"}"#,
        r#"{"type":"assistant","content":"on it","tool_calls":[{"id":"c1","name":"write","arguments":"{\"file_path\":\"a.rs\"}"}],"model_id":"grok-5"}"#,
        r#"{"type":"tool_result","tool_call_id":"c1","content":"written"}"#,
        r#"{"type":"backend_tool_call","kind":{"tool_type":"web_search","id":"w1"}}"#,
        r#"{"type":"user","content":[{"type":"text","text":"faster"}],"synthetic_reason":"interjection"}"#,
        r#"{"type":"user","content":[{"type":"text","text":"Summary"}],"synthetic_reason":"compaction_meta"}"#,
    ];
    let batch = read(&path_of(SID, "chat_history.jsonl"), &content.join("\n"));
    let expected = [
        EventKind::Lifecycle,
        EventKind::Lifecycle,
        EventKind::UserMsg,
        EventKind::Thinking,
        EventKind::AssistantMsg,
        EventKind::Edit,
        EventKind::ToolResult,
        EventKind::ToolCall,
        EventKind::HumanIntervention,
        EventKind::Compaction,
    ];
    assert_eq!(kinds(&batch), expected, "{}", shown(&batch));
    assert_eq!(payload(&batch, events_of(&batch)[2]), "go");
}

#[test]
fn the_older_chat_form_is_read_too() {
    let content = [
        r#"{"role":"user","content":"go"}"#,
        r#"{"role":"assistant","content":"on it","reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"pytest\"}"}}]}"#,
        r#"{"role":"tool","content":"ok","tool_call_id":"c1"}"#,
    ];
    let batch = read(&path_of(SID, "chat_history.jsonl"), &content.join("\n"));
    let expected = [
        EventKind::UserMsg,
        EventKind::Thinking,
        EventKind::AssistantMsg,
        EventKind::TestRun,
        EventKind::ToolResult,
    ];
    assert_eq!(kinds(&batch), expected);
}
