//! Comparing vectors of a file with a query, wherever the file is.

use super::VectorFile;
use crate::embedding::{DIMENSIONS, Embedding, dot};
use fearless_simd::{Level, dispatch};
use std::ops::Range;

/// Rows that are read and compared together.
const BLOCK: usize = 64;

type Values = [u8; DIMENSIONS];

/// How near some vectors are, in their order.
pub(super) fn cosines(query: &Embedding, rows: &[(&VectorFile<'_>, usize)]) -> Vec<f32> {
    let mut values: Vec<Values> = vec![[0; DIMENSIONS]; rows.len()];
    let mut cosines = vec![0_f32; rows.len()];
    for ((cosine, values), (file, row)) in cosines.iter_mut().zip(&mut values).zip(rows) {
        // What cannot be read is near to nothing.
        *cosine = if file.fill(*row, values) { file.scale(*row) } else { 0.0 };
    }
    compare(query, &values, &mut cosines);
    cosines
}

/// Hands over how near each of some rows of a file is.
pub(super) fn each_cosine(
    file: &VectorFile<'_>,
    rows: Range<usize>,
    query: &Embedding,
    each: &mut dyn FnMut(usize, f32),
) {
    let mut read = vec![[0; DIMENSIONS]; if file.read.is_some() { BLOCK } else { 0 }];
    let mut cosines = [0_f32; BLOCK];
    let mut first = rows.start;
    while first < rows.end {
        let count = BLOCK.min(rows.end - first);
        let values: &[Values] = if file.read.is_none() {
            &file.rows[first..first + count]
        } else {
            if !file.fill(first, read[..count].as_flattened_mut()) {
                return;
            }
            &read[..count]
        };
        for (at, cosine) in cosines[..count].iter_mut().enumerate() {
            *cosine = file.scale(first + at);
        }
        compare(query, values, &mut cosines[..count]);
        for (at, cosine) in cosines[..count].iter().enumerate() {
            each(first + at, *cosine);
        }
        first += count;
    }
}

/// Makes cosines of the scales of rows.
fn compare(query: &Embedding, rows: &[Values], scales: &mut [f32]) {
    dispatch!(Level::new(), _ => {
        for (scale, row) in scales.iter_mut().zip(rows) {
            *scale *= dot(&query.values, row) as f32 * query.scale;
        }
    });
}

impl VectorFile<'_> {
    /// Copies rows from one on; false if they cannot be read.
    fn fill(&self, row: usize, values: &mut [u8]) -> bool {
        if let Some((read, begin)) = self.read {
            return read(values, begin + (row * DIMENSIONS) as u64).is_ok();
        }
        let rows = self.rows[row..].as_flattened();
        values.copy_from_slice(&rows[..values.len()]);
        true
    }
}
