//! A digest as people read it: its sections are made once, and written for a terminal or as
//! Markdown.

mod markdown;
mod sections;
mod terminal;

pub(crate) use markdown::write_markdown;
pub(crate) use sections::sections;
pub(crate) use terminal::write_terminal;

use crate::figures::{count, plural};
use crate::untrusted::one_line;
use backstory_model::{Digest, Outcome};

/// How an entry is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As a fact.
    #[default]
    Plain,
    /// As good news.
    Good,
    /// As bad news.
    Bad,
    /// As something to look at.
    Warn,
}

/// A part of a digest under its own title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) entries: Vec<Entry>,
}

/// One thing told in a section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) tone: Tone,
    /// On one line; may be empty where the quote says it all.
    pub(crate) text: String,
    /// What matters less.
    pub(crate) detail: String,
    /// Words of the session, several lines.
    pub(crate) quote: Option<String>,
    /// Where it shows.
    pub(crate) address: Option<String>,
}

/// The outcome and how sure it is; nothing if nobody can tell.
pub(crate) fn outcome(digest: &Digest) -> Option<String> {
    let judgement = &digest.judgement;
    if judgement.outcome == Outcome::Unknown && judgement.evidence.is_empty() {
        return None;
    }
    let sure = match judgement.confidence {
        0 => String::new(),
        confidence => format!(", {confidence} % sure"),
    };
    Some(format!("{}{sure}", judgement.outcome.name()))
}

/// A whole digest on one line: what was changed, how the tests went, what was troublesome.
pub(crate) fn gist(digest: &Digest) -> Option<String> {
    let mut parts = Vec::new();
    let files = digest.files.len() as u64 + u64::from(digest.more_files);
    if files > 0 {
        let added: u64 = digest.files.iter().map(|file| u64::from(file.added)).sum();
        let removed: u64 = digest.files.iter().map(|file| u64::from(file.removed)).sum();
        let files = plural(files, "file");
        parts.push(format!("{files} changed +{} −{}", count(added), count(removed)));
    }
    if let Some(test) = digest.tests.first() {
        let mark = match test.passed {
            Some(true) => " ✓",
            Some(false) => " ✗",
            None => "",
        };
        let result = test.result.as_deref().map_or_else(String::new, |result| format!(" {result}"));
        parts.push(one_line(&format!("tests{mark}{result}")));
    }
    if !digest.commits.is_empty() {
        parts.push(plural(digest.commits.len() as u64, "commit"));
    }
    parts.extend(trouble(digest));
    if !digest.open_ends.is_empty() {
        parts.push(plural(digest.open_ends.len() as u64, "open end"));
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// What was troublesome, in numbers.
fn trouble(digest: &Digest) -> Vec<String> {
    [
        (digest.errors, "error"),
        (digest.retries, "retry"),
        (digest.interventions, "intervention"),
        (digest.corrections, "correction"),
        (digest.decisions, "question put"),
        (digest.compactions, "compaction"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, noun)| match (number, noun) {
        (1, "retry") => "1 retry".into(),
        (number, "retry") => format!("{} retries", count(u64::from(number))),
        (1, "question put") => "1 question put".into(),
        (number, "question put") => format!("{} questions put", count(u64::from(number))),
        (number, noun) => plural(u64::from(number), noun),
    })
    .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use backstory_model::{
        ChangedFile, CommandUse, Commit, Judgement, OpenEnd, OpenEndKind, SessionUid, Snippet,
        TestUse,
    };

    /// A digest with something in every part of it.
    pub(crate) fn rich() -> Digest {
        let snippet =
            |seq: u32, why: &str, text: &str| Snippet { seq, why: why.into(), text: text.into() };
        Digest {
            version: 1,
            goal: Some(snippet(0, "goal", "Mend the session test.\n\nIt fails twice a year.")),
            prompts: 3,
            files: vec![
                ChangedFile {
                    path: "src/session.rs".into(),
                    edits: 2,
                    added: 12,
                    removed: 3,
                    seq: 4,
                },
                ChangedFile { path: "README.md".into(), edits: 1, added: 1, removed: 0, seq: 9 },
            ],
            more_files: 4,
            commands: vec![CommandUse {
                command: "cargo build".into(),
                runs: 3,
                failures: 1,
                seq: 9,
            }],
            more_commands: 1,
            tests: vec![
                TestUse {
                    command: "cargo test session".into(),
                    runs: 2,
                    failures: 1,
                    passed: Some(true),
                    result: Some("14 passed, 0 failed".into()),
                    seq: 12,
                },
                TestUse { command: "npm test".into(), runs: 1, seq: 14, ..TestUse::default() },
            ],
            commits: vec![Commit {
                id: Some("4f2a91c".into()),
                subject: "Expire at local midnight".into(),
                seq: 20,
            }],
            tools: vec![("Bash".into(), 6), ("Edit".into(), 3)],
            judgement: Judgement {
                outcome: Outcome::Success,
                confidence: 90,
                evidence: vec![(12, "the last test run passed".into()), (20, "committed".into())],
            },
            errors: 2,
            retries: 1,
            interventions: 0,
            corrections: 2,
            decisions: 1,
            compactions: 0,
            snippets: vec![snippet(17, "correction", "No, not in the cart.\nOnly the session.")],
            open_ends: vec![OpenEnd {
                kind: OpenEndKind::UncommittedEdits,
                what: "README.md was edited after the last commit".into(),
                seq: 21,
            }],
        }
    }

    pub(super) fn uid() -> SessionUid {
        SessionUid::from_stored("claude:5ca1ab1e".into())
    }

    #[test]
    fn a_line_tells_a_digest() {
        insta::assert_snapshot!(gist(&rich()).unwrap(), @"6 files changed +13 −3 · tests ✓ 14 passed, 0 failed · 1 commit · 2 errors · 1 retry · 2 corrections · 1 question put · 1 open end");
        assert_eq!(gist(&Digest::default()), None);
    }

    #[test]
    fn an_outcome_says_how_sure_it_is() {
        assert_eq!(outcome(&rich()).unwrap(), "success, 90 % sure");
        assert_eq!(outcome(&Digest::default()), None);
    }
}
