//! Nearest neighbours by the server itself, where an administrator created the extension pgvector: a
//! graph over the vectors of all tenants, as an index of their table. What is stored is the same with
//! and without; the graph is whole as soon as it is there, and takes nothing along when it is dropped.

use super::reader::Session;
use super::vectors::LARGEST_FLAT;
use super::{State, near, refused, vectors};
use backstory_index::IndexError;
use backstory_meaning::vectors::elsewhere::best_of;
use backstory_meaning::{DIMENSIONS, Embedding};
use postgres::{Client, Row};
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// Keeps two processes from raising it at once.
const LOCK: i64 = 0x6772_6170_6800_0001;
/// Memory in which it is raised: enough for 200,000 vectors, and it goes on without.
const BUILD_MEMORY: i64 = 256 << 20;
/// Vectors the graph is searched for in place of one that is wanted: the last ones are missed first.
const WIDTH_PER_PLACE: usize = 5;
/// As many of them as pays, and as pgvector lets.
const WIDTH: RangeInclusive<usize> = 200..=1_000;
/// Vectors it is gone on with where others' are in between.
const FARTHEST: &str = "200000";
/// Rows asked for in place of one that is wanted: a place has several vectors, and not all are accepted.
const SPARE: usize = 2;
/// One in so many vectors may be looked at in the graph; more, and reading our own is no slower.
const LARGEST_PART: u64 = 8;
/// How many times as many are asked for when too few were accepted,
const WIDENING: usize = 8;
/// as long as it is one in so many: asking for all places takes no longer.
const LARGEST_WIDENED: u64 = 64;

/// The extension and the graph, as far as there are any for us.
const STANDING: &str = "FROM pg_extension
    JOIN pg_namespace ON pg_namespace.oid = extnamespace
    JOIN pg_class ON pg_class.oid = to_regclass('search_vectors_all')
    WHERE extname = 'vector'
        AND CAST(regexp_match(extversion, '^(\\d+)\\.(\\d+)') AS INTEGER[]) >= '{0,8}'
        AND has_schema_privilege(nspname, 'USAGE')";
const IS_RAISED: &str = "to_regclass('search_vectors_graph') IS NOT NULL";

/// Who finds what is near when vectors are many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finder {
    /// The client, by cells and codes.
    Cells,
    /// The server, by the graph, or once it is raised when this writer is done.
    Graph,
}

/// Who will have to find what a writer adds.
pub(super) fn finder(client: &mut Client) -> Result<Finder, IndexError> {
    let sql = format!("SELECT {IS_RAISED} OR pg_has_role(relowner, 'USAGE') {STANDING}");
    let row = client.query_opt(&sql, &[]).map_err(refused)?;
    let is_graph = row.is_some_and(|row| row.get(0));
    Ok(if is_graph { Finder::Graph } else { Finder::Cells })
}

/// Raises the graph if it can be and someone has so many vectors that it is worth it. That is several
/// times faster than adding to it, so it waits for the end of the writer who brought them.
pub(super) fn raise(client: &mut Client) -> Result<(), IndexError> {
    let sql = format!(
        "SELECT quote_ident(nspname) {STANDING} AND NOT {IS_RAISED} AND pg_has_role(relowner, 'USAGE')
            AND EXISTS (SELECT FROM search_state_all WHERE vectors > $1)"
    );
    let row = client.query_opt(&sql, &[&(LARGEST_FLAT as i64)]).map_err(refused)?;
    let Some(row) = row else { return Ok(()) };
    let mut raising = client.transaction().map_err(refused)?;
    raising.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).map_err(refused)?;
    // Workers would share memory, of which a container has next to none.
    let set = "SELECT set_config('max_parallel_maintenance_workers', '0', true),
        set_config('maintenance_work_mem', greatest($1,
            pg_size_bytes(current_setting('maintenance_work_mem'))) / 1024 || 'kB', true)";
    raising.execute(set, &[&BUILD_MEMORY]).map_err(refused)?;
    let schema: &str = row.get(0);
    let create = format!(
        "CREATE INDEX IF NOT EXISTS search_vectors_graph ON search_vectors_all
            USING hnsw (({}) {schema}.halfvec_cosine_ops)",
        direction(schema, "numbers")
    );
    raising.batch_execute(&create).map_err(refused)?;
    raising.commit().map_err(refused)
}

/// What the graph is over; a query has to say the same.
fn direction(schema: &str, numbers: &str) -> String {
    format!("CAST(search_numbers({numbers}) AS {schema}.halfvec({DIMENSIONS}))")
}

/// The graph, for a reader.
#[derive(Debug)]
pub(super) struct Graph {
    /// Where the extension is.
    schema: String,
    /// Vectors of all tenants.
    all: u64,
}

impl Graph {
    /// The graph, if there is one now; prepares the connection for it.
    pub(super) fn raised(session: &mut Session, limit: usize) -> Result<Option<Self>, IndexError> {
        let width = limit.saturating_mul(WIDTH_PER_PLACE).clamp(*WIDTH.start(), *WIDTH.end());
        // There is no other order than that of the graph.
        let sql = format!(
            "SELECT quote_ident(nspname),
                (SELECT CAST(coalesce(sum(vectors), 0) AS BIGINT) FROM search_state_all),
                set_config('enable_sort', 'off', false),
                set_config('hnsw.iterative_scan', 'relaxed_order', false),
                set_config('hnsw.scan_mem_multiplier', '8', false),
                set_config('hnsw.ef_search', $1, false),
                set_config('hnsw.max_scan_tuples', '{FARTHEST}', false)
            {STANDING} AND {IS_RAISED}"
        );
        let rows = session.rows(&sql, &[&width.to_string()])?;
        Ok(rows.first().map(|row| Self { schema: row.get(0), all: row.get::<_, i64>(1) as u64 }))
    }

    /// The places nearest to a query, best first, each once.
    pub(super) fn nearest(
        &self,
        session: &mut Session,
        state: State,
        query: &Embedding,
        limit: usize,
        accept: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Vec<(u64, f32)>, IndexError> {
        let mut count = limit.max(1).saturating_mul(SPARE);
        let mut most = state.vectors / LARGEST_PART;
        while self.looked_at(count, state) < most {
            let rows = self.rows(session, query, count)?;
            let is_all = rows.len() < count;
            let found = rows.iter().filter_map(vectors::read);
            let accepted: Vec<(u64, Embedding)> =
                found.filter(|(place, _)| accept(*place)).collect();
            let places: HashSet<u64> = accepted.iter().map(|(place, _)| *place).collect();
            if places.len() >= limit {
                return Ok(best_of(query, accepted, limit));
            }
            if is_all {
                break;
            }
            count = count.saturating_mul(WIDENING);
            most = state.vectors / LARGEST_WIDENED;
        }
        among_accepted(session, query, limit, accept)
    }

    /// How many vectors of whomever are looked at to have so many of ours.
    fn looked_at(&self, count: usize, state: State) -> u64 {
        (count as u64).saturating_mul((self.all / state.vectors.max(1)).max(1))
    }

    fn rows(
        &self,
        session: &mut Session,
        query: &Embedding,
        count: usize,
    ) -> Result<Vec<Row>, IndexError> {
        let schema = &self.schema;
        let sql = format!(
            "SELECT place, scale, numbers FROM search_vectors
             ORDER BY {} OPERATOR({schema}.<=>) {} LIMIT $2",
            direction(schema, "numbers"),
            direction(schema, "$1"),
        );
        let numbers = query.values.map(i8::cast_unsigned);
        session.rows(&sql, &[&numbers.as_slice(), &(count as i64)])
    }
}

/// The nearest where few are acceptable: all places are asked for, and the vectors of those that are.
fn among_accepted(
    session: &mut Session,
    query: &Embedding,
    limit: usize,
    accept: &mut dyn FnMut(u64) -> bool,
) -> Result<Vec<(u64, f32)>, IndexError> {
    let sql = "SELECT DISTINCT place FROM search_vectors WHERE place > $1 ORDER BY place LIMIT $2";
    let (mut after, mut best) = (i64::MIN, Vec::new());
    loop {
        let rows = session.rows(sql, &[&after, &vectors::PAGE])?;
        let Some(last) = rows.last() else { break };
        after = last.get(0);
        let places = rows.iter().map(|row| row.get::<_, i64>(0) as u64);
        let accepted: Vec<u64> = places.filter(|place| accept(*place)).collect();
        if !accepted.is_empty() {
            best.extend(near::compare(session, query, &accepted, limit)?);
        }
    }
    best.sort_by(|(place, near), (other, less)| less.total_cmp(near).then(place.cmp(other)));
    best.truncate(limit);
    Ok(best)
}
