//! One test per kind of the mapping table, and per record type that has its own rules.

use crate::support::*;
use backstory_adapters::TitleRank;
use backstory_model::{EventKind, Role, Timestamp};

#[test]
fn user_msg_is_the_humans_text_only() {
    let reading = read(&[
        meta(1, ""),
        item(
            r##"{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"},{"type":"input_text","text":"<environment_context>\n<cwd>/w/app</cwd></environment_context>"}]}"##,
        ),
        user("<backstory-context source=x>remember</backstory-context>"),
        user("<user_shell_command>\\nls\\n</user_shell_command>"),
        user("fix the build"),
    ]);
    let said = reading.only(EventKind::UserMsg);
    assert_eq!((said.payload.as_str(), said.role), ("fix the build", Role::User));
    let injected: Vec<&str> = reading.events[1..5].iter().map(|event| &*event.tool).collect();
    assert_eq!(
        injected,
        ["agents_md", "environment_context", "backstory-context", "user_shell_command"]
    );
    assert!(reading.events[1..5].iter().all(|event| event.kind == EventKind::Lifecycle));
    assert_eq!(reading.session(1).title, Some((TitleRank::Prompt, "fix the build".into())));
}

#[test]
fn developer_messages_are_lifecycle_under_their_tag() {
    let reading = read(&[
        meta(1, ""),
        item(
            r#"{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions instructions>\nx"},{"type":"input_text","text":"Be brief."}]}"#,
        ),
    ]);
    let tools: Vec<&str> = reading.events.iter().map(|event| &*event.tool).collect();
    assert_eq!(tools, ["session_meta", "permissions", "developer"]);
    assert_eq!(reading.events[2].payload, "Be brief.");
}

#[test]
fn stated_origin_tells_the_human_from_the_harness() {
    let stamped = |kind: &str, text: &str| {
        item(&format!(
            r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}],"internal_chat_message_metadata_passthrough":{{"turn_id":"t","content_item_kinds":["{kind}"]}}}}"#
        ))
    };
    let reading = read(&[
        meta(1, ""),
        stamped("hooks.additional_context", "looks like a person"),
        stamped("user.text", "<environment_context> is the tag I ask about"),
        stamped("user.text", "<backstory-context>ours</backstory-context>"),
    ]);
    assert_eq!(reading.events[1].tool, "hooks.additional_context");
    assert_eq!(
        reading.only(EventKind::UserMsg).payload,
        "<environment_context> is the tag I ask about"
    );
    assert_eq!(reading.events[3].tool, "backstory-context");
}

#[test]
fn editors_context_is_kept_apart_from_the_request() {
    let text = "# Context from my IDE setup:\\n\\n## Open tabs:\\n- a.rs\\n\\n## My request for Codex:\\nrename it\\n";
    let reading = read(&[meta(1, ""), user(text), user_event(text)]);
    assert_eq!(reading.only(EventKind::UserMsg).payload, "rename it");
    assert_eq!(reading.events[2].tool, "ide_context");
    assert_eq!(reading.yields, [2, 3, 0]);
}

#[test]
fn assistant_msg_and_thinking() {
    let reading = read(&[
        meta(1, ""),
        item(
            r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look"},{"type":"summary_text","text":"Think"}],"content":[{"type":"reasoning_text","text":"raw"}],"encrypted_content":"gAAA"}"#,
        ),
        item(r#"{"type":"reasoning","summary":[],"encrypted_content":"gAAAB"}"#),
        assistant("Done."),
    ]);
    assert_eq!(
        reading.talk(),
        [
            (EventKind::Thinking, "Look"),
            (EventKind::Thinking, "Think"),
            (EventKind::Thinking, "raw"),
            (EventKind::Thinking, ""),
            (EventKind::AssistantMsg, "Done."),
        ]
    );
}

#[test]
fn tool_call_and_its_result_are_joined() {
    let reading = read(&[
        meta(1, ""),
        exec("call_1", "ls"),
        output(
            "call_1",
            "Chunk ID: a\\nWall time: 0.2500 seconds\\nProcess exited with code 0\\nOutput:\\nx",
        ),
    ]);
    let call = reading.only(EventKind::ToolCall);
    assert_eq!((call.tool.as_str(), call.summary.as_str()), ("exec_command", "ls"));
    assert_eq!(call.payload, r#"{"cmd":"ls"}"#);
    let result = reading.only(EventKind::ToolResult);
    assert_eq!(result.parent, Some(call.key));
    assert_eq!((result.tool.as_str(), result.call_id.as_str()), ("exec_command", "call_1"));
    assert_eq!((result.exit_code, result.duration_ms), (Some(0), Some(250)));
    assert_eq!((call.role, result.role), (Role::Assistant, Role::Tool));
}

#[test]
fn every_call_form_is_a_call() {
    let reading = read(&[
        meta(1, ""),
        item(
            r#"{"type":"local_shell_call","call_id":"c1","status":"completed","action":{"type":"exec","command":["git","status"]}}"#,
        ),
        item(
            r#"{"type":"custom_tool_call","call_id":"c2","name":"exec","input":"await tools.x()"}"#,
        ),
        item(
            r#"{"type":"function_call","namespace":"mcp__docs","name":"find","arguments":"{}","call_id":"c3"}"#,
        ),
        item(
            r#"{"type":"tool_search_call","call_id":"c4","execution":"client","arguments":{"query":"q"}}"#,
        ),
        item(
            r#"{"type":"tool_search_output","call_id":"c4","status":"completed","tools":[{"name":"found"}]}"#,
        ),
        item(
            r#"{"type":"web_search_call","status":"completed","action":{"type":"search","query":"rust"}}"#,
        ),
        item(
            r#"{"type":"agent_message","author":"/root","recipient":"/root/a","content":[{"type":"input_text","text":"go"}]}"#,
        ),
    ]);
    let calls: Vec<(&str, &str)> = reading
        .events
        .iter()
        .filter(|event| event.kind == EventKind::ToolCall)
        .map(|event| (event.tool.as_str(), event.summary.as_str()))
        .collect();
    assert_eq!(
        calls,
        [
            ("local_shell", "git status"),
            ("exec", ""),
            ("mcp__docs__find", ""),
            ("tool_search_call", ""),
            ("web_search", "rust"),
            ("agent_message", "/root → /root/a"),
        ]
    );
    assert_eq!(reading.only(EventKind::ToolResult).payload, r#"[{"name":"found"}]"#);
}

#[test]
fn test_run_edit_and_their_files() {
    let patch = r#"{"type":"custom_tool_call","call_id":"p","name":"apply_patch","input":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** End Patch"}"#;
    let reading = read(&[meta(1, ""), exec("t", "cargo test -p x"), item(patch)]);
    assert_eq!(reading.only(EventKind::TestRun).call_id, "t");
    let edit = reading.only(EventKind::Edit);
    assert_eq!(edit.files, ["src/a.rs"]);
    assert!(edit.payload.starts_with("*** Begin Patch\n"));
}

#[test]
fn error_by_exit_code_by_text_and_by_event() {
    let reading = read(&[
        meta(1, ""),
        exec("a", "false"),
        output("a", "Exit code: 1\\nWall time: 0 seconds\\nOutput:\\n"),
        exec("b", "x"),
        output("b", "failed in sandbox: denied"),
        exec("c", "y"),
        output(
            "c",
            r#"{\"output\":\"boom\",\"metadata\":{\"exit_code\":3,\"duration_seconds\":1.5}}"#,
        ),
        event(r#"{"type":"error","message":"stream broke"}"#),
    ]);
    let errors: Vec<_> = reading
        .events
        .iter()
        .filter(|event| event.kind == EventKind::Error)
        .map(|event| (event.payload.as_str(), event.exit_code, event.duration_ms))
        .collect();
    assert_eq!(errors[0].1, Some(1));
    assert_eq!(errors[1], ("failed in sandbox: denied", None, None));
    assert_eq!(errors[2], ("boom", Some(3), Some(1500)));
    assert_eq!(errors[3].0, "stream broke");
}

#[test]
fn retry_is_the_same_call_after_its_failure() {
    let reading = read(&[
        meta(1, ""),
        exec("a", "make"),
        output("a", "Exit code: 2\\nOutput:\\n"),
        exec("b", "make"),
    ]);
    assert_eq!(reading.only(EventKind::Retry).call_id, "b");
}

#[test]
fn human_intervention_steers_aborts_and_rolls_back() {
    let reading = read(&[
        meta(1, ""),
        started("t1"),
        user("do it"),
        user("no, the other one"),
        event(r#"{"type":"turn_aborted","turn_id":"t1","reason":"interrupted","duration_ms":90}"#),
        event(r#"{"type":"turn_aborted","turn_id":"t2","reason":"replaced"}"#),
        event(r#"{"type":"thread_rolled_back","num_turns":2}"#),
        user("after the turn"),
    ]);
    let kinds: Vec<EventKind> = reading.events[2..].iter().map(|event| event.kind).collect();
    assert_eq!(
        kinds,
        [
            EventKind::UserMsg,
            EventKind::HumanIntervention,
            EventKind::HumanIntervention,
            EventKind::Lifecycle,
            EventKind::HumanIntervention,
            EventKind::UserMsg,
        ]
    );
    assert_eq!(reading.events[4].duration_ms, Some(90));
    assert_eq!(reading.events[6].summary, "rolled back 2 turns");
}

#[test]
fn decision_is_the_question_and_the_answer() {
    let reading = read(&[
        meta(1, ""),
        item(
            r#"{"type":"function_call","name":"request_user_input","arguments":"{\"questions\":[]}","call_id":"q"}"#,
        ),
        output("q", "yes"),
    ]);
    let decisions: Vec<_> = reading.talk();
    assert_eq!(
        decisions,
        [(EventKind::Decision, r#"{"questions":[]}"#), (EventKind::Decision, "yes")]
    );
    assert_eq!(reading.events[2].parent, Some(reading.events[1].key));
    assert_eq!(reading.events[2].role, Role::User);
}

#[test]
fn an_answer_that_is_a_secret_is_not_kept() {
    let asks = |call: &str| {
        item(&format!(
            r#"{{"type":"function_call","name":"request_user_input","arguments":"{{\"questions\":[{{\"id\":\"key\",\"isSecret\":true}},{{\"id\":\"port\"}}]}}","call_id":"{call}"}}"#
        ))
    };
    let given = r#"{\"answers\":{\"key\":{\"answers\":[\"user_note: hunter2\"]},\"port\":{\"answers\":[\"80\"]}}}"#;
    let lines = [meta(1, ""), asks("q"), output("q", given), asks("r"), output("r", "hunter2")];
    let whole = read(&lines);
    assert!(!format!("{:?}", whole.events).contains("hunter2"), "{:?}", whole.events);
    let left = r#"{"answers":{"key":{"answers":["[secret]"]},"port":{"answers":["80"]}}}"#;
    let replies: Vec<&str> =
        whole.talk().iter().map(|(_, text)| *text).skip(1).step_by(2).collect();
    assert_eq!(replies, [left, "[secret]"]);
}

#[test]
fn lifecycle_and_completion_frame_the_turn() {
    let reading = read(&[
        meta(1, ""),
        started("t1"),
        at(1, "turn_context", r#"{"turn_id":"t1","cwd":"/w/app","model":"gpt-5.5"}"#),
        at(1, "world_state", r#"{"full":true,"state":{}}"#),
        done("t1"),
        event(
            r#"{"type":"task_complete","turn_id":"t2","error":{"message":"usage limit","codex_error_info":"usage_limit_exceeded"}}"#,
        ),
    ]);
    let seen: Vec<(EventKind, &str)> =
        reading.events.iter().map(|event| (event.kind, &*event.tool)).collect();
    assert_eq!(
        seen,
        [
            (EventKind::Lifecycle, "session_meta"),
            (EventKind::Lifecycle, "task_started"),
            (EventKind::Lifecycle, "turn_context"),
            (EventKind::Lifecycle, "world_state"),
            (EventKind::Completion, "task_complete"),
            (EventKind::Error, "task_complete"),
        ]
    );
    assert_eq!(reading.events[5].payload, "usage limit");
    assert_eq!(reading.session(1).model.as_deref(), Some("gpt-5.5"));
}

#[test]
fn compaction_is_one_event_and_replays_nothing() {
    let compacted = at(
        1,
        "compacted",
        r#"{"message":"so far","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"}]}]}"#,
    );
    let reading = read(&[
        meta(1, ""),
        user("do it"),
        compacted.clone(),
        count(5, 5),
        event(r#"{"type":"context_compacted"}"#),
        completed(r#"{"type":"ContextCompaction","id":"i"}"#),
        assistant("going on"),
        compacted,
        event(r#"{"type":"context_compacted"}"#),
    ]);
    let compactions: Vec<&Seen> =
        reading.events.iter().filter(|event| event.kind == EventKind::Compaction).collect();
    assert_eq!(compactions.len(), 3, "{compactions:#?}");
    assert_eq!(compactions[0].payload, "so far");
    assert_eq!(reading.talk().iter().filter(|(kind, _)| *kind == EventKind::UserMsg).count(), 1);
}

#[test]
fn head_and_settings_describe_the_session() {
    let reading = read(&[
        meta(1, r#","git":{"branch":"main"}"#),
        event(
            r#"{"type":"thread_settings_applied","thread_settings":{"model":"gpt-5.6","cwd":"/else"}}"#,
        ),
        user("hello"),
        event(r#"{"type":"thread_name_updated","thread_name":"My name"}"#),
        user("again"),
    ]);
    let session = reading.session(1);
    assert_eq!(session.cwd.as_deref(), Some("/w/app"));
    assert_eq!(session.git_branch.as_deref(), Some("main"));
    assert_eq!(session.cli_version.as_deref(), Some("0.149.0"));
    assert_eq!(session.model.as_deref(), Some("gpt-5.6"));
    assert_eq!(session.title, Some((TitleRank::Human, "My name".into())));
    assert_eq!(session.started_at, Timestamp::parse("2026-08-20T09:59:58Z"));
}

#[test]
fn images_are_never_stored() {
    let data = "iVBORw0KGgo".repeat(20);
    let reading = read(&[
        meta(1, ""),
        item(&format!(
            r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"<image name=[Image #1]>"}},{{"type":"input_image","image_url":"data:image/png;base64,{data}"}},{{"type":"input_text","text":"</image>"}},{{"type":"input_text","text":"what is this"}}]}}"#
        )),
        item(&format!(
            r#"{{"type":"function_call_output","call_id":"v","output":[{{"type":"input_image","image_url":"data:image/jpeg;base64,{data}"}}]}}"#
        )),
        item(&format!(
            r#"{{"type":"image_generation_call","id":"ig","status":"completed","revised_prompt":"a cat","result":"{data}"}}"#
        )),
        event(&format!(
            r#"{{"type":"image_generation_end","call_id":"ig","status":"completed","result":"{data}"}}"#
        )),
    ]);
    assert!(reading.events.iter().all(|event| !event.payload.contains("iVBOR")));
    assert!(
        reading
            .only(EventKind::UserMsg)
            .payload
            .starts_with("what is this\n[image image/png 165 bytes xxh3:")
    );
    assert!(reading.only(EventKind::ToolResult).payload.starts_with("[image image/jpeg 165 bytes"));
    assert!(reading.only(EventKind::ToolCall).payload.starts_with("a cat\n[image image/png"));
    assert_eq!(reading.yields[4], 0);
}

#[test]
fn unknown_types_are_kept_and_wrong_shapes_never_lost() {
    let reading = read(&[
        meta(1, ""),
        event(r#"{"type":"brand_new","x":1}"#),
        item(r#"{"type":"novel_item"}"#),
        completed(r#"{"type":"NovelItem","id":"i"}"#),
        at(1, "novel_line", r#"{"a":1}"#),
        item(r#"{"type":"message","role":"oracle","content":[]}"#),
        r#"{"record_type":"checkpoint"}"#.to_owned(),
        "[1,2]".to_owned(),
        "42".to_owned(),
        item("7"),
        r#"{"timestamp":5,"type":{"a":1},"payload":true}"#.to_owned(),
        "{\"torn\":".to_owned(),
    ]);
    assert_eq!(
        reading.unknown,
        [
            "event_msg/brand_new",
            "response_item/novel_item",
            "event_msg/item_completed/NovelItem",
            "novel_line",
            "response_item/message/oracle",
            "checkpoint",
            "?",
            "?",
            "response_item",
            "?",
        ]
    );
    assert_eq!(reading.bad, 1);
    assert!(reading.yields.iter().all(|yields| *yields >= 1));
}

#[test]
fn review_prompts_are_the_harness_speaking() {
    let reading = read(&[
        meta(1, ""),
        event(
            r#"{"type":"entered_review_mode","target":{"type":"uncommittedChanges"},"user_facing_hint":"current changes"}"#,
        ),
        user_event("Review the changes"),
        user_event("Review the changes"),
        user("<user_action>\\n<context>x</context>"),
        event(r#"{"type":"exited_review_mode","review_output":{"findings":[]}}"#),
        user("thanks"),
    ]);
    assert_eq!(reading.talk(), [(EventKind::UserMsg, "thanks")]);
    assert_eq!(reading.events[2].tool, "review_prompt");
}

#[test]
fn sub_agents_are_linked_from_both_sides() {
    let parent = read(&[
        meta(1, ""),
        item(r#"{"type":"function_call","name":"spawn_agent","arguments":"{}","call_id":"s"}"#),
        output("s", &format!(r#"{{\"agent_id\":\"{}\",\"nickname\":\"Ada\"}}"#, id(2))),
        event(&format!(
            r#"{{"type":"sub_agent_activity","agent_thread_id":"{}","agent_path":"/root/b","kind":"started"}}"#,
            id(3)
        )),
    ]);
    let child = parent.session(2);
    assert_eq!(child.parent.unwrap().as_str(), uid(1));
    assert_eq!(child.parent_call_id.as_deref(), Some("s"));
    assert_eq!(child.agent_name.as_deref(), Some("Ada"));
    assert_eq!(parent.session(3).parent.unwrap().as_str(), uid(1));
    assert!(parent.events.iter().all(|event| !event.is_sidechain));

    let spawned = format!(
        r#","source":{{"subagent":{{"thread_spawn":{{"parent_thread_id":"{}","depth":1,"agent_nickname":"Ada","agent_role":"explorer"}}}}}}"#,
        id(1)
    );
    let child = Known::default()
        .read(2, &[meta(2, &spawned).replace(r#","source":"cli""#, ""), user("look around")]);
    assert_eq!(child.session(2).parent.unwrap().as_str(), uid(1));
    assert_eq!(child.session(2).agent_name.as_deref(), Some("Ada"));
    assert!(child.events.iter().all(|event| event.is_sidechain));

    let review = meta(2, &format!(r#","session_id":"{}","thread_source":"subagent""#, id(1)));
    let review = Known::default().read(2, &[review]);
    assert_eq!(review.session(2).parent.unwrap().as_str(), uid(1));
}
