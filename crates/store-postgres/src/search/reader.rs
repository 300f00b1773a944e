//! Reading the index on a server.

use super::asked::PostgresAsked;
use super::near::Ways;
use super::remembered::Remembered;
use super::segments::{self, Segment};
use super::{PostgresShelf, State, near, newest, refused};
use backstory_index::{Asked, Hit, IndexError, Lexical, Place, Reader, Stock, Wanted};
use backstory_meaning::Embedding;
use postgres::types::ToSql;
use postgres::{Client, Row, SimpleQueryMessage, Statement};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A connection that remembers its statements.
pub(super) struct Session {
    pub(super) client: Client,
    statements: HashMap<String, Statement>,
    remembered: Arc<Mutex<Remembered>>,
    /// The change of the index this connection looks at.
    changes: i64,
}

impl Session {
    fn new(mut client: Client, remembered: Arc<Mutex<Remembered>>) -> Result<Self, IndexError> {
        // Rows are looked up by their keys: one plan fits all, and making another takes longer than they do.
        let set = "SET plan_cache_mode = force_generic_plan";
        client.batch_execute(set).map_err(refused)?;
        Ok(Self { client, statements: HashMap::new(), remembered, changes: -1 })
    }

    /// Looks something up among what is remembered of the index, or adds to it.
    pub(super) fn remembered<T>(&self, look: impl FnOnce(&mut Remembered) -> T) -> Option<T> {
        locked(&self.remembered).as_of(self.changes).map(look)
    }

    pub(super) fn rows(
        &mut self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, IndexError> {
        let statement = if let Some(statement) = self.statements.get(sql) {
            statement.clone()
        } else {
            let statement = self.client.prepare(sql).map_err(refused)?;
            self.statements.insert(sql.to_owned(), statement.clone());
            statement
        };
        self.client.query(&statement, values).map_err(refused)
    }
}

/// Segments, and the change of the index they were read after.
#[derive(Default)]
struct Loaded {
    changes: Option<i64>,
    segments: Arc<Vec<Segment>>,
}

/// An open index. Words and vectors are asked over connections of their own, side by side.
pub(super) struct PostgresReader {
    shelf: PostgresShelf,
    pub(super) state: State,
    loaded: Mutex<Loaded>,
    ways: Mutex<Option<Arc<Ways>>>,
    /// Connections nobody uses.
    idle: Mutex<Vec<Session>>,
    remembered: Arc<Mutex<Remembered>>,
}

impl std::fmt::Debug for PostgresReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresReader").field("shelf", &self.shelf).finish_non_exhaustive()
    }
}

/// How often the index was changed.
fn changes(session: &mut Session) -> Result<Option<i64>, IndexError> {
    let rows = session.rows("SELECT changes FROM search_state", &[])?;
    Ok(rows.first().map(|row| row.get(0)))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PostgresReader {
    pub(super) fn new(
        shelf: PostgresShelf,
        client: Client,
        state: State,
    ) -> Result<Self, IndexError> {
        let remembered = Arc::default();
        let idle = Mutex::new(vec![Session::new(client, Arc::clone(&remembered))?]);
        let (loaded, ways) = (Mutex::default(), Mutex::default());
        Ok(Self { shelf, state, loaded, ways, idle, remembered })
    }

    fn session(&self) -> Result<Session, IndexError> {
        while let Some(session) = { locked(&self.idle).pop() } {
            if !session.client.is_closed() {
                return Ok(session);
            }
        }
        Session::new(self.shelf.connect()?, Arc::clone(&self.remembered))
    }

    /// How what is near is found now.
    fn ways(&self, session: &mut Session) -> Result<Arc<Ways>, IndexError> {
        let changes = changes(session)?.unwrap_or_default();
        session.changes = changes;
        let known = locked(&self.ways).clone();
        if let Some(ways) = known.filter(|ways| ways.changes == changes) {
            return Ok(ways);
        }
        let ways = Arc::new(Ways::read(session, changes)?);
        *locked(&self.ways) = Some(Arc::clone(&ways));
        Ok(ways)
    }

    /// Asks for vectors, each time for what is there now.
    fn vectors<T>(
        &self,
        ask: impl FnOnce(&mut Session) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let mut session = self.session()?;
        let answer = ask(&mut session)?;
        locked(&self.idle).push(session);
        Ok(answer)
    }

    /// A connection that sees the index as it is now until [`Self::end`], and its segments: one that is
    /// merged or written anew meanwhile is still there.
    pub(super) fn begin(&self) -> Result<(Session, Arc<Vec<Segment>>), IndexError> {
        let mut session = self.session()?;
        // Both in one question: the way to the server and back is a good part of a search.
        let begin =
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT changes FROM search_state";
        let told = session.client.simple_query(begin).map_err(refused)?;
        let changes = told.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse::<i64>().ok(),
            _ => None,
        });
        session.changes = changes.unwrap_or(-1);
        let mut loaded = locked(&self.loaded);
        if changes.is_none() || loaded.changes != changes {
            let segments = Arc::new(segments::all(&mut session.client)?);
            *loaded = Loaded { changes, segments };
        }
        Ok((session, Arc::clone(&loaded.segments)))
    }

    /// Gives a connection back. One that cannot go on is let go.
    pub(super) fn end(&self, mut session: Session) {
        if session.client.batch_execute("COMMIT").is_ok() {
            locked(&self.idle).push(session);
        }
    }
}

impl Reader for PostgresReader {
    fn documents(&self) -> u64 {
        self.state.passages
    }

    fn has_vectors(&self) -> bool {
        self.state.vectors > 0
    }

    fn stock(&self) -> Stock {
        let State { passages, vectors, .. } = self.state;
        let segments = self.begin().map_or(0, |(session, segments)| {
            self.end(session);
            segments.len() as u64
        });
        Stock { documents: passages, vectors, segments }
    }

    fn missing_vectors(&self) -> &[String] {
        &[]
    }

    fn ask<'a>(&'a self, wanted: &'a Wanted) -> Result<Box<dyn Asked + 'a>, IndexError> {
        Ok(Box::new(PostgresAsked::new(self, wanted)?))
    }

    fn newest(&self, search: &Lexical<'_>) -> Result<Vec<Hit>, IndexError> {
        let (mut session, segments) = self.begin()?;
        let hits = newest::newest(&mut session, &segments, search)?;
        self.end(session);
        Ok(hits)
    }

    fn nearest(
        &self,
        query: &Embedding,
        limit: usize,
        accept: &mut dyn FnMut(Place) -> bool,
    ) -> Result<Vec<(Place, f32)>, IndexError> {
        let near = self.vectors(|session| {
            let accept = &mut |place| accept(Place(place));
            let ways = self.ways(session)?;
            near::nearest(session, (self.state, &ways), query, limit, accept)
        })?;
        Ok(near.into_iter().map(|(place, cosine)| (Place(place), cosine)).collect())
    }

    /// Every vector that is compared here is a row to be read; the codes tell which are worth it.
    fn nearest_within(
        &self,
        _query: &Embedding,
        _limit: usize,
        _sessions: &[i64],
    ) -> Result<Option<Vec<(Place, f32)>>, IndexError> {
        Ok(None)
    }

    fn nearness(
        &self,
        query: &Embedding,
        places: &[Place],
    ) -> Result<Vec<Option<f32>>, IndexError> {
        self.vectors(|session| near::nearness(session, query, places))
    }
}
