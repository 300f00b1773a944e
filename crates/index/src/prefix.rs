//! Words that begin with something.

use crate::reader::LocalReader;
use crate::statistics::Statistics;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use tantivy::query::Bm25StatisticsProvider as _;
use tantivy::schema::Field;
use tantivy::{SegmentReader, Term};

/// Terms looked at in one of the largest segments: what is frequent is frequent there.
const MAX_SCANNED: usize = 400;
const LARGEST: usize = 2;
/// Where few are found, something rare may be elsewhere.
const MAX_SCANNED_ELSEWHERE: usize = 64;
/// Terms searched for; the most frequent ones…
pub const MAX_TERMS: usize = 8;
/// …but no more of them once so many documents have one.
const ENOUGH_DOCUMENTS: u64 = 20_000;

/// The most frequent terms of a field with a prefix.
pub(crate) fn expand(
    index: &LocalReader,
    statistics: &Statistics<'_>,
    field: Field,
    prefix: &str,
) -> Result<Vec<Term>, crate::IndexError> {
    let mut found: FxHashMap<Vec<u8>, u64> = FxHashMap::default();
    let mut segments: Vec<&SegmentReader> = index.searcher.segment_readers().iter().collect();
    segments.sort_by_key(|segment| Reverse(segment.max_doc()));
    let (largest, others) = segments.split_at(segments.len().min(LARGEST));
    scan(largest, field, prefix, MAX_SCANNED, &mut found)?;
    if found.len() < MAX_TERMS {
        scan(others, field, prefix, MAX_SCANNED_ELSEWHERE, &mut found)?;
    }
    let text = |(bytes, seen): (Vec<u8>, u64)| (String::from_utf8_lossy(&bytes).into_owned(), seen);
    let wanted = most_frequent(found.into_iter().map(text).collect(), &mut |word| {
        Ok(statistics.doc_freq(&Term::from_field_text(field, word))?)
    })?;
    Ok(wanted.iter().map(|word| Term::from_field_text(field, word)).collect())
}

/// The most frequent of the terms with a prefix, given with how often each was seen; `documents_with`
/// says how many passages have one.
pub fn most_frequent(
    mut terms: Vec<(String, u64)>,
    documents_with: &mut dyn FnMut(&str) -> Result<u64, crate::IndexError>,
) -> Result<Vec<String>, crate::IndexError> {
    terms.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    terms.truncate(MAX_TERMS);
    let mut documents = 0;
    let mut wanted = Vec::new();
    for (term, _) in terms {
        documents += documents_with(&term)?;
        wanted.push(term);
        if documents >= ENOUGH_DOCUMENTS {
            break;
        }
    }
    Ok(wanted)
}

/// Counts the terms with a prefix, in each segment no more than some.
fn scan(
    segments: &[&SegmentReader],
    field: Field,
    prefix: &str,
    most: usize,
    found: &mut FxHashMap<Vec<u8>, u64>,
) -> Result<(), crate::IndexError> {
    for segment in segments {
        let inverted = segment.inverted_index(field)?;
        let mut stream = inverted.terms().range().ge(prefix.as_bytes()).into_stream()?;
        let mut scanned = 0;
        while scanned < most && stream.advance() {
            if !stream.key().starts_with(prefix.as_bytes()) {
                break;
            }
            let seen = u64::from(stream.value().doc_freq);
            match found.get_mut(stream.key()) {
                Some(count) => *count += seen,
                None => {
                    found.insert(stream.key().to_vec(), seen);
                }
            }
            scanned += 1;
        }
    }
    Ok(())
}
