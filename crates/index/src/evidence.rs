//! What a session as a whole says to a query: its words may be spread over many events.

use crate::asked::Asked;
use crate::{IndexError, IndexReader};
use backstory_meaning::Table;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashMap;
use tantivy::query::Bm25StatisticsProvider as _;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, TERMINATED, Term};

/// Words in more documents than this say little about a session, and would take long to follow.
const MAX_DOCUMENTS: u64 = 3_000;
/// How soon more passages with a word add nothing.
const SATURATION: f32 = 1.2;

/// How much it tells to be one of `some` among `all`.
fn rarity(some: u64, all: u64) -> f32 {
    let (some, all) = (some as f32, all as f32);
    (1.0 + (all - some + 0.5) / (some + 0.5)).ln()
}

/// What the words of a query find in whole sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// For every session with any of the words: how many of them it has, rare ones counting more.
    pub sessions: HashMap<i64, f32>,
    /// What a session would have that had them all, over and over.
    pub attainable: f32,
    /// The share of the words that are written somewhere and are none of the language: names, codes,
    /// hashes. All of it if there is no word of the language.
    pub foreign: f32,
}

impl Asked<'_> {
    /// What sessions as a whole say to the words. A word is rare if few passages have it, and few of
    /// the sessions in question.
    pub fn evidence(&self, accept: &dyn Fn(i64) -> bool) -> Result<Evidence, IndexError> {
        let (index, statistics) = (self.index, &self.statistics);
        let mut found: Vec<(f32, FxHashMap<i64, f32>)> = Vec::new();
        let (mut all, mut native, mut foreign) = (0, 0, 0);
        for word in self.words.iter().filter(|word| !word.is_stop_word) {
            for (stem, written) in word.stems.iter().zip(&word.words) {
                let mut terms = index.fields.word_terms(stem, written).to_vec();
                let mut documents = statistics.documents_with(stem, written)?;
                if documents == 0 {
                    // In the depths of a long output only names are known.
                    terms = vec![Term::from_field_text(index.fields.names, written)];
                    documents = statistics.doc_freq(&terms[0])?;
                }
                all += 1;
                let is_native = is_of_language(stem, written);
                native += usize::from(is_native);
                foreign += usize::from(documents > 0 && !is_native);
                if documents > MAX_DOCUMENTS {
                    continue;
                }
                let mut passages = index.passages_with(&terms)?;
                passages.retain(|session, _| accept(*session));
                let share = 1.0 / word.stems.len() as f32;
                found.push((rarity(documents, statistics.documents()) * share, passages));
            }
        }
        let foreign = if all > 0 && native == 0 { 1.0 } else { foreign as f32 / all.max(1) as f32 };
        Ok(Evidence { foreign, ..together(found) })
    }
}

impl IndexReader {
    /// How many passages of each session have one of the terms.
    fn passages_with(&self, terms: &[Term]) -> Result<FxHashMap<i64, f32>, IndexError> {
        let mut passages: FxHashMap<i64, f32> = FxHashMap::default();
        for (segment, columns) in self.searcher.segment_readers().iter().zip(self.columns()?) {
            for term in terms {
                let inverted = segment.inverted_index(term.field())?;
                let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::Basic)?
                else {
                    continue;
                };
                let mut doc = postings.doc();
                while doc != TERMINATED {
                    if !segment.is_deleted(doc) {
                        *passages.entry(columns.place(doc).session()).or_default() += 1.0;
                    }
                    doc = postings.advance();
                }
            }
        }
        Ok(passages)
    }
}

fn is_of_language(stem: &str, written: &str) -> bool {
    Table::shipped().is_ok_and(|table| table.has_word(written) || table.has_word(stem))
}

/// Adds up the words: each with its rarity among passages and how many passages of each session have
/// it.
fn together(found: Vec<(f32, FxHashMap<i64, f32>)>) -> Evidence {
    let sessions: FxHashSet<i64> =
        found.iter().flat_map(|(_, passages)| passages.keys().copied()).collect();
    let mut evidence = Evidence::default();
    for (among_passages, passages) in found {
        let among_sessions = rarity(passages.len() as u64, sessions.len() as u64);
        let weight = (among_passages * among_sessions).sqrt();
        evidence.attainable += weight;
        for (session, count) in passages {
            *evidence.sessions.entry(session).or_default() += weight * count / (count + SATURATION);
        }
    }
    evidence
}
