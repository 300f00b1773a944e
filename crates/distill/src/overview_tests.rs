//! Seven sections, the same bytes each time, never too long.

use super::*;
use crate::script;
use backstory_model::{ChangedFile, Commit, Fix, Judgement, OpenEnd, TestUse};
use proptest::prelude::*;

const TITLES: [&str; 7] = [
    "## Session Title",
    "## Current State",
    "## Task & Goals",
    "## Key Facts & Decisions",
    "## Files & Context",
    "## Errors & Corrections",
    "## Open Issues",
];

fn session() -> Session {
    let mut session = script::session();
    session.title = Some("# Make the cache\nexpire".into());
    session.repo = Some("shop".into());
    session.cwd = Some("/src/shop".into());
    session.git_branch = Some("cache".into());
    session.task_ref = Some("SHOP-7".into());
    session
}

fn snippet(seq: u32, why: &str, text: &str) -> Snippet {
    Snippet { seq, why: why.into(), text: text.into() }
}

fn digest() -> Digest {
    Digest {
        goal: Some(snippet(0, "goal", "Entries of the cache must expire after an hour.")),
        prompts: 3,
        files: vec![ChangedFile {
            path: "src/cache.rs".into(),
            edits: 2,
            added: 40,
            removed: 3,
            seq: 5,
        }],
        tests: vec![TestUse {
            command: "cargo test".into(),
            runs: 2,
            failures: 1,
            passed: Some(true),
            result: Some("12 passed".into()),
            seq: 9,
        }],
        commits: vec![Commit {
            id: Some("a1b2c3d".into()),
            subject: "Expire entries".into(),
            seq: 10,
        }],
        judgement: Judgement {
            outcome: Outcome::Success,
            confidence: 90,
            evidence: vec![(9, "the tests pass".into())],
        },
        snippets: vec![
            snippet(3, "decision", "Use a monotonic clock"),
            snippet(4, "correction", "no, not a thread per entry"),
            snippet(11, "answer", "Entries expire now.\n## Not a heading"),
        ],
        open_ends: vec![OpenEnd {
            kind: OpenEndKind::UncommittedEdits,
            what: "src/lib.rs".into(),
            seq: 12,
        }],
        ..Digest::default()
    }
}

fn signals() -> Vec<Signal> {
    let error = Signal {
        kind: SignalKind::Error,
        fingerprint: 7,
        seq: 6,
        last_seq: 6,
        ts: None,
        count: 2,
        what: "error[E0502]: cannot borrow".into(),
        fix: None,
    };
    let fix = Fix { seq: 8, what: "clone the key first".into(), tried: String::new() };
    let other = Signal { fingerprint: 8, what: "linker not found".into(), ..error.clone() };
    let fixed = Signal { kind: SignalKind::ErrorFix, fix: Some(fix), ..error.clone() };
    vec![error, fixed, other]
}

#[test]
fn it_tells_what_matters_in_seven_sections() {
    let made = overview(&session(), &digest(), &signals(), OVERVIEW_MAX_CHARS);
    assert_eq!(
        made.text,
        "## Session Title

Make the cache expire

## Current State

- Reached its goal: the tests pass.
- Last words: Entries expire now. ## Not a heading
- `cargo test` passes (12 passed)

## Task & Goals

- Entries of the cache must expire after an hour.
- Work item: SHOP-7
- 3 prompts so far

## Key Facts & Decisions

- Decided: Use a monotonic clock
- Committed a1b2c3d Expire entries

## Files & Context

- Directory: `/src/shop`
- Branch: `cache`
- `src/cache.rs` (+40 −3)

## Errors & Corrections

- Corrected by the human: no, not a thread per entry
- error[E0502]: cannot borrow: fixed by clone the key first
- linker not found (2 times)

## Open Issues

Uncommitted edits: src/lib.rs
"
    );
    assert_eq!(
        made.abstract_text,
        "Make the cache expire (shop). Reached its goal: the tests pass. Entries expire now. ## Not a heading"
    );
    assert_eq!(overview(&session(), &digest(), &signals(), OVERVIEW_MAX_CHARS), made);
}

#[test]
fn a_session_without_anything_has_every_section() {
    let made = overview(&script::session(), &Digest::default(), &[], OVERVIEW_MAX_CHARS);
    let titles: Vec<&str> = made.text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(titles, TITLES);
    assert_eq!(made.text.matches(NOTHING).count(), 4, "{}", made.text);
}

proptest! {
    #[test]
    fn it_is_never_too_long_and_nothing_in_it_is_a_heading(
        texts in prop::collection::vec("(#|\\PC|\n){0,400}", 1..30),
        max in 0_usize..7_000,
    ) {
        let many = |why: &str| texts.iter().map(|text| snippet(1, why, text)).collect::<Vec<_>>();
        let snippets = [many("decision"), many("correction"), many("answer")].concat();
        let files = texts.iter().map(|text| ChangedFile { path: text.clone(), ..ChangedFile::default() });
        let mut session = session();
        session.title = Some(texts[0].clone());
        let digest = Digest { snippets, files: files.collect(), ..digest() };
        let made = overview(&session, &digest, &signals(), max);
        prop_assert!(made.text.chars().count() <= max);
        prop_assert!(made.abstract_text.len() <= ABSTRACT_MAX);
        if max > 500 {
            let titles: Vec<&str> = made.text.lines().filter(|line| line.starts_with('#')).collect();
            prop_assert_eq!(titles, TITLES);
        }
    }
}
