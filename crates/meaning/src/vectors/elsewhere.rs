//! What a keeper of vectors needs who has no files: the same cells and codes, piece by piece.

use super::cells::{self, Vector};
use super::codes::CODE;
use super::search::Best;
use super::write::code_from;
use crate::embedding::{DIMENSIONS, Embedding, cosine, dot};

/// A code.
pub type Code = [u8; CODE];

/// Centres of cells of similar vectors.
pub struct Centres(cells::Cells);

/// A centre and its scale, one after the other.
const CENTRE_BYTES: usize = DIMENSIONS + size_of::<f32>();

impl Centres {
    /// How many vectors suffice to choose cells for `count` of them.
    pub fn sample_for(count: usize) -> usize {
        cells::sample_for(cells::cells_for(count)).min(count)
    }

    /// Chooses cells for `count` vectors by a sample of them.
    pub fn choose(count: usize, sample: &[Embedding]) -> Self {
        let rows: Vec<[u8; DIMENSIONS]> = sample.iter().map(row).collect();
        let vector = |at: usize| -> Vector<'_> { (&rows[at], sample[at].scale) };
        let cells = cells::cells_for(count).min(sample.len());
        Self(cells::Cells::choose(cells, sample.len(), &vector))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.rows.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.rows.is_empty()
    }

    /// As they are stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len() * CENTRE_BYTES);
        for (row, scale) in self.0.rows.iter().zip(&self.0.scales) {
            bytes.extend_from_slice(row);
            bytes.extend_from_slice(&scale.to_le_bytes());
        }
        bytes
    }

    /// What [`Centres::to_bytes`] made.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut cells = cells::Cells { rows: Vec::new(), scales: Vec::new() };
        for centre in bytes.as_chunks::<CENTRE_BYTES>().0 {
            if let (Some(row), Some(scale)) = (centre.first_chunk(), centre.last_chunk()) {
                cells.rows.push(*row);
                cells.scales.push(f32::from_le_bytes(*scale));
            }
        }
        Self(cells)
    }

    /// The cell a vector belongs to.
    pub fn cell_of(&self, vector: &Embedding) -> usize {
        self.0.nearest(&row(vector))
    }

    /// Where in its cell a vector lies, and how far from the centre.
    pub fn code(&self, cell: usize, vector: &Embedding) -> (Code, f32) {
        code_from((&self.0.rows[cell], self.0.scales[cell]), (&row(vector), vector.scale))
    }

    /// All cells with how near they are, the nearest first.
    pub fn by_nearness(&self, query: &Embedding) -> Vec<(usize, f32)> {
        let centres = self.0.rows.iter().zip(&self.0.scales).enumerate();
        let mut all: Vec<(usize, f32)> = centres
            .map(|(cell, (centre, scale))| {
                (cell, dot(&query.values, centre) as f32 * scale * query.scale)
            })
            .collect();
        all.sort_by(|left, right| right.1.total_cmp(&left.1));
        all
    }
}

/// The places of the vectors nearest to a query, as [`super::nearest`] orders them.
pub fn best_of(
    query: &Embedding,
    vectors: impl IntoIterator<Item = (u64, Embedding)>,
    limit: usize,
) -> Vec<(u64, f32)> {
    let mut best = Best::new(limit);
    for (place, vector) in vectors {
        best.add(place, cosine(query, &vector));
    }
    best.finish()
}

fn row(vector: &Embedding) -> [u8; DIMENSIONS] {
    vector.values.map(i8::cast_unsigned)
}
