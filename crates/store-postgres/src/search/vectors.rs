//! Storing vectors: each in a row of its own, and once there are many and no graph of the server's, their
//! codes cell by cell.

use super::graph::{self, Finder};
use super::{State, refused};
use backstory_index::{IndexError, Place};
use backstory_meaning::vectors::elsewhere::{Centres, Code};
use backstory_meaning::{DIMENSIONS, Embedding};
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::Type;
use postgres::{Client, Row};
use std::collections::{BTreeMap, HashSet};

/// Up to here every vector is read, which takes no longer than going by cells.
pub(super) const LARGEST_FLAT: u64 = 4_000;
/// Cells are chosen anew when there are so many times the vectors they were chosen for.
const GROWTH: u64 = 4;
/// Codes of a row: a page holds it.
const CODES_PER_ROW: usize = 180;
/// Bytes of a place and a code.
pub(super) const CODED_BYTES: usize = 8 + size_of::<Code>();
/// Vectors read at once.
pub(super) const PAGE: i64 = 20_000;

/// A row of the table of vectors: place, scale and numbers.
pub(super) fn read(row: &Row) -> Option<(u64, Embedding)> {
    let numbers: &[u8; DIMENSIONS] = row.get::<_, &[u8]>(2).try_into().ok()?;
    let values = numbers.map(u8::cast_signed);
    Some((row.get::<_, i64>(0) as u64, Embedding { values, scale: row.get(1) }))
}

/// The centres of the cells; none as long as vectors are few.
pub(super) fn centres(client: &mut Client) -> Result<Centres, IndexError> {
    let row = client.query_one("SELECT centres FROM search_state", &[]).map_err(refused)?;
    Ok(Centres::from_bytes(row.get(0)))
}

/// Adds vectors; `state` counts them already. Returns for how many vectors the cells are.
pub(super) fn add(
    client: &mut Client,
    new: &[(Place, i32, Embedding)],
    batch: u64,
    state: State,
) -> Result<u64, IndexError> {
    if new.is_empty() {
        return Ok(state.centred);
    }
    let copy = "COPY search_vectors_all (place, part, batch, scale, numbers)
        FROM STDIN (FORMAT binary)";
    let types = [Type::INT8, Type::INT4, Type::INT8, Type::FLOAT4, Type::BYTEA];
    let mut out = BinaryCopyInWriter::new(client.copy_in(copy).map_err(refused)?, &types);
    for (place, part, vector) in new {
        let numbers = vector.values.map(i8::cast_unsigned);
        let numbers: &[u8] = &numbers;
        out.write(&[&(place.0 as i64), part, &(batch as i64), &vector.scale, &numbers])
            .map_err(refused)?;
    }
    out.finish().map_err(refused)?;
    if state.vectors <= LARGEST_FLAT {
        return Ok(state.centred);
    }
    if graph::finder(client)? == Finder::Graph {
        if state.centred > 0 {
            leave_cells(client)?;
        }
        return Ok(0);
    }
    if state.centred == 0 || state.vectors >= state.centred.saturating_mul(GROWTH) {
        choose_cells(client, state.vectors)?;
        return Ok(state.vectors);
    }
    let centres = centres(client)?;
    let mut cells = Cells::default();
    for (place, _, vector) in new {
        cells.put(&centres, place.0, vector);
    }
    cells.write(client)?;
    Ok(state.centred)
}

/// Deletes vectors with their codes; returns how many. The condition is as in [`super::counts`].
pub(super) fn delete(
    client: &mut Client,
    condition: &str,
    numbers: &[i64],
) -> Result<i64, IndexError> {
    let sql = format!(
        "DELETE FROM search_vectors p USING unnest($1::bigint[]) n WHERE {condition}
         RETURNING p.place, p.scale, p.numbers"
    );
    let gone = client.query(&sql, &[&numbers]).map_err(refused)?;
    if gone.is_empty() {
        return Ok(0);
    }
    let centres = centres(client)?;
    if !centres.is_empty() {
        let (mut places, mut cells) = (HashSet::new(), HashSet::new());
        for (place, vector) in gone.iter().filter_map(read) {
            places.insert(place);
            cells.insert(centres.cell_of(&vector) as i32);
        }
        let cells: Vec<i32> = cells.into_iter().collect();
        let mut kept = Cells::taken(client, &cells, CODES_PER_ROW)?;
        kept.keep(|place| !places.contains(&place));
        kept.insert(client)?;
    }
    Ok(gone.len() as i64)
}

/// Chooses cells for all vectors and codes them anew.
fn choose_cells(client: &mut Client, count: u64) -> Result<(), IndexError> {
    let sample = Centres::sample_for(count as usize).max(1);
    let every = (count as usize / sample).max(1);
    let (mut at, mut chosen) = (0, Vec::with_capacity(sample));
    each(client, &mut |_, vector| {
        if at % every == 0 {
            chosen.push(vector);
        }
        at += 1;
    })?;
    let centres = Centres::choose(count as usize, &chosen);
    let mut cells = Cells::default();
    each(client, &mut |place, vector| cells.put(&centres, place, &vector))?;
    client.execute("DELETE FROM search_codes", &[]).map_err(refused)?;
    cells.insert(client)?;
    let sql = "UPDATE search_state SET centres = $1, centred = $2";
    client.execute(sql, &[&centres.to_bytes(), &(count as i64)]).map_err(refused)?;
    Ok(())
}

/// Lets go of cells and codes; without a graph they would be chosen anew.
fn leave_cells(client: &mut Client) -> Result<(), IndexError> {
    let leave = "DELETE FROM search_codes; UPDATE search_state SET centres = '', centred = 0";
    client.batch_execute(leave).map_err(refused)
}

/// Hands every vector to `each`.
pub(super) fn each(
    client: &mut Client,
    each: &mut dyn FnMut(u64, Embedding),
) -> Result<(), IndexError> {
    let sql = "SELECT place, scale, numbers, part FROM search_vectors
        WHERE (place, part) > ($1, $2) ORDER BY place, part LIMIT $3";
    let page = client.prepare(sql).map_err(refused)?;
    let mut after = (i64::MIN, 0_i32);
    loop {
        let rows = client.query(&page, &[&after.0, &after.1, &PAGE]).map_err(refused)?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = (last.get(0), last.get(3));
        for (place, vector) in rows.iter().filter_map(read) {
            each(place, vector);
        }
    }
}

/// Codes of some cells, on their way.
#[derive(Debug, Default)]
struct Cells(BTreeMap<i32, Cell>);

/// Codes of a cell, each behind its place.
#[derive(Debug, Default)]
struct Cell {
    coded: Vec<u8>,
    /// Sum of how far from the centre they are.
    spread: f32,
}

impl Cells {
    fn put(&mut self, centres: &Centres, place: u64, vector: &Embedding) {
        let number = centres.cell_of(vector);
        let (code, step) = centres.code(number, vector);
        let cell = self.0.entry(number as i32).or_default();
        cell.coded.extend_from_slice(&place.to_le_bytes());
        cell.coded.extend_from_slice(&code);
        cell.spread += step;
    }

    /// Takes rows of some cells with at most so many codes out of the table.
    fn taken(client: &mut Client, cells: &[i32], most: usize) -> Result<Self, IndexError> {
        let sql = "DELETE FROM search_codes WHERE cell = ANY($1) AND length(coded) <= $2
            RETURNING cell, spread, coded";
        let most = (most * CODED_BYTES) as i32;
        let mut taken = Self::default();
        for row in client.query(sql, &[&cells, &most]).map_err(refused)? {
            let coded: &[u8] = row.get(2);
            let cell = taken.0.entry(row.get(0)).or_default();
            cell.coded.extend_from_slice(coded);
            cell.spread += row.get::<_, f32>(1) * (coded.len() / CODED_BYTES) as f32;
        }
        Ok(taken)
    }

    fn keep(&mut self, mut is_kept: impl FnMut(u64) -> bool) {
        for cell in self.0.values_mut() {
            let mut kept = Vec::with_capacity(cell.coded.len());
            for coded in cell.coded.as_chunks::<CODED_BYTES>().0 {
                if coded.first_chunk().is_some_and(|place| is_kept(u64::from_le_bytes(*place))) {
                    kept.extend_from_slice(coded);
                }
            }
            cell.spread *= kept.len() as f32 / cell.coded.len().max(1) as f32;
            cell.coded = kept;
        }
    }

    /// Adds them to what the table has; of a cell one row at most is not full.
    fn write(mut self, client: &mut Client) -> Result<(), IndexError> {
        let numbers: Vec<i32> = self.0.keys().copied().collect();
        for (number, mut before) in Self::taken(client, &numbers, CODES_PER_ROW - 1)?.0 {
            let cell = self.0.entry(number).or_default();
            before.coded.append(&mut cell.coded);
            before.spread += cell.spread;
            *cell = before;
        }
        self.insert(client)
    }

    fn insert(self, client: &mut Client) -> Result<(), IndexError> {
        let copy = "COPY search_codes_all (cell, spread, coded) FROM STDIN (FORMAT binary)";
        let types = [Type::INT4, Type::FLOAT4, Type::BYTEA];
        let mut out = BinaryCopyInWriter::new(client.copy_in(copy).map_err(refused)?, &types);
        for (number, cell) in self.0 {
            let spread = cell.spread / (cell.coded.len() / CODED_BYTES).max(1) as f32;
            for coded in cell.coded.chunks(CODES_PER_ROW * CODED_BYTES) {
                out.write(&[&number, &spread, &coded]).map_err(refused)?;
            }
        }
        out.finish().map_err(refused)?;
        Ok(())
    }
}
