//! Runs a child process and tells what it cost.

use std::io::{self, Read as _};
use std::process::{Command, Stdio};
use std::time::Instant;
use wait4::Wait4 as _;

/// What one run of a process cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cost {
    /// CPU seconds, user and system.
    pub(crate) cpu: f64,
    /// Seconds that passed.
    pub(crate) wall: f64,
    /// Peak resident memory in bytes.
    pub(crate) rss: u64,
    /// What it printed.
    pub(crate) stdout: String,
}

/// Runs a command to its end. A failure is an error that shows what the command said.
pub(crate) fn run(command: &mut Command) -> io::Result<Cost> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("{command:?}: {error}")))?;
    let mut stderr = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(pipe) = &mut stderr {
            // A broken pipe only means that there is nothing more to show.
            let _ = pipe.read_to_end(&mut text);
        }
        text
    });
    let mut stdout = Vec::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_end(&mut stdout)?;
    }
    let used = child.wait4()?;
    let wall = started.elapsed().as_secs_f64();
    let stderr = reader.join().unwrap_or_default();
    if !used.status.success() {
        let said = String::from_utf8_lossy(&stderr);
        let last: Vec<&str> = said.lines().rev().take(3).collect();
        let text = format!("{command:?} ended with {}: {}", used.status, last.join(" / "));
        return Err(io::Error::other(text));
    }
    Ok(Cost {
        cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        wall,
        rss: used.rusage.maxrss,
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
    })
}

/// The middle value.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    if values.is_empty() { f64::NAN } else { values[values.len() / 2] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_and_output_of_a_child() -> io::Result<()> {
        let cost = run(Command::new("sh").args(["-c", "echo out; echo err >&2"]))?;
        assert_eq!(cost.stdout, "out\n");
        assert!(cost.rss > 100_000 && cost.cpu < 5.0);
        Ok(())
    }

    #[test]
    fn a_failure_says_what_the_child_said() {
        let result = run(Command::new("sh").args(["-c", "echo no such luck >&2; exit 3"]));
        let text = result.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(text.contains("no such luck") && text.contains('3'), "{text}");
    }

    #[test]
    fn the_median_is_the_middle() {
        assert!((median([9.0, 1.0, 5.0]) - 5.0).abs() < f64::EPSILON);
    }
}
