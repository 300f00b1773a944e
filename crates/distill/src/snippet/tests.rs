//! Which part of a text is shown for a query, and what of it is marked.

use super::*;
use crate::query::Query;
use proptest::prelude::*;

fn wanted(query: &str) -> Wanted {
    Wanted::of(&Query::parse(query, &|_, _| None))
}

/// The snippet with its marks in brackets.
fn shown(text: &str, query: &str, max_chars: usize) -> String {
    let snippet = snippet(text, &wanted(query), max_chars);
    let mut told = snippet.text.clone();
    for mark in snippet.marks.iter().rev() {
        told.insert(mark.end, ']');
        told.insert(mark.start, '[');
    }
    told
}

#[test]
fn words_are_marked_in_every_form() {
    for (text, query, expected) in [
        ("the busy timeout of SQLite", "Busy sqlite", "the [busy] timeout of [SQLite]"),
        ("it was failing, it fails", "failed", "it was [failing], it [fails]"),
        ("set busy_timeout now", "busy_timeout", "set [busy_timeout] now"),
        ("set busyTimeout, busy all day", "busy", "set [busy]Timeout, [busy] all day"),
        ("Größe und groesse", "grosse", "[Größe] und groesse"),
        ("timers and times", "time*", "[timers] and [times]"),
        ("see src/main.rs here", "main.rs", "see src/[main.rs] here"),
        ("a busy, timeout timeout", "\"busy timeout\"", "a [busy, timeout] [timeout]"),
        ("either rusqlite here", "sqlx OR rusqlite", "either [rusqlite] here"),
        ("修正登录测试失败的问题", "登录测试", "修正[登录测试]失败的问题"),
        ("what is the matter", "the matter", "what is the [matter]"),
        ("to be or not", "to be", "[to] [be] or not"),
        ("nothing to see", "elsewhere", "nothing to see"),
    ] {
        assert_eq!(shown(text, query, 80), expected, "{query}");
    }
}

#[test]
fn the_densest_part_is_shown() {
    let far = "busy at first. ".to_owned()
        + &"filling words here and there, ".repeat(20)
        + "then the sqlite busy timeout was raised to five seconds, "
        + &"and more to say about it, ".repeat(20);
    assert_eq!(
        shown(&far, "sqlite busy timeout", 70),
        "…and there, then the [sqlite] [busy] [timeout] was raised to five seconds,…"
    );
    assert_eq!(shown(&far, "nothing", 30), "busy at first. filling words…");
    assert_eq!(shown("one two three four five six", "six", 16), "…four five [six]");
}

#[test]
fn a_call_is_told_by_its_values() {
    assert_eq!(shown(r#"{"command":"cargo test -p x"}"#, "cargo", 80), "[cargo] test -p x");
    let edit = r#"{"file_path":"/a/b.rs","old_string":"let x = 1;\nlet y","limit":3}"#;
    assert_eq!(shown(edit, "b.rs", 80), "/a/[b.rs] let x = 1; let y");
    assert_eq!(shown(r#"{"command":"cargo"#, "cargo", 80), r#"{"command":"[cargo]"#);
}

#[test]
fn escapes_do_not_survive() {
    let text = "\u{1b}[1;31merror\u{1b}[0m: it\u{7} \u{202e}broke\u{1b}]0;title\u{7}";
    assert_eq!(shown(text, "error", 80), "[error]: it broke");
}

#[test]
fn letters_keep_their_marks() {
    let accents = "e\u{301}".repeat(60);
    let text = snippet(&accents, &wanted("x"), 20).text;
    assert!(text.trim_end_matches('…').ends_with('\u{301}'), "{text:?}");
    let family = "👩\u{200d}👧".repeat(40);
    let text = snippet(&family, &wanted("x"), 30).text;
    assert!(text.trim_end_matches('…').ends_with('👧'), "{text:?}");
}

#[test]
fn very_long_texts_are_looked_at_from_both_ends() {
    let text = format!("{} needle at the end", "hay ".repeat(1 << 19));
    assert_eq!(shown(&text, "needle", 34), "…hay hay hay [needle] at the end");
}

#[test]
fn long_texts_are_looked_at_where_the_words_are() {
    let hay = "some hay and straw ".repeat(400);
    let text = format!("{hay}busy by itself {hay}the SQLite busyTimeout was raised {hay}");
    assert_eq!(
        shown(&text, "sqlite busy timeout", 60),
        "…hay and straw the [SQLite] [busyTimeout] was raised some hay…"
    );
    assert!(shown(&text, "grosse", 30).starts_with("some hay"));
    assert!(shown(&format!("{text} Größe"), "grosse", 30).ends_with("[Größe]"));
}

proptest! {
    #[test]
    fn a_snippet_is_bounded_whole_and_clean(
        repeated in prop_oneof![Just(1_usize), Just(90)],
        text in "([a-z]{1,9}|\\PC|[\\x00-\\x20]|e\u{301}|日本語|\u{1b}\\[3m|👩\u{200d}👧| ){0,120}",
        query in "([a-z]{1,3}|e\u{301}|日本|[a-z]\\*|\"[a-z] [a-z]\")( [a-z]{1,2}){0,3}",
        max_chars in 0_usize..60,
    ) {
        let snippet = snippet(&text.repeat(repeated), &wanted(&query), max_chars);
        prop_assert!(snippet.text.chars().count() <= max_chars, "{snippet:?}");
        prop_assert!(!snippet.text.chars().any(char::is_control));
        prop_assert!(!snippet.text.contains("  "));
        let mut end = 0;
        for mark in &snippet.marks {
            prop_assert!(mark.start >= end && mark.start < mark.end, "{snippet:?}");
            prop_assert!(!snippet.text[mark.clone()].is_empty());
            end = mark.end;
        }
    }
}
