//! Whatever several sessions do side by side, and whenever sealing runs, fails or is interrupted: every
//! turn is in exactly one seal, nobody is sealed for another's sake but by the rule, and what is remembered
//! of a session is what happened in it.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const SESSIONS: usize = 5;
const KNOBS: Knobs = Knobs { active_window_ms: 120_000, idle_ttl_ms: 1_800_000 };
/// Bytes a turn takes in a log.
const TURN: u64 = 100;

#[derive(Clone, Debug)]
enum Step {
    /// A hook of a session fires.
    Event(Told),
    /// A turn is written to the log and its hook is killed.
    Unheard(usize),
    /// Time passes.
    Wait(i64),
    /// Sealing runs; one session may say something while it does.
    Seal { ends: Ending, meanwhile: Option<Told> },
}

/// What a hook tells, of whom, and what happened to the log before.
#[derive(Clone, Copy, Debug)]
struct Told {
    who: usize,
    happening: Happening,
    log: Log,
}

#[derive(Clone, Copy, Debug)]
enum Log {
    /// It has grown by so many bytes.
    Grown(u64),
    /// It was written anew, in so many percent of its bytes.
    Rewritten(u64),
    /// The hook cannot see it.
    Unseen,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    Done,
    /// Nothing is stored.
    Fails,
    /// Seals are stored, and no state is let go.
    Crashes,
}

fn told() -> impl Strategy<Value = Told> {
    let log = prop_oneof![
        4 => (0..500_u64).prop_map(Log::Grown),
        1 => (0..100_u64).prop_map(Log::Rewritten),
        1 => Just(Log::Unseen),
    ];
    let happening = prop::sample::select(Happening::ALL.to_vec());
    (0..SESSIONS, happening, log).prop_map(|(who, happening, log)| Told { who, happening, log })
}

fn step() -> impl Strategy<Value = Step> {
    let waits = prop::sample::select(vec![1, 1_000, 60_000, 120_000, 120_001, 600_000, 1_900_000]);
    let ends = prop::sample::select(vec![Ending::Done, Ending::Fails, Ending::Crashes]);
    prop_oneof![
        8 => told().prop_map(Step::Event),
        2 => (0..SESSIONS).prop_map(Step::Unheard),
        3 => waits.prop_map(Step::Wait),
        2 => (ends, prop::option::of(told()))
            .prop_map(|(ends, meanwhile)| Step::Seal { ends, meanwhile }),
    ]
}

/// A turn in a log.
#[derive(Debug)]
struct Turn {
    is_heard: bool,
    /// In how many seals it is.
    seals: u32,
}

/// What really happened in a session, told without the machine.
#[derive(Debug, Default)]
struct Session {
    turns: Vec<Turn>,
    /// How many of them the archive knows to be sealed.
    covered: usize,
    bytes: u64,
    /// What a hook last saw of the log, and the ends of turns heard of since it was last seen to be shorter.
    seen: u64,
    ends: u32,
    /// When it was last heard of, and whether the human said anything since it was let go.
    heard: Option<i64>,
    has_spoken: bool,
    /// Its agent works on a prompt.
    is_at_work: bool,
}

impl Session {
    /// What happens, and the length of the log as the hook sees it.
    fn happens(&mut self, happening: Happening, log: Log) -> Option<u64> {
        match log {
            Log::Grown(by) => self.bytes += by,
            Log::Rewritten(percent) => self.bytes = self.bytes * percent / 100,
            Log::Unseen => {}
        }
        let has_ended = happening == Happening::Stopped;
        if has_ended {
            self.write(true);
        }
        let seen = (!matches!(log, Log::Unseen)).then_some(self.bytes);
        if seen.is_some_and(|bytes| bytes < self.seen) {
            self.ends = 0;
        }
        self.seen = seen.unwrap_or(self.seen);
        self.ends += u32::from(has_ended);
        self.has_spoken |= happening == Happening::Prompted;
        self.is_at_work = match happening {
            Happening::Prompted => true,
            Happening::Resumed | Happening::Compacting | Happening::Seen => self.is_at_work,
            _ => false,
        };
        seen
    }

    fn write(&mut self, is_heard: bool) {
        self.turns.push(Turn { is_heard, seals: 0 });
        self.bytes += TURN;
    }

    /// The archive adds a seal over what was read of the log and has none.
    fn seal(&mut self, read: usize) {
        let covered = self.covered.min(read);
        for turn in &mut self.turns[covered..read] {
            turn.seals += 1;
        }
        self.covered = read;
    }

    /// Whoever comes back is heard of for the first time.
    fn let_go(&mut self) {
        (self.seen, self.ends, self.has_spoken) = (0, 0, false);
        self.is_at_work = false;
    }

    fn is_sealed(&self) -> bool {
        self.turns.iter().all(|turn| turn.seals == 1)
    }

    /// True if the state remembers what happened, and does not call a turn sealed that is not.
    fn is_remembered_by(&self, state: &LiveState) -> bool {
        let mut unsealed = self.turns.iter().filter(|turn| turn.is_heard && turn.seals == 0);
        (state.turns, state.position) == (self.ends, self.seen)
            && (state.open || unsealed.next().is_none())
    }
}

#[derive(Default)]
struct World {
    now: i64,
    states: BTreeMap<usize, LiveState>,
    sessions: [Session; SESSIONS],
}

fn agent(who: usize) -> Flavor {
    if who < 4 { Flavor::Codex } else { Flavor::Claude }
}

/// One of the four of an agent works for another.
fn is_subagent(who: usize) -> bool {
    who == 3
}

impl World {
    fn event(&mut self, told: Told) {
        let Told { who, happening, log } = told;
        if happening == Happening::Stopped && !self.sessions[who].has_spoken {
            // Agents tell of a prompt before its turn ends.
            self.event(Told { happening: Happening::Prompted, ..told });
        }
        let now = Timestamp(self.now);
        let log_bytes = self.sessions[who].happens(happening, log);
        let own = self.states.get(&who).cloned();
        let own = own.unwrap_or_else(|| LiveState {
            is_subagent: is_subagent(who),
            ..LiveState::new(agent(who), &who.to_string(), now)
        });
        let (places, others): (Vec<usize>, Vec<LiveState>) = self
            .states
            .iter()
            .filter(|(other, _)| **other != who)
            .map(|(at, s)| (*at, s.clone()))
            .unzip();
        let decision = decide(own, &others, (happening, log_bytes), now, &KNOBS);
        let marked: Vec<(usize, SealReason)> =
            decision.marked.iter().map(|(place, reason)| (places[*place], *reason)).collect();
        self.check_marked(who, happening, &marked);
        for (other, reason) in marked {
            self.states.get_mut(&other).unwrap().mark = Some(Mark { reason, at: now });
        }
        self.states.insert(who, decision.own);
        self.sessions[who].heard = Some(self.now);
    }

    /// Only a beginning marks others: whoever was silent for long, and the one whose place it takes.
    fn check_marked(&self, who: usize, happening: Happening, marked: &[(usize, SealReason)]) {
        assert!(marked.is_empty() || happening == Happening::Began, "{happening:?}");
        let mut orphans = Vec::new();
        for (other, reason) in marked {
            if *reason == SealReason::Orphaned {
                assert!(!self.sessions[*other].is_at_work, "{other} is at work");
                orphans.push(*other);
            } else {
                assert!(self.now - self.sessions[*other].heard.unwrap() > 1_800_000);
            }
        }
        let replaced = match self.active_beside(who)[..] {
            [only] if happening == Happening::Began && !self.sessions[only].is_at_work => {
                Some(&self.states[&only])
            }
            // Two may run side by side.
            _ => None,
        };
        let replaced = replaced.filter(|state| state.open && state.mark.is_none());
        let replaced = replaced.map(|state| state.session.parse::<usize>().unwrap());
        assert_eq!(orphans, replaced.into_iter().collect::<Vec<_>>());
    }

    fn active_beside(&self, who: usize) -> Vec<usize> {
        (0..SESSIONS)
            .filter(|other| *other != who && agent(*other) == agent(who))
            .filter(|other| !is_subagent(who) && !is_subagent(*other))
            .filter(|other| self.states.contains_key(other) && self.sessions[*other].has_spoken)
            .filter(|other| self.sessions[*other].heard.is_some_and(|at| self.now - at <= 120_000))
            .collect()
    }

    fn seal(&mut self, ends: Ending, meanwhile: Option<Told>) {
        let now = Timestamp(self.now);
        let before = self.states.clone();
        let read: Vec<usize> = self.sessions.iter().map(|session| session.turns.len()).collect();
        if let Some(told) = meanwhile {
            self.event(told);
        }
        for (who, state) in before {
            let Some(reason) = due(&state, now, &KNOBS).filter(|_| ends != Ending::Fails) else {
                continue;
            };
            self.sessions[who].seal(read[who]);
            if ends == Ending::Crashes {
                continue;
            }
            if let Some(after) = settled(&state, &self.states[&who], reason) {
                self.states.insert(who, after);
            } else {
                self.sessions[who].let_go();
                self.states.remove(&who);
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Event(told) => self.event(*told),
            // Whoever was never heard of is not live to us; the hook of its prompt is heard.
            Step::Unheard(who) if self.states.contains_key(who) => self.sessions[*who].write(false),
            Step::Unheard(_) => {}
            Step::Wait(ms) => self.now += ms,
            Step::Seal { ends, meanwhile } => self.seal(*ends, *meanwhile),
        }
    }

    /// What holds after every step.
    fn check(&self, step: &Step) -> Result<(), TestCaseError> {
        for (who, session) in self.sessions.iter().enumerate() {
            prop_assert!(session.turns.iter().all(|turn| turn.seals <= 1), "{who} is sealed twice");
            let Some(state) = self.states.get(&who) else {
                prop_assert!(session.is_sealed(), "{who} is forgotten unsealed: {session:?}");
                continue;
            };
            prop_assert!(session.is_remembered_by(state), "{who}: {state:?} of {session:?}");
            if matches!(step, Step::Seal { ends: Ending::Done, meanwhile: None }) {
                // What was sealed is not sealed again; only who was silent for too long is let go later.
                let again = due(state, Timestamp(self.now), &KNOBS);
                prop_assert!(again.is_none_or(|reason| reason == SealReason::Idle), "{state:?}");
                prop_assert!(again.is_none() || session.is_sealed(), "{who}: {session:?}");
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_turn_is_sealed_in_the_end(steps in prop::collection::vec(step(), 0..60)) {
        let mut world = World::default();
        for step in steps {
            world.step(&step);
            world.check(&step)?;
        }
        // Nobody ever starts again: the next sweep of any kind is enough. What was marked for a
        // compaction is sealed at once and gone the time after.
        for _ in 0..2 {
            world.now += 1_800_001;
            world.seal(Ending::Done, None);
            prop_assert!(world.sessions.iter().all(Session::is_sealed));
        }
        prop_assert!(world.states.is_empty(), "{:?}", world.states);
    }

    #[test]
    fn a_session_that_goes_on_is_not_sealed_as_an_orphan(
        steps in prop::collection::vec(step(), 0..40),
        who in 0..SESSIONS,
        sign in prop::sample::select(vec![Happening::Prompted, Happening::Stopped, Happening::Seen]),
    ) {
        let mut world = World::default();
        for step in steps {
            if matches!(step, Step::Event(_) | Step::Wait(_)) {
                world.step(&step);
            }
        }
        world.event(Told { who, happening: sign, log: Log::Unseen });
        let reason = due(&world.states[&who], Timestamp(world.now), &KNOBS);
        prop_assert!(!matches!(reason, Some(SealReason::Orphaned | SealReason::Idle)));
    }
}
