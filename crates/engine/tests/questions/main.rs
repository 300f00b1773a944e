//! How many questions searches and sweeps ask of an archive: on a server each takes a way there and back.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod counted;

use backstory_distill::query::Query;
use backstory_engine::search::{Mode, Scope, SearchAnswer, SearchOptions, Searcher, Sort};
use backstory_engine::{Archive, Root, SyncOptions, sync};
use backstory_model::{Flavor, Timestamp};
use backstory_store::{Home, Vault};
use backstory_store_postgres::{Address, Postgres, Speaker};
use counted::{Asked, counted};
use std::path::Path;
use std::sync::Arc;

const NOW: Timestamp = Timestamp(1_790_000_000_000);
const SESSIONS: usize = 40;

/// Sessions that talk about much the same; one call in each, of a command that fails in every third.
fn write_logs(dir: &Path, records: usize) {
    fs_err::create_dir_all(dir).unwrap();
    for session in 0..SESSIONS {
        let id = |at: usize| format!("{session}-{at}");
        let lines = (0..records).map(|at| {
            let (role, content) = match at {
                2 => (
                    "assistant",
                    serde_json::json!([{"type": "tool_use", "id": format!("call-{session}"),
                        "name": "Bash", "input": {"command": "cargo deploy tea"}}]),
                ),
                3 => (
                    "user",
                    serde_json::json!([{"type": "tool_result",
                        "tool_use_id": format!("call-{session}"), "is_error": session % 3 == 0,
                        "content": "Exit code 1\nthe tea is cold"}]),
                ),
                _ => (
                    "user",
                    format!("prompt {at} of {session}: the teapot pours slowly, mend the spout")
                        .into(),
                ),
            };
            let record = serde_json::json!({
                "type": role, "uuid": id(at), "parentUuid": at.checked_sub(1).map(id),
                "sessionId": format!("session-{session}"),
                "timestamp": format!("2026-03-01T00:{session:02}:00.000Z"), "isSidechain": false,
                "userType": "external", "cwd": "/src/app", "version": "2.1.100",
                "message": {"role": role, "content": content},
            });
            format!("{record}\n")
        });
        let log = dir.join(format!("session-{session}.jsonl"));
        fs_err::write(log, lines.collect::<String>()).unwrap();
    }
}

fn sweep(home: &Home, logs: &Path) -> u64 {
    let root = Root { flavor: Flavor::Claude, dir: logs.to_owned() };
    let archive = Archive::indexed_at_home(home.clone());
    let options = SyncOptions { index: true, ..SyncOptions::new(archive, vec![root]) };
    let report = sync(&options, NOW, &mut |_| {}).unwrap();
    report.flavors.iter().map(|flavor| flavor.new_events).sum()
}

fn on_postgres(dir: &Path, database: &backstory_testkit::postgres::Database) -> Home {
    let speaker = Speaker { tenant: "team".into(), owner: "ann".into() };
    let engine = Postgres::new(Address::parse(&database.url).unwrap(), speaker);
    Home::new(dir, Arc::new(engine))
}

/// Both engines, with what is asked of them.
fn on_both(tell: impl Fn(&[(Home, Asked); 2], &Path)) {
    let dir = tempfile::tempdir().unwrap();
    let database = backstory_testkit::postgres::database();
    let homes = [
        counted(backstory_store_sqlite::home(dir.path().join("file"))),
        counted(on_postgres(&dir.path().join("server"), &database)),
    ];
    tell(&homes, &dir.path().join("projects/a"));
}

fn options(query: &str) -> SearchOptions {
    SearchOptions {
        query: Query::parse(query, &|_, _| Some(Timestamp(1_700_000_000_000))),
        limit: 10,
        moments: 3,
        context: 0,
        sort: Sort::Score,
        mode: Mode::Fused,
        scope: Scope::Everything,
        project: None,
    }
}

#[test]
fn a_search_asks_few_questions_and_is_answered_alike() {
    on_both(|homes, logs| {
        write_logs(logs, 12);
        for (home, _) in homes {
            sweep(home, logs);
        }
        let with_context = SearchOptions { context: 2, ..options("teapot spout") };
        let newest = SearchOptions { sort: Sort::Time, ..options("teapot") };
        let commands = SearchOptions { scope: Scope::Commands, ..options("deploy tea") };
        for (options, most) in [
            (options("teapot spout"), 6),
            (with_context, 7),
            (newest, 6),
            (commands, 16),
            (options("since:then pouring slowly"), 12),
            (options("teapot file:nowhere"), 24),
            (options("sunday march"), 8),
        ] {
            let mut answers: Vec<SearchAnswer> = Vec::new();
            for (home, asked) in homes {
                let vault = Vault::open(home).unwrap();
                let archive = Archive::indexed_at_home(home.clone());
                let searcher = Searcher::open(&vault, &*archive.index).unwrap();
                asked.forget();
                answers.push(searcher.search(&options, NOW).unwrap());
                assert!(asked.count() <= most, "{} questions for {options:?}", asked.count());
            }
            assert_eq!(answers[0], answers[1]);
        }
    });
}

#[test]
fn what_a_known_session_has_is_asked_in_bulk() {
    on_both(|homes, logs| {
        for (records, new) in [(12, 12), (400, 388), (400, 0)] {
            write_logs(logs, records);
            for (home, asked) in homes {
                asked.forget();
                assert_eq!(sweep(home, logs), (new * SESSIONS) as u64);
                assert!(asked.count() < 20 * SESSIONS, "{} questions", asked.count());
            }
        }
    });
}
