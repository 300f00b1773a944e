//! What texts are cut into.

use super::*;
use proptest::prelude::*;

fn terms(text: &str) -> String {
    let mut said = Vec::new();
    for_each(text, &mut |term| {
        let mark = match term.kind {
            TermKind::Word => "",
            TermKind::Whole => "=",
            TermKind::Gram => "~",
        };
        said.push(format!("{mark}{}@{}", term.text, term.position));
    });
    said.join(" ")
}

#[test]
fn prose_is_words() {
    assert_eq!(
        terms("The build, again: FAILED (twice)!"),
        "the@0 build@1 again@2 failed@3 twice@4"
    );
    assert_eq!(terms("don't"), "don@0 t@1");
}

#[test]
fn names_are_found_whole_and_by_part() {
    assert_eq!(terms("watch_lookback_days"), "watch@0 lookback@1 days@2 =watch_lookback_days@0");
    assert_eq!(terms("watchLookbackDays"), "watch@0 lookback@1 days@2 =watchlookbackdays@0");
    assert_eq!(terms("parseHTTPBody2"), "parse@0 http@1 body2@2 =parsehttpbody2@0");
    assert_eq!(terms("URLs"), "urls@0");
    assert_eq!(terms("__init__"), "init@0");
    assert_eq!(terms("SQLITE_BUSY"), "sqlite@0 busy@1 =sqlite_busy@0");
    assert_eq!(terms("E0308"), "e0308@0");
}

#[test]
fn paths_are_their_parts_and_the_file_name() {
    assert_eq!(
        terms("crates/store/src/pack_file.rs:12"),
        "crates@0 store@1 src@2 pack@3 file@4 =pack_file@3 =pack_file.rs@3 rs@5 12@6"
    );
    assert_eq!(terms("std::fs::read"), "std@0 fs@1 read@2");
    assert_eq!(terms("v1.22.3"), "v1@0 22@1 3@2");
    assert_eq!(terms("End. Next"), "end@0 next@1");
}

#[test]
fn ids_are_cut_at_their_dashes() {
    assert_eq!(terms("0198c0de-1234-7abc"), "0198c0de@0 1234@1 7abc@2");
    let key = "aB3dE5fG7hI9jK1lM3nO5pQ7";
    assert_eq!(terms(key), format!("{}@0", key.to_lowercase()));
}

#[test]
fn diacritics_fold() {
    assert_eq!(
        terms("Größe café naïve Ångström ŁÓDŹ"),
        "grosse@0 cafe@1 naive@2 angstrom@3 lodz@4"
    );
    assert_eq!(terms("cafe\u{301}"), "cafe@0");
}

#[test]
fn scripts_without_blanks_are_pairs() {
    assert_eq!(terms("数据库 锁"), "~数据@0 ~据库@1 ~锁@3");
    assert_eq!(terms("エラーx"), "~エラ@0 ~ラー@1 x@3");
}

#[test]
fn long_runs_are_cut() {
    let long = "x".repeat(500);
    assert_eq!(terms(&long), format!("{}@0", "x".repeat(MAX_TERM_BYTES)));
}

#[test]
fn stems_join_forms_of_a_word() {
    for word in ["failing", "failed", "fails"] {
        assert_eq!(stem(word), "fail");
    }
    assert_eq!(stem("e0308"), "e0308");
    let mut stems = Stems::default();
    assert_eq!(stems.other("caching"), Some("cach"));
    assert_eq!(stems.other("caching"), Some("cach"));
    assert_eq!(stems.other("lock"), None);
}

proptest! {
    #[test]
    fn spans_point_into_the_text(text in "\\PC{0,60}|[a-zA-Z_./ 中文é]{0,60}") {
        let mut last = 0;
        for_each(&text, &mut |term| {
            assert!(text.get(term.start..term.end).is_some());
            assert!(!term.text.is_empty() && term.text.len() <= MAX_TERM_BYTES);
            assert!(term.position >= last || term.kind == TermKind::Whole);
            last = last.max(term.position);
        });
    }

    #[test]
    fn a_term_is_found_by_itself(text in "[a-zA-Z0-9_. -]{0,60}") {
        let mut all = Vec::new();
        for_each(&text, &mut |term| all.push((term.text.to_owned(), term.kind)));
        for (term, kind) in all.iter().filter(|(_, kind)| *kind == TermKind::Word) {
            let mut again = Vec::new();
            for_each(term, &mut |term| again.push((term.text.to_owned(), term.kind)));
            prop_assert_eq!(&again, &[(term.clone(), *kind)]);
        }
    }

    #[test]
    fn every_long_run_and_nothing_else_is_a_name(text in "[a-dX_7 .é]{0,80}|[a-c ]{0,40}é?[a-c]{60,70}") {
        let is_name = |run: &&str| {
            let is_plain = run.bytes().all(|byte| byte.is_ascii_lowercase());
            (if is_plain { 8 } else { 6 }..=MAX_TERM_BYTES).contains(&run.len())
        };
        let runs = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let mut names = Vec::new();
        for_each_name(&text, &mut |name| names.push(name.to_owned()));
        prop_assert_eq!(names, runs.filter(is_name).collect::<Vec<_>>());
    }
}
