//! Passages into a segment.

use super::facts::Fact;
use super::postings::List;
use super::rows::{FIELDS, Rows, has_positions, slot};
use backstory_index::{Passage, TextField, scoring};
use rustc_hash::FxHashMap;

/// The segment of some passages, in their order.
pub(super) fn segment_of(passages: &[Passage]) -> Rows {
    let mut terms = Terms::default();
    let mut rows = Rows::default();
    for (number, passage) in (0..).zip(passages) {
        rows.passage(Fact { place: passage.place, facts: passage.facts });
        for (field, text) in &passage.texts {
            terms.add(number, *field, text);
        }
    }
    terms.put_into(&mut rows);
    rows
}

/// No list.
const NONE: u32 = u32::MAX;

/// Terms with their lists, as they are met.
#[derive(Default)]
struct Terms<'a> {
    /// By term: the number of its list in each field.
    numbers: FxHashMap<&'a str, [u32; FIELDS.len()]>,
    lists: Vec<List>,
}

impl<'a> Terms<'a> {
    /// Adds the terms of a text; one blank is between them.
    fn add(&mut self, passage: u32, field: TextField, text: &'a str) {
        // A blank at the end begins no term.
        let terms = || text.strip_suffix(' ').unwrap_or(text).split(' ');
        let length = scoring::coarse(terms().count() as u32);
        for (position, term) in (1..).zip(terms()) {
            if term.is_empty() {
                continue;
            }
            let number = &mut self.numbers.entry(term).or_insert([NONE; FIELDS.len()])[slot(field)];
            if *number == NONE {
                *number = self.lists.len() as u32;
                self.lists.push(List::default());
            }
            let position = has_positions(field).then_some(position);
            self.lists[*number as usize].meet(passage, length, position);
        }
    }

    fn put_into(mut self, rows: &mut Rows) {
        let mut terms: Vec<(&str, [u32; FIELDS.len()])> = self.numbers.into_iter().collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        for (term, numbers) in terms {
            let lists = numbers.map(|number| {
                let mut list = std::mem::take(self.lists.get_mut(number as usize)?);
                list.close();
                Some(list)
            });
            rows.term(term.as_bytes(), &lists);
        }
    }
}
