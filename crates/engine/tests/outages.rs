//! Sweeps into an archive on Postgres whose packs are behind a bad line.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "../../packs-object/tests/it/flaky.rs"]
#[allow(dead_code, reason = "the tests it belongs to ask for more")]
mod flaky;

use backstory_engine::{Archive, Root, SyncError, SyncOptions, SyncReport, sync};
use backstory_model::{Flavor, Timestamp, Watermarks};
use backstory_packs_object::{ObjectPacks, Patience};
use backstory_store::{Home, SessionFilter, Vault};
use backstory_store_postgres::{Address, Postgres, Speaker};
use backstory_testkit::postgres::{Database, database};
use flaky::Flaky;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Gives up at the first failure.
const NONE: Patience = Patience {
    total: Duration::from_millis(50),
    first_pause: Duration::from_secs(1),
    longest_pause: Duration::from_secs(1),
};

fn home(dir: &Path, database: &Database, packs: Arc<Flaky>) -> Home {
    let speaker = Speaker { tenant: "team".into(), owner: "ann".into() };
    let engine = Postgres::new(Address::parse(&database.url).unwrap(), speaker);
    let packs = ObjectPacks::on(packs, "team", NONE).unwrap();
    Home::new(dir, Arc::new(engine)).with_packs(Arc::new(packs))
}

fn sweep(home: &Home, logs: &Path) -> Result<SyncReport, SyncError> {
    let options = SyncOptions {
        spool: true,
        ..SyncOptions::new(
            Archive::indexed_at_home(home.clone()),
            vec![Root { flavor: Flavor::Claude, dir: logs.to_owned() }],
        )
    };
    sync(&options, Timestamp(1_790_000_000_000), &mut |_| {})
}

/// Some sessions whose records are too long for a summary, as far as they have come.
fn write_logs(dir: &Path, records: usize) {
    fs_err::create_dir_all(dir).unwrap();
    for session in 0..4 {
        let id = |at: usize| format!("{session}-{at}");
        let lines = (0..records).map(|at| {
            let record = serde_json::json!({
                "type": "user", "uuid": id(at), "parentUuid": at.checked_sub(1).map(id),
                "sessionId": format!("session-{session}"), "timestamp": "2026-03-01T00:00:00.000Z",
                "isSidechain": false, "userType": "external", "cwd": "/src/app", "version": "2.1.100",
                "message": {"role": "user", "content": format!("prompt {at} of {session} ").repeat(300)},
            });
            format!("{record}\n")
        });
        fs_err::write(dir.join(format!("session-{session}.jsonl")), lines.collect::<String>())
            .unwrap();
    }
}

/// Every session with its events, payloads and digest.
fn dump(home: &Home) -> String {
    let vault = Vault::open(home).unwrap();
    assert_eq!(vault.verify().unwrap(), []);
    let mut text = String::new();
    for mut session in vault.sessions(&SessionFilter::default()).unwrap() {
        let uid = session.session_uid.clone();
        session.watermarks = Watermarks::default();
        let digest = vault.account(&uid).unwrap().map(|account| account.digest);
        writeln!(text, "{session:?} {digest:?}").unwrap();
        for mut event in vault.events(&uid).unwrap() {
            let payload = vault.payload(&event).unwrap();
            // Where it lies depends on what failed before.
            event.payload_ref = None;
            writeln!(text, "{event:?} {payload}").unwrap();
        }
    }
    text
}

#[test]
fn sweeps_on_a_bad_line_come_to_the_same_in_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let logs = dir.path().join("projects/a");
    let (bad, good) = (database(), database());
    let line = Arc::new(Flaky::new(10));
    let unsteady = home(&dir.path().join("unsteady"), &bad, Arc::clone(&line));
    let mut failed = 0;
    for records in [10, 20, 30, 40] {
        write_logs(&logs, records);
        loop {
            match sweep(&unsteady, &logs) {
                Ok(report) if report.distilled.failure_count == 0 => break,
                Ok(_) | Err(SyncError::Store(_)) => failed += 1,
                Err(error) => panic!("{error}"),
            }
            assert!(failed < 1000, "it never ends");
        }
    }
    assert!(failed > 3, "the line was not bad at all");
    line.heal();
    let steady = home(&dir.path().join("steady"), &good, Arc::new(Flaky::new(0)));
    sweep(&steady, &logs).unwrap();
    assert_eq!(dump(&unsteady), dump(&steady));
}
