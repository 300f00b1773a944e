//! A session that a plugin posts and the same session's log are one session, in whatever order they come.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use backstory_distill::retention::Budget;
use backstory_engine::live::{SealOptions, SealReport};
use backstory_engine::pushed::{Incoming, Journal, Limits, Part, posted};
use backstory_engine::{
    Archive, ForgetChoice, Root, SyncOptions, evict, find_to_forget, forget, sync,
};
use backstory_model::{EventKind, Flavor, SealReason, SessionUid, Timestamp};
use backstory_store::{Home, SessionFilter, Vault};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::time::{Duration, UNIX_EPOCH};

const ID: &str = "5e551011-0000-4000-8000-000000000001";
const NOW: Timestamp = Timestamp(1_790_000_000_000);
/// When the logs were written.
const LOGGED: Timestamp = Timestamp(1_794_650_400_000);
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const BUDGET: Budget = Budget { raw_max_age_days: 45, ..Budget::UNLIMITED };

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

    fn journal(&self) -> Journal {
        Journal::new(self.home.clone(), Limits::default())
    }

    fn post(&mut self) {
        let message = |turn| {
            let (role, text) = Self::text(turn);
            let parts = vec![Part { text: Some(text), ..Part::default() }];
            Incoming { role: role.into(), parts, ..Incoming::default() }
        };
        let messages: Vec<Incoming> = (self.posted..self.turns).map(message).collect();
        self.journal().append(&format!("cc-{ID}"), &messages, NOW).unwrap();
        self.posted = self.turns;
    }

    /// Closes what was posted, in a file that was last written to at that moment.
    fn seal(&self, reason: &str, written: Timestamp) {
        self.journal().seal(&format!("cc-{ID}"), 0, reason, NOW).unwrap();
        let (id, _) = self.journal().list().remove(0);
        let folder = backstory_engine::pushed::folder(&self.home);
        let name = format!("{id}.jsonl");
        let folders = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let path = folders.map(|folder| folder.join(&name)).find(|path| path.exists()).unwrap();
        let file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
        let written = UNIX_EPOCH + Duration::from_millis(written.0 as u64);
        file.file().set_modified(written).unwrap();
    }

    /// How many posted files an eviction lets go, and how many stay.
    fn evict(&self, now: Timestamp) -> (usize, usize) {
        let archive = Archive::indexed_at_home(self.home.clone());
        let told = evict(&archive, &BUDGET, true, now).unwrap();
        let done = evict(&archive, &BUDGET, false, now).unwrap();
        assert_eq!(
            (told.posted.len(), told.evicted.len()),
            (done.posted.len(), done.evicted.len())
        );
        assert_eq!(told.after.raw_posted, done.after.raw_posted);
        (done.posted.len(), self.journal().list().len())
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
        self.sweep_sealing(None);
    }

    fn sweep_sealing(&self, seal: Option<SealOptions>) -> SealReport {
        let root = Root { flavor: Flavor::Claude, dir: self.dir.path().join("projects") };
        let archive = Archive::indexed_at_home(self.home.clone());
        let options =
            SyncOptions { spool: true, index: true, seal, ..SyncOptions::new(archive, vec![root]) };
        let report = sync(&options, NOW, &mut |_| ()).unwrap();
        assert_eq!(report.problems, []);
        report.sealed
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
    assert!(machine.journal().list().is_empty());
    machine.turns = 4;
    machine.post();
    machine.sweep();
    let vault = Vault::open(&machine.home).unwrap();
    assert!(vault.sessions(&SessionFilter::default()).unwrap().is_empty());
}

#[test]
fn a_command_to_the_agent_is_no_turn() {
    let mut machine = Machine::new();
    let part = Part { text: Some("/compact".into()), ..Part::default() };
    let command = Incoming { role: "user".into(), parts: vec![part], ..Incoming::default() };
    machine.journal().append(&format!("cc-{ID}"), &[command], NOW).unwrap();
    machine.turns = 2;
    machine.post();
    machine.sweep();
    machine.expect(2, "one prompt and its answer");
}

#[test]
fn what_the_log_lacks_never_leaves() {
    let mut machine = Machine::new();
    machine.turns = 4;
    machine.log();
    // The agent was killed before it wrote the last turn to its log.
    machine.turns = 6;
    machine.post();
    machine.seal("asked", Timestamp(NOW.0 - 50 * DAY_MS));
    machine.sweep();
    machine.expect(4, "the log is the truth");
    assert_eq!(machine.evict(NOW), (0, 1));
    let vault = Vault::open(&machine.home).unwrap();
    assert!(posted(&machine.home, &vault).unwrap()[0].outdoes_its_log(&vault).unwrap());
    machine.log();
    machine.sweep();
    machine.expect(6, "the log has it after all");
    assert_eq!(machine.evict(NOW), (1, 0));
    machine.expect(6, "the file was a second copy");
}

#[test]
fn what_was_read_before_its_log_came_is_compared_with_the_log() {
    let mut machine = Machine::new();
    machine.turns = 6;
    machine.post();
    machine.seal("asked", Timestamp(NOW.0 - 50 * DAY_MS));
    machine.sweep();
    machine.turns = 4;
    machine.log();
    machine.sweep();
    machine.expect(4, "the log is the truth");
    assert_eq!(machine.evict(NOW), (0, 1));
}

#[test]
fn a_second_copy_leaves_with_its_session_and_nothing_else_does() {
    for (logged, leaves) in [(6, 1), (4, 0)] {
        let mut machine = Machine::new();
        machine.turns = logged;
        machine.log();
        machine.turns = 6;
        machine.post();
        // Old enough to leave with the session, but not by itself.
        let later = Timestamp(LOGGED.0 + 46 * DAY_MS);
        machine.seal("asked", Timestamp(later.0 - 44 * DAY_MS));
        machine.sweep();
        assert_eq!(machine.evict(later), (leaves, 1 - leaves), "{logged} turns in the log");
        let vault = Vault::open(&machine.home).unwrap();
        assert!(vault.events(&Machine::uid()).unwrap().is_empty());
        assert_eq!(machine.evict(Timestamp(later.0 + 300 * DAY_MS)), (0, 1 - leaves));
    }
}

#[test]
fn what_was_sealed_where_it_was_posted_is_sealed_by_any_sweep() {
    for (is_known, reason, kept) in [
        (false, "idle", SealReason::Idle),
        (true, "idle", SealReason::Idle),
        (true, "threshold", SealReason::Asked),
    ] {
        let mut machine = Machine::new();
        machine.turns = 2;
        machine.post();
        if is_known {
            machine.sweep();
        }
        machine.seal(reason, NOW);
        let sealed = machine.sweep_sealing(Some(SealOptions::default())).sealed;
        assert_eq!(sealed.len(), 1);
        assert_eq!((&sealed[0].uid, sealed[0].reason), (&Machine::uid(), kept));
        assert_eq!(machine.sweep_sealing(Some(SealOptions::default())).sealed, [], "once");
        machine.turns = 4;
        machine.post();
        assert_eq!(machine.sweep_sealing(Some(SealOptions::default())).sealed, [], "still open");
    }
}

#[test]
fn where_a_session_was_posted_from_is_its_project_until_its_log_tells() {
    let mut machine = Machine::new();
    let part = Part { text: Some("where do we stand?".into()), ..Part::default() };
    let peer = Some("-home-ada-shop".to_owned());
    let said = Incoming { role: "user".into(), parts: vec![part], peer, at: None };
    machine.journal().append(&format!("cc-{ID}"), &[said], NOW).unwrap();
    machine.sweep();
    let project = |machine: &Machine| {
        let vault = Vault::open(&machine.home).unwrap();
        vault.session(&Machine::uid()).unwrap().unwrap().project_key
    };
    assert_eq!(project(&machine).as_deref(), Some("-home-ada-shop"));
    machine.turns = 1;
    machine.log();
    machine.sweep();
    assert_eq!(project(&machine).as_deref(), Some("/app"));
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
