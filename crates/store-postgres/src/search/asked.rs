//! A query put to the index on a server: one look at how frequent its words are, one at the passages
//! that have them; everything else is counted here.

use super::best::{Found, Item, Postings, Sought};
use super::lexemes::{Hash, Lengths, dense, hash, lexeme, phrase, quoted};
use super::reader::{PostgresReader, Session};
use super::terms::Known;
use backstory_index::evidence::{self, Seen};
use backstory_index::scoring::rarity;
use backstory_index::{
    Accept, Asked, Evidence, Facts, Hit, IndexError, NAME_WEIGHT, Phrase, Place, TITLE_WEIGHT,
    TextField, Wanted, WantedWord, telling,
};
use backstory_model::{EventKind, Timestamp};
use postgres::Row;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Passages read of one term at most: a session's evidence follows no word that is in more.
const BOUND: u64 = 3_000;
/// Passages read for all terms together, the rarest first; what does not fit in is only counted in them.
const BUDGET: u64 = 5_000;
/// Passages read that have all phrases: to look for phrases, all terms of a passage are fetched.
const PHRASES: u64 = 1_000;
/// Where filters let too few of them through, so many.
const WIDE_BUDGET: u64 = 60_000;
/// If the rarest terms bring fewer to one of the lists, frequent ones bring some too: so many of them,
const ENOUGH: u64 = 300;
const FREQUENT: usize = 4;
/// each so many passages.
const PER_FREQUENT: u64 = 1_000;
/// Fewer that are nearly about a word are not enough to choose from.
const FEWEST_DENSE: u64 = 600;

const PROSE: [(TextField, f32); 3] =
    [(TextField::Title, TITLE_WEIGHT), (TextField::Prompt, 1.0), (TextField::Prose, 1.0)];
const TOOLS: [(TextField, f32); 1] = [(TextField::Tool, 1.0)];

/// A query put to an index.
pub(super) struct PostgresAsked<'a> {
    index: &'a PostgresReader,
    wanted: &'a Wanted,
    known: Mutex<Known>,
    words: Vec<&'a WantedWord>,
    prose: Sought,
    tools: Sought,
    narrow: Postings,
    wide: OnceLock<Postings>,
    /// Who has the words, where phrases must be met as well and are all that was read above.
    of_words: Postings,
}

impl<'a> PostgresAsked<'a> {
    pub(super) fn new(index: &'a PostgresReader, wanted: &'a Wanted) -> Result<Self, IndexError> {
        index.words(|session| {
            let mut known = Known::of(session, index.state.passages, wanted)?;
            let words = telling(&wanted.words, &mut |word| Ok(known.documents_with_any(word)))?;
            known.choose_beginnings()?;
            let prose = sought(&mut known, &words, &wanted.phrases, &PROSE, false);
            let tools = sought(&mut known, &words, &wanted.phrases, &TOOLS, true);
            let refused = refused(wanted);
            let looking = Looking { known: &known, refused: refused.as_deref() };
            let lists = [&prose, &tools];
            let narrow = looking.read(session, &lists, BUDGET)?;
            let of_words = if wanted.phrases.is_empty() || words.is_empty() {
                Postings::default()
            } else {
                let only_words = |list: &Sought| Sought {
                    items: list.items[wanted.phrases.len() * fields_of(list)..].to_vec(),
                    musts: Vec::new(),
                };
                let lists = [&only_words(&prose), &only_words(&tools)];
                Looking { known: &known, refused: None }.read(session, &lists, BUDGET)?
            };
            Ok(Self {
                index,
                wanted,
                known: Mutex::new(known),
                words,
                prose,
                tools,
                narrow,
                wide: OnceLock::new(),
                of_words,
            })
        })
    }

    fn best(
        &self,
        sought: &Sought,
        limit: usize,
        accept: Option<Accept<'_>>,
    ) -> Result<Vec<Hit>, IndexError> {
        let (hits, accepted) = self.narrow.best(sought, limit, accept);
        if accept.is_none() || accepted >= limit || !self.narrow.is_cut {
            return Ok(hits);
        }
        if let Some(wide) = self.wide.get() {
            return Ok(wide.best(sought, limit, accept).0);
        }
        let refused = refused(self.wanted);
        let wide = self.index.words(|session| {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let looking = Looking { known: &known, refused: refused.as_deref() };
            looking.read(session, &[&self.prose, &self.tools], WIDE_BUDGET)
        })?;
        Ok(self.wide.get_or_init(|| wide).best(sought, limit, accept).0)
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
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let postings = if self.wanted.phrases.is_empty() { &self.narrow } else { &self.of_words };
        let all = known.passages;
        evidence::of_words(&self.words, all, accept, &mut |stem, written| {
            let word = |field: &TextField| {
                lexeme(*field, if *field == TextField::Tool { written } else { stem })
            };
            let mut lexemes: Vec<String> = TextField::OF_WORDS.iter().map(word).collect();
            let mut documents = known.documents_with(stem, written);
            if documents == 0 {
                // In the depths of a long output only names are known.
                lexemes = vec![lexeme(TextField::Names, written)];
                documents = known.count(TextField::Names, written);
            }
            lexemes.retain(|lexeme| known.count_of(lexeme) > 0);
            let mut passages = evidence::is_worth_following(documents).then(FxHashMap::default);
            for lexeme in &lexemes {
                let having = postings.all_having(&quoted(lexeme));
                passages = passages.zip(having).map(|(mut passages, having)| {
                    for found in having {
                        *passages.entry(found.place.session()).or_default() += 1.0;
                    }
                    passages
                });
            }
            Ok(Seen { documents, passages })
        })
    }
}

/// Fields phrases are looked for in.
fn fields_of(list: &Sought) -> usize {
    list.musts.first().map_or(0, Vec::len)
}

/// What is looked for in one of the lists: phrases first.
fn sought(
    known: &mut Known,
    words: &[&WantedWord],
    phrases: &[Phrase],
    words_in: &[(TextField, f32)],
    names: bool,
) -> Sought {
    let mut sought = Sought::default();
    for phrase in phrases {
        let mut must = Vec::new();
        for (field, _) in words_in {
            let query = phrase_in(phrase, *field);
            let terms = terms_in(phrase, *field).iter();
            let rarities =
                terms.map(|term| rarity(known.documents_of(*field, term), known.passages));
            let weight = rarities.sum();
            must.push(query.clone());
            sought.items.push(Item { query, field: *field, weight });
        }
        sought.musts.push(must);
    }
    for word in words {
        for (field, weight) in words_in {
            let terms = if *field == TextField::Tool { &word.words } else { &word.stems };
            add_terms(&mut sought, known, (*field, *weight), terms.iter(), word);
        }
        if names {
            let terms = word.words.iter().chain(&word.names);
            add_terms(&mut sought, known, (TextField::Names, NAME_WEIGHT), terms, word);
        }
    }
    sought
}

fn add_terms<'t>(
    sought: &mut Sought,
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
            let query = quoted(&lexeme(field, &term));
            sought.items.push(Item { query, field, weight: rarity * weight });
        }
    }
}

pub(super) fn terms_in(phrase: &Phrase, field: TextField) -> &[String] {
    if field == TextField::Tool { &phrase.words } else { &phrase.stems }
}

/// A phrase in a field, as a query.
pub(super) fn phrase_in(words: &Phrase, field: TextField) -> String {
    let lexemes: Vec<String> =
        terms_in(words, field).iter().map(|term| lexeme(field, term)).collect();
    match lexemes.as_slice() {
        [only] => quoted(only),
        several => phrase(several),
    }
}

/// A phrase in any field of words, as a query.
pub(super) fn phrase_anywhere(phrase: &Phrase) -> String {
    let queries: Vec<String> =
        TextField::OF_WORDS.iter().map(|field| phrase_in(phrase, *field)).collect();
    format!("({})", queries.join("|"))
}

/// What must not occur, as a query.
pub(super) fn refused(wanted: &Wanted) -> Option<String> {
    let mut any = Vec::new();
    for phrase in &wanted.without {
        any.push(phrase_anywhere(phrase));
        if let [only] = phrase.words.as_slice() {
            any.push(quoted(&lexeme(TextField::Names, only)));
        }
    }
    (!any.is_empty()).then(|| any.join("|"))
}

/// Reads passages.
struct Looking<'a> {
    known: &'a Known,
    refused: Option<&'a str>,
}

/// What is read of a passage.
const COLUMNS: &str =
    "CAST(q.i AS INTEGER), p.place, p.part, p.ts, p.kind, p.exit, p.tool, p.lengths, p.had";
/// How often it has a phrase. A rank that knows no weights and no lengths is that number.
const PHRASE_TIMES: &str = "ts_rank_cd('{1,1,1,1}', p.terms, q.counted)";
/// What is looked for: as it is found, as it is counted, and how many are read.
const QUERIES: &str = "(SELECT found::tsquery AS found, counted::tsquery AS counted, most, i
    FROM unnest($1::text[], $2::text[], $3::bigint[])
        WITH ORDINALITY AS given (found, counted, most, i) OFFSET 0) q";

/// A term, and how it is read.
struct Reading<'q> {
    query: &'q str,
    count: u64,
    found: String,
    most: u64,
}

impl Looking<'_> {
    /// Reads who has what is sought.
    fn read(
        &self,
        session: &mut Session,
        lists: &[&Sought; 2],
        budget: u64,
    ) -> Result<Postings, IndexError> {
        if !lists[0].musts.is_empty() {
            return self.read_phrases(session, lists, budget);
        }
        let mut postings = Postings::default();
        let mut readings = self.readings(lists);
        plan(&mut readings, lists, budget, self.known);
        let read: Vec<&Reading<'_>> = readings.iter().filter(|reading| reading.most > 0).collect();
        let found: Vec<&str> = read.iter().map(|reading| reading.found.as_str()).collect();
        let counted: Vec<&str> = read.iter().map(|reading| reading.query).collect();
        let most: Vec<i64> = read.iter().map(|reading| reading.most as i64).collect();
        if read.is_empty() {
            return Ok(postings);
        }
        let sql = format!(
            "SELECT {COLUMNS}, {} FROM {QUERIES} CROSS JOIN LATERAL
             (SELECT * FROM search_passages WHERE terms @@ q.found LIMIT q.most) p",
            self.is_refused()
        );
        let rows = session.rows(&sql, &[&found, &counted, &most, &self.refused])?;
        let is_complete = |at: usize| read[at].most >= read[at].count;
        take(&mut postings, &counted, &is_complete, &rows);
        let cut: Vec<&str> = readings
            .iter()
            .filter(|reading| reading.most < reading.count)
            .map(|reading| reading.query)
            .collect();
        postings.is_cut = !cut.is_empty();
        count_cut(&mut postings, &cut);
        Ok(postings)
    }

    fn is_refused(&self) -> &'static str {
        if self.refused.is_some() { "p.terms @@ $4::text::tsquery" } else { "$4::text IS NOT NULL" }
    }

    /// The terms of the lists, each once, the rarest first.
    fn readings<'q>(&self, lists: &[&'q Sought; 2]) -> Vec<Reading<'q>> {
        let queries: BTreeSet<&str> =
            lists.iter().flat_map(|list| &list.items).map(|item| item.query.as_str()).collect();
        let reading = |query: &'q str| {
            let count = self.known.count_of(&unquoted(query));
            Reading { query, count, found: query.to_owned(), most: 0 }
        };
        let mut readings: Vec<Reading<'q>> = queries.into_iter().map(reading).collect();
        readings.sort_by_key(|reading| reading.count);
        readings
    }

    /// Reads who has all of the phrases. Adding nothing to the terms makes the server fetch them once,
    /// not for every question about them.
    fn read_phrases(
        &self,
        session: &mut Session,
        lists: &[&Sought; 2],
        budget: u64,
    ) -> Result<Postings, IndexError> {
        let mut postings = Postings::default();
        let readings = self.readings(lists);
        let counted: Vec<&str> = readings.iter().map(|reading| reading.query).collect();
        let all = |at: usize| {
            let any = lists.iter().flat_map(|list| &list.musts[at]).cloned();
            format!("({})", any.collect::<Vec<String>>().join("|"))
        };
        let must: Vec<String> = (0..lists[0].musts.len()).map(all).collect();
        let must = must.join("&");
        let budget = if budget == BUDGET { PHRASES } else { budget };
        let most = vec![budget.min(i64::MAX as u64) as i64; counted.len()];
        let sql = format!(
            "SELECT {COLUMNS}, {}, {PHRASE_TIMES} FROM
             (SELECT place, part, ts, kind, exit, tool, lengths, had, terms || '' AS terms
              FROM search_passages WHERE terms @@ $5::text::tsquery LIMIT $6 OFFSET 0) p
             CROSS JOIN {QUERIES} WHERE p.terms @@ q.counted",
            self.is_refused()
        );
        let limit = budget as i64;
        let rows =
            session.rows(&sql, &[&counted, &counted, &most, &self.refused, &must, &limit])?;
        take(&mut postings, &counted, &|_| false, &rows);
        postings.is_cut = postings.found.len() as u64 >= budget;
        Ok(postings)
    }
}

/// Counts in the passages that were read what was not read itself.
fn count_cut(postings: &mut Postings, cut: &[&str]) {
    for query in cut {
        let hash = hash_of(query);
        let numbers = 0..postings.found.len() as u32;
        let times = numbers.map(|number| (number, postings.times(number, hash)));
        let having = times.filter(|(_, times)| *times > 0.0).collect();
        postings.note(query, having, false);
    }
}

/// Decides how much is read of which term. The rarest choose the candidates; if they bring too few to a
/// list, frequent ones do, by the passages that are nearly about them.
fn plan(readings: &mut [Reading<'_>], lists: &[&Sought; 2], budget: u64, known: &Known) {
    let mut left = budget;
    let bound = if budget == BUDGET { BOUND } else { budget };
    for reading in readings.iter_mut() {
        if reading.count <= left.min(bound) {
            reading.most = reading.count;
            left -= reading.count;
        }
    }
    for list in lists {
        let is_of = |query: &str| list.items.iter().any(|item| item.query == query);
        let mut brought: u64 = 0;
        for reading in readings.iter().filter(|reading| is_of(reading.query)) {
            brought += reading.most;
        }
        let frequent = readings.iter_mut().filter(|reading| reading.most < reading.count);
        for reading in frequent.filter(|reading| is_of(reading.query)).take(FREQUENT) {
            if brought >= ENOUGH && budget == BUDGET {
                break;
            }
            let dense = dense(&unquoted(reading.query));
            if budget == BUDGET && known.count_of(&dense) >= FEWEST_DENSE {
                reading.found = quoted(&dense);
            }
            reading.most = if budget == BUDGET { PER_FREQUENT } else { left.min(reading.count) };
            left -= reading.most.min(left);
            brought += reading.most;
        }
    }
}

fn hash_of(query: &str) -> Hash {
    hash(unquoted(query).as_bytes())
}

/// The lexeme a query is of; a phrase is of none.
fn unquoted(query: &str) -> String {
    query.trim_matches('\'').replace("''", "'").replace("\\\\", "\\")
}

fn take(
    postings: &mut Postings,
    counted: &[&str],
    is_complete: &dyn Fn(usize) -> bool,
    rows: &[Row],
) {
    let hashes: Vec<Hash> = counted.iter().map(|query| hash_of(query)).collect();
    let mut having: Vec<Vec<(u32, f32)>> = vec![Vec::new(); counted.len()];
    for row in rows {
        let place = Place(row.get::<_, i64>(1) as u64);
        let mut found = Found::new(place, row.get(2), facts(row, 3), Lengths(row.get(7)));
        found.is_refused = row.get(9);
        let number = postings.add(found, row.get(8));
        let at = row.get::<_, i32>(0) as usize - 1;
        // Only phrases are counted by the server.
        let times =
            if row.len() > 10 { row.get(10) } else { postings.times(number, hashes[at]).max(1.0) };
        having[at].push((number, times));
    }
    for (at, (query, having)) in counted.iter().zip(having).enumerate() {
        postings.note(query, having, is_complete(at));
    }
}

/// What filters ask for, from a column on: time, kind, exit code and tool.
pub(super) fn facts(row: &Row, from: usize) -> Facts {
    let kind: i16 = row.get(from + 1);
    Facts {
        ts: Timestamp(row.get(from)),
        kind: u8::try_from(kind - 1).ok().and_then(EventKind::from_code),
        exit: row.get(from + 2),
        tool: row.get::<_, i64>(from + 3) as u64,
    }
}
