//! The account of a session that an agent is handed when it takes it up again: seven sections, the
//! same bytes for the same session.

use super::account::Account;
use backstory_model::{Digest, Snippet};
use std::fmt::Write;

/// The longest account.
const OVERVIEW_CHARS: usize = 6000;
/// Entries of a section.
const ENTRIES: usize = 8;
/// Characters of an entry.
const ENTRY_CHARS: usize = 240;

/// One line that says what a session was about.
pub(super) fn gist(account: &Account) -> String {
    let goal = account.digest.goal.as_ref().map(|goal| goal.text.as_str());
    line(account.session.title.as_deref().or(goal).unwrap_or("Session without a prompt"))
}

/// The account in Markdown.
pub(super) fn render(account: &Account) -> String {
    let digest = &account.digest;
    let goal: Vec<String> = digest.goal.iter().map(|goal| line(&goal.text)).collect();
    let sections = [
        ("Session Title", vec![gist(account)]),
        ("Current State", state(digest)),
        ("Task & Goals", goal),
        ("Key Facts & Decisions", said(digest, &["decision", "correction", "answer"])),
        ("Files & Context", files(digest)),
        ("Errors & Corrections", said(digest, &["error", "intervention"])),
        ("Open Issues", digest.open_ends.iter().map(|end| line(&end.what)).collect()),
    ];
    let mut text = String::new();
    for (title, entries) in sections {
        let _ = writeln!(text, "## {title}");
        if entries.is_empty() {
            text.push_str("- none known\n");
        }
        for entry in entries.iter().take(ENTRIES) {
            let _ = writeln!(text, "- {entry}");
        }
        text.push('\n');
    }
    let text = text.trim_end();
    text.char_indices().nth(OVERVIEW_CHARS).map_or(text, |(end, _)| &text[..end]).to_owned()
}

fn state(digest: &Digest) -> Vec<String> {
    let mut state = vec![format!(
        "{} prompts, {} errors, outcome {}",
        digest.prompts,
        digest.errors,
        digest.judgement.outcome.name()
    )];
    state.extend(digest.tests.iter().take(2).map(|test| {
        let how = match test.passed {
            Some(true) => "passed",
            Some(false) => "failed",
            None => "ran",
        };
        line(&format!("{how}: {}", test.command))
    }));
    state.extend(digest.commits.iter().rev().take(2).map(|commit| {
        line(&format!("committed: {}", commit.subject))
    }));
    state
}

fn said(digest: &Digest, whys: &[&str]) -> Vec<String> {
    let fits = |snippet: &&Snippet| whys.contains(&snippet.why.as_str());
    let tell = |snippet: &Snippet| format!("{}: {}", snippet.why, line(&snippet.text));
    digest.snippets.iter().filter(fits).map(tell).collect()
}

fn files(digest: &Digest) -> Vec<String> {
    let tell = |file: &backstory_model::ChangedFile| {
        line(&format!("{} (+{} -{})", file.path, file.added, file.removed))
    };
    digest.files.iter().map(tell).collect()
}

/// On one line, of bearable length.
fn line(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match folded.char_indices().nth(ENTRY_CHARS) {
        Some((end, _)) => format!("{}…", &folded[..end]),
        None => folded,
    }
}
