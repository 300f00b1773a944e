//! Arbitrary text as a query, and against an arbitrary text it is asked of.
#![no_main]

use backstory_distill::query::Query;
use backstory_distill::snippet::{Wanted, snippet};
use backstory_model::Timestamp;
use libfuzzer_sys::fuzz_target;

// The first line is the query, the rest the text; the length of the query is the room for the snippet.
fuzz_target!(|input: &str| {
    let (asked, text) = input.split_once('\n').unwrap_or((input, input));
    let read_moment = |text: &str, _| text.parse().ok().map(Timestamp);
    let _ = Query::parse(input, &read_moment);
    let query = Query::parse(asked, &read_moment);
    let shown = snippet(text, &Wanted::of(&query), asked.len());
    assert!(shown.text.chars().count() <= asked.len(), "the snippet is too long");
    assert!(!shown.text.chars().any(char::is_control), "a control character survived");
    let mut end = 0;
    for mark in shown.marks {
        assert!(mark.start >= end && mark.start < mark.end, "marks overlap");
        assert!(shown.text.get(mark.clone()).is_some(), "a mark cuts a character");
        end = mark.end;
    }
});
