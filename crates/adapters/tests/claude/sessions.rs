//! Whole transcripts of three generations, read as the sweep reads them.

use crate::log::{Stored, read_with, show};
use std::fmt::Write;

const ROOT: &str = "-home-dev-shop/0c0ffee0-1111-4222-8333-444455556666";

fn readings() -> String {
    let files = [
        (format!("{ROOT}.jsonl"), include_str!("fixtures/main.jsonl")),
        (format!("{ROOT}/subagents/agent-a77.jsonl"), include_str!("fixtures/subagent.jsonl")),
        (
            format!("{ROOT}/subagents/agent-a77.meta.json"),
            include_str!("fixtures/subagent.meta.json"),
        ),
        (
            "-home-dev-shop/0ddba110-1111-4222-8333-444455556666.jsonl".to_owned(),
            include_str!("fixtures/fork.jsonl"),
        ),
    ];
    let mut stored = Stored::default();
    let mut text = String::new();
    for (path, file) in files {
        let batch = read_with(&path, file.as_bytes(), &mut stored);
        writeln!(text, "{path}\n{}", show(&batch)).unwrap();
        stored.take(&batch);
    }
    text
}

#[test]
fn a_session_its_sub_agent_and_its_fork() {
    insta::assert_snapshot!(readings());
}
