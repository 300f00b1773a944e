//! A server that goes away while a sweep is under way, for a while or for good.

use crate::workstation::{Running, Workstation, told};
use backstory_testkit::postgres::{Database, Server};
use serde_json::Value;
use std::time::Duration;

/// Waits until the sweep is in the middle of a transaction; false if it ends instead.
fn is_writing(database: &Database, sweep: &mut Running) -> bool {
    let mut administrator = database.administrator();
    let writing = "SELECT count(*) FROM pg_stat_activity
        WHERE application_name LIKE 'backstory %' AND backend_xid IS NOT NULL";
    while sweep.is_running() {
        if administrator.query_one(writing, &[]).unwrap().get::<_, i64>(0) > 0 {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}

#[test]
fn a_sweep_outlasts_five_restarts_of_its_server() {
    let dir = tempfile::tempdir().unwrap();
    // What is committed survives being killed.
    let server = Server::private(&[("synchronous_commit", "on")]).unwrap();
    let (undisturbed, database) = (server.database().unwrap(), server.database().unwrap());
    let control_dir = dir.path().join("control");
    let control = Workstation::new(&control_dir, "ann", Some(&undisturbed.url))
        .seen_at(&dir.path().join("user"));
    control.write_history(8, 120);
    control.succeed(&["sync"]);
    let expected = control.export();

    let ann = Workstation::new(&dir.path().join("disturbed"), "ann", Some(&database.url))
        .seen_at(&dir.path().join("user"));
    ann.write_history(8, 120);
    let mut sweep = ann.start(&["sync", "--json"]);
    for number in 0..5 {
        assert!(
            is_writing(&database, &mut sweep),
            "it ended after {number}: {}",
            told(&sweep.end())
        );
        if number % 2 == 0 {
            server.restart().unwrap();
        } else {
            server.kill().unwrap();
            server.start().unwrap();
        }
    }
    let output = sweep.end();
    assert!(output.status.success(), "{}", told(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["interruptions"], 5);
    assert!(ann.export() == expected, "the archive differs");
    assert_eq!(ann.complaints(), [""; 0]);
}

#[test]
fn a_sweep_without_its_server_ends_and_the_next_one_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::private(&[]).unwrap();
    let database = server.database().unwrap();
    let ann = Workstation::new(dir.path(), "ann", Some(&database.url));
    ann.write_history(6, 100);
    let mut sweep = ann.start(&["sync"]);
    assert!(is_writing(&database, &mut sweep));
    server.stop().unwrap();
    let output = sweep.end();
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    let text = told(&output);
    assert!(text.contains("out of reach") && text.contains("postgres://member@"), "{text}");
    assert!(text.contains("the next sync carries on"), "{text}");
    assert!(!text.contains(backstory_testkit::postgres::PASSWORD), "{text}");
    server.start().unwrap();
    ann.succeed(&["sync"]);
    assert_eq!(ann.sessions().len(), 8);
    assert_eq!(ann.complaints(), [""; 0]);
}
