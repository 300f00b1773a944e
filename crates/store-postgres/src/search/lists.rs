//! What a query looks for, as lists of passages: terms as they were read, phrases as they are put together.

use super::postings::{Positions, Posting, Postings};
use super::terms::{Known, Part};
use backstory_index::{Phrase, TextField, Wanted};

/// Something looked for in a field: a term, or terms that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sought {
    pub(super) field: TextField,
    pub(super) terms: Vec<String>,
}

impl Sought {
    pub(super) fn term(field: TextField, term: &str) -> Self {
        Self { field, terms: vec![term.to_owned()] }
    }

    /// A phrase in a field.
    pub(super) fn phrase(phrase: &Phrase, field: TextField) -> Self {
        let terms = if field == TextField::Tool { &phrase.words } else { &phrase.stems };
        Self { field, terms: terms.clone() }
    }

    /// Who has it in a segment.
    pub(super) fn postings<'a>(&self, known: &'a Known, segment: usize) -> Found<'a> {
        let part = |term: &String| {
            known.lists(self.field, term).iter().find(|part| part.segment == segment)
        };
        match self.terms.as_slice() {
            [only] => Found::Read(Postings::of(part(only).map_or(&[], |part| &*part.postings))),
            terms => {
                let parts: Option<Vec<&Part>> = terms.iter().map(part).collect();
                Found::PutTogether(
                    parts.map_or_else(Vec::new, |parts| following(&parts)).into_iter(),
                )
            }
        }
    }
}

/// A phrase in any field of words.
pub(super) fn anywhere(phrase: &Phrase) -> Vec<Sought> {
    TextField::OF_WORDS.iter().map(|field| Sought::phrase(phrase, *field)).collect()
}

/// Whatever must not occur.
pub(super) fn refused(wanted: &Wanted) -> Vec<Sought> {
    let mut any = Vec::new();
    for phrase in &wanted.without {
        any.extend(anywhere(phrase));
        if let [only] = phrase.words.as_slice() {
            any.push(Sought::term(TextField::Names, only));
        }
    }
    any
}

/// Passages that have something, in order.
pub(super) enum Found<'a> {
    Read(Postings<'a>),
    PutTogether(std::vec::IntoIter<Posting>),
}

impl Iterator for Found<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        match self {
            Self::Read(postings) => postings.next(),
            Self::PutTogether(postings) => postings.next(),
        }
    }
}

/// Who has terms one behind the other, and how often.
fn following(parts: &[&Part]) -> Vec<Posting> {
    let Some((first, others)) = parts.split_first() else { return Vec::new() };
    let mut cursors: Vec<Cursor<'_>> = others.iter().map(|part| Cursor::of(part)).collect();
    let (mut positions, mut starts) = (Positions::of(&first.positions), Vec::new());
    let mut found = Vec::new();
    'passages: for mut posting in Postings::of(&first.postings) {
        positions.of_next(posting.times, &mut starts);
        for (behind, cursor) in (1..).zip(&mut cursors) {
            let Some(places) = cursor.reach(posting.passage) else { continue 'passages };
            starts.retain(|start| places.binary_search(&(start + behind)).is_ok());
            if starts.is_empty() {
                continue 'passages;
            }
        }
        posting.times = starts.len() as u32;
        found.push(posting);
    }
    found
}

/// A list that is read along with another.
struct Cursor<'a> {
    postings: std::iter::Peekable<Postings<'a>>,
    positions: Positions<'a>,
    places: Vec<u32>,
}

impl<'a> Cursor<'a> {
    fn of(part: &'a Part) -> Self {
        Self {
            postings: Postings::of(&part.postings).peekable(),
            positions: Positions::of(&part.positions),
            places: Vec::new(),
        }
    }

    /// Where the term stands in a passage; none if it does not.
    fn reach(&mut self, passage: u32) -> Option<&[u32]> {
        while let Some(posting) = self.postings.next_if(|posting| posting.passage <= passage) {
            if posting.passage == passage {
                self.positions.of_next(posting.times, &mut self.places);
                return Some(&self.places);
            }
            self.positions.bytes_of_next(posting.times);
        }
        None
    }
}
