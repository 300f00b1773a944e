//! From a digest to what is told of it.

use super::{Entry, Section, Tone, trouble};
use crate::figures::{count, plural};
use crate::timeline::decided;
use crate::untrusted::one_line;
use backstory_engine::ledger;
use backstory_model::{
    Decision, DecisionKind, DecisionState, Digest, OpenEndKind, Outcome, SessionUid, Snippet,
    address,
};

/// The parts of a digest that have something to tell.
pub(crate) fn sections(uid: &SessionUid, digest: &Digest, asked: &[Decision]) -> Vec<Section> {
    let at = |seq: u32| Some(address(uid, seq));
    let sections = [
        ("Goal", digest.goal.iter().map(|goal| quoted(uid, goal, "")).collect()),
        ("Outcome", outcome(uid, digest)),
        ("Files changed", files(digest)),
        (
            "Tests",
            digest
                .tests
                .iter()
                .map(|test| {
                    let result = test.result.as_deref().map(one_line).into_iter();
                    let details = result.chain([runs(test.runs, test.failures)]);
                    Entry {
                        tone: match test.passed {
                            Some(true) => Tone::Good,
                            Some(false) => Tone::Bad,
                            None => Tone::Plain,
                        },
                        text: one_line(&test.command),
                        detail: details.collect::<Vec<_>>().join(" · "),
                        address: at(test.seq),
                        ..Entry::default()
                    }
                })
                .collect(),
        ),
        (
            "Commits",
            digest
                .commits
                .iter()
                .map(|commit| Entry {
                    text: one_line(&format!(
                        "{} {}",
                        commit.id.as_deref().unwrap_or_default(),
                        commit.subject
                    )),
                    address: at(commit.seq),
                    ..Entry::default()
                })
                .collect(),
        ),
        ("Commands", commands(digest)),
        ("Tools", tools(digest)),
        ("Decisions", decisions(uid, asked)),
        ("Trouble", told(trouble(digest).join(" · "))),
        ("Moments", moments(uid, digest, asked)),
        ("Left open", open_ends(uid, digest)),
    ];
    sections
        .into_iter()
        .map(|(title, entries)| Section { title, entries })
        .filter(|section| !section.entries.is_empty())
        .collect()
}

fn quoted(uid: &SessionUid, snippet: &Snippet, text: &str) -> Entry {
    Entry {
        text: one_line(text),
        quote: Some(snippet.text.clone()),
        address: Some(address(uid, snippet.seq)),
        ..Entry::default()
    }
}

/// Questions and plans with what came of them; permissions are many, and only counted.
fn decisions(uid: &SessionUid, asked: &[Decision]) -> Vec<Entry> {
    let (permissions, asked): (Vec<&Decision>, Vec<&Decision>) =
        asked.iter().partition(|decision| decision.kind == DecisionKind::Permission);
    let entry = |decision: &Decision| Entry {
        tone: match decision.state {
            DecisionState::Open => Tone::Warn,
            _ => Tone::Plain,
        },
        text: decided::line(decision),
        detail: ledger::advice(decision).as_deref().map(one_line).unwrap_or_default(),
        address: Some(address(uid, decision.seq)),
        ..Entry::default()
    };
    let mut entries: Vec<Entry> = asked.into_iter().map(entry).collect();
    entries.extend((!permissions.is_empty()).then(|| Entry {
        detail: plural(permissions.len() as u64, "permission"),
        ..Entry::default()
    }));
    entries
}

/// Moments that are not told as decisions already.
fn moments(uid: &SessionUid, digest: &Digest, asked: &[Decision]) -> Vec<Entry> {
    let is_decision = |kept: &&Snippet| {
        let at =
            |decision: &Decision| decision.seq == kept.seq || decision.answer_seq == Some(kept.seq);
        kept.why == "decision" && asked.iter().any(at)
    };
    let others = digest.snippets.iter().filter(|kept| !is_decision(kept));
    others.map(|kept| quoted(uid, kept, &kept.why)).collect()
}

fn told(text: String) -> Vec<Entry> {
    if text.is_empty() { Vec::new() } else { vec![Entry { text, ..Entry::default() }] }
}

fn outcome(uid: &SessionUid, digest: &Digest) -> Vec<Entry> {
    let Some(verdict) = super::outcome(digest) else { return Vec::new() };
    let tone = match digest.judgement.outcome {
        Outcome::Success => Tone::Good,
        Outcome::Fail => Tone::Bad,
        Outcome::Abandoned => Tone::Warn,
        Outcome::Unknown => Tone::Plain,
    };
    let evidence = digest.judgement.evidence.iter().map(|(seq, what)| Entry {
        detail: one_line(what),
        address: Some(address(uid, *seq)),
        ..Entry::default()
    });
    std::iter::once(Entry { tone, text: verdict, ..Entry::default() }).chain(evidence).collect()
}

fn files(digest: &Digest) -> Vec<Entry> {
    let mut entries: Vec<Entry> = digest
        .files
        .iter()
        .map(|file| Entry {
            text: one_line(&file.path),
            detail: format!(
                "+{} −{} · {}",
                count(u64::from(file.added)),
                count(u64::from(file.removed)),
                plural(u64::from(file.edits), "edit")
            ),
            ..Entry::default()
        })
        .collect();
    entries.extend(more(digest.more_files));
    entries
}

fn commands(digest: &Digest) -> Vec<Entry> {
    let mut entries: Vec<Entry> = digest
        .commands
        .iter()
        .map(|used| Entry {
            text: one_line(&used.command),
            detail: runs(used.runs, used.failures),
            ..Entry::default()
        })
        .collect();
    entries.extend(more(digest.more_commands));
    entries
}

fn runs(runs: u32, failures: u32) -> String {
    let runs = plural(u64::from(runs), "run");
    match failures {
        0 => runs,
        failures => format!("{runs}, {} failed", count(u64::from(failures))),
    }
}

fn more(number: u32) -> Option<Entry> {
    (number > 0).then(|| Entry {
        detail: format!("and {} more", count(u64::from(number))),
        ..Entry::default()
    })
}

fn tools(digest: &Digest) -> Vec<Entry> {
    let used = digest.tools.iter().map(|(tool, calls)| format!("{} ×{calls}", one_line(tool)));
    told(used.collect::<Vec<_>>().join(" · "))
}

fn open_ends(uid: &SessionUid, digest: &Digest) -> Vec<Entry> {
    let entry = |end: &backstory_model::OpenEnd| {
        let (tone, name) = match end.kind {
            OpenEndKind::FailingTest => (Tone::Bad, "failing test"),
            OpenEndKind::UnansweredQuestion => (Tone::Warn, "unanswered question"),
            OpenEndKind::UncommittedEdits => (Tone::Warn, "uncommitted edits"),
            OpenEndKind::BrokenOff => (Tone::Warn, "broken off"),
        };
        Entry {
            tone,
            text: name.into(),
            detail: one_line(&end.what),
            address: Some(address(uid, end.seq)),
            ..Entry::default()
        }
    };
    digest.open_ends.iter().map(entry).collect()
}
