//! Writing a file of vectors, from memory or from other files: the same vectors make the same bytes.

use super::cells::{Cells, Vector};
use super::codes::{code_of, turned};
use super::{MAGIC, SUMMED, VectorFile};
use crate::embedding::{DIMENSIONS, Embedding};
use fearless_simd::{Level, dispatch};
use std::io;
use xxhash_rust::xxh3::xxh3_64;

/// Writes a file of vectors. Sorts the entries on the way.
pub fn write(entries: &mut [(u64, Embedding)], out: &mut dyn io::Write) -> io::Result<()> {
    entries.sort_by(|(left, one), (right, other)| {
        left.cmp(right)
            .then_with(|| one.values.cmp(&other.values))
            .then_with(|| one.scale.total_cmp(&other.scale))
    });
    let rows: Vec<[u8; DIMENSIONS]> =
        entries.iter().map(|(_, embedding)| embedding.values.map(i8::cast_unsigned)).collect();
    let place = |at: usize| entries[at].0;
    let vector = |at: usize| (&rows[at], entries[at].1.scale);
    assemble(entries.len(), &place, &vector, out)
}

/// Writes the vectors of several files into one, without those whose place `keep` refuses; it is asked
/// once per vector. What is refused leaves no trace: the result is what `write` makes of the rest. Holds
/// a few bytes per vector in memory, never the vectors.
pub fn merge(
    files: &[VectorFile<'_>],
    keep: &mut dyn FnMut(u64) -> bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut order: Vec<(u32, u32)> = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let kept = (0..file.len()).filter(|row| keep(file.place(*row)));
        order.extend(kept.map(|row| (number as u32, row as u32)));
    }
    let found = |(file, row): (u32, u32)| (&files[file as usize], row as usize);
    order.sort_by(|left, right| {
        let ((one, left), (other, right)) = (found(*left), found(*right));
        one.place(left)
            .cmp(&other.place(right))
            .then_with(|| signed(&one.rows[left]).cmp(signed(&other.rows[right])))
            .then_with(|| one.scale(left).total_cmp(&other.scale(right)))
    });
    let place = |at: usize| {
        let (file, row) = found(order[at]);
        file.place(row)
    };
    let vector = |at: usize| {
        let (file, row) = found(order[at]);
        (&file.rows[row], file.scale(row))
    };
    assemble(order.len(), &place, &vector, out)
}

fn signed(row: &[u8; DIMENSIONS]) -> impl Iterator<Item = i8> {
    row.iter().map(|value| value.cast_signed())
}

/// Writes `count` vectors that are given in the order of the file.
fn assemble<'a>(
    count: usize,
    place: &dyn Fn(usize) -> u64,
    vector: &dyn Fn(usize) -> Vector<'a>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    if u32::try_from(count).is_err() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many vectors for one file"));
    }
    let cells = Cells::of(count, vector);
    out.write_all(&header(count, cells.rows.len()))?;
    if !cells.rows.is_empty() {
        write_cells(count, &cells, vector, out)?;
    }
    for at in 0..count {
        out.write_all(&place(at).to_le_bytes())?;
    }
    for at in 0..count {
        out.write_all(&vector(at).1.to_le_bytes())?;
    }
    for at in 0..count {
        out.write_all(vector(at).0)?;
    }
    Ok(())
}

fn header(count: usize, cells: usize) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend((count as u64).to_le_bytes());
    header.extend((cells as u64).to_le_bytes());
    header.extend(xxh3_64(&header[..SUMMED]).to_le_bytes());
    header
}

fn write_cells<'a>(
    count: usize,
    cells: &Cells,
    vector: &dyn Fn(usize) -> Vector<'a>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let cell_of: Vec<u16> = (0..count).map(|at| cells.nearest(vector(at).0) as u16).collect();
    let mut rows: Vec<u32> = (0..count as u32).collect();
    rows.sort_by_key(|row| cell_of[*row as usize]);
    for centre in &cells.rows {
        out.write_all(centre)?;
    }
    for scale in &cells.scales {
        out.write_all(&scale.to_le_bytes())?;
    }
    for cell in 0..cells.rows.len() {
        let end = rows.partition_point(|row| usize::from(cell_of[*row as usize]) <= cell);
        out.write_all(&(end as u32).to_le_bytes())?;
    }
    let mut spreads = vec![(0_f32, 0_u32); cells.rows.len()];
    for row in &rows {
        let cell = usize::from(cell_of[*row as usize]);
        let centre = (&cells.rows[cell], cells.scales[cell]);
        let (code, step) = code_from(centre, vector(*row as usize));
        spreads[cell].0 += step;
        spreads[cell].1 += 1;
        out.write_all(&code)?;
    }
    for (sum, members) in spreads {
        out.write_all(&(sum / members.max(1) as f32).to_le_bytes())?;
    }
    for row in rows {
        out.write_all(&row.to_le_bytes())?;
    }
    Ok(())
}

pub(super) fn code_from(centre: Vector<'_>, vector: Vector<'_>) -> ([u8; super::CODE], f32) {
    dispatch!(Level::new(), _ => {
        let mut rest = [0_f32; DIMENSIONS];
        for (rest, (value, middle)) in rest.iter_mut().zip(vector.0.iter().zip(centre.0)) {
            let value = f32::from(value.cast_signed()) * vector.1;
            *rest = value - f32::from(middle.cast_signed()) * centre.1;
        }
        code_of(&turned(rest))
    })
}
