//! Pieces → one vector of length 1: the sum of what the pieces mean.

use crate::pieces::pieces_of;
use crate::table::Table;
use crate::words::for_each_word;
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
    dot(&left.values, &right.values) as f32 * left.scale * right.scale
}

/// The sum of the products; it cannot overflow.
pub(crate) fn dot(left: &[i8; DIMENSIONS], right: &[i8; DIMENSIONS]) -> i32 {
    left.iter().zip(right).map(|(left, right)| i32::from(*left) * i32::from(*right)).sum()
}

/// Fewer say nothing a vector could hold: "ok", "yes".
const FEWEST_PIECES: usize = 2;
/// What comes after adds nothing to what a text is about.
const MOST_PIECES: usize = 4096;
/// A power of two.
const REMEMBERED_WORDS: usize = 8192;
const REMEMBERED_PIECES: usize = 5;

/// The pieces of a word that was met before.
#[derive(Clone, Copy, Default)]
struct Remembered {
    /// The hash of its spelling; 0 is an empty place.
    word: u64,
    count: u32,
    pieces: [u32; REMEMBERED_PIECES],
}

/// Makes vectors of texts; remembers the words it met, so that one is best used for many texts.
pub struct Embedder<'t> {
    table: &'t Table<'t>,
    remembered: Vec<Remembered>,
    pieces: Vec<u32>,
}

impl<'t> Embedder<'t> {
    /// An embedder that has met no word yet.
    pub fn new(table: &'t Table<'t>) -> Self {
        let remembered = vec![Remembered::default(); REMEMBERED_WORDS];
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
    if place.word == hash && hash != 0 {
        out.extend_from_slice(&place.pieces[..place.count as usize]);
        return;
    }
    let before = out.len();
    pieces_of(table, word, out);
    let pieces = &out[before..];
    if pieces.len() <= REMEMBERED_PIECES {
        place.word = hash;
        place.count = pieces.len() as u32;
        place.pieces[..pieces.len()].copy_from_slice(pieces);
    }
}

fn sum(table: &Table<'_>, pieces: &[u32]) -> [f32; DIMENSIONS] {
    let mut total = [0_f32; DIMENSIONS];
    for (scale, row) in pieces.iter().filter_map(|piece| table.meaning(*piece)) {
        for (total, value) in total.iter_mut().zip(row) {
            *total += f32::from(value.cast_signed()) * scale;
        }
    }
    total
}

fn quantised(vector: &[f32; DIMENSIONS]) -> Option<Embedding> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    let largest = vector.iter().fold(0_f32, |largest, value| largest.max(value.abs()));
    let step = largest / 127.0;
    if !(length.is_normal() && step.is_normal()) {
        return None;
    }
    let values = vector.map(|value| (value / step).round() as i8);
    Some(Embedding { values, scale: step / length })
}
