//! Comparing vectors of a file with a query, wherever the file is.

use super::VectorFile;
use crate::embedding::{DIMENSIONS, Embedding, dot};

/// Rows read together where many are compared one after the other.
const BLOCK: usize = 64;

/// A file and what its vectors are compared with.
pub(super) struct Compared<'q, 'f> {
    file: &'q VectorFile<'f>,
    query: &'q Embedding,
    /// Rows that were read, and the number of the first.
    block: Vec<u8>,
    first: usize,
}

impl<'q, 'f> Compared<'q, 'f> {
    pub(super) fn new(file: &'q VectorFile<'f>, query: &'q Embedding) -> Self {
        Self { file, query, block: Vec::new(), first: 0 }
    }

    /// How near a vector is, one of few.
    #[inline(always)]
    pub(super) fn cosine(&mut self, row: usize) -> f32 {
        self.of(row, 1)
    }

    /// The same where the next ones are likely to be asked for too.
    #[inline(always)]
    pub(super) fn cosine_in_order(&mut self, row: usize) -> f32 {
        self.of(row, BLOCK)
    }

    #[inline(always)]
    fn of(&mut self, row: usize, ahead: usize) -> f32 {
        let Self { file, query, .. } = *self;
        let values = match file.read {
            None => Some(&file.rows[row]),
            Some(_) => self.read(row, ahead),
        };
        // What cannot be read is as far away as can be.
        values.map_or(-1.0, |values| {
            dot(&query.values, values) as f32 * query.scale * file.scale(row)
        })
    }

    fn read(&mut self, row: usize, ahead: usize) -> Option<&[u8; DIMENSIONS]> {
        let (read, begin) = self.file.read?;
        let known = self.block.len() / DIMENSIONS;
        if row < self.first || row >= self.first + known {
            let rows = ahead.min(self.file.len().saturating_sub(row));
            self.block.resize(rows * DIMENSIONS, 0);
            self.first = row;
            if read(&mut self.block, begin + (row * DIMENSIONS) as u64).is_err() {
                self.block.clear();
            }
        }
        self.block.as_chunks().0.get(row - self.first)
    }
}
