//! What a session came to so far, as Markdown in seven sections: for an agent that goes on with it, or
//! with the same work. The same digest gives the same bytes.

use crate::clip;
use backstory_model::{Digest, OpenEndKind, Outcome, Session, Signal, SignalKind, Snippet};
use std::fmt::Write;

/// Characters an overview has at most, unless somebody asks for another number.
pub const OVERVIEW_MAX_CHARS: usize = 6_000;
/// Bytes of an abstract.
const ABSTRACT_MAX: usize = 400;
/// Bytes of one entry of a list.
const ENTRY_MAX: usize = 320;
/// What stands in a section that has nothing to tell.
const NOTHING: &str = "None.";

/// An overview and its short form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// A sentence or two, on one line.
    pub abstract_text: String,
    /// The seven sections.
    pub text: String,
}

/// Makes an overview of at most `max_chars` characters.
pub fn overview(
    session: &Session,
    digest: &Digest,
    signals: &[Signal],
    max_chars: usize,
) -> Overview {
    let sections = [
        // The title, its part of the room, its entries.
        ("Session Title", 4, vec![title(session, digest)]),
        ("Current State", 18, current_state(digest)),
        ("Task & Goals", 20, goals(session, digest)),
        ("Key Facts & Decisions", 20, decisions(digest, signals)),
        ("Files & Context", 16, files(session, digest)),
        ("Errors & Corrections", 14, errors(digest, signals)),
        ("Open Issues", 8, open_issues(digest)),
    ];
    let frame: usize = sections.iter().map(|(title, ..)| title.chars().count() + 6).sum();
    let room = max_chars.saturating_sub(frame);
    let mut text = String::new();
    let mut spare = 0;
    for (title, part, entries) in sections {
        let given = room * part / 100 + spare;
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = write!(text, "## {title}\n\n");
        spare = given.saturating_sub(write_entries(&entries, given, &mut text));
    }
    if text.chars().count() > max_chars {
        // Only where there is hardly room for the titles.
        text = text.chars().take(max_chars).collect();
    }
    Overview { abstract_text: abstract_text(session, digest), text }
}

/// Writes as many entries as there is room for; tells how many characters that took.
fn write_entries(entries: &[String], room: usize, text: &mut String) -> usize {
    let before = text.chars().count();
    let entries: Vec<&String> = entries.iter().filter(|entry| !entry.is_empty()).collect();
    let (mut used, mut left_out) = (0, 0);
    for entry in &entries {
        let entry = if entries.len() == 1 { (*entry).clone() } else { format!("- {entry}") };
        let chars = entry.chars().count() + 1;
        if used + chars > room {
            left_out += 1;
            continue;
        }
        used += chars;
        text.push_str(&entry);
        text.push('\n');
    }
    if entries.is_empty() && NOTHING.len() < room {
        text.push_str(NOTHING);
        text.push('\n');
    } else if left_out > 0 {
        let more = format!("- … {left_out} more\n");
        if used + more.chars().count() <= room {
            text.push_str(&more);
        }
    }
    text.chars().count() - before
}

/// One line.
fn line(text: &str) -> String {
    line_of(text, ENTRY_MAX)
}

/// One line of at most so many bytes; nothing in it can be taken for a heading.
fn line_of(text: &str, max: usize) -> String {
    clip::line(text, max).trim_start_matches([' ', '#', '>']).to_owned()
}

fn title(session: &Session, digest: &Digest) -> String {
    let goal = digest.goal.as_ref().map(|goal| goal.text.as_str());
    let title = session.title.as_deref().or(goal).unwrap_or("Untitled session");
    line_of(title, 120)
}

fn abstract_text(session: &Session, digest: &Digest) -> String {
    let mut text = title(session, digest);
    if let Some(repo) = &session.repo {
        let _ = write!(text, " ({})", clip::line(repo, 40));
    }
    let _ = write!(text, ". {}", verdict(digest));
    if let Some(answer) = last_of(digest, "answer") {
        let _ = write!(text, " {}", clip::line(&answer.text, 160));
    }
    clip::line(&text, ABSTRACT_MAX)
}

fn last_of<'a>(digest: &'a Digest, why: &str) -> Option<&'a Snippet> {
    digest.snippets.iter().rev().find(|snippet| snippet.why == why)
}

fn all_of<'a>(digest: &'a Digest, why: &'static str) -> impl Iterator<Item = &'a Snippet> {
    digest.snippets.iter().filter(move |snippet| snippet.why == why)
}

fn verdict(digest: &Digest) -> String {
    let judgement = &digest.judgement;
    let outcome = match judgement.outcome {
        Outcome::Success => "Reached its goal",
        Outcome::Fail => "Did not reach its goal",
        Outcome::Abandoned => "Was left in the middle",
        Outcome::Unknown => "Whether it reached its goal is not known",
    };
    match judgement.evidence.first() {
        Some((_, why)) => format!("{outcome}: {}.", line(why).trim_end_matches('.')),
        None => format!("{outcome}."),
    }
}

fn current_state(digest: &Digest) -> Vec<String> {
    let mut entries = vec![verdict(digest)];
    if let Some(answer) = last_of(digest, "answer") {
        entries.push(format!("Last words: {}", clip::line(&answer.text, 600)));
    }
    for test in digest.tests.iter().take(3) {
        let passed = match test.passed {
            Some(true) => "passes",
            Some(false) => "fails",
            None => "ran",
        };
        let result = test.result.as_deref().map(|result| format!(" ({})", line(result)));
        let command = code(&test.command);
        entries.push(format!("{command} {passed}{}", result.unwrap_or_default()));
    }
    entries
}

fn goals(session: &Session, digest: &Digest) -> Vec<String> {
    let mut entries = Vec::new();
    if let Some(goal) = &digest.goal {
        entries.push(line_of(&goal.text, 900));
    }
    if let Some(task) = &session.task_ref {
        entries.push(format!("Work item: {}", line(task)));
    }
    if digest.prompts > 1 {
        entries.push(format!("{} prompts so far", digest.prompts));
    }
    entries
}

fn decisions(digest: &Digest, signals: &[Signal]) -> Vec<String> {
    let decided =
        all_of(digest, "decision").map(|snippet| format!("Decided: {}", line(&snippet.text)));
    let told = signals
        .iter()
        .filter(|signal| signal.kind == SignalKind::Instruction)
        .map(|signal| format!("Told by the human: {}", line(&signal.what)));
    let commits = digest.commits.iter().map(|commit| {
        let id = commit.id.as_deref().map(|id| format!("{} ", line(id))).unwrap_or_default();
        format!("Committed {id}{}", line(&commit.subject))
    });
    decided.chain(told).chain(commits).collect()
}

fn files(session: &Session, digest: &Digest) -> Vec<String> {
    let place = [("Directory", &session.cwd), ("Branch", &session.git_branch)];
    let place = place
        .into_iter()
        .filter_map(|(name, text)| text.as_deref().map(|text| format!("{name}: {}", code(text))));
    let files = digest
        .files
        .iter()
        .map(|file| format!("{} (+{} −{})", code(&file.path), file.added, file.removed));
    let more = (digest.more_files > 0).then(|| format!("{} more files", digest.more_files));
    let commands = digest.commands.iter().take(5).map(|used| {
        let failed =
            if used.failures > 0 { format!(", {} failed", used.failures) } else { String::new() };
        format!("Ran {} ×{}{failed}", code(&used.command), used.runs)
    });
    place.chain(files).chain(more).chain(commands).collect()
}

/// A name as it stands, so that nothing in it is taken for Markdown.
fn code(text: &str) -> String {
    format!("`{}`", line(text).replace('`', "'"))
}

fn errors(digest: &Digest, signals: &[Signal]) -> Vec<String> {
    let corrected = all_of(digest, "correction")
        .map(|snippet| format!("Corrected by the human: {}", line(&snippet.text)));
    let fixed = signals.iter().filter_map(|signal| {
        let fix = signal.fix.as_ref()?;
        Some(format!("{}: fixed by {}", line(&signal.what), line(&fix.what)))
    });
    let errors = signals
        .iter()
        .filter(|signal| signal.fix.is_none())
        .filter(|signal| matches!(signal.kind, SignalKind::Error | SignalKind::ToolchainTrouble))
        .filter(|signal| !signals.iter().any(|other| resolves(other, signal)))
        .map(|signal| match signal.count {
            0 | 1 => line(&signal.what),
            count => format!("{} ({count} times)", line(&signal.what)),
        });
    corrected.chain(fixed).chain(errors).collect()
}

/// True if an error is the one that was made to go away.
fn resolves(fixed: &Signal, error: &Signal) -> bool {
    fixed.fix.is_some() && fixed.fingerprint == error.fingerprint
}

fn open_issues(digest: &Digest) -> Vec<String> {
    let entry = |end: &backstory_model::OpenEnd| {
        let name = match end.kind {
            OpenEndKind::FailingTest => "Failing test",
            OpenEndKind::UnansweredQuestion => "Unanswered question",
            OpenEndKind::UncommittedEdits => "Uncommitted edits",
            OpenEndKind::BrokenOff => "Broken off",
        };
        format!("{name}: {}", line(&end.what))
    };
    digest.open_ends.iter().map(entry).collect()
}

#[cfg(test)]
#[path = "overview_tests.rs"]
mod tests;
