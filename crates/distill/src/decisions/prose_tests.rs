//! Briefs in every wording, and what is none.

use super::{MARKER, briefs};
use backstory_model::DecisionForm;
use std::fmt::Write as _;

/// The brief of a message, on one line: form, id of a marker, header, question, options, recommendation.
fn told(message: &str) -> Vec<String> {
    briefs(message, MARKER)
        .iter()
        .map(|row| {
            let labels: Vec<&str> =
                row.options.iter().map(|option| option.label.as_str()).collect();
            let recommended = row
                .recommended
                .map_or("-", |at| labels.get(usize::from(at)).copied().unwrap_or("?"));
            let id = if row.form == DecisionForm::Marker { row.question_id.as_str() } else { "-" };
            let header = if row.header.is_empty() { "-" } else { &row.header };
            format!(
                "{} {id} {header} {}: {} > {recommended}",
                row.form.name(),
                row.question,
                labels.join("/")
            )
        })
        .collect()
}

const BRIEFS: &[(&str, &str)] = &[
    (
        "D1 — Store\nRecommendation: B\nA) Postgres\nB) SQLite",
        "pattern - D1 Store: Postgres/SQLite > SQLite",
    ),
    ("D1 - Store\nRecommendation: A\nA) x1\nB) y1", "pattern - D1 Store: x1/y1 > x1"),
    ("D1 – Store\nRecommendation: A\nA) x1\nB) y1", "pattern - D1 Store: x1/y1 > x1"),
    ("D1: Store\nRecommendation: A\nA) x1\nB) y1", "pattern - D1 Store: x1/y1 > x1"),
    ("D1—Store\nRecommendation: A\nA) x1\nB) y1", "pattern - D1 Store: x1/y1 > x1"),
    ("**D2 — Store**\nRecommendation: A\nA) x1\nB) y1", "pattern - D2 Store: x1/y1 > x1"),
    ("### D12 — Store\nRecommendation: A\nA) x1\nB) y1", "pattern - D12 Store: x1/y1 > x1"),
    ("Decision D1: Store\nRecommendation: A\nA) x1\nB) y1", "pattern - D1 Store: x1/y1 > x1"),
    ("1. D1 — Store\nRecommendation: A\nA) x1\nB) y1", "pattern - D1 Store: x1/y1 > x1"),
    ("D1 (ship) — Store\nRecommendation: A\nA) x1\nB) y1", "pattern - D1 Store: x1/y1 > x1"),
    (
        "D1 — Store\n**Recommendation:** B because so\n- **A)** x1\n- **B)** y1",
        "pattern - D1 Store: x1/y1 > y1",
    ),
    ("D1 — Store\n- A. x1 (recommended)\n- B. y1", "pattern - D1 Store: x1/y1 > x1"),
    ("D1 — Store\n(A) x1\n(B) y1 [Recommended]", "pattern - D1 Store: x1/y1 > y1"),
    (
        "D1 — Store\nOption A: x1 — fast\nOption B: y1 — slow\nRecommendation: y1",
        "pattern - D1 Store: x1/y1 > y1",
    ),
    ("D1 — Store\nOption A — x1\nOption B — y1\nI recommend B.", "pattern - D1 Store: x1/y1 > y1"),
    ("D1 — Store\n1) x1\n2) y1\nRecommendation: 2", "pattern - D1 Store: x1/y1 > y1"),
    ("D1 — Store\n1. x1\n2. y1\n3. z1\nRecommendation: 3", "pattern - D1 Store: x1/y1/z1 > z1"),
    (
        "D1 — Store\n**A) x1** — fast\n**B) y1** — slow\nRecommendation: A",
        "pattern - D1 Store: x1/y1 > x1",
    ),
    ("D1 — Store\nRecommendation: A\nA) x1 B) y1 C) z1", "pattern - D1 Store: x1/y1/z1 > x1"),
    (
        "D1 — Store\nRecommendation: A\nOptions: A) x1, B) y1, or C) z1",
        "pattern - D1 Store: x1/y1/z1 > x1",
    ),
    (
        "D1 — Store\nRecommendation: A\n| A | x1 | fast |\n| B | y1 | slow |",
        "pattern - D1 Store: x1/y1 > x1",
    ),
    (
        "D1 — Store\nRecommendation: A\nA) x1\n  ✅ fast\n  ❌ dear\nB) y1\n  ✅ cheap",
        "pattern - D1 Store: x1/y1 > x1",
    ),
    (
        "D1 — Store\nRecommendation: A\n\nA) x1\n\n   some words\n\nB) y1\n\nNet: whatever",
        "pattern - D1 Store: x1/y1 > x1",
    ),
    (
        "D1 — Store\nA) x1: fast\nB) y1: slow\nRecommendation: y1, because",
        "pattern - D1 Store: x1/y1 > y1",
    ),
    (
        "D1 — Store\nA) Only errors (like `a: b - c`)\nB) All\nRecommendation: B",
        "pattern - D1 Store: Only errors (like `a: b - c`)/All > All",
    ),
    ("D1 — Store\nWhich one do you want?\nA) x1\nB) y1", "pattern - D1 Store: x1/y1 > -"),
    ("D1 — Which store?\nA) x1\nB) y1", "pattern - D1 Which store?: x1/y1 > -"),
    ("D1 — Speicher\nEmpfehlung: B\nA) x1\nB) y1", "pattern - D1 Speicher: x1/y1 > y1"),
    ("D1 — 分区\n推荐：A\nA) 按月\nB) 按用户", "pattern - D1 分区: 按月/按用户 > 按月"),
    ("D1 — 分区\nA）按月（推荐）\nB）按用户", "pattern - D1 分区: 按月/按用户 > 按月"),
    (
        "I looked at it.\n\nD1 — Store\nRecommendation: A\nA) x1\nB) y1\n\nI'll go on with A unless you object.",
        "pattern - D1 Store: x1/y1 > x1",
    ),
    ("D1 — Store <gstack-qid:store>\nA) x1\nB) y1", "marker store D1 Store: x1/y1 > -"),
    (
        "D1 — Store\n<gstack-qid:store>\nA) x1 (recommended)\nB) y1",
        "marker store D1 Store: x1/y1 > x1",
    ),
    ("<gstack-qid:store>\nD1 — Store\nA) x1\nB) y1", "marker store D1 Store: x1/y1 > -"),
    ("D1 — Store\nA) x1\nB) y1\n\n<gstack-qid:store>", "marker store D1 Store: x1/y1 > -"),
    (
        "What should it be called? <gstack-qid:name>",
        "marker name - What should it be called?:  > -",
    ),
    (
        "<gstack-qid:name> What should it be called?",
        "marker name - What should it be called?:  > -",
    ),
    ("### Which one?\n<gstack-qid:pm>\n\nA) npm\nB) pnpm", "marker pm - Which one?: npm/pnpm > -"),
    ("Which one?\nA) npm\nB) pnpm\n<gstack-qid:pm>", "marker pm - Which one?: npm/pnpm > -"),
    ("<gstack-qid:pm>\nWhich one?\nA) npm\nB) pnpm", "marker pm - Which one?: npm/pnpm > -"),
    ("## Name of the release <gstack-qid:name>", "marker name - Name of the release:  > -"),
    ("Please name the release. <gstack-qid:name>", "marker name - Please name the release.:  > -"),
    (
        "D1 — Store\nI used the profiler and took notes.\nRecommendation: A\nA) x1\nB) y1\n\nIf I hear nothing I'll go with A.",
        "pattern - D1 Store: x1/y1 > x1",
    ),
    ("D1 — Magasin\nRecommandation : B\nA) x1\nB) y1", "pattern - D1 Magasin: x1/y1 > y1"),
    (
        "Questions:\n- D1 — Store\n\n## D1 — Store\nRecommendation: A\na) x1\nb) y1",
        "pattern - D1 Store: x1/y1 > x1",
    ),
];

#[test]
fn briefs_are_read_in_every_wording() {
    let mut wrong = String::new();
    for (message, expected) in BRIEFS {
        let got = told(message);
        if got != [*expected] {
            let _ = writeln!(wrong, "{message:?}: {got:?} instead of {expected:?}");
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn several_briefs_stand_in_one_message() {
    let message = "Two things.\n\nD1 — One <gstack-qid:one>\nRecommendation: A\nA) x1\nB) y1\n\n\
        ## D2 — Two\nRecommendation: B\nA) x2\nB) y2\n\n<gstack-qid:three>\nD3 — Three\nA) x3\nB) y3";
    assert_eq!(
        told(message),
        [
            "marker one D1 One: x1/y1 > x1",
            "pattern - D2 Two: x2/y2 > y2",
            "marker three D3 Three: x3/y3 > -"
        ]
    );
    let parts: Vec<u16> = briefs(message, MARKER).iter().map(|row| row.part).collect();
    assert_eq!(parts, [0, 1, 2]);
}

#[test]
fn what_nobody_is_asked_is_no_brief() {
    let mut wrong = String::new();
    for message in [
        "",
        "There are two ways:\nA) this\nB) that\nRecommendation: A",
        "D1 — Store\nRecommendation: A",
        "D1 — Store\nA) only one\nRecommendation: A",
        "D1 — Store\nA) x1\nB) y1",
        "D-Day — Store\nRecommendation: A\nA) x1\nB) y1",
        "On D: - data\nA) x1\nB) y1?",
        "D1-backup is running\nA) x1\nB) y1\nRecommendation: A",
        "```\nD1 — Store\nRecommendation: A\nA) x1\nB) y1\n```",
        "~~~md\nD1 — Store <gstack-qid:a>\nA) x1\nB) y1\n~~~",
        "> D1 — Store\n> Recommendation: A\n> A) x1\n> B) y1",
        "<!--\nD1 — Store\nRecommendation: A\nA) x1\nB) y1\n-->",
        "D1 — Store\nRecommendation: B\nA) x1\nB) y1\nDecided: B",
        "D1 — Store\nStatus: accepted\nRecommendation: B\nA) x1\nB) y1",
        "D1 — Store (decided)\nRecommendation: B\nA) x1\nB) y1",
        "D1 — Store\nRecommendation: B\nA) x1\nB) y1\n\nI went with B.",
        "D1 — Store\nRecommendation: B\nA) x1\nB) y1\n\nYou chose A last week.",
        "D1 — Order. A) data or B) schema: I take B.",
        "Their document says:\n\nD1 — Store\nRecommendation: A\nA) x1\nB) y1",
        "A brief looks like this:\nD1 — Store\nRecommendation: A\nA) x1\nB) y1",
        "I added `<gstack-qid:ship>` to the template.",
        "The line <gstack-qid:ship> names the question.",
        "<gstack-qid:not an id> Which one?",
        "- D1 — Store: SQLite\n- D2 — Transport: events",
        "I removed <gstack-qid:ship-confirm>.",
        "The markers are\n- <gstack-qid:a-b> asks before shipping\n- <gstack-qid:c-d> asks before pushing",
        "D1 — Store\nRecommendation: B\nA) x1\nB) y1 ← chosen",
        "D1 — Store\nRecommendation: B\nA) x1\nB) y1\n\nNo answer needed, I'll go with B.",
        "From the minutes of last week:\nD1 — Store\nRecommendation: B\nA) x1\nB) y1",
    ] {
        let got = told(message);
        if !got.is_empty() {
            let _ = writeln!(wrong, "{message:?}: {got:?}");
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn the_marker_can_have_another_name() {
    let rows = briefs("Which one? <ask:name>", "ask");
    assert_eq!((rows.len(), rows[0].question_id.as_str()), (1, "name"));
    assert!(briefs("Which one? <gstack-qid:name>", "ask").is_empty());
}

#[test]
fn skill_and_explanations_are_kept() {
    let rows = briefs(
        "D4 (ship) — Bump\nRecommendation: A\nA) Patch — small\n  ✅ safe\nB) Minor (new things)",
        MARKER,
    );
    let row = &rows[0];
    assert_eq!((row.skill.as_str(), row.header.as_str()), ("ship", "D4"));
    assert_eq!(row.options[0].description, "small\n✅ safe");
    assert_eq!(
        (row.options[1].label.as_str(), row.options[1].key.as_str()),
        ("Minor (new things)", "B")
    );
}
