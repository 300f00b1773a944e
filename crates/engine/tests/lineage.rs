//! Whatever happens to the files between sweeps, every record is stored once and none is lost.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use backstory_distill::retention::Budget;
use backstory_engine::{Archive, Root, SyncOptions, sync};
use backstory_model::{Flavor, Timestamp};
use backstory_store::{Account, SessionFilter, Vault};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Something an agent or a human does to the logs.
#[derive(Clone, Debug)]
enum Act {
    /// Some records are appended to a log.
    Append { log: usize, records: usize },
    /// A record is written by half; the next act on the log completes it.
    Tear { log: usize },
    /// A log goes on under a new session id: all its records are copied.
    Fork { log: usize },
    /// A log is moved to another folder.
    Move { log: usize },
    /// A log is written anew, byte for byte, as an editor or a migration does.
    Rewrite { log: usize },
    /// A sweep runs.
    Sweep,
}

fn act() -> impl Strategy<Value = Act> {
    let log = 0_usize..6;
    prop_oneof![
        4 => (log.clone(), 1_usize..6).prop_map(|(log, records)| Act::Append { log, records }),
        1 => log.clone().prop_map(|log| Act::Tear { log }),
        1 => log.clone().prop_map(|log| Act::Fork { log }),
        1 => log.clone().prop_map(|log| Act::Move { log }),
        1 => log.prop_map(|log| Act::Rewrite { log }),
        3 => Just(Act::Sweep),
    ]
}

struct Log {
    session: String,
    path: PathBuf,
    /// Record ids, copied ones included.
    records: Vec<String>,
    text: String,
    torn: Option<String>,
}

struct World {
    dir: tempfile::TempDir,
    logs: Vec<Log>,
    written: BTreeSet<String>,
    moves: usize,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(dir.path().join("projects/a")).unwrap();
        Self { dir, logs: Vec::new(), written: BTreeSet::new(), moves: 0 }
    }

    fn log(&mut self, wanted: usize) -> &mut Log {
        if wanted >= self.logs.len() {
            self.add_log(Vec::new());
            return self.logs.last_mut().unwrap();
        }
        &mut self.logs[wanted]
    }

    fn add_log(&mut self, copied: Vec<String>) {
        let session = format!("00000000-0000-4000-8000-{:012}", self.logs.len());
        let path = self.dir.path().join("projects/a").join(format!("{session}.jsonl"));
        let text = (0..copied.len()).map(|at| line(&session, &copied, at)).collect();
        self.logs.push(Log { session, path, records: copied, text, torn: None });
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Append { log, records } => {
                for _ in 0..*records {
                    let id = self.next_id();
                    self.log(*log).append(id);
                }
            }
            Act::Tear { log } => {
                let id = self.next_id();
                self.log(*log).tear(id);
            }
            Act::Fork { log } => {
                let source = self.log(*log);
                source.complete();
                let copied = source.records.clone();
                if !copied.is_empty() {
                    self.add_log(copied);
                }
            }
            Act::Move { log } => self.relocate(*log),
            Act::Rewrite { log } => {
                // The file is written again below, as a new one.
                let _ = fs_err::remove_file(&self.log(*log).path);
            }
            Act::Sweep => self.sweep(),
        }
        self.write();
    }

    fn relocate(&mut self, log: usize) {
        self.moves += 1;
        let folder = self.dir.path().join(format!("projects/moved-{}", self.moves));
        fs_err::create_dir_all(&folder).unwrap();
        let log = self.log(log);
        let path = folder.join(log.path.file_name().unwrap());
        if log.path.exists() {
            fs_err::rename(&log.path, &path).unwrap();
        }
        log.path = path;
    }

    fn write(&self) {
        for log in &self.logs {
            let torn = log.torn.as_deref().unwrap_or_default();
            let now = format!("{}{}", log.text, &torn[..torn.len() / 2]);
            if fs_err::read_to_string(&log.path).ok().as_deref() != Some(now.as_str()) {
                fs_err::write(&log.path, now).unwrap();
            }
        }
    }

    fn next_id(&mut self) -> String {
        let id = format!("11111111-0000-4000-8000-{:012}", self.written.len());
        self.written.insert(id.clone());
        id
    }

    fn sweep(&self) {
        self.sweep_into("archive", u64::MAX);
        // Everything leaves as soon as it is distilled.
        self.sweep_into("bounded", 0);
    }

    fn sweep_into(&self, home: &str, raw_soft_cap_bytes: u64) {
        let options = SyncOptions {
            budget: Some(Budget { raw_soft_cap_bytes, ..Budget::UNLIMITED }),
            spool: true,
            index: true,
            ..SyncOptions::new(
                Archive::indexed_at_home(backstory_store_sqlite::home(self.dir.path().join(home))),
                vec![Root { flavor: Flavor::Claude, dir: self.dir.path().join("projects") }],
            )
        };
        let report = sync(&options, Timestamp(1_790_000_000_000), &mut |_| {}).unwrap();
        assert_eq!(report.problems, []);
    }

    /// What outlives the raw events: the same whether they left early or never.
    fn kept(&self, home: &str) -> Vec<(String, u32, Option<Account>)> {
        let vault = Vault::open(&backstory_store_sqlite::home(self.dir.path().join(home))).unwrap();
        let all = SessionFilter { with_subagents: true, ..SessionFilter::default() };
        let mut kept: Vec<_> = vault
            .sessions(&all)
            .unwrap()
            .into_iter()
            .map(|session| {
                let account = vault.account(&session.session_uid).unwrap();
                (session.session_uid.to_string(), session.events, account)
            })
            .collect();
        kept.sort_by(|one, other| one.0.cmp(&other.0));
        kept
    }

    /// Every stored record id, as often as it is stored.
    fn stored(&self) -> Vec<String> {
        let vault =
            Vault::open(&backstory_store_sqlite::home(self.dir.path().join("archive"))).unwrap();
        let all = SessionFilter { with_subagents: true, ..SessionFilter::default() };
        let mut ids = Vec::new();
        for session in vault.sessions(&all).unwrap() {
            let events = vault.events(&session.session_uid).unwrap();
            assert!(events.iter().enumerate().all(|(at, event)| event.seq as usize == at));
            ids.extend(events.into_iter().filter_map(|event| event.native_id));
        }
        ids.sort();
        ids
    }
}

impl Log {
    fn append(&mut self, id: String) {
        self.complete();
        self.records.push(id);
        self.text.push_str(&line(&self.session, &self.records, self.records.len() - 1));
    }

    fn tear(&mut self, id: String) {
        self.complete();
        self.records.push(id);
        self.torn = Some(line(&self.session, &self.records, self.records.len() - 1));
    }

    fn complete(&mut self) {
        self.text.push_str(&self.torn.take().unwrap_or_default());
    }
}

fn line(session: &str, records: &[String], at: usize) -> String {
    let parent = at.checked_sub(1).map(|parent| &records[parent]);
    let record = serde_json::json!({
        "type": "user", "uuid": records[at], "parentUuid": parent, "sessionId": session,
        "timestamp": "2026-03-01T00:00:00.000Z", "isSidechain": false, "userType": "external",
        "cwd": "/src/app", "version": "2.1.100",
        "message": {"role": "user", "content": format!("prompt {}", records[at])},
    });
    format!("{record}\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_record_is_stored_exactly_once(acts in proptest::collection::vec(act(), 1..25)) {
        let mut world = World::new();
        for act in &acts {
            world.act(act);
        }
        for log in &mut world.logs {
            log.complete();
        }
        world.write();
        world.sweep();
        world.sweep();
        let written: Vec<String> = world.written.iter().cloned().collect();
        prop_assert_eq!(world.stored(), written);
        prop_assert_eq!(world.kept("bounded"), world.kept("archive"));
        let bounded = Vault::open(&backstory_store_sqlite::home(world.dir.path().join("bounded"))).unwrap();
        prop_assert_eq!(bounded.residents().unwrap(), []);
    }
}
