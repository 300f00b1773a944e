//! Sub-agents, forks, and which file speaks for a session.

use crate::reading::{
    CHILD, Known, SID, acp, chunk, chunk_update, events_of, kinds, line_of, patches, path_of, read,
    read_with, shown, updates,
};
use backstory_adapters::TitleRank;
use backstory_model::{EventKind, Flavor, SessionUid, Timestamp};

fn grok(id: &str) -> SessionUid {
    SessionUid::new(Flavor::Grok, id)
}

#[test]
fn a_spawn_tells_the_childs_parent_call_and_name() {
    let batch = updates(&[
        acp(
            1,
            r#"{"sessionUpdate":"tool_call","toolCallId":"c9","title":"x","rawInput":{"variant":"Task","description":"Count files","prompt":"…"},"_meta":{"x.ai/tool":{"name":"spawn_subagent"}}}"#,
        ),
        acp(
            2,
            &format!(
                r#"{{"sessionUpdate":"subagent_spawned","subagent_id":"{CHILD}","child_session_id":"{CHILD}","parent_session_id":"{SID}","subagent_type":"explore","description":"Count files","model":"grok-small"}}"#
            ),
        ),
    ]);
    assert_eq!(kinds(&batch), [EventKind::ToolCall, EventKind::Lifecycle]);
    let patch = patches(&batch, CHILD)[0];
    assert_eq!(patch.parent, Some(grok(SID)));
    assert_eq!(patch.parent_call_id.as_deref(), Some("c9"));
    assert_eq!(patch.agent_name.as_deref(), Some("explore"));
    assert_eq!(patch.model.as_deref(), Some("grok-small"));
    assert!(patch.cost_in_parent);
}

#[test]
fn a_childs_meta_file_tells_the_same() {
    let file = path_of(SID, &format!("subagents/{CHILD}/meta.json"));
    let meta = r#"{"subagent_type":"plan","child_cwd":"/w","effective_model_id":"grok-5","started_at":"2026-09-01T10:00:00Z","resumed_from":"earlier"}"#;
    let batch = read(&file, meta);
    let patch = patches(&batch, CHILD)[0];
    assert_eq!(patch.parent, Some(grok(SID)));
    assert_eq!(patch.continues, Some(grok("earlier")));
    assert_eq!(patch.cwd.as_deref(), Some("/w"));
    assert!(patch.cost_in_parent);
}

#[test]
fn the_summary_tells_place_title_and_origin() {
    let summary = format!(
        r#"{{"info":{{"id":"{CHILD}","cwd":"/home/me/app"}},"session_summary":"short","generated_title":"Long title","title_is_manual":true,"created_at":"2026-09-01T10:00:00Z","current_model_id":"grok-5","parent_session_id":"{SID}","session_kind":"fork","head_branch":"main"}}"#
    );
    let batch = read(&path_of("ignored", "summary.json"), &summary);
    let patch = patches(&batch, CHILD)[0];
    assert_eq!(patch.cwd.as_deref(), Some("/home/me/app"));
    assert_eq!(patch.title, Some((TitleRank::Human, "Long title".into())));
    assert_eq!(patch.forked_from, Some(grok(SID)));
    assert_eq!((&patch.parent, patch.cost_in_parent), (&None, false));
    assert_eq!(patch.git_branch.as_deref(), Some("main"));
    assert_eq!(patch.started_at, Some(Timestamp(1_788_256_800_000)));

    let child = r#"{"session_kind":"subagent_resume","parent_session_id":"p","agent_name":"explore","session_summary":"s"}"#;
    let batch = read(&path_of(CHILD, "summary.json"), child);
    let patch = patches(&batch, CHILD)[0];
    assert_eq!((&patch.parent, &patch.forked_from), (&Some(grok("p")), &None));
    assert_eq!(patch.title, Some((TitleRank::Summary, "s".into())));
    assert!(patch.cost_in_parent);
}

#[test]
fn what_a_fork_copied_stays_with_its_source() {
    let copied = line_of(CHILD, SID, 1, &chunk_update("user_message_chunk", "first"));
    let own = line_of(CHILD, CHILD, 1, &chunk_update("user_message_chunk", "second"));
    let fork = read(&path_of(CHILD, "updates.jsonl"), &format!("{copied}\n{own}"));
    let source = updates(&[chunk(1, "user_message_chunk", "first")]);
    let events = events_of(&fork);
    assert_eq!(events[0].key, events_of(&source)[0].key);
    let owners: Vec<&str> =
        events.iter().map(|event| fork.sessions()[event.session.index()].native()).collect();
    assert_eq!(owners, [SID, CHILD]);
    let titles: Vec<_> = patches(&fork, CHILD).iter().filter_map(|p| p.title.clone()).collect();
    assert_eq!(titles, [(TitleRank::Prompt, "second".into())]);
}

/// A line without an event id, as older versions wrote it.
fn old_line(session: &str, at: u32, update: &str) -> String {
    format!(
        r#"{{"timestamp":{at},"method":"session/update","params":{{"sessionId":"{session}","update":{update},"_meta":{{"promptId":"p1"}}}}}}"#
    )
}

#[test]
fn a_copy_without_event_ids_is_known_by_its_first_prompt() {
    let first = chunk_update("user_message_chunk", "first");
    let answer = chunk_update("agent_message_chunk", "answer");
    let source_log = [old_line(SID, 100, &first), old_line(SID, 101, &answer)].join("\n");
    let source = read(&path_of(SID, "updates.jsonl"), &source_log);
    let mut known = Known::default();
    known.take(&source);

    let more = chunk_update("agent_message_chunk", "another answer");
    let fork_log =
        [old_line(CHILD, 900, &first), old_line(CHILD, 900, &answer), old_line(CHILD, 950, &more)];
    let fork = read_with(&path_of(CHILD, "updates.jsonl"), &fork_log.join("\n"), &mut known);
    let owners: Vec<&str> = events_of(&fork)
        .iter()
        .map(|event| fork.sessions()[event.session.index()].native())
        .collect();
    assert_eq!(owners, [SID, SID, CHILD], "{}", shown(&fork));
    let keys = |batch| events_of(batch).iter().map(|event| event.key).collect::<Vec<_>>();
    assert_eq!(keys(&source), keys(&fork)[..2]);
}

#[test]
fn two_sessions_that_begin_alike_are_no_copies() {
    let bare = |session: &str| {
        let update = chunk_update("user_message_chunk", "hi");
        format!(r#"{{"sessionId":"{session}","update":{update}}}"#)
    };
    let mut known = Known::default();
    known.take(&read(&path_of(SID, "updates.jsonl"), &bare(SID)));
    let other = read_with(&path_of(CHILD, "updates.jsonl"), &bare(CHILD), &mut known);
    let owner = events_of(&other)[0].session;
    assert_eq!(other.sessions()[owner.index()].native(), CHILD);
}

#[test]
fn the_chat_history_is_silent_beside_the_log() {
    let chat = r#"{"type":"user","content":"go","prompt_index":0}"#;
    let path = path_of(SID, "chat_history.jsonl");
    let mut known = Known::default();
    known.take(&read(
        &path_of(SID, "events.jsonl"),
        r#"{"ts":"2026-09-01T10:00:00Z","type":"yolo_toggled"}"#,
    ));
    assert_eq!(kinds(&read_with(&path, chat, &mut known)), [EventKind::UserMsg]);
    known.take(&updates(&[chunk(1, "user_message_chunk", "go")]));
    assert!(read_with(&path, chat, &mut known).is_empty());
}

#[test]
fn a_rewritten_chat_history_gives_the_same_events() {
    let before = [
        r#"{"type":"user","content":"one","prompt_index":0}"#,
        r#"{"type":"assistant","content":"done"}"#,
        r#"{"type":"user","content":"two","prompt_index":1}"#,
    ];
    let path = path_of(SID, "chat_history.jsonl");
    let mut known = Known::default();
    known.take(&read(&path, &before.join("\n")));
    let stored = known.events.len();
    known.take(&read(&path, &before[2..].join("\n")));
    known.take(&read(&path, &before[1..].join("\n")));
    assert_eq!(known.events.len(), stored);
}

#[test]
fn the_session_id_in_the_log_beats_the_folders_name() {
    let update = chunk_update("agent_message_chunk", "hello");
    let batch = read(
        "backup/updates.jsonl",
        &format!(
            r#"{{"params":{{"update":{update}}}}}
{}"#,
            line_of(SID, SID, 1, &update)
        ),
    );
    assert!(batch.sessions().iter().all(|uid| uid.native() == SID), "{:?}", batch.sessions());
}

#[test]
fn logs_under_any_name_are_recognised_by_their_content() {
    let native = |path: &str, content: &str| {
        let batch = read(path, content);
        (batch.sessions()[0].native().to_owned(), kinds(&batch))
    };
    let update = line_of(SID, SID, 1, &chunk_update("agent_message_chunk", "x"));
    assert_eq!(native("out/a.jsonl", &update), (SID.into(), vec![EventKind::AssistantMsg]));
    let chat = r#"{"type":"user","content":"go"}"#;
    assert_eq!(native("out/b.jsonl", chat), ("b".into(), vec![EventKind::UserMsg]));
    let event = r#"{"ts":"2026-09-01T10:00:00Z","type":"turn_started","session_id":"s1"}"#;
    assert_eq!(native("out/c.jsonl", event), ("s1".into(), vec![EventKind::Lifecycle]));
    let foreign = read("out/d.jsonl", r#"{"hello":1}"#);
    assert_eq!(crate::reading::unknown_of(&foreign), ["unrecognised-log"]);
}
