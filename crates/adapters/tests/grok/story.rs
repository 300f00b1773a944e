//! One whole session, from the prompt to the sub-agent's end.

use crate::reading::{SID, path_of, read, shown};

#[test]
fn the_log_of_a_session_reads_as_it_happened() {
    let batch = read(&path_of(SID, "updates.jsonl"), include_str!("session/updates.jsonl"));
    insta::assert_snapshot!(shown(&batch));
}

#[test]
fn the_event_log_of_a_session_reads_as_it_happened() {
    let batch = read(&path_of(SID, "events.jsonl"), include_str!("session/events.jsonl"));
    insta::assert_snapshot!(shown(&batch));
}
