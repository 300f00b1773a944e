//! Agents that are killed or stopped at any moment.

use crate::machine::{Machine, clis};
use backstory_model::{EventKind, Flavor, SealReason};
use backstory_testkit::agents::Stop;
use backstory_testkit::mock::Mock;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// How often each agent is killed…
const KILLS: usize = 5;
/// …and until when: a turn of the story takes about so long.
const LATEST_MS: u64 = 2_800;

/// Moments to kill at, the same for the same seed.
struct Moments(u64);

impl Moments {
    /// Others in every run, unless a run is to be repeated.
    #[expect(clippy::disallowed_methods, reason = "a switch of the tests, not of the program")]
    fn seeded() -> Self {
        let named = std::env::var("BACKSTORY_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        Self(named.unwrap_or_else(|| RandomState::new().hash_one("moments")))
    }

    fn next(&mut self) -> Duration {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9), (27, 0x94d0_49bb_1331_11eb)] {
            mixed = (mixed ^ (mixed >> shift)).wrapping_mul(factor);
        }
        Duration::from_millis((mixed ^ (mixed >> 31)) % LATEST_MS)
    }
}

#[test]
fn killing_an_agent_at_any_moment_loses_nothing() {
    let mut moments = Moments::seeded();
    eprintln!("BACKSTORY_TEST_SEED={} repeats this run", moments.0);
    for flavor in Flavor::LOGGED {
        let mock = Mock::start().unwrap();
        let machine = Machine::new(flavor, &clis(), &mock);
        let slow = "@@sh python3 -c 'import time; time.sleep(0.4)'@@";
        let mut killed = Vec::new();
        for kill in 0..KILLS {
            let after = moments.next();
            killed.push(after);
            let prompt = format!("Piece number {kill}. {slow} {slow} @@say Done.@@");
            machine.agent.run_until_killed(&prompt, after).unwrap();
        }
        // On a busy machine all of them may have been killed before they began.
        machine.agent.run(&format!("The last piece. {slow} @@say Done.@@")).unwrap();
        let told = format!("{flavor}, killed after {killed:?}");
        holds_what_the_logs_hold(&machine, &told);
    }
}

/// The archive that hooks filled has what one made of the logs alone has.
fn holds_what_the_logs_hold(machine: &Machine<'_>, told: &str) {
    machine.backstory(&["sync"]);
    let kept = machine.happened(None);
    let fresh = tempfile::tempdir().unwrap();
    machine.backstory_at(Some(fresh.path()), &["sync"]);
    assert!(kept.iter().any(|(_, kind, _)| kind == "user_msg"), "{told}: nothing was begun");
    let read = machine.happened(Some(fresh.path()));
    let lost: Vec<_> = read.iter().filter(|event| !kept.contains(event)).collect();
    assert!(lost.is_empty(), "{told}: {lost:#?}");
    // A sync in the midst of it may have seen bookkeeping that a rewritten log has no more.
    let said = |events: Vec<(String, String, String)>| -> Vec<_> {
        events.into_iter().filter(|(_, kind, _)| kind != "lifecycle").collect()
    };
    let (kept, read) = (said(kept), said(read));
    let more: Vec<_> = kept.iter().filter(|event| !read.contains(event)).collect();
    assert!(more.is_empty() && kept.len() == read.len(), "{told}: {more:#?} of {kept:#?}");
}

#[test]
fn a_turn_that_is_stopped_is_kept_and_its_session_sealed() {
    for flavor in [Flavor::Claude, Flavor::Codex] {
        let mock = Mock::start().unwrap();
        let machine = Machine::new(flavor, &clis(), &mock);
        let begun = machine.agent.sandbox().project.join("begun");
        let slow = "@@sh touch begun; python3 -c 'import time; time.sleep(30)'@@";
        let prompt = format!("Count the herons. {slow} @@say Never said.@@");
        let is_begun = || begun.exists();
        machine.agent.run_until_stopped(&prompt, Stop::Interrupt, &is_begun).unwrap();
        let session = machine.only_session();
        machine.wait_for_seal(&session, SealReason::Ended);
        let log = machine.hook_log();
        let is_told = log.contains(&format!("{flavor} Interrupt {session}"));
        assert_eq!(is_told, flavor == Flavor::Codex, "{log}");
        let events = machine.events(&session);
        let said = |kind: EventKind| events.iter().filter(|event| event.0 == kind).count();
        assert_eq!((said(EventKind::UserMsg), said(EventKind::AssistantMsg)), (1, 0), "{events:?}");
        machine.agent.resume("Go on. @@say Three herons.@@").unwrap();
        holds_what_the_logs_hold(&machine, flavor.name());
    }
}
