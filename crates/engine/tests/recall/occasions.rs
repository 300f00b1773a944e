//! What live sessions are handed: remembered, recorded, never twice.

use crate::history::{History, NOW, SHOP, uid};
use backstory_engine::recall::{
    ErrorOptions, Given, Injection, Occasion, Recall, RecallOptions, Target, at_error, at_prompt,
    at_resume, forget_given, injections, mute,
};
use backstory_engine::{ForgetChoice, find_to_forget, forget};
use backstory_model::{SessionUid, Timestamp};
use std::sync::Barrier;

const PROMPT: &str = "Which host do deploys to staging go through?";

fn ask(history: &History, session: &SessionUid, prompt: &str) -> Recall {
    let options = RecallOptions {
        prompt: prompt.into(),
        project: Some(SHOP.into()),
        ..RecallOptions::default()
    };
    let occasion = Occasion { session, event: "UserPromptSubmit", at: NOW };
    at_prompt(&history.archive, &options, &occasion).unwrap()
}

fn recorded(history: &History) -> Vec<Injection> {
    injections(&history.archive.home).unwrap()
}

#[test]
fn the_same_prompt_gets_the_same_bytes_and_another_nothing_twice() {
    let history = History::told();
    let session = uid("live");
    let first = ask(&history, &session, PROMPT);
    assert!(first.text.contains("heron-7"));
    // More is known meanwhile; the prompt is answered as before.
    history.session(
        "later",
        SHOP,
        28,
        &[
            crate::history::Step::Asks("Which host do deploys to staging go through now?"),
            crate::history::Step::Answers(
                "Since today deploys to staging go through the host egret-2.",
            ),
        ],
    );
    history.sweep();
    assert_eq!(ask(&history, &session, PROMPT).text, first.text);
    let other = ask(&history, &session, "which host is it that staging deploys go through, again");
    assert!(other.text.contains("egret-2"), "{other:#?}");
    for item in &first.items {
        assert!(!other.text.contains(&format!("({})", item.address)), "{other:#?}");
    }
    // Another session was told nothing yet.
    assert!(ask(&history, &uid("live-2"), PROMPT).text.contains("egret-2"));
    // Once its context is compacted, a session may hear it again.
    forget_given(&history.archive.home, &session).unwrap();
    assert!(ask(&history, &session, PROMPT).text.contains("egret-2"));
}

#[test]
fn every_injection_is_on_record_and_nothing_else() {
    let history = History::told();
    assert!(ask(&history, &uid("live"), "good morning").is_empty());
    assert_eq!(recorded(&history), []);
    let secret = ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let told = ask(&history, &uid("live"), &format!("{PROMPT} my token is {secret}"));
    ask(&history, &uid("live"), "hm");
    let error = ErrorOptions {
        output: "error: no such table: teas".into(),
        project: Some(SHOP.into()),
        ..ErrorOptions::default()
    };
    let occasion = Occasion { session: &uid("live"), event: "PostToolUse", at: NOW };
    let fix = at_error(&history.archive, &error, &occasion).unwrap();
    assert!(!fix.is_empty());
    assert!(at_error(&history.archive, &error, &occasion).unwrap().is_empty());
    let resumed = Occasion { session: &uid("migrate"), event: "SessionStart", at: NOW };
    assert!(!at_resume(&history.archive, (6000, 32_000), &resumed).unwrap().is_empty());
    let known = recorded(&history);
    let numbers: Vec<(u64, &str)> =
        known.iter().map(|one| (one.number, one.event.as_str())).collect();
    assert_eq!(numbers, [(1, "UserPromptSubmit"), (2, "PostToolUse"), (3, "SessionStart")]);
    let first = &known[0];
    assert_eq!((first.agent.as_str(), first.session_uid.as_str()), ("claude", "claude:live"));
    assert_eq!((first.bytes, first.items.len()), (told.text.len(), told.items.len()));
    assert!(
        first.items.iter().all(|item| item.score >= 1.0 && !item.why.is_empty() && item.tokens > 0)
    );
    assert!(first.prompt.starts_with(PROMPT) && !first.prompt.contains(&secret));
    let written =
        fs_err::read_to_string(history.archive.home.dir().join("injections.jsonl")).unwrap();
    assert!(!written.contains(&secret));
}

#[test]
fn what_is_muted_since_is_not_repeated() {
    let history = History::told();
    let session = uid("live");
    assert!(ask(&history, &session, PROMPT).text.contains("heron-7"));
    mute(&history.archive.home, &Target::Session("claude:deploy".into()), NOW).unwrap();
    assert!(!ask(&history, &session, PROMPT).text.contains("heron-7"));
}

#[test]
fn what_is_forgotten_leaves_no_word_in_the_records() {
    let history = History::told();
    ask(&history, &uid("live"), PROMPT);
    ask(&history, &uid("deploy"), "The import of the tea catalogue is broken: no such table teas");
    let choice = ForgetChoice { sessions: vec![uid("deploy")], ..ForgetChoice::default() };
    let sessions = find_to_forget(&history.archive.home, &choice).unwrap();
    forget(&history.archive, &sessions, NOW).unwrap();
    let known = recorded(&history);
    assert_eq!(known.len(), 1, "{known:#?}");
    assert!(known[0].items.iter().all(|item| !item.address.contains("claude:deploy")));
    let home = history.archive.home.dir();
    let mut files = vec![home.join("injections.jsonl")];
    for file in fs_err::read_dir(home.join("state/recalled")).unwrap() {
        files.push(file.unwrap().path());
    }
    for file in files {
        let text = fs_err::read_to_string(&file).unwrap();
        assert!(!text.contains("heron-7") && !text.contains("claude:deploy"), "{}", file.display());
    }
    assert_eq!(Given::read(&history.archive.home, &uid("deploy")), Given::default());
}

#[test]
fn calls_that_fail_at_once_are_told_of_the_fix_once() {
    const CALLS: usize = 6;
    let history = History::told();
    let error = ErrorOptions {
        output: "error: no such table: teas".into(),
        project: Some(SHOP.into()),
        ..ErrorOptions::default()
    };
    for round in 0..5 {
        let (session, all) = (uid(&format!("live-{round}")), Barrier::new(CALLS));
        let hook = || {
            let occasion = Occasion { session: &session, event: "PostToolUse", at: NOW };
            all.wait();
            !at_error(&history.archive, &error, &occasion).unwrap().is_empty()
        };
        let told = std::thread::scope(|scope| {
            let hooks: Vec<_> = (0..CALLS).map(|_| scope.spawn(hook)).collect();
            let told = hooks.into_iter().map(|hook| hook.join().unwrap());
            told.filter(|told| *told).count()
        });
        assert_eq!(told, 1);
    }
    assert_eq!(recorded(&history).len(), 5);
}

#[test]
fn agents_that_ask_at_once_get_numbers_of_their_own() {
    let history = History::told();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let history = &history;
            scope.spawn(move || {
                for at in 0..5 {
                    ask(history, &uid(&format!("live-{thread}-{at}")), PROMPT);
                }
            });
        }
    });
    let mut numbers: Vec<u64> = recorded(&history).iter().map(|one| one.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<u64>>());
}

#[test]
fn what_a_session_was_told_is_forgotten_when_it_is_long_over() {
    let history = History::told();
    let day = 24 * 3_600_000;
    let (long_ago, lately) = (uid("long-ago"), uid("lately"));
    let ask_at = |session: &SessionUid, ago: i64| {
        let options = RecallOptions {
            prompt: PROMPT.into(),
            project: Some(SHOP.into()),
            ..RecallOptions::default()
        };
        let at = Timestamp(NOW.0 - ago);
        let occasion = Occasion { session, event: "UserPromptSubmit", at };
        assert!(!at_prompt(&history.archive, &options, &occasion).unwrap().is_empty());
    };
    ask_at(&long_ago, 30 * day + 1);
    ask_at(&lately, 30 * day);
    let folder = history.archive.home.state().join("recalled");
    fs_err::write(folder.join("codex-undated.json"), "{\"addresses\":[\"x\"]}").unwrap();
    fs_err::write(folder.join("codex-being.json.1-0.tmp"), "{").unwrap();
    history.sweep();
    let home = &history.archive.home;
    assert_eq!(Given::read(home, &long_ago), Given::default());
    assert!(!Given::read(home, &lately).addresses.is_empty());
    assert!(!folder.join("codex-undated.json").exists());
    assert!(folder.join("codex-being.json.1-0.tmp").exists(), "somebody is writing it");
    // Whoever is told again is remembered from then on.
    ask_at(&long_ago, 0);
    history.sweep();
    assert!(!Given::read(home, &long_ago).addresses.is_empty());
}

#[test]
fn a_state_keeps_its_budget_of_tokens() {
    let history = History::told();
    let resumed = Occasion { session: &uid("migrate"), event: "SessionStart", at: NOW };
    let told = |most: (usize, u32)| at_resume(&history.archive, most, &resumed).unwrap().text;
    let whole = told((6000, 32_000));
    assert!(!whole.contains("\n…\n"), "{whole}");
    let cut = told((6000, 20));
    assert!(cut.contains("\n…\n") && cut.len() + 40 < whole.len(), "{cut}");
    assert_eq!(told((80, 32_000)), told((80, 20)), "80 letters are 20 tokens");
}
