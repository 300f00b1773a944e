//! Sessions and sub-agents that begin.

use crate::WITH_CONTEXT;
use crate::machine::{Machine, clis};
use backstory_model::{EventKind, Flavor, SealReason};
use backstory_testkit::mock::Mock;

const RULE: &str = "Always run the linter before you commit.";

/// Two sessions in which something was done and the same was asked for.
fn work(machine: &Machine<'_>) {
    for (request, subject) in [
        ("Write down who waters the plants.", "Name the gardener"),
        ("Sort the teas.", "Sort teas"),
    ] {
        let commit = format!(
            "git -c user.name=A -c user.email=a@invalid commit --allow-empty -m '{subject}'"
        );
        let prompt = format!("{request} {RULE} @@sh {commit}@@ @@say Done.@@");
        let turn = machine.agent.run(&prompt).unwrap();
        machine.wait_for_seal(&turn.session, SealReason::Ended);
    }
}

/// The blocks of beginnings in what the model was sent.
fn blocks(bodies: &[String]) -> Vec<String> {
    let opening = "<backstory-context source=\\\"session-start\\\"";
    let mut found = Vec::new();
    for body in bodies {
        for (at, _) in body.match_indices(opening) {
            let block = body[at..].split("</backstory-context>").next().unwrap();
            found.push(block.to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn a_session_that_begins_is_told_of_its_project() {
    for flavor in WITH_CONTEXT {
        let mock = Mock::start().unwrap();
        let machine = Machine::new(flavor, &clis(), &mock);
        work(&machine);
        let before = mock.bodies().len();
        let third = machine.agent.run("Good morning. @@say Good morning.@@").unwrap();
        machine.wait_for_seal(&third.session, SealReason::Ended);
        let first = blocks(&mock.bodies()[before..]);
        assert_eq!(first.len(), 1, "{flavor}: {first:#?}");
        for words in [RULE, "Name the gardener", "Sort teas", &format!("backstory://{flavor}:")] {
            assert!(first[0].contains(words), "{flavor}: {words} is missing: {first:#?}");
        }
        // Somebody only said good morning since then: the next one is told the same bytes.
        let before = mock.bodies().len();
        machine.agent.run("Good evening. @@say Good evening.@@").unwrap();
        assert_eq!(blocks(&mock.bodies()[before..]), first, "{flavor}");
        let said = machine.events(&third.session);
        let mut said = said.iter().filter(|(kind, _)| *kind == EventKind::UserMsg);
        assert!(said.all(|(_, text)| !text.contains("backstory-context")), "{flavor}: {said:?}");
    }
}

#[test]
fn a_sub_agent_that_begins_is_told_what_holds_for_all() {
    for flavor in WITH_CONTEXT {
        let mock = Mock::start().unwrap();
        let machine = Machine::new(flavor, &clis(), &mock);
        work(&machine);
        let before = mock.bodies().len();
        let delegated = machine.agent.delegate("Look around in the garden. @@say All is green.@@");
        machine.agent.run(&format!("Send somebody. {delegated} @@say Thanks.@@")).unwrap();
        let told = blocks(&mock.bodies()[before..]);
        let (sessions, subagents): (Vec<_>, Vec<_>) =
            told.iter().partition(|block| block.contains("[digest]"));
        assert_eq!((sessions.len(), subagents.len()), (1, 1), "{flavor}: {told:#?}");
        assert!(subagents[0].contains(RULE), "{flavor}: {told:#?}");
    }
}

#[test]
fn a_sub_agent_of_grok_is_kept_once_and_as_its_sessions() {
    let mock = Mock::start().unwrap();
    let machine = Machine::new(Flavor::Grok, &clis(), &mock);
    let delegated = machine.agent.delegate("Look around in the garden. @@say All is green.@@");
    let turn = machine.agent.run(&format!("Send somebody. {delegated} @@say Thanks.@@")).unwrap();
    machine.wait_for_seal(&turn.session, SealReason::Ended);
    machine.backstory(&["sync"]);
    let [child] = &machine.agent.children(&turn.session)[..] else { panic!("one sub-agent") };
    assert_eq!(machine.parent_of(&child.id), Some(turn.session.clone()));
    let said = |session: &str, who: EventKind, text: &str| {
        let events = machine.events(session);
        events.iter().filter(|(kind, said)| *kind == who && said.contains(text)).count()
    };
    for (session, asked, answered) in [
        (&child.id, "Look around in the garden.", "All is green."),
        (&turn.session, "Send somebody.", "Thanks."),
    ] {
        assert_eq!(said(session, EventKind::UserMsg, asked), 1, "{asked}");
        assert_eq!(said(session, EventKind::AssistantMsg, answered), 1, "{answered}");
    }
    assert_eq!(machine.waiting(), 0, "{}", machine.backstory(&["status"]));
}
