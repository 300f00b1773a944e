//! The best of what was found, by BM25 as the local index counts it.

use super::lexemes::{Hash, Lengths, times};
use backstory_index::{Accept, Facts, Hit, Place, TextField, scoring};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::HashSet;

/// A passage found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) part: i32,
    pub(super) facts: Facts,
    pub(super) lengths: Lengths,
    /// It has something that must not occur.
    pub(super) is_refused: bool,
    /// Where in [`Postings`] it is told what it has.
    had: (u32, u32),
}

impl Found {
    pub(super) fn new(place: Place, part: i32, facts: Facts, lengths: Lengths) -> Self {
        Self { place, part, facts, lengths, is_refused: false, had: (0, 0) }
    }
}

/// Something looked for in a field, and what it is worth.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// As a query.
    pub(super) query: String,
    pub(super) field: TextField,
    pub(super) weight: f32,
}

/// What was looked for in one of the lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Sought {
    pub(super) items: Vec<Item>,
    /// Of each of these, one query at least must be met.
    pub(super) musts: Vec<Vec<String>>,
}

/// Passages by what they have.
#[derive(Debug, Default)]
pub(super) struct Postings {
    pub(super) found: Vec<Found>,
    had: Vec<u8>,
    numbers: FxHashMap<(u64, i32), u32>,
    /// By query: who has it, and how often.
    lists: FxHashMap<String, List>,
    /// There are more that have something than were read.
    pub(super) is_cut: bool,
}

/// Who has something, and how often.
#[derive(Debug, Default)]
struct List {
    having: Vec<(u32, f32)>,
    /// All who have it are in it.
    is_complete: bool,
}

impl Postings {
    /// Takes in a passage that has something, with all it has.
    pub(super) fn add(&mut self, mut found: Found, had: &[u8]) -> u32 {
        *self.numbers.entry((found.place.0, found.part)).or_insert_with(|| {
            let from = self.had.len() as u32;
            self.had.extend_from_slice(had);
            found.had = (from, self.had.len() as u32);
            self.found.push(found);
            self.found.len() as u32 - 1
        })
    }

    /// How often a passage has a lexeme.
    pub(super) fn times(&self, number: u32, hash: Hash) -> f32 {
        let (from, to) = self.found[number as usize].had;
        times(&self.had[from as usize..to as usize], hash)
    }

    /// Says who has something; each only once, however often it is said.
    pub(super) fn note(&mut self, query: &str, having: Vec<(u32, f32)>, is_complete: bool) {
        let list = self.lists.entry(query.to_owned()).or_default();
        list.having.extend(having);
        list.having.sort_unstable_by_key(|(number, _)| *number);
        list.having.dedup_by_key(|(number, _)| *number);
        list.is_complete |= is_complete;
    }

    fn having(&self, query: &str) -> &[(u32, f32)] {
        self.lists.get(query).map_or(&[], |list| &list.having)
    }

    /// Who has something; none if that is known of some only.
    pub(super) fn all_having<'a>(
        &'a self,
        query: &str,
    ) -> Option<impl Iterator<Item = Found> + use<'a>> {
        let list = self.lists.get(query).filter(|list| list.is_complete)?;
        Some(list.having.iter().map(|(number, _)| self.found[*number as usize]))
    }

    fn has(&self, query: &str, number: u32) -> bool {
        self.having(query).binary_search_by_key(&number, |(number, _)| *number).is_ok()
    }

    /// How well every passage matches; 0 for none of it.
    pub(super) fn scores(&self, sought: &Sought) -> Vec<f32> {
        let mut scores = vec![0.0; self.found.len()];
        for item in &sought.items {
            for (number, times) in self.having(&item.query) {
                let length = self.found[*number as usize].lengths.of(item.field);
                scores[*number as usize] +=
                    item.weight * scoring::density(*times, length, item.field);
            }
        }
        scores
    }

    /// The best that are accepted, each place once; also says how many passages were.
    pub(super) fn best(
        &self,
        sought: &Sought,
        limit: usize,
        accept: Option<Accept<'_>>,
    ) -> (Vec<Hit>, usize) {
        let is_met = |number: u32| {
            let met = |any: &Vec<String>| any.iter().any(|query| self.has(query, number));
            sought.musts.iter().all(met)
        };
        let mut hits: Vec<Hit> = Vec::new();
        for (number, score) in self.scores(sought).into_iter().enumerate() {
            let Found { place, facts, is_refused, .. } = self.found[number];
            let is_hit = score > 0.0
                && !is_refused
                && is_met(number as u32)
                && accept.is_none_or(|accept| accept(place, &facts));
            if is_hit {
                hits.push(Hit { place, score, facts });
            }
        }
        let accepted = hits.len();
        if accepted > limit && limit > 0 {
            hits.select_nth_unstable_by(limit - 1, order);
        }
        hits.truncate(limit);
        hits.sort_by(order);
        let mut seen = HashSet::new();
        hits.retain(|hit| seen.insert(hit.place));
        (hits, accepted)
    }
}

/// The best first, of equals the newer one.
fn order(left: &Hit, right: &Hit) -> Ordering {
    right.score.total_cmp(&left.score).then_with(|| right.place.cmp(&left.place))
}
