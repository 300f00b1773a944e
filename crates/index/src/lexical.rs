//! Finding by words: the best passages by BM25, prose and tool text in lists of their own.

use crate::asked::LocalAsked;
use crate::columns::Columns;
use crate::reader::LocalReader;
use crate::schema::Facts;
use crate::statistics::Statistics;
use crate::wanted::{Phrase, Wanted, WantedWord};
use crate::{IndexError, Place, prefix};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, EnableScoring, Occur, PhraseQuery, Query, TermQuery, Weight,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Score, SegmentReader, Term};

/// A title says more than a line of a message, the human's words a little more than the agent's.
pub const TITLE_WEIGHT: Score = 1.6;
const PROMPT_WEIGHT: Score = 1.0;
/// The word exactly as written, on top of its stem.
pub const NAME_WEIGHT: Score = 0.5;

/// A passage found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Where.
    pub place: Place,
    /// How well; comparable within one list.
    pub score: f32,
    /// What filters asked.
    pub facts: Facts,
}

/// A search by words.
pub struct Lexical<'a> {
    /// What is looked for.
    pub wanted: &'a Wanted,
    /// Places per list.
    pub limit: usize,
    /// Which passages count; without it all do.
    pub accept: Option<Accept<'a>>,
}

/// Says which passages count.
#[derive(Clone, Copy)]
pub struct Accept<'a> {
    /// The sessions whose passages may, in order, where they are known by name.
    pub sessions: Option<&'a [i64]>,
    /// Whether those of a session may. Asked first: whose a passage is costs less to know than the rest.
    pub session: &'a (dyn Fn(i64) -> bool + Sync),
    /// Whether one does; without this, all of such sessions do.
    pub passage: Option<&'a AcceptPassage<'a>>,
}

/// Says whether a passage counts.
pub type AcceptPassage<'a> = dyn Fn(Place, &Facts) -> bool + Sync + 'a;

impl Accept<'_> {
    /// True if a passage counts; its facts are read if they are asked for.
    pub fn lets(&self, place: Place, facts: impl FnOnce() -> Facts) -> bool {
        (self.session)(place.session())
            && self.passage.is_none_or(|passage| passage(place, &facts()))
    }
}

impl Lexical<'_> {
    pub(crate) fn lets(&self, columns: &Columns, doc: DocId) -> bool {
        self.accept.is_none_or(|accept| accept.lets(columns.place(doc), || columns.facts(doc)))
    }
}

impl LocalAsked<'_> {
    /// Among titles, prompts, answers, thoughts and digests.
    pub(crate) fn best_prose(
        &self,
        limit: usize,
        accept: Option<Accept<'_>>,
    ) -> Result<Vec<Hit>, IndexError> {
        let fields = &self.index.fields;
        let words_in =
            [(fields.title, TITLE_WEIGHT), (fields.prompt, PROMPT_WEIGHT), (fields.prose, 1.0)];
        self.best(&words_in, false, limit, accept)
    }

    /// Among calls and outputs of tools, and by names anywhere.
    pub(crate) fn best_tools(
        &self,
        limit: usize,
        accept: Option<Accept<'_>>,
    ) -> Result<Vec<Hit>, IndexError> {
        self.best(&[(self.index.fields.tool, 1.0)], true, limit, accept)
    }

    fn best(
        &self,
        words_in: &[(Field, Score)],
        names: bool,
        limit: usize,
        accept: Option<Accept<'_>>,
    ) -> Result<Vec<Hit>, IndexError> {
        let index = self.index;
        let search = Lexical { wanted: self.wanted, limit, accept };
        let is_plain = self.wanted.phrases.is_empty() && self.wanted.without.is_empty();
        if is_plain && let Some(own) = self.own(accept)? {
            return index.best_own(&index.terms(self, words_in, names)?, self, own, &search);
        }
        let Some(query) = index.query(self, words_in, names)? else {
            return Ok(Vec::new());
        };
        let refused = index.refused(self.wanted)?;
        index.best(query.as_ref(), &self.statistics, refused.as_deref(), &search)
    }
}

impl LocalReader {
    /// See [`crate::Reader::newest`].
    pub(crate) fn newest_of(&self, search: &Lexical<'_>) -> Result<Vec<Hit>, IndexError> {
        let refused = self.refused(search.wanted)?;
        let fields = self.fields.word_fields().map(|field| (field, 1.0));
        let statistics = Statistics::new(&self.searcher, self.fields);
        let mut all: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for word in search.wanted.words.iter().filter(|word| !word.is_empty()) {
            let terms = self.terms_of(word, &statistics, &fields, true)?;
            all.push((Occur::Must, Box::new(BooleanQuery::union(terms))));
        }
        for phrase in &search.wanted.phrases {
            all.push((Occur::Must, self.phrase_anywhere(phrase, &self.fields.word_fields())));
        }
        let query: Box<dyn Query> =
            if all.is_empty() { Box::new(AllQuery) } else { Box::new(BooleanQuery::new(all)) };
        self.collect(query.as_ref(), refused.as_deref(), search, &|facts, _| facts.ts.0 as f64)
    }

    fn query(
        &self,
        asked: &LocalAsked<'_>,
        words_in: &[(Field, Score)],
        names: bool,
    ) -> Result<Option<Box<dyn Query>>, IndexError> {
        let (wanted, terms) = (asked.wanted, self.terms(asked, words_in, names)?);
        if wanted.phrases.is_empty() {
            return Ok(
                (!terms.is_empty()).then(|| Box::new(BooleanQuery::union(terms)) as Box<dyn Query>)
            );
        }
        let fields: Vec<Field> = words_in.iter().map(|(field, _)| *field).collect();
        let mut all: Vec<(Occur, Box<dyn Query>)> = wanted
            .phrases
            .iter()
            .map(|phrase| (Occur::Must, self.phrase_anywhere(phrase, &fields)))
            .collect();
        all.extend(terms.into_iter().map(|term| (Occur::Should, term)));
        Ok(Some(Box::new(BooleanQuery::new(all))))
    }

    /// All terms of a query.
    fn terms(
        &self,
        asked: &LocalAsked<'_>,
        words_in: &[(Field, Score)],
        names: bool,
    ) -> Result<Vec<Box<dyn Query>>, IndexError> {
        let mut terms = Vec::new();
        for word in &asked.words {
            terms.extend(self.terms_of(word, &asked.statistics, words_in, names)?);
        }
        Ok(terms)
    }

    fn terms_of(
        &self,
        word: &WantedWord,
        statistics: &Statistics<'_>,
        words_in: &[(Field, Score)],
        names: bool,
    ) -> Result<Vec<Box<dyn Query>>, IndexError> {
        let term = |field: Field, text: &str, weight: Score| -> Box<dyn Query> {
            boosted(Term::from_field_text(field, text), weight)
        };
        let mut terms = Vec::new();
        for (field, weight) in words_in {
            let is_tool = *field == self.fields.tool;
            let words = if is_tool { &word.words } else { &word.stems };
            terms.extend(words.iter().map(|word| term(*field, word, *weight)));
            for start in &word.prefixes {
                let found = prefix::expand(self, statistics, *field, start)?;
                terms.extend(found.into_iter().map(|found| boosted(found, *weight)));
            }
        }
        if names {
            let field = self.fields.names;
            let both = word.words.iter().chain(&word.names);
            terms.extend(both.map(|name| term(field, name, NAME_WEIGHT)));
            for start in &word.prefixes {
                let found = prefix::expand(self, statistics, field, start)?;
                terms.extend(found.into_iter().map(|found| boosted(found, NAME_WEIGHT)));
            }
        }
        Ok(terms)
    }

    fn phrase_anywhere(&self, phrase: &Phrase, fields: &[Field]) -> Box<dyn Query> {
        let in_field = |field: &Field| -> Box<dyn Query> {
            let is_tool = *field == self.fields.tool;
            let words = if is_tool { &phrase.words } else { &phrase.stems };
            let terms: Vec<Term> =
                words.iter().map(|word| Term::from_field_text(*field, word)).collect();
            match <[Term; 1]>::try_from(terms) {
                Ok([only]) => boosted(only, 1.0),
                Err(terms) => Box::new(PhraseQuery::new(terms)),
            }
        };
        Box::new(BooleanQuery::union(fields.iter().map(in_field).collect()))
    }

    /// What must not occur, as a query.
    fn refused(&self, wanted: &Wanted) -> Result<Option<Box<dyn Weight>>, IndexError> {
        if wanted.without.is_empty() {
            return Ok(None);
        }
        let mut any: Vec<Box<dyn Query>> = Vec::new();
        for phrase in &wanted.without {
            any.push(self.phrase_anywhere(phrase, &self.fields.word_fields()));
            if let [only] = phrase.words.as_slice() {
                any.push(boosted(Term::from_field_text(self.fields.names, only), 1.0));
            }
        }
        let query = BooleanQuery::union(any);
        Ok(Some(query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?))
    }

    fn best(
        &self,
        query: &dyn Query,
        statistics: &Statistics<'_>,
        refused: Option<&dyn Weight>,
        search: &Lexical<'_>,
    ) -> Result<Vec<Hit>, IndexError> {
        let weight = query
            .weight(EnableScoring::enabled_from_statistics_provider(statistics, &self.searcher))?;
        let mut top = Top::new(search.limit);
        let all_columns = self.columns()?;
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let columns = &all_columns[at];
            let refused = refused.map(|refused| matches(refused, segment)).transpose()?;
            weight.for_each_pruning(top.threshold(), segment, &mut |doc, score| {
                let is_refused =
                    refused.as_ref().is_some_and(|all| all.binary_search(&doc).is_ok());
                if !is_refused && !segment.is_deleted(doc) && search.lets(columns, doc) {
                    top.add(Best { score, at, doc });
                }
                top.threshold()
            })?;
        }
        Ok(top.into_hits(all_columns))
    }

    fn collect(
        &self,
        query: &dyn Query,
        refused: Option<&dyn Weight>,
        search: &Lexical<'_>,
        rank: &dyn Fn(&Facts, DocId) -> f64,
    ) -> Result<Vec<Hit>, IndexError> {
        let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
        let mut found: Vec<(f64, Hit)> = Vec::new();
        for (segment, columns) in self.searcher.segment_readers().iter().zip(self.columns()?) {
            let refused = refused.map(|refused| matches(refused, segment)).transpose()?;
            weight.for_each_no_score(segment, &mut |docs| {
                for doc in docs {
                    let is_refused = refused.as_ref().is_some_and(|r| r.binary_search(doc).is_ok());
                    if is_refused || segment.is_deleted(*doc) {
                        continue;
                    }
                    if search.lets(columns, *doc) {
                        let (place, facts) = columns.read(*doc);
                        found.push((rank(&facts, *doc), Hit { place, score: 0.0, facts }));
                    }
                }
                if found.len() > search.limit * 64 {
                    keep_first(&mut found, search.limit);
                }
            })?;
        }
        keep_first(&mut found, search.limit);
        Ok(found.into_iter().map(|(_, hit)| hit).collect())
    }
}

fn keep_first(found: &mut Vec<(f64, Hit)>, limit: usize) {
    found.sort_by(|left, right| {
        right.0.total_cmp(&left.0).then_with(|| right.1.place.cmp(&left.1.place))
    });
    found.dedup_by_key(|(_, hit)| hit.place);
    found.truncate(limit);
}

fn boosted(term: Term, weight: Score) -> Box<dyn Query> {
    let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
    Box::new(BoostQuery::new(Box::new(query), weight))
}

/// Documents of a segment that match, in order.
fn matches(weight: &dyn Weight, segment: &SegmentReader) -> Result<Vec<DocId>, IndexError> {
    let mut all = Vec::new();
    weight.for_each_no_score(segment, &mut |docs| all.extend_from_slice(docs))?;
    Ok(all)
}

/// The best so far, over all segments: what one segment found saves work in the next.
pub(crate) struct Top {
    limit: usize,
    heap: BinaryHeap<Reverse<Best>>,
}

/// A document of a segment, and how good it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best {
    pub(crate) score: Score,
    pub(crate) at: usize,
    pub(crate) doc: DocId,
}

impl PartialEq for Best {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Best {}

impl PartialOrd for Best {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Best {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_place = || (self.at, self.doc).cmp(&(other.at, other.doc));
        self.score.total_cmp(&other.score).then_with(by_place)
    }
}

impl Top {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::with_capacity(limit + 1) }
    }

    pub(crate) fn threshold(&self) -> Score {
        match self.heap.peek() {
            Some(Reverse(worst)) if self.heap.len() >= self.limit => worst.score,
            _ => Score::MIN,
        }
    }

    pub(crate) fn add(&mut self, found: Best) {
        self.heap.push(Reverse(found));
        if self.heap.len() > self.limit {
            self.heap.pop();
        }
    }

    pub(crate) fn into_hits(self, columns: &[Columns]) -> Vec<Hit> {
        let hit = |Reverse(Best { score, at, doc })| {
            let (place, facts) = columns[at].read(doc);
            Hit { place, score, facts }
        };
        let mut hits: Vec<Hit> = self.heap.into_iter().map(hit).collect();
        // Of equals the newer one.
        hits.sort_by(|left, right| {
            right.score.total_cmp(&left.score).then_with(|| right.place.cmp(&left.place))
        });
        let mut seen = std::collections::HashSet::new();
        hits.retain(|hit| seen.insert(hit.place));
        hits
    }
}
