//! Decisions the product finds beside those people found.

mod labelled;
mod score;

use crate::eval::judge::{Archive, take_in};
use crate::eval::render::Rendered;
use backstory_distill::{Distiller, Moment};
use backstory_model::{Decision, EventKind, Flavor};
use clap::Args;
use score::Found;
use std::io;
use std::process::Command;
use std::time::Instant;

/// The cases rules may be tuned on.
const TUNING: &str = include_str!("../../../eval/decisions/tuning.txt");

/// Where the cases lie they are measured by. They are read when they are asked for, so that nothing
/// that is built carries them.
const HELD_OUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/eval/decisions/held-out.txt");

/// The least precision and recall on the held-out cases, in percent.
const PRECISION: f64 = 95.0;
const RECALL: f64 = 90.0;

/// How to evaluate decisions.
#[derive(Args, Clone, Copy, Debug)]
pub struct Options {
    /// List every wrong decision of the tuning cases.
    #[arg(long)]
    verbose: bool,
    /// Leave the held-out cases alone: they must not be seen while rules are written.
    #[arg(long)]
    tuning_only: bool,
    /// List those of the held-out cases, too; whoever does must not write rules any more.
    #[arg(long, requires = "verbose")]
    reveal_held_out: bool,
    /// Instead, take in so many sessions that ask, twice, with the command itself: the second time must
    /// change nothing.
    #[arg(long, value_name = "SESSIONS", exclusive = true)]
    many: Option<usize>,
}

/// Evaluates; gives the report and whether it is good enough.
pub(super) fn run(options: &Options) -> io::Result<(String, bool)> {
    if let Some(sessions) = options.many {
        return take_in_twice(sessions);
    }
    let (tuning, _) = one_set("tuning", TUNING, options.verbose)?;
    if options.tuning_only {
        return Ok((tuning, true));
    }
    let text = fs_err::read_to_string(HELD_OUT)?;
    let (held_out, (precision, recall)) = one_set("held-out", &text, options.reveal_held_out)?;
    let is_good = precision >= PRECISION && recall >= RECALL;
    let last = if is_good {
        String::new()
    } else {
        format!("held-out: precision must be {PRECISION} %, recall {RECALL} %\n")
    };
    Ok((format!("{tuning}\n{held_out}{last}"), is_good))
}

/// Runs the test of the ledger with more sessions than it usually has.
fn take_in_twice(sessions: usize) -> io::Result<(String, bool)> {
    let began = Instant::now();
    let mut test = Command::new("cargo");
    test.args(["test", "--locked", "--package", "backstory", "--test", "it", "decisions_twice"]);
    let ended = test.env("BACKSTORY_TEST_SESSIONS", sessions.to_string()).status()?;
    let seconds = began.elapsed().as_secs();
    let verdict = if ended.success() { "changed nothing" } else { "failed" };
    Ok((format!("{sessions} sessions taken in twice: {verdict} ({seconds} s)\n"), ended.success()))
}

fn one_set(title: &str, text: &str, verbose: bool) -> io::Result<(String, (f64, f64))> {
    let labelled =
        labelled::parse(text).map_err(|misread| io::Error::other(format!("{title}: {misread}")))?;
    let cases: Vec<_> = labelled.iter().map(|one| one.case.clone()).collect();
    let folder = tempfile::tempdir()?;
    let archive = take_in(&cases, folder.path())?;
    let found = labelled
        .iter()
        .zip(&archive.sessions)
        .map(|(labelled, session)| Ok(Found { labelled, rows: decisions(&archive, session)? }))
        .collect::<io::Result<Vec<_>>>()?;
    Ok(score::report(title, &found, verbose))
}

/// The decisions of a session: those the distiller makes of its archived events.
fn decisions(archive: &Archive, session: &Rendered) -> io::Result<Vec<Decision>> {
    let row = archive.vault.session(&session.uid).map_err(io::Error::other)?;
    let row = row.ok_or_else(|| io::Error::other(format!("{} has no row", session.uid)))?;
    let mut events = archive.vault.events(&session.uid).map_err(io::Error::other)?;
    if session.uid.flavor() == Some(Flavor::Grok) {
        // Two logs side by side; only the time tells what came first.
        events.sort_by_key(|event| (event.ts, event.seq));
    }
    let mut distiller = Distiller::new();
    for event in &events {
        let text = if event.kind == EventKind::Lifecycle {
            event.summary.clone()
        } else {
            archive.vault.payload(event).map_err(io::Error::other)?
        };
        distiller.event(Moment { event, text: &text });
    }
    Ok(distiller.finish(&row).decisions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tuning_cases_are_read_and_taken_in() {
        let labelled = labelled::parse(TUNING).unwrap();
        assert!(labelled.len() >= 60, "{}", labelled.len());
        let empty = labelled.iter().filter(|one| one.expected.is_empty()).count();
        assert!(empty * 4 >= labelled.len(), "{empty} of {} expect nothing", labelled.len());
        let cases: Vec<_> = labelled.iter().map(|one| one.case.clone()).collect();
        let folder = tempfile::tempdir().unwrap();
        let archive = take_in(&cases, folder.path()).unwrap();
        assert_eq!(archive.report.problem_count, 0, "{:?}", archive.report.problems);
        assert_eq!(archive.report.total(|flavor| flavor.unknown), 0);
        assert_eq!(archive.report.total(|flavor| flavor.bad), 0);
    }

    /// What every agent and dialect must tell alike.
    const ALIKE: &str = "user: begin\nsay: D1 — First\n| Recommendation: A\n| A) red\n| B) green\n\
        interrupt\nuser: something about the docs\nsay: D2 — Second?\n| A) red\n| B) green\nend\n\
        steer: B\nsay: ok\nend\nuser: go on\n\
        ask: {\"questions\":[{\"question\":\"Third?\",\"options\":[{\"label\":\"x\"},{\"label\":\"y\"}]}],\"answers\":{\"Third?\":\"y\"}}\n\
        ask: {\"questions\":[{\"question\":\"Fourth?\",\"options\":[{\"label\":\"x\"},{\"label\":\"y\"}]}]}\n\
        interrupt\nuser: and the next thing\n\
        ask: {\"questions\":[{\"question\":\"Fifth?\",\"options\":[{\"label\":\"x\"},{\"label\":\"y\"}]}],\"declined\":true}\n\
        user: on and on\nplan: Sixth, then stop => approved\nplan: Seventh => rejected: smaller\n\
        deny: rm -rf eighth => keep it\nsay: D9 — Ninth?\n| A) red\n| B) green\nend\n\
        expect: {\"question\":\"First\",\"options\":[\"red\",\"green\"],\"recommended\":\"red\",\"state\":\"interrupted\",\"form\":\"pattern\"}\n\
        expect: {\"question\":\"Second?\",\"options\":[\"red\",\"green\"],\"chosen\":[\"green\"],\"state\":\"answered\",\"form\":\"pattern\"}\n\
        expect: {\"question\":\"Third?\",\"options\":[\"x\",\"y\"],\"chosen\":[\"y\"],\"state\":\"answered\",\"form\":\"tool\"}\n\
        expect: {\"question\":\"Fourth?\",\"options\":[\"x\",\"y\"],\"state\":\"interrupted\",\"form\":\"tool\"}\n\
        expect: {\"question\":\"Fifth?\",\"options\":[\"x\",\"y\"],\"state\":\"skipped\",\"form\":\"tool\"}\n\
        expect: {\"question\":\"Sixth, then stop\",\"options\":[\"Approve\",\"Reject\"],\"chosen\":[\"Approve\"],\"state\":\"answered\",\"kind\":\"plan\",\"form\":\"tool\"}\n\
        expect: {\"question\":\"Seventh\",\"options\":[\"Approve\",\"Reject\"],\"chosen\":[\"Reject\"],\"free\":\"smaller\",\"state\":\"answered\",\"kind\":\"plan\",\"form\":\"tool\"}\n\
        expect: {\"question\":\"rm -rf eighth\",\"options\":[\"Allow\",\"Deny\"],\"chosen\":[\"Deny\"],\"free\":\"keep it\",\"state\":\"answered\",\"kind\":\"permission\",\"form\":\"tool\"}\n\
        expect: {\"question\":\"Ninth?\",\"options\":[\"red\",\"green\"],\"state\":\"open\",\"form\":\"pattern\"}\n";

    #[test]
    fn every_agent_and_dialect_tells_the_same() {
        let text: String = ["claude", "codex", "codex-old", "codex-paginated", "grok"]
            .map(|agent| format!("=== as-{agent} | {agent}\n{ALIKE}"))
            .concat();
        let (report, (precision, recall)) = one_set("alike", &text, true).unwrap();
        assert!(precision >= 100.0 && recall >= 100.0, "{report}");
    }

    #[test]
    fn the_tuning_cases_are_found_well_enough() {
        let (report, (precision, recall)) = one_set("tuning", TUNING, true).unwrap();
        assert!(precision >= PRECISION && recall >= RECALL, "{report}");
    }
}
