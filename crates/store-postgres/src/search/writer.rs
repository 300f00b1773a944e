//! Adding to the index on a server, and really removing from it.

use super::rows::Rows;
use super::segments::{self, Segment, gone_written};
use super::{State, building, graph, merging, refused, vectors};
use backstory_index::{IndexError, Passage, Place, Prepared, Writer};
use backstory_meaning::Embedding;
use postgres::Client;
use std::collections::HashSet;
use std::thread::JoinHandle;

/// Passages of a new segment at most, and bytes of their terms: so much is held.
const MAX_HELD: usize = 50_000;
const MAX_HELD_BYTES: usize = 32_000_000;
/// What is added before a commit is due: so much is done again after a crash.
const MAX_PENDING_PASSAGES: u64 = 100_000;
const MAX_PENDING_VECTORS: usize = 50_000;
/// A segment is written anew when one of so many of its passages is gone.
const GONE_ONE_IN: u64 = 4;
/// Segments below one of these sizes are merged when they are so many.
const TIERS: [u32; 3] = [1_000, 10_000, 100_000];
const MANY: usize = 8;
/// Passages of a merged segment at most: it is written anew when a session leaves it.
const LARGEST: u32 = 250_000;

/// The one writer of an index.
pub(super) struct PostgresWriter {
    client: Client,
    state: State,
    /// The last commit the archive knows of; what came after it is undone.
    known: u64,
    /// The same when writing began: what is older is there to stay.
    heard: u64,
    is_begun: bool,
    segments: Vec<Segment>,
    held: Vec<Passage>,
    held_bytes: usize,
    /// A segment that is being built meanwhile.
    building: Option<JoinHandle<Rows>>,
    /// Whose events and cards are among those held.
    held_of: HashSet<(i64, bool)>,
    vectors: Vec<(Place, i32, Embedding)>,
    /// The same of the vectors.
    vectors_of: HashSet<(i64, bool)>,
    gone: Gone,
    added: u64,
    vector_change: i64,
    /// Something left the archive.
    must_purge: bool,
}

/// Whose passages go.
#[derive(Debug, Default)]
struct Gone {
    /// Sessions whose events go.
    events: HashSet<i64>,
    /// Sessions whose card goes, and whether no byte of it may stay.
    cards: HashSet<i64>,
    cards_for_good: HashSet<i64>,
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
/// What a segment consists of.
const TABLES: [&str; 4] = ["segments", "facts", "blocks", "lists"];

impl PostgresWriter {
    pub(super) fn new(client: Client, state: State, known: u64) -> Self {
        Self {
            client,
            state,
            known,
            heard: known,
            is_begun: false,
            segments: Vec::new(),
            held: Vec::new(),
            held_bytes: 0,
            building: None,
            held_of: HashSet::new(),
            vectors: Vec::new(),
            vectors_of: HashSet::new(),
            gone: Gone::default(),
            added: 0,
            vector_change: 0,
            must_purge: false,
        }
    }

    /// Begins the transaction of a commit; the first undoes what the archive did not hear of.
    fn begin(&mut self) -> Result<(), IndexError> {
        if self.is_begun {
            return Ok(());
        }
        self.client.batch_execute("BEGIN").map_err(refused)?;
        self.is_begun = true;
        self.segments = segments::all(&mut self.client)?;
        if self.known < self.state.batch {
            let unheard = |segment: &Segment| segment.batch > self.known;
            let unheard: Vec<Segment> = self.segments.extract_if(.., |s| unheard(s)).collect();
            self.delete(&unheard)?;
            let known = [self.known as i64];
            self.vector_change -= vectors::delete(&mut self.client, "p.batch > n", &known)?;
            self.known = self.state.batch;
        }
        Ok(())
    }

    fn delete(&mut self, segments: &[Segment]) -> Result<(), IndexError> {
        if segments.is_empty() {
            return Ok(());
        }
        let numbers: Vec<i64> = segments.iter().map(|segment| segment.number).collect();
        for table in TABLES {
            let sql = format!("DELETE FROM search_{table} WHERE segment = ANY($1)");
            self.client.execute(&sql, &[&numbers]).map_err(refused)?;
        }
        Ok(())
    }

    fn forget_held(&mut self, session: i64, is_card: bool) {
        let is_of = |place: Place| place.session() == session && place.seq().is_none() == is_card;
        if self.held_of.remove(&(session, is_card)) {
            let before = self.held.len();
            self.held.retain(|passage| !is_of(passage.place));
            self.added -= (before - self.held.len()) as u64;
        }
        if self.vectors_of.remove(&(session, is_card)) {
            self.vectors.retain(|(place, ..)| !is_of(*place));
        }
    }

    /// Sends what was built and has what is held built while others come; what goes, goes first.
    fn send(&mut self) -> Result<(), IndexError> {
        self.begin()?;
        self.put_built()?;
        self.let_go()?;
        if !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            self.held_of.clear();
            self.held_bytes = 0;
            self.building = Some(std::thread::spawn(move || building::segment_of(&held)));
        }
        Ok(())
    }

    /// Stores the segment that was being built.
    fn put_built(&mut self) -> Result<(), IndexError> {
        let Some(building) = self.building.take() else { return Ok(()) };
        let rows = building.join().map_err(|_| IndexError::Broken)?;
        self.put(rows, self.state.batch + 1)
    }

    /// Stores a segment.
    fn put(&mut self, rows: Rows, batch: u64) -> Result<(), IndexError> {
        let number = self.segments.iter().map(|segment| segment.number).max().unwrap_or(0) + 1;
        let (passages, runs) = (rows.passages(), rows.runs.clone());
        rows.send(&mut self.client, number, batch)?;
        self.segments.push(Segment { number, batch, passages, gone: Vec::new(), runs });
        Ok(())
    }

    /// Lets go whoever has to. Events leave no byte; a card that is replaced is only passed over, until
    /// enough of them are.
    fn let_go(&mut self) -> Result<(), IndexError> {
        let Gone { events, cards, cards_for_good } = std::mem::take(&mut self.gone);
        for (gone, condition) in [(&events, EVENTS_OF), (&cards, CARD_OF)] {
            if !gone.is_empty() {
                let sessions: Vec<i64> = gone.iter().copied().collect();
                self.vector_change -= vectors::delete(&mut self.client, condition, &sessions)?;
            }
        }
        if events.is_empty() && cards.is_empty() {
            return Ok(());
        }
        let mut anew = Vec::new();
        for segment in &mut self.segments {
            let is_going = |session: i64, is_card: bool| {
                if is_card { cards.contains(&session) } else { events.contains(&session) }
            };
            let going = segment.runs.of(is_going);
            if segment.let_go(going.into_iter().flatten()) == 0 {
                continue;
            }
            let for_good = |session: i64, is_card: bool| {
                is_going(session, is_card) && (!is_card || cards_for_good.contains(&session))
            };
            let many = segment.gone.len() as u64 * GONE_ONE_IN > u64::from(segment.passages);
            if many || !segment.runs.of(for_good).is_empty() {
                anew.push(segment.number);
                continue;
            }
            let update = "UPDATE search_segments SET gone = $2 WHERE segment = $1";
            let gone = gone_written(&segment.gone);
            self.client.execute(update, &[&segment.number, &gone]).map_err(refused)?;
        }
        for number in anew {
            let is_it = |segment: &mut Segment| segment.number == number;
            let old: Vec<Segment> = self.segments.extract_if(.., is_it).collect();
            self.replace(&old)?;
        }
        Ok(())
    }

    /// Writes one segment in place of some.
    fn replace(&mut self, old: &[Segment]) -> Result<(), IndexError> {
        let batch = old.iter().map(|segment| segment.batch).max().unwrap_or(0);
        let rows = merging::merged(&mut self.client, old)?;
        self.delete(old)?;
        if rows.passages() > 0 { self.put(rows, batch) } else { Ok(()) }
    }

    /// Merges small segments, if there are many: every query looks into each of them. One that the
    /// archive may not have heard of stays by itself, so that it can be undone.
    fn merge(&mut self) -> Result<(), IndexError> {
        self.segments = segments::all(&mut self.client)?;
        for tier in TIERS {
            let is_small =
                |segment: &Segment| segment.passages < tier && segment.batch <= self.heard;
            if self.segments.iter().filter(|segment| is_small(segment)).count() < MANY {
                continue;
            }
            let mut room = LARGEST;
            let fits = |segment: &mut Segment| {
                let fits = is_small(segment) && segment.passages <= room;
                room -= if fits { segment.passages } else { 0 };
                fits
            };
            let small: Vec<Segment> = self.segments.extract_if(.., fits).collect();
            self.client.batch_execute("BEGIN").map_err(refused)?;
            self.is_begun = true;
            self.replace(&small)?;
            let changed = "UPDATE search_state SET changes = changes + 1";
            self.client.execute(changed, &[]).map_err(refused)?;
            self.client.batch_execute("COMMIT").map_err(refused)?;
            self.is_begun = false;
            return Ok(());
        }
        Ok(())
    }

    fn write_state(&mut self) -> Result<(), IndexError> {
        let passages: u64 = self.segments.iter().map(Segment::present).sum();
        let sql = "UPDATE search_state
            SET batch = batch + 1, changes = changes + 1, passages = $1, vectors = vectors + $2
            RETURNING batch, vectors";
        let values = (passages as i64, self.vector_change);
        let row = self.client.query_one(sql, &[&values.0, &values.1]).map_err(refused)?;
        self.state = State {
            batch: row.get::<_, i64>(0) as u64,
            passages,
            vectors: row.get::<_, i64>(1) as u64,
            ..self.state
        };
        Ok(())
    }
}

impl Writer for PostgresWriter {
    fn add(&mut self, prepared: Prepared) -> Result<(), IndexError> {
        for passage in prepared.passages {
            let place = passage.place;
            self.held_bytes += passage.texts.iter().map(|(_, text)| text.len()).sum::<usize>();
            self.held_of.insert((place.session(), place.seq().is_none()));
            self.held.push(passage);
            self.added += 1;
        }
        let mut parts = Parts::default();
        for (place, embedding) in prepared.vectors {
            self.vectors_of.insert((place.session(), place.seq().is_none()));
            self.vectors.push((place, parts.next(place), embedding));
        }
        let is_full = self.held.len() >= MAX_HELD || self.held_bytes >= MAX_HELD_BYTES;
        if is_full { self.send() } else { Ok(()) }
    }

    fn remove_events(&mut self, session: i64) -> Result<(), IndexError> {
        self.must_purge = true;
        self.forget_held(session, false);
        self.gone.events.insert(session);
        Ok(())
    }

    fn remove_card(&mut self, session: i64, for_good: bool) -> Result<(), IndexError> {
        self.forget_held(session, true);
        self.gone.cards.insert(session);
        if for_good {
            self.must_purge = true;
            self.gone.cards_for_good.insert(session);
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.added >= MAX_PENDING_PASSAGES || self.vectors.len() >= MAX_PENDING_VECTORS
    }

    fn commit(&mut self) -> Result<u64, IndexError> {
        self.send()?;
        self.put_built()?;
        self.vector_change += self.vectors.len() as i64;
        let new = std::mem::take(&mut self.vectors);
        self.vectors_of.clear();
        let batch = self.state.batch + 1;
        self.write_state()?;
        self.state.centred = vectors::add(&mut self.client, &new, batch, self.state)?;
        self.client.batch_execute("COMMIT").map_err(refused)?;
        self.is_begun = false;
        self.known = self.state.batch;
        (self.vector_change, self.added) = (0, 0);
        Ok(self.state.batch)
    }

    fn finish(mut self: Box<Self>) -> Result<(), IndexError> {
        if self.is_begun {
            self.client.batch_execute("ROLLBACK").map_err(refused)?;
            self.is_begun = false;
        }
        self.merge()?;
        graph::raise(&mut self.client)?;
        if self.must_purge { vacuum(&mut self.client) } else { Ok(()) }
    }
}

/// Numbers the vectors of a place.
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
    for table in TABLES.iter().chain(&["vectors", "codes", "state"]) {
        client.batch_execute(&format!("VACUUM search_{table}_all")).map_err(refused)?;
    }
    Ok(())
}
