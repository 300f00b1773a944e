//! Whatever several sessions do side by side, and whenever sealing runs, fails or is interrupted: every
//! turn is in exactly one seal, and nobody is sealed for another's sake but by the rule.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const SESSIONS: usize = 5;
const KNOBS: Knobs = Knobs { active_window_ms: 120_000, idle_ttl_ms: 1_800_000 };

#[derive(Clone, Debug)]
enum Step {
    /// A hook of a session fires.
    Event(usize, Happening),
    /// A turn is written to the log and its hook is killed.
    Unheard(usize),
    /// Time passes.
    Wait(i64),
    /// Sealing runs; one session may say something while it does.
    Seal { fails: bool, meanwhile: Option<(usize, Happening)> },
}

fn step() -> impl Strategy<Value = Step> {
    let happening = || prop::sample::select(Happening::ALL.to_vec());
    let event = || (0..SESSIONS, happening());
    let waits = prop::sample::select(vec![1, 1_000, 60_000, 120_000, 120_001, 600_000, 1_900_000]);
    prop_oneof![
        8 => event().prop_map(|(who, what)| Step::Event(who, what)),
        2 => (0..SESSIONS).prop_map(Step::Unheard),
        3 => waits.prop_map(Step::Wait),
        2 => (any::<bool>(), prop::option::of(event()))
            .prop_map(|(fails, meanwhile)| Step::Seal { fails, meanwhile }),
    ]
}

/// What really happened, told without the machine.
#[derive(Default)]
struct World {
    now: i64,
    states: BTreeMap<usize, LiveState>,
    /// Turns in each log, and those of them that are sealed.
    turns: [u32; SESSIONS],
    sealed: [u32; SESSIONS],
    /// When each was last heard of, and whether it ever said anything.
    heard: [Option<i64>; SESSIONS],
    spoke: [bool; SESSIONS],
}

fn agent(who: usize) -> Flavor {
    if who < 3 { Flavor::Codex } else { Flavor::Claude }
}

impl World {
    fn event(&mut self, who: usize, happening: Happening) {
        let now = Timestamp(self.now);
        let own = self.states.get(&who).cloned();
        let own = own.unwrap_or_else(|| LiveState::new(agent(who), &who.to_string(), now));
        let (places, others): (Vec<usize>, Vec<LiveState>) = self
            .states
            .iter()
            .filter(|(other, _)| **other != who)
            .map(|(at, s)| (*at, s.clone()))
            .unzip();
        if happening == Happening::Stopped {
            self.turns[who] += 1;
        }
        let decision = decide(own, &others, (happening, None), now, &KNOBS);
        for (place, reason) in decision.marked {
            let other = places[place];
            assert_eq!(happening, Happening::Began, "only a beginning marks others");
            if reason == SealReason::Orphaned {
                assert_eq!(self.active_beside(who), [other], "two may run side by side");
            } else {
                assert!(self.now - self.heard[other].unwrap() > 1_800_000);
            }
            let state = self.states.get_mut(&other).unwrap();
            state.mark = Some(Mark { reason, at: now });
        }
        self.states.insert(who, decision.own);
        self.heard[who] = Some(self.now);
        self.spoke[who] |= matches!(happening, Happening::Prompted | Happening::Stopped);
    }

    fn active_beside(&self, who: usize) -> Vec<usize> {
        (0..SESSIONS)
            .filter(|other| *other != who && agent(*other) == agent(who) && self.spoke[*other])
            .filter(|other| self.states.contains_key(other))
            .filter(|other| self.heard[*other].is_some_and(|at| self.now - at <= 120_000))
            .collect()
    }

    fn seal(&mut self, fails: bool, meanwhile: Option<(usize, Happening)>) {
        let now = Timestamp(self.now);
        let (before, written) = (self.states.clone(), self.turns);
        if let Some((who, happening)) = meanwhile {
            self.event(who, happening);
        }
        for (who, state) in &before {
            let Some(reason) = due(state, now, &KNOBS) else { continue };
            if fails {
                continue;
            }
            self.sealed[*who] = written[*who];
            if let Some(after) = settled(state, &self.states[who], reason) {
                self.states.insert(*who, after)
            } else {
                // Who comes back has to speak again before it counts.
                self.spoke[*who] = false;
                self.states.remove(who)
            };
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_turn_is_sealed_in_the_end(steps in prop::collection::vec(step(), 0..60)) {
        let mut world = World::default();
        for step in steps {
            match step {
                Step::Event(who, happening) => world.event(who, happening),
                // Whoever was never heard of is not live to us; the hook of its prompt is heard.
                Step::Unheard(who) if world.states.contains_key(&who) => world.turns[who] += 1,
                Step::Unheard(_) => {}
                Step::Wait(ms) => world.now += ms,
                Step::Seal { fails, meanwhile } => world.seal(fails, meanwhile),
            }
            for who in 0..SESSIONS {
                prop_assert!(world.sealed[who] <= world.turns[who]);
                if world.sealed[who] < world.turns[who] {
                    prop_assert!(world.states.contains_key(&who), "{who} is forgotten unsealed");
                }
            }
        }
        // Nobody ever starts again: the next sweep of any kind is enough. What was marked for a
        // compaction is sealed at once and gone the time after.
        for _ in 0..2 {
            world.now += 1_800_001;
            world.seal(false, None);
            prop_assert_eq!(world.sealed, world.turns);
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
            match step {
                Step::Event(who, happening) => world.event(who, happening),
                Step::Wait(ms) => world.now += ms,
                Step::Unheard(_) | Step::Seal { .. } => {}
            }
        }
        world.event(who, sign);
        let reason = due(&world.states[&who], Timestamp(world.now), &KNOBS);
        prop_assert!(!matches!(reason, Some(SealReason::Orphaned | SealReason::Idle)));
    }
}
