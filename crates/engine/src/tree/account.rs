//! What is kept of a session, as Markdown for whoever works on: with an address behind every claim.

use super::text::{one_line, plain, plural};
use crate::ledger;
use backstory_model::{Digest, OpenEndKind, SessionUid, Snippet, address};
use backstory_store::Account;
use std::fmt::Write;

/// Longer lines are cut.
const MAX_LINE: usize = 240;

/// Sections that are written only if something is in them.
struct Sections {
    text: String,
}

impl Sections {
    fn add(&mut self, title: &str, lines: impl IntoIterator<Item = String>) {
        let mut lines = lines.into_iter().peekable();
        if lines.peek().is_none() {
            return;
        }
        let _ = write!(self.text, "\n## {title}\n\n");
        for line in lines {
            let _ = writeln!(self.text, "{line}");
        }
    }
}

/// Everything.
pub(super) fn whole(uid: &SessionUid, account: &Account) -> String {
    let digest = &account.digest;
    let mut sections = Sections { text: String::new() };
    sections.add("Goal", digest.goal.iter().map(|goal| quoted(uid, goal)));
    sections.add("Outcome", outcome(uid, digest));
    sections.add("Files changed", files(digest));
    sections.add("Tests", tests(uid, digest));
    sections.add("Commits", commits(uid, digest));
    sections.add("Commands", commands(digest));
    let tools = digest.tools.iter().map(|(tool, calls)| format!("{} ×{calls}", line(tool)));
    let tools = tools.collect::<Vec<_>>().join(", ");
    sections.add("Tools", (!tools.is_empty()).then_some(tools));
    sections.add("Decisions", decisions(uid, account));
    sections.add("Trouble", trouble(uid, account));
    sections.add("Moments", digest.snippets.iter().map(|kept| quoted(uid, kept)));
    sections.add("Left open", open_ends(uid, digest));
    sections.text
}

/// What the human was asked, each with its address.
fn decisions(uid: &SessionUid, account: &Account) -> Vec<String> {
    let told = |decision: &backstory_model::Decision| {
        let advice = ledger::advice(decision).map(|advice| format!(" ({advice})"));
        format!(
            "- {} → {}{} ({})",
            line(&ledger::question(decision)),
            line(&ledger::answer(decision)),
            line(&advice.unwrap_or_default()),
            address(uid, decision.seq)
        )
    };
    account.decisions.iter().map(told).collect()
}

fn line(text: &str) -> String {
    one_line(text, MAX_LINE)
}

fn quoted(uid: &SessionUid, kept: &Snippet) -> String {
    let mut text = format!("- {} ({})", kept.why, address(uid, kept.seq));
    for line in plain(&kept.text).lines() {
        let _ = write!(text, "\n  > {}", line.trim_end());
    }
    text
}

fn outcome(uid: &SessionUid, digest: &Digest) -> Vec<String> {
    let judged = &digest.judgement;
    if judged.evidence.is_empty() {
        return Vec::new();
    }
    let verdict = format!("- {}, {} % sure", judged.outcome.name(), judged.confidence);
    let evidence = judged
        .evidence
        .iter()
        .map(|(seq, what)| format!("- {} ({})", line(what), address(uid, *seq)));
    std::iter::once(verdict).chain(evidence).collect()
}

fn files(digest: &Digest) -> Vec<String> {
    let told = |file: &backstory_model::ChangedFile| {
        format!("- {} +{} −{}", line(&file.path), file.added, file.removed)
    };
    let mut lines: Vec<String> = digest.files.iter().map(told).collect();
    let more = digest.more_files;
    lines.extend((more > 0).then(|| format!("- and {more} more")));
    lines
}

fn tests(uid: &SessionUid, digest: &Digest) -> Vec<String> {
    let told = |test: &backstory_model::TestUse| {
        let passed = match test.passed {
            Some(true) => "passed",
            Some(false) => "failed",
            None => "ran",
        };
        let result = test.result.as_deref().map(|result| format!(": {}", line(result)));
        let result = result.unwrap_or_default();
        format!("- `{}` {passed}{result} ({})", line(&test.command), address(uid, test.seq))
    };
    digest.tests.iter().map(told).collect()
}

fn commits(uid: &SessionUid, digest: &Digest) -> Vec<String> {
    let told = |commit: &backstory_model::Commit| {
        let id = commit.id.as_deref().map(|id| format!("{id} ")).unwrap_or_default();
        format!("- {id}{} ({})", line(&commit.subject), address(uid, commit.seq))
    };
    digest.commits.iter().map(told).collect()
}

fn commands(digest: &Digest) -> Vec<String> {
    let told = |used: &backstory_model::CommandUse| {
        let failed =
            if used.failures > 0 { format!(", {} failed", used.failures) } else { String::new() };
        format!("- `{}` {}{failed}", line(&used.command), plural(used.runs.into(), "run"))
    };
    let mut lines: Vec<String> = digest.commands.iter().map(told).collect();
    let more = digest.more_commands;
    lines.extend((more > 0).then(|| format!("- and {more} more")));
    lines
}

fn trouble(uid: &SessionUid, account: &Account) -> Vec<String> {
    let told = |signal: &backstory_model::Signal| {
        let times = if signal.count > 1 { format!(" ×{}", signal.count) } else { String::new() };
        let fix = signal.fix.as_ref().map(|fix| format!("; what helped: {}", line(&fix.what)));
        format!(
            "- {}{times}: {}{} ({})",
            signal.kind.name(),
            line(&signal.what),
            fix.unwrap_or_default(),
            address(uid, signal.seq)
        )
    };
    account.signals.iter().map(told).collect()
}

fn open_ends(uid: &SessionUid, digest: &Digest) -> Vec<String> {
    let told = |end: &backstory_model::OpenEnd| {
        let kind = match end.kind {
            OpenEndKind::FailingTest => "failing test",
            OpenEndKind::UnansweredQuestion => "unanswered question",
            OpenEndKind::UncommittedEdits => "uncommitted edits",
            OpenEndKind::BrokenOff => "broken off",
        };
        format!("- {kind}: {} ({})", line(&end.what), address(uid, end.seq))
    };
    digest.open_ends.iter().map(told).collect()
}
