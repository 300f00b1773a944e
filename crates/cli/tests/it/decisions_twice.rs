//! Many sessions that ask, taken in and exported twice: the second time changes nothing.

use crate::askers::Asker;
use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Sessions of a usual run.
const SESSIONS: usize = 300;
/// What names another number: `cargo xtask eval decisions --many 10000` does.
const SWITCH: &str = "BACKSTORY_TEST_SESSIONS";
const LEDGER: [&str; 5] = ["decisions", "--all", "--json", "--limit", "0"];

#[expect(clippy::disallowed_methods, reason = "a switch of the tests, not of the program")]
fn sessions() -> usize {
    std::env::var(SWITCH).ok().and_then(|number| number.parse().ok()).unwrap_or(SESSIONS)
}

fn succeed(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let run = sandbox.run(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    run.stdout
}

fn read(listed: &str) -> Vec<Value> {
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every session has its row, and all of it is right.
fn is_right(listed: &str, askers: &[Asker], is_answered: impl Fn(Asker) -> bool) {
    let rows = read(listed);
    assert_eq!(rows.len(), askers.len());
    let by_session: HashMap<&str, &Value> =
        rows.iter().map(|row| (row["session_uid"].as_str().unwrap(), row)).collect();
    for asker in askers {
        let uid = asker.uid();
        let row = by_session.get(uid.as_str()).unwrap_or_else(|| panic!("{asker:?} has no row"));
        let chosen: Vec<&Value> = row["options"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|option| option["chosen"] == true)
            .map(|option| &option["label"])
            .collect();
        let told = json!([row["question"], row["source"], row["state"], chosen]);
        let (state, chosen) =
            if is_answered(*asker) { ("answered", vec![asker.choice()]) } else { ("open", vec![]) };
        assert_eq!(told, json!([asker.question(), asker.source(), state, chosen]), "{asker:?}");
    }
}

/// Exports to a file; gives what was added, updated and there already.
fn export(sandbox: &Sandbox, file: &str, filter: &[&str]) -> [u64; 3] {
    let said = [&["decisions", "export", "--all", "--json", "--out", file], filter].concat();
    let report: Value = serde_json::from_str(&succeed(sandbox, &said)).unwrap();
    ["added", "updated", "known"].map(|name| report[name].as_u64().unwrap())
}

#[test]
fn taking_in_many_sessions_twice_changes_nothing() {
    let count = sessions();
    let askers: Vec<Asker> = (0..count).map(|number| Asker::new(number, count)).collect();
    let sandbox = Sandbox::new();
    for asker in &askers {
        asker.write(&sandbox, !asker.hesitates());
    }
    succeed(&sandbox, &["sync"]);
    let first = succeed(&sandbox, &LEDGER);
    is_right(&first, &askers, |asker| !asker.hesitates());
    // Nothing is read again, and if it is, nothing comes of it.
    for again in [&["sync"][..], &["distil", "--all"], &["sync"]] {
        succeed(&sandbox, again);
        assert!(succeed(&sandbox, &LEDGER) == first, "{again:?} changed the ledger");
    }
    for asker in &askers {
        asker.write(&sandbox, !asker.hesitates());
    }
    succeed(&sandbox, &["sync"]);
    assert!(succeed(&sandbox, &LEDGER) == first, "files written anew changed the ledger");

    let all = count as u64;
    assert_eq!(export(&sandbox, "log.jsonl", &[]), [all, 0, 0]);
    let log = fs_err::read(sandbox.home().join("log.jsonl")).unwrap();
    assert_eq!(export(&sandbox, "log.jsonl", &[]), [0, 0, all]);
    assert!(fs_err::read(sandbox.home().join("log.jsonl")).unwrap() == log);

    // Sessions that grow change their rows and add none.
    let late: Vec<&Asker> = askers.iter().filter(|asker| asker.hesitates()).collect();
    for asker in &late {
        asker.write(&sandbox, true);
    }
    for _ in 0..2 {
        succeed(&sandbox, &["sync"]);
        is_right(&succeed(&sandbox, &LEDGER), &askers, |_| true);
    }
    let late = late.len() as u64;
    assert_eq!(export(&sandbox, "log.jsonl", &[]), [0, late, all - late]);
    assert_eq!(export(&sandbox, "log.jsonl", &[]), [0, 0, all]);
    let lines = fs_err::read_to_string(sandbox.home().join("log.jsonl")).unwrap().lines().count();
    assert_eq!(lines as u64, all + late);
    are_divided_by_a_moment(&sandbox, &askers);
}

/// `--since` and `--until` leave out one half each.
fn are_divided_by_a_moment(sandbox: &Sandbox, askers: &[Asker]) {
    let (later, earlier): (Vec<Asker>, Vec<Asker>) =
        askers.iter().partition(|asker| asker.is_of_november());
    assert_eq!(later.len(), askers.len() / 2);
    let filtered = |filter: [&str; 2]| succeed(sandbox, &[&LEDGER[..], &filter].concat());
    is_right(&filtered(["--since", "2026-11-01"]), &later, |_| true);
    is_right(&filtered(["--until", "2026-10-31"]), &earlier, |_| true);

    let (since, half) = (["--since", "2026-11-01"], later.len() as u64);
    assert_eq!(export(sandbox, "half.jsonl", &since), [half, 0, 0]);
    let logged = read(&fs_err::read_to_string(sandbox.home().join("half.jsonl")).unwrap());
    assert!(logged.iter().all(|line| line["ts"].as_str().unwrap() >= "2026-11-01"));
    assert_eq!(export(sandbox, "half.jsonl", &since), [0, 0, half]);
    assert_eq!(export(sandbox, "half.jsonl", &[]), [askers.len() as u64 - half, 0, half]);
}
