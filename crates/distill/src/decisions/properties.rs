//! Arbitrary text never breaks anything, and never exceeds its bounds.

use super::{MARKER, briefs, reply};
use crate::script::Script;
use backstory_model::{Decision, EventKind, Role};
use proptest::prelude::*;

/// Pieces briefs and answers are made of, and some that break them.
const PIECES: &[&str] = &[
    "D1 — Which?\n",
    "D2: title\n",
    "**D3 - x**\n",
    "Recommendation: B\n",
    "A) one\n",
    "B) two — more\n",
    "C) three (recommended)\n",
    "1) eins\n",
    "2) zwei\n",
    "<gstack-qid:a-b>",
    "<gstack-qid:",
    "```\n",
    "> ",
    "- ",
    "| A | x |\n",
    "(B) ",
    "A",
    "B",
    " and ",
    "yes",
    "other: ",
    "ä漢字",
    "\u{1}",
    "\n\n",
    " ",
    "?",
    "skip",
    "D1: B, ",
    "1A 2B",
    "not ",
    "🙂",
    "İ",
    "ß",
    "{\"questions\":[{\"question\":\"q\",\"options\":[\"x\"]}]}",
    "\"q\"=\"x\"",
    ", but ",
    "(",
    ")",
    "`",
    "**",
    "…",
    "’",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40)
        .prop_map(|list| list.concat())
}

fn check(rows: &[Decision]) {
    assert!(rows.len() <= 500);
    for row in rows {
        let chars = |text: &str| text.chars().count();
        assert!(chars(&row.question) <= 2000 && !row.question_id.is_empty());
        assert!(row.confidence <= 100);
        assert!(row.free_text.as_deref().is_none_or(|words| chars(words) <= 1000));
        for option in &row.options {
            assert!(chars(&option.label) <= 200 && chars(&option.description) <= 500);
        }
        let places = row.chosen.iter().chain(&row.recommended);
        assert!(places.copied().all(|at| usize::from(at) < row.options.len()));
    }
}

fn script(texts: &[(u8, String)]) -> Script {
    let mut script = Script::new();
    for (pick, text) in texts {
        match pick % 8 {
            0 | 1 => script.says(text),
            2 | 3 => script.user(text),
            4 => script.interjects(text),
            5 => script.calls(EventKind::Decision, "AskUserQuestion", text),
            6 => script.answers(EventKind::Decision, Role::Tool, text),
            _ => script.interrupt(),
        };
    }
    script
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_text_may_be_a_brief_and_its_answer(message in pieces(), words in pieces(), noise in any::<String>()) {
        for (message, words) in [(&message, &words), (&message, &noise), (&noise, &words)] {
            let mut rows = briefs(message, MARKER);
            reply(words, &mut rows);
        }
    }

    #[test]
    fn rows_keep_their_bounds_and_do_not_depend_on_pauses(
        texts in prop::collection::vec((any::<u8>(), pieces()), 0..30),
        splits in prop::collection::vec(0_usize..30, 0..6),
    ) {
        let script = script(&texts);
        let whole = script.distill();
        check(&whole.decisions);
        prop_assert_eq!(script.distill_split(&splits), whole);
    }
}
