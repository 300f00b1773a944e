//! Adding to the index on a server, and really removing from it.

use super::counts::Counts;
use super::lexemes::{Lengths, Lexemes};
use super::{State, graph, refused, vectors};
use backstory_index::{Facts, IndexError, Place, Prepared, Writer};
use backstory_meaning::Embedding;
use postgres::Client;
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::Type;
use std::collections::{BTreeSet, HashSet};

/// Bytes of passages held before they are sent.
const MAX_HELD_BYTES: usize = 8_000_000;
/// What is added before a commit is due: so much is done again after a crash.
const MAX_PENDING_PASSAGES: u64 = 100_000;
const MAX_PENDING_VECTORS: usize = 50_000;
const MAX_PENDING_LEXEMES: usize = 1_000_000;

/// The one writer of an index.
pub(super) struct PostgresWriter {
    client: Client,
    state: State,
    /// The last commit the archive knows of.
    known: u64,
    is_begun: bool,
    held: Vec<Row>,
    held_bytes: usize,
    /// Whose events and cards are among those held.
    held_of: HashSet<(i64, bool)>,
    vectors: Vec<(Place, i32, Embedding)>,
    /// The same of the vectors.
    vectors_of: HashSet<(i64, bool)>,
    gone_events: BTreeSet<i64>,
    gone_cards: BTreeSet<i64>,
    counts: Counts,
    added: u64,
    vector_change: i64,
    /// Something left the archive.
    must_purge: bool,
}

/// A passage on its way.
struct Row {
    place: Place,
    part: i32,
    facts: Facts,
    lengths: Lengths,
    lexemes: Lexemes,
}

impl std::fmt::Debug for PostgresWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresWriter").field("state", &self.state).finish_non_exhaustive()
    }
}

/// Where the events of a session lie.
const EVENTS_OF: &str = "p.place >= n << 32 AND p.place < (n << 32) + 4294967295";
/// Where its card is.
const CARD_OF: &str = "p.place = (n << 32) + 4294967295";

impl PostgresWriter {
    pub(super) fn new(mut client: Client, state: State, known: u64) -> Result<Self, IndexError> {
        // Entries wait in a list and go into the tree many at once, which is several times faster.
        client
            .batch_execute("SET gin_pending_list_limit = '32MB'; SET work_mem = '64MB'")
            .map_err(refused)?;
        Ok(Self {
            client,
            state,
            known,
            is_begun: false,
            held: Vec::new(),
            held_bytes: 0,
            held_of: HashSet::new(),
            vectors: Vec::new(),
            vectors_of: HashSet::new(),
            gone_events: BTreeSet::new(),
            gone_cards: BTreeSet::new(),
            counts: Counts::default(),
            added: 0,
            vector_change: 0,
            must_purge: false,
        })
    }

    /// Begins the transaction of a commit; the first undoes what the archive did not hear of.
    fn begin(&mut self) -> Result<(), IndexError> {
        if self.is_begun {
            return Ok(());
        }
        self.client.batch_execute("BEGIN").map_err(refused)?;
        self.is_begun = true;
        if self.known < self.state.batch {
            let known = [self.known as i64];
            self.counts.delete(&mut self.client, "p.batch > n", &known)?;
            self.vector_change -= vectors::delete(&mut self.client, "p.batch > n", &known)?;
            self.known = self.state.batch;
        }
        Ok(())
    }

    fn forget_held(&mut self, session: i64, is_card: bool) {
        let is_of = |place: Place| place.session() == session && place.seq().is_none() == is_card;
        if self.held_of.remove(&(session, is_card)) {
            let before = self.held.len();
            self.held.retain(|row| !is_of(row.place));
            self.added -= (before - self.held.len()) as u64;
        }
        if self.vectors_of.remove(&(session, is_card)) {
            self.vectors.retain(|(place, ..)| !is_of(*place));
        }
    }

    /// Sends what is held; what goes, goes first.
    fn send(&mut self) -> Result<(), IndexError> {
        self.begin()?;
        for (gone, condition) in
            [(&mut self.gone_events, EVENTS_OF), (&mut self.gone_cards, CARD_OF)]
        {
            if !gone.is_empty() {
                let sessions: Vec<i64> = std::mem::take(gone).into_iter().collect();
                self.counts.delete(&mut self.client, condition, &sessions)?;
                self.vector_change -= vectors::delete(&mut self.client, condition, &sessions)?;
            }
        }
        if self.held.is_empty() {
            return Ok(());
        }
        let batch = self.state.batch as i64 + 1;
        let copy = "COPY search_passages_all (place, part, batch, ts, kind, exit, tool, lengths, had, terms)
            FROM STDIN (FORMAT binary)";
        let types = [
            Type::INT8,
            Type::INT4,
            Type::INT8,
            Type::INT8,
            Type::INT2,
            Type::INT4,
            Type::INT8,
            Type::INT8,
            Type::BYTEA,
            Type::TS_VECTOR,
        ];
        let mut out = BinaryCopyInWriter::new(self.client.copy_in(copy).map_err(refused)?, &types);
        for row in self.held.drain(..) {
            let kind = row.facts.kind.map_or(0, |kind| i16::from(kind.code()) + 1);
            out.write(&[
                &(row.place.0 as i64),
                &row.part,
                &batch,
                &row.facts.ts.0,
                &kind,
                &row.facts.exit,
                &(row.facts.tool as i64),
                &row.lengths.0,
                &row.lexemes.had,
                &row.lexemes,
            ])
            .map_err(refused)?;
            self.counts.add(row.lexemes.all());
        }
        out.finish().map_err(refused)?;
        self.held_of.clear();
        self.held_bytes = 0;
        Ok(())
    }

    fn write_state(&mut self) -> Result<(), IndexError> {
        let change = [self.counts.passages, self.vector_change];
        let sql = "UPDATE search_state
            SET batch = batch + 1, passages = passages + $1, vectors = vectors + $2
            RETURNING batch, passages, vectors";
        let row = self.client.query_one(sql, &[&change[0], &change[1]]).map_err(refused)?;
        self.state = State {
            batch: row.get::<_, i64>(0) as u64,
            passages: row.get::<_, i64>(1) as u64,
            vectors: row.get::<_, i64>(2) as u64,
            centred: self.state.centred,
        };
        Ok(())
    }
}

impl Writer for PostgresWriter {
    fn add(&mut self, prepared: Prepared) -> Result<(), IndexError> {
        let mut parts = Parts::default();
        for passage in prepared.passages {
            let (lexemes, lengths) = Lexemes::of(&passage);
            let (place, facts) = (passage.place, passage.facts);
            self.held_bytes += lexemes.bytes();
            self.held_of.insert((place.session(), place.seq().is_none()));
            self.held.push(Row { place, part: parts.next(place), facts, lengths, lexemes });
            self.added += 1;
        }
        let mut parts = Parts::default();
        for (place, embedding) in prepared.vectors {
            self.vectors_of.insert((place.session(), place.seq().is_none()));
            self.vectors.push((place, parts.next(place), embedding));
        }
        if self.held_bytes >= MAX_HELD_BYTES { self.send() } else { Ok(()) }
    }

    fn remove_events(&mut self, session: i64) -> Result<(), IndexError> {
        self.must_purge = true;
        self.forget_held(session, false);
        self.gone_events.insert(session);
        Ok(())
    }

    fn remove_card(&mut self, session: i64, for_good: bool) -> Result<(), IndexError> {
        self.must_purge |= for_good;
        self.forget_held(session, true);
        self.gone_cards.insert(session);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.added >= MAX_PENDING_PASSAGES
            || self.vectors.len() >= MAX_PENDING_VECTORS
            || self.counts.len() >= MAX_PENDING_LEXEMES
    }

    fn commit(&mut self) -> Result<u64, IndexError> {
        self.send()?;
        self.counts.write(&mut self.client)?;
        self.vector_change += self.vectors.len() as i64;
        let new = std::mem::take(&mut self.vectors);
        self.vectors_of.clear();
        let batch = self.state.batch + 1;
        self.write_state()?;
        self.state.centred = vectors::add(&mut self.client, &new, batch, self.state)?;
        self.client.batch_execute("COMMIT").map_err(refused)?;
        self.is_begun = false;
        self.known = self.state.batch;
        (self.counts, self.vector_change, self.added) = (Counts::default(), 0, 0);
        Ok(self.state.batch)
    }

    fn finish(mut self: Box<Self>) -> Result<(), IndexError> {
        if self.is_begun {
            self.client.batch_execute("ROLLBACK").map_err(refused)?;
        }
        graph::raise(&mut self.client)?;
        if self.must_purge {
            return vacuum(&mut self.client);
        }
        // What waits in the list is looked through by every search. Only the owner may change that.
        let clean = "SELECT gin_clean_pending_list(oid) FROM pg_class
            WHERE oid = to_regclass('search_passages_terms') AND pg_has_role(relowner, 'USAGE')";
        self.client.execute(clean, &[]).map_err(refused)?;
        Ok(())
    }
}

/// Numbers the passages of a place.
#[derive(Default)]
struct Parts {
    place: Option<Place>,
    part: i32,
}

impl Parts {
    fn next(&mut self, place: Place) -> i32 {
        self.part = if self.place.replace(place) == Some(place) { self.part + 1 } else { 0 };
        self.part
    }
}

/// Makes the room of deleted rows free, so that nothing reads it any more.
pub(super) fn vacuum(client: &mut Client) -> Result<(), IndexError> {
    for table in ["passages", "terms", "vectors", "codes", "state"] {
        client.batch_execute(&format!("VACUUM search_{table}_all")).map_err(refused)?;
    }
    Ok(())
}
