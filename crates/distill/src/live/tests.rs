//! A table per rule.

use super::*;

const MINUTE: i64 = 60_000;
const NOW: Timestamp = Timestamp(1_000 * MINUTE);

/// A Codex session with a finished turn, last heard of so many minutes ago.
fn spoken(session: &str, minutes: i64) -> LiveState {
    LiveState {
        touched_at: Timestamp(NOW.0 - minutes * MINUTE),
        prompts: 1,
        turns: 1,
        position: 100,
        open: true,
        ..LiveState::new(Flavor::Codex, session, Timestamp(0))
    }
}

fn fresh(session: &str) -> LiveState {
    LiveState::new(Flavor::Codex, session, NOW)
}

fn subagent(state: LiveState) -> LiveState {
    LiveState { is_subagent: true, ..state }
}

fn marked(state: LiveState, reason: SealReason) -> LiveState {
    LiveState { mark: Some(Mark { reason, at: Timestamp(NOW.0 - 1) }), ..state }
}

fn told(own: LiveState, others: &[LiveState], happening: Happening) -> Decision {
    decide(own, others, (happening, None), NOW, &Knobs::default())
}

/// What it is, who else there is, and who is marked.
type Case = (&'static str, Vec<LiveState>, Vec<(usize, SealReason)>);

#[test]
fn a_beginning_seals_the_only_other_that_was_active() {
    use SealReason::{Idle, Orphaned};
    let mute =
        |minutes: i64| LiveState { touched_at: spoken("x", minutes).touched_at, ..fresh("m") };
    let compacted = LiveState { open: false, ..spoken("c", 1) };
    let of_claude = LiveState { agent: Flavor::Claude, ..spoken("d", 1) };
    let at_work = |session: &str| LiveState { in_turn: true, ..spoken(session, 0) };
    let table: [Case; 14] = [
        ("nobody", vec![], vec![]),
        ("one at work", vec![at_work("a")], vec![]),
        ("one at work beside one that is not", vec![at_work("a"), spoken("b", 1)], vec![]),
        ("one recent", vec![spoken("a", 1)], vec![(0, Orphaned)]),
        ("at the edge of the window", vec![spoken("a", 2)], vec![(0, Orphaned)]),
        ("neither recent nor idle", vec![spoken("a", 3)], vec![]),
        ("two recent", vec![spoken("a", 1), spoken("b", 0)], vec![]),
        ("one recent, one old", vec![spoken("a", 9), spoken("b", 1)], vec![(1, Orphaned)]),
        (
            "one recent, one idle",
            vec![spoken("a", 31), spoken("b", 1)],
            vec![(1, Orphaned), (0, Idle)],
        ),
        (
            "two recent, one idle",
            vec![spoken("a", 0), spoken("b", 1), spoken("c", 31)],
            vec![(2, Idle)],
        ),
        (
            "one that only began beside one that spoke",
            vec![mute(0), spoken("a", 1)],
            vec![(1, Orphaned)],
        ),
        ("one that only began", vec![mute(0)], vec![]),
        ("another agent's", vec![of_claude, spoken("a", 1)], vec![(1, Orphaned)]),
        (
            "one just compacted counts, and has nothing to seal",
            vec![compacted, spoken("a", 1)],
            vec![],
        ),
    ];
    for (what, others, expected) in table {
        assert_eq!(told(fresh("new"), &others, Happening::Began).marked, expected, "{what}");
    }
}

#[test]
fn a_session_is_never_left_behind_by_itself_and_marked_once() {
    let own = spoken("a", 1);
    assert!(told(own.clone(), &[own], Happening::Began).marked.is_empty());
    let already = marked(spoken("a", 1), SealReason::Ended);
    assert!(told(fresh("new"), std::slice::from_ref(&already), Happening::Began).marked.is_empty());
    // A sub-agent begins beside the session that started it, and says nothing about others.
    let begun = told(subagent(fresh("1")), &[spoken("a", 1)], Happening::Began);
    assert!(begun.marked.is_empty());
    // Nor does one that works for a session make it look as if two ran side by side, whatever its id.
    let others = [spoken("a", 1), subagent(spoken("1", 1)), subagent(spoken("a/2", 0))];
    let marked_now = told(fresh("new"), &others, Happening::Began).marked;
    assert_eq!(marked_now, [(0, SealReason::Orphaned)]);
    // Who ended is known: the other one goes on.
    let others = [already, spoken("b", 1)];
    assert!(told(fresh("new"), &others, Happening::Began).marked.is_empty());
}

#[test]
fn nothing_but_a_beginning_touches_others() {
    let others = [spoken("a", 1), spoken("b", 31)];
    for happening in Happening::ALL.into_iter().filter(|other| *other != Happening::Began) {
        assert!(told(spoken("own", 0), &others, happening).marked.is_empty(), "{happening:?}");
    }
}

#[test]
fn what_an_event_says_about_its_own_session() {
    use Happening::{Began, Compacting, Ended, Interrupted, Prompted, Resumed, Seen, Stopped};
    let table = [
        // what, prompts, turns, open, mark
        (Began, 0, 0, false, None),
        (Resumed, 0, 0, false, None),
        (Prompted, 1, 0, true, None),
        (Stopped, 0, 1, true, None),
        (Interrupted, 0, 0, false, None),
        (Compacting, 0, 0, false, Some(SealReason::Compaction)),
        (Ended, 0, 0, false, Some(SealReason::Ended)),
        (Seen, 0, 0, false, None),
    ];
    for (happening, prompts, turns, open, reason) in table {
        let old = LiveState { touched_at: Timestamp(5), ..fresh("a") };
        let own = told(old, &[], happening).own;
        assert_eq!((own.prompts, own.turns, own.open), (prompts, turns, open), "{happening:?}");
        assert_eq!(own.mark.map(|mark| mark.reason), reason, "{happening:?}");
        assert_eq!(own.touched_at, NOW, "{happening:?}");
    }
    assert_eq!(told(fresh("a"), &[], Prompted).own.prompted_at, Some(NOW));
    for happening in Happening::ALL {
        let own = |in_turn| LiveState { in_turn, ..fresh("a") };
        let [rests, works] = [false, true].map(|turn| told(own(turn), &[], happening).own.in_turn);
        assert_eq!(rests, happening == Prompted, "{happening:?}");
        let ends_it = matches!(happening, Began | Stopped | Interrupted | Ended);
        assert_eq!(works, !ends_it, "{happening:?}");
    }
}

#[test]
fn a_compaction_keeps_the_position_and_the_turns() {
    let before = spoken("a", 0);
    let own = told(before.clone(), &[], Happening::Compacting).own;
    assert_eq!((own.turns, own.position, own.open), (1, 100, true));
    let after = settled(&own, &own, SealReason::Compaction).unwrap();
    assert_eq!((after.turns, after.position, after.open, after.mark), (1, 100, false, None));
    let next = decide(after, &[], (Happening::Stopped, Some(150)), NOW, &Knobs::default()).own;
    assert_eq!((next.turns, next.position, next.open), (2, 150, true));
}

#[test]
fn a_log_that_shrank_is_counted_from_its_beginning() {
    for (bytes, turns) in [(100, 2), (101, 2), (99, 1), (0, 1)] {
        let event = (Happening::Stopped, Some(bytes));
        let own = decide(spoken("a", 0), &[], event, NOW, &Knobs::default()).own;
        assert_eq!((own.turns, own.position), (turns, bytes), "{bytes}");
    }
    let unknown = told(spoken("a", 0), &[], Happening::Stopped).own;
    assert_eq!((unknown.turns, unknown.position), (2, 100));
}

#[test]
fn a_sign_of_life_takes_back_what_was_marked_too_soon() {
    use SealReason::{Asked, Compaction, Ended, Idle, Orphaned};
    for happening in Happening::ALL {
        let stays = |reason| {
            let own = told(marked(spoken("a", 5), reason), &[], happening).own;
            own.mark.is_some_and(|mark| mark.reason == reason)
        };
        let speaks =
            matches!(happening, Happening::Began | Happening::Resumed | Happening::Prompted);
        assert!(stays(Asked) || happening == Happening::Ended, "{happening:?}");
        assert_eq!(stays(Compaction), happening != Happening::Ended, "{happening:?}");
        assert_eq!(stays(Ended), !speaks, "{happening:?}");
        assert!(!stays(Orphaned) && !stays(Idle), "{happening:?}");
    }
}

#[test]
fn due_is_what_is_marked_or_silent_for_too_long() {
    let of = |state: &LiveState| due(state, NOW, &Knobs::default());
    assert_eq!(of(&spoken("a", 0)), None);
    assert_eq!(of(&spoken("a", 30)), None);
    assert_eq!(of(&spoken("a", 31)), Some(SealReason::Idle));
    assert_eq!(of(&spoken("a", -31)), Some(SealReason::Idle), "the clock was put back");
    for reason in SealReason::ALL {
        assert_eq!(of(&marked(spoken("a", 0), reason)), Some(reason));
        assert_eq!(of(&marked(spoken("a", 99), reason)), Some(reason));
    }
    let knobs = Knobs { idle_ttl_ms: 0, ..Knobs::default() };
    assert_eq!(due(&spoken("a", 1), NOW, &knobs), Some(SealReason::Idle));
}

#[test]
fn a_sealed_session_is_gone_unless_it_goes_on() {
    use SealReason::{Asked, Compaction, Ended, Idle, Orphaned};
    for reason in [Ended, Orphaned, Idle] {
        let before = marked(spoken("a", 0), reason);
        assert_eq!(settled(&before, &before, reason), None, "{reason:?}");
    }
    for reason in [Compaction, Asked] {
        let before = marked(spoken("a", 0), reason);
        let after = LiveState { open: false, mark: None, ..before.clone() };
        assert_eq!(settled(&before, &before, reason), Some(after), "{reason:?}");
    }
    // A turn ended while it was being sealed.
    for reason in SealReason::ALL {
        let before = marked(spoken("a", 0), reason);
        let meanwhile = LiveState { turns: 2, ..before.clone() };
        let after = settled(&before, &meanwhile, reason).unwrap();
        assert_eq!((after.turns, after.open, after.mark), (2, true, None), "{reason:?}");
    }
    // It only showed that it lives: a hook after the compaction, a resumption.
    let before = marked(spoken("a", 1), Compaction);
    let meanwhile = told(before.clone(), &[], Happening::Resumed).own;
    let after = settled(&before, &meanwhile, Compaction).unwrap();
    assert_eq!((after.touched_at, after.open, after.mark), (NOW, false, None));
    // It was sealed for one reason and marked for another meanwhile.
    let before = marked(spoken("a", 0), Compaction);
    let ended = told(before.clone(), &[], Happening::Ended).own;
    let after = settled(&before, &ended, Compaction).unwrap();
    assert_eq!(after.mark.map(|mark| mark.reason), Some(Ended));
}
