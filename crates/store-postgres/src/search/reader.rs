//! Reading the index on a server.

use super::asked::PostgresAsked;
use super::{PostgresShelf, State, near, newest, refused};
use backstory_index::{Asked, Hit, IndexError, Lexical, Place, Reader, Stock, Wanted};
use backstory_meaning::Embedding;
use postgres::types::ToSql;
use postgres::{Client, Row, Statement};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A connection that remembers its statements.
pub(super) struct Session {
    pub(super) client: Client,
    statements: HashMap<String, Statement>,
}

impl Session {
    fn new(mut client: Client) -> Result<Self, IndexError> {
        // What a word finds depends on the word: no plan fits them all.
        let set = "SET plan_cache_mode = force_custom_plan";
        client.batch_execute(set).map_err(refused)?;
        Ok(Self { client, statements: HashMap::new() })
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

/// An open index. Words and vectors are asked over connections of their own, side by side.
pub(super) struct PostgresReader {
    shelf: PostgresShelf,
    pub(super) state: State,
    words: Mutex<Option<Session>>,
    vectors: Mutex<Option<Session>>,
    /// Connected when it was opened; whoever asks first gets it.
    first: Mutex<Option<Client>>,
}

impl std::fmt::Debug for PostgresReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresReader").field("shelf", &self.shelf).finish_non_exhaustive()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PostgresReader {
    pub(super) fn new(shelf: PostgresShelf, client: Client, state: State) -> Self {
        let first = Mutex::new(Some(client));
        Self { shelf, state, words: Mutex::default(), vectors: Mutex::default(), first }
    }

    fn with<T>(
        &self,
        session: &Mutex<Option<Session>>,
        ask: impl FnOnce(&mut Session) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let mut kept = locked(session);
        let mut session = match kept.take() {
            Some(session) if !session.client.is_closed() => session,
            _ => {
                let first = locked(&self.first).take();
                Session::new(first.map_or_else(|| self.shelf.connect(), Ok)?)?
            }
        };
        let answer = ask(&mut session);
        *kept = Some(session);
        answer
    }

    /// Asks for words.
    pub(super) fn words<T>(
        &self,
        ask: impl FnOnce(&mut Session) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        self.with(&self.words, ask)
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
        Stock { documents: passages, vectors, segments: 1 }
    }

    fn missing_vectors(&self) -> &[String] {
        &[]
    }

    fn ask<'a>(&'a self, wanted: &'a Wanted) -> Result<Box<dyn Asked + 'a>, IndexError> {
        Ok(Box::new(PostgresAsked::new(self, wanted)?))
    }

    fn newest(&self, search: &Lexical<'_>) -> Result<Vec<Hit>, IndexError> {
        self.words(|session| newest::newest(session, self.state.passages, search))
    }

    fn nearest(
        &self,
        query: &Embedding,
        limit: usize,
        accept: &mut dyn FnMut(Place) -> bool,
    ) -> Result<Vec<(Place, f32)>, IndexError> {
        let near = self.with(&self.vectors, |session| {
            let accept = &mut |place| accept(Place(place));
            near::nearest(session, self.state, query, limit, accept)
        })?;
        Ok(near.into_iter().map(|(place, cosine)| (Place(place), cosine)).collect())
    }

    fn nearness(
        &self,
        query: &Embedding,
        places: &[Place],
    ) -> Result<Vec<Option<f32>>, IndexError> {
        self.with(&self.vectors, |session| near::nearness(session, query, places))
    }
}
