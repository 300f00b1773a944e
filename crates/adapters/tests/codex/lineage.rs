//! Forks and sub-agents: copied history stays with the thread it was copied from.

use crate::support::*;
use backstory_model::EventKind;

/// A parent of two turns. `dated` gives its turns ids that tell the time.
fn parent(dated: bool) -> Vec<String> {
    let turn = |n: u32| if dated { id(n) } else { format!("turn-{n}") };
    vec![
        meta(10, ""),
        started(&turn(11)),
        at(1, "turn_context", &format!(r#"{{"turn_id":"{}","model":"gpt-5.4"}}"#, turn(11))),
        user("first"),
        user_event("first"),
        exec("c1", "ls"),
        output("c1", "a"),
        assistant_event("one"),
        assistant("one"),
        count(100, 100),
        done(&turn(11)),
        started(&turn(12)),
        user("second"),
        user_event("second"),
        assistant_event("two"),
        assistant("two"),
        count(160, 60),
        done(&turn(12)),
    ]
}

/// A fork of a thread's file with a turn of its own, everything copied stamped anew.
fn fork(n: u32, from: u32, copied: &[String], dated: bool) -> Vec<String> {
    let turn = if dated { id(n + 1) } else { format!("own-{n}") };
    let mut lines = vec![meta(n, &format!(r#","forked_from_id":"{}""#, id(from)))];
    lines.extend(copied.iter().map(|line| restamp(line, "2026-08-20T11:00:00.001Z")));
    let own = [
        event(r#"{"type":"thread_settings_applied","thread_settings":{"model":"gpt-5.5"}}"#),
        started(&turn),
        user(&format!("third of {n}")),
        user_event(&format!("third of {n}")),
        assistant_event("three"),
        assistant("three"),
        count(120 + 4 * u64::from(n), 40),
        done(&turn),
    ];
    lines.extend(own.iter().map(|line| restamp(line, "2026-08-20T11:00:09.000Z")));
    lines[0] = restamp(&lines[0], "2026-08-20T11:00:00.000Z");
    lines
}

fn restamp(line: &str, time: &str) -> String {
    let (_, rest) = line.split_once("Z\"").unwrap();
    format!("{{\"timestamp\":\"{time}\"{rest}")
}

fn texts(events: &[&Seen]) -> Vec<String> {
    let talk = events.iter().filter(|event| event.kind.is_conversation());
    talk.map(|event| event.payload.clone()).collect()
}

#[test]
fn a_known_parents_lines_are_skipped() {
    for dated in [true, false] {
        let mut known = Known::default();
        known.read(10, &parent(dated));
        let fork = known.read(20, &fork(20, 10, &parent(dated), dated));
        assert_eq!(texts(&fork.of(&uid(20))), ["third of 20", "three"], "dated: {dated}");
        assert!(fork.of(&uid(10)).is_empty(), "{:#?}", fork.of(&uid(10)));
        assert_eq!(fork.tokens(), 40);
        assert_eq!(fork.session(20).forked_from.unwrap().as_str(), uid(10));
        assert_eq!(fork.session(20).model.as_deref(), Some("gpt-5.5"));
        assert_eq!(fork.session(20).title.unwrap().1, "third of 20");
    }
}

#[test]
fn an_unknown_parents_lines_go_to_the_parent() {
    for dated in [true, false] {
        let mut known = Known::default();
        let fork = known.read(20, &fork(20, 10, &parent(dated), dated));
        assert_eq!(texts(&fork.of(&uid(20))), ["third of 20", "three"], "dated: {dated}");
        let expected = ["first", r#"{"cmd":"ls"}"#, "a", "one", "second", "two"];
        assert_eq!(texts(&fork.of(&uid(10))), expected);
        assert!(fork.of(&uid(10)).iter().all(|event| event.ts.is_none()));
        assert_eq!(fork.tokens(), 40);
        assert_eq!(fork.session(10).cwd.as_deref(), Some("/w/app"));

        // When the parent's own file turns up it brings the same keys.
        let own = Known::default().read(10, &parent(dated));
        let keys = |events: &[&Seen]| {
            let talk = events.iter().filter(|event| event.kind.is_conversation());
            talk.map(|event| event.key).collect::<Vec<_>>()
        };
        assert_eq!(keys(&own.of(&uid(10))), keys(&fork.of(&uid(10))));
    }
}

#[test]
fn a_parent_known_only_in_part_is_completed() {
    let mut known = Known::default();
    known.read(10, &parent(true)[..11]);
    let fork = known.read(20, &fork(20, 10, &parent(true), true));
    assert_eq!(texts(&fork.of(&uid(10))), ["second", "two"]);
    assert_eq!(texts(&fork.of(&uid(20))), ["third of 20", "three"]);
}

#[test]
fn a_fork_of_a_fork_belongs_to_three_threads() {
    for dated in [true, false] {
        let first = parent(dated);
        let second = fork(20, 10, &first, dated);
        let third = fork(30, 20, &second, dated);
        let mut known = Known::default();
        known.read(10, &first);
        known.read(20, &second);
        let reading = known.read(30, &third);
        assert_eq!(texts(&reading.of(&uid(30))), ["third of 30", "three"], "dated: {dated}");
        assert!(reading.of(&uid(10)).is_empty() && reading.of(&uid(20)).is_empty());
    }
    let third = fork(30, 20, &fork(20, 10, &parent(true), true), true);
    let alone = Known::default().read(30, &third);
    assert_eq!(texts(&alone.of(&uid(30))), ["third of 30", "three"]);
    assert_eq!(texts(&alone.of(&uid(20))), ["third of 20", "three"]);
    assert_eq!(texts(&alone.of(&uid(10))).len(), 6);
    assert_eq!(alone.tokens(), 40);
}

#[test]
fn own_keys_do_not_depend_on_the_copied_prefix() {
    let copied = Known::default().read(20, &fork(20, 10, &parent(true), true));
    let mut lines = fork(20, 10, &[], true);
    lines[0] = meta(
        20,
        &format!(
            r#","history_mode":"paginated","history_base":{{"thread_id":"{}","end_ordinal_exclusive":18,"end_byte_offset":9}}"#,
            id(10)
        ),
    );
    let referenced = Known::default().read(20, &lines);
    let keys = |reading: &Reading| {
        let own = reading.of(&uid(20)).into_iter().filter(|event| event.kind.is_conversation());
        own.map(|event| event.key).collect::<Vec<_>>()
    };
    assert_eq!(keys(&copied), keys(&referenced));
    assert_eq!(referenced.session(20).forked_from.unwrap().as_str(), uid(10));
    assert_eq!(referenced.tokens(), 40);
}

#[test]
fn a_sub_agents_inherited_lines_end_where_the_head_says() {
    let head = meta(
        20,
        &format!(
            r#","parent_thread_id":"{}","thread_source":"subagent","subagent_history_start_ordinal":3"#,
            id(10)
        ),
    );
    let lines = [head, user("first"), assistant("one"), user("go on"), assistant("sub")];
    let lines: Vec<String> =
        lines.iter().enumerate().map(|(n, line)| ordinal(n as u64, line)).collect();
    let alone = Known::default().read(20, &lines);
    assert_eq!(texts(&alone.of(&uid(10))), ["first", "one"]);
    assert_eq!(texts(&alone.of(&uid(20))), ["go on", "sub"]);
    assert!(alone.of(&uid(20)).iter().all(|event| event.is_sidechain));

    let mut known = Known::default();
    known.read(10, &parent(true));
    let beside = known.read(20, &lines);
    assert!(beside.of(&uid(10)).is_empty());
    assert_eq!(texts(&beside.of(&uid(20))), ["go on", "sub"]);
    assert_eq!(beside.session(20).parent.unwrap().as_str(), uid(10));
    assert_eq!(beside.session(20).forked_from, None);
}

#[test]
fn a_reverted_thread_is_one_session() {
    let mut known = Known::default();
    let first = known.read(10, &parent(true));
    // The new file repeats what was kept ...
    let kept = known.read(10, &parent(true)[..11]);
    let keys: Vec<_> = first.events.iter().map(|event| event.key).collect();
    assert!(kept.events.iter().all(|event| keys.contains(&event.key) && event.session == uid(10)));
    // ... or refers to it, and then its first turn is none of the old ones.
    let base = format!(
        r#","history_base":{{"thread_id":"{}","end_ordinal_exclusive":11,"end_byte_offset":9}}"#,
        id(10)
    );
    let anew = known.read(10, &[meta(10, &base), user("first"), assistant("one")]);
    let fresh: Vec<_> =
        anew.events.iter().filter(|event| event.kind != EventKind::Lifecycle).collect();
    assert_eq!(fresh.len(), 2);
    assert!(fresh.iter().all(|event| !keys.contains(&event.key) && event.session == uid(10)));
    assert_eq!(anew.session(10).title, None);
}

#[test]
fn a_head_met_again_is_an_update_not_a_copy() {
    let reading = read(&[
        meta(1, ""),
        user("a"),
        meta(1, r#","git":{"branch":"later"}"#),
        meta(5, ""),
        user("b"),
    ]);
    assert_eq!(texts(&reading.of(&uid(1))), ["a", "b"]);
    assert_eq!(reading.session(1).git_branch.as_deref(), Some("later"));
    assert_eq!(reading.patches.iter().filter(|(session, _)| *session == uid(5)).count(), 0);
}
