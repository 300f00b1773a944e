//! What a session as a whole says to a query: its words may be spread over many events.

use crate::IndexError;
use crate::reader::LocalReader;
use crate::scoring::rarity;
use crate::wanted::WantedWord;
use crate::within::{Own, each_own};
use backstory_meaning::Table;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashMap;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet as _, TERMINATED, Term};

/// Words in more documents than this say little about a session, and would take long to follow.
const MAX_DOCUMENTS: u64 = 3_000;
/// How soon more passages with a word add nothing.
const SATURATION: f32 = 1.2;

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
    /// The words looked up.
    pub words: Vec<WordSeen>,
}

/// How rare a word is.
#[derive(Clone, Debug, PartialEq)]
pub struct WordSeen {
    /// Its stem.
    pub stem: String,
    /// The rarer, the more.
    pub rarity: f32,
    /// It is written somewhere.
    pub is_known: bool,
}

/// What is known of a word.
#[derive(Debug, Default)]
pub struct Seen {
    /// How many passages have it.
    pub documents: u64,
    /// How many of each session; none if it is in too many to follow them.
    pub passages: Option<FxHashMap<i64, f32>>,
}

/// True for a word that is rare enough to look up the sessions that have it.
pub fn is_worth_following(documents: u64) -> bool {
    documents <= MAX_DOCUMENTS
}

/// What sessions as a whole say to words, among so many passages; `look` looks up a stem and the word
/// as it was written.
pub fn of_words(
    words: &[&WantedWord],
    documents: u64,
    accept: &dyn Fn(i64) -> bool,
    look: &mut dyn FnMut(&str, &str) -> Result<Seen, IndexError>,
) -> Result<Evidence, IndexError> {
    let mut found: Vec<(f32, FxHashMap<i64, f32>)> = Vec::new();
    let mut seen_words: Vec<WordSeen> = Vec::new();
    let (mut all, mut native, mut foreign) = (0, 0, 0);
    for word in words.iter().filter(|word| !word.is_stop_word) {
        for (stem, written) in word.stems.iter().zip(&word.words) {
            let seen = look(stem, written)?;
            all += 1;
            let is_native = is_of_language(stem, written);
            native += usize::from(is_native);
            foreign += usize::from(seen.documents > 0 && !is_native);
            let among_passages = rarity(seen.documents, documents);
            seen_words.push(WordSeen {
                stem: stem.clone(),
                rarity: among_passages,
                is_known: seen.documents > 0,
            });
            let Some(mut passages) = seen.passages else { continue };
            passages.retain(|session, _| accept(*session));
            let share = 1.0 / word.stems.len() as f32;
            found.push((among_passages * share, passages));
        }
    }
    let foreign = if all > 0 && native == 0 { 1.0 } else { foreign as f32 / all.max(1) as f32 };
    Ok(Evidence { foreign, words: seen_words, ..together(found) })
}

impl LocalReader {
    /// How many passages of each session have one of the terms; only of its own, where some count alone.
    pub(crate) fn passages_with(
        &self,
        terms: &[Term],
        own: Option<&Own>,
    ) -> Result<FxHashMap<i64, f32>, IndexError> {
        let mut passages: FxHashMap<i64, f32> = FxHashMap::default();
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let (own, columns) = (own.map(|own| own.of_segment(at)), &self.columns()?[at]);
            if own.is_some_and(<[DocId]>::is_empty) {
                continue;
            }
            let mut count = |doc: DocId| {
                if !segment.is_deleted(doc) {
                    *passages.entry(columns.place(doc).session()).or_default() += 1.0;
                }
            };
            for term in terms {
                let inverted = segment.inverted_index(term.field())?;
                let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::Basic)?
                else {
                    continue;
                };
                if let Some(own) = own {
                    each_own(&mut postings, own, |_, postings| count(postings.doc()));
                    continue;
                }
                while postings.doc() != TERMINATED {
                    count(postings.doc());
                    postings.advance();
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
