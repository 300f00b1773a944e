//! A session that a plugin posts and the same session's log are one session, in whatever order they come.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use backstory_engine::pushed::{Incoming, Journal, Limits, Part};
use backstory_engine::{Archive, ForgetChoice, Root, SyncOptions, find_to_forget, forget, sync};
use backstory_model::{EventKind, Flavor, SessionUid, Timestamp};
use backstory_store::{Home, SessionFilter, Vault};
use proptest::prelude::*;
use std::fmt::Write as _;

const ID: &str = "5e551011-0000-4000-8000-000000000001";
const NOW: Timestamp = Timestamp(1_790_000_000_000);

/// A machine with Claude Code, its plugin and our server.
struct Machine {
    dir: tempfile::TempDir,
    home: Home,
    /// Turns said so far.
    turns: usize,
    posted: usize,
    logged: usize,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(dir.path().join("projects/-app")).unwrap();
        let home = backstory_store_sqlite::home(dir.path().join("home"));
        Self { dir, home, turns: 0, posted: 0, logged: 0 }
    }

    fn uid() -> SessionUid {
        SessionUid::new(Flavor::Claude, ID)
    }

    fn text(turn: usize) -> (&'static str, String) {
        let role = if turn.is_multiple_of(2) { "user" } else { "assistant" };
        (role, format!("turn number {turn} speaks of the harbour"))
    }

    fn post(&mut self) {
        let message = |turn| {
            let (role, text) = Self::text(turn);
            let parts = vec![Part { text: Some(text), ..Part::default() }];
            Incoming { role: role.into(), parts, ..Incoming::default() }
        };
        let messages: Vec<Incoming> = (self.posted..self.turns).map(message).collect();
        let journal = Journal::new(self.home.clone(), Limits::default());
        journal.append(&format!("cc-{ID}"), &messages, NOW).unwrap();
        self.posted = self.turns;
    }

    fn log(&mut self) {
        let path = self.dir.path().join(format!("projects/-app/{ID}.jsonl"));
        let mut text = fs_err::read_to_string(&path).unwrap_or_default();
        for turn in self.logged..self.turns {
            let (role, words) = Self::text(turn);
            let content = serde_json::json!([{"type": "text", "text": words}]);
            let line = serde_json::json!({"type": role, "uuid": format!("u{turn}"),
                "parentUuid": null, "sessionId": ID, "cwd": "/app", "version": "2.1.0",
                "timestamp": format!("2026-11-14T10:{:02}:{:02}.000Z", turn / 60, turn % 60),
                "message": {"role": role, "content": content, "id": format!("m{turn}")}});
            let _ = writeln!(text, "{line}");
        }
        fs_err::write(path, text).unwrap();
        self.logged = self.turns;
    }

    fn sweep(&self) {
        let root = Root { flavor: Flavor::Claude, dir: self.dir.path().join("projects") };
        let archive = Archive::indexed_at_home(self.home.clone());
        let options =
            SyncOptions { spool: true, index: true, ..SyncOptions::new(archive, vec![root]) };
        let report = sync(&options, NOW, &mut |_| ()).unwrap();
        assert_eq!(report.problems, []);
    }

    /// What the archive tells of the session: how many prompts and answers its row counts, and their
    /// words in order.
    fn told(&self) -> (u32, Vec<String>) {
        let vault = Vault::open(&self.home).unwrap();
        let sessions = vault.sessions(&SessionFilter::default()).unwrap();
        let Some(session) = sessions.first() else { return (0, Vec::new()) };
        assert_eq!((sessions.len(), &session.session_uid), (1, &Self::uid()));
        let events = vault.events(&Self::uid()).unwrap();
        assert_eq!(session.events as usize, events.len(), "the row counts what is there");
        let is_word =
            |kind: EventKind| matches!(kind, EventKind::UserMsg | EventKind::AssistantMsg);
        let words = events.iter().filter(|event| is_word(event.kind));
        let words: Vec<String> = words.map(|event| vault.payload(event).unwrap()).collect();
        let digest = vault.account(&Self::uid()).unwrap().unwrap().digest;
        (digest.prompts, words)
    }

    fn expect(&self, turns: usize, what: &str) {
        let words: Vec<String> = (0..turns).map(|turn| Self::text(turn).1).collect();
        assert_eq!(self.told(), (turns.div_ceil(2) as u32, words), "{what}");
    }
}

#[test]
fn what_was_posted_is_a_session_like_any_other() {
    let mut machine = Machine::new();
    machine.turns = 4;
    machine.post();
    machine.sweep();
    machine.expect(4, "posted");
    let vault = Vault::open(&machine.home).unwrap();
    let session = vault.session(&Machine::uid()).unwrap().unwrap();
    assert_eq!(session.title.as_deref(), Some("turn number 0 speaks of the harbour"));
    machine.turns = 6;
    machine.post();
    machine.sweep();
    machine.expect(6, "posted more");
}

#[test]
fn the_log_takes_the_place_of_what_was_posted() {
    let mut machine = Machine::new();
    machine.turns = 4;
    machine.post();
    machine.sweep();
    machine.turns = 6;
    machine.log();
    machine.sweep();
    machine.expect(6, "the log came later");
    machine.turns = 8;
    machine.post();
    machine.sweep();
    machine.expect(6, "what is posted beside the log waits for the log");
    machine.log();
    machine.sweep();
    machine.expect(8, "the log has it");
    let vault = Vault::open(&machine.home).unwrap();
    let session = vault.session(&Machine::uid()).unwrap().unwrap();
    assert_eq!(session.cwd.as_deref(), Some("/app"));
    assert_eq!(session.started_at, Timestamp::parse("2026-11-14T10:00:00Z"));
}

#[test]
fn what_is_forgotten_is_gone_from_what_was_posted_too() {
    let mut machine = Machine::new();
    machine.turns = 2;
    machine.post();
    machine.sweep();
    let choice = ForgetChoice { sessions: vec![Machine::uid()], ..ForgetChoice::default() };
    let found = find_to_forget(&machine.home, &choice).unwrap();
    let archive = Archive::indexed_at_home(machine.home.clone());
    assert_eq!(forget(&archive, &found, NOW).unwrap().len(), 1);
    assert!(Journal::new(machine.home.clone(), Limits::default()).list().is_empty());
    machine.turns = 4;
    machine.post();
    machine.sweep();
    let vault = Vault::open(&machine.home).unwrap();
    assert!(vault.sessions(&SessionFilter::default()).unwrap().is_empty());
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Say,
    Post,
    Log,
    Sweep,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever comes first, no turn is doubled, and in the end the log has them all.
    #[test]
    fn any_order_ends_the_same(
        steps in prop::collection::vec(
            prop_oneof![Just(Step::Say), Just(Step::Post), Just(Step::Log), Just(Step::Sweep)],
            1..14,
        )
    ) {
        let mut machine = Machine::new();
        machine.turns = 1;
        for step in steps {
            match step {
                Step::Say => machine.turns += 1,
                Step::Post => machine.post(),
                Step::Log => machine.log(),
                Step::Sweep => {
                    machine.sweep();
                    let known = if machine.logged > 0 { machine.logged } else { machine.posted };
                    if known > 0 {
                        machine.expect(known, "in between");
                    }
                }
            }
        }
        machine.log();
        machine.sweep();
        machine.expect(machine.turns, "in the end");
    }
}
