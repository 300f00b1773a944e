//! Sessions while they run: whatever hooks tell and whenever sweeps run, every turn is sealed once and
//! the last words of a turn are stored once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "live/interleavings.rs"]
mod interleavings;

use backstory_engine::live::{
    Happening, Knobs, LiveEvent, LiveState, SealChoice, SealOptions, SealReport, live, note,
};
use backstory_engine::{
    Archive, ForgetChoice, Root, SyncOptions, commit, find_to_forget, forget, sync,
};
use backstory_model::{EventKind, Flavor, Seal, SealReason, SessionUid, Timestamp};
use backstory_store::{Home, Vault};
use std::path::PathBuf;

const BEGAN: i64 = 1_790_000_000_000;
const KNOBS: Knobs = Knobs { active_window_ms: 120_000, idle_ttl_ms: 1_800_000 };

/// A machine with Claude Code on it.
struct Machine {
    dir: tempfile::TempDir,
    home: Home,
    /// Minutes.
    now: i64,
    lines: usize,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(dir.path().join("projects/-app")).unwrap();
        let home = backstory_store_sqlite::home(dir.path().join("home"));
        Self { dir, home, now: 0, lines: 0 }
    }

    fn at(&self) -> Timestamp {
        Timestamp(BEGAN + self.now * 60_000)
    }

    fn log(&self, session: &str) -> PathBuf {
        self.dir.path().join(format!("projects/-app/{session}.jsonl"))
    }

    /// A line reaches the session's log.
    fn write(&mut self, session: &str, role: &str, text: &str) {
        self.lines += 1;
        let content = match role {
            "user" => serde_json::json!(text),
            _ => serde_json::json!([{"type": "text", "text": text}]),
        };
        let line = serde_json::json!({
            "type": role, "uuid": format!("00000000-0000-4000-8000-{:012}", self.lines),
            "parentUuid": null, "sessionId": session, "timestamp": self.at().to_string(),
            "isSidechain": false, "userType": "external", "cwd": "/src/app", "version": "2.1.100",
            "message": {"role": role, "id": format!("m{}", self.lines), "content": content},
        });
        let log = self.log(session);
        let before = fs_err::read_to_string(&log).unwrap_or_default();
        fs_err::write(log, format!("{before}{line}\n")).unwrap();
    }

    fn hook(&self, session: &str, happening: Happening, said: Option<&str>) {
        let event = LiveEvent {
            agent: Flavor::Claude,
            session: session.into(),
            is_subagent: false,
            happening,
            event: format!("{happening:?}"),
            transcript_path: Some(self.log(session)),
            cwd: None,
            last_message: said.map(str::to_owned),
        };
        note(&self.home, &event, self.at(), &KNOBS).unwrap();
    }

    /// A whole turn with its hooks.
    fn turn(&mut self, session: &str, prompt: &str, answer: &str) {
        self.hook(session, Happening::Prompted, None);
        self.write(session, "user", prompt);
        self.write(session, "assistant", answer);
        self.hook(session, Happening::Stopped, Some(answer));
    }

    fn options(&self) -> SyncOptions {
        SyncOptions {
            spool: true,
            seal: Some(SealOptions { knobs: KNOBS, choice: SealChoice::Pending }),
            ..SyncOptions::new(
                Archive::indexed_at_home(self.home.clone()),
                vec![Root { flavor: Flavor::Claude, dir: self.dir.path().join("projects") }],
            )
        }
    }

    fn sweep(&self) -> SealReport {
        sync(&self.options(), self.at(), &mut |_| {}).unwrap().sealed
    }

    /// A sweep that is killed before it lets go of states and messages.
    fn crash(&self) -> SealReport {
        let kept: Vec<(PathBuf, Vec<u8>)> = [self.home.state().join("live"), self.home.spool()]
            .into_iter()
            .filter_map(|dir| fs_err::read_dir(dir).ok())
            .flatten()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), fs_err::read(path).unwrap()))
            .collect();
        let report = self.sweep();
        for (path, bytes) in kept {
            fs_err::write(path, bytes).unwrap();
        }
        report
    }

    fn commit(&self, choice: SealChoice) -> SealReport {
        let seal = SealOptions { knobs: KNOBS, choice };
        commit(&self.options(), &seal, self.at(), &mut |_| {}).unwrap().seals
    }

    fn vault(&self) -> Vault {
        Vault::open(&self.home).unwrap()
    }

    fn seals(&self, session: &str) -> Vec<(u32, SealReason)> {
        let seals = self.vault().seals_of(&uid(session)).unwrap();
        seals.iter().map(|seal: &Seal| (seal.last_seq, seal.reason)).collect()
    }

    /// Everything the agent said, as it is stored.
    fn said(&self, session: &str) -> Vec<String> {
        let vault = self.vault();
        let events = vault.events(&uid(session)).unwrap();
        let said = events.iter().filter(|event| event.kind == EventKind::AssistantMsg);
        said.map(|event| vault.payload(event).unwrap()).collect()
    }

    fn spooled(&self) -> usize {
        fs_err::read_dir(self.home.spool()).map_or(0, Iterator::count)
    }
}

fn uid(session: &str) -> SessionUid {
    SessionUid::new(Flavor::Claude, session)
}

#[test]
fn a_session_that_ends_is_sealed_and_let_go() {
    let mut machine = Machine::new();
    machine.hook("a", Happening::Began, None);
    machine.turn("a", "Make the cache expire", "It expires now.");
    assert_eq!(machine.sweep().sealed, []);
    machine.hook("a", Happening::Ended, None);
    let report = machine.sweep();
    assert_eq!(report.sealed.len(), 1, "{report:?}");
    assert!(live(&machine.home).is_empty());
    assert_eq!(machine.spooled(), 0);
    let seal = machine.vault().latest_seal(&uid("a")).unwrap().unwrap();
    assert_eq!((seal.number, seal.reason, seal.sealed_at), (1, SealReason::Ended, machine.at()));
    assert!(seal.overview.contains("Make the cache expire"), "{}", seal.overview);
    assert!(seal.overview.contains("It expires now."), "{}", seal.overview);
    // Nothing new: nothing is sealed.
    machine.hook("a", Happening::Resumed, None);
    machine.hook("a", Happening::Ended, None);
    assert_eq!(machine.sweep(), SealReport { unchanged: 1, ..SealReport::default() });
    assert!(live(&machine.home).is_empty());
}

#[test]
fn a_session_that_is_resumed_gets_another_seal() {
    let mut machine = Machine::new();
    machine.turn("a", "First", "Done with the first.");
    machine.hook("a", Happening::Ended, None);
    machine.sweep();
    machine.now = 60;
    machine.hook("a", Happening::Resumed, None);
    machine.turn("a", "Second", "Done with the second.");
    machine.hook("a", Happening::Ended, None);
    machine.sweep();
    let seals = machine.seals("a");
    assert_eq!(seals.len(), 2);
    assert!(seals[0].0 < seals[1].0);
    assert_eq!(machine.said("a").len(), 2);
}

#[test]
fn a_compaction_seals_and_the_session_goes_on() {
    let mut machine = Machine::new();
    machine.turn("a", "First", "Done with the first.");
    machine.hook("a", Happening::Compacting, None);
    machine.sweep();
    assert_eq!(machine.seals("a").len(), 1);
    let state = live(&machine.home).remove(0);
    assert_eq!((state.open, state.turns, state.mark), (false, 1, None));
    assert!(state.position > 0);
    machine.turn("a", "Second", "Done with the second.");
    machine.now = 31;
    machine.sweep();
    let reasons: Vec<SealReason> = machine.seals("a").into_iter().map(|(_, why)| why).collect();
    assert_eq!(reasons, [SealReason::Compaction, SealReason::Idle]);
    assert!(live(&machine.home).is_empty());
}

#[test]
fn whoever_is_silent_is_sealed_by_any_sweep() {
    let mut machine = Machine::new();
    machine.turn("a", "Hello", "Hi, what shall we do?");
    machine.now = 30;
    assert_eq!(machine.sweep().sealed, []);
    machine.now = 31;
    assert_eq!(machine.sweep().sealed[0].reason, SealReason::Idle);
    assert_eq!(machine.sweep(), SealReport::default());
}

#[test]
fn the_session_a_new_one_leaves_behind_is_sealed() {
    let mut machine = Machine::new();
    machine.turn("a", "Hello", "Hi, what shall we do?");
    machine.now = 1;
    machine.hook("b", Happening::Began, None);
    assert_eq!(machine.sweep().sealed[0].reason, SealReason::Orphaned);
    // Two that run side by side are left alone by a third.
    machine.turn("b", "One", "Done with one.");
    machine.turn("c", "Two", "Done with two.");
    machine.hook("d", Happening::Began, None);
    assert_eq!(machine.sweep().sealed, []);
    machine.now = 40;
    assert_eq!(machine.sweep().sealed.len(), 2);
    assert!(live(&machine.home).is_empty());
}

#[test]
fn words_the_log_lacks_are_kept_until_it_has_them() {
    let mut machine = Machine::new();
    machine.hook("a", Happening::Prompted, None);
    machine.write("a", "user", "Hello");
    machine.hook("a", Happening::Stopped, Some("Hi, what shall we do today?"));
    machine.sweep();
    assert_eq!(machine.spooled(), 1, "the log lacks the answer");
    machine.write("a", "assistant", "Hi, what shall we do today?");
    machine.sweep();
    assert_eq!(machine.spooled(), 0);
    assert_eq!(machine.said("a"), ["Hi, what shall we do today?"]);
}

#[test]
fn the_same_words_of_an_earlier_turn_are_not_these() {
    let mut machine = Machine::new();
    machine.turn("a", "Hello", "Done.");
    machine.now = 5;
    machine.hook("a", Happening::Prompted, None);
    machine.write("a", "user", "Again");
    machine.hook("a", Happening::Stopped, Some("Done."));
    machine.sweep();
    assert_eq!(machine.spooled(), 1);
    machine.now = 40;
    assert_eq!(machine.sweep().stand_ins, 1);
    assert_eq!(machine.said("a"), ["Done.", "Done."]);
}

#[test]
fn words_of_a_killed_agent_become_an_event_and_are_never_doubled() {
    let mut machine = Machine::new();
    machine.hook("a", Happening::Prompted, None);
    machine.write("a", "user", "Hello");
    machine.hook("a", Happening::Stopped, Some("The key lies under the mat."));
    machine.hook("a", Happening::Ended, None);
    // Its last line may be on its way.
    let report = machine.sweep();
    assert_eq!((report.waiting, report.sealed.len(), report.stand_ins), (1, 0, 0));
    machine.now = 1;
    let report = machine.sweep();
    assert_eq!((report.waiting, report.sealed.len(), report.stand_ins), (0, 1, 1));
    assert_eq!(machine.said("a"), ["The key lies under the mat."]);
    assert_eq!((machine.spooled(), live(&machine.home).len()), (0, 0));
    let seal = machine.vault().latest_seal(&uid("a")).unwrap().unwrap();
    assert!(seal.overview.contains("under the mat"), "{}", seal.overview);
    // After all; it says when it was said.
    machine.now = 0;
    machine.write("a", "assistant", "The key lies under the mat.");
    machine.now = 1;
    machine.sweep();
    assert_eq!(machine.said("a"), ["The key lies under the mat."]);
    machine.now = 60;
    machine.write("a", "assistant", "The key lies under the mat.");
    machine.sweep();
    assert_eq!(machine.said("a").len(), 2, "said again an hour later");
}

#[test]
fn the_same_words_of_a_later_turn_are_said_anew() {
    let mut machine = Machine::new();
    for (turn, is_written) in [false, true, false].into_iter().enumerate() {
        machine.now = turn as i64;
        machine.hook("a", Happening::Prompted, None);
        machine.write("a", "user", &format!("Request {turn}"));
        if is_written {
            machine.write("a", "assistant", "All done, the tests pass.");
        }
        machine.hook("a", Happening::Stopped, Some("All done, the tests pass."));
        machine.hook("a", Happening::Ended, None);
        machine.sweep();
    }
    machine.now = 3;
    machine.sweep();
    assert_eq!(machine.said("a"), ["All done, the tests pass."; 3]);
    assert_eq!(machine.spooled(), 0);
}

#[test]
fn a_crash_between_the_seal_and_its_state_seals_nothing_twice() {
    let mut machine = Machine::new();
    machine.turn("a", "Hello", "Hi, what shall we do?");
    machine.hook("a", Happening::Ended, None);
    assert_eq!(machine.crash().sealed.len(), 1);
    let report = machine.sweep();
    assert_eq!((report.sealed.len(), report.unchanged), (0, 1));
    assert_eq!(machine.seals("a").len(), 1);
    assert_eq!((machine.spooled(), live(&machine.home).len()), (0, 0));
}

#[test]
fn a_session_without_a_log_waits_and_is_given_up_in_the_end() {
    let mut machine = Machine::new();
    machine.hook("a", Happening::Prompted, None);
    machine.hook("a", Happening::Ended, None);
    assert_eq!(machine.sweep().waiting, 1);
    assert_eq!(live(&machine.home).len(), 1);
    machine.now = 31;
    assert_eq!(machine.sweep().unchanged, 1);
    assert!(live(&machine.home).is_empty());
}

#[test]
fn words_of_a_session_without_a_log_wait_for_it() {
    let mut machine = Machine::new();
    let last = "The key lies under the mat.";
    for session in ["a", "b"] {
        machine.hook(session, Happening::Prompted, None);
        machine.hook(session, Happening::Stopped, Some(last));
        machine.hook(session, Happening::Ended, None);
    }
    machine.now = 31;
    machine.sweep();
    assert_eq!((machine.spooled(), live(&machine.home).len()), (2, 0), "nobody has their logs");
    // One log is found late, and lacks the end.
    machine.now = 24 * 60;
    machine.write("a", "user", "Where is the key?");
    assert_eq!(machine.sweep().stand_ins, 1);
    assert_eq!((machine.said("a"), machine.spooled()), (vec![last.to_owned()], 1));
    // The other one is never found.
    machine.now = 30 * 24 * 60;
    machine.sweep();
    assert_eq!(machine.spooled(), 1);
    machine.now += 1;
    machine.sweep();
    assert_eq!((machine.spooled(), machine.said("a").len()), (0, 1));
}

#[test]
fn sealing_on_request_leaves_a_running_session_running() {
    let mut machine = Machine::new();
    machine.turn("a", "Hello", "Hi, what shall we do?");
    machine.turn("b", "Good day", "Good day to you, too.");
    assert_eq!(machine.commit(SealChoice::Pending).sealed, []);
    let one = machine.commit(SealChoice::Session(uid("b")));
    assert_eq!((one.sealed.len(), one.sealed[0].reason), (1, SealReason::Asked));
    let all = machine.commit(SealChoice::All);
    assert_eq!((all.sealed.len(), all.unchanged), (1, 1));
    assert_eq!(live(&machine.home).iter().filter(|state| state.open).count(), 0);
    machine.turn("b", "Go on", "And on and on it went.");
    machine.now = 31;
    machine.sweep();
    assert_eq!((machine.seals("a").len(), machine.seals("b").len()), (1, 2));
}

#[test]
fn a_forgotten_session_is_never_sealed() {
    let mut machine = Machine::new();
    machine.turn("a", "Hello", "Hi, what shall we do?");
    machine.hook("a", Happening::Compacting, None);
    machine.sweep();
    machine.hook("a", Happening::Stopped, Some("A word the log never had."));
    let choice = ForgetChoice { matching: Some("what shall we".into()), ..Default::default() };
    let found = find_to_forget(&machine.home, &choice).unwrap();
    assert_eq!(found.len(), 1);
    forget(&machine.options().archive, &found, machine.at()).unwrap();
    assert_eq!((machine.spooled(), live(&machine.home).len()), (0, 0));
    machine.hook("a", Happening::Stopped, Some("Nor this one."));
    machine.hook("a", Happening::Ended, None);
    machine.now = 1;
    assert_eq!(machine.sweep().sealed, []);
    assert_eq!((machine.seals("a").len(), machine.said("a").len()), (0, 0));
    assert_eq!((machine.spooled(), live(&machine.home).len()), (0, 0));
}
