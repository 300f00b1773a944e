//! What agents are told of earlier sessions: the right things, nothing else, and always the same bytes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod decided;
mod history;
mod occasions;
mod start;

use backstory_engine::recall::{
    Category, ErrorOptions, Recall, RecallOptions, Target, error_recall, mute, overview_recall,
    recall, unmute,
};
use history::{BREWERY, History, NOW, SHOP, Step, uid};

fn options(prompt: &str, project: &str) -> RecallOptions {
    RecallOptions {
        prompt: prompt.into(),
        project: Some(project.into()),
        ..RecallOptions::default()
    }
}

fn told(history: &History, options: &RecallOptions) -> Recall {
    let vault = history.vault();
    recall(&vault, &history.searcher(&vault), options).unwrap()
}

fn failed(history: &History, output: &str, project: &str, everywhere: bool) -> Recall {
    let options = ErrorOptions {
        output: output.into(),
        project: Some(project.into()),
        everywhere,
        ..ErrorOptions::default()
    };
    error_recall(&history.vault(), &options).unwrap()
}

#[test]
fn a_planted_fact_is_found_again() {
    let history = History::told();
    for prompt in [
        "Which host do deploys to staging go through?",
        "deploy the current branch to staging please",
        "what port does the health check listen on",
        "I want to ship a canary release to staging. Prepare everything and tell me the exact command.",
    ] {
        let found = told(&history, &options(prompt, SHOP));
        assert!(found.text.contains("heron-7"), "{prompt}: {found:#?}");
        assert!(found.items[0].address.starts_with("backstory://claude:deploy"), "{found:#?}");
    }
    let price =
        told(&history, &options("Which type should the price column of the invoice have?", SHOP));
    assert!(price.text.contains("integer cents"), "{price:#?}");
    let repaired = told(&history, &options("import fails: no such table: teas", SHOP));
    assert!(
        repaired
            .items
            .iter()
            .any(|item| item.category == Category::Fix && item.text.contains("0007.sql")),
        "{repaired:#?}"
    );
}

#[test]
fn an_error_pasted_into_a_prompt_is_known_again() {
    let history = History::told();
    let found = told(&history, &options("what is this?\nerror: no such table: teas\n", SHOP));
    assert_eq!(found.items[0].category, Category::Fix, "{found:#?}");
    assert!(found.items[0].why.contains("the same error"), "{found:#?}");
}

#[test]
fn a_question_is_not_told_beside_its_answer() {
    let history = History::told();
    let found = told(&history, &options("Which host do deploys to staging go through?", SHOP));
    assert!(!found.text.contains("How do we deploy"), "{found:#?}");
}

#[test]
fn a_request_is_not_told_beside_what_came_of_it() {
    let history = History::told();
    let prompt = "The import of the tea catalogue is broken once more, which file was missing?";
    let found = told(&history, &options(prompt, SHOP));
    let words = "import of the tea catalogue is broken, please repair it";
    assert_eq!(found.text.matches(words).count(), 1, "{found:#?}");
}

#[test]
fn what_has_nothing_to_do_with_it_is_not_told() {
    let history = History::told();
    for prompt in [
        "hello",
        "ok thanks",
        "yes, go ahead",
        "/compact",
        "Write a haiku about the sea",
        "What is the capital of France?",
        "Implement quicksort in Haskell",
        "Convert this CSV into a spreadsheet with a pie chart",
        "How tall is the Eiffel tower and who designed it",
        "Generate a random maze and solve it with backtracking",
        "Draw a state machine of a vending machine in mermaid",
        "zqxyzzyq",
        "Add a button to the page",
        "the page does not load on my phone",
        "Fix the flaky websocket reconnect logic in the chat widget",
    ] {
        let found = told(&history, &options(prompt, SHOP));
        assert!(found.is_empty() && found.items.is_empty(), "{prompt}: {found:#?}");
    }
}

#[test]
fn other_projects_are_told_of_only_if_asked() {
    let history = History::told();
    let asked = options("Which port does the kettle controller use on staging?", SHOP);
    assert!(!told(&history, &asked).text.contains("otter-3"));
    let everywhere = RecallOptions { everywhere: true, ..asked.clone() };
    assert!(told(&history, &everywhere).text.contains("otter-3"));
    let nowhere = RecallOptions { project: None, ..asked };
    assert!(told(&history, &nowhere).is_empty());
}

#[test]
fn what_we_told_is_not_told_as_if_it_had_been_found() {
    let history = History::told();
    let words = "Deploys to staging go through the host pelican-9.";
    let block =
        format!("<backstory-context source=\"auto-recall\">\n{words}\n</backstory-context>");
    let prompt = "Which host do deploys to staging go through?";
    let finds = |id: &str, step: Step<'_>| {
        history.session(id, SHOP, 20, &[Step::Asks("Look around"), step, Step::Answers("Fine")]);
        history.sweep();
        told(&history, &options(prompt, SHOP)).text.contains("pelican-9")
    };
    assert!(!finds("asked", Step::LooksUp("host", words)));
    assert!(!finds("ran", Step::Runs("backstory recall 'which host'", &block)));
    assert!(
        finds("read", Step::Runs("cat deploys.md", words)),
        "found anywhere else, it is evidence"
    );
}

#[test]
fn a_session_is_not_told_of_itself() {
    let history = History::told();
    let asked = options("Which host do deploys to staging go through?", SHOP);
    let asked = RecallOptions { session: Some(uid("deploy")), ..asked };
    let found = told(&history, &asked);
    assert!(found.items.iter().all(|item| !item.address.contains("claude:deploy")), "{found:#?}");
}

#[test]
fn the_same_archive_gives_the_same_bytes_within_the_budget() {
    let history = History::told();
    let asked = options("The import of teas fails: no such table", SHOP);
    let first = told(&history, &asked);
    assert!(!first.is_empty());
    for _ in 0..3 {
        assert_eq!(told(&history, &asked), first);
    }
    assert!(!first.text.contains("score") && first.text.len() < 10_000);
    assert!(first.items.len() > 1, "{first:#?}");
    let most = first.text.len() - 1;
    let tight = RecallOptions { max_bytes: most, ..asked.clone() };
    let tight = told(&history, &tight);
    assert!(tight.text.len() <= most);
    // What does not fit gives way to something shorter; what is better stays where it is.
    let (last, better) = first.items.split_last().unwrap();
    assert_eq!(&tight.items[..better.len()], better);
    assert!(!tight.items.contains(last), "{tight:#?}");
    assert!(told(&history, &RecallOptions { max_bytes: 100, ..asked.clone() }).is_empty());
    assert_eq!(told(&history, &RecallOptions { limit: 1, ..asked }).items.len(), 1);
}

#[test]
fn an_error_met_before_is_answered_with_what_helped() {
    let history = History::told();
    let known = failed(&history, "Compiling\nerror: no such table: teas\nexit 1", SHOP, false);
    assert!(
        known.text.contains("source=\"error-recall\"") && known.text.contains("0007.sql"),
        "{known:#?}"
    );
    assert!(known.text.contains("backstory://claude:migrate/"), "{known:#?}");
    assert!(failed(&history, "error: no such table: coffees", SHOP, false).is_empty());
    assert!(failed(&history, "all is well", SHOP, false).is_empty());
    // Elsewhere only if that may be told.
    let foreign = "main.go:99:1: undefined: BrewKettle";
    assert!(failed(&history, foreign, SHOP, false).is_empty());
    assert!(
        failed(&history, foreign, SHOP, true).text.contains("NewKettle")
            || failed(&history, foreign, SHOP, true).text.contains("main.go")
    );
    assert!(!failed(&history, foreign, BREWERY, false).is_empty());
}

#[test]
fn what_is_muted_is_not_told() {
    let history = History::told();
    let home = &history.archive.home;
    let asked = options("Which host do deploys to staging go through?", SHOP);
    let address = told(&history, &asked).items[0].address.clone();
    for target in [
        Target::Session("claude:deploy".into()),
        Target::Project(SHOP.into()),
        Target::Address("backstory://claude:deploy".into()),
    ] {
        mute(home, &target, NOW).unwrap();
        let found = told(&history, &asked);
        assert!(!found.text.contains("heron-7"), "{target:?}: {found:#?}");
        assert!(unmute(home, &target).unwrap());
    }
    let one = Target::Address(address.clone());
    mute(home, &one, NOW).unwrap();
    assert!(told(&history, &asked).items.iter().all(|item| item.address != address));
    unmute(home, &one).unwrap();
    let session = Target::Session("claude:migrate".into());
    mute(home, &session, NOW).unwrap();
    assert!(failed(&history, "error: no such table: teas", SHOP, true).is_empty());
    assert!(overview_recall(&history.vault(), &uid("migrate"), (6000, 32_000)).unwrap().is_empty());
}

#[test]
fn what_was_written_down_is_told() {
    let history = History::told();
    let dir = history.archive.home.dir().join("memories/shop");
    fs_err::create_dir_all(&dir).unwrap();
    fs_err::write(
        dir.join("release-freeze.md"),
        "# Freeze\nNo releases on Fridays: the warehouse counts its stock.\n",
    )
    .unwrap();
    let found = told(&history, &options("can I release on Friday?", SHOP));
    assert_eq!(found.items[0].category, Category::Memory, "{found:#?}");
    assert_eq!(found.items[0].address, "backstory://memories/shop/release-freeze.md");
    assert!(found.text.contains("warehouse"));
}

#[test]
fn what_was_written_down_for_one_project_is_not_told_in_another() {
    let history = History::told();
    let prompt = "can I release on Friday?";
    for (folder, in_shop, in_brewery) in [
        ("notes", true, true),
        ("calendar", true, true),
        ("resources/handbook", true, true),
        ("preferences", true, true),
        ("teashop", true, false),
        ("Brewery", false, true),
        ("preferences/brewery", false, true),
        ("peers/-src-brewery", false, true),
        ("peers/-src-teashop", true, false),
        ("peers/-src-nowhere", false, false),
    ] {
        let dir = history.archive.home.dir().join("memories").join(folder);
        fs_err::create_dir_all(&dir).unwrap();
        let path = dir.join("release-freeze.md");
        fs_err::write(&path, "No releases on Fridays: the warehouse counts its stock.\n").unwrap();
        let tells = |options: &RecallOptions| told(&history, options).text.contains("warehouse");
        assert_eq!(tells(&options(prompt, SHOP)), in_shop, "{folder}");
        assert_eq!(tells(&options(prompt, BREWERY)), in_brewery, "{folder}");
        let everywhere = RecallOptions { everywhere: true, ..options(prompt, SHOP) };
        assert!(tells(&everywhere), "{folder}");
        fs_err::remove_file(&path).unwrap();
    }
}

#[test]
fn a_session_that_goes_on_is_told_its_state() {
    let history = History::told();
    let found = overview_recall(&history.vault(), &uid("migrate"), (6000, 32_000)).unwrap();
    assert!(
        found.text.starts_with(
            "<backstory-context source=\"session-resume\" format=\"archive-digest\">\n\
         Backstory session overview (backstory://claude:migrate):\n"
        ),
        "{found:#?}"
    );
    assert!(found.text.contains("0007.sql"), "{found:#?}");
    assert!(overview_recall(&history.vault(), &uid("nobody"), (6000, 32_000)).unwrap().is_empty());
}
