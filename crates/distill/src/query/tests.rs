//! What people type and paste, and what is made of it.

use super::filter::vocabulary;
use super::*;
use proptest::prelude::*;
use std::cell::RefCell;
use std::fmt::Write;

/// A day is its number in thousands, so that tests can write moments without a clock.
fn moment(text: &str, end: End) -> Option<Timestamp> {
    let day: i64 = text.strip_suffix('d')?.parse().ok()?;
    Some(Timestamp(day * 1000 + i64::from(end == End::Until)))
}

fn parse(text: &str) -> Query {
    Query::parse(text, &moment)
}

/// The query on one line: words, phrases, exclusions; filters and hints apart.
fn told(query: &Query) -> String {
    let mut told = Vec::new();
    let star = |is_prefix: bool| if is_prefix { "*" } else { "" };
    for word in &query.words {
        let mut text = format!("{}{}", word.text, star(word.is_prefix));
        for (other, is_prefix) in &word.alternatives {
            let _ = write!(text, "|{other}{}", star(*is_prefix));
        }
        told.push(text);
    }
    told.extend(query.phrases.iter().map(|phrase| format!("[{phrase}]")));
    told.extend(query.without.iter().map(|without| match without {
        Without::Word(word) => format!("!{word}"),
        Without::Phrase(phrase) => format!("![{phrase}]"),
    }));
    told.join(" ")
}

#[test]
fn the_language() {
    for (text, expected) in [
        ("", ""),
        ("busy timeout", "busy timeout"),
        ("  busy\n\ttimeout\u{3000}x ", "busy timeout x"),
        ("\"busy timeout\" sqlite", "sqlite [busy timeout]"),
        ("“busy timeout” „auf deutsch“", "[busy timeout] [auf deutsch]"),
        ("sqlite -test -\"busy timeout\"", "sqlite !test ![busy timeout]"),
        ("a OR b OR c d", "a|b|c d"),
        ("a OR time* x", "a|time* x"),
        ("time* out", "time* out"),
        ("修复 登录测试 -失败", "修复 登录测试 !失败"),
        ("größe -café", "größe !café"),
        ("\"\" \"->\" =>", ""),
        ("or and not", "or and not"),
    ] {
        let query = parse(text);
        assert_eq!(told(&query), expected, "{text}");
        let is_nothing_to_find = expected.is_empty() && !text.is_empty();
        assert_eq!(query.hints.len(), usize::from(is_nothing_to_find), "{text}: {:?}", query.hints);
    }
}

#[test]
fn what_is_pasted_stays_words() {
    for text in [
        "http://localhost:8080/a?b=c#d https://docs.rs/x ssh://git@host:22/repo",
        "file:///home/ada/x.rs session::Manager model::Event::new kind::Error std::fs::read",
        r"C:\Users\ada\x.rs file:\x D:/work",
        "12:30 2026-11-01T10:00:00Z localhost:5432 main.rs:12:5",
        "error: key: value error[E0308]: mismatched types",
        "error: linking with `cc` failed: exit status: 1 (signal: 9, SIGKILL: kill)",
        "cargo test -p backstory-store --release -- --nocapture --test-threads=1",
        "exit code -1, it's 5\" wide and 6\" tall -> no",
        "{\"command\":\"cargo test\",\"timeout\":120000}",
        "SELECT * FROM t WHERE a='b' ORDER BY c;",
        "**bold** src/*.rs foo*bar",
        "call 'a b' with (x, y) -- or not? [ok] <tag attr=\"v\"> $HOME ${X:-y} a=b",
        "please make the tests of the session expiry work again in Europe/Berlin, they fail since \
         the clock changed; do not touch the cart, and tell me: why did nobody notice it before?",
    ] {
        let query = parse(text);
        let words: Vec<&str> =
            text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).collect();
        let found: Vec<&str> = query.words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(found, words);
        assert_eq!((query.phrases.len(), query.without.len()), (0, 0), "{text}");
        assert_eq!(query.filters, Filters::default(), "{text}");
        assert!(query.hints.is_empty(), "{text}: {:?}", query.hints);
    }
}

#[test]
fn filters_take_names_lists_and_quotes() {
    let query = parse(
        "agent:codex Agent:claude-code repo:\"my repo\",app branch:fix/SHOP-12 since:3d until:9d \
         kind:errors,prompt tool:Bash file:src/main.rs file:/etc/hosts outcome:failed \
         session:backstory://claude:1f2e/ model:opus exit:!0 exit:fail exit:101 exit:-1 word",
    );
    assert_eq!(query.hints, Vec::<String>::new());
    assert_eq!(told(&query), "word");
    assert_eq!(
        query.filters,
        Filters {
            agents: vec![Flavor::Codex, Flavor::Claude],
            repos: vec!["my repo".into(), "app".into()],
            branches: vec!["fix/SHOP-12".into()],
            since: Some(Timestamp(3000)),
            until: Some(Timestamp(9001)),
            kinds: vec![EventKind::Error, EventKind::UserMsg, EventKind::HumanIntervention],
            tools: vec!["Bash".into()],
            files: vec!["src/main.rs".into(), "/etc/hosts".into()],
            outcomes: vec![Outcome::Fail],
            sessions: vec!["claude:1f2e".into()],
            models: vec!["opus".into()],
            exits: vec![ExitFilter::Not(0), ExitFilter::Is(101), ExitFilter::Is(-1)],
        }
    );
}

#[test]
fn the_same_filter_twice_lets_either_through() {
    let query = parse("since:5d since:3d until:7d until:9d kind:error OR kind:edit");
    assert_eq!(query.filters.since, Some(Timestamp(3000)));
    assert_eq!(query.filters.until, Some(Timestamp(9001)));
    assert_eq!(query.filters.kinds, [EventKind::Error, EventKind::Edit]);
    assert_eq!(query.hints, Vec::<String>::new());
}

#[test]
fn every_kind_and_group_has_a_filter() {
    for kind in EventKind::ALL {
        assert_eq!(parse(&format!("kind:{}", kind.name())).filters.kinds, [kind]);
    }
    for (group, kinds) in KIND_GROUPS {
        assert_eq!(parse(&format!("kind:{group}")).filters.kinds, kinds);
        assert_eq!(parse(&format!("kind:{group}s")).filters.kinds, kinds);
    }
    assert_eq!(parse("kind:user-msg").filters.kinds, [EventKind::UserMsg]);
}

#[test]
fn what_is_not_understood_becomes_words_with_a_hint() {
    for (text, words, hint) in [
        ("foo:bar x", "foo:bar x", "foo: is no filter, so these are words; filters are agent:"),
        ("agnet:codex", "agnet:codex", "did you mean agent:?"),
        ("project:app", "project:app", "did you mean repo:?"),
        ("before:3d", "before:3d", "did you mean until:?"),
        ("agent:codx x", "codx x", "\"codx\" is no agent; did you mean codex?"),
        ("kind:eror", "eror", "did you mean error?"),
        ("kind:banana", "banana", "\"banana\" is no kind; there are prompt, answer"),
        ("since:\"last week\"", "last week", "\"last week\" is no moment; try 2026-11-01"),
        ("exit:maybe", "maybe", "is no exit code"),
        ("outcome:sucess", "sucess", "did you mean success?"),
        ("repo: app", "repo: app", "repo: needs its value right behind the colon"),
        ("-agent:codex x", "agent:codex x", "filters cannot be negated"),
        ("\"busy timeout", "busy timeout", "the quote before busy is never closed"),
        ("repo:\"my app", "repo:\"my app", "the quote in repo:\"my is never closed"),
        ("a - b", "a b", "a - by itself leaves nothing out"),
        ("-time*", "!time", "leaves out only the word time"),
        ("a OR", "a OR", "OR joins the words on both its sides"),
        ("OR a", "OR a", "OR joins the words on both its sides"),
        ("a OR -bc", "a OR !bc", "OR joins the words on both its sides"),
        ("a OR \"c d\"", "a c d", "\"c d\" is taken as plain words"),
        ("\"a b\" OR \"c d\" OR e", "a b c d e", "\"a b\" is taken as plain words"),
        ("repo:x OR a", "a", "a filter must hold in any case"),
        ("a OR repo:x", "a", "a filter must hold in any case"),
        ("since:9d until:3d", "", "no moment lies between them"),
        ("!? ->", "", "there is no letter and no digit"),
    ] {
        let query = parse(text);
        assert_eq!(told(&query), words, "{text}");
        assert!(query.hints.iter().any(|told| told.contains(hint)), "{text}: {:?}", query.hints);
    }
}

#[test]
fn hints_are_few() {
    let hints = parse(&"foo:bar kind:x agent:y exit:z - since:q until:q ".repeat(40)).hints;
    assert!(hints.len() <= 6, "{hints:?}");
    assert_eq!(parse("foo:bar baz:qux").hints.len(), 1);
}

#[test]
fn a_filter_can_be_added_as_a_flag() {
    let mut query = parse("x");
    assert_eq!(query.narrow(FilterName::Repo, "a \"b\", c", &moment), Ok(()));
    assert_eq!(query.filters.repos, ["a \"b\", c"]);
    assert!(query.narrow(FilterName::Kind, "nonsense", &moment).is_err());
    assert!(parse("").is_empty() && !parse("repo:x").is_empty());
}

/// All that a query holds, as text.
fn held(query: &Query) -> String {
    let filters = &query.filters;
    let lists = [&filters.repos, &filters.branches, &filters.tools, &filters.files];
    let lists = lists.into_iter().chain([&filters.sessions, &filters.models, &query.hints]);
    let mut held = vec![told(query)];
    held.extend(lists.flatten().cloned());
    held.extend(filters.agents.iter().map(|agent| agent.name().to_owned()));
    held.extend(filters.kinds.iter().map(|kind| kind.name().to_owned()));
    held.extend(filters.outcomes.iter().map(|outcome| outcome.name().to_owned()));
    held.extend(filters.exits.iter().map(|exit| match exit {
        ExitFilter::Is(code) | ExitFilter::Not(code) => code.to_string(),
    }));
    held.join(" ")
}

/// Every letter and digit of a text is in the query or in a hint about it, except for the names of
/// filters and the words they take for values.
fn holds_every_word(text: &str) {
    let moments = RefCell::new(String::new());
    let query = Query::parse(text, &|text, end| {
        let at = moment(text, end)?;
        moments.borrow_mut().push_str(text);
        Some(at)
    });
    let held = format!("{} {}", held(&query), moments.borrow());
    let vocabulary: Vec<&str> = vocabulary().collect();
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let small = run.to_ascii_lowercase();
        let is_word_of_a_filter =
            vocabulary.iter().any(|word| small == *word || small.strip_suffix('s') == Some(*word));
        let is_held = held.contains(run)
            || held.contains(&small)
            || is_word_of_a_filter
            || run == "OR"
            // `exit:007` is `exit:7`.
            || held.contains(run.trim_start_matches('0'));
        assert!(is_held, "{run:?} of {text:?} is lost: {query:?}");
    }
}

proptest! {
    #[test]
    fn no_text_breaks_it_and_no_word_is_lost(text in "\\PC*") {
        holds_every_word(&text);
    }

    #[test]
    fn no_query_breaks_it_and_no_word_is_lost(
        parts in proptest::collection::vec(
            "(-|\"|“|„)?([a-z]{1,6}|日本|ß|OR|agent|repo|kind|since|exit|session|file|foo)?\
             (:|::|://|\\*|\")?(\"|-|!)?([a-z]{1,5}|3d|codex|error|0|x y)?(\"|”|,|,b|\\*)?",
            0..12,
        ),
        blank in "[ \n\u{3000}]{0,2}",
    ) {
        holds_every_word(&parts.join(&blank));
    }
}
