//! Immutable files of vectors, read in place, and the nearest in them.
//!
//! A vector belongs to a place, a number that says where its text is; a place may have several.
//! Vectors stand in the order of their places. In a file that is too large to be looked through one
//! by one, they are also grouped into cells of similar ones, each with a code of 32 bytes that tells
//! roughly where in its cell a vector lies: a search reads the codes of the most promising cells, and
//! only the vectors whose codes look best.
//!
//! Little endian, in this order: header; the centre of every cell and the scale of every centre; where
//! every cell ends; codes, cell by cell; how far from its centre a typical vector of every cell is; the
//! row of every code; places; scales; rows. Everything before the places is missing in a small file.

mod cells;
mod codes;
mod compared;
pub mod elsewhere;
mod search;
mod shortlist;
mod write;

#[cfg(test)]
mod tests;

use crate::embedding::{DIMENSIONS, Embedding};
use codes::CODE;
use std::io;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

pub use search::{count_within, nearest, nearest_within, nearness};
pub use shortlist::Shortlist;
pub use write::{merge, write};

const MAGIC: &[u8; 8] = b"BSVEC001";
/// Magic, number of vectors, number of cells, checksum of these.
const HEADER: usize = 32;
const SUMMED: usize = 24;

/// Why bytes are not a file of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VectorFileError {
    /// The first bytes are those of something else, or of another version.
    #[error("not a file of vectors of this version")]
    Magic,
    /// The header does not match its checksum.
    #[error("the header of the vectors is damaged")]
    Checksum,
    /// The length does not follow from the header.
    #[error("the file of vectors is cut off or has something after its end")]
    Length,
    /// Cells that end before they begin, or do not hold every vector.
    #[error("cell {0} of the vectors is damaged")]
    Cell(usize),
}

/// A file of vectors over its bytes.
#[derive(Clone, Copy)]
pub struct VectorFile<'a> {
    centres: &'a [[u8; DIMENSIONS]],
    centre_scales: &'a [[u8; 4]],
    ends: &'a [[u8; 4]],
    codes: &'a [[u8; CODE]],
    spreads: &'a [[u8; 4]],
    coded_rows: &'a [[u8; 4]],
    places: &'a [[u8; 8]],
    scales: &'a [[u8; 4]],
    rows: &'a [[u8; DIMENSIONS]],
    /// How rows are read by a search, and where in the file they begin.
    read: Option<(ReadAt<'a>, u64)>,
}

/// Fills bytes from some place of a file on.
pub type ReadAt<'a> = &'a (dyn Fn(&mut [u8], u64) -> io::Result<()> + Sync);

impl std::fmt::Debug for VectorFile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VectorFile").field("vectors", &self.len()).finish_non_exhaustive()
    }
}

impl<'a> VectorFile<'a> {
    /// Opens a file over its bytes. What is wrong in the vectors themselves is not looked for: it makes
    /// wrong answers, never a panic.
    pub fn open(bytes: &'a [u8]) -> Result<Self, VectorFileError> {
        let (head, mut rest) = bytes.split_first_chunk::<HEADER>().ok_or(VectorFileError::Magic)?;
        if head[..8] != *MAGIC {
            return Err(VectorFileError::Magic);
        }
        let words = head.as_chunks().0;
        if u64::from_le_bytes(words[3]) != xxh3_64(&head[..SUMMED]) {
            return Err(VectorFileError::Checksum);
        }
        let number = |word: [u8; 8]| {
            u32::try_from(u64::from_le_bytes(word)).map_err(|_| VectorFileError::Length)
        };
        let (count, cells) = (number(words[1])? as usize, number(words[2])? as usize);
        let coded = if cells == 0 { 0 } else { count };
        let file = Self {
            centres: take(&mut rest, cells)?,
            centre_scales: take(&mut rest, cells)?,
            ends: take(&mut rest, cells)?,
            codes: take(&mut rest, coded)?,
            spreads: take(&mut rest, cells)?,
            coded_rows: take(&mut rest, coded)?,
            places: take(&mut rest, count)?,
            scales: take(&mut rest, count)?,
            rows: take(&mut rest, count)?,
            read: None,
        };
        if !rest.is_empty() {
            return Err(VectorFileError::Length);
        }
        let ends = || file.ends.iter().map(|end| u32::from_le_bytes(*end) as usize);
        if !ends().is_sorted() || ends().next_back().is_some_and(|end| end != count) {
            let damaged = ends().zip(ends().skip(1)).position(|(end, next)| next < end);
            return Err(VectorFileError::Cell(damaged.unwrap_or(cells - 1)));
        }
        Ok(file)
    }

    /// The same file, but a search reads the vectors it compares instead of looking at the bytes: where
    /// these are mapped from a disk, they stay out of memory. Of a small file all are compared, so there
    /// is nothing to spare.
    #[must_use]
    pub fn reading_by(self, read: ReadAt<'a>) -> Self {
        if self.ends.is_empty() {
            return self;
        }
        let cells = self.centres.len() * (DIMENSIONS + 12);
        let begin = HEADER + cells + self.codes.len() * (CODE + 4) + self.len() * 12;
        Self { read: Some((read, begin as u64)), ..self }
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The place of every vector, in the order of the file.
    pub fn places(&self) -> impl Iterator<Item = u64> {
        (0..self.len()).map(|row| self.place(row))
    }

    /// Whether there is no vector at all.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The places nearest to `query` that `accept` takes, with their cosine, best first and of equal
    /// ones the lowest place. A place with several vectors counts once, with its best. `accept` may be
    /// asked about a place more than once.
    ///
    /// All vectors are looked at in a small file; in a larger one some of the nearest are missed, mostly
    /// from the end of the list, and the more the more texts are alike.
    pub fn nearest(
        &self,
        query: &Embedding,
        limit: usize,
        accept: &mut dyn FnMut(u64) -> bool,
    ) -> Vec<(u64, f32)> {
        nearest(&[*self], query, limit, accept)
    }

    /// The rows of a place.
    fn rows_of(&self, place: u64) -> Range<usize> {
        let is_within = self.places.first().zip(self.places.last()).is_some_and(|(first, last)| {
            (u64::from_le_bytes(*first)..=u64::from_le_bytes(*last)).contains(&place)
        });
        if !is_within {
            return 0..0;
        }
        let from = self.places.partition_point(|found| u64::from_le_bytes(*found) < place);
        let count = (from..self.len()).take_while(|row| self.place(*row) == place).count();
        from..from + count
    }

    /// The rows of places within some ranges, which follow each other.
    fn rows_within(&self, ranges: &[Range<u64>]) -> impl Iterator<Item = Range<usize>> {
        let mut rows = 0;
        ranges.iter().map_while(move |range| {
            // A range is searched for behind the one before it.
            let places = self.places.get(rows..).filter(|places| !places.is_empty())?;
            let before = |bound: u64| {
                rows + places.partition_point(|place| u64::from_le_bytes(*place) < bound)
            };
            let found = before(range.start)..before(range.end);
            rows = found.end;
            Some(found)
        })
    }

    fn place(&self, row: usize) -> u64 {
        u64::from_le_bytes(self.places[row])
    }

    fn scale(&self, row: usize) -> f32 {
        f32::from_le_bytes(self.scales[row])
    }
}

fn take<'a, const SIZE: usize>(
    rest: &mut &'a [u8],
    count: usize,
) -> Result<&'a [[u8; SIZE]], VectorFileError> {
    let bytes = rest.split_off(..count.saturating_mul(SIZE)).ok_or(VectorFileError::Length)?;
    Ok(bytes.as_chunks().0)
}
