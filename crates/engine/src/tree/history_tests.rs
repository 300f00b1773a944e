//! What was said and done between two seals, as posted and as the archive has it.

use super::super::{GrepOptions, Part};
use super::*;
use crate::{Archive, Root, SyncOptions, commit, live, sync};
use backstory_model::Flavor;
use backstory_store::Home;
use serde_json::{Value, json};

const NOW: Timestamp = Timestamp(1_790_000_000_000);
const SESSION: &str = "11111111-0000-4000-8000-000000000001";

fn tree(home: &Home) -> Tree {
    Tree::open(home, NOW).unwrap()
}

fn lines(tree: &Tree, address: &str) -> Vec<Value> {
    let text = tree.read(address, Part::WHOLE).unwrap_or_else(|error| panic!("{address}: {error}"));
    let line =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    text.text.lines().map(line).collect()
}

fn found(tree: &Tree, address: &str, pattern: &str) -> Vec<(String, usize)> {
    let options =
        GrepOptions { patterns: vec![pattern.into()], limit: 20, ..GrepOptions::default() };
    let hits = tree.grep(address, &options).unwrap().hits.into_iter();
    let hits = hits.filter(|hit| hit.address.ends_with("messages.jsonl"));
    hits.map(|hit| (hit.address, hit.line)).collect()
}

/// Whoever reads on where a part ended has read everything.
fn in_parts(tree: &Tree, address: &str) -> String {
    let (mut text, mut offset) = (String::new(), 0);
    loop {
        let part = tree.read(address, Part::lines(offset, 1)).unwrap();
        text.push_str(&part.text);
        match part.next {
            Some(next) => offset = next,
            None => return text,
        }
    }
}

fn seal(home: &Home, choice: live::SealChoice) {
    let archive = Archive::indexed_at_home(home.clone());
    let options = SyncOptions { spool: true, ..SyncOptions::new(archive, Vec::new()) };
    let seal = live::SealOptions { choice, ..Default::default() };
    commit(&options, &seal, NOW, &mut |_| {}).unwrap();
}

fn words(text: &str) -> pushed::Part {
    pushed::Part { text: Some(text.into()), ..pushed::Part::default() }
}

/// Two stretches and a message behind them.
fn posted(home: &Home) -> pushed::Journal {
    let journal = pushed::Journal::new(home.clone(), pushed::Limits::default());
    let post = |role: &str, parts: Vec<pushed::Part>, at: i64| {
        let at = Some(Timestamp(NOW.0 + at));
        let said = pushed::Incoming { role: role.into(), parts, at, peer: None };
        journal.append("oc-1", &[said], NOW).unwrap();
    };
    post("user", vec![words("Paint the \"lighthouse\"\nred: \u{202e}RAL 3020")], 0);
    post("assistant", vec![words("It is red.")], 1000);
    journal.seal("oc-1", 0, "asked", NOW).unwrap();
    let call = pushed::Part {
        tool_id: Some("t1".into()),
        tool: Some("shell".into()),
        status: Some("completed".into()),
        input: Some(r#"{"command":"paint door --green"}"#.into()),
        output: Some("door: 2 coats of größe-9".into()),
        ..pushed::Part::default()
    };
    post("assistant", vec![words("I paint the door."), call], 2000);
    post("user", vec![words("Keep this one open")], 3000);
    journal.seal("oc-1", 1, "asked", NOW).unwrap();
    journal
}

#[test]
fn an_archive_has_the_messages_between_two_seals() {
    let dir = tempfile::tempdir().unwrap();
    let home = backstory_store_sqlite::home(dir.path());
    let journal = posted(&home);
    // As plugins are told to read it.
    let history = "viking://user/sessions/oc-1/history/";
    let of =
        |number: u32| format!("viking://~/sessions/oc-1/history/archive_00{number}/messages.jsonl");
    let check = |tree: &Tree| {
        for archive in tree.list(history).unwrap() {
            let files = tree.list(&archive.address).unwrap();
            let messages = files.iter().find(|entry| entry.name == "messages.jsonl").unwrap();
            assert_eq!(messages.address, format!("{}/messages.jsonl", archive.address));
            assert!(!messages.is_folder);
        }
        let first = lines(tree, &of(1));
        assert_eq!(first.len(), 2, "{first:?}");
        assert_eq!(first[0]["role"], "user");
        assert_eq!(first[0]["content"], "Paint the \"lighthouse\"\nred: RAL 3020");
        assert_eq!(first[0]["created_at"], NOW.to_string());
        assert_eq!(first[1]["role"], "assistant");
        let second = lines(tree, &of(2));
        assert_eq!(second.len(), 1, "{second:?}");
        let parts = json!([
            {"type": "text", "text": "I paint the door."},
            {"type": "tool", "tool_id": "t1", "tool_name": "shell", "tool_status": "completed",
                "tool_input": {"command": "paint door --green"},
                "tool_output": "door: 2 coats of größe-9"},
        ]);
        assert_eq!(second[0]["parts"], parts);
        assert_eq!(in_parts(tree, &of(1)), tree.read(&of(1), Part::WHOLE).unwrap().text);
        assert_eq!(tree.read(&of(1), Part::lines(0, 1)).unwrap().next, Some(1));
        assert_eq!(found(tree, history, "RAL 3020"), [(of(1), 1)]);
        assert_eq!(found(tree, history, "größe-9"), [(of(2), 1)]);
        let below_first = "viking://~/sessions/oc-1/history/archive_001";
        assert_eq!(found(tree, below_first, "It is red"), [(of(1), 2)]);
        assert_eq!(found(tree, below_first, "größe-9"), []);
        assert_eq!(found(tree, &of(2), "coats"), [(of(2), 1)]);
        assert_eq!(found(tree, history, "Keep this one open"), []);
    };
    check(&tree(&home));
    seal(&home, live::SealChoice::Pending);
    check(&tree(&home));
    // Without the file the archive tells what it has: one seal over everything.
    journal.remove("oc-1").unwrap();
    let tree = tree(&home);
    let told = lines(&tree, &of(1));
    let roles: Vec<&str> = told.iter().map(|line| line["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "assistant", "assistant", "assistant", "user"]);
    assert_eq!(told[1]["content"], "It is red.");
    assert_eq!(told[3]["parts"][0]["tool_input"]["command"], "paint door --green");
    assert_eq!(told[4]["parts"][0]["tool_output"], "door: 2 coats of größe-9");
    assert_eq!(found(&tree, history, "größe-9"), [(of(1), 5)]);
    assert!(tree.read(&of(2), Part::WHOLE).is_err());
}

#[test]
fn a_session_of_the_archive_has_its_events_between_two_seals() {
    let dir = tempfile::tempdir().unwrap();
    let home = backstory_store_sqlite::home(dir.path().join("home"));
    let log = dir.path().join("projects/app").join(format!("{SESSION}.jsonl"));
    fs_err::create_dir_all(log.parent().unwrap()).unwrap();
    let output = format!("begins\n{}ends", "line of output\n".repeat(400));
    let said = [
        ("user", json!("Why does the heron test fail?")),
        (
            "assistant",
            json!([{"type": "tool_use", "id": "toolu_1", "name": "Bash",
                "input": {"command": "cargo test heron"}}]),
        ),
        ("user", json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": output}])),
        ("assistant", json!([{"type": "text", "text": "The port 7411 is taken."}])),
        ("user", json!("Then take port 7412.")),
    ];
    let line = |at: usize| {
        let (role, content) = &said[at];
        let before = at.checked_sub(1).map(|at| format!("22220000-0000-4000-8000-{at:012}"));
        let uuid = format!("22220000-0000-4000-8000-{at:012}");
        let line = json!({
            "type": role, "uuid": uuid, "parentUuid": before, "sessionId": SESSION,
            "timestamp": format!("2026-03-01T00:00:{at:02}.000Z"), "cwd": "/src/app",
            "isSidechain": false, "userType": "external", "version": "2.1.100",
            "message": {"role": role, "content": content, "id": format!("msg_{at}"),
                "model": "claude-opus-4-8"},
        });
        format!("{line}\n")
    };
    let uid = SessionUid::from_stored(format!("claude:{SESSION}"));
    for until in [4, 5] {
        fs_err::write(&log, (0..until).map(line).collect::<String>()).unwrap();
        let root = Root { flavor: Flavor::Claude, dir: dir.path().join("projects") };
        let options = SyncOptions::new(Archive::indexed_at_home(home.clone()), vec![root]);
        assert_eq!(sync(&options, NOW, &mut |_| {}).unwrap().problems, []);
        seal(&home, live::SealChoice::Session(uid.clone()));
    }
    let tree = tree(&home);
    let history = format!("viking://~/sessions/cc-{SESSION}/history");
    let of = |number: u32| format!("{history}/archive_00{number}/messages.jsonl");
    let first = lines(&tree, &of(1));
    assert_eq!(first.len(), 4, "{first:?}");
    assert_eq!(first[0]["content"], "Why does the heron test fail?");
    assert_eq!(first[0]["created_at"], "2026-03-01T00:00:00.000Z");
    assert_eq!(first[1]["parts"][0]["tool_name"], "Bash");
    let told = first[2]["parts"][0]["tool_output"].as_str().unwrap();
    assert!(told.starts_with("begins") && told.ends_with("ends"), "{told}");
    assert!(told.contains(&format!("more characters at backstory://{uid}/2 …")), "{told}");
    assert_eq!(first[3]["content"], "The port 7411 is taken.");
    let second = lines(&tree, &of(2));
    assert_eq!(second.len(), 1, "{second:?}");
    assert_eq!(second[0]["content"], "Then take port 7412.");
    assert_eq!(found(&tree, &history, "741\\d"), [(of(1), 4), (of(2), 1)]);
    assert_eq!(found(&tree, &format!("{history}/archive_002"), "741\\d"), [(of(2), 1)]);
    let own = format!("sessions/{uid}/history/archive_002/messages.jsonl");
    assert_eq!(lines(&tree, &own), second);
}
