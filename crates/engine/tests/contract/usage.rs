//! Tokens: counted once over all sessions, by the rule each agent needs.

use crate::archive::{Archive, uid};
use crate::chunks::{Event, NOW, chunk, session};
use backstory_model::{Cost, EventKey, Flavor, Timestamp, Usage};
use backstory_store::{Chunk, SessionDelta, Spending, UsageRow, UsageRule};

on_every_engine!(
    the_larger_of_each_number_stays,
    the_later_record_stays,
    a_copied_response_is_counted_where_it_was_first,
    keys_and_counts_of_any_size,
    totals_count_nothing_twice,
);

const NUMBERS: Usage = Usage {
    input: 1,
    output: 20,
    cache_read: 3,
    cache_write_5m: 40,
    cache_write_1h: 5,
    reasoning: 60,
};

fn spend(chunk: &mut Chunk, session_id: i64, key: u64, usage: Usage, rule: UsageRule) {
    let model = Some(chunk.text("opus"));
    let key = EventKey(key);
    let ts = Some(Timestamp(key.0.cast_signed() % 1000));
    chunk.usage.push(UsageRow { session_id, key, ts, model, usage, usd: None, rule });
}

fn spent(archive: &Archive, name: &str) -> Cost {
    archive.vault().session(&uid(name)).unwrap().unwrap().cost
}

fn tokens(cost: Cost) -> [u64; 6] {
    [
        cost.input_tokens,
        cost.output_tokens,
        cost.cache_read_tokens,
        cost.cache_write_5m_tokens,
        cost.cache_write_1h_tokens,
        cost.reasoning_tokens,
    ]
}

fn met_again(archive: &Archive, rule: UsageRule, again: Usage) -> [u64; 6] {
    let mut first = chunk(session(1, "one"), &[Event::new(0)]);
    spend(&mut first, 1, 9, NUMBERS, rule);
    archive.store(&[first]);
    assert_eq!(tokens(spent(archive, "claude:one")), [1, 20, 3, 40, 5, 60]);
    // Twice in one transaction, then in another.
    for _ in 0..2 {
        let mut second = chunk(session(1, "one"), &[]);
        spend(&mut second, 1, 9, again, rule);
        spend(&mut second, 1, 9, again, rule);
        archive.store(&[second]);
    }
    let tokens = tokens(spent(archive, "claude:one"));
    let listed = archive.vault().spending(&uid("claude:one")).unwrap();
    let [one] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!(one.usage.input, tokens[0]);
    assert_eq!(one.model.as_deref(), Some("opus"));
    tokens
}

const AGAIN: Usage = Usage {
    input: 10,
    output: 2,
    cache_read: 30,
    cache_write_5m: 4,
    cache_write_1h: 50,
    reasoning: 6,
};

fn the_larger_of_each_number_stays(archive: &Archive) {
    assert_eq!(met_again(archive, UsageRule::Max, AGAIN), [10, 20, 30, 40, 50, 60]);
}

fn the_later_record_stays(archive: &Archive) {
    assert_eq!(met_again(archive, UsageRule::Last, AGAIN), [10, 2, 30, 4, 50, 6]);
}

fn a_copied_response_is_counted_where_it_was_first(archive: &Archive) {
    let mut first = chunk(session(1, "one"), &[Event::new(0)]);
    spend(&mut first, 1, 9, NUMBERS, UsageRule::Max);
    let mut copy = chunk(session(2, "two"), &[Event::new(0)]);
    spend(&mut copy, 2, 9, AGAIN, UsageRule::Max);
    copy.usage[0].usd = Some(0.25);
    archive.store(&[first, copy]);
    assert_eq!(tokens(spent(archive, "claude:one")), [10, 20, 30, 40, 50, 60]);
    assert_eq!(spent(archive, "claude:one").usd, Some(0.25));
    assert_eq!(tokens(spent(archive, "claude:two")), [0; 6]);
    assert_eq!(spent(archive, "claude:two").usd, None);
    assert!(archive.vault().spending(&uid("claude:two")).unwrap().is_empty());
}

fn keys_and_counts_of_any_size(archive: &Archive) {
    let mut chunk = chunk(session(1, "one"), &[Event::new(0)]);
    let large = Usage { input: 1 << 50, ..Usage::default() };
    for key in [u64::MAX, 0, 1 << 63] {
        spend(&mut chunk, 1, key, large, UsageRule::Last);
    }
    chunk.usage[1].ts = None;
    chunk.usage[1].model = None;
    chunk.usage[1].usd = Some(0.5);
    chunk.usage[2].ts = chunk.usage[0].ts;
    archive.store(&[chunk]);
    let spending = |key: u64, ts: Option<i64>, model: Option<&str>, usd: Option<f64>| Spending {
        key: EventKey(key),
        ts: ts.map(Timestamp),
        model: model.map(str::to_owned),
        usage: large,
        usd,
    };
    // Those of unknown time first; among equals as signed numbers.
    let expected = [
        spending(0, None, None, Some(0.5)),
        spending(1 << 63, Some(-1), Some("opus"), None),
        spending(u64::MAX, Some(-1), Some("opus"), None),
    ];
    assert_eq!(archive.vault().spending(&uid("claude:one")).unwrap(), expected);
    assert_eq!(spent(archive, "claude:one").input_tokens, 3 << 50);
}

fn totals_count_nothing_twice(archive: &Archive) {
    let mut whole = session(1, "one");
    (whole.turns, whole.retries) = (2, 1);
    (whole.started_at, whole.ended_at) = (Some(Timestamp(10)), Some(Timestamp(20)));
    let mut whole = chunk(whole, &[Event::new(0), Event::new(1)]);
    spend(&mut whole, 1, 1, NUMBERS, UsageRule::Max);
    whole.usage[0].usd = Some(0.5);
    whole.cursor.bad = 2;
    let mut child = SessionDelta { cost_in_parent: true, turns: 1, ..session(2, "two") };
    child.lineage.parent_session_uid = Some(uid("claude:one"));
    (child.started_at, child.ended_at) = (Some(Timestamp(5)), Some(Timestamp(15)));
    let mut child = chunk(child, &[Event::new(0)]);
    spend(&mut child, 2, 2, NUMBERS, UsageRule::Max);
    child.usage[0].usd = Some(8.0);
    child.cursor.unknown = 3;
    child.cursor.messages = 0;
    let mut codex = chunk(session(3, "three"), &[Event::new(0)]);
    (codex.sessions[0].flavor, codex.cursor.flavor) = ("codex", "codex");
    archive.store(&[whole, child, codex]);
    let totals = archive.vault().totals().unwrap();
    let [claude, codex] = &totals[..] else { panic!("{totals:?}") };
    assert_eq!((claude.flavor, codex.flavor), (Flavor::Claude, Flavor::Codex));
    assert_eq!((claude.sessions, claude.subagents, claude.events), (1, 1, 3));
    assert_eq!(tokens(claude.cost), [1, 20, 3, 40, 5, 60]);
    assert_eq!((claude.cost.usd, claude.cost.turns, claude.cost.retries), (Some(0.5), 3, 1));
    assert_eq!((claude.first, claude.last), (Some(Timestamp(5)), Some(Timestamp(20))));
    assert_eq!((claude.files, claude.source_bytes), (2, 200));
    assert_eq!((claude.bad, claude.unknown, claude.silent_files), (2, 3, 1));
    assert_eq!((codex.sessions, codex.cost.usd, codex.first), (1, None, None));
    let session = archive.vault().session(&uid("claude:one")).unwrap().unwrap();
    assert_eq!(session.watermarks.ingested_at, Some(NOW));
}
