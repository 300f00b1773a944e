//! What segments there are: how many passages each has, whose they are, and which are gone.

use super::bytes::{Bytes, put, put_signed};
use super::refused;
use backstory_index::{IndexError, Place};
use postgres::Client;
use std::ops::Range;

/// A segment: passages that were added together, numbered from 0. It is never changed, but for which of
/// its passages are gone, and replaced by another when these are too many.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) number: i64,
    /// The commit that brought it.
    pub(super) batch: u64,
    pub(super) passages: u32,
    /// Passages that are gone, in order.
    pub(super) gone: Vec<u32>,
    pub(super) runs: Runs,
}

/// All segments, the oldest first.
pub(super) fn all(client: &mut Client) -> Result<Vec<Segment>, IndexError> {
    let sql = "SELECT segment, batch, passages, gone, runs FROM search_segments ORDER BY segment";
    let rows = client.query(sql, &[]).map_err(refused)?;
    Ok(rows
        .iter()
        .map(|row| Segment {
            number: row.get(0),
            batch: row.get::<_, i64>(1) as u64,
            passages: row.get::<_, i32>(2) as u32,
            gone: gone_read(row.get(3)),
            runs: Runs::read(row.get(4)),
        })
        .collect())
}

impl Segment {
    pub(super) fn is_gone(&self, passage: u32) -> bool {
        !self.gone.is_empty() && self.gone.binary_search(&passage).is_ok()
    }

    /// Passages that are there.
    pub(super) fn present(&self) -> u64 {
        u64::from(self.passages) - self.gone.len() as u64
    }

    /// Adds passages to those that are gone; returns how many were there.
    pub(super) fn let_go(&mut self, passages: impl Iterator<Item = u32>) -> u64 {
        let before = self.gone.len();
        self.gone.extend(passages);
        self.gone.sort_unstable();
        self.gone.dedup();
        (self.gone.len() - before) as u64
    }
}

/// Passages that are gone, in few bytes.
pub(super) fn gone_written(gone: &[u32]) -> Vec<u8> {
    let (mut out, mut next) = (Vec::new(), 0);
    for passage in gone {
        put(&mut out, u64::from(passage - next));
        next = passage + 1;
    }
    out
}

fn gone_read(bytes: &[u8]) -> Vec<u32> {
    let (mut bytes, mut next) = (Bytes(bytes), 0_u32);
    let passage = || {
        let passage = next.checked_add(bytes.small()?)?;
        next = passage.checked_add(1)?;
        Some(passage)
    };
    std::iter::from_fn(passage).collect()
}

/// Whose passages they are: stretches of one session, events apart from the session as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs(Vec<Run>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    session: i64,
    is_card: bool,
    /// The number behind its last passage.
    end: u32,
}

impl Runs {
    /// The next passage is of this place.
    pub(super) fn add(&mut self, place: Place) {
        let (session, is_card) = (place.session(), place.seq().is_none());
        let end = self.0.last().map_or(0, |run| run.end) + 1;
        match self.0.last_mut() {
            Some(run) if run.session == session && run.is_card == is_card => run.end = end,
            _ => self.0.push(Run { session, is_card, end }),
        }
    }

    /// The session a passage is of.
    pub(super) fn session_of(&self, passage: u32) -> i64 {
        let at = self.0.partition_point(|run| run.end <= passage);
        self.0.get(at).map_or(0, |run| run.session)
    }

    /// The passages that `is_wanted` wants of a session, events or the session as a whole.
    pub(super) fn of(&self, mut is_wanted: impl FnMut(i64, bool) -> bool) -> Vec<Range<u32>> {
        let mut from = 0;
        let mut found = Vec::new();
        for run in &self.0 {
            if is_wanted(run.session, run.is_card) {
                found.push(from..run.end);
            }
            from = run.end;
        }
        found
    }

    pub(super) fn written(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let (mut session, mut from) = (0, 0);
        for run in &self.0 {
            put_signed(&mut out, run.session.wrapping_sub(session));
            put(&mut out, u64::from(run.end - from) << 1 | u64::from(run.is_card));
            (session, from) = (run.session, run.end);
        }
        out
    }

    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut bytes = Bytes(bytes);
        let (mut session, mut end) = (0_i64, 0_u32);
        let run = || {
            session = session.wrapping_add(bytes.signed()?);
            let count = bytes.number()?;
            end = end.checked_add(u32::try_from(count >> 1).ok()?)?;
            Some(Run { session, is_card: count & 1 == 1, end })
        };
        Self(std::iter::from_fn(run).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_tell_whose_passages_they_are() {
        let mut runs = Runs::default();
        let places = [
            Place::event(7, 0),
            Place::event(7, 0),
            Place::event(7, 1),
            Place::session_card(7),
            Place::event(2, 9),
            Place::event(7, 2),
        ];
        for place in places {
            runs.add(place);
        }
        assert_eq!(Runs::read(&runs.written()), runs);
        for (passage, place) in (0..).zip(places) {
            assert_eq!(runs.session_of(passage), place.session());
        }
        assert_eq!(runs.of(|session, is_card| session == 7 && !is_card), [0..3, 5..6]);
        assert_eq!(runs.of(|_, is_card| is_card).into_iter().flatten().collect::<Vec<_>>(), [3]);
        assert_eq!(runs.session_of(6), 0);
    }

    #[test]
    fn who_is_gone_is_told_in_order() {
        for gone in [vec![], vec![0], vec![3, 4, 900, u32::MAX - 1]] {
            assert_eq!(gone_read(&gone_written(&gone)), gone);
        }
    }
}
