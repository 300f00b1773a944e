//! Whatever sessions do side by side, however late their logs are and wherever a sweep is cut off: all that
//! was said is in the archive once, and in one seal.

use super::*;
use proptest::prelude::*;

const SESSIONS: usize = 4;
const IDLE: i64 = 31;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A hook fires that tells of no turn.
    Hook(usize, Happening),
    /// A whole turn with its hooks.
    Turn(usize),
    /// A turn whose end is told before the log has it.
    Hasty(usize),
    /// The log gets that end after all.
    Flush(usize),
    /// A turn whose hooks are killed.
    Unheard(usize),
    /// Minutes pass.
    Wait(i64),
    Sweep,
    /// A sweep that is killed before it lets go of what it sealed.
    Crash,
}

fn step() -> impl Strategy<Value = Step> {
    use Happening::{Began, Compacting, Ended, Resumed, Seen};
    let who = || 0..SESSIONS;
    let happening = prop::sample::select(vec![Began, Resumed, Compacting, Ended, Seen]);
    prop_oneof![
        4 => (who(), happening).prop_map(|(who, happening)| Step::Hook(who, happening)),
        3 => who().prop_map(Step::Turn),
        3 => who().prop_map(Step::Hasty),
        2 => who().prop_map(Step::Flush),
        1 => who().prop_map(Step::Unheard),
        2 => prop::sample::select(vec![1, 3, IDLE]).prop_map(Step::Wait),
        3 => Just(Step::Sweep),
        1 => Just(Step::Crash),
    ]
}

/// What was said, told without the archive.
struct World {
    machine: Machine,
    answers: [Vec<String>; SESSIONS],
    /// Ends of turns that are on their way to the log, and when they were said.
    late: [Option<(i64, String)>; SESSIONS],
}

fn name(who: usize) -> String {
    format!("session-{who}")
}

impl World {
    fn new() -> Self {
        Self { machine: Machine::new(), answers: Default::default(), late: Default::default() }
    }

    /// The next question and its answer.
    fn next(&mut self, who: usize) -> (String, String) {
        let number: usize = self.answers.iter().map(Vec::len).sum();
        let answer = format!("This is the answer number {number:03}, given in session {who}.");
        self.answers[who].push(answer.clone());
        // Whoever goes on will not write what it owes any more.
        self.late[who] = None;
        (format!("Please answer question number {number:03}."), answer)
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Hook(who, happening) => self.machine.hook(&name(who), happening, None),
            Step::Turn(who) => {
                let (question, answer) = self.next(who);
                self.machine.turn(&name(who), &question, &answer);
            }
            Step::Hasty(who) => {
                let (question, answer) = self.next(who);
                self.machine.hook(&name(who), Happening::Prompted, None);
                self.machine.write(&name(who), "user", &question);
                self.machine.hook(&name(who), Happening::Stopped, Some(&answer));
                self.late[who] = Some((self.machine.now, answer));
            }
            Step::Flush(who) => {
                let Some((said_at, answer)) = self.late[who].take() else { return };
                // A line has the time of what it tells.
                let now = std::mem::replace(&mut self.machine.now, said_at);
                self.machine.write(&name(who), "assistant", &answer);
                self.machine.now = now;
            }
            Step::Unheard(who) => {
                // Of whoever is not live nobody expects anything.
                let is_live = |state: &LiveState| state.session == name(who);
                if live(&self.machine.home).iter().any(is_live) {
                    let (question, answer) = self.next(who);
                    self.machine.write(&name(who), "user", &question);
                    self.machine.write(&name(who), "assistant", &answer);
                }
            }
            Step::Wait(minutes) => self.machine.now += minutes,
            Step::Sweep => {
                self.machine.sweep();
            }
            Step::Crash => {
                self.machine.crash();
            }
        }
    }

    /// All of a session is stored once and sealed once.
    fn check(&self, who: usize) -> Result<(), TestCaseError> {
        let (session, mut expected) = (name(who), self.answers[who].clone());
        if expected.is_empty() {
            return Ok(());
        }
        let mut stored = self.machine.said(&session);
        stored.sort();
        expected.sort();
        prop_assert_eq!(stored, expected);
        let ends: Vec<u32> = self.machine.seals(&session).iter().map(|(last, _)| *last).collect();
        prop_assert!(ends.is_sorted_by(|one, next| one < next), "sealed twice: {:?}", ends);
        let events = self.machine.vault().events(&uid(&session)).unwrap();
        let last = events.iter().rfind(|event| event.kind == EventKind::AssistantMsg).unwrap();
        prop_assert!(ends.last().is_some_and(|end| *end >= last.seq), "{} of {:?}", last.seq, ends);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn all_that_is_said_is_stored_once_and_sealed_once(
        steps in prop::collection::vec(step(), 0..30),
    ) {
        let mut world = World::new();
        for step in steps {
            world.step(step);
        }
        // Nobody says anything any more: two sweeps, whoever starts them, are enough.
        for _ in 0..2 {
            world.machine.now += IDLE;
            world.machine.sweep();
        }
        for who in 0..SESSIONS {
            world.check(who)?;
        }
        prop_assert_eq!((world.machine.spooled(), live(&world.machine.home).len()), (0, 0));
    }
}
