//! A segment as rows: blocks of terms in order with their short lists, long lists by themselves, facts of
//! passages, and whose passages they are.

use super::bytes::{Bytes, put, put_bytes};
use super::facts::{self, Fact};
use super::postings::List;
use super::refused;
use super::segments::Runs;
use backstory_index::{IndexError, TextField};
use postgres::Client;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::{ToSql, Type};

/// The fields, in the order in which lists of a term come.
pub(super) const FIELDS: [TextField; 5] =
    [TextField::Title, TextField::Prompt, TextField::Prose, TextField::Tool, TextField::Names];
/// Bytes of lists after which a block ends.
const BLOCK_BYTES: usize = 2_000;
/// A list that is longer lies by itself: whoever looks up its neighbours need not read it.
const LONGEST_IN_BLOCK: usize = 500;

/// The place of a field among [`FIELDS`].
pub(super) fn slot(field: TextField) -> usize {
    match field {
        TextField::Title => 0,
        TextField::Prompt => 1,
        TextField::Prose => 2,
        TextField::Tool => 3,
        TextField::Names => 4,
    }
}

/// Whether it is told where in a field terms stand.
pub(super) fn has_positions(field: TextField) -> bool {
    field != TextField::Names
}

/// A segment ready to be sent.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) runs: Runs,
    facts: Vec<Fact>,
    blocks: Vec<Block>,
    open: Block,
    lists: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Terms in order.
#[derive(Debug, Default)]
struct Block {
    first: Vec<u8>,
    terms: Vec<u8>,
    positions: Vec<u8>,
}

impl Rows {
    /// Adds a passage.
    pub(super) fn passage(&mut self, fact: Fact) {
        self.runs.add(fact.place);
        self.facts.push(fact);
    }

    pub(super) fn passages(&self) -> u32 {
        self.facts.len() as u32
    }

    /// Adds a term with its list in each field. Terms come in order.
    pub(super) fn term(&mut self, term: &[u8], lists: &[Option<List>; FIELDS.len()]) {
        if self.open.terms.len() >= BLOCK_BYTES {
            self.blocks.push(std::mem::take(&mut self.open));
        }
        let Block { first, terms, positions } = &mut self.open;
        if terms.is_empty() {
            first.extend_from_slice(term);
        }
        put_bytes(terms, term);
        let has = |at: usize| u8::from(lists[at].is_some()) << at;
        terms.push((0..FIELDS.len()).map(has).sum());
        for (field, list) in FIELDS.iter().zip(lists) {
            let Some(list) = list else { continue };
            put(terms, u64::from(list.passages));
            if list.postings.len() > LONGEST_IN_BLOCK {
                terms.push(0);
                put(terms, self.lists.len() as u64);
                self.lists.push((list.postings.clone(), list.positions.clone()));
                continue;
            }
            put_bytes(terms, &list.postings);
            if has_positions(*field) {
                put_bytes(positions, &list.positions);
            }
        }
    }

    /// Sends it all.
    pub(super) fn send(
        mut self,
        client: &mut Client,
        segment: i64,
        batch: u64,
    ) -> Result<(), IndexError> {
        self.blocks.push(std::mem::take(&mut self.open));
        let insert = "INSERT INTO search_segments_all (segment, batch, passages, runs)
            VALUES ($1, $2, $3, $4)";
        let (passages, runs) = (self.passages() as i32, self.runs.written());
        client.execute(insert, &[&segment, &(batch as i64), &passages, &runs]).map_err(refused)?;
        let types = [Type::INT8, Type::INT4, Type::INT8, Type::BYTEA];
        let rows = self.facts.chunks(facts::PER_ROW as usize).enumerate();
        copy(client, "facts_all (segment, number, newest, facts)", &types, |out| {
            for (number, row) in rows {
                let newest = row.iter().map(|fact| fact.facts.ts.0).max().unwrap_or(0);
                out(&[&segment, &(number as i32), &newest, &facts::written(row)])?;
            }
            Ok(())
        })?;
        let types = [Type::INT8, Type::BYTEA, Type::BYTEA, Type::BYTEA];
        let blocks = self.blocks.iter().filter(|block| !block.terms.is_empty());
        copy(client, "blocks_all (segment, first, terms, positions)", &types, |out| {
            for Block { first, terms, positions } in blocks {
                out(&[&segment, first, terms, positions])?;
            }
            Ok(())
        })?;
        let types = [Type::INT8, Type::INT4, Type::BYTEA, Type::BYTEA];
        let lists = (0_i32..).zip(&self.lists);
        copy(client, "lists_all (segment, number, postings, positions)", &types, |out| {
            for (number, (postings, positions)) in lists {
                out(&[&segment, &number, postings, positions])?;
            }
            Ok(())
        })
    }
}

/// What takes a row.
type Out<'a> = dyn FnMut(&[&(dyn ToSql + Sync)]) -> Result<(), IndexError> + 'a;

fn copy(
    client: &mut Client,
    table: &str,
    types: &[Type],
    rows: impl FnOnce(&mut Out<'_>) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let copy = format!("COPY search_{table} FROM STDIN (FORMAT binary)");
    let mut out = BinaryCopyInWriter::new(client.copy_in(&copy).map_err(refused)?, types);
    rows(&mut |row| out.write(row).map_err(refused))?;
    out.finish().map_err(refused)?;
    Ok(())
}

/// A list of a term as a block tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listed<'a> {
    /// Passages in it.
    pub(super) passages: u32,
    pub(super) at: At<'a>,
}

/// Where a list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At<'a> {
    /// In the block: postings and positions.
    Here(&'a [u8], &'a [u8]),
    /// By itself, under this number.
    There(i32),
}

/// A term as a block tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term<'a> {
    pub(super) text: &'a [u8],
    pub(super) lists: [Option<Listed<'a>>; FIELDS.len()],
}

/// The terms of a block.
#[derive(Clone, Debug)]
pub(super) struct Terms<'a> {
    terms: Bytes<'a>,
    /// Empty where nobody asks for them.
    positions: Bytes<'a>,
}

impl<'a> Terms<'a> {
    pub(super) fn of(terms: &'a [u8], positions: &'a [u8]) -> Self {
        Self { terms: Bytes(terms), positions: Bytes(positions) }
    }
}

impl<'a> Iterator for Terms<'a> {
    type Item = Term<'a>;

    fn next(&mut self) -> Option<Term<'a>> {
        let text = self.terms.bytes()?;
        let has = self.terms.byte()?;
        let mut lists = [None; FIELDS.len()];
        for (at, list) in lists.iter_mut().enumerate().filter(|(at, _)| has >> at & 1 == 1) {
            let passages = self.terms.small()?;
            let postings = self.terms.bytes()?;
            let place = if postings.is_empty() {
                At::There(i32::try_from(self.terms.number()?).ok()?)
            } else if has_positions(FIELDS[at]) {
                At::Here(postings, self.positions.bytes().unwrap_or_default())
            } else {
                At::Here(postings, &[])
            };
            *list = Some(Listed { passages, at: place });
        }
        Some(Term { text, lists })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(passages: std::ops::Range<u32>) -> List {
        let mut list = List::default();
        passages.for_each(|passage| list.meet(passage, 1, Some(3)));
        list.close();
        list
    }

    #[test]
    fn terms_are_read_as_they_were_added() {
        let mut rows = Rows::default();
        rows.term(b"a", &[None, None, Some(list(0..3)), None, Some(list(2..3))]);
        rows.term(b"b", &[None, None, None, Some(list(0..900)), None]);
        rows.term(b"c", &[Some(list(5..6)), None, None, None, None]);
        let Block { first, terms, positions } = &rows.open;
        assert_eq!(first, b"a");
        let read: Vec<Term<'_>> = Terms::of(terms, positions).collect();
        let passages = |at: usize| read[at].lists.map(|list| list.map(|list| list.passages));
        assert_eq!(passages(0), [None, None, Some(3), None, Some(1)]);
        assert_eq!(passages(1), [None, None, None, Some(900), None]);
        assert_eq!(read[1].lists[3].map(|list| list.at), Some(At::There(0)));
        let own = list(5..6);
        let here = At::Here(&own.postings, &own.positions);
        assert_eq!((read[2].text, read[2].lists[0].map(|list| list.at)), (&b"c"[..], Some(here)));
        // Positions may be left out.
        let without = At::Here(&own.postings, &[]);
        let read: Vec<Term<'_>> = Terms::of(terms, &[]).collect();
        assert_eq!(read[2].lists[0].map(|list| list.at), Some(without));
    }
}
