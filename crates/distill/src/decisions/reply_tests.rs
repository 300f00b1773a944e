//! How people answer briefs.

use super::{MARKER, briefs, reply};
use backstory_model::{Decision, DecisionState};
use std::fmt::Write as _;

const STORE: &str =
    "D1 — Which store?\nRecommendation: B\nA) Postgres\nB) SQLite\nC) A flat file (JSON)";
const EXPORT: &str = "D3 — How to deliver the export\nRecommendation: A\nA) Stream the rows while they are \
    read\nB) Background job with a mail at the end\nC) Raise the proxy timeout";
const YES_NO: &str = "D1 — Run the migrations first?\nRecommendation: A\nA) Yes\nB) No";
const NAME: &str = "What should it be called? <gstack-qid:name>";

/// What becomes of a brief: the chosen labels or the state, and the free text.
fn told(row: &Decision) -> String {
    let chosen: Vec<&str> = row.choice().collect();
    let free = row.free_text.as_deref().map_or(String::new(), |words| format!(" [{words}]"));
    match row.state {
        DecisionState::Answered => format!("{}{free}", chosen.join("+")),
        state => state.name().to_owned(),
    }
}

fn answer(brief: &str, words: &str) -> Vec<String> {
    let mut rows = briefs(brief, MARKER);
    reply(words, &mut rows);
    rows.iter().map(told).collect()
}

/// Notes a difference, so that a test tells all of them.
fn check(wrong: &mut String, words: &str, got: &[String], expected: &[&str]) {
    if got != expected {
        let _ = writeln!(wrong, "{words:?}: {got:?} instead of {expected:?}");
    }
}

const ANSWERS: &[(&str, &str)] = &[
    ("A", "Postgres"),
    ("a", "Postgres"),
    ("b)", "SQLite"),
    ("(c)", "A flat file (JSON)"),
    ("A.", "Postgres"),
    ("option A", "Postgres"),
    ("Option b please", "SQLite"),
    ("let's go with A please", "Postgres"),
    ("A it is", "Postgres"),
    ("ok A then", "Postgres"),
    ("so A", "Postgres"),
    ("A, it scales", "Postgres"),
    ("A. and mention it in the changelog", "Postgres"),
    ("A because we know it", "Postgres"),
    ("I'd say C", "A flat file (JSON)"),
    ("2", "SQLite"),
    ("the first one", "Postgres"),
    ("the last one", "A flat file (JSON)"),
    ("second", "SQLite"),
    ("Postgres", "Postgres"),
    ("postgres!", "Postgres"),
    ("sqlite is fine", "SQLite"),
    ("a flat file", "A flat file (JSON)"),
    ("flat file", "A flat file (JSON)"),
    ("JSON is enough for us", "A flat file (JSON)"),
    ("let's keep it simple: sqlite", "SQLite"),
    ("Postgres is overkill, SQLite then", "SQLite"),
    ("SQLite, not Postgres", "SQLite"),
    ("Postgres rather than SQLite", "Postgres"),
    ("not B, A", "Postgres"),
    ("A and C", "Postgres+A flat file (JSON)"),
    ("A + B", "Postgres+SQLite"),
    ("Postgres and SQLite", "Postgres+SQLite"),
    ("yes", "SQLite"),
    ("Yes please", "SQLite"),
    ("ok", "SQLite"),
    ("sounds good, go ahead", "SQLite"),
    ("👍", "SQLite"),
    ("+1", "SQLite"),
    ("go with your recommendation", "SQLite"),
    ("as you recommend", "SQLite"),
    ("you decide", "SQLite"),
    ("up to you", "SQLite"),
    ("ja, wie empfohlen", "SQLite"),
    ("A, but only for staging", "Postgres [but only for staging]"),
    ("sqlite, but keep a dump per day", "SQLite [but keep a dump per day]"),
    ("yes, but keep a dump per day", "SQLite [but keep a dump per day]"),
    ("Other: use DuckDB", " [use DuckDB]"),
    ("other - DuckDB please", " [DuckDB please]"),
    ("none of the above: DuckDB", " [DuckDB]"),
    ("use DuckDB instead", " [use DuckDB instead]"),
    ("neither, use DuckDB", " [neither, use DuckDB]"),
    ("skip", "skipped"),
    ("let's skip this one", "skipped"),
    ("never mind", "skipped"),
    ("neither, drop it", "skipped"),
    ("the login is down in production!! look at that first", "skipped"),
    ("rename the readme to index", "skipped"),
    ("let me think about it", "open"),
    ("I'll ask Jo", "open"),
    ("what does SQLite cost us?", "open"),
    ("a quick question first: does Postgres run here?", "open"),
    ("Why not A?", "open"),
    ("can we do A?", "Postgres"),
    ("/compact", "open"),
    ("", "open"),
    ("c please", "A flat file (JSON)"),
    ("a please", "Postgres"),
    ("I choose a", "Postgres"),
    ("B!", "SQLite"),
    ("option two", "SQLite"),
    ("number three", "A flat file (JSON)"),
    ("the middle one", "SQLite"),
    ("#2", "SQLite"),
    ("AC", "Postgres+A flat file (JSON)"),
    ("B, no wait, A", "Postgres"),
    ("A is too slow, B", "SQLite"),
    ("C for now, A later", "A flat file (JSON)"),
    ("I prefer A over B", "Postgres"),
    ("Between A and B I'd take B", "SQLite"),
    ("A and B but not C", "Postgres+SQLite"),
    ("all but C", "Postgres+SQLite"),
    ("neither A nor B", "A flat file (JSON)"),
    ("postgress", "Postgres"),
    ("post gres", "Postgres"),
    ("sq lite", "SQLite"),
    ("no preference", "SQLite"),
    ("I don't mind", "SQLite"),
    ("sure, why not", "SQLite"),
    ("B if it runs on Windows", "SQLite [if it runs on Windows]"),
    ("A as long as ops agrees", "Postgres [as long as ops agrees]"),
    ("not now", "open"),
    ("ask me tomorrow", "open"),
    ("not sure yet", "open"),
    ("can you explain B?", "open"),
    ("can you fix the typo in the readme?", "skipped"),
    ("which of them is faster?", "open"),
    ("Hm. What about backups?", "open"),
    ("forget it, we don't need a store any more", "skipped"),
    ("drop the whole thing", "skipped"),
    ("thanks! now please bump the version", "skipped"),
];

#[test]
fn one_brief_is_answered_in_every_wording() {
    let mut wrong = String::new();
    for (words, expected) in ANSWERS {
        check(&mut wrong, words, &answer(STORE, words), &[*expected]);
    }
    assert_eq!(wrong, "");
}

const LABELS: &[(&str, &str, &str)] = &[
    (EXPORT, "background job", "Background job with a mail at the end"),
    (EXPORT, "send them a mail", "Background job with a mail at the end"),
    (EXPORT, "just stream it", "Stream the rows while they are read"),
    (EXPORT, "raise the timeout for now", "Raise the proxy timeout"),
    (YES_NO, "yes", "Yes"),
    (YES_NO, "no", "No"),
    (YES_NO, "A, always", "Yes"),
    (YES_NO, "No, they ran already", "No"),
    (NAME, "Heron", " [Heron]"),
    (NAME, "call it Heron", " [call it Heron]"),
    (NAME, "skip it", "skipped"),
    (NAME, "what was the last one called?", "open"),
    ("D1 — 分区\n推荐：A\nA) 按月分区\nB) 按用户分区", "选 B", "按用户分区"),
    ("D1 — 分区\n推荐：A\nA) 按月分区\nB) 按用户分区", "按用户吧", "按用户分区"),
    ("D1 — 期間\nRecommendation: A\nA) 30日\nB) 90日", "90日でお願いします", "90日"),
    (
        "D1 — Wiki\nA) Confluence: known\nB) Markdown: here\nRecommendation: B",
        "anything but Confluence",
        "Markdown",
    ),
    (
        "D1 — Queue\nRecommendation: A\nA) Redis streams\nB) RabbitMQ",
        "Redis loses messages when the box dies. RabbitMQ it is",
        "RabbitMQ",
    ),
    ("D1 — Jobs\nRecommendation: A\nA) PDF\nB) XML\nC) Both", "both", "Both"),
    ("D1 — Jobs\nRecommendation: A\nA) PDF\nB) XML", "both", "PDF+XML"),
    ("D1 — Date\nRecommendation: A\nA) dayjs\nB) Other", "B: Temporal", " [Temporal]"),
    (
        "D1 — Old ones\nRecommendation: B\nA) Delete them\nB) Keep them for a month",
        "get rid of them",
        "Delete them",
    ),
    (
        "D1 — Old ones\nRecommendation: A\nA) Delete them\nB) Keep them for a month",
        "leave them",
        "Keep them for a month",
    ),
    (
        "D1 — Stale\nRecommendation: A\nA) After 3 months\nB) After 6 months",
        "six months",
        "After 6 months",
    ),
    ("D1 — Wait\nRecommendation: A\nA) Now\nB) With the next release", "now", "Now"),
    (
        "D1 — Delete?\nRecommendation: A\nA) Yes, delete them\nB) No, keep them",
        "nope",
        "No, keep them",
    ),
    (
        "D1 — Delete?\nRecommendation: A\nA) Yes, delete them\nB) No, keep them",
        "yep",
        "Yes, delete them",
    ),
    ("D1 — Queue\nRecommendation: A\nA) Redis\nB) RabbitMQ", "the other one", "RabbitMQ"),
    (
        "D1 — Store\nRecommendation: A\nA) Postgres — the team knows it\nB) SQLite — one file, no server",
        "the one file thing",
        "SQLite",
    ),
    (
        "D1 — Transport\nRecommendation: A\nA) Server-sent events\nB) WebSockets",
        "websockets please",
        "WebSockets",
    ),
    (
        "D1 — Transport\nRecommendation: A\nA) Server-sent events\nB) WebSockets",
        "web sockets, we need both directions",
        "WebSockets",
    ),
];

#[test]
fn labels_are_known_by_their_telling_words() {
    let mut wrong = String::new();
    for (brief, words, expected) in LABELS {
        check(&mut wrong, words, &answer(brief, words), &[*expected]);
    }
    assert_eq!(wrong, "");
}

#[test]
fn several_briefs_share_an_answer() {
    let mut wrong = String::new();
    let two = "D1 — One\nRecommendation: A\nA) red\nB) green\n\nD2 — Two\nRecommendation: B\nA) small\nB) large\nC) huge";
    for (words, expected) in [
        ("D1: B, D2: A", ["green", "small"]),
        ("D1 B\nD2 C", ["green", "huge"]),
        ("d2 c and d1 a", ["red", "huge"]),
        ("1B 2C", ["green", "huge"]),
        ("1: B, 2: A", ["green", "small"]),
        ("B and A", ["green", "small"]),
        ("B, C", ["green", "huge"]),
        ("B\nC", ["green", "huge"]),
        ("green and huge", ["green", "huge"]),
        ("both as you recommend", ["red", "large"]),
        ("yes to both", ["red", "large"]),
        ("yes", ["red", "large"]),
        ("B for both", ["green", "large"]),
        ("D2: C", ["skipped", "huge"]),
        ("huge please", ["skipped", "huge"]),
        ("let me think", ["open", "open"]),
        ("skip both", ["skipped", "skipped"]),
        ("first B, second C", ["green", "huge"]),
        ("D1 - A; D2 - as you like", ["red", "large"]),
        ("can you explain D2?", ["open", "open"]),
        ("D1: as recommended, D2: other: medium", ["red", " [medium]"]),
    ] {
        check(&mut wrong, words, &answer(two, words), &expected);
    }
    assert_eq!(wrong, "");
}

#[test]
fn certainty_follows_from_form_and_match() {
    let sure = |brief: &str, words: &str| {
        let mut rows = briefs(brief, MARKER);
        reply(words, &mut rows);
        rows[0].confidence
    };
    assert!(sure(STORE, "A") > sure(STORE, "JSON is enough for us"));
    assert!(sure(STORE, "Other: x") > sure(STORE, "use DuckDB instead"));
    let marked = "D1 — One <gstack-qid:one>\nA) red\nB) green";
    let asking = "D1 — Which one?\nA) red\nB) green";
    assert!(sure(marked, "A") > sure(asking, "A"));
}

#[test]
fn only_the_ends_of_a_long_reply_are_listened_to() {
    let paste = "but 1, 2 and B, ".repeat(10_000);
    let heard = super::reply::heard(&paste);
    assert!(heard.len() <= 5_010, "{}", heard.len());
    assert_eq!(super::reply::heard("B"), "B");
    let words = format!("other: by hand\n{paste}");
    let mut asked = briefs(STORE, MARKER);
    reply(&words, &mut asked);
    assert!(asked[0].free_text.as_deref().is_some_and(|words| words.starts_with("by hand")));
    assert!(asked[0].free_text.as_deref().is_some_and(|words| words.len() <= 5_010));
}
