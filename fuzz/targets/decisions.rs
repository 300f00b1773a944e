//! Arbitrary text as what an agent asks, and as what a human answers.
#![no_main]

use backstory_distill::decisions::{MARKER, briefs, reply};
use libfuzzer_sys::fuzz_target;

// The last line is the answer, the rest the message.
fuzz_target!(|input: &str| {
    let (message, words) = input.rsplit_once('\n').unwrap_or((input, input));
    let mut rows = briefs(message, MARKER);
    assert!(rows.len() <= 32, "too many questions in one message");
    reply(words, &mut rows);
    for row in &rows {
        let places = row.chosen.iter().chain(&row.recommended);
        for at in places {
            assert!(usize::from(*at) < row.options.len(), "an option that is not there");
        }
    }
});
