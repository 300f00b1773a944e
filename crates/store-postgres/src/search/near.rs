//! What is near in meaning. Where vectors are many the server's graph tells, or else the codes of the most
//! promising cells are read, and only the vectors whose codes look best.

use super::State;
use super::graph::Graph;
use super::reader::Session;
use super::remembered::{Codes, Vectors};
use super::vectors::{self, CODED_BYTES, LARGEST_FLAT};
use backstory_index::{IndexError, Place};
use backstory_meaning::vectors::Shortlist;
use backstory_meaning::vectors::elsewhere::{Centres, Code, best_of};
use backstory_meaning::{Embedding, cosine};
use std::collections::HashMap;

/// One in so many of the vectors has its code read, but not fewer than so many have.
const READ_ONE_IN: usize = 7;
const FEWEST_CODES: usize = 20_000;
/// Vectors whose codes look best are read and compared themselves: so many for every place that is wanted,
/// but not fewer than so many. Each costs a row, where the local index has them at hand and compares more.
const COMPARED_PER_PLACE: usize = 5;
const FEWEST_COMPARED: usize = 500;

/// How what is near is found, as of some change of the index.
pub(super) struct Ways {
    pub(super) changes: i64,
    centres: Centres,
    has_graph: bool,
}

impl Ways {
    /// Those there are now.
    pub(super) fn read(session: &mut Session, changes: i64) -> Result<Self, IndexError> {
        let has_graph = Graph::raised(session, 1)?.is_some();
        Ok(Self { changes, centres: vectors::centres(&mut session.client)?, has_graph })
    }
}

/// The places nearest to a query, best first, each once.
pub(super) fn nearest(
    session: &mut Session,
    (state, ways): (State, &Ways),
    query: &Embedding,
    limit: usize,
    accept: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<(u64, f32)>, IndexError> {
    if ways.has_graph
        && state.vectors > LARGEST_FLAT
        && let Some(graph) = Graph::raised(session, limit)?
    {
        return graph.nearest(session, state, query, limit, accept);
    }
    let centres = &ways.centres;
    // None also where a writer left them for the graph, and that is gone again.
    if state.centred == 0 || centres.is_empty() {
        let mut all = Vec::new();
        vectors::each(&mut session.client, &mut |place, vector| {
            if accept(place) {
                all.push((place, vector));
            }
        })?;
        return Ok(best_of(query, all, limit));
    }
    let cells = centres.by_nearness(query);
    let per_cell = (state.vectors as usize / cells.len().max(1)).max(1);
    let to_read = (state.vectors as usize / READ_ONE_IN).max(FEWEST_CODES);
    let promising = to_read.div_ceil(per_cell);
    let (first, others) = cells.split_at(promising.min(cells.len()));
    let places = shortlist(session, first, query, limit, accept)?;
    let found = compare(session, query, &places, limit)?;
    if found.len() == limit || others.is_empty() {
        return Ok(found);
    }
    // Too few are acceptable where the query points to, so every code has to be asked for.
    let places = shortlist(session, &cells, query, limit, accept)?;
    compare(session, query, &places, limit)
}

/// The places whose codes look best in some cells.
fn shortlist(
    session: &mut Session,
    cells: &[(usize, f32)],
    query: &Embedding,
    limit: usize,
    accept: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<u64>, IndexError> {
    let numbers: Vec<i32> = cells.iter().map(|(cell, _)| *cell as i32).collect();
    let codes_of = codes(session, &numbers)?;
    let mut shortlist: Shortlist<()> =
        Shortlist::of(query, limit.saturating_mul(COMPARED_PER_PLACE).max(FEWEST_COMPARED));
    let mut codes: Vec<Code> = Vec::new();
    // The best first: what they bring spares work with the others.
    for (cell, nearness) in cells {
        for (spread, coded) in codes_of.get(&(*cell as i32)).into_iter().flat_map(|rows| &**rows) {
            let coded = coded.as_chunks::<CODED_BYTES>().0;
            codes.clear();
            codes.extend(coded.iter().filter_map(|coded| coded.last_chunk().copied()));
            shortlist.read((*nearness, *spread), &codes, |at| {
                let place = u64::from_le_bytes(*coded[at].first_chunk()?);
                accept(place).then_some((place, ()))
            });
        }
    }
    Ok(shortlist.places())
}

/// The codes of some cells.
fn codes(session: &mut Session, cells: &[i32]) -> Result<HashMap<i32, Codes>, IndexError> {
    let mut found: HashMap<i32, Codes> = HashMap::new();
    let known = session.remembered(|memory| {
        let known = |cell: &i32| Some((*cell, memory.codes.get(cell)?.clone()));
        cells.iter().filter_map(known).collect::<Vec<_>>()
    });
    found.extend(known.into_iter().flatten());
    let unknown: Vec<i32> =
        cells.iter().filter(|cell| !found.contains_key(cell)).copied().collect();
    if unknown.is_empty() {
        return Ok(found);
    }
    let sql = "SELECT c.cell, c.spread, c.coded FROM unnest($1::integer[]) q (cell)
        CROSS JOIN LATERAL (
            SELECT cell, spread, coded FROM search_codes WHERE cell = q.cell OFFSET 0) c";
    let mut read: HashMap<i32, Vec<(f32, Vec<u8>)>> =
        unknown.iter().map(|cell| (*cell, Vec::new())).collect();
    for row in session.rows(sql, &[&unknown])? {
        let rows = read.entry(row.get(0)).or_default();
        rows.push((row.get(1), row.get(2)));
    }
    for (cell, rows) in read {
        let rows = Codes::new(rows);
        session.remembered(|memory| {
            memory.make_room(rows.iter().map(|(_, coded)| coded.len() + 32).sum());
            memory.codes.insert(cell, rows.clone());
        });
        found.insert(cell, rows);
    }
    Ok(found)
}

/// The nearest of some places by their vectors.
pub(super) fn compare(
    session: &mut Session,
    query: &Embedding,
    places: &[u64],
    limit: usize,
) -> Result<Vec<(u64, f32)>, IndexError> {
    Ok(best_of(query, vectors_of(session, places)?, limit))
}

/// How near places are, for those that have a vector.
pub(super) fn nearness(
    session: &mut Session,
    query: &Embedding,
    places: &[Place],
) -> Result<Vec<Option<f32>>, IndexError> {
    let wanted: Vec<u64> = places.iter().map(|place| place.0).collect();
    let mut near: HashMap<u64, f32> = HashMap::new();
    for (place, vector) in vectors_of(session, &wanted)? {
        let cosine = cosine(query, &vector);
        near.entry(place).and_modify(|best| *best = best.max(cosine)).or_insert(cosine);
    }
    Ok(wanted.iter().map(|place| near.get(place).copied()).collect())
}

fn vectors_of(session: &mut Session, places: &[u64]) -> Result<Vec<(u64, Embedding)>, IndexError> {
    let mut found = Vec::new();
    let mut unknown: Vec<i64> = Vec::new();
    let known = session.remembered(|memory| {
        for place in places.iter().map(|place| *place as i64) {
            match memory.vectors.get(&place) {
                Some(vectors) => found.extend(vectors.iter().cloned()),
                None => unknown.push(place),
            }
        }
    });
    if known.is_none() {
        unknown.extend(places.iter().map(|place| *place as i64));
    }
    if unknown.is_empty() {
        return Ok(found);
    }
    // Each by its key: the server may not know yet that they are few among many.
    let sql = "SELECT v.place, v.scale, v.numbers FROM unnest($1::bigint[]) q (place)
        CROSS JOIN LATERAL (
            SELECT place, scale, numbers FROM search_vectors WHERE place = q.place OFFSET 0) v";
    let mut read: HashMap<i64, Vec<(u64, Embedding)>> =
        unknown.iter().map(|place| (*place, Vec::new())).collect();
    for row in session.rows(sql, &[&unknown])? {
        read.entry(row.get(0)).or_default().extend(vectors::read(&row));
    }
    session.remembered(|memory| {
        for (place, vectors) in &read {
            memory.make_room(size_of_val(&vectors[..]));
            memory.vectors.insert(*place, Vectors::new(vectors.clone()));
        }
    });
    found.extend(read.into_values().flatten());
    Ok(found)
}
