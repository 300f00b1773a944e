//! Short endings and what they mean.

use crate::script::Script;
use backstory_model::Outcome;

fn outcome(script: &Script) -> Outcome {
    script.distill().digest.judgement.outcome
}

fn worked() -> Script {
    let mut script = Script::new();
    script.user("fix the date parser");
    script.edit("/p/a.rs", "a", "b").works("ok");
    script
}

#[test]
fn thanks_and_passing_tests_are_success() {
    let mut script = worked();
    script.bash("cargo test").works("test result: ok. 3 passed; 0 failed");
    script.says("Fixed: the parser now accepts ISO dates.");
    assert_eq!(outcome(&script), Outcome::Success);
    script.user("great, thanks!");
    assert_eq!(outcome(&script), Outcome::Success);
}

#[test]
fn last_words_of_anger_are_failure() {
    let mut script = worked();
    script.says("I've fixed it.");
    script.user("it still doesn't work");
    assert_eq!(outcome(&script), Outcome::Fail);
}

#[test]
fn a_failing_test_at_the_end_is_failure() {
    let mut script = worked();
    script
        .bash("cargo test")
        .fails(101, "test a ... FAILED\ntest result: FAILED. 1 passed; 1 failed");
    script.says("One test is still failing; I could not find out why.");
    assert_eq!(outcome(&script), Outcome::Fail);
}

#[test]
fn interrupts_denials_and_silence_leave_work() {
    let mut script = worked();
    script.bash("cargo test");
    script.interrupt();
    assert_eq!(outcome(&script), Outcome::Abandoned);

    let mut script = worked();
    script.bash("git push").denied();
    assert_eq!(outcome(&script), Outcome::Abandoned);

    let mut script = worked();
    script.bash("cargo test");
    assert_eq!(outcome(&script), Outcome::Abandoned);

    let mut script = worked();
    script.says("Which of the two formats should I support?");
    assert_eq!(outcome(&script), Outcome::Abandoned);

    let mut script = worked();
    script.says("Done.").user("forget it, I'll do it myself");
    assert_eq!(outcome(&script), Outcome::Abandoned);
}

#[test]
fn a_request_that_failed_at_the_end_is_failure() {
    let mut script = worked();
    script.api_error("API Error: 500");
    assert_eq!(outcome(&script), Outcome::Fail);
}

#[test]
fn nothing_said_is_unknown_and_no_answer_is_abandoned() {
    assert_eq!(outcome(&Script::new()), Outcome::Unknown);
    let mut script = Script::new();
    script.user("hello?");
    assert_eq!(outcome(&script), Outcome::Abandoned);
}

#[test]
fn a_commit_after_the_last_failure_is_success() {
    let mut script = worked();
    script.bash("cargo test").fails(101, "error[E0308]: mismatched types");
    script.edit("/p/a.rs", "b", "c").works("ok");
    script.bash("cargo test").works("test result: ok. 3 passed; 0 failed");
    script.bash("git commit -am 'Fix dates'").works("[main abc1234] Fix dates");
    script.says("Anything else?");
    assert_eq!(outcome(&script), Outcome::Success);
}

#[test]
fn evidence_stands_on_events() {
    let mut script = worked();
    script.says("All done, tests pass.");
    script.user("perfect");
    let judgement = script.distill().digest.judgement;
    assert!(judgement.confidence > 70);
    assert_eq!(judgement.evidence[0], (4, "the human: perfect".to_owned()));
}

#[test]
fn a_goodbye_to_the_program_says_nothing_about_the_work() {
    let mut script = worked();
    script.says("Fixed the parser; all tests pass.");
    script.user("exit").interrupt();
    assert_eq!(outcome(&script), Outcome::Success);
}

#[test]
fn a_wish_after_praise_that_nobody_answered_is_left_open() {
    let mut script = worked();
    script.says("Done.").user("great! can you also add a changelog entry?");
    assert_eq!(outcome(&script), Outcome::Abandoned);
    let mut script = worked();
    script.says("Done.").user("thanks, works now, that's all");
    assert_eq!(outcome(&script), Outcome::Success);
}

#[test]
fn failures_that_are_not_ours_do_not_count_as_much() {
    let mut script = worked();
    script
        .bash("cargo test")
        .fails(101, "test z ... FAILED\ntest result: FAILED. 9 passed; 1 failed");
    script.says("I've fixed the parser. The one failing test is pre-existing and unrelated.");
    assert_eq!(outcome(&script), Outcome::Success);
    let mut script = worked();
    script
        .bash("cargo test")
        .fails(101, "test z ... FAILED\ntest result: FAILED. 9 passed; 1 failed");
    script.says("I've updated the parser.").completion();
    assert_ne!(outcome(&script), Outcome::Success);
}

#[test]
fn a_question_through_a_tool_that_stays_open_leaves_work() {
    let mut script = worked();
    script.asks("{\"question\":\"Which format?\"}");
    assert_eq!(outcome(&script), Outcome::Abandoned);
}

fn ends(agent: &str) -> Outcome {
    let mut script = worked();
    outcome(script.says(agent))
}

fn answered(human: &str) -> Outcome {
    let mut script = worked();
    outcome(script.says("The parser accepts ISO dates now.").user(human))
}

#[test]
fn what_the_agent_leaves_open_is_unknown() {
    assert_eq!(
        ends("It clears the bond now. I can't flash the board from here."),
        Outcome::Unknown
    );
    assert_eq!(ends("Four of the six parsers are converted."), Outcome::Unknown);
    assert_eq!(ends("The import is running; it will take two hours."), Outcome::Unknown);
    assert_eq!(ends("I could not reproduce it; my best guess is the cache."), Outcome::Unknown);
}

#[test]
fn an_offer_is_no_question_that_blocks() {
    assert_eq!(ends("The parser is fixed. Shall I commit it?"), Outcome::Success);
    let mut script = Script::new();
    script.user("move the parser to its own crate").says("I have a plan. Shall I start?");
    assert_eq!(outcome(&script), Outcome::Abandoned);
}

#[test]
fn the_last_words_of_the_human_are_the_verdict() {
    assert_eq!(answered("k"), Outcome::Success);
    assert_eq!(answered("thanks, but leap years fail"), Outcome::Fail);
    assert_eq!(answered("every date is one day off since then"), Outcome::Fail);
    assert_eq!(answered("we'll see tonight"), Outcome::Unknown);
    assert_eq!(answered("let's continue on friday"), Outcome::Abandoned);
}

#[test]
fn thanks_for_an_attempt_stay_failure() {
    let mut script = worked();
    script.says("I wasn't able to fix it.").user("thanks");
    assert_eq!(outcome(&script), Outcome::Fail);
}

#[test]
fn a_red_test_is_excused_by_what_was_wished_or_was_before() {
    let red = |wish: &str, words: &str| {
        let mut script = Script::new();
        script.user(wish).edit("/p/a.rs", "a", "b").works("ok");
        script.bash("cargo test").fails(101, "test result: FAILED. 1 passed; 1 failed");
        outcome(script.says(words))
    };
    assert_eq!(red("fix the parser", "Everything is in great shape!"), Outcome::Fail);
    assert_eq!(red("rename it", "Renamed. The test is unrelated."), Outcome::Success);
    assert_eq!(red("add a regression test, it should fail", "It is there."), Outcome::Success);
}

#[test]
fn words_fulfil_a_question() {
    let mut script = Script::new();
    script.user("why can't the worker connect?");
    script.says("It is in another network, so it is unable to connect.");
    assert_eq!(outcome(&script), Outcome::Success);
}
