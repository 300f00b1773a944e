//! What a session is told when it begins: what holds in its project, and what was done there last.

use crate::history::{BREWERY, History, NOW, SHOP, Step, uid};
use backstory_engine::recall::{
    Category, Occasion, Recall, RecallOptions, StartOptions, Target, at_prompt, at_start,
    injections, mute, start_recall, unmute,
};
use backstory_engine::{ForgetChoice, find_to_forget, forget};
use backstory_model::SessionUid;

const RULE: &str = "Always run make check before you commit.";
const REQUEST: &str = "The invoice lacks the number of the customer, please add it.";

/// Two days on which something was done, in one of the two projects.
fn worked() -> History {
    let history = History::told();
    let done = [
        ("stock", 26, "Show the stock of every warehouse on one page.", "stock.rs"),
        ("invoice", 27, REQUEST, "invoice.rs"),
    ];
    for (id, day, request, file) in done {
        history.session(
            id,
            SHOP,
            day,
            &[
                Step::Asks(&format!("{request} {RULE}")),
                Step::Fails("cargo run --bin import", "error: no such table: teas"),
                Step::Edits(&format!("/src/teashop/{file}"), "old", "new"),
                Step::Runs("make check", "ok"),
                Step::Answers("It is there now."),
            ],
        );
    }
    history.sweep();
    history
}

fn options() -> StartOptions {
    StartOptions {
        project: Some(SHOP.into()),
        session: None,
        with_sessions: true,
        max_bytes: 10_000,
    }
}

fn told(history: &History, options: &StartOptions) -> Recall {
    start_recall(&history.vault(), options).unwrap()
}

fn begin(history: &History, session: &SessionUid) -> Recall {
    let occasion = Occasion { session, event: "SessionStart", at: NOW };
    at_start(&history.archive, &options(), &occasion).unwrap()
}

#[test]
fn what_holds_what_helps_and_what_was_done_last_is_told() {
    let history = worked();
    let found = told(&history, &options());
    let lines: Vec<&str> = found.text.lines().collect();
    assert_eq!(lines[0], "<backstory-context source=\"session-start\" format=\"digest\">");
    assert_eq!(lines.last(), Some(&"</backstory-context>"));
    let rule = format!("- [correction] 2026-03-27: {RULE} (backstory://claude:invoice/0)");
    assert_eq!(lines[2], rule, "{found:#?}");
    assert!(
        lines[3].starts_with("- [fix] 2026-03-03: \"error: no such table: teas\""),
        "{found:#?}"
    );
    assert!(lines[3].contains("0007.sql"), "{found:#?}");
    let latest: Vec<&str> = found
        .items
        .iter()
        .filter(|item| item.category == Category::Digest)
        .map(|item| item.address.as_str())
        .collect();
    let expected = ["invoice", "stock", "migrate"].map(|id| format!("backstory://claude:{id}"));
    assert_eq!(latest, expected, "{found:#?}");
    assert!(found.text.contains("changed invoice.rs"), "{found:#?}");
    assert!(found.items.iter().all(|item| item.score >= 1.0 && !item.why.is_empty()));
    assert!(found.text.len() <= 3_000);
    for _ in 0..3 {
        assert_eq!(told(&history, &options()), found);
    }
}

#[test]
fn what_one_session_alone_was_told_is_no_rule() {
    let history = worked();
    let one_left = StartOptions { session: Some(uid("invoice")), ..options() };
    let found = told(&history, &one_left);
    assert!(!found.text.contains("[correction]"), "{found:#?}");
    assert!(!found.text.contains("claude:invoice"), "{found:#?}");
    assert!(found.text.contains("claude:stock"), "{found:#?}");
}

#[test]
fn other_projects_and_no_project_are_told_nothing_of_it() {
    let history = worked();
    let brewery = told(&history, &StartOptions { project: Some(BREWERY.into()), ..options() });
    assert!(!brewery.text.contains("teashop") && !brewery.text.contains(RULE), "{brewery:#?}");
    assert!(brewery.text.contains("claude:kettle"), "{brewery:#?}");
    for project in [None, Some("/src/nowhere".to_owned())] {
        assert!(told(&history, &StartOptions { project, ..options() }).is_empty());
    }
}

#[test]
fn a_sub_agent_is_told_only_what_holds_for_all() {
    let history = worked();
    let found = told(&history, &StartOptions { with_sessions: false, ..options() });
    assert!(found.text.contains(RULE) && found.text.contains("0007.sql"), "{found:#?}");
    assert!(!found.text.contains("[digest]"), "{found:#?}");
}

#[test]
fn what_was_written_down_for_the_project_comes_first() {
    let history = worked();
    for (folder, text) in [
        ("teashop", "# Freeze\n\nNo releases on Fridays.\n"),
        ("brewery", "# Malt\n\nOnly malt of the valley.\n"),
        ("notes", "# Elsewhere\n\nBuy milk.\n"),
    ] {
        let dir = history.archive.home.dir().join("memories").join(folder);
        fs_err::create_dir_all(&dir).unwrap();
        fs_err::write(dir.join("note.md"), text).unwrap();
    }
    let found = told(&history, &options());
    assert_eq!(found.items[0].address, "backstory://memories/teashop/note.md", "{found:#?}");
    assert_eq!(found.items[0].text, "No releases on Fridays.");
    assert!(!found.text.contains("malt") && !found.text.contains("milk"), "{found:#?}");
}

#[test]
fn the_budget_and_what_is_muted_are_respected() {
    let history = worked();
    let all = told(&history, &options());
    let tight = told(&history, &StartOptions { max_bytes: all.text.len() - 1, ..options() });
    assert!(tight.text.len() < all.text.len() && tight.items[..2] == all.items[..2]);
    assert!(told(&history, &StartOptions { max_bytes: 100, ..options() }).is_empty());
    let home = &history.archive.home;
    for target in [
        Target::Session("claude:invoice".into()),
        Target::Address("backstory://claude:invoice".into()),
    ] {
        mute(home, &target, NOW).unwrap();
        let found = told(&history, &options());
        assert!(!found.text.contains("claude:invoice"), "{target:?}: {found:#?}");
        unmute(home, &target).unwrap();
    }
    mute(home, &Target::Project(SHOP.into()), NOW).unwrap();
    assert!(told(&history, &options()).is_empty());
    assert!(begin(&history, &uid("live")).is_empty());
}

#[test]
fn the_first_prompt_is_not_told_again_what_the_beginning_was() {
    let history = worked();
    let session = uid("live");
    let ask = |session: &SessionUid| {
        let options = RecallOptions {
            prompt: "the invoice still lacks the number of the customer in German".into(),
            project: Some(SHOP.into()),
            ..RecallOptions::default()
        };
        let occasion = Occasion { session, event: "UserPromptSubmit", at: NOW };
        at_prompt(&history.archive, &options, &occasion).unwrap()
    };
    // Somebody who was told nothing at the beginning hears of the request, with what came of it.
    let fresh = ask(&uid("other"));
    assert!(fresh.text.contains("The invoice lacks the number"), "{fresh:#?}");
    assert_eq!(fresh.text.matches("The invoice lacks the number").count(), 1, "{fresh:#?}");
    let begun = begin(&history, &session);
    assert!(begun.text.contains("The invoice lacks the number"), "{begun:#?}");
    let asked = ask(&session);
    assert!(!asked.text.contains("The invoice lacks the number"), "{asked:#?}");
    for item in &begun.items {
        assert!(!asked.text.contains(&format!("({})", item.address)), "{asked:#?}");
    }
    // A beginning that is told twice is answered twice alike, whatever is known meanwhile.
    history.session("later", SHOP, 28, &[Step::Edits("/src/teashop/a.rs", "a", "b")]);
    history.sweep();
    assert_eq!(begin(&history, &session).text, begun.text);
    assert_ne!(begin(&history, &uid("new")).text, begun.text);
}

#[test]
fn a_beginning_is_on_record_and_may_be_forgotten() {
    let history = worked();
    begin(&history, &uid("live"));
    begin(&history, &uid("stock/agent-1"));
    let known = injections(&history.archive.home).unwrap();
    let told: Vec<(&str, &str)> =
        known.iter().map(|one| (one.event.as_str(), one.session_uid.as_str())).collect();
    assert_eq!(told, [("SessionStart", "claude:live"), ("SessionStart", "claude:stock/agent-1")]);
    assert_eq!((known[0].prompt.as_str(), known[0].items.len() > 3), ("", true));
    let choice =
        ForgetChoice { sessions: vec![uid("stock"), uid("invoice")], ..ForgetChoice::default() };
    let sessions = find_to_forget(&history.archive.home, &choice).unwrap();
    forget(&history.archive, &sessions, NOW).unwrap();
    let known = injections(&history.archive.home).unwrap();
    assert_eq!(known.len(), 1, "what a sub-agent of a forgotten session was told: {known:#?}");
    let home = history.archive.home.dir();
    let recalled = fs_err::read_dir(home.join("state/recalled")).unwrap();
    let files = recalled.map(|file| file.unwrap().path()).chain([home.join("injections.jsonl")]);
    for file in files {
        let text = fs_err::read_to_string(&file).unwrap();
        assert!(!text.contains("invoice"), "{}: {text}", file.display());
        assert!(!file.ends_with("claude-stock_agent-1.json"), "{}", file.display());
    }
}
