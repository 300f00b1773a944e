//! `cargo xtask eval`: judgements of the product beside those of people.

pub(crate) mod case;
mod decisions;
mod judge;
mod recall_score;
pub(crate) mod render;
mod score;
mod search;

pub use case::{Case, Dialect, Misread, Step, parse};
pub use judge::{Archive, take_in};
pub use render::Rendered;
pub use score::Verdict;

use clap::{Args, Subcommand};
use std::io;

/// The cases rules may be tuned on.
pub const TUNING: &str = concat!(
    include_str!("../../eval/outcome/tuning.txt"),
    "\n",
    include_str!("../../eval/outcome/tuning-2.txt"),
    "\n",
    include_str!("../../eval/outcome/tuning-3.txt")
);
/// The cases they are measured by.
pub const HELD_OUT: &str = include_str!("../../eval/outcome/held-out.txt");

/// The least share of held-out cases that must be judged right, in percent.
const REQUIRED: f64 = 85.0;

/// What to evaluate.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// How sessions ended.
    Outcome(Options),
    /// What agents asked, and what people answered.
    Decisions(decisions::Options),
    /// How well what is asked for is found.
    Search(search::Options),
}

/// How to evaluate it.
#[derive(Args, Clone, Copy, Debug)]
pub struct Options {
    /// List every wrong judgement with what it stands on.
    #[arg(long)]
    pub verbose: bool,
    /// Leave the held-out cases alone: they must not be seen while rules are written.
    #[arg(long)]
    pub tuning_only: bool,
}

/// Evaluates; gives the report and whether it is good enough.
pub fn run(task: &Task) -> io::Result<(String, bool)> {
    let options = match task {
        Task::Outcome(options) => options,
        Task::Decisions(options) => return decisions::run(options),
        Task::Search(options) => return search::run(options),
    };
    let (tuning, _) = one_set("tuning", TUNING, options.verbose)?;
    if options.tuning_only {
        return Ok((tuning, true));
    }
    let (held_out, accuracy) = one_set("held-out", HELD_OUT, options.verbose)?;
    let is_good = accuracy >= REQUIRED;
    let last = if is_good { "" } else { "held-out accuracy is below 85 %\n" };
    Ok((format!("{tuning}\n{held_out}{last}"), is_good))
}

fn one_set(title: &str, text: &str, verbose: bool) -> io::Result<(String, f64)> {
    let cases = parse(text).map_err(|misread| io::Error::other(format!("{title}: {misread}")))?;
    let folder = tempfile::tempdir()?;
    let archive = take_in(&cases, folder.path())?;
    let verdicts = cases
        .iter()
        .zip(&archive.sessions)
        .map(|(case, session)| Ok(Verdict { case, judgement: archive.judge(session)? }))
        .collect::<io::Result<Vec<_>>>()?;
    Ok((score::report(title, &verdicts, verbose), score::accuracy(&verdicts)))
}
