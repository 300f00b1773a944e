//! The table of word pieces and what each of them means, read in place.
//!
//! Little endian: `SEM2`, count, dimensions and length of the vocabulary as u32, `count + 1` offsets
//! into the vocabulary as u32, a scale per piece as f32, the vocabulary padded to four bytes, and a
//! row of i8 per piece. What a piece means is its row times its scale.

use crate::embedding::DIMENSIONS;
use crate::pieces::PieceIndex;
use std::sync::OnceLock;

const MAGIC: &[u8; 4] = b"SEM2";
const HEADER: usize = 16;

static SHIPPED: &[u8] = include_bytes!("../table/static256.sem2");

/// Why bytes are not a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The first bytes are those of something else.
    #[error("not a table of word pieces")]
    Magic,
    /// Made for vectors of another length.
    #[error("a table of {0} dimensions, not of {DIMENSIONS}")]
    Dimensions(u32),
    /// The length does not follow from the header.
    #[error("the table is cut off or has something after its end")]
    Length,
    /// Offsets that go back or outside, or a scale that is no number.
    #[error("piece {0} of the table is damaged")]
    Piece(u32),
}

/// A table, checked once when it is opened.
#[derive(Debug)]
pub struct Table<'a> {
    offsets: &'a [[u8; 4]],
    scales: &'a [[u8; 4]],
    vocabulary: &'a [u8],
    rows: &'a [[u8; DIMENSIONS]],
    index: OnceLock<PieceIndex>,
}

impl Table<'static> {
    /// The table that is part of the binary.
    pub fn shipped() -> Result<&'static Self, TableError> {
        static TABLE: OnceLock<Result<Table<'static>, TableError>> = OnceLock::new();
        TABLE.get_or_init(|| Table::open(SHIPPED)).as_ref().map_err(|error| *error)
    }
}

impl<'a> Table<'a> {
    /// Opens a table over its bytes.
    pub fn open(bytes: &'a [u8]) -> Result<Self, TableError> {
        let (header, rest) = bytes.split_first_chunk::<HEADER>().ok_or(TableError::Magic)?;
        let (words, _) = header.as_chunks::<4>();
        if words[0] != *MAGIC {
            return Err(TableError::Magic);
        }
        let [count, dimensions, length] = [words[1], words[2], words[3]].map(u32::from_le_bytes);
        if dimensions as usize != DIMENSIONS {
            return Err(TableError::Dimensions(dimensions));
        }
        let (count, length) = (count as usize, length as usize);
        let (offsets, rest) = split(rest, count.saturating_add(1).saturating_mul(4))?;
        let (scales, rest) = split(rest, count.saturating_mul(4))?;
        let (vocabulary, rest) = split(rest, length.saturating_add(3) / 4 * 4)?;
        let (rows, rest) = split(rest, count.saturating_mul(DIMENSIONS))?;
        if !rest.is_empty() {
            return Err(TableError::Length);
        }
        let table = Self {
            offsets: offsets.as_chunks().0,
            scales: scales.as_chunks().0,
            vocabulary: &vocabulary[..length],
            rows: rows.as_chunks().0,
            index: OnceLock::new(),
        };
        table.check()?;
        Ok(table)
    }

    fn check(&self) -> Result<(), TableError> {
        let mut before = 0;
        for (at, offset) in self.offsets.iter().enumerate() {
            let offset = u32::from_le_bytes(*offset) as usize;
            if offset < before || offset > self.vocabulary.len() {
                return Err(TableError::Piece(at as u32));
            }
            before = offset;
        }
        match self.scales.iter().position(|scale| !f32::from_le_bytes(*scale).is_finite()) {
            Some(at) => Err(TableError::Piece(at as u32)),
            None => Ok(()),
        }
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no piece at all.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The spelling of a piece; those that continue a word begin with `##`. Empty beyond the end.
    pub fn spelling(&self, piece: u32) -> &'a [u8] {
        let at = piece as usize;
        let bound = |at: usize| self.offsets.get(at).map(|offset| u32::from_le_bytes(*offset));
        match (bound(at), bound(at + 1)) {
            (Some(from), Some(to)) => &self.vocabulary[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Whether a lower-case word is a piece by itself, one of the few ten thousand words a language
    /// mostly consists of.
    pub fn has_word(&self, word: &str) -> bool {
        self.index().whole(self, word.as_bytes()).is_some()
    }

    /// The scale and the row of a piece.
    #[inline(always)]
    pub(crate) fn meaning(&self, piece: u32) -> Option<(f32, &'a [u8; DIMENSIONS])> {
        let scale = self.scales.get(piece as usize)?;
        Some((f32::from_le_bytes(*scale), &self.rows[piece as usize]))
    }

    /// Where pieces are found by their spelling; made when it is first asked for.
    pub(crate) fn index(&self) -> &PieceIndex {
        self.index.get_or_init(|| PieceIndex::new(self))
    }
}

fn split(bytes: &[u8], at: usize) -> Result<(&[u8], &[u8]), TableError> {
    bytes.split_at_checked(at).ok_or(TableError::Length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A table of a few pieces whose rows are all ones.
    fn small() -> Vec<u8> {
        let words = ["##s", "ab", "abc"];
        let text = words.concat();
        let mut bytes = b"SEM2".to_vec();
        for number in [words.len(), DIMENSIONS, text.len()] {
            bytes.extend((number as u32).to_le_bytes());
        }
        let mut end = 0_u32;
        bytes.extend(end.to_le_bytes());
        for word in words {
            end += word.len() as u32;
            bytes.extend(end.to_le_bytes());
        }
        for _ in words {
            bytes.extend(0.5_f32.to_le_bytes());
        }
        bytes.extend(text.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.resize(bytes.len() + words.len() * DIMENSIONS, 1);
        bytes
    }

    #[test]
    fn the_shipped_table_opens_and_is_sorted() {
        let table = Table::shipped().unwrap();
        assert!(table.len() > 20_000);
        let spellings: Vec<&[u8]> =
            (0..table.len() as u32).map(|piece| table.spelling(piece)).collect();
        assert!(spellings.is_sorted());
        assert!(
            spellings.contains(&b"##ing".as_slice()) && spellings.contains(&b"memory".as_slice())
        );
    }

    #[test]
    fn pieces_are_read_in_place() {
        let bytes = small();
        let table = Table::open(&bytes).unwrap();
        assert_eq!(table.spelling(0), b"##s");
        assert_eq!(table.spelling(2), b"abc");
        assert_eq!(table.spelling(3), b"");
        assert_eq!(table.meaning(1), Some((0.5, &[1; DIMENSIONS])));
        assert_eq!(table.meaning(3), None);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let good = small();
        let error = |bytes: &[u8]| Table::open(bytes).err();
        assert_eq!(error(b""), Some(TableError::Magic));
        assert_eq!(error(&good[..good.len() - 1]), Some(TableError::Length));
        assert_eq!(error(&[good.as_slice(), b"x"].concat()), Some(TableError::Length));
        let with = |at: usize, value: u32| {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            bytes
        };
        assert_eq!(error(&with(0, 7)), Some(TableError::Magic));
        assert_eq!(error(&with(4, u32::MAX)), Some(TableError::Length));
        assert_eq!(error(&with(8, 128)), Some(TableError::Dimensions(128)));
        assert_eq!(error(&with(12, u32::MAX)), Some(TableError::Length));
        assert_eq!(error(&with(20, 99)), Some(TableError::Piece(1)));
        assert_eq!(error(&with(24, 1)), Some(TableError::Piece(2)));
        assert_eq!(error(&with(32, f32::NAN.to_bits())), Some(TableError::Piece(0)));
    }

    proptest! {
        #[test]
        fn damaged_bytes_never_panic(at in 0_usize..44, value in any::<u8>(), cut in 0_usize..900) {
            let mut bytes = small();
            bytes[at] = value;
            bytes.truncate(bytes.len().saturating_sub(cut.saturating_sub(300)));
            if let Ok(table) = Table::open(&bytes) {
                for piece in 0..5 {
                    table.spelling(piece);
                    table.meaning(piece);
                }
                table.index();
            }
        }
    }
}
