//! The real agent CLIs remember: hooks and servers that `backstory install` registered, a scripted model,
//! real transcripts. What reached the model is read from what the model was sent.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod asking;
mod beginning;
mod compaction;
mod ending;
mod fewer_words;
mod machine;

use backstory_model::{EventKind, Flavor, SealReason};
use backstory_testkit::mock::Mock;
use machine::{Machine, clis};
use serde_json::json;

/// Agents whose hooks hand over context at prompts.
const WITH_CONTEXT: [Flavor; 2] = [Flavor::Claude, Flavor::Codex];

const FACT: &str = "The staging database listens on port 6543 behind the heron proxy.";
const QUESTION: &str = "On which port does the staging database listen behind the proxy?";

#[test]
fn a_second_session_recalls_what_the_first_was_told() {
    for flavor in WITH_CONTEXT {
        let mock = Mock::start().unwrap();
        let machine = Machine::new(flavor, &clis(), &mock);
        let first = machine.agent.run(&format!("{FACT} Keep it in mind. @@say Noted.@@")).unwrap();
        machine.wait_for_seal(&first.session, SealReason::Ended);
        let before = mock.bodies().len();
        machine.agent.run(&format!("{QUESTION} @@say It is 6543.@@")).unwrap();
        let sent = mock.bodies()[before..].concat();
        assert!(sent.contains("backstory-context"), "{flavor}: nothing was handed over");
        assert!(sent.contains("6543 behind the heron proxy"), "{flavor}: the fact was not");
    }
}

/// The agent asks our server of tools itself, in its own spelling.
fn looks_it_up(flavor: Flavor) -> String {
    let query = json!({ "query": QUESTION });
    match flavor {
        Flavor::Codex => format!("@@tool mcp__backstory/recall {query}@@"),
        Flavor::Grok => {
            let call = json!({ "tool_name": "backstory__recall", "tool_input": query });
            format!("@@tool use_tool {call}@@")
        }
        _ => format!("@@tool mcp__backstory__recall {query}@@"),
    }
}

#[test]
fn nothing_of_ours_is_taken_for_what_was_said_or_found() {
    for flavor in Flavor::LOGGED {
        let mock = Mock::start().unwrap();
        let machine = Machine::new(flavor, &clis(), &mock);
        let first = machine.agent.run(&format!("{FACT} @@say Noted.@@")).unwrap();
        machine.wait_for_seal(&first.session, SealReason::Ended);
        let before = mock.bodies().len();
        let prompt = format!("{QUESTION} {} @@say It is 6543.@@", looks_it_up(flavor));
        let second = machine.agent.run(&prompt).unwrap();
        machine.wait_for_seal(&second.session, SealReason::Ended);
        let sent = mock.bodies()[before..].concat();
        assert!(sent.contains("6543 behind the heron proxy"), "{flavor}: nothing was handed over");
        let events = machine.events(&second.session);
        let is_said = |kind| matches!(kind, EventKind::UserMsg | EventKind::AssistantMsg);
        assert_eq!(
            events.iter().filter(|(kind, _)| is_said(*kind)).count(),
            2,
            "{flavor}: {events:?}"
        );
        for (kind, text) in events.iter().filter(|(kind, _)| kind.is_conversation()) {
            let is_ours = text.contains("backstory-context") || text.contains("heron proxy");
            assert!(!is_ours, "{flavor}, {kind:?}: {text}");
        }
    }
}

#[test]
fn an_error_met_before_is_answered_with_what_helped() {
    for flavor in Flavor::LOGGED {
        let mock = Mock::start().unwrap();
        let machine = Machine::new(flavor, &clis(), &mock);
        let header = machine.agent.sandbox().project.join("generated.h");
        let makefile = "check:\n\t@test -f generated.h || { echo 'src/main.c:3:10: fatal error: \
                        generated.h: No such file or directory' >&2; exit 2; }\n\t@echo ok\n";
        fs_err::write(machine.agent.sandbox().project.join("Makefile"), makefile).unwrap();
        let steps = "@@sh make check@@ @@sh touch generated.h@@ @@sh make check@@";
        let first =
            machine.agent.run(&format!("Make it build. {steps} @@say It builds.@@")).unwrap();
        machine.wait_for_seal(&first.session, SealReason::Ended);
        fs_err::remove_file(&header).unwrap();
        let before = mock.bodies().len();
        machine.agent.run("Does it still build? @@sh make check@@ @@say No.@@").unwrap();
        let sent = mock.bodies()[before..].concat();
        assert!(sent.contains("backstory-context"), "{flavor}: nothing was handed over");
        assert!(sent.contains("touch generated.h"), "{flavor}: the fix was not");
    }
}

#[test]
fn a_resumed_session_is_told_what_it_was_about() {
    for flavor in WITH_CONTEXT {
        let mock = Mock::start().unwrap();
        let machine = Machine::new(flavor, &clis(), &mock);
        let first = machine.agent.run(&format!("{FACT} @@say Noted.@@")).unwrap();
        machine.wait_for_seal(&first.session, SealReason::Ended);
        let before = mock.bodies().len();
        machine.agent.resume("Where were we? @@say At the proxy.@@").unwrap();
        let sent = mock.bodies()[before..].concat();
        assert!(sent.contains("session-resume"), "{flavor}: nothing was handed over");
        assert!(sent.contains(&format!("backstory://{flavor}:{}", first.session)), "{flavor}");
    }
}

#[test]
fn grok_recalls_through_its_server_of_tools() {
    let mock = Mock::start().unwrap();
    let machine = Machine::new(Flavor::Grok, &clis(), &mock);
    let first = machine.agent.run(&format!("{FACT} @@say Noted.@@")).unwrap();
    machine.wait_for_seal(&first.session, SealReason::Ended);
    let before = mock.bodies().len();
    let call = looks_it_up(Flavor::Grok);
    machine.agent.run(&format!("Look it up. {call} @@say It is 6543.@@")).unwrap();
    let sent = mock.bodies()[before..].concat();
    assert!(sent.contains("6543 behind the heron proxy"), "the fact was not found: {sent}");
}
