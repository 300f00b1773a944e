//! Tables and verdicts.

use super::measure::{Cost, median};
use super::say;
use std::io;

/// The runs of one stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stage {
    /// Its name.
    pub(crate) name: &'static str,
    /// What each run cost and stored.
    pub(crate) runs: Vec<(Cost, Option<u64>)>,
    /// Why there are no runs.
    pub(crate) problem: Option<String>,
}

impl Stage {
    /// A stage without runs.
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// Adds a run, or remembers why it failed.
    pub(crate) fn add(&mut self, run: io::Result<(Cost, Option<u64>)>) {
        match run {
            Ok(run) => self.runs.push(run),
            Err(error) => self.problem = Some(error.to_string()),
        }
    }

    /// Median CPU seconds.
    pub(crate) fn cpu(&self) -> f64 {
        median(self.runs.iter().map(|(cost, _)| cost.cpu))
    }

    /// Median seconds.
    pub(crate) fn wall(&self) -> f64 {
        median(self.runs.iter().map(|(cost, _)| cost.wall))
    }

    /// The largest peak of memory, in MB.
    pub(crate) fn rss_mb(&self) -> f64 {
        self.runs.iter().map(|(cost, _)| cost.rss as f64 / 1e6).fold(f64::NAN, f64::max)
    }

    /// Stored bytes, where the stage stores.
    pub(crate) fn stored(&self) -> Option<u64> {
        self.runs.iter().filter_map(|(_, stored)| *stored).max()
    }
}

/// Prints a row for each stage.
pub(crate) fn table(stages: &[Stage], source: u64) -> io::Result<()> {
    say("")?;
    say(&format!(
        "{:<36} {:>4} {:>9} {:>9} {:>10} {:>9} {:>14}",
        "stage", "runs", "CPU s", "wall s", "MB/s/CPU", "RSS MB", "stored/source"
    ))?;
    for stage in stages {
        if stage.runs.is_empty() {
            let why = stage.problem.as_deref().unwrap_or("not run");
            say(&format!("{:<36} {why}", stage.name))?;
            continue;
        }
        let share = stage.stored().map_or_else(
            || "–".to_owned(),
            |stored| format!("{:.3}", stored as f64 / source as f64),
        );
        say(&format!(
            "{:<36} {:>4} {:>9.2} {:>9.2} {:>10.0} {:>9.0} {:>14}",
            stage.name,
            stage.runs.len(),
            stage.cpu(),
            stage.wall(),
            source as f64 / 1e6 / stage.cpu(),
            stage.rss_mb(),
            share
        ))?;
    }
    say("")
}

/// A number and its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// Not above.
    AtMost(f64),
    /// Not below.
    AtLeast(f64),
}

/// Prints one goal; true when it is met. A number that could not be measured meets nothing.
pub(crate) fn verdict(what: &str, value: f64, goal: Goal) -> io::Result<bool> {
    let (met, sign, limit) = match goal {
        Goal::AtMost(limit) => (value <= limit, "≤", limit),
        Goal::AtLeast(limit) => (value >= limit, "≥", limit),
    };
    let word = match (value.is_nan(), met) {
        (true, _) => "n/a",
        (_, true) => "PASS",
        (_, false) => "FAIL",
    };
    say(&format!("{word:<5} {what}: {value:.2} ({sign} {limit})"))?;
    Ok(met)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_passes_nothing() -> io::Result<()> {
        assert!(verdict("x", 1.0, Goal::AtMost(2.0))?);
        assert!(!verdict("x", 3.0, Goal::AtMost(2.0))?);
        assert!(verdict("x", 3.0, Goal::AtLeast(2.0))?);
        assert!(!verdict("x", f64::NAN, Goal::AtMost(2.0))?);
        Ok(())
    }
}
