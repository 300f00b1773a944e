//! A session told in parts comes to the same as told at once; nothing exceeds its bounds.

use crate::script::Script;
use backstory_model::{EventKind, Role};
use proptest::prelude::*;

/// Writes one of many kinds of scenes; hostile ones are larger than every bound.
fn scene(script: &mut Script, pick: u8, n: u32) -> &mut Script {
    let long = |word: &str| word.repeat(1 + (n as usize % 7) * 200);
    match pick % 30 {
        0 => script.user("fix the parser; always use uv"),
        1 => script.user("no, that's wrong. still broken"),
        2 => script.user("thanks, works great"),
        3 => script.user(&long("größe \"漢字\" \\ ")),
        4 => script.says("Done. All tests pass."),
        5 => script.says(&format!("Which one?{}\nshall I go on?", long(" ä\n\u{1}"))),
        6 => script
            .bash("cargo test")
            .fails(101, "test a::b ... FAILED\ntest result: FAILED. 1 passed; 1 failed"),
        7 => script.bash("cargo test 2>&1 | tail").works("test result: ok. 2 passed; 0 failed"),
        8 => script.bash("cargo build").fails(101, &format!("error[E030{}]: bad", n % 3)),
        9 => script.bash("cargo build").works("ok"),
        10 => script
            .edit(
                &format!("/p/src/f{}.rs", n % 40),
                &format!("old {}", n % 3),
                &format!("new {}", n % 3),
            )
            .works("ok"),
        11 => script
            .edit(
                &format!("/p/src/f{}.rs", n % 3),
                &format!("new {}", n % 3),
                &format!("old {}", n % 3),
            )
            .works("ok"),
        12 => script
            .edit(&format!("/other/{}ü{n}.rs", long("dir/")), "a", &long("\"b\"\n"))
            .fails(1, "String to replace not found"),
        13 => script
            .edit(&format!("/other/{}ü{n}.rs", long("dir/")), "a", &long("\"b\"\n"))
            .works("ok"),
        14 => script.bash(&format!("git commit -m '{}{n}'", long("sübject "))).works(""),
        15 => {
            script.bash(&format!("./tool{n} {}", long("\"x\" "))).fails(2, &long("error: \"bad\" "))
        }
        16 => script.bash("npm ci").fails(1, "npm ERR! code ERESOLVE"),
        17 => script.interrupt(),
        18 => script.bash("git push --force").denied(),
        19 => script.compaction(),
        20 => script.api_error("API Error: prompt is too long"),
        21 => script.wait_ms(i64::from(n) * 60_000).interjects(&format!("use file {n} instead")),
        22 => script.asks("{\"questions\":[\"which?\"]}"),
        24 => script
            .says(&format!("D{n} — Which?\nRecommendation: A\nA) one\nB) two{}", long(" ä\""))),
        25 => script.says("D1 — One <gstack-qid:one>\nA) x1\nB) y1\n\nD2 — Two?\nA) x2\nB) y2"),
        26 => script.user(["A", "D2: B", "let me think", "other: this", "yes"][n as usize % 5]),
        27 => script
            .calls(
                EventKind::Decision,
                "AskUserQuestion",
                "{\"questions\":[{\"question\":\"Which?\",\"options\":[{\"label\":\"x\"}]}]}",
            )
            .answers(EventKind::Decision, Role::Tool, "\"Which?\"=\"x\""),
        28 => script.calls(EventKind::Decision, "ExitPlanMode", &format!("{{\"plan\":\"{n}\"}}")),
        29 => script.answers(EventKind::HumanIntervention, Role::Tool, "User rejected tool use"),
        // A call whose result comes later, or never.
        _ => script
            .calls(EventKind::TestRun, &format!("tool{}", n % 20), "{\"command\":\"pytest\"}")
            .completion(),
    }
}

fn told(scenes: &[(u8, u32)]) -> Script {
    let mut script = Script::new();
    for (pick, n) in scenes {
        scene(&mut script, *pick, *n);
    }
    script
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, ..ProptestConfig::default() })]

    #[test]
    fn told_in_parts_comes_to_the_same(
        scenes in prop::collection::vec((any::<u8>(), 0_u32..200), 0..120),
        splits in prop::collection::vec(0_usize..240, 0..12),
    ) {
        let script = told(&scenes);
        prop_assert_eq!(script.distill_split(&splits), script.distill());
    }

    #[test]
    fn nothing_exceeds_its_bounds(
        scenes in prop::collection::vec((prop::sample::select(vec![3_u8, 5, 13, 14, 15, 21, 23, 8, 16, 24, 25, 27]), 0_u32..2000), 200..400),
    ) {
        let done = told(&scenes).distill();
        prop_assert!(serde_json::to_vec(&done.digest).unwrap().len() <= 8192);
        prop_assert!(done.state.len() <= 24 * 1024);
        prop_assert!(done.signals.len() <= 64);
        for signal in &done.signals {
            prop_assert!(signal.what.chars().count() <= 200);
        }
    }
}

#[test]
fn every_single_split_comes_to_the_same() {
    let scenes: Vec<(u8, u32)> = (0..60).map(|n| (n as u8, n * 7)).collect();
    let script = told(&scenes);
    let whole = script.distill();
    for at in 0..script.events.len() {
        assert_eq!(script.distill_split(&[at]), whole, "split at {at}");
    }
    let all: Vec<usize> = (0..script.events.len()).collect();
    assert_eq!(script.distill_split(&all), whole);
}

#[test]
fn arbitrary_text_in_any_event_never_panics() {
    let texts =
        ["", "{", "{\"command\":[", "\u{0}", "ä\u{301}'\"`", "*** Begin Patch\n*** ", "<<", "\\"];
    for kind in EventKind::ALL {
        for tool in ["Bash", "exec", "apply_patch", "Edit", "write_stdin", "x"] {
            let mut script = Script::new();
            for text in texts {
                script.calls(kind, tool, text);
                script.works(text);
                script.fails(1, text);
            }
            let _ = script.distill();
        }
    }
}
