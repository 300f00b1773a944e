//! `backstory recall`, `backstory why` and `backstory mute`.

use crate::json::{assert_same_fields, documented};
use crate::sandbox::Sandbox;
use backstory_engine::Archive;
use backstory_engine::recall::{Occasion, RecallOptions, at_prompt};
use backstory_model::{SessionUid, Timestamp};
use insta::assert_snapshot;

const PROMPT: &str = "Which host do deploys to staging go through?";

/// A user who once asked, in the folder the commands run in.
fn deployed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write_claude(
        "deploy001",
        &[
            (
                "How do we deploy the shop to staging?",
                "Deploys to staging go through the host heron-7; the health check is on port 7411.",
            ),
            ("Rename the cart module", "The cart module is called basket now."),
        ],
    );
    sandbox.write_claude(
        "other0001",
        &[("Add dark mode to the website", "The colours follow the system setting now.")],
    );
    assert_eq!(sandbox.run(&["sync"]).code, 0);
    sandbox
}

/// Hands the user's agent what it is told at a prompt.
fn inject(sandbox: &Sandbox) {
    let archive = Archive::indexed_at_home(sandbox.archive_in(".local/share/backstory"));
    let session = SessionUid::from_stored("codex:0198-live".into());
    let options =
        RecallOptions { prompt: PROMPT.into(), everywhere: true, ..RecallOptions::default() };
    let at = Timestamp::parse("2026-11-15T11:58:00Z").unwrap();
    let occasion = Occasion { session: &session, event: "UserPromptSubmit", at };
    assert!(!at_prompt(&archive, &options, &occasion).unwrap().is_empty());
}

#[test]
fn what_an_agent_would_be_told_is_shown() {
    let sandbox = deployed();
    assert_snapshot!("recall", sandbox.run(&["recall", PROMPT, "--all"]));
    let json = sandbox.json(&["recall", PROMPT, "--all", "--json"]);
    let shown = sandbox.run(&["recall", PROMPT, "--all", "--quiet"]);
    assert_eq!(json[0]["text"].as_str().unwrap(), shown.stdout.trim_end());
    assert_snapshot!(sandbox.run(&["recall", "hello there"]), @"");
    assert_snapshot!(sandbox.run(&["recall", "write a haiku about the sea", "--all"]), @"");
}

#[test]
fn what_an_agent_was_told_is_explained() {
    let sandbox = deployed();
    assert_snapshot!(sandbox.run(&["why"]), @"");
    if crate::store::is_postgres() {
        return;
    }
    inject(&sandbox);
    assert_snapshot!("why", sandbox.run(&["why"]));
    assert_snapshot!("why_list", sandbox.run(&["why", "--list"]));
    assert_same_fields(
        "why",
        &documented()["backstory why --json"][0],
        &sandbox.json(&["why", "1", "--json"])[0],
    );
    assert_snapshot!(sandbox.run(&["why", "7"]), @"");
}

#[test]
fn what_is_muted_is_listed_and_may_be_told_again() {
    let sandbox = deployed();
    assert_snapshot!(sandbox.run(&["mute", "--list"]), @"");
    assert_snapshot!(sandbox.run(&["mute", "deploy001"]), @"");
    assert_eq!(sandbox.run(&["mute", "backstory://claude:other0001/1"]).code, 0);
    assert_eq!(sandbox.run(&["mute", "/shop"]).code, 0);
    assert_snapshot!("mute_list", sandbox.run(&["mute", "--list"]));
    assert!(!sandbox.run(&["recall", PROMPT, "--all"]).stdout.contains("heron-7"));
    assert_snapshot!(sandbox.run(&["mute", "claude:deploy001", "--undo"]), @"");
    assert_snapshot!(sandbox.run(&["mute", "/shop", "--undo"]), @"");
    assert!(sandbox.run(&["recall", PROMPT, "--all"]).stdout.contains("heron-7"));
    assert_snapshot!(sandbox.run(&["mute", "/nowhere", "--undo"]), @"");
    assert_snapshot!(sandbox.run(&["mute", "nobody"]), @"");
}
