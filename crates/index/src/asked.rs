//! A query put to the local index, and which of its words tell something.

use crate::evidence::{self, Seen};
use crate::lexical::{Accept, Hit};
use crate::reader::LocalReader;
use crate::statistics::Statistics;
use crate::wanted::{Wanted, WantedWord};
use crate::within::Own;
use crate::{Asked, Evidence, IndexError};
use std::sync::OnceLock;
use tantivy::Term;
use tantivy::query::Bm25StatisticsProvider as _;

/// Words searched for; of more, the rarest: a pasted prompt has many that tell nothing.
const MAX_WORDS: usize = 10;
/// So many are searched for however common they are…
const MIN_WORDS: usize = 2;
/// …and more only while all of them together are in no more documents than this.
const MAX_DOCUMENTS: u64 = 12_000;

/// Drops stop words unless there is nothing else, and keeps the rarest of many; `documents_with` says
/// about how many passages have a word.
pub fn telling<'w>(
    words: &'w [WantedWord],
    documents_with: &mut dyn FnMut(&WantedWord) -> Result<u64, IndexError>,
) -> Result<Vec<&'w WantedWord>, IndexError> {
    let mut telling: Vec<&WantedWord> =
        words.iter().filter(|word| !word.is_stop_word && !word.is_empty()).collect();
    if telling.is_empty() {
        telling = words.iter().filter(|word| !word.is_empty()).collect();
    }
    let mut by_rarity = Vec::new();
    for (at, word) in telling.iter().enumerate() {
        let seen = documents_with(word)?;
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

/// A query put to the local index.
pub(crate) struct LocalAsked<'a> {
    pub(crate) index: &'a LocalReader,
    pub(crate) wanted: &'a Wanted,
    pub(crate) statistics: Statistics<'a>,
    /// The words that tell something.
    pub(crate) words: Vec<&'a WantedWord>,
    /// The documents of the sessions that count; looked up by the first question that needs them.
    pub(crate) own: OnceLock<Own>,
}

impl<'a> LocalAsked<'a> {
    pub(crate) fn new(index: &'a LocalReader, wanted: &'a Wanted) -> Result<Self, IndexError> {
        let statistics = Statistics::new(&index.searcher, index.fields);
        let words = telling(&wanted.words, &mut |word| index.documents_with(word, &statistics))?;
        Ok(Self { index, wanted, statistics, words, own: OnceLock::new() })
    }
}

impl Asked for LocalAsked<'_> {
    fn prose(&self, limit: usize, accept: Option<Accept<'_>>) -> Result<Vec<Hit>, IndexError> {
        self.best_prose(limit, accept)
    }

    fn tools(&self, limit: usize, accept: Option<Accept<'_>>) -> Result<Vec<Hit>, IndexError> {
        self.best_tools(limit, accept)
    }

    fn evidence(&self, accept: &dyn Fn(i64) -> bool) -> Result<Evidence, IndexError> {
        let (index, statistics) = (self.index, &self.statistics);
        evidence::of_words(&self.words, statistics.documents(), accept, &mut |stem, written| {
            let mut terms = index.fields.word_terms(stem, written).to_vec();
            let mut documents = statistics.documents_with(stem, written)?;
            if documents == 0 {
                // In the depths of a long output only names are known.
                terms = vec![Term::from_field_text(index.fields.names, written)];
                documents = statistics.doc_freq(&terms[0])?;
            }
            let is_followed = evidence::is_worth_following(documents);
            let passages = is_followed.then(|| index.passages_with(&terms, self.own.get()));
            Ok(Seen { documents, passages: passages.transpose()? })
        })
    }
}

impl LocalReader {
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
