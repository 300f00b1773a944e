//! Candidates: what the words find, and what is near in meaning.

use super::scope::Gate;
use super::{Mode, Paths, SearchOptions, Searcher, in_order};
use crate::SyncError;
use backstory_distill::passages::{self, Voice};
use backstory_distill::query::{Query, Without};
use backstory_distill::ranking::{Candidate, Evidence, Ranked};
use backstory_index::{
    Facts, Hit, IndexError, Lexical, Place, Reader, Wanted, WantedWord, WordSeen, embed,
};
use backstory_meaning::Embedding;
use backstory_model::{SessionEvent, Timestamp};
use backstory_store::Stretch;
use std::collections::{HashMap, HashSet};

/// Places each way of searching brings in.
const PER_LIST: usize = 200;
/// Among so many documents the hundredth is still a good one.
const MANY_DOCUMENTS: u64 = 200_000;
const PER_LIST_OF_MANY: usize = 100;
/// With filters only the event can answer, more are brought in, for most will not pass.
const PER_LIST_FILTERED: usize = 1000;
/// Moments looked through when the newest are wanted.
const NEWEST: usize = 2000;

pub(super) struct Gatherer<'a, 'v> {
    pub(super) searcher: &'a Searcher<'v>,
    pub(super) options: &'a SearchOptions,
    pub(super) gate: &'a Gate<'a>,
    /// How many places near in meaning are brought in; as many as by words unless somebody says.
    pub(super) near: Option<usize>,
}

/// What may answer.
pub(super) struct Gathered {
    /// Each place once.
    pub(super) candidates: Vec<Candidate>,
    /// How many of the words each session has.
    pub(super) evidence: Evidence,
    /// How rare the words are.
    pub(super) words: Vec<WordSeen>,
}

/// True if only filters were given.
pub(super) fn has_no_words(query: &Query) -> bool {
    query.words.is_empty() && query.phrases.is_empty()
}

impl Gatherer<'_, '_> {
    fn index(&self) -> &dyn Reader {
        &*self.searcher.index
    }

    /// Everything that may answer, each place once, and how many of the words each session has.
    pub(super) fn candidates(&self, paths: &mut Paths) -> Result<Gathered, SyncError> {
        paths.lexical = self.options.mode != Mode::Semantic;
        let embedded = if self.options.mode == Mode::Lexical { None } else { self.embedded(paths) };
        paths.semantic = embedded.is_some();
        let looking = Looking {
            index: self.index(),
            gate: self.gate,
            limit: self.limit(),
            // Among few sessions a thread takes longer to begin than the work it takes over.
            side_by_side: self.searcher.side_by_side && !self.gate.names_few_sessions(),
        };
        let (wanted, near) = (wanted(&self.options.query), self.near_limit());
        let near = || match embedded.as_ref().zip(near) {
            Some((query, limit)) => looking.near(query, limit),
            None => Ok(Vec::new()),
        };
        let by_words = || paths.lexical.then(|| looking.by_words(&wanted)).transpose();
        let (near, found_by_words) = both(looking.side_by_side, near, by_words)?;
        let (near, found_by_words) = (near?, found_by_words?);
        let Words { prose, tools, evidence, seen } = found_by_words.unwrap_or_default();
        let mut found: HashMap<Place, Candidate> = HashMap::new();
        for hit in &prose {
            candidate(&mut found, hit.place).prose = hit.score;
        }
        for hit in &tools {
            candidate(&mut found, hit.place).tools = hit.score;
        }
        let unseen =
            near.iter().map(|(place, _)| *place).filter(|place| !found.contains_key(place));
        let let_in = self.let_in(unseen.collect())?;
        for (place, cosine) in near {
            if found.contains_key(&place) || let_in.contains(&place) {
                candidate(&mut found, place).nearness = Some(cosine);
            }
        }
        if let Some(query) = &embedded {
            // Only prose has a meaning to compare.
            let tools: HashSet<Place> =
                tools.iter().filter(|hit| is_tool(hit)).map(|hit| hit.place).collect();
            let unknown = |(place, candidate): &(&Place, &Candidate)| {
                candidate.nearness.is_none() && !tools.contains(place)
            };
            let unknown: Vec<Place> =
                found.iter().filter(unknown).map(|(place, _)| *place).collect();
            for (place, near) in unknown.iter().zip(self.index().nearness(query, &unknown)?) {
                candidate(&mut found, *place).nearness = near;
            }
        }
        let mut candidates: Vec<Candidate> = found.into_values().collect();
        candidates.sort_by_key(|candidate| (candidate.session, candidate.seq));
        Ok(Gathered { candidates, evidence, words: seen })
    }

    fn limit(&self) -> usize {
        if self.gate.must_look() { PER_LIST_FILTERED } else { self.per_list() }
    }

    fn per_list(&self) -> usize {
        if self.index().documents() < MANY_DOCUMENTS { PER_LIST } else { PER_LIST_OF_MANY }
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
        let embedded = embed(&text);
        if embedded.is_none() && self.options.mode == Mode::Semantic {
            paths.notes.push("the query has too few words to compare meanings".into());
        }
        embedded
    }

    /// How many places near in meaning are brought in. What must be there to the letter is not looked
    /// for by meaning.
    fn near_limit(&self) -> Option<usize> {
        let asked = &self.options.query;
        let must_match = !(asked.phrases.is_empty() && asked.without.is_empty());
        if must_match && self.options.mode != Mode::Semantic {
            return None;
        }
        let usual = || self.near.unwrap_or_else(|| self.per_list());
        Some(if self.looks_at_rows() { PER_LIST_FILTERED } else { usual() })
    }

    fn looks_at_rows(&self) -> bool {
        self.gate.asks_for_events() || self.gate.asks_for_times()
    }

    /// Those of some places that the filters let through. Vectors know only their place; the rest is
    /// asked of the archive.
    fn let_in(&self, places: HashSet<Place>) -> Result<HashSet<Place>, SyncError> {
        if !self.looks_at_rows() || places.is_empty() {
            return Ok(places);
        }
        let vault = self.searcher.vault;
        let ids: HashSet<i64> = places.iter().map(|place| place.session()).collect();
        let sessions = vault.sessions_by_id(&ids.into_iter().collect::<Vec<_>>())?;
        let mut let_in = HashSet::new();
        let (mut events, mut stretches) = (Vec::new(), Vec::new());
        for place in places {
            let Some(session) = sessions.get(&place.session()) else { continue };
            if let Some(seq) = place.seq() {
                events.push(place);
                stretches.push(Stretch::one(place.session(), &session.session_uid, seq));
                continue;
            }
            let ts = session.ended_at.or(session.started_at).unwrap_or(Timestamp(0));
            if self.gate.lets(place, &Facts { ts, kind: None, exit: None, tool: 0 }) {
                let_in.insert(place);
            }
        }
        for (place, event) in events.into_iter().zip(vault.stretches(&stretches)?) {
            if event.first().is_some_and(|event| self.gate.lets(place, &facts(event))) {
                let_in.insert(place);
            }
        }
        Ok(let_in)
    }

    /// The newest moments that have every word.
    pub(super) fn newest(&self) -> Result<Vec<Ranked>, SyncError> {
        let wanted = wanted(&self.options.query);
        let passage = |place: Place, facts: &Facts| self.gate.lets(place, facts);
        let session = |session: i64| self.gate.lets_session(session);
        let accept = self.gate.accept(None, &session, &passage);
        let search = Lexical { wanted: &wanted, limit: NEWEST, accept };
        let hits: Vec<Hit> = self.index().newest(&search)?;
        Ok(in_order(hits.iter().map(|hit| (hit.place.session(), hit.place.seq()))))
    }
}

/// What may be looked for in any thread.
struct Looking<'a> {
    index: &'a dyn Reader,
    gate: &'a Gate<'a>,
    limit: usize,
    side_by_side: bool,
}

/// Looks for two things, the first of them in a thread of its own if that is wanted.
fn both<A: Send, B>(
    side_by_side: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> Result<(A, B), IndexError> {
    if !side_by_side {
        return Ok((first(), second()));
    }
    std::thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second();
        Ok((first.join().map_err(|_| IndexError::Broken)?, second))
    })
}

/// What the words find.
#[derive(Default)]
struct Words {
    prose: Vec<Hit>,
    tools: Vec<Hit>,
    evidence: Evidence,
    seen: Vec<WordSeen>,
}

impl Looking<'_> {
    /// What the words find. Where single events are asked for, sessions as a whole are no evidence.
    fn by_words(&self, wanted: &Wanted) -> Result<Words, IndexError> {
        let asked = self.index.ask(wanted)?;
        let passage = |place: Place, facts: &Facts| self.gate.lets(place, facts);
        let session = |session: i64| self.gate.lets_session(session);
        let sessions = self.gate.only_sessions();
        let accept = self.gate.accept(sessions.as_deref(), &session, &passage);
        let tools = || asked.tools(self.limit, accept);
        let prose_and_evidence = || -> Result<_, IndexError> {
            let prose = asked.prose(self.limit, accept)?;
            let evidence = if self.gate.asks_for_events() {
                backstory_index::Evidence::default()
            } else {
                asked.evidence(&|session| self.gate.lets_session(session))?
            };
            Ok((prose, evidence))
        };
        let (tools, found) = both(self.side_by_side, tools, prose_and_evidence)?;
        let (prose, backstory_index::Evidence { sessions, attainable, foreign, words }) = found?;
        let evidence = Evidence { sessions, attainable, foreign };
        Ok(Words { prose, tools: tools?, evidence, seen: words })
    }

    /// Places near in meaning, as far as the vectors can tell.
    fn near(&self, query: &Embedding, limit: usize) -> Result<Vec<(Place, f32)>, IndexError> {
        if let Some(sessions) = self.gate.only_sessions()
            && let Some(near) = self.index.nearest_within(query, limit, &sessions)?
        {
            return Ok(near);
        }
        self.index.nearest(query, limit, &mut |place| self.gate.lets_session(place.session()))
    }
}

fn facts(event: &SessionEvent) -> Facts {
    Facts {
        ts: event.ts.unwrap_or(Timestamp(0)),
        kind: Some(event.kind),
        exit: event.exit_code,
        tool: event.tool.as_deref().map_or(0, backstory_index::tool_key),
    }
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
