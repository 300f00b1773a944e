//! Repetitions and words that are merely said twice.

use super::*;
use proptest::prelude::*;

fn print(key: u64) -> (Print, usize) {
    (Print { key, ..Print::default() }, 10)
}

fn memory(keys: &[u64]) -> Memory {
    let mut memory = Memory::default();
    for key in keys {
        memory.add(print(*key).0);
    }
    memory
}

fn new_ones(stored: &[u64], posted: &[u64]) -> Vec<u64> {
    let prints: Vec<_> = posted.iter().map(|key| print(*key)).collect();
    let known = memory(stored).repeated(&prints);
    posted.iter().zip(known).filter(|(_, known)| !known).map(|(key, _)| *key).collect()
}

#[test]
fn what_joins_up_with_the_end_is_a_repetition() {
    for (stored, posted, new) in [
        (&[][..], &[1, 2][..], &[1, 2][..]),
        // The answer was lost.
        (&[1, 2], &[1, 2], &[]),
        (&[1, 2, 3], &[2, 3, 4], &[4]),
        // Said twice, with other words between: "go on" is 7.
        (&[7, 2], &[7, 3], &[7, 3]),
        (&[1, 7, 2], &[7], &[7]),
        (&[1, 7], &[7, 7], &[7]),
        // Begun again at the start.
        (&[1, 2, 3, 4, 5], &[1, 2, 3, 4], &[]),
        (&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 5, 6], &[6]),
        // Too little to tell.
        (&[1, 2, 3, 4, 5], &[1, 2], &[1, 2]),
        // Part of it differs.
        (&[1, 2, 3, 4, 5], &[1, 2, 3, 9], &[1, 2, 3, 9]),
        (&[1, 1, 1, 1], &[1, 1, 1, 1, 1], &[1]),
    ] {
        assert_eq!(new_ones(stored, posted), new, "{stored:?} + {posted:?}");
    }
}

#[test]
fn a_long_prompt_that_is_typed_again_is_said_twice() {
    let long = |key| (Print { key, ..Print::default() }, TELLING_CHARS);
    let mut memory = memory(&[1, 7, 2]);
    assert_eq!(memory.repeated(&[long(7)]), [false]);
    memory.add(print(7).0);
    assert_eq!(memory.repeated(&[long(7)]), [true], "its answer was lost");
    memory.add(print(8).0);
    // A run of them that begins again is one, and goes on as one.
    assert_eq!(memory.repeated(&[long(7), long(2)]), [true, true]);
    assert_eq!(memory.repeated(&[long(7)]), [true]);
}

#[test]
fn what_is_said_twice_is_stored_twice_if_something_was_said_between() {
    for (stored, posted, new) in [
        (&[7, 2][..], &[7][..], &[7][..]),
        // Nothing tells it from a lost answer.
        (&[7, 2, 7], &[7], &[]),
        (&[7, 2, 7], &[2, 7, 3], &[3]),
        // In one post nothing is repeated by itself.
        (&[], &[7, 7], &[7, 7]),
        (&[7, 7], &[7, 7], &[]),
    ] {
        assert_eq!(new_ones(stored, posted), new, "{stored:?} + {posted:?}");
    }
}

#[test]
fn a_repetition_in_several_posts_goes_on_where_it_stopped() {
    let mut memory = memory(&[1, 2, 3, 4, 5, 6]);
    let first: Vec<_> = [1, 2, 3, 4].map(print).to_vec();
    assert_eq!(memory.repeated(&first), [true; 4]);
    assert_eq!(memory.repeated(&[print(5)]), [true]);
    assert_eq!(memory.repeated(&[print(6), print(7)]), [true, false]);
}

#[test]
fn a_tool_call_is_stored_once_wherever_it_comes() {
    let call = (Print { key: 9, sure: true, stamp: 0 }, 10);
    let mut memory = Memory::default();
    memory.add(call.0);
    memory.add(print(1).0);
    assert_eq!(memory.repeated(&[print(5), call]), [false, true]);
}

#[test]
fn the_plugins_own_times_tell_words_apart() {
    let at = |stamp| (Print { key: 7, sure: false, stamp }, 10);
    let mut memory = Memory::default();
    memory.add(at(100).0);
    assert_eq!(memory.repeated(&[at(200)]), [false]);
    assert_eq!(memory.repeated(&[at(100)]), [true]);
    // Without a time nothing tells it from the last message.
    assert_eq!(memory.repeated(&[at(0)]), [true]);
}

proptest! {
    /// However posts are cut and repeated after lost answers, each message of a conversation whose
    /// messages differ is stored once and in order.
    #[test]
    fn lost_answers_never_double_or_lose(cuts in prop::collection::vec((1_usize..6, any::<bool>()), 1..40)) {
        let mut memory = Memory::default();
        let mut stored = Vec::new();
        let mut next = 0_u64;
        for (len, is_lost) in cuts {
            let posted: Vec<_> = (next..next + len as u64).map(print).collect();
            for _ in 0..=usize::from(is_lost) {
                let known = memory.repeated(&posted);
                for ((print, _), known) in posted.iter().zip(known) {
                    if !known {
                        memory.add(*print);
                        stored.push(print.key);
                    }
                }
            }
            next += len as u64;
        }
        prop_assert_eq!(stored, (0..next).collect::<Vec<_>>());
    }
}
