//! Cells of similar vectors: a few rounds of spherical k-means over a sample of the file itself, so
//! that they suit whatever people talk about, in whatever table.

use crate::embedding::{DIMENSIONS, Embedding, dot, quantised};
use fearless_simd::{Level, dispatch};

/// Up to here every vector is looked at, which takes no longer than going by cells.
pub(super) const LARGEST_FLAT: usize = 20_000;
/// Vectors of a cell, roughly: fewer would make many centres to compare, more a coarse choice.
const CELL: usize = 512;
const MOST_CELLS: usize = 1024;
const SAMPLE_PER_CELL: usize = 24;
const ROUNDS: usize = 4;

/// So many cells suit `count` vectors.
pub(super) fn cells_for(count: usize) -> usize {
    (count / CELL).min(MOST_CELLS)
}

/// Vectors enough to choose so many cells by.
pub(super) fn sample_for(cells: usize) -> usize {
    cells * SAMPLE_PER_CELL
}

/// A row and its scale.
pub(super) type Vector<'a> = (&'a [u8; DIMENSIONS], f32);

/// The centres of the cells, all of length 1.
pub(super) struct Cells {
    pub(super) rows: Vec<[u8; DIMENSIONS]>,
    pub(super) scales: Vec<f32>,
}

impl Cells {
    /// Chooses cells for `count` vectors; none if they are few.
    pub(super) fn of<'a>(count: usize, vector: &dyn Fn(usize) -> Vector<'a>) -> Self {
        let cells = if count <= LARGEST_FLAT { 0 } else { cells_for(count) };
        Self::choose(cells, count, vector)
    }

    /// Chooses so many cells by `count` vectors.
    pub(super) fn choose<'a>(
        cells: usize,
        count: usize,
        vector: &dyn Fn(usize) -> Vector<'a>,
    ) -> Self {
        let spread = |parts: usize| (0..parts).map(move |at| at * count / parts);
        let mut centres = Self { rows: Vec::new(), scales: Vec::new() };
        for (row, scale) in spread(cells).map(vector) {
            centres.rows.push(*row);
            centres.scales.push(scale);
        }
        for _ in 0..if cells == 0 { 0 } else { ROUNDS } {
            let mut sums = vec![[0_f32; DIMENSIONS]; cells];
            for (row, scale) in spread((cells * SAMPLE_PER_CELL).min(count)).map(vector) {
                for (sum, value) in sums[centres.nearest(row)].iter_mut().zip(row) {
                    *sum += f32::from(value.cast_signed()) * scale;
                }
            }
            for (cell, sum) in sums.iter().enumerate() {
                // A cell that got no vector keeps its centre.
                if let Some(Embedding { values, scale }) = quantised(sum) {
                    centres.rows[cell] = values.map(i8::cast_unsigned);
                    centres.scales[cell] = scale;
                }
            }
        }
        centres
    }

    /// The cell a vector belongs to: the first of those whose centre is nearest.
    pub(super) fn nearest(&self, row: &[u8; DIMENSIONS]) -> usize {
        let row = row.map(u8::cast_signed);
        let mut best = (0, f32::NEG_INFINITY);
        dispatch!(Level::new(), _ => {
            for (cell, (centre, scale)) in self.rows.iter().zip(&self.scales).enumerate() {
                let score = dot(&row, centre) as f32 * scale;
                if score > best.1 {
                    best = (cell, score);
                }
            }
        });
        best.0
    }
}
