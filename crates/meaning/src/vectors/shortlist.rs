//! The vectors whose codes look best: only these are compared themselves.

use super::codes::{CODE, Weighed};
use crate::embedding::Embedding;
use fearless_simd::{Level, dispatch};
use std::cmp::Ordering;

/// One in so many of the vectors in cells has its code read.
const READ_ONE_IN: usize = 7;
/// Where that would be few, so many are.
const FEWEST_CODES: usize = 50_000;
/// Vectors whose codes look best are compared themselves: so many for every place that is wanted,
const COMPARED_PER_PLACE: usize = 10;
/// but not fewer than this.
const FEWEST_COMPARED: usize = 300;

/// How many codes of so many are worth reading, those of the nearest cells first.
pub(super) fn codes_to_read(coded: usize) -> usize {
    (coded / READ_ONE_IN).max(FEWEST_CODES)
}

/// A vector whose code looks good.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<T> {
    pub(super) what: T,
    pub(super) place: u64,
    guess: f32,
}

impl<T> Candidate<T> {
    fn order(&self, other: &Self) -> Ordering {
        other.guess.total_cmp(&self.guess).then(self.place.cmp(&other.place))
    }
}

/// The best so far; each with whatever its vector is found by.
pub struct Shortlist<T> {
    weighed: Weighed,
    wanted: usize,
    candidates: Vec<Candidate<T>>,
    least: f32,
    against: Vec<u32>,
}

impl<T: Copy> Shortlist<T> {
    /// For so many places near a query.
    pub fn new(query: &Embedding, limit: usize) -> Self {
        Self::of(query, limit.saturating_mul(COMPARED_PER_PLACE).max(FEWEST_COMPARED))
    }

    /// Of so many vectors.
    pub fn of(query: &Embedding, wanted: usize) -> Self {
        Self {
            weighed: Weighed::new(&query.values.map(|value| f32::from(value) * query.scale)),
            wanted,
            candidates: Vec::new(),
            least: f32::NEG_INFINITY,
            against: Vec::new(),
        }
    }

    /// Reads codes of one cell, given how near its centre is and how far from that its vectors are.
    /// `what` tells what a code belongs to, and its place; none if it does not count.
    pub fn read(
        &mut self,
        (nearness, step): (f32, f32),
        codes: &[[u8; CODE]],
        mut what: impl FnMut(usize) -> Option<(u64, T)>,
    ) {
        let Self { weighed, wanted, candidates, least, against } = self;
        let wanted = *wanted;
        against.resize(codes.len(), 0);
        dispatch!(Level::new(), _ => {
            for (against, code) in against.iter_mut().zip(codes) {
                *against = weighed.against(code);
            }
        });
        let mut most = weighed.most_against((*least - nearness) / step);
        for (at, against) in against.iter().enumerate() {
            if *against > most {
                continue;
            }
            let Some((place, what)) = what(at) else { continue };
            let guess = nearness + weighed.balance(*against) * step;
            candidates.push(Candidate { what, place, guess });
            if candidates.len() >= wanted.saturating_mul(2) {
                candidates.select_nth_unstable_by(wanted - 1, Candidate::order);
                candidates.truncate(wanted);
                *least = candidates[wanted - 1].guess;
                most = weighed.most_against((*least - nearness) / step);
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Candidate<T>> {
        self.candidates.sort_unstable_by(Candidate::order);
        self.candidates.truncate(self.wanted);
        self.candidates
    }

    /// The places of the best, each once, in their order.
    pub fn places(self) -> Vec<u64> {
        let mut places: Vec<u64> = self.finish().iter().map(|best| best.place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
