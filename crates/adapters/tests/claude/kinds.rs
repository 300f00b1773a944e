//! One test per row of the mapping table: which record becomes which kind of event.

use crate::log::{
    assistant, call, events, kinds, line, patches, read, result, said, unknown, user,
};
use backstory_adapters::TitleRank;
use backstory_model::{EventKey, EventKind, Role, Timestamp};

#[test]
fn user_words_are_a_user_message() {
    let batch = read(&[user("u1", "", r#""fix the \"login\" form""#)]);
    assert_eq!(said(&batch), [(EventKind::UserMsg, "", "fix the \"login\" form")]);
    let event = events(&batch).next().unwrap();
    assert_eq!(event.key, EventKey::of("u1"));
    assert_eq!((event.role, event.parent, event.opens_chain), (Role::User, None, true));
    assert_eq!(event.ts, Timestamp::parse("2026-01-02T03:04:05.678Z"));
    assert_eq!(event.native_id.map(|id| batch.get(id)), Some("u1"));
    assert!(!event.is_sidechain);
}

#[test]
fn user_blocks_are_one_message() {
    let content = r#"[{"type":"text","text":"one"},{"type":"text","text":"two"}]"#;
    let batch = read(&[user("u1", "", content), user("u2", "u1", r#"["bare"]"#)]);
    assert_eq!(
        said(&batch),
        [(EventKind::UserMsg, "", "one\ntwo"), (EventKind::UserMsg, "", "bare")]
    );
}

#[test]
fn assistant_words_are_an_assistant_message() {
    let batch = read(&[assistant("a1", "u1", r#"[{"type":"text","text":"Done.\n"}]"#)]);
    assert_eq!(said(&batch), [(EventKind::AssistantMsg, "", "Done.\n")]);
    let event = events(&batch).next().unwrap();
    assert_eq!((event.role, event.parent), (Role::Assistant, Some(EventKey::of("u1"))));
    assert!(!event.opens_chain);
}

#[test]
fn thoughts_are_thinking_without_their_signature() {
    let content = r#"[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"thinking","thinking":"","signature":"c2ln"}]"#;
    let batch = read(&[assistant("a1", "u1", content)]);
    assert_eq!(said(&batch), [(EventKind::Thinking, "", "hm"), (EventKind::Thinking, "", "")]);
    let keys: Vec<_> = events(&batch).map(|event| event.key).collect();
    assert_eq!(keys, [EventKey::of("a1"), EventKey::of_parts(&[b"a1", &1_u32.to_le_bytes()])]);
}

#[test]
fn tool_uses_are_calls_with_their_input() {
    let batch = read(&[call("a1", "u1", "toolu_1", "Grep", r#"{"pattern":"a\"b","path":"src"}"#)]);
    assert_eq!(said(&batch), [(EventKind::ToolCall, "Grep", r#"{"pattern":"a\"b","path":"src"}"#)]);
    let event = events(&batch).next().unwrap();
    assert_eq!(event.call_id.map(|id| batch.get(id)), Some("toolu_1"));
    assert_eq!(batch.get(event.files[0]), "src");
}

#[test]
fn tool_results_answer_their_call() {
    let twin = r#"{"stdout":"out","stderr":"","interrupted":false,"isImage":false}"#;
    let batch = read(&[
        call("a1", "u1", "toolu_1", "Bash", r#"{"command":"ls"}"#),
        result("u2", "a1", "toolu_1", r#""content":"out\n""#, twin),
    ]);
    assert_eq!(said(&batch)[1], (EventKind::ToolResult, "Bash", "out\n"));
    let event = events(&batch).nth(1).unwrap();
    assert_eq!(event.call_id.map(|id| batch.get(id)), Some("toolu_1"));
    assert_eq!((event.exit_code, event.role), (Some(0), Role::Tool));
}

#[test]
fn result_text_comes_from_the_twin_where_the_block_has_none() {
    let twin = r#"{"stdout":"o\n","stderr":"e","interrupted":false}"#;
    let batch = read(&[
        result("u1", "", "t1", r#""content":"""#, twin),
        result("u2", "", "t2", r#""content":[]"#, twin),
        result("u3", "", "t3", r#""content":{"odd":true}"#, "null"),
        result(
            "u4",
            "",
            "t4",
            r#""content":[{"type":"text","text":"a"},{"type":"tool_reference","tool_name":"X"}]"#,
            "[]",
        ),
    ]);
    let texts: Vec<&str> = said(&batch).iter().map(|(_, _, text)| *text).collect();
    assert_eq!(texts, ["o\ne", "o\ne", r#"{"odd":true}"#, "a\n[tool_reference X]"]);
}

#[test]
fn results_name_files_and_durations() {
    let batch = read(&[
        result(
            "u1",
            "",
            "t1",
            r#""content":"x""#,
            r#"{"type":"text","file":{"filePath":"/a.rs","content":"big"}}"#,
        ),
        result(
            "u2",
            "",
            "t2",
            r#""content":"x""#,
            r#"{"filePath":"/b.rs","originalFile":"SECRETBULK","structuredPatch":[]}"#,
        ),
        result("u3", "", "t3", r#""content":"x""#, r#"{"query":"q","durationSeconds":1.5}"#),
    ]);
    let facts: Vec<_> = events(&batch)
        .map(|event| (event.files.first().map(|file| batch.get(*file)), event.duration_ms))
        .collect();
    assert_eq!(facts, [(Some("/a.rs"), None), (Some("/b.rs"), None), (None, Some(1500))]);
    assert!(said(&batch).iter().all(|(_, _, text)| *text == "x"));
}

#[test]
fn shells_that_run_tests_are_test_runs() {
    let batch = read(&[call("a1", "", "t1", "Bash", r#"{"command":"cd x && cargo test -q"}"#)]);
    assert_eq!(kinds(&batch), [EventKind::TestRun]);
}

#[test]
fn editing_tools_are_edits_with_their_file() {
    for (tool, field) in [
        ("Edit", "file_path"),
        ("Write", "file_path"),
        ("MultiEdit", "file_path"),
        ("NotebookEdit", "notebook_path"),
    ] {
        let batch = read(&[call("a1", "", "t1", tool, &format!(r#"{{"{field}":"/x/y"}}"#))]);
        assert_eq!(kinds(&batch), [EventKind::Edit], "{tool}");
        assert_eq!(batch.get(events(&batch).next().unwrap().files[0]), "/x/y");
    }
}

#[test]
fn failures_are_errors() {
    let failed = r#""content":"Exit code 2\nno such file","is_error":true"#;
    let batch = read(&[
        result("u1", "", "t1", failed, r#""Error: Exit code 2\nno such file""#),
        result(
            "u2",
            "",
            "t2",
            r#""content":"String to replace not found","is_error":true"#,
            "null",
        ),
        result("u3", "", "t3", r#""content":"gone""#, r#""Error: gone""#),
        result("u4", "", "t4", r#""content":"Exit code 137""#, "null"),
        result("u5", "", "t5", r#""content":"ok""#, r#""File created""#),
    ]);
    let found: Vec<_> = events(&batch).map(|event| (event.kind, event.exit_code)).collect();
    assert_eq!(
        found,
        [
            (EventKind::Error, Some(2)),
            (EventKind::Error, None),
            (EventKind::Error, None),
            (EventKind::Error, Some(137)),
            (EventKind::ToolResult, None),
        ]
    );
}

#[test]
fn failures_of_the_api_are_errors() {
    let words = r#"[{"type":"text","text":"API Error: 529"}]"#;
    let synthetic = assistant("a1", "", words).replace("claude-x-1", "<synthetic>");
    let flagged = assistant("a2", "", words)
        .replace("\"requestId\"", "\"isApiErrorMessage\":true,\"requestId\"");
    let system = line(
        "system",
        "s1",
        "a1",
        r#""subtype":"api_error","level":"error","error":{"status":529}"#,
    );
    let silent = r#"[{"type":"text","text":"No response requested."}]"#;
    let silent = assistant("a3", "", silent).replace("claude-x-1", "<synthetic>");
    let batch = read(&[synthetic, flagged, system, silent]);
    assert_eq!(
        kinds(&batch),
        [EventKind::Error, EventKind::Error, EventKind::Error, EventKind::Lifecycle]
    );
    let system = events(&batch).nth(2).unwrap();
    assert_eq!(system.summary.map(|text| batch.get(text)), Some("API error 529"));
}

#[test]
fn the_same_call_after_its_failure_is_a_retry() {
    let input = r#"{"command":"make"}"#;
    let batch = read(&[
        call("a1", "", "t1", "Bash", input),
        result("u1", "a1", "t1", r#""content":"Exit code 2","is_error":true"#, "null"),
        call("a2", "u1", "t2", "Bash", input),
    ]);
    assert_eq!(kinds(&batch), [EventKind::ToolCall, EventKind::Error, EventKind::Retry]);
}

#[test]
fn interrupts_and_denials_are_interventions() {
    let denied = "The user doesn't want to proceed with this tool use. The tool use was rejected. the user said: use bun";
    let batch = read(&[
        user("u1", "", r#"[{"type":"text","text":"[Request interrupted by user]"}]"#),
        user("u2", "", r#"[{"type":"text","text":"[Request interrupted by user for tool use]"}]"#),
        result(
            "u3",
            "",
            "t3",
            &format!(r#""content":"{denied}","is_error":true"#),
            r#""User rejected tool use""#,
        ),
        result(
            "u4",
            "",
            "t4",
            r#""content":"partial""#,
            r#"{"stdout":"partial","stderr":"","interrupted":true}"#,
        ),
        line(
            "attachment",
            "x5",
            "u4",
            r#""attachment":{"type":"queued_command","prompt":"use the other file","commandMode":"prompt"}"#,
        ),
    ]);
    assert!(kinds(&batch).iter().all(|kind| *kind == EventKind::HumanIntervention));
    assert_eq!(events(&batch).count(), 5);
    let denial = events(&batch).nth(2).unwrap();
    assert_eq!(denial.call_id.map(|id| batch.get(id)), Some("t3"));
    assert_eq!(said(&batch)[4].2, "use the other file");
}

#[test]
fn consent_of_the_human_is_noted_and_that_of_rules_is_not() {
    let allowed = |uuid: &str, call: &str, source: &str| {
        let line = result(uuid, "", call, r#""content":"ok""#, r#"{"stdout":"ok","stderr":""}"#);
        line.replacen(
            '{',
            &format!(r#"{{"permissionDecision":{{"decision":"accept","source":"{source}"}},"#),
            1,
        )
    };
    let batch = read(&[allowed("u1", "t1", "user_temporary"), allowed("u2", "t2", "config")]);
    assert_eq!(kinds(&batch), [EventKind::ToolResult, EventKind::Lifecycle, EventKind::ToolResult]);
    let consent = events(&batch).nth(1).unwrap();
    assert_eq!(consent.call_id.map(|id| batch.get(id)), Some("t1"));
    let summary = consent.summary.map(|summary| batch.get(summary));
    assert_eq!(summary, Some("permission_resolved accept user_temporary"));
    assert_ne!(consent.key, events(&batch).next().unwrap().key);
}

#[test]
fn bookkeeping_is_lifecycle_named_by_its_type() {
    let plain = |kind: &str, rest: &str| format!(r#"{{"type":"{kind}","sessionId":"s",{rest}}}"#);
    let batch = read(&[
        plain(
            "queue-operation",
            r#""operation":"enqueue","timestamp":"2026-01-02T03:04:05Z","content":"later""#,
        ),
        plain("last-prompt", r#""lastPrompt":"fix","leafUuid":"u1""#),
        plain("mode", r#""mode":"normal""#),
        plain("permission-mode", r#""permissionMode":"plan""#),
        plain("pr-link", r#""prUrl":"https://x.example/pr/1","timestamp":"2026-01-02T03:04:05Z""#),
        plain("file-history-snapshot", r#""messageId":"m","snapshot":{}"#),
        plain("cost-state", r#""modelUsage":{}"#),
        plain("api-request-shape", r#""shape":{"deep":[1,2]}"#),
        line("progress", "p1", "u1", r#""data":{"type":"bash_progress","output":"bulk"}"#),
        line("system", "s1", "u1", r#""subtype":"away_summary","content":"You were away""#),
        line("system", "s2", "u1", r#""subtype":"stop_hook_summary","hookCount":1"#),
        line("system", "s3", "u1", r#""content":"old note","level":"info""#),
        line(
            "attachment",
            "x1",
            "u1",
            r#""attachment":{"type":"hook_success","stdout":"hi","exitCode":0,"durationMs":5}"#,
        ),
        line(
            "attachment",
            "x2",
            "u1",
            r#""attachment":{"type":"prompt_snapshot","prompt":"bulk"}"#,
        ),
        line(
            "attachment",
            "x3",
            "u1",
            r#""attachment":{"type":"edited_text_file","filename":"/a.rs","snippet":"1 x"}"#,
        ),
    ]);
    let shown: Vec<_> = said(&batch).into_iter().map(|(_, tool, text)| (tool, text)).collect();
    assert_eq!(
        shown,
        [
            ("queue-operation", "later"),
            ("last-prompt", "fix"),
            ("mode", "normal"),
            ("permission-mode", "plan"),
            ("pr-link", "https://x.example/pr/1"),
            ("file-history-snapshot", ""),
            ("cost-state", ""),
            ("api-request-shape", ""),
            ("bash_progress", ""),
            ("away_summary", "You were away"),
            ("stop_hook_summary", ""),
            ("system", "old note"),
            ("hook_success", "hi"),
            ("prompt_snapshot", ""),
            ("edited_text_file", "1 x"),
        ]
    );
    assert!(kinds(&batch).iter().all(|kind| *kind == EventKind::Lifecycle));
}

#[test]
fn the_end_of_a_turn_is_a_completion() {
    let duration = line("system", "s1", "a1", r#""subtype":"turn_duration","durationMs":1234"#);
    let old = line("system", "s2", "a1", r#""subtype":"stop_hook_summary","hookCount":1"#)
        .replace("2.1.100", "2.0.70");
    let batch = read(&[duration, old]);
    assert_eq!(kinds(&batch), [EventKind::Completion, EventKind::Completion]);
    assert_eq!(events(&batch).next().unwrap().duration_ms, Some(1234));
}

#[test]
fn compactions_follow_the_record_they_cut_off() {
    let boundary = r#""subtype":"compact_boundary","content":"Conversation compacted","logicalParentUuid":"a9","compactMetadata":{"trigger":"auto","preTokens":9}"#;
    let summary = r#""isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"This session is being continued. <system-reminder>x</system-reminder>"}"#;
    let batch = read(&[
        line("system", "s1", "", boundary),
        line("user", "u2", "s1", summary),
        line(
            "system",
            "s3",
            "u2",
            r#""subtype":"microcompact_boundary","content":"Context microcompacted""#,
        ),
        user(
            "u4",
            "s3",
            r#""This session is being continued from a previous conversation that ran out of context""#,
        ),
    ]);
    assert!(kinds(&batch).iter().all(|kind| *kind == EventKind::Compaction));
    assert_eq!(events(&batch).count(), 4);
    let first = events(&batch).next().unwrap();
    assert_eq!((first.parent, first.opens_chain), (Some(EventKey::of("a9")), true));
    assert!(patches(&batch).iter().all(|(_, patch)| patch.title.is_none()));
}

#[test]
fn titles_are_ranked() {
    let title = |kind: &str, field: &str| {
        format!(r#"{{"type":"{kind}","{field}":"{kind}","sessionId":"s"}}"#)
    };
    let batch = read(&[
        user("u1", "", r#""do the thing""#),
        title("ai-title", "aiTitle"),
        title("custom-title", "customTitle"),
        title("agent-name", "agentName"),
        r#"{"type":"summary","summary":"mine","leafUuid":"u1"}"#.to_owned(),
        r#"{"type":"summary","summary":"another's","leafUuid":"zz"}"#.to_owned(),
    ]);
    let titles: Vec<_> =
        patches(&batch).into_iter().filter_map(|(_, patch)| patch.title.clone()).collect();
    assert_eq!(
        titles,
        [
            (TitleRank::Prompt, "do the thing".to_owned()),
            (TitleRank::Generated, "ai-title".to_owned()),
            (TitleRank::Human, "custom-title".to_owned()),
            (TitleRank::AgentName, "agent-name".to_owned()),
            (TitleRank::Summary, "mine".to_owned()),
        ]
    );
    assert_eq!(said(&batch)[1], (EventKind::Lifecycle, "summary", "another's"));
}

#[test]
fn facts_about_the_session_are_told_once() {
    let moved = user("u3", "u2", r#""c""#).replace("/home/dev/shop", "/home/dev/shop/web");
    let batch = read(&[user("u1", "", r#""a""#), user("u2", "u1", r#""b""#), moved]);
    let cwds: Vec<_> =
        patches(&batch).into_iter().filter_map(|(_, patch)| patch.cwd.as_deref()).collect();
    assert_eq!(cwds, ["/home/dev/shop", "/home/dev/shop/web"]);
    let (session, first) = patches(&batch)[0];
    assert_eq!(session, "claude:11111111-2222-4333-8444-555555555555");
    assert_eq!(first.git_branch.as_deref(), Some("main"));
    assert_eq!(first.cli_version.as_deref(), Some("2.1.100"));
}

#[test]
fn unknown_types_are_kept_verbatim() {
    let raw = r#"{"type":"brand-new","version":"9.9.9","x":1}"#;
    let batch = read(&[
        raw.to_owned(),
        line("attachment", "x1", "", r#""attachment":{"type":"foo"}"#),
        line("system", "s1", "", r#""subtype":"bar""#),
        line("progress", "p1", "", r#""data":{"type":"baz"}"#),
        assistant("a1", "", r#"[{"type":"hologram","beam":[1]}]"#),
        r#"{"no":"type"}"#.to_owned(),
    ]);
    assert_eq!(
        unknown(&batch),
        [
            "brand-new",
            "attachment/foo",
            "system/bar",
            "progress/baz",
            "assistant/hologram",
            "(none)"
        ]
    );
    let shown = crate::log::show(&batch);
    assert!(shown.contains(&format!(r#"unknown brand-new Some("9.9.9") {raw}"#)), "{shown}");
    assert!(shown.contains(r#"Some("2.1.100") {"type":"hologram","beam":[1]}"#), "{shown}");
}

#[test]
fn a_repeated_setting_is_one_event_but_a_timed_record_is_not() {
    let mode = r#"{"type":"mode","mode":"normal","sessionId":"s"}"#.to_owned();
    let prompt =
        |leaf: &str| format!(r#"{{"type":"last-prompt","lastPrompt":"p","leafUuid":"{leaf}"}}"#);
    let queue = |at: &str| {
        format!(
            r#"{{"type":"queue-operation","operation":"dequeue","timestamp":"2026-01-02T03:04:0{at}Z"}}"#
        )
    };
    let batch = read(&[mode.clone(), mode, prompt("a"), prompt("b"), queue("1"), queue("2")]);
    let keys: Vec<_> = events(&batch).map(|event| event.key).collect();
    assert_eq!(keys[0], keys[1]);
    assert_eq!(keys[2], keys[3]);
    assert_ne!(keys[4], keys[5]);
    assert_ne!(keys[0], keys[2]);
}
