//! Workstations that fill one archive at the same time.

use crate::history::{Claude, codex, session_id};
use crate::workstation::{Workstation, claude_path, told};
use backstory_testkit::postgres;

/// What two people have after some rounds: sessions of their own, some of them in files of the same
/// name, and one that both have.
fn write(machine: &Workstation, person: usize, path_of_same: &str, round: usize) {
    let turns = 6 * (round + 1);
    for number in 0..3 {
        let session = Claude::new(10 * person + number, 40);
        machine.write(&claude_path(&session.id), &session.turns(0..turns + number));
    }
    let same = Claude::new(10 * person + 5, 40);
    machine.write(&claude_path(path_of_same), &same.turns(0..turns));
    let shared = Claude::new(99, 40);
    machine.write(&claude_path(&shared.id), &shared.turns(0..turns));
    let id = session_id(500 + person);
    let rollout = format!(".codex/sessions/2026/03/01/rollout-2026-03-01T00-00-00-{id}.jsonl");
    machine.write(&rollout, &codex(500 + person, turns, 40));
}

#[test]
fn two_workstations_are_as_good_as_one_with_all_files() {
    let dir = tempfile::tempdir().unwrap();
    let database = postgres::database();
    let user = dir.path().join("user");
    let machine = |name| Workstation::new(dir.path(), name, Some(&database.url)).seen_at(&user);
    let (ann, bob) = (machine("ann"), machine("bob"));
    let one = Workstation::new(dir.path(), "one", None).seen_at(&user);
    for round in 0..5 {
        write(&ann, 1, "same", round);
        write(&bob, 2, "same", round);
        let sweeps = [ann.start(&["sync"]), bob.start(&["sync"])];
        for output in sweeps.map(crate::workstation::Running::end) {
            assert!(output.status.success(), "round {round}: {}", told(&output));
        }
    }
    write(&one, 1, "same-of-ann", 4);
    write(&one, 2, "same-of-bob", 4);
    one.succeed(&["sync"]);

    let (expected, found) = (one.sessions(), ann.sessions());
    assert_eq!(expected.len(), 11);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (uid, lines) in &expected {
        assert_eq!(&found[uid], lines, "{uid}");
    }
    assert_eq!(ann.costs(), one.costs());
    assert_eq!(ann.export(), bob.export());
    for machine in [&ann, &bob] {
        assert_eq!(machine.complaints(), [""; 0]);
    }
    // Nothing is left to do for either.
    for machine in [&ann, &bob] {
        assert!(machine.succeed(&["sync"]).contains("nothing new"));
    }

    let stranger = Workstation::new(dir.path(), "eve", Some(&database.url)).of_tenant("other");
    for command in [["sessions", "--all"].as_slice(), &["export"], &["search", "cache"]] {
        let output = stranger.run(command);
        assert!(output.stdout.is_empty(), "{command:?}: {}", told(&output));
    }
    let session = Claude::new(77, 40);
    stranger.write(&claude_path(&session.id), &session.turns(0..3));
    stranger.succeed(&["sync"]);
    assert_eq!(stranger.sessions().len(), 1);
    assert_eq!(ann.sessions(), found);
}
