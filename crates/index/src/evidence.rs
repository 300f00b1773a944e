//! What a session as a whole says to a query: its words may be spread over many events.

use crate::statistics::Statistics;
use crate::{IndexError, IndexReader, Place, WantedWord};
use std::collections::{HashMap, HashSet};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, TERMINATED, Term};

/// Words in more documents than this say little about a session, and would take long to follow.
const MAX_DOCUMENTS: u64 = 20_000;
/// How soon more passages with a word add nothing.
const SATURATION: f32 = 1.2;

/// How much it tells to be one of `some` among `all`.
fn rarity(some: u64, all: u64) -> f32 {
    let (some, all) = (some as f32, all as f32);
    (1.0 + (all - some + 0.5) / (some + 0.5)).ln()
}

impl IndexReader {
    /// For every session with any of the words: how many of them it has, rare ones counting more; and
    /// what a session would have that had them all, over and over. A word is rare if few passages have
    /// it, and few of the sessions in question.
    pub fn evidence(
        &self,
        words: &[WantedWord],
        accept: &dyn Fn(i64) -> bool,
    ) -> Result<(HashMap<i64, f32>, f32), IndexError> {
        let statistics = Statistics::new(&self.searcher, self.fields);
        let mut found: Vec<(f32, HashMap<i64, f32>)> = Vec::new();
        for word in words.iter().filter(|word| !word.is_stop_word) {
            for (stem, written) in word.stems.iter().zip(&word.words) {
                let documents = statistics.documents_with(stem)?;
                if documents > MAX_DOCUMENTS {
                    continue;
                }
                let mut passages = self.passages_with(stem, written)?;
                passages.retain(|session, _| accept(*session));
                let share = 1.0 / word.stems.len() as f32;
                found.push((rarity(documents, statistics.documents()) * share, passages));
            }
        }
        let sessions: HashSet<i64> =
            found.iter().flat_map(|(_, passages)| passages.keys().copied()).collect();
        let mut evidence: HashMap<i64, f32> = HashMap::new();
        let mut all = 0.0;
        for (among_passages, passages) in found {
            let among_sessions = rarity(passages.len() as u64, sessions.len() as u64);
            let weight = (among_passages * among_sessions).sqrt();
            all += weight;
            for (session, count) in passages {
                *evidence.entry(session).or_default() += weight * count / (count + SATURATION);
            }
        }
        Ok((evidence, all))
    }

    /// How many passages of each session have a word.
    fn passages_with(&self, stem: &str, word: &str) -> Result<HashMap<i64, f32>, IndexError> {
        let mut passages: HashMap<i64, f32> = HashMap::new();
        for segment in self.searcher.segment_readers() {
            let places = segment.fast_fields().u64("place")?;
            for field in self.fields.word_fields() {
                let inverted = segment.inverted_index(field)?;
                let text = if field == self.fields.tool { word } else { stem };
                let term = Term::from_field_text(field, text);
                let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)?
                else {
                    continue;
                };
                let mut doc = postings.doc();
                while doc != TERMINATED {
                    if !segment.is_deleted(doc) {
                        let place = Place(places.first(doc).unwrap_or_default());
                        *passages.entry(place.session()).or_default() += 1.0;
                    }
                    doc = postings.advance();
                }
            }
        }
        Ok(passages)
    }
}
