//! The search index of a team's archive, beside its rows on the server: full text as segments of packed
//! lists, ranked here by BM25 as the local index ranks, and vectors by its cells and codes or by pgvector.
//!
//! A segment is some ten thousand passages in a few thousand rows: facts of passages, terms in order with
//! their lists. A query reads the lists of its words and the facts of the best, and nothing else. A `tsvector`
//! would cost the server many times as much, and rank only a part of what matches (ARCHITECTURE.md).
//!
//! A commit is one transaction and carries the number of its batch. Removing writes the segments anew that
//! hold what goes, and then vacuums: no statement can read it any more. What the server keeps beyond that
//! are bytes in freed room until it is used again, and its own log: `VACUUM FULL` of the `search_…_all`
//! tables removes the first for good.

mod asked;
mod building;
mod bytes;
mod facts;
mod graph;
mod lists;
mod merging;
mod near;
mod newest;
mod postings;
mod reader;
mod remembered;
mod rows;
mod segments;
mod terms;
mod vectors;
mod writer;

use crate::Postgres;
use crate::migrate;
use crate::pool::Pool;
use backstory_index::{IndexError, Reader, Shelf, Stay, Writer};
use postgres::Client;
use reader::PostgresReader;
use std::sync::Arc;
use writer::PostgresWriter;

/// A change of tables, terms or passages changes the number; an index under another name is of another
/// version and is built anew.
const NAME: &str = "postgres-v4";

/// What a passage takes at most with its terms, its entries in the indexes and its share of vectors.
const PASSAGE_BYTES: u64 = 2_100;

/// The server an index is kept on.
#[derive(Clone, Debug)]
pub struct PostgresShelf {
    pool: Arc<Pool>,
}

impl PostgresShelf {
    /// The one beside the rows of an archive; nothing is created.
    pub fn beside(rows: &Postgres) -> Self {
        Self { pool: Arc::clone(&rows.pool) }
    }

    fn connect(&self) -> Result<Client, IndexError> {
        let mut client =
            self.pool.client().map_err(|error| IndexError::Server(error.to_string()))?;
        // Every query here has an index made for it, and an estimate that is off must not matter.
        client.batch_execute("SET enable_seqscan = off; SET jit = off").map_err(refused)?;
        Ok(client)
    }

    fn has_tables(client: &mut Client) -> Result<bool, IndexError> {
        let known = "SELECT to_regclass('search_state') IS NOT NULL";
        Ok(client.query_one(known, &[]).map_err(refused)?.get(0))
    }

    /// What the state says; none if there is no index of this version.
    fn state(client: &mut Client) -> Result<Option<State>, IndexError> {
        if !Self::has_tables(client)? {
            return Ok(None);
        }
        let sql = "SELECT batch, passages, vectors, centred FROM search_state WHERE name = $1";
        let row = client.query_opt(sql, &[&NAME]).map_err(refused)?;
        Ok(row.map(|row| State {
            batch: row.get::<_, i64>(0) as u64,
            passages: row.get::<_, i64>(1) as u64,
            vectors: row.get::<_, i64>(2) as u64,
            centred: row.get::<_, i64>(3) as u64,
        }))
    }
}

/// How an index stands.
#[derive(Clone, Copy, Debug)]
struct State {
    batch: u64,
    passages: u64,
    vectors: u64,
    /// For how many vectors the cells were chosen; none if they are too few for cells.
    centred: u64,
}

impl Shelf for PostgresShelf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn exists(&self) -> bool {
        self.connect().is_ok_and(|mut client| matches!(Self::state(&mut client), Ok(Some(_))))
    }

    /// Not the size of the tables: they do not shrink when passages leave, and other tenants have
    /// passages in them.
    fn bytes(&self) -> u64 {
        let state = self.connect().and_then(|mut client| Self::state(&mut client));
        state.ok().flatten().map_or(0, |state| state.passages * PASSAGE_BYTES)
    }

    fn remove(&self) -> Result<(), IndexError> {
        let mut client = self.connect()?;
        if !Self::has_tables(&mut client)? {
            return Ok(());
        }
        client
            .batch_execute(
                "BEGIN; DELETE FROM search_state; DELETE FROM search_segments;
                 DELETE FROM search_facts; DELETE FROM search_blocks; DELETE FROM search_lists;
                 DELETE FROM search_vectors; DELETE FROM search_codes; COMMIT",
            )
            .map_err(refused)?;
        writer::vacuum(&mut client)
    }

    fn reader(&self, _stay: Stay) -> Result<Box<dyn Reader>, IndexError> {
        let mut client = self.connect()?;
        match Self::state(&mut client)? {
            Some(state) => Ok(Box::new(PostgresReader::new(self.clone(), client, state)?)),
            None => Err(IndexError::Missing("the database of the archive".into())),
        }
    }

    fn writer(&self, batch: u64) -> Result<Box<dyn Writer>, IndexError> {
        let mut seat = self.pool.seat();
        let migrated = seat.connection().and_then(migrate::run);
        migrated.map_err(|error| IndexError::Server(error.to_string()))?;
        drop(seat);
        let mut client = self.connect()?;
        let sql = "INSERT INTO search_state (name) VALUES ($1) ON CONFLICT (tenant) DO NOTHING";
        client.execute(sql, &[&NAME]).map_err(refused)?;
        let Some(state) = Self::state(&mut client)? else {
            return Err(IndexError::Damaged("it is of another version".into()));
        };
        if state.batch < batch {
            let ends = format!("it ends at commit {}, not {batch}", state.batch);
            return Err(IndexError::Damaged(ends));
        }
        Ok(Box::new(PostgresWriter::new(client, state, batch)))
    }
}

/// What Postgres says.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn refused(error: postgres::Error) -> IndexError {
    let said = error.as_db_error().map(|said| said.message().to_owned());
    IndexError::Server(said.unwrap_or_else(|| error.to_string()))
}
