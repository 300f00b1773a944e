//! Sub-agents, forks and copies.

use crate::log::{
    MAIN_PATH, SESSION, Stored, assistant, call, events, line, patches, read, read_with, result,
    said, show, usage, user,
};
use backstory_adapters::NoAncestry;
use backstory_model::{EventKind, SessionUid};

const MAIN: &str = "claude:11111111-2222-4333-8444-555555555555";
const CHILD: &str = "claude:11111111-2222-4333-8444-555555555555/a1b2";

fn sidechain(line: &str) -> String {
    line.replace("\"isSidechain\":false", "\"isSidechain\":true,\"agentId\":\"a1b2\"")
}

fn sessions_of_events(batch: &backstory_adapters::Batch) -> Vec<&str> {
    events(batch).map(|event| batch.sessions()[event.session.index()].as_str()).collect()
}

#[test]
fn sub_agents_are_sessions_of_their_own_in_every_layout() {
    let file = [
        sidechain(&user("u1", "", r#""find the bug""#)),
        sidechain(&assistant("a1", "u1", r#"[{"type":"text","text":"found"}]"#)),
    ]
    .join("\n");
    for path in [
        "-home-dev-shop/agent-a1b2.jsonl".to_owned(),
        format!("-home-dev-shop/{SESSION}/subagents/agent-a1b2.jsonl"),
        format!("-home-dev-shop/{SESSION}/subagents/workflows/wf_1/agent-a1b2.jsonl"),
        "exported/side.jsonl".to_owned(),
    ] {
        let batch = read_with(&path, file.as_bytes(), &mut NoAncestry);
        assert_eq!(sessions_of_events(&batch), [CHILD, CHILD], "{path}");
        assert!(events(&batch).all(|event| event.is_sidechain), "{path}");
        let parents: Vec<_> =
            patches(&batch).into_iter().filter_map(|(_, patch)| patch.parent.clone()).collect();
        assert_eq!(parents.iter().map(SessionUid::as_str).collect::<Vec<_>>(), [MAIN], "{path}");
    }
}

#[test]
fn names_stand_in_where_records_are_silent() {
    let path = format!("p/{SESSION}/subagents/agent-a1b2.jsonl");
    let line = r#"{"type":"user","uuid":"u1","message":{"role":"user","content":"x"}}"#;
    let batch = read_with(&path, line.as_bytes(), &mut NoAncestry);
    assert_eq!(sessions_of_events(&batch), [CHILD]);
    let batch = read_with(MAIN_PATH, line.as_bytes(), &mut NoAncestry);
    assert_eq!(sessions_of_events(&batch), [MAIN]);
    let batch = read_with("x/full.jsonl", line.as_bytes(), &mut NoAncestry);
    assert_eq!(sessions_of_events(&batch), ["claude:full"]);
}

#[test]
fn old_inline_side_conversations_stay_in_the_main_session() {
    let inline =
        user("u2", "u1", r#""task""#).replace("\"isSidechain\":false", "\"isSidechain\":true");
    let batch = read(&[user("u1", "", r#""go""#), inline]);
    assert_eq!(sessions_of_events(&batch), [MAIN, MAIN]);
    assert_eq!(events(&batch).map(|event| event.is_sidechain).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn inline_records_of_a_named_agent_go_where_its_own_file_would_put_them() {
    let batch = read(&[user("u1", "", r#""go""#), sidechain(&user("u2", "", r#""task""#))]);
    assert_eq!(sessions_of_events(&batch), [MAIN, CHILD]);
    let link = patches(&batch).into_iter().find(|(session, _)| *session == CHILD).unwrap();
    assert_eq!(link.1.parent.as_ref().unwrap().as_str(), MAIN);
}

#[test]
fn the_parents_file_links_a_sub_agent_to_its_call() {
    let twin = r#"{"status":"completed","prompt":"p","agentId":"a1b2","agentType":"explorer","totalDurationMs":50}"#;
    let later = r#"{"status":"running","agentId":"a1b2"}"#;
    let progress = r#""parentToolUseID":"toolu_7","data":{"type":"agent_progress","agentId":"c3","message":{"type":"assistant","message":{"content":[],"usage":{"output_tokens":99}}}}"#;
    let batch = read(&[
        call("a1", "", "toolu_1", "Task", r#"{"prompt":"p"}"#),
        result("u1", "a1", "toolu_1", r#""content":"done""#, twin),
        result("u2", "u1", "toolu_2", r#""content":"later""#, later),
        line("progress", "p1", "u2", progress),
        line("progress", "p2", "p1", progress),
    ]);
    let links: Vec<_> = patches(&batch)
        .into_iter()
        .filter(|(session, _)| *session != MAIN)
        .map(|(session, patch)| {
            (session, patch.parent_call_id.as_deref(), patch.agent_name.as_deref())
        })
        .collect();
    assert_eq!(
        links,
        [
            (CHILD, Some("toolu_1"), Some("explorer")),
            (CHILD, None, None),
            ("claude:11111111-2222-4333-8444-555555555555/c3", Some("toolu_7"), None),
        ]
    );
    assert_eq!(events(&batch).nth(1).unwrap().duration_ms, Some(50));
    assert_eq!(usage(&batch).len(), 1, "the copy in the progress record is not counted");
}

#[test]
fn a_meta_file_links_and_names_its_agent() {
    let path = format!("p/{SESSION}/subagents/agent-a1b2.meta.json");
    let meta = r#"{"agentType":"explorer","description":"Look around","toolUseId":"toolu_1","spawnDepth":1}"#;
    let batch = read_with(&path, meta.as_bytes(), &mut NoAncestry);
    insta::assert_snapshot!(show(&batch), @r#"1 patch claude:11111111-2222-4333-8444-555555555555/a1b2 title="Summary Look around" parent="claude:11111111-2222-4333-8444-555555555555" call="toolu_1" agent="explorer""#);
    let nested = meta.replace("\"spawnDepth\":1", "\"parentAgentId\":\"b9\"");
    let batch = read_with(&path, nested.as_bytes(), &mut NoAncestry);
    let parent = patches(&batch)[0].1.parent.clone().unwrap();
    assert_eq!(parent.as_str(), "claude:11111111-2222-4333-8444-555555555555/b9");
    for broken in ["{", "nonsense", &"[".repeat(5000)] {
        let batch = read_with(&path, broken.as_bytes(), &mut NoAncestry);
        assert_eq!(crate::log::bad(&batch).len(), 1);
    }
}

#[test]
fn an_overflowing_output_is_the_result_of_its_call() {
    let path = format!("p/{SESSION}/tool-results/toolu_1.txt");
    let batch = read_with(&path, b"line one\nline \xff two", &mut NoAncestry);
    assert_eq!(said(&batch), [(EventKind::ToolResult, "", "line one\nline \u{fffd} two")]);
    assert_eq!(sessions_of_events(&batch), [MAIN]);
    let event = events(&batch).next().unwrap();
    assert_eq!(event.call_id.map(|id| batch.get(id)), Some("toolu_1"));
}

fn history() -> Vec<String> {
    vec![
        user("u1", "", r#""first""#),
        assistant("a1", "u1", r#"[{"type":"text","text":"one"}]"#),
        user("u2", "a1", r#""<task-notification><task-id>b1</task-id></task-notification>""#),
    ]
}

const FORK: &str = "99999999-2222-4333-8444-555555555555";

fn forked(lines: &[String]) -> Vec<u8> {
    lines.join("\n").replace(SESSION, FORK).into_bytes()
}

#[test]
fn copied_history_stays_with_its_first_owner() {
    let mut stored = Stored::default();
    stored.take(&read(&history()));
    let mut lines = history();
    lines.push(user("u3", "u2", r#""another way""#));
    lines.push(assistant("a3", "u3", r#"[{"type":"text","text":"two"}]"#));
    let batch = read_with(&format!("p/{FORK}.jsonl"), &forked(&lines), &mut stored);
    let texts: Vec<_> = said(&batch).into_iter().map(|(_, _, text)| text).collect();
    assert_eq!(texts, ["another way", "two"]);
    assert_eq!(usage(&batch).len(), 1);
    let fork = format!("claude:{FORK}");
    assert!(sessions_of_events(&batch).iter().all(|session| *session == fork));
    let from: Vec<_> =
        patches(&batch).into_iter().filter_map(|(_, patch)| patch.forked_from.clone()).collect();
    assert_eq!(from.iter().map(SessionUid::as_str).collect::<Vec<_>>(), [MAIN]);
    let titles = patches(&batch).into_iter().filter_map(|(_, patch)| patch.title.clone());
    assert_eq!(titles.map(|(_, title)| title).collect::<Vec<_>>(), ["another way"]);
}

#[test]
fn reading_the_owner_again_changes_nothing() {
    let mut stored = Stored::default();
    let first = read(&history());
    stored.take(&first);
    let again = read_with(MAIN_PATH, history().join("\n").as_bytes(), &mut stored);
    assert_eq!(show(&first), show(&again));
}

#[test]
fn a_fork_remembers_its_origin_over_a_restart() {
    let mut stored = Stored::default();
    stored.take(&read(&history()));
    let lines = history();
    let path = format!("p/{FORK}.jsonl");
    let (head, tail) = (forked(&lines[..1]), forked(&lines[1..]));
    let mut first = crate::log::reader(&path);
    first.begin(&head);
    let mut batch = backstory_adapters::Batch::default();
    crate::log::feed(&mut *first, &head, 0, &mut stored, &mut batch);
    let mut second = crate::log::reader(&path);
    assert!(second.restore(&first.save()));
    crate::log::feed(&mut *second, &tail, 1, &mut stored, &mut batch);
    assert_eq!(events(&batch).count(), 0, "{}", show(&batch));
}

#[test]
fn side_questions_that_replay_their_parent_yield_only_what_is_new() {
    let mut stored = Stored::default();
    stored.take(&read(&history()));
    let mut lines: Vec<String> = history()[1..].iter().map(|line| sidechain(line)).collect();
    lines.push(sidechain(&user("q1", "u2", r#""by the way?""#)));
    let path = format!("p/{SESSION}/subagents/agent-aside_question-1.jsonl");
    let batch = read_with(&path, lines.join("\n").as_bytes(), &mut stored);
    assert_eq!(said(&batch), [(EventKind::UserMsg, "", "by the way?")]);
    assert!(usage(&batch).is_empty());
    assert!(patches(&batch).iter().all(|(_, patch)| patch.forked_from.is_none()));
}
