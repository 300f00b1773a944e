//! Tokens and money, counted once.

use crate::reading::{
    CHILD, Known, SID, acp, events_of, line_of, path_of, read, read_with, updates, usage_of,
};
use backstory_adapters::{NoAncestry, UsageMerge};
use backstory_model::{EventKey, Usage};

fn turn(prompt: &str, usage: &str) -> String {
    format!(
        r#"{{"sessionUpdate":"turn_completed","prompt_id":"{prompt}","stop_reason":"end_turn","usage":{usage}}}"#
    )
}

const USAGE: &str = r#"{"inputTokens":1000,"outputTokens":50,"totalTokens":1050,"cachedReadTokens":700,"cacheCreationTokens":100,"reasoningTokens":20,"costUsdTicks":25000000000,"modelUsage":{"grok-5":{"inputTokens":1000,"outputTokens":50}}}"#;

#[test]
fn input_is_what_no_cache_gave_and_ticks_become_dollars() {
    let batch = updates(&[acp(1, &turn("p1", USAGE))]);
    let usage = usage_of(&batch)[0];
    let expected = Usage {
        input: 200,
        output: 50,
        cache_read: 700,
        cache_write_5m: 100,
        cache_write_1h: 0,
        reasoning: 20,
    };
    assert_eq!(usage.usage, expected);
    assert_eq!(usage.usd, Some(2.5));
    assert_eq!(usage.model.map(|model| batch.get(model)), Some("grok-5"));
    assert_eq!(usage.key, EventKey::of_parts(&[b"grok", SID.as_bytes(), b"p1"]));
    assert_eq!(usage.merge, UsageMerge::Last);
    assert_eq!(events_of(&batch)[0].tokens, 50);
}

#[test]
fn partial_costs_and_missing_usage_state_no_money() {
    let partial = r#"{"inputTokens":5,"outputTokens":1,"costUsdTicks":7,"costIsPartial":true}"#;
    assert_eq!(usage_of(&updates(&[acp(1, &turn("p", partial))]))[0].usd, None);
    let incomplete = r#"{"inputTokens":5,"costUsdTicks":7,"usageIsIncomplete":true}"#;
    assert_eq!(usage_of(&updates(&[acp(1, &turn("p", incomplete))]))[0].usd, None);
    for none in ["null", "{}", "[]", "7"] {
        let batch = updates(&[acp(1, &turn("p", none))]);
        assert!(usage_of(&batch).is_empty(), "{none}");
        assert_eq!(events_of(&batch).len(), 1, "{none}");
    }
}

#[test]
fn more_cached_than_given_is_not_below_zero() {
    let odd = r#"{"inputTokens":10,"cachedReadTokens":30,"outputTokens":-4}"#;
    let batch = updates(&[acp(1, &turn("p", odd))]);
    assert_eq!((usage_of(&batch)[0].usage.input, usage_of(&batch)[0].usage.output), (0, 0));
}

#[test]
fn a_turn_of_several_models_is_shared_out_and_sums_up() {
    let usage = r#"{"inputTokens":1000,"outputTokens":100,"cachedReadTokens":500,"costUsdTicks":100,"modelUsage":{"big":{"inputTokens":800,"outputTokens":70,"cachedReadTokens":400,"costUsdTicks":80},"small":{"inputTokens":200,"outputTokens":30,"cachedReadTokens":100,"costUsdTicks":20}}}"#;
    let batch = updates(&[acp(1, &turn("p", usage))]);
    let shares = usage_of(&batch);
    let models: Vec<_> = shares.iter().map(|u| batch.get(u.model.unwrap())).collect();
    assert_eq!(models, ["small", "big"]);
    assert_eq!(shares.iter().map(|u| u.usage.input).sum::<u64>(), 500);
    assert_eq!(shares.iter().map(|u| u.usage.output).sum::<u64>(), 100);
    assert_eq!(shares[1].usage.output, 70);
    assert_eq!((shares[0].usd, shares[1].usd), (Some(20.0 / 1e10), Some(80.0 / 1e10)));
    assert_ne!(shares[0].key, shares[1].key);
}

#[test]
fn a_turn_completed_twice_has_one_key() {
    let batch = updates(&[acp(1, &turn("p", USAGE)), acp(2, &turn("p", USAGE))]);
    assert_eq!(usage_of(&batch)[0].key, usage_of(&batch)[1].key);
    let without_id = r#"{"sessionUpdate":"turn_completed","usage":{"inputTokens":1}}"#;
    let batch = updates(&[acp(1, without_id), acp(2, without_id)]);
    assert_ne!(usage_of(&batch)[0].key, usage_of(&batch)[1].key);
}

#[test]
fn a_forks_copy_of_a_turn_is_the_turn_of_its_source() {
    let original = updates(&[acp(7, &turn("p", USAGE))]);
    let copied = line_of(CHILD, SID, 7, &turn("p", USAGE));
    let copy = read(&path_of(CHILD, "updates.jsonl"), &copied);
    assert_eq!(usage_of(&original)[0].key, usage_of(&copy)[0].key);
    let spender = usage_of(&copy)[0].session;
    assert_eq!(copy.sessions()[spender.index()].native(), SID);
}

const LEDGER: &str = r#"{"sessionId":"01990000-0000-7000-8000-00000000000a","session":{"inputTokens":30},"turns":[{"promptId":"p1","inputTokens":10,"outputTokens":1,"modelUsage":{"grok-5":{"inputTokens":10}}},{"prompt_id":"p2","usage":{"inputTokens":20,"outputTokens":2}}]}"#;

#[test]
fn the_ledger_speaks_for_a_session_without_a_log() {
    let batch = read_with(&path_of(SID, "usage.json"), LEDGER, &mut NoAncestry);
    let inputs: Vec<u64> = usage_of(&batch).iter().map(|usage| usage.usage.input).collect();
    assert_eq!(inputs, [10, 20]);
    assert_eq!(usage_of(&batch)[0].key, EventKey::of_parts(&[b"grok", SID.as_bytes(), b"p1"]));
}

#[test]
fn beside_the_log_the_ledger_only_adds_turns_that_stated_nothing() {
    let mut known = Known::default();
    known.take(&updates(&[
        acp(1, &turn("p1", USAGE)),
        acp(2, r#"{"sessionUpdate":"turn_completed","prompt_id":"p2","stop_reason":"cancelled"}"#),
    ]));
    let batch = read_with(&path_of(SID, "usage.json"), LEDGER, &mut known);
    let keys: Vec<EventKey> = usage_of(&batch).iter().map(|usage| usage.key).collect();
    assert_eq!(keys, [EventKey::of_parts(&[b"grok", SID.as_bytes(), b"p2"])]);

    let mut other_turns = Known::default();
    other_turns.take(&updates(&[acp(1, &turn("p9", USAGE))]));
    let batch = read_with(&path_of(SID, "usage.json"), LEDGER, &mut other_turns);
    assert!(usage_of(&batch).is_empty(), "inherited turns belong to the source of the fork");
}
