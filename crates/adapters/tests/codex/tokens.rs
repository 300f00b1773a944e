//! Token accounting.

use crate::support::*;

fn record(response: &str, spent: u64, thread: u64) -> String {
    at(
        1,
        "token_usage_record",
        &format!(
            r#"{{"response_id":"{response}","usage":{},"thread_token_usage":{}}}"#,
            counts(spent),
            counts(thread)
        ),
    )
}

#[test]
fn repeated_totals_count_once_and_parts_do_not_overlap() {
    let reading = read(&[
        meta(1, ""),
        at(1, "turn_context", r#"{"turn_id":"t","model":"gpt-5.5"}"#),
        count(100, 100),
        count(100, 100),
        count(160, 60),
        event(r#"{"type":"token_count","info":null,"rate_limits":{}}"#),
        count(160, 60),
    ]);
    let spent: Vec<_> = reading
        .usage
        .iter()
        .map(|(_, _, usage, _)| (usage.input, usage.cache_read, usage.output))
        .collect();
    assert_eq!(spent, [(50, 50, 100), (30, 30, 60)]);
    assert!(
        reading.usage.iter().all(|(session, _, _, model)| *session == uid(1) && model == "gpt-5.5")
    );
    assert_eq!(reading.yields, [2, 2, 1, 0, 1, 0, 0]);
}

#[test]
fn a_total_that_falls_counts_the_last_response_only() {
    let reading = read(&[meta(1, ""), count(100, 100), count(40, 40), count(70, 30)]);
    assert_eq!(reading.tokens(), 100 + 40 + 30);
}

#[test]
fn inherited_totals_are_not_the_forks() {
    let forked = format!(r#","forked_from_id":"{}""#, id(9));
    let reading = read(&[meta(1, &forked), count(1000, 0), count(1000, 0), count(1030, 30)]);
    assert_eq!(reading.tokens(), 30);
    let reading = read(&[meta(1, &forked), count(1030, 30), count(1050, 20)]);
    assert_eq!(reading.tokens(), 50);
}

#[test]
fn records_per_response_replace_the_totals() {
    let reading = read(&[
        meta(1, ""),
        record("r1", 100, 100),
        count(100, 100),
        record("r2", 60, 160),
        count(160, 60),
        count(160, 60),
    ]);
    assert_eq!(reading.tokens(), 160);
    assert_eq!(reading.usage.len(), 2);
}

#[test]
fn a_file_that_turns_to_records_counts_nothing_twice() {
    let reading = read(&[
        meta(1, ""),
        count(100, 100),
        record("r1", 100, 100),
        record("r2", 60, 160),
        count(160, 60),
    ]);
    assert_eq!(reading.tokens(), 160);
}

#[test]
fn usage_keys_are_the_same_on_every_reading() {
    let lines = [meta(1, ""), count(100, 100), count(160, 60)];
    let keys = || read(&lines).usage.iter().map(|usage| usage.1).collect::<Vec<_>>();
    assert_eq!(keys(), keys());
    assert_ne!(keys()[0], keys()[1]);
}
