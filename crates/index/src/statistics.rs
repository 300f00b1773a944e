//! How rare a word is, and how long a text usually is.
//!
//! The engine would count each field by itself, over all documents: a prompt would be taken for
//! endlessly long, because most documents have none, and one word would weigh differently in a prompt
//! and in an answer. Here a word's rarity is that in all fields together, and a text is long or short
//! compared with what is usual in its field.

use crate::schema::{Fields, TextField};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;
use tantivy::{Searcher, SegmentReader, Term};

/// Documents enough to tell how frequent a word is…
const SAMPLE: u64 = 100_000;
/// …if so many of them have it.
const FREQUENT: u64 = 50;

pub(crate) struct Statistics<'a> {
    /// Segments, the largest first, and how many of them are a sample.
    by_size: Vec<&'a SegmentReader>,
    sampled: usize,
    fields: Fields,
    documents: u64,
    known: Mutex<HashMap<Vec<u8>, u64>>,
}

impl<'a> Statistics<'a> {
    pub(crate) fn new(searcher: &'a Searcher, fields: Fields) -> Self {
        let mut by_size: Vec<&SegmentReader> = searcher.segment_readers().iter().collect();
        by_size.sort_by_key(|segment| Reverse(segment.max_doc()));
        let (mut documents, mut sampled) = (0, 0);
        for segment in &by_size {
            sampled += usize::from(documents < SAMPLE);
            documents += u64::from(segment.max_doc());
        }
        Self { by_size, sampled, fields, documents, known: Mutex::default() }
    }

    /// Words in a usual text of a field.
    fn usual_length(&self, field: Field) -> u64 {
        let is_field = |text: &TextField| self.fields.text(*text) == field;
        let known = TextField::OF_WORDS.into_iter().find(is_field).unwrap_or(TextField::Names);
        u64::from(known.usual_length())
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Vec<u8>, u64>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All documents.
    pub(crate) fn documents(&self) -> u64 {
        self.documents
    }

    /// Documents with a word: its stem in prose, or the word as it is written in tool text. Frequent
    /// words are counted in the largest segments alone.
    pub(crate) fn documents_with(&self, stem: &str, written: &str) -> tantivy::Result<u64> {
        if let Some(count) = self.known().get(stem.as_bytes()) {
            return Ok(*count);
        }
        let count = self.count(&self.fields.word_terms(stem, written))?.min(self.documents);
        let mut known = self.known();
        known.insert(stem.as_bytes().to_vec(), count);
        known.insert(written.as_bytes().to_vec(), count);
        Ok(count)
    }

    fn count(&self, terms: &[Term]) -> tantivy::Result<u64> {
        let count = |segments: &[&SegmentReader]| -> tantivy::Result<u64> {
            let mut count = 0;
            for segment in segments {
                for term in terms {
                    count += u64::from(segment.inverted_index(term.field())?.doc_freq(term)?);
                }
            }
            Ok(count)
        };
        let (sample, others) = self.by_size.split_at(self.sampled);
        let seen = count(sample)?;
        if seen < FREQUENT {
            return Ok(seen + count(others)?);
        }
        let sampled: u64 = sample.iter().map(|segment| u64::from(segment.max_doc())).sum();
        Ok(seen * self.documents / sampled.max(1))
    }
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.documents * self.usual_length(field))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.documents)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let value = term.value();
        match value.as_str() {
            Some(word) if self.fields.word_fields().contains(&term.field()) => {
                self.documents_with(word, word)
            }
            _ => self.count(std::slice::from_ref(term)),
        }
    }
}
