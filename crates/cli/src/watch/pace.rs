//! When to sweep: once it is quiet, but not too late under constant writing.

use std::time::{Duration, Instant};

/// After a failure that may pass: long enough not to be a nuisance, short enough to be noticed.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// Decides when the next sweep is due.
#[derive(Debug)]
pub(crate) struct Pace {
    /// So long nothing must have been written.
    settle: Duration,
    /// So long a change waits at most.
    max_wait: Duration,
    /// The first and the last change since the last sweep.
    changes: Option<(Instant, Instant)>,
    /// After a failure: when to try again, and how long that pause is.
    again: Option<(Instant, Duration)>,
}

impl Pace {
    /// Nothing has changed yet.
    pub(crate) fn new(settle: Duration, max_wait: Duration) -> Self {
        Self { settle, max_wait, changes: None, again: None }
    }

    /// Something was written.
    pub(crate) fn changed(&mut self, now: Instant) {
        let first = self.changes.map_or(now, |(first, _)| first);
        self.changes = Some((first, now));
    }

    /// When the next sweep is due; `None` if nothing changed.
    pub(crate) fn due(&self) -> Option<Instant> {
        let (first, last) = self.changes?;
        let due = (last + self.settle).min(first + self.max_wait);
        Some(self.again.map_or(due, |(again, _)| due.max(again)))
    }

    /// A sweep begins: what is written from now on is for the next one.
    pub(crate) fn begins(&mut self) {
        self.changes = None;
    }

    /// The sweep took everything in.
    pub(crate) fn succeeded(&mut self) {
        self.again = None;
    }

    /// The sweep could not be done: what it should have taken in still waits.
    pub(crate) fn failed(&mut self, now: Instant) {
        let pause = self.again.map_or(self.max_wait, |(_, pause)| pause * 2);
        self.try_again(now, pause);
    }

    /// Another sweep was running: it will soon be done.
    pub(crate) fn was_busy(&mut self, now: Instant) {
        self.try_again(now, self.settle);
    }

    fn try_again(&mut self, now: Instant, pause: Duration) {
        self.changed(now);
        let pause = pause.clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        self.again = Some((now + pause, pause));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    fn pace() -> (Pace, Instant) {
        let start = Instant::now();
        (Pace::new(seconds(2), seconds(10)), start)
    }

    #[test]
    fn a_sweep_waits_until_it_is_quiet() {
        let (mut pace, start) = pace();
        assert_eq!(pace.due(), None);
        pace.changed(start);
        assert_eq!(pace.due(), Some(start + seconds(2)));
        pace.changed(start + seconds(1));
        assert_eq!(pace.due(), Some(start + seconds(3)));
        pace.begins();
        assert_eq!(pace.due(), None);
    }

    #[test]
    fn constant_writing_does_not_put_it_off_for_ever() {
        let (mut pace, start) = pace();
        for second in 0..10 {
            pace.changed(start + seconds(second));
        }
        assert_eq!(pace.due(), Some(start + seconds(10)));
    }

    #[test]
    fn failures_are_tried_again_ever_later() {
        let (mut pace, start) = pace();
        pace.begins();
        pace.failed(start);
        assert_eq!(pace.due(), Some(start + seconds(10)));
        pace.begins();
        pace.failed(start);
        assert_eq!(pace.due(), Some(start + seconds(20)));
        for _ in 0..10 {
            pace.begins();
            pace.failed(start);
        }
        assert_eq!(pace.due(), Some(start + LONGEST_PAUSE));
        pace.begins();
        pace.succeeded();
        pace.changed(start);
        assert_eq!(pace.due(), Some(start + seconds(2)));
        pace.begins();
        pace.was_busy(start);
        assert_eq!(pace.due(), Some(start + seconds(2)));
    }

    #[test]
    fn no_patience_is_not_no_pause() {
        let (_, start) = pace();
        let mut hasty = Pace::new(Duration::ZERO, Duration::ZERO);
        hasty.was_busy(start);
        assert_eq!(hasty.due(), Some(start + SHORTEST_PAUSE));
        hasty.begins();
        hasty.succeeded();
        hasty.failed(start);
        assert_eq!(hasty.due(), Some(start + SHORTEST_PAUSE));
    }
}
