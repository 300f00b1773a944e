//! Immutable files of vectors, read in place, and the nearest in them.
//!
//! A vector belongs to a place, a number that says where its text is; a place may have several.
//! Little endian: header, places in ascending order, scales, rows.

use crate::embedding::{DIMENSIONS, Embedding, dot};
use std::io;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"BSVEC001";
/// Magic, count, checksum of both.
const HEADER: usize = 24;
const PLACE: usize = 8;
const SCALE: usize = 4;

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
}

/// Writes a file of vectors; the entries are left in the order of the file.
pub fn write(entries: &mut [(u64, Embedding)], out: &mut dyn io::Write) -> io::Result<()> {
    entries.sort_by(|left, right| {
        left.0.cmp(&right.0).then_with(|| left.1.values.cmp(&right.1.values))
    });
    out.write_all(&header(entries.len()))?;
    for (place, _) in entries.iter() {
        out.write_all(&place.to_le_bytes())?;
    }
    for (_, embedding) in entries.iter() {
        out.write_all(&embedding.scale.to_le_bytes())?;
    }
    for (_, embedding) in entries.iter() {
        out.write_all(&embedding.values.map(i8::cast_unsigned))?;
    }
    Ok(())
}

/// Writes the vectors of several files into one, without those whose place `keep` refuses. Asks once
/// per vector.
pub fn merge(
    files: &[VectorFile<'_>],
    keep: &mut dyn FnMut(u64) -> bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut order = Vec::new();
    for (file, vectors) in files.iter().enumerate() {
        for row in 0..vectors.len() {
            if keep(vectors.place(row)) {
                order.push((file, row));
            }
        }
    }
    order.sort_by_key(|(file, row)| (files[*file].place(*row), &files[*file].rows[*row]));
    out.write_all(&header(order.len()))?;
    for (file, row) in &order {
        out.write_all(&files[*file].places[*row])?;
    }
    for (file, row) in &order {
        out.write_all(&files[*file].scales[*row])?;
    }
    for (file, row) in &order {
        out.write_all(&files[*file].rows[*row])?;
    }
    Ok(())
}

fn header(count: usize) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..16].copy_from_slice(&(count as u64).to_le_bytes());
    let checksum = xxh3_64(&header[..16]);
    header[16..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// A file of vectors over its bytes.
#[derive(Clone, Copy, Debug)]
pub struct VectorFile<'a> {
    places: &'a [[u8; PLACE]],
    scales: &'a [[u8; SCALE]],
    rows: &'a [[u8; DIMENSIONS]],
}

impl<'a> VectorFile<'a> {
    /// Opens a file over its bytes.
    pub fn open(bytes: &'a [u8]) -> Result<Self, VectorFileError> {
        let (head, rest) = bytes.split_first_chunk::<HEADER>().ok_or(VectorFileError::Magic)?;
        if head[..8] != *MAGIC {
            return Err(VectorFileError::Magic);
        }
        let (words, _) = head.as_chunks::<8>();
        if u64::from_le_bytes(words[2]) != xxh3_64(&head[..16]) {
            return Err(VectorFileError::Checksum);
        }
        let count =
            usize::try_from(u64::from_le_bytes(words[1])).map_err(|_| VectorFileError::Length)?;
        let split = |bytes: &'a [u8], size: usize| {
            bytes.split_at_checked(count.saturating_mul(size)).ok_or(VectorFileError::Length)
        };
        let (places, rest) = split(rest, PLACE)?;
        let (scales, rest) = split(rest, SCALE)?;
        let (rows, rest) = split(rest, DIMENSIONS)?;
        if !rest.is_empty() {
            return Err(VectorFileError::Length);
        }
        Ok(Self {
            places: places.as_chunks().0,
            scales: scales.as_chunks().0,
            rows: rows.as_chunks().0,
        })
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

    /// The places nearest to `query` that `accept` takes, with their cosine, best first. A place with
    /// several vectors counts once, with its best.
    pub fn nearest(
        &self,
        query: &Embedding,
        limit: usize,
        accept: &mut dyn FnMut(u64) -> bool,
    ) -> Vec<(u64, f32)> {
        nearest(&[*self], query, limit, accept)
    }

    /// How near the best vector of a place is; none if the place has none.
    pub fn cosine_of(&self, query: &Embedding, place: u64) -> Option<f32> {
        let from = self.places.partition_point(|found| u64::from_le_bytes(*found) < place);
        (from..self.len())
            .take_while(|row| self.place(*row) == place)
            .map(|row| self.cosine(query, row))
            .max_by(f32::total_cmp)
    }

    fn place(&self, row: usize) -> u64 {
        u64::from_le_bytes(self.places[row])
    }

    fn cosine(&self, query: &Embedding, row: usize) -> f32 {
        let values = self.rows[row].map(u8::cast_signed);
        dot(&query.values, &values) as f32 * query.scale * f32::from_le_bytes(self.scales[row])
    }
}

/// The places nearest to `query` in several files, as [`VectorFile::nearest`] in one; faster than
/// asking each of them, for what is far off in one file need not be looked at in the next.
pub fn nearest(
    files: &[VectorFile<'_>],
    query: &Embedding,
    limit: usize,
    accept: &mut dyn FnMut(u64) -> bool,
) -> Vec<(u64, f32)> {
    let mut found = Vec::new();
    for file in files {
        for row in 0..file.len() {
            if accept(file.place(row)) {
                found.push((file.place(row), file.cosine(query, row)));
            }
        }
    }
    found.sort_by(|left, right| left.0.cmp(&right.0).then(right.1.total_cmp(&left.1)));
    found.dedup_by_key(|(place, _)| *place);
    found.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    found.truncate(limit);
    found
}
