//! Messages are never lost, whatever dies in between, and strangers never stop the others.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const NOW: Timestamp = Timestamp(1_800_000_000_000);

fn scratch() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = backstory_store_sqlite::home(dir.path().join("home"));
    (dir, home)
}

fn entry(number: u32) -> SpoolEntry {
    SpoolEntry {
        agent: Flavor::Codex,
        event: "stop".into(),
        session_id: format!("s{number}"),
        transcript_path: Some("/logs/a.jsonl".into()),
        cwd: None,
        at: Timestamp(NOW.0 + i64::from(number)),
        last_words: None,
    }
}

fn ids(drained: &Drained) -> Vec<String> {
    drained.entries.iter().map(|(_, entry)| entry.session_id.clone()).collect()
}

#[test]
fn messages_come_back_as_they_were_left_in_order() {
    let (_dir, home) = scratch();
    for number in [2, 1, 3] {
        enqueue(&home, &entry(number)).unwrap();
    }
    let drained = drain(&home, NOW);
    assert_eq!(ids(&drained), ["s1", "s2", "s3"]);
    assert_eq!(drained.entries[0].1, entry(1));
    assert_eq!(drained.set_aside, []);
    let text = fs::read_to_string(&drained.entries[0].0).unwrap();
    assert_eq!(
        text,
        "{\"v\":1,\"agent\":\"codex\",\"event\":\"stop\",\"session_id\":\"s1\",\
         \"transcript_path\":\"/logs/a.jsonl\",\"at\":\"2027-01-15T08:00:00.001Z\"}"
    );
    assert!(drained.forget().is_empty());
    assert_eq!(fs::read_dir(home.spool()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_them() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, home) = scratch();
    enqueue(&home, &entry(1)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&drain(&home, NOW).entries[0].0), 0o600);
    assert_eq!(mode(&home.spool()), 0o700);
}

#[test]
fn what_is_no_message_is_set_aside_with_its_reason() {
    let (_dir, home) = scratch();
    enqueue(&home, &entry(1)).unwrap();
    let whole = fs::read_to_string(&drain(&home, NOW).entries[0].0).unwrap();
    let spool = home.spool();
    for (name, text, reason) in [
        ("a.json", "{\"v\":1,\"agent\":\"cod", "is torn or no message"),
        ("b.json", "", "is torn or no message"),
        ("c.json", "{\"v\":2,\"whatever\":[]}", "has version 2"),
        ("d.json", &whole.replace("codex", "gemini"), "names no known agent: \"gemini\""),
        ("e.txt", &whole, "does not end in .json"),
        ("f.json", &" ".repeat(MAX_BYTES as usize + 1), "too large"),
        ("g.json", &whole.replace("2027", "later"), "not an RFC 3339 time"),
    ] {
        // Twice, so that the second must find a free name.
        for number in 0..2 {
            fs::write(spool.join(name), text).unwrap();
            let drained = drain(&home, NOW);
            assert_eq!(ids(&drained), ["s1"], "{name}");
            let [odd] = &drained.set_aside[..] else { panic!("{name}: {:?}", drained.set_aside) };
            assert!(odd.reason.contains(reason), "{name}: {}", odd.reason);
            assert_eq!(fs::read_to_string(&odd.path).unwrap(), text);
            assert!(odd.path.starts_with(spool.join("aside")), "{name} {number}");
        }
    }
    assert_eq!(fs::read_dir(spool.join("aside")).unwrap().count(), 14);
    assert_eq!(drain(&home, NOW).set_aside, []);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let (dir, home) = scratch();
    enqueue(&home, &entry(1)).unwrap();
    let message = drain(&home, NOW).entries.remove(0).0;
    let elsewhere = dir.path().join("elsewhere.json");
    fs::rename(&message, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &message).unwrap();
    let drained = drain(&home, NOW);
    assert_eq!(ids(&drained), [""; 0]);
    assert_eq!(drained.set_aside[0].reason, "is not a file");
    assert!(elsewhere.exists());
}

#[test]
fn only_old_half_written_messages_are_cleared() {
    let (_dir, home) = scratch();
    enqueue(&home, &entry(1)).unwrap();
    let left = home.spool().join("1-1-1.json.tmp");
    fs::write(&left, "{").unwrap();
    let written = fs::metadata(&left).unwrap().modified().unwrap();
    let written = written.duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    drain(&home, Timestamp(written + 3_500_000));
    assert!(left.exists(), "somebody may still be writing it");
    drain(&home, Timestamp(written + 3_700_000));
    assert!(!left.exists());
}

/// What can happen to a spool, with a crash after any step.
#[derive(Clone, Copy, Debug)]
enum Step {
    Enqueue,
    /// The hook dies before its message has a name.
    EnqueueDies,
    /// The sweep dies before it commits.
    SweepDies,
    /// The sweep commits and dies after it removed so many messages.
    ForgetDies(usize),
    Sweep,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::Enqueue),
        1 => Just(Step::EnqueueDies),
        1 => Just(Step::SweepDies),
        1 => (0_usize..4).prop_map(Step::ForgetDies),
        2 => Just(Step::Sweep),
    ];
    proptest::collection::vec(step, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_message_is_lost_and_none_is_heard_after_it_was_forgotten(steps in steps()) {
        let (_dir, home) = scratch();
        let (mut left, mut next) = (BTreeSet::new(), 0);
        let mut heard: BTreeMap<String, usize> = BTreeMap::new();
        let mut forgotten: BTreeSet<String> = BTreeSet::new();
        let mut crashes = 0;
        for step in steps.into_iter().chain([Step::Sweep]) {
            match step {
                Step::Enqueue => {
                    next += 1;
                    enqueue(&home, &entry(next)).unwrap();
                    left.insert(format!("s{next}"));
                }
                Step::EnqueueDies => {
                    next += 1;
                    create_private_dir(&home.spool()).unwrap();
                    let name = format!("{}.tmp", file_name(NOW));
                    fs::write(home.spool().join(name), "{\"v\":1,").unwrap();
                }
                Step::SweepDies => drop(drain(&home, NOW)),
                Step::ForgetDies(removed) => {
                    crashes += 1;
                    let drained = drain(&home, NOW);
                    for id in ids(&drained) {
                        *heard.entry(id).or_default() += 1;
                    }
                    for (path, entry) in drained.entries.iter().take(removed) {
                        fs::remove_file(path).unwrap();
                        forgotten.insert(entry.session_id.clone());
                    }
                }
                Step::Sweep => {
                    let drained = drain(&home, NOW);
                    prop_assert!(drained.set_aside.is_empty());
                    for id in ids(&drained) {
                        prop_assert!(!forgotten.contains(&id), "{id} was heard again");
                        *heard.entry(id.clone()).or_default() += 1;
                        forgotten.insert(id);
                    }
                    prop_assert!(drained.forget().is_empty());
                }
            }
        }
        prop_assert_eq!(&heard.keys().cloned().collect::<BTreeSet<_>>(), &left);
        prop_assert_eq!(&forgotten, &left);
        prop_assert!(heard.values().all(|times| *times <= 1 + crashes));
    }
}

#[test]
fn messages_left_while_a_sweep_runs_wait_for_the_next() {
    let (_dir, home) = scratch();
    enqueue(&home, &entry(1)).unwrap();
    let drained = drain(&home, NOW);
    enqueue(&home, &entry(2)).unwrap();
    drained.forget();
    assert_eq!(ids(&drain(&home, NOW)), ["s2"]);
}

#[test]
fn hooks_at_the_same_time_do_not_collide() {
    let (_dir, home) = scratch();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| enqueue(&home, &entry(1)).unwrap()));
        }
    });
    assert_eq!(drain(&home, NOW).entries.len(), 400);
}
