//! Plans put up for approval, as each agent writes them.

use super::tool_tests::{asked, told};
use crate::script::Script;
use backstory_model::{DecisionKind, EventKind, Role};

#[test]
fn plans_are_approved_or_not() {
    let plan = r#"{"plan":"Replace it in three steps."}"#;
    for (tool, input, answer, expected) in [
        (
            "ExitPlanMode",
            plan,
            "User has approved your plan. You can now start coding.",
            "Replace it in three steps.: Approve",
        ),
        (
            "ExitPlanMode",
            plan,
            "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nkeep it",
            "Replace it in three steps.: Reject [keep it]",
        ),
        (
            "ExitPlanMode",
            plan,
            "The user doesn't want to proceed with this tool use. The tool use was rejected. The user provided the following reason for the rejection:  smaller",
            "Replace it in three steps.: Reject [smaller]",
        ),
        (
            "ExitPlanMode",
            plan,
            "The user doesn't want to proceed with this tool use. STOP what you are doing.",
            "Replace it in three steps.: Reject",
        ),
        (
            "ExitPlanMode",
            plan,
            "[Request interrupted by user for tool use]",
            "Replace it in three steps.: interrupted",
        ),
        (
            "exit_plan_mode",
            "{}",
            "Your plan has been approved. You can now start coding.\n\nDo this.",
            "Do this.: Approve",
        ),
        (
            "exit_plan_mode",
            "{}",
            "The user wants to revise the plan. The user said:\nkeep lodash",
            "Approve the plan?: Reject [keep lodash]",
        ),
        (
            "exit_plan_mode",
            "{}",
            "The user approved the plan with the following review comments:\nmind the tests",
            "Approve the plan?: Approve [mind the tests]",
        ),
    ] {
        let rows = asked("claude", tool, input, answer);
        assert_eq!(told(&rows), [expected], "{answer}");
        assert_eq!(rows[0].kind, DecisionKind::Plan);
        assert_eq!(rows[0].options.len(), 2);
    }
}

#[test]
fn a_plan_may_lie_in_a_file() {
    let mut script = Script::new();
    script.agent("grok").calls(
        EventKind::Edit,
        "write",
        r#"{"file_path":"/s/plan.md","contents":"Split the routes."}"#,
    );
    let last = script.events.len() - 1;
    script.events[last].0.files = vec!["/s/plan.md".into()];
    script.works("ok").calls(EventKind::Decision, "exit_plan_mode", "{}");
    script.answers(EventKind::Decision, Role::User, "The user rejected the plan.");
    assert_eq!(told(&script.distill().decisions), ["Split the routes.: Reject"]);
}

#[test]
fn codex_asks_for_a_plan_outside_of_its_log() {
    let plan = "Drop lodash from the routes, then split the config.";
    for (words, expected) in [
        ("Implement the plan.", "Approve"),
        ("yes, go ahead", "Approve"),
        ("Go ahead.", "Approve"),
        ("ok, start with step 1", "Approve"),
        ("lgtm, but leave the config alone", "Approve [but leave the config alone]"),
        ("no objections", "Approve"),
        ("👍", "Approve"),
        ("no", "Reject"),
        ("no, that is too much", "Reject [no, that is too much]"),
        ("not so fast, keep the old one", "Reject [not so fast, keep the old one]"),
        ("keep lodash, only split the config", "Reject [keep lodash, only split the config]"),
        ("Write a haiku about the sea.", "skipped"),
        ("ok, by the way, the invoices page is down, look at that first", "skipped"),
        ("forget it", "skipped"),
    ] {
        let mut script = Script::new();
        script.agent("codex").note("plan", plan).user("why in that order?");
        assert_eq!(told(&script.distill().decisions), [format!("{plan}: open")]);
        script.says("Because.").user(words);
        assert_eq!(told(&script.distill().decisions), [format!("{plan}: {expected}")], "{words}");
    }
    let mut script = Script::new();
    script.agent("grok").note("plan", "todo list").user("go on");
    assert_eq!(told(&script.distill().decisions), [""; 0]);
}

#[test]
fn a_plan_that_was_interrupted_stays_so_unless_it_is_answered() {
    for (words, expected) in [("wrong repository, sorry", "interrupted"), ("yes, do it", "Approve")]
    {
        let mut script = Script::new();
        script.agent("codex").note("plan", "First this.").interrupt().user(words);
        assert_eq!(told(&script.distill().decisions), [format!("First this.: {expected}")]);
    }
}
