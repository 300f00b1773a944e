//! A query put to the index on a server: one look at its words, one at the long lists among theirs;
//! everything is counted here, as the local index counts it.

use super::facts::{self, Fact};
use super::lists::{Sought, refused};
use super::reader::{PostgresReader, Session};
use super::rows::slot;
use super::segments::Segment;
use super::terms::Known;
use backstory_index::evidence::{self, Seen};
use backstory_index::scoring::{Densities, rarity};
use backstory_index::{
    Accept, Asked, Evidence, Hit, IndexError, NAME_WEIGHT, Phrase, TITLE_WEIGHT, TextField, Wanted,
    WantedWord, telling,
};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Where filters decide, so many times the passages wanted are looked at first, and again so many times
/// as many with every further look.
const FILTERED: usize = 4;

const PROSE: [(TextField, f32); 3] =
    [(TextField::Title, TITLE_WEIGHT), (TextField::Prompt, 1.0), (TextField::Prose, 1.0)];
const TOOLS: [(TextField, f32); 1] = [(TextField::Tool, 1.0)];

/// A query put to an index. It sees the index as it was when it was asked.
pub(super) struct PostgresAsked<'a> {
    index: &'a PostgresReader,
    wanted: &'a Wanted,
    words: Vec<&'a WantedWord>,
    segments: Arc<Vec<Segment>>,
    known: Mutex<Known>,
    prose: Looked,
    tools: Looked,
    session: Mutex<Option<Session>>,
}

/// What is looked for in one of the lists of hits.
#[derive(Debug, Default)]
struct Looked {
    /// What adds to the score, and how much.
    items: Vec<(Sought, f32)>,
    /// Of each of these, one at least must be met.
    musts: Vec<Vec<Sought>>,
}

/// A passage that may be told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) score: f32,
    pub(super) segment: u32,
    pub(super) passage: u32,
}

impl Candidate {
    /// The best first, of equals the one that came later.
    fn order(&self, other: &Self) -> Ordering {
        let place = |candidate: &Self| (candidate.segment, candidate.passage);
        other.score.total_cmp(&self.score).then_with(|| place(other).cmp(&place(self)))
    }
}

impl<'a> PostgresAsked<'a> {
    pub(super) fn new(index: &'a PostgresReader, wanted: &'a Wanted) -> Result<Self, IndexError> {
        let (mut session, segments) = index.begin()?;
        let mut known = Known::of(&mut session, &segments, wanted)?;
        let words = telling(&wanted.words, &mut |word| Ok(known.documents_with_any(word)))?;
        known.choose_beginnings()?;
        let prose = looked(&mut known, &words, &wanted.phrases, &PROSE, false);
        let tools = looked(&mut known, &words, &wanted.phrases, &TOOLS, true);
        let refused = refused(wanted);
        let items = [&prose, &tools].into_iter().flat_map(|looked| &looked.items);
        let all = items.map(|(sought, _)| sought).chain(&refused);
        fetch(&mut known, &mut session, &segments, all)?;
        Ok(Self {
            index,
            wanted,
            words,
            segments,
            known: Mutex::new(known),
            prose,
            tools,
            session: Mutex::new(Some(session)),
        })
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every passage that has something of what is looked for, and how well it matches.
    fn candidates(&self, looked: &Looked) -> Vec<Candidate> {
        let known = self.known();
        let refused = refused(self.wanted);
        let mut all = Vec::new();
        for (at, segment) in self.segments.iter().enumerate() {
            let mut scores: Vec<f32> = Vec::new();
            for (sought, weight) in &looked.items {
                let densities = Densities::of(sought.field);
                let mut postings = sought.postings(&known, at).peekable();
                if postings.peek().is_some() {
                    scores.resize(segment.passages as usize, 0.0);
                }
                for posting in postings {
                    if let Some(score) = scores.get_mut(posting.passage as usize) {
                        *score += weight * densities.density(posting.times, posting.length);
                    }
                }
            }
            if scores.is_empty() {
                continue;
            }
            for must in &looked.musts {
                let mut met = vec![false; scores.len()];
                mark(must, &known, at, &mut met);
                scores
                    .iter_mut()
                    .zip(met)
                    .filter(|(_, met)| !met)
                    .for_each(|(score, _)| *score = 0.0);
            }
            for posting in refused.iter().flat_map(|sought| sought.postings(&known, at)) {
                scores.get_mut(posting.passage as usize).into_iter().for_each(|score| *score = 0.0);
            }
            for gone in &segment.gone {
                scores.get_mut(*gone as usize).into_iter().for_each(|score| *score = 0.0);
            }
            let scored = (0..).zip(scores).filter(|(_, score)| *score > 0.0);
            let segment = at as u32;
            all.extend(scored.map(|(passage, score)| Candidate { score, segment, passage }));
        }
        all
    }

    fn best(
        &self,
        looked: &Looked,
        limit: usize,
        accept: Option<Accept<'_>>,
    ) -> Result<Vec<Hit>, IndexError> {
        let mut candidates = self.candidates(looked);
        if let Some(Accept { session, .. }) = accept {
            candidates.retain(|found| {
                let runs = &self.segments[found.segment as usize].runs;
                session(runs.session_of(found.passage))
            });
        }
        let passage = accept.and_then(|accept| accept.passage);
        let mut rest = candidates.as_mut_slice();
        let mut step = if passage.is_some() { limit * FILTERED } else { limit };
        let mut hits: Vec<Hit> = Vec::new();
        while !rest.is_empty() && hits.len() < limit {
            let count = step.min(rest.len());
            if count < rest.len() {
                rest.select_nth_unstable_by(count, Candidate::order);
            }
            let (best, others) = rest.split_at_mut(count);
            for (candidate, Fact { place, facts }) in best.iter().zip(self.facts(best)?) {
                if passage.is_none_or(|passage| passage(place, &facts)) {
                    hits.push(Hit { place, score: candidate.score, facts });
                }
            }
            rest = others;
            step = step.saturating_mul(FILTERED);
        }
        hits.sort_by(|left, right| {
            right.score.total_cmp(&left.score).then_with(|| right.place.cmp(&left.place))
        });
        hits.truncate(limit);
        let mut seen = HashSet::new();
        hits.retain(|hit| seen.insert(hit.place));
        Ok(hits)
    }

    fn facts(&self, candidates: &[Candidate]) -> Result<Vec<Fact>, IndexError> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        match session.as_mut() {
            Some(session) => facts_of(session, &self.segments, candidates),
            None => Err(IndexError::Broken),
        }
    }
}

impl Drop for PostgresAsked<'_> {
    fn drop(&mut self) {
        let session = self.session.get_mut().unwrap_or_else(PoisonError::into_inner);
        session.take().into_iter().for_each(|session| self.index.end(session));
    }
}

/// Reads what lies by itself of what is looked for.
pub(super) fn fetch<'s>(
    known: &mut Known,
    session: &mut Session,
    segments: &[Segment],
    all: impl Iterator<Item = &'s Sought>,
) -> Result<(), IndexError> {
    let (mut plain, mut with_positions) = (BTreeSet::new(), BTreeSet::new());
    for sought in all {
        let terms = if sought.terms.len() > 1 { &mut with_positions } else { &mut plain };
        terms.extend(sought.terms.iter().map(|term| (slot(sought.field), term.clone())));
    }
    // Phrases first: what they bring is not read again without positions.
    known.fetch(session, segments, &with_positions, true)?;
    known.fetch(session, segments, &plain, false)
}

/// The facts of passages, in the order of these.
pub(super) fn facts_of(
    session: &mut Session,
    segments: &[Segment],
    passages: &[Candidate],
) -> Result<Vec<Fact>, IndexError> {
    let row_of = |passage: &Candidate| (passage.segment, passage.passage / facts::PER_ROW);
    let key_of = |(segment, row): (u32, u32)| (segments[segment as usize].number, row as i32);
    let mut found: FxHashMap<(u32, u32), Arc<Vec<Fact>>> = FxHashMap::default();
    let mut unknown = Vec::new();
    for row in passages.iter().map(row_of).collect::<BTreeSet<(u32, u32)>>() {
        match session.remembered(|memory| memory.facts.get(&key_of(row)).cloned()).flatten() {
            Some(facts) => drop(found.insert(row, facts)),
            None => unknown.push(row),
        }
    }
    let asked: (Vec<i64>, Vec<i32>) = unknown.iter().map(|row| key_of(*row)).unzip();
    let sql = "SELECT CAST(q.i AS INTEGER), f.facts
        FROM unnest($1::bigint[], $2::integer[]) WITH ORDINALITY AS q (segment, number, i)
        CROSS JOIN LATERAL (
            SELECT facts FROM search_facts WHERE segment = q.segment AND number = q.number) f";
    let rows =
        if unknown.is_empty() { Vec::new() } else { session.rows(sql, &[&asked.0, &asked.1])? };
    for row in rows {
        let at = unknown[row.get::<_, i32>(0) as usize - 1];
        let facts = Arc::new(facts::read(row.get(1)));
        session.remembered(|memory| {
            memory.make_room(facts.len() * size_of::<Fact>());
            memory.facts.insert(key_of(at), Arc::clone(&facts));
        });
        found.insert(at, facts);
    }
    let fact = |passage: &Candidate| {
        let row = found.get(&row_of(passage))?;
        row.get((passage.passage % facts::PER_ROW) as usize).copied()
    };
    let facts: Option<Vec<Fact>> = passages.iter().map(fact).collect();
    facts.ok_or_else(|| IndexError::Damaged("facts of passages are missing".into()))
}

/// Marks who has any of some things.
pub(super) fn mark(any: &[Sought], known: &Known, segment: usize, marks: &mut [bool]) {
    for posting in any.iter().flat_map(|sought| sought.postings(known, segment)) {
        marks.get_mut(posting.passage as usize).into_iter().for_each(|mark| *mark = true);
    }
}

impl Asked for PostgresAsked<'_> {
    fn prose(&self, limit: usize, accept: Option<Accept<'_>>) -> Result<Vec<Hit>, IndexError> {
        self.best(&self.prose, limit, accept)
    }

    fn tools(&self, limit: usize, accept: Option<Accept<'_>>) -> Result<Vec<Hit>, IndexError> {
        self.best(&self.tools, limit, accept)
    }

    fn evidence(&self, accept: &dyn Fn(i64) -> bool) -> Result<Evidence, IndexError> {
        let mut known = self.known();
        let all = known.passages;
        evidence::of_words(&self.words, all, accept, &mut |stem, written| {
            let word = |field: &TextField| {
                Sought::term(*field, if *field == TextField::Tool { written } else { stem })
            };
            let mut any: Vec<Sought> = TextField::OF_WORDS.iter().map(word).collect();
            let mut documents = known.documents_with(stem, written);
            if documents == 0 {
                // In the depths of a long output only names are known.
                any = vec![Sought::term(TextField::Names, written)];
                documents = known.count(TextField::Names, written);
            }
            if !evidence::is_worth_following(documents) {
                return Ok(Seen { documents, passages: None });
            }
            let mut passages: FxHashMap<i64, f32> = FxHashMap::default();
            for (at, segment) in self.segments.iter().enumerate() {
                for posting in any.iter().flat_map(|sought| sought.postings(&known, at)) {
                    if !segment.is_gone(posting.passage) {
                        let session = segment.runs.session_of(posting.passage);
                        *passages.entry(session).or_default() += 1.0;
                    }
                }
            }
            Ok(Seen { documents, passages: Some(passages) })
        })
    }
}

/// What is looked for in one of the lists of hits: phrases and words.
fn looked(
    known: &mut Known,
    words: &[&WantedWord],
    phrases: &[Phrase],
    words_in: &[(TextField, f32)],
    names: bool,
) -> Looked {
    let mut looked = Looked::default();
    for phrase in phrases {
        let mut must = Vec::new();
        for (field, _) in words_in {
            let sought = Sought::phrase(phrase, *field);
            let rarities = sought
                .terms
                .iter()
                .map(|term| rarity(known.documents_of(*field, term), known.passages));
            let weight = rarities.sum();
            must.push(sought.clone());
            looked.items.push((sought, weight));
        }
        looked.musts.push(must);
    }
    for word in words {
        for (field, weight) in words_in {
            let terms = if *field == TextField::Tool { &word.words } else { &word.stems };
            add_terms(&mut looked, known, (*field, *weight), terms.iter(), word);
        }
        if names {
            let terms = word.words.iter().chain(&word.names);
            add_terms(&mut looked, known, (TextField::Names, NAME_WEIGHT), terms, word);
        }
    }
    looked
}

fn add_terms<'t>(
    looked: &mut Looked,
    known: &mut Known,
    (field, weight): (TextField, f32),
    terms: impl Iterator<Item = &'t String>,
    word: &WantedWord,
) {
    let mut all: Vec<String> = terms.cloned().collect();
    for start in &word.prefixes {
        all.extend_from_slice(known.beginning_with(field, start));
    }
    for term in all.into_iter().filter(|term| !term.is_empty()) {
        if known.count(field, &term) > 0 {
            let rarity = rarity(known.documents_of(field, &term), known.passages);
            looked.items.push((Sought::term(field, &term), rarity * weight));
        }
    }
}
