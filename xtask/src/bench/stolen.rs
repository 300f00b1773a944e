//! How much of the machine others took while something was measured. On a machine that is shared, what a
//! process waits for may be another machine's work, which says nothing about the process.

use super::say;
use std::io;

/// Less than this share is as good as nothing.
const QUIET: f64 = 0.01;
/// So often a measurement is made at most.
const ROUNDS: usize = 5;

/// Measures until nobody disturbs it, or a few times; the least disturbed counts, whatever it says. All are
/// told, in the words `tell` finds for them.
pub(crate) fn undisturbed<T>(
    mut measure: impl FnMut() -> io::Result<T>,
    tell: impl Fn(&T) -> String,
) -> io::Result<T> {
    let mut best: Option<(f64, T)> = None;
    for _ in 0..ROUNDS {
        let before = Ticks::now()?;
        let measured = measure()?;
        let share = Ticks::now()?.stolen_since(&before);
        let told = tell(&measured);
        say(&format!("  {told} (others took {:.1} % of the machine)", share * 100.0))?;
        if best.as_ref().is_none_or(|(least, _)| share < *least) {
            best = Some((share, measured));
        }
        if share < QUIET {
            break;
        }
    }
    best.map(|(_, measured)| measured).ok_or_else(|| io::Error::other("nothing was measured"))
}

/// What the system counted since it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    all: u64,
    stolen: u64,
}

impl Ticks {
    fn now() -> io::Result<Self> {
        let text = fs_err::read_to_string("/proc/stat")?;
        Self::read(&text).ok_or_else(|| io::Error::other("/proc/stat does not tell"))
    }

    /// Of the line of all processors: user, nice, system, idle, waiting, two kinds of interrupts, stolen.
    fn read(text: &str) -> Option<Self> {
        let counts = text.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        let counts: Vec<u64> = counts.take(8).map_while(|count| count.parse().ok()).collect();
        Some(Self { all: counts.iter().sum(), stolen: *counts.get(7)? })
    }

    /// The share of the time that was taken.
    fn stolen_since(&self, before: &Self) -> f64 {
        let passed = self.all.saturating_sub(before.all).max(1);
        self.stolen.saturating_sub(before.stolen) as f64 / passed as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_what_was_stolen_in_between() {
        let read = |text| Ticks::read(text).unwrap();
        let before = read("cpu  10 0 10 70 0 5 5 100 0 0\ncpu0 1 2 3\n");
        let after = read("cpu  30 0 20 120 0 5 5 120 9 9\n");
        assert_eq!(before, Ticks { all: 200, stolen: 100 });
        assert!((after.stolen_since(&before) - 0.2).abs() < 1e-9);
        assert_eq!(Ticks::read("cpu 1 2 3"), None);
        assert_eq!(Ticks::read(""), None);
    }
}
