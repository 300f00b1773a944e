//! Records that repeat others: silent beside their spine record, events when it is missing.

use crate::support::*;
use backstory_model::{EventKind, Role};

/// A mirror, the spine lines it repeats, and the kinds it yields alone.
struct Pair {
    spine: Vec<String>,
    mirror: String,
    alone: Vec<EventKind>,
}

fn pairs() -> Vec<Pair> {
    include_str!("mirrors.tsv")
        .lines()
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let mirror = match columns[2] {
                "event" => event(columns[3]),
                "item" => completed(columns[3]),
                _ => item(columns[3]),
            };
            let kind = |name| EventKind::from_name(name).unwrap();
            Pair {
                spine: spine(columns[0]),
                mirror,
                alone: columns[1].split(' ').map(kind).collect(),
            }
        })
        .collect()
}

fn spine(name: &str) -> Vec<String> {
    let one = match name {
        "prompt" => user("hi"),
        "answer" => assistant("yo"),
        "thought" => {
            item(r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm"}]}"#)
        }
        "image" => {
            item(r#"{"type":"image_generation_call","id":"c","status":"completed","result":""}"#)
        }
        "search" => item(r#"{"type":"web_search_call","action":{"type":"search","query":"q"}}"#),
        "hook" => user("<hook_prompt hook_run_id='1'>x</hook_prompt>"),
        "compaction" => at(1, "compacted", r#"{"message":""}"#),
        _ => return vec![exec("c", "ls"), output("c", "a")],
    };
    vec![one]
}

#[test]
fn a_mirror_is_silent_beside_its_spine_and_speaks_without_it() {
    for Pair { spine, mirror, alone } in pairs() {
        let mut lines = vec![meta(1, "")];
        lines.extend(spine);
        lines.push(mirror.clone());
        assert_eq!(read(&lines).yields.last(), Some(&0), "{mirror}");

        let reading = read(&[meta(1, ""), mirror.clone()]);
        let kinds: Vec<EventKind> = reading.events[1..].iter().map(|event| event.kind).collect();
        assert_eq!(kinds, alone, "{mirror}");
    }
}

#[test]
fn mirrors_before_their_spine_are_told_once_too() {
    let keys = |reading: &Reading| reading.events.iter().map(|event| event.key).collect::<Vec<_>>();
    let told_in_words = |pair: &Pair| !pair.alone[0].is_call() && pair.spine.len() == 1;
    for Pair { spine, mirror, .. } in pairs().into_iter().filter(told_in_words) {
        let after = read(&[meta(1, ""), spine[0].clone(), mirror.clone()]);
        let before = read(&[meta(1, ""), mirror.clone(), spine[0].clone()]);
        assert_eq!(keys(&after), keys(&before), "{mirror}");
    }
}

#[test]
fn a_text_said_twice_is_two_events() {
    let turn = |n: u32| {
        vec![
            started(&n.to_string()),
            user("continue"),
            user_event("continue"),
            assistant_event("ok"),
            assistant("ok"),
            done(&n.to_string()),
        ]
    };
    let mut lines = vec![meta(1, "")];
    lines.extend(turn(1));
    lines.extend(turn(2));
    lines.extend([assistant_event("ok"), assistant("ok"), assistant_event("ok"), assistant("ok")]);
    let reading = read(&lines);
    let count = |kind| reading.events.iter().filter(|event| event.kind == kind).count();
    assert_eq!((count(EventKind::UserMsg), count(EventKind::AssistantMsg)), (2, 4));
    let mut keys: Vec<_> = reading.events.iter().map(|event| event.key).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), reading.events.len());
}

#[test]
fn what_a_mirror_knows_of_the_outcome_reaches_the_result() {
    let reading = read(&[
        meta(1, ""),
        exec("c", "make"),
        event(
            r#"{"type":"exec_command_end","call_id":"c","command":["make"],"aggregated_output":"no","exit_code":2,"duration":{"secs":3,"nanos":0},"status":"failed"}"#,
        ),
        output("c", "no"),
        item(
            r#"{"type":"custom_tool_call","call_id":"p","name":"apply_patch","input":"*** Begin Patch\n*** End Patch"}"#,
        ),
        completed(r#"{"type":"FileChange","id":"p","changes":{},"status":"declined"}"#),
        item(r#"{"type":"custom_tool_call_output","call_id":"p","output":"rejected"}"#),
    ]);
    let errors: Vec<_> =
        reading.events.iter().filter(|event| event.kind == EventKind::Error).collect();
    assert_eq!((errors[0].exit_code, errors[0].duration_ms), (Some(2), Some(3000)));
    assert_eq!((errors[0].payload.as_str(), errors[1].payload.as_str()), ("no", "rejected"));
}

#[test]
fn the_humans_own_shell_commands_are_calls_of_the_human() {
    let reading = read(&[
        meta(1, ""),
        completed(
            r#"{"type":"CommandExecution","id":"u1","command":["bash","-lc","git push"],"source":"user_shell","status":"failed","aggregated_output":"denied","exit_code":1}"#,
        ),
    ]);
    let call = reading.only(EventKind::ToolCall);
    assert_eq!((call.role, call.summary.as_str()), (Role::User, "git push"));
    let error = reading.only(EventKind::Error);
    assert_eq!(
        (error.exit_code, error.payload.as_str(), error.parent),
        (Some(1), "denied", Some(call.key))
    );
}

#[test]
fn calls_made_inside_a_script_have_events_of_their_own() {
    let reading = read(&[
        meta(1, ""),
        item(
            r#"{"type":"custom_tool_call","call_id":"c","name":"exec","input":"await tools.apply_patch(p)"}"#,
        ),
        event(
            r#"{"type":"patch_apply_end","call_id":"exec-1","success":true,"stdout":"ok","changes":{"/w/a.rs":{"type":"update","unified_diff":"x"}},"status":"completed"}"#,
        ),
        event(
            r#"{"type":"web_search_end","call_id":"exec-2","query":"q","action":{"type":"search","query":"q"},"results":[{"title":"T"}]}"#,
        ),
        item(
            r#"{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"Script completed\nWall time 1.5 seconds\nOutput:\n"},{"type":"input_text","text":"done"}]}"#,
        ),
    ]);
    assert_eq!(reading.only(EventKind::Edit).files, ["/w/a.rs"]);
    let results: Vec<&str> = reading
        .events
        .iter()
        .filter(|event| event.kind == EventKind::ToolResult)
        .map(|event| &*event.payload)
        .collect();
    assert_eq!(
        results,
        ["ok", r#"[{"title":"T"}]"#, "Script completed\nWall time 1.5 seconds\nOutput:\ndone"]
    );
}

#[test]
fn a_dynamic_call_told_only_on_the_screen_is_call_and_result() {
    let reading = read(&[
        meta(1, ""),
        event(
            r#"{"type":"dynamic_tool_call_request","callId":"d","tool":"look","arguments":{"a":1}}"#,
        ),
        event(
            r#"{"type":"dynamic_tool_call_response","call_id":"d","tool":"look","arguments":{"a":1},"content_items":[{"type":"inputText","text":"seen"}],"success":true}"#,
        ),
    ]);
    assert_eq!(
        reading.talk(),
        [(EventKind::ToolCall, r#"{"a":1}"#), (EventKind::ToolResult, "seen")]
    );
}

#[test]
fn call_ids_used_again_are_other_calls() {
    let reading = read(&[
        meta(1, ""),
        exec("call_0", "ls"),
        output("call_0", "a"),
        exec("call_0", "pwd"),
        output("call_0", "b"),
        output("call_0", "c"),
    ]);
    let mut keys: Vec<_> = reading.events.iter().map(|event| event.key).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 6);
}
