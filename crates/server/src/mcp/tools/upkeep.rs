//! Is it healthy, and is everything sealed?

use super::{Effect, Spec};
use crate::mcp::answer::{Answer, NOTHING_YET, Refusal};
use crate::mcp::args::Args;
use crate::mcp::desk::Desk;
use backstory_engine::search::Stay;
use std::fmt::Write;

const COMMIT: &str = "Take in what agents wrote since the last sync and seal sessions that have ended or gone \
    idle, so that what happened in them can be found and recalled at once. Use it before looking for \
    something that happened minutes ago. Takes no arguments.";
const OPENVIKING: &str = "The same as commit_pending: take in what is new and seal sessions that have ended, so \
    that they can be recalled at once. Takes no arguments.";
const HEALTH: &str = "Tell whether the memory works: how many sessions it holds, how current they are and \
    whether search covers them all. Use it when another tool finds nothing where it should. Takes no \
    arguments.";

pub(super) const TOOLS: &[Spec] = &[
    Spec { name: "commit_pending", about: COMMIT, args: &[], effect: Effect::Adds, run: commit },
    Spec { name: "health", about: HEALTH, args: &[], effect: Effect::Reads, run: health },
    Spec {
        name: "openviking_commit_pending",
        about: OPENVIKING,
        args: &[],
        effect: Effect::Adds,
        run: commit,
    },
];

fn commit(desk: &Desk, _args: &Args) -> Answer {
    match &desk.commit {
        Some(commit) => commit().map_err(Refusal),
        None => Err(Refusal::new(
            "Sessions cannot be sealed from here. Ask the user to run `backstory commit`.",
        )),
    }
}

fn health(desk: &Desk, _args: &Args) -> Answer {
    let mut text = format!("Backstory {} is up.\n", env!("CARGO_PKG_VERSION"));
    let tree = desk.tree()?;
    let Ok(vault) = tree.vault() else {
        text.push_str(NOTHING_YET);
        return Ok(text);
    };
    for totals in vault.totals()? {
        let last = totals.last.map(|at| format!(", the last at {at}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "- {}: {} sessions, {} events{last}",
            totals.flavor, totals.sessions, totals.events
        );
    }
    match vault.last_sweep()? {
        Some(sweep) => {
            let _ = writeln!(text, "- last sync: {}", sweep.finished_at);
        }
        None => text.push_str("- no sync has finished yet\n"),
    }
    match (desk.archive.index.reader(Stay::Short).is_ok(), vault.index_debt_count()?) {
        (false, _) => {
            text.push_str("- there is no search index: the user runs `backstory index`\n");
        }
        (true, 0) => text.push_str("- search covers everything\n"),
        (true, behind) => {
            let _ = writeln!(text, "- search does not cover {behind} sessions fully yet");
        }
    }
    Ok(text)
}
