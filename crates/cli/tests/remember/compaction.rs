//! Sessions whose context is compacted.

use crate::FACT;
use crate::machine::{Machine, clis};
use backstory_model::{Flavor, SealReason};
use backstory_testkit::agents::Stop;
use backstory_testkit::mock::Mock;

#[test]
fn a_compacted_session_of_codex_is_told_what_it_was_about() {
    let mock = Mock::start().unwrap();
    let machine = Machine::with(
        Flavor::Codex,
        &clis(),
        &mock,
        &["-c", "model_auto_compact_token_limit=1200"],
    );
    let steps = "@@sh echo one@@ @@sh echo two@@ @@sh echo three@@";
    let turn = machine.agent.run(&format!("{FACT} {steps} @@say Noted.@@")).unwrap();
    let sent = mock.bodies().concat();
    assert!(sent.contains("session-resume"), "nothing was handed over");
    assert!(sent.contains(&format!("backstory://codex:{}", turn.session)), "{sent}");
    machine.wait_for_seal(&turn.session, SealReason::Compaction);
}

#[test]
fn a_compacted_session_of_claude_is_told_what_it_was_about() {
    let mock = Mock::start().unwrap();
    let machine = Machine::new(Flavor::Claude, &clis(), &mock);
    let begun = machine.agent.sandbox().project.join("begun");
    // A session that ends is sealed for that. This one has no end before it is compacted.
    let slow = "@@sh touch begun; python3 -c 'import time; time.sleep(30)'@@";
    let prompt = format!("{FACT} {slow} @@say Noted.@@");
    machine.agent.run_until_stopped(&prompt, Stop::Kill, &|| begun.exists()).unwrap();
    let compacted = machine.agent.resume("/compact").unwrap();
    machine.wait_for_seal(&compacted.session, SealReason::Compaction);
    let handed = machine.handed(&compacted.session);
    let own = format!("backstory://claude:{}", compacted.session);
    let [(event, items)] = &handed[..] else { panic!("{handed:#?}") };
    assert_eq!((event.as_str(), items[0]["address"].as_str()), ("SessionStart", Some(&*own)));
    let before = mock.bodies().len();
    machine.agent.resume("Where were we? @@say At the proxy.@@").unwrap();
    let sent = mock.bodies().split_off(before).pop().unwrap();
    // What the compaction was told stands before what the resumption is.
    let told = sent.matches(r#"source=\"session-resume\""#).count();
    assert_eq!(told, 2, "{sent}");
    assert!(sent.contains("6543 behind the heron proxy"), "{sent}");
}
