//! The nearest vectors of several files.

use super::VectorFile;
use super::cells::LARGEST_FLAT;
use super::compared::{cosines, each_cosine};
use super::shortlist::{Candidate, Shortlist, codes_to_read};
use crate::embedding::{Embedding, dot};
use fearless_simd::{Level, dispatch};
use std::cmp::{Ordering, Reverse};
use std::ops::Range;

/// The places nearest to `query` in several files, as [`VectorFile::nearest`] in one. Better than
/// asking every file by itself: what is far off in all of them together is not looked at in any.
pub fn nearest(
    files: &[VectorFile<'_>],
    query: &Embedding,
    limit: usize,
    accept: &mut dyn FnMut(u64) -> bool,
) -> Vec<(u64, f32)> {
    let mut best = Best::new(limit);
    let (large, small): (Vec<&VectorFile<'_>>, Vec<_>) =
        files.iter().partition(|file| !file.ends.is_empty());
    let coded: usize = large.iter().map(|file| file.len()).sum();
    let mut passed_over = false;
    if coded > LARGEST_FLAT {
        let candidates = by_code(&large, query, coded, limit, accept);
        passed_over = true;
        compare(query, &candidates, &mut best);
    } else {
        for file in large {
            look_through(file, 0..file.len(), query, accept, &mut best);
        }
    }
    for file in small {
        look_through(file, 0..file.len(), query, accept, &mut best);
    }
    let found = best.finish();
    if found.len() == limit || !passed_over {
        return found;
    }
    // Too few are acceptable where the query points to, so every vector has to be asked for.
    let mut best = Best::new(limit);
    for file in files {
        look_through(file, 0..file.len(), query, accept, &mut best);
    }
    best.finish()
}

/// The places nearest to `query` within some ranges of places, which follow each other: every vector there
/// is compared.
pub fn nearest_within(
    files: &[VectorFile<'_>],
    query: &Embedding,
    limit: usize,
    ranges: &[Range<u64>],
) -> Vec<(u64, f32)> {
    let mut best = Best::new(limit);
    for file in files {
        for rows in file.rows_within(ranges) {
            look_through(file, rows, query, &mut |_| true, &mut best);
        }
    }
    best.finish()
}

/// How near the best vector of each of some places is; none where a place has none.
pub fn nearness(files: &[VectorFile<'_>], query: &Embedding, places: &[u64]) -> Vec<Option<f32>> {
    let (mut rows, mut of) = (Vec::new(), Vec::new());
    for (at, place) in places.iter().enumerate() {
        for file in files {
            for row in file.rows_of(*place) {
                rows.push((file, row));
                of.push(at);
            }
        }
    }
    let mut best: Vec<Option<f32>> = vec![None; places.len()];
    for (at, cosine) in of.into_iter().zip(cosines(query, &rows)) {
        best[at] = best[at].into_iter().chain([cosine]).max_by(f32::total_cmp);
    }
    best
}

/// How many vectors there are within some ranges of places, which follow each other.
pub fn count_within(files: &[VectorFile<'_>], ranges: &[Range<u64>]) -> usize {
    files.iter().flat_map(|file| file.rows_within(ranges)).map(|rows| rows.len()).sum()
}

/// Compares some vectors of a file one by one.
fn look_through(
    file: &VectorFile<'_>,
    rows: Range<usize>,
    query: &Embedding,
    accept: &mut dyn FnMut(u64) -> bool,
    best: &mut Best,
) {
    each_cosine(file, rows, query, &mut |row, cosine| {
        if cosine >= best.least {
            let place = file.place(row);
            if accept(place) {
                best.add(place, cosine);
            }
        }
    });
}

/// A cell of a file and how near its centre is to the query.
struct Probe<'f> {
    file: &'f VectorFile<'f>,
    cell: usize,
    nearness: f32,
}

/// Cells of all files, the nearest first.
fn probes<'f>(files: &[&'f VectorFile<'f>], query: &Embedding) -> Vec<Probe<'f>> {
    let mut probes = Vec::new();
    for file in files {
        dispatch!(Level::new(), _ => {
            for (cell, (centre, scale)) in file.centres.iter().zip(file.centre_scales).enumerate() {
                let scale = f32::from_le_bytes(*scale) * query.scale;
                let nearness = dot(&query.values, centre) as f32 * scale;
                probes.push(Probe { file, cell, nearness });
            }
        });
    }
    // In the order they came in where they are equal, so that it is always the same.
    probes.sort_by(|left, right| right.nearness.total_cmp(&left.nearness));
    probes
}

/// The vectors whose codes look best among the nearest cells.
fn by_code<'f>(
    files: &[&'f VectorFile<'f>],
    query: &Embedding,
    coded: usize,
    limit: usize,
    accept: &mut dyn FnMut(u64) -> bool,
) -> Vec<Candidate<Row<'f>>> {
    let to_read = codes_to_read(coded);
    let mut shortlist = Shortlist::new(query, limit);
    let mut read = 0;
    for Probe { file, cell, nearness } in probes(files, query) {
        if read >= to_read {
            break;
        }
        let end = |cell: usize| u32::from_le_bytes(file.ends[cell]) as usize;
        let from = cell.checked_sub(1).map_or(0, end);
        let step = f32::from_le_bytes(file.spreads[cell]);
        shortlist.read((nearness, step), &file.codes[from..end(cell)], |at| {
            let row = u32::from_le_bytes(file.coded_rows[from + at]);
            let place = u64::from_le_bytes(*file.places.get(row as usize)?);
            accept(place).then_some((place, (file, row)))
        });
        read += end(cell) - from;
    }
    shortlist.finish()
}

/// A row of a file.
type Row<'f> = (&'f VectorFile<'f>, u32);

fn compare(query: &Embedding, candidates: &[Candidate<Row<'_>>], best: &mut Best) {
    let rows: Vec<_> =
        candidates.iter().map(|candidate| (candidate.what.0, candidate.what.1 as usize)).collect();
    for (candidate, cosine) in candidates.iter().zip(cosines(query, &rows)) {
        best.add(candidate.place, cosine);
    }
}

/// The best places so far, each with its best cosine.
pub(super) struct Best {
    limit: usize,
    places: Vec<(u64, f32)>,
    /// What is farther than this is not among them.
    least: f32,
}

impl Best {
    pub(super) fn new(limit: usize) -> Self {
        let least = if limit == 0 { f32::INFINITY } else { f32::NEG_INFINITY };
        Self { limit, places: Vec::new(), least }
    }

    pub(super) fn add(&mut self, place: u64, cosine: f32) {
        if cosine >= self.least {
            self.places.push((place, cosine));
            if self.places.len() >= self.limit.saturating_mul(4).max(256) {
                self.settle();
            }
        }
    }

    fn settle(&mut self) {
        let by_cosine = |(place, cosine): &(u64, f32)| (Reverse(Total(*cosine)), *place);
        self.places.sort_unstable_by_key(|(place, cosine)| (*place, Reverse(Total(*cosine))));
        self.places.dedup_by_key(|(place, _)| *place);
        self.places.sort_unstable_by_key(by_cosine);
        self.places.truncate(self.limit);
        if let Some((_, last)) = self.places.get(self.limit.wrapping_sub(1)) {
            self.least = *last;
        }
    }

    pub(super) fn finish(mut self) -> Vec<(u64, f32)> {
        self.settle();
        self.places
    }
}

/// A number in the order of all numbers, whatever damaged bytes made of it.
#[derive(PartialEq)]
struct Total(f32);

impl Eq for Total {}

impl PartialOrd for Total {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Total {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
