//! Candidates: what the words find, and what is near in meaning.

use super::scope::Gate;
use super::{Mode, Paths, SearchOptions, Searcher, in_order};
use crate::SyncError;
use backstory_distill::passages::{self, Voice};
use backstory_distill::query::{Query, Without};
use backstory_distill::ranking::{Candidate, Evidence, Ranked};
use backstory_index::{
    Facts, Hit, IndexError, IndexReader, Lexical, Lists, Place, Vectors, Wanted, WantedWord,
};
use backstory_meaning::Embedding;
use backstory_model::Timestamp;
use std::collections::{HashMap, HashSet};

/// Places each way of searching brings in.
const PER_LIST: usize = 200;
/// With filters only the event can answer, more are brought in, for most will not pass.
const PER_LIST_FILTERED: usize = 1000;
/// Moments looked through when the newest are wanted.
const NEWEST: usize = 2000;

pub(super) struct Gatherer<'a, 'v> {
    pub(super) searcher: &'a Searcher<'v>,
    pub(super) options: &'a SearchOptions,
    pub(super) gate: &'a Gate<'a>,
}

/// True if only filters were given.
pub(super) fn has_no_words(query: &Query) -> bool {
    query.words.is_empty() && query.phrases.is_empty()
}

impl Gatherer<'_, '_> {
    fn index(&self) -> &IndexReader {
        &self.searcher.index
    }

    /// Everything that may answer, each place once, and how many of the words each session has. Words
    /// and meaning are looked for side by side.
    pub(super) fn candidates(
        &self,
        paths: &mut Paths,
    ) -> Result<(Vec<Candidate>, Evidence), SyncError> {
        paths.lexical = self.options.mode != Mode::Semantic;
        let embedded = if self.options.mode == Mode::Lexical { None } else { self.embedded(paths) };
        paths.semantic = embedded.is_some();
        let (index, gate, limit) = (self.index(), self.gate, self.limit());
        let (wanted, vectors) = (wanted(&self.options.query), index.vectors());
        let (by_words, near) = std::thread::scope(|scope| {
            let words = || by_words(index, gate, &wanted, limit);
            let by_words = paths.lexical.then(|| scope.spawn(words));
            let near = embedded.as_ref().map(|query| self.near(&vectors, query)).unwrap_or_default();
            let by_words = by_words.map(|found| found.join().map_err(|_| IndexError::Broken));
            (by_words, near)
        });
        let (lists, evidence) = by_words.transpose()?.transpose()?.unwrap_or_default();
        let mut found: HashMap<Place, Candidate> = HashMap::new();
        for hit in &lists.prose {
            candidate(&mut found, hit.place).prose = hit.score;
        }
        for hit in &lists.tools {
            candidate(&mut found, hit.place).tools = hit.score;
        }
        for place in near {
            if found.contains_key(&place) || self.lets_row(place)? {
                candidate(&mut found, place);
            }
        }
        if let Some(query) = &embedded {
            // Only prose has a meaning to compare.
            let tools: HashSet<Place> =
                lists.tools.iter().filter(|hit| is_tool(hit)).map(|hit| hit.place).collect();
            for (place, candidate) in found.iter_mut().filter(|(place, _)| !tools.contains(place)) {
                candidate.nearness = vectors.nearness(query, *place);
            }
        }
        let mut candidates: Vec<Candidate> = found.into_values().collect();
        candidates.sort_by_key(|candidate| (candidate.session, candidate.seq));
        Ok((candidates, evidence))
    }

    fn limit(&self) -> usize {
        if self.gate.must_look() { PER_LIST_FILTERED } else { PER_LIST }
    }

    /// What the query is about; says why not.
    fn embedded(&self, paths: &mut Paths) -> Option<Embedding> {
        if !self.index().has_vectors() {
            return None;
        }
        let query = &self.options.query;
        let mut text = String::new();
        let words = query.words.iter().filter(|word| !word.is_prefix);
        for word in words.map(|word| &word.text).chain(&query.phrases) {
            text.push_str(word);
            text.push(' ');
        }
        let embedded = IndexReader::embed(&text);
        if embedded.is_none() && self.options.mode == Mode::Semantic {
            paths.notes.push("the query has too few words to compare meanings".into());
        }
        embedded
    }

    /// Places near in meaning, as far as the vectors can tell. What must be there to the letter is not
    /// looked for by meaning.
    fn near(&self, vectors: &Vectors<'_>, query: &Embedding) -> Vec<Place> {
        let asked = &self.options.query;
        let must_match = !(asked.phrases.is_empty() && asked.without.is_empty());
        if must_match && self.options.mode != Mode::Semantic {
            return Vec::new();
        }
        let mut accept = |place: Place| self.gate.lets_session(place.session());
        let limit = if self.looks_at_rows() { PER_LIST_FILTERED } else { PER_LIST };
        let near = vectors.nearest(query, limit, &mut accept);
        near.into_iter().map(|(place, _)| place).collect()
    }

    fn looks_at_rows(&self) -> bool {
        let filters = &self.options.query.filters;
        self.gate.asks_for_events() || filters.since.is_some() || filters.until.is_some()
    }

    /// Vectors know only their place; the rest is asked of the archive.
    fn lets_row(&self, place: Place) -> Result<bool, SyncError> {
        if !self.looks_at_rows() {
            return Ok(true);
        }
        let vault = self.searcher.vault;
        let Some(session) = vault.session_by_id(place.session())? else { return Ok(false) };
        let Some(seq) = place.seq() else {
            let ts = session.ended_at.or(session.started_at);
            let facts = Facts { ts: ts.unwrap_or(Timestamp(0)), kind: None, exit: None, tool: 0 };
            return Ok(self.gate.lets(place, &facts));
        };
        let event = vault.event_at(place.session(), &session.session_uid, seq)?;
        Ok(event.is_some_and(|event| {
            let facts = Facts {
                ts: event.ts.unwrap_or(Timestamp(0)),
                kind: Some(event.kind),
                exit: event.exit_code,
                tool: event.tool.as_deref().map_or(0, backstory_index::tool_key),
            };
            self.gate.lets(place, &facts)
        }))
    }

    /// The newest moments that have every word.
    pub(super) fn newest(&self) -> Result<Vec<Ranked>, SyncError> {
        let wanted = wanted(&self.options.query);
        let accept = |place: Place, facts: &Facts| self.gate.lets(place, facts);
        let search = Lexical { wanted: &wanted, limit: NEWEST, accept: &accept };
        let hits: Vec<Hit> = self.index().newest(&search)?;
        Ok(in_order(hits.iter().map(|hit| (hit.place.session(), hit.place.seq()))))
    }
}

/// What the words find. Where single events are asked for, sessions as a whole are no evidence.
fn by_words(
    index: &IndexReader,
    gate: &Gate<'_>,
    wanted: &Wanted,
    limit: usize,
) -> Result<(Lists, Evidence), IndexError> {
    let asked = index.ask(wanted)?;
    std::thread::scope(|scope| {
        let evidence = (!gate.asks_for_events())
            .then(|| scope.spawn(|| asked.evidence(&|session| gate.lets_session(session))));
        let lists = asked.lists(limit, &|place, facts| gate.lets(place, facts))?;
        let evidence = evidence.map(|found| found.join().map_err(|_| IndexError::Broken));
        let found = evidence.transpose()?.transpose()?.unwrap_or_default();
        let backstory_index::Evidence { sessions, attainable, foreign } = found;
        Ok((lists, Evidence { sessions, attainable, foreign }))
    })
}

fn is_tool(hit: &Hit) -> bool {
    hit.facts.kind.and_then(passages::voice) == Some(Voice::Tool)
}

fn candidate(found: &mut HashMap<Place, Candidate>, place: Place) -> &mut Candidate {
    found.entry(place).or_insert(Candidate {
        session: place.session(),
        seq: place.seq(),
        prose: 0.0,
        tools: 0.0,
        nearness: None,
    })
}

/// A query in terms of the index.
fn wanted(query: &Query) -> Wanted {
    let mut wanted = Wanted::default();
    for word in &query.words {
        let mut terms = WantedWord::of(&word.text, word.is_prefix);
        for (text, is_prefix) in &word.alternatives {
            terms.or(WantedWord::of(text, *is_prefix));
        }
        wanted.words.push(terms);
    }
    for phrase in &query.phrases {
        wanted.require(phrase);
    }
    for without in &query.without {
        let (Without::Word(text) | Without::Phrase(text)) = without;
        wanted.refuse(text);
    }
    wanted
}
