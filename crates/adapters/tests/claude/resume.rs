//! A file read in parts gives the same records as read at once.

use crate::log::{MAIN_PATH, assistant, call, feed, line, read_with, reader, result, show, user};
use backstory_adapters::{Batch, HEAD_BYTES, NoAncestry};
use proptest::prelude::*;

/// Lines of every sort that leaves something to remember.
fn any_line() -> impl Strategy<Value = String> {
    let id = "[a-f]";
    prop_oneof![
        (id, id).prop_map(|(uuid, parent)| user(&uuid, &parent, r#""a prompt""#)),
        (id, id).prop_map(|(uuid, parent)| {
            user(&uuid, &parent, r#""<task-notification><task-id>x</task-id></task-notification>""#)
        }),
        (id, id).prop_map(|(uuid, parent)| {
            user(&uuid, &parent, r#""hi""#)
                .replace("\"isSidechain\":false", "\"isSidechain\":true,\"agentId\":\"b7\"")
        }),
        (id, id).prop_map(|(uuid, parent)| assistant(
            &uuid,
            &parent,
            r#"[{"type":"thinking","thinking":"t"},{"type":"text","text":"w"}]"#
        )),
        (id, id, "[1-3]", prop::sample::select(vec!["Bash", "Task", "AskUserQuestion"])).prop_map(
            |(uuid, parent, id, tool)| call(
                &uuid,
                &parent,
                &format!("t{id}"),
                tool,
                r#"{"command":"make"}"#
            )
        ),
        (id, id, "[1-3]", any::<bool>()).prop_map(|(uuid, parent, id, failed)| {
            let block = format!(r#""content":"x","is_error":{failed}"#);
            result(&uuid, &parent, &format!("t{id}"), &block, r#"{"agentId":"c9","prompt":"p"}"#)
        }),
        (id, "[12]").prop_map(|(uuid, version)| user(&uuid, "", r#""v""#)
            .replace("2.1.100", &format!("2.1.{version}"))),
        (id, id).prop_map(|(uuid, parent)| line(
            "system",
            &uuid,
            &parent,
            r#""subtype":"turn_duration","durationMs":5"#
        )),
        id.prop_map(|leaf| format!(r#"{{"type":"summary","summary":"s","leafUuid":"{leaf}"}}"#)),
        Just(r#"{"type":"mode","mode":"normal"}"#.to_owned()),
        Just("{\"type\":\"us".to_owned()),
        Just(String::new()),
    ]
}

proptest! {
    #[test]
    fn parts_are_as_good_as_the_whole(
        lines in prop::collection::vec(any_line(), 1..40),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        is_subagent: bool,
    ) {
        let path = if is_subagent { "p/s/subagents/agent-q.jsonl" } else { MAIN_PATH };
        let file = lines.join("\n").into_bytes();
        let whole = read_with(path, &file, &mut NoAncestry);

        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(lines.len())).collect();
        cuts.extend([0, lines.len()]);
        cuts.sort_unstable();
        let mut parts = Batch::default();
        let mut saved: Option<Vec<u8>> = None;
        for range in cuts.windows(2).map(|cut| cut[0]..cut[1]).filter(|range| !range.is_empty()) {
            let mut reader = reader(path);
            match &saved {
                Some(saved) => prop_assert!(reader.restore(saved)),
                None => reader.begin(&file[..file.len().min(HEAD_BYTES)]),
            }
            let part = lines[range.clone()].join("\n");
            feed(&mut *reader, part.as_bytes(), range.start as u64, &mut NoAncestry, &mut parts);
            saved = Some(reader.save());
        }
        prop_assert_eq!(show(&parts), show(&whole));
    }

    #[test]
    fn any_saved_bytes_are_refused_or_taken(saved in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut reader = reader(MAIN_PATH);
        reader.restore(&saved);
        let mut batch = Batch::default();
        feed(&mut *reader, user("u1", "", r#""x""#).as_bytes(), 0, &mut NoAncestry, &mut batch);
        prop_assert!(!batch.is_empty());
    }
}

#[test]
fn a_first_line_longer_than_the_head_still_names_its_session() {
    let long = "x".repeat(HEAD_BYTES);
    let file = user("u1", "", &format!("\"{long}\""));
    let batch = read_with("p/no-id-here.jsonl", file.as_bytes(), &mut NoAncestry);
    let session = batch.sessions()[0].as_str();
    assert_eq!(session, "claude:11111111-2222-4333-8444-555555555555");
}
