//! Pieces → one vector of length 1: the sum of what the pieces mean.

use crate::pieces::pieces_of;
use crate::table::Table;
use crate::words::for_each_word;
use fearless_simd::{Level, dispatch};
use xxhash_rust::xxh3::xxh3_64;

/// Numbers in a vector.
pub const DIMENSIONS: usize = 256;

/// What a text is about: value times scale is a vector of length 1, or nearly so.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// The largest of them is 127 or -127.
    pub values: [i8; DIMENSIONS],
    /// What one step of a value is worth.
    pub scale: f32,
}

/// How much two texts are about the same: 1 is the same, 0 is nothing in common.
pub fn cosine(left: &Embedding, right: &Embedding) -> f32 {
    dot(&left.values, &right.values.map(i8::cast_unsigned)) as f32 * left.scale * right.scale
}

/// The sum of the products of a vector and a row as it is stored; it cannot overflow.
#[inline(always)]
pub(crate) fn dot(left: &[i8; DIMENSIONS], right: &[u8; DIMENSIONS]) -> i32 {
    let (mut sum, mut at) = (0, 0);
    // Iterators are not always compiled for the processor that the caller chose.
    while at < DIMENSIONS {
        sum += i32::from(left[at]) * i32::from(right[at].cast_signed());
        at += 1;
    }
    sum
}

/// Fewer say nothing a vector could hold: "ok", "yes".
const FEWEST_PIECES: usize = 2;
/// What comes after adds nothing to what a text is about.
const MOST_PIECES: usize = 4096;
/// A power of two.
const REMEMBERED_WORDS: usize = 16_384;
const REMEMBERED_PIECES: usize = 5;

/// The pieces of a word that was met before: the two halves of the hash of its spelling, how many
/// pieces, and the pieces. An array rather than a struct, so that a fresh memory of them is zeroed by
/// the system, page by page as it is needed.
type Remembered = [u32; 3 + REMEMBERED_PIECES];

/// Makes vectors of texts; remembers the words it met, so that one is best used for many texts.
pub struct Embedder<'t> {
    table: &'t Table<'t>,
    remembered: Vec<Remembered>,
    pieces: Vec<u32>,
}

impl<'t> Embedder<'t> {
    /// An embedder that has met no word yet.
    pub fn new(table: &'t Table<'t>) -> Self {
        let remembered = vec![[0; 3 + REMEMBERED_PIECES]; REMEMBERED_WORDS];
        Self { table, remembered, pieces: Vec::new() }
    }

    /// The vector of a text; none if there are too few words in it that mean anything.
    pub fn embed(&mut self, text: &str) -> Option<Embedding> {
        let Self { table, remembered, pieces } = self;
        pieces.clear();
        for_each_word(text, |word| {
            if pieces.len() < MOST_PIECES {
                append(table, remembered, word, pieces);
            }
        });
        if pieces.len() < FEWEST_PIECES { None } else { quantised(&sum(table, pieces)) }
    }
}

fn append(table: &Table<'_>, remembered: &mut [Remembered], word: &[u8], out: &mut Vec<u32>) {
    let hash = xxh3_64(word);
    let place = &mut remembered[hash as usize % REMEMBERED_WORDS];
    let [low, high, count, known @ ..] = place;
    if *low == hash as u32 && *high == (hash >> 32) as u32 {
        out.extend_from_slice(&known[..*count as usize]);
        return;
    }
    let before = out.len();
    pieces_of(table, word, out);
    let pieces = &out[before..];
    if pieces.len() <= REMEMBERED_PIECES {
        (*low, *high, *count) = (hash as u32, (hash >> 32) as u32, pieces.len() as u32);
        known[..pieces.len()].copy_from_slice(pieces);
    }
}

/// Adds up in the order of the pieces, so that the sum is the same on every processor.
fn sum(table: &Table<'_>, pieces: &[u32]) -> [f32; DIMENSIONS] {
    let mut total = [0_f32; DIMENSIONS];
    dispatch!(Level::new(), _ => {
        for (scale, row) in pieces.iter().filter_map(|piece| table.meaning(*piece)) {
            for (total, value) in total.iter_mut().zip(row) {
                *total += f32::from(value.cast_signed()) * scale;
            }
        }
    });
    total
}

/// Brings a vector to length 1 and into 256 bytes; none if it has no direction.
pub(crate) fn quantised(vector: &[f32; DIMENSIONS]) -> Option<Embedding> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    let largest = vector.iter().fold(0_f32, |largest, value| largest.max(value.abs()));
    let step = largest / 127.0;
    if !(length.is_normal() && step.is_normal()) {
        return None;
    }
    let mut values = [0; DIMENSIONS];
    dispatch!(Level::new(), _ => {
        for (rounded, value) in values.iter_mut().zip(vector) {
            *rounded = (value / step + 0.5_f32.copysign(*value)) as i8;
        }
    });
    Some(Embedding { values, scale: step / length })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn embed(text: &str) -> Option<Embedding> {
        Embedder::new(Table::shipped().unwrap()).embed(text)
    }

    fn nearness(left: &str, right: &str) -> f32 {
        cosine(&embed(left).unwrap(), &embed(right).unwrap())
    }

    #[test]
    fn what_belongs_together_is_nearer() {
        for (text, near, far) in [
            ("the database is locked", "sqlite waits for another writer", "we went hiking in May"),
            ("how do I fix the login page", "sign in form is broken", "rename the struct field"),
            ("tests fail on Windows", "the test suite breaks on a PC", "a recipe for apple pie"),
            ("make the query faster", "improve search performance", "she adopted a puppy"),
        ] {
            let (near_by, far_off) = (nearness(text, near), nearness(text, far));
            assert!(near_by > far_off, "{text}: {near_by} {far_off}");
        }
    }

    #[test]
    fn a_text_is_nearest_to_itself() {
        assert!((nearness("parse the header", "Parse the HEADER!") - 1.0).abs() < 0.01);
        assert!(nearness("parse the header", "parse the footer") < 0.99);
    }

    #[test]
    fn too_little_has_no_meaning() {
        for text in ["", "ok", "…", "42", "76031e2cf04fe905fa1bb5b41c7782ab33f57d54 1763263221"] {
            assert_eq!(embed(text), None, "{text}");
        }
        assert!(embed("fix it").is_some());
    }

    #[test]
    fn a_remembered_word_means_the_same() {
        let mut embedder = Embedder::new(Table::shipped().unwrap());
        let text = "the unaffable parseHTTPHeader met the unaffable parseHTTPHeader";
        let first = embedder.embed(text);
        embedder.embed("something else in between");
        assert_eq!(embedder.embed(text), first);
        assert_eq!(embed(text), first);
    }

    proptest! {
        #[test]
        fn vectors_have_length_one(text in "(\\PC{0,12} ){0,30}") {
            if let Some(embedding) = embed(&text) {
                let squares: f32 =
                    embedding.values.iter().map(|value| f32::from(*value).powi(2)).sum();
                prop_assert!((squares.sqrt() * embedding.scale - 1.0).abs() < 0.02);
                prop_assert!(embedding.values.iter().any(|value| value.abs() == 127));
            }
        }
    }
}
