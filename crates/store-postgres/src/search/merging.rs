//! Several segments into one, and a segment without what is gone.

use super::facts;
use super::postings::{List, Positions, Postings};
use super::refused;
use super::rows::{At, FIELDS, Listed, Rows, Terms};
use super::segments::Segment;
use backstory_index::IndexError;
use postgres::Client;

/// One segment with what is there of some, in their order.
pub(super) fn merged(client: &mut Client, segments: &[Segment]) -> Result<Rows, IndexError> {
    let mut rows = Rows::default();
    let mut parts = Vec::new();
    for segment in segments {
        parts.push(Part::read(client, segment, &mut rows)?);
    }
    let mut heads: Vec<Head<'_>> = parts.iter().map(Head::new).collect();
    // The next term of all, with what each of them has of it.
    while let Some(term) = heads.iter().filter_map(Head::term).min().map(<[u8]>::to_vec) {
        let mut lists: [Option<List>; FIELDS.len()] = Default::default();
        for head in heads.iter_mut().filter(|head| head.term() == Some(&term)) {
            head.take(&mut lists);
        }
        if lists.iter().any(Option::is_some) {
            rows.term(&term, &lists);
        }
    }
    Ok(rows)
}

/// Lists, or blocks of them, and where their terms stand.
type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// All of a segment, at hand.
struct Part {
    /// The number each passage gets; none if it is gone.
    numbers: Vec<Option<u32>>,
    blocks: Pairs,
    lists: Pairs,
}

impl Part {
    fn read(client: &mut Client, segment: &Segment, rows: &mut Rows) -> Result<Self, IndexError> {
        let mut numbers = Vec::with_capacity(segment.passages as usize);
        let sql = "SELECT facts FROM search_facts WHERE segment = $1 ORDER BY number";
        for row in client.query(sql, &[&segment.number]).map_err(refused)? {
            for fact in facts::read(row.get(0)) {
                let is_gone = segment.is_gone(numbers.len() as u32);
                numbers.push((!is_gone).then(|| rows.passages()));
                if !is_gone {
                    rows.passage(fact);
                }
            }
        }
        if numbers.len() != segment.passages as usize {
            let has = format!("segment {} lacks passages", segment.number);
            return Err(IndexError::Damaged(has));
        }
        let mut pairs = |sql: &str| -> Result<Pairs, IndexError> {
            let rows = client.query(sql, &[&segment.number]).map_err(refused)?;
            Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
        };
        Ok(Self {
            numbers,
            blocks: pairs(
                "SELECT terms, positions FROM search_blocks WHERE segment = $1 ORDER BY first",
            )?,
            lists: pairs(
                "SELECT postings, positions FROM search_lists WHERE segment = $1 ORDER BY number",
            )?,
        })
    }

    /// Adds a list to the one that is being written.
    fn copy(&self, listed: Listed<'_>, out: &mut Option<List>) {
        let (postings, positions) = match listed.at {
            At::Here(postings, positions) => (postings, positions),
            At::There(number) => match self.lists.get(number as usize) {
                Some((postings, positions)) => (postings.as_slice(), positions.as_slice()),
                None => return,
            },
        };
        let mut positions = Positions::of(positions);
        for mut posting in Postings::of(postings) {
            let places = positions.bytes_of_next(posting.times);
            if let Some(Some(number)) = self.numbers.get(posting.passage as usize) {
                posting.passage = *number;
                out.get_or_insert_default().take(posting, places);
            }
        }
    }
}

/// How far a segment was read.
struct Head<'a> {
    part: &'a Part,
    blocks: std::slice::Iter<'a, (Vec<u8>, Vec<u8>)>,
    terms: Terms<'a>,
    next: Option<super::rows::Term<'a>>,
}

impl<'a> Head<'a> {
    fn new(part: &'a Part) -> Self {
        let mut head =
            Self { part, blocks: part.blocks.iter(), terms: Terms::of(&[], &[]), next: None };
        head.advance();
        head
    }

    fn term(&self) -> Option<&'a [u8]> {
        self.next.map(|term| term.text)
    }

    fn advance(&mut self) {
        loop {
            self.next = self.terms.next();
            if self.next.is_some() {
                return;
            }
            let Some((terms, positions)) = self.blocks.next() else { return };
            self.terms = Terms::of(terms, positions);
        }
    }

    /// Adds the lists of the term at hand to those being written, and goes on to the next.
    fn take(&mut self, lists: &mut [Option<List>; FIELDS.len()]) {
        for (listed, out) in self.next.iter().flat_map(|term| term.lists).zip(lists) {
            if let Some(listed) = listed {
                self.part.copy(listed, out);
            }
        }
        self.advance();
    }
}
