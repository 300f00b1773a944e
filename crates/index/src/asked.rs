//! A query, with what is known of its words: counted once, for every way of looking for them.

use crate::statistics::Statistics;
use crate::wanted::{Wanted, WantedWord};
use crate::{IndexError, IndexReader};
use tantivy::Term;
use tantivy::query::Bm25StatisticsProvider as _;

/// Words searched for; of more, the rarest: a pasted prompt has many that tell nothing.
const MAX_WORDS: usize = 10;
/// So many are searched for however common they are…
const MIN_WORDS: usize = 2;
/// …and more only while all of them together are in no more documents than this.
const MAX_DOCUMENTS: u64 = 12_000;

/// A query put to an index.
pub struct Asked<'a> {
    pub(crate) index: &'a IndexReader,
    pub(crate) wanted: &'a Wanted,
    pub(crate) statistics: Statistics<'a>,
    /// The words that tell something.
    pub(crate) words: Vec<&'a WantedWord>,
}

impl IndexReader {
    /// Puts a query to the index.
    pub fn ask<'a>(&'a self, wanted: &'a Wanted) -> Result<Asked<'a>, IndexError> {
        let statistics = Statistics::new(&self.searcher, self.fields);
        let words = self.telling(&wanted.words, &statistics)?;
        Ok(Asked { index: self, wanted, statistics, words })
    }

    /// Drops stop words unless there is nothing else, and keeps the rarest of many.
    fn telling<'w>(
        &self,
        words: &'w [WantedWord],
        statistics: &Statistics<'_>,
    ) -> Result<Vec<&'w WantedWord>, IndexError> {
        let mut telling: Vec<&WantedWord> =
            words.iter().filter(|word| !word.is_stop_word && !word.is_empty()).collect();
        if telling.is_empty() {
            telling = words.iter().filter(|word| !word.is_empty()).collect();
        }
        let mut by_rarity = Vec::new();
        for (at, word) in telling.iter().enumerate() {
            let seen = self.documents_with(word, statistics)?;
            // A word nobody wrote finds nothing; it must not push out one that does.
            by_rarity.push((if seen == 0 { u64::MAX } else { seen }, at));
        }
        by_rarity.sort_unstable();
        by_rarity.truncate(MAX_WORDS);
        let mut documents = 0_u64;
        by_rarity = by_rarity
            .into_iter()
            .enumerate()
            .take_while(|(rank, (seen, _))| {
                documents = documents.saturating_add(if *seen == u64::MAX { 0 } else { *seen });
                *rank < MIN_WORDS || documents <= MAX_DOCUMENTS
            })
            .map(|(_, word)| word)
            .collect();
        by_rarity.sort_unstable_by_key(|(_, at)| *at);
        Ok(by_rarity.into_iter().map(|(_, at)| telling[at]).collect())
    }

    /// About how many documents have a word; of a name, its most frequent part.
    fn documents_with(
        &self,
        word: &WantedWord,
        statistics: &Statistics<'_>,
    ) -> Result<u64, IndexError> {
        let mut most = 0;
        for (stem, written) in word.stems.iter().zip(&word.words) {
            most = most.max(statistics.documents_with(stem, written)?);
        }
        if most == 0 {
            // In the depths of a long output only names are known.
            for name in word.words.iter().chain(&word.names) {
                let term = Term::from_field_text(self.fields.names, name);
                most = most.max(statistics.doc_freq(&term)?);
            }
        }
        Ok(most)
    }
}
