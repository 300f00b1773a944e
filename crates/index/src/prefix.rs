//! Words that begin with something.

use std::collections::HashMap;
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

/// Terms looked at in one segment and field.
const MAX_SCANNED: usize = 5_000;
/// Terms searched for; the most frequent ones.
const MAX_TERMS: usize = 24;

/// The most frequent terms of a field with a prefix.
pub(crate) fn expand(
    searcher: &Searcher,
    field: Field,
    prefix: &str,
) -> Result<Vec<Term>, crate::IndexError> {
    let mut found: HashMap<Vec<u8>, u64> = HashMap::new();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let mut stream = inverted.terms().range().ge(prefix.as_bytes()).into_stream()?;
        let mut scanned = 0;
        while stream.advance() && scanned < MAX_SCANNED {
            if !stream.key().starts_with(prefix.as_bytes()) {
                break;
            }
            *found.entry(stream.key().to_vec()).or_default() += u64::from(stream.value().doc_freq);
            scanned += 1;
        }
    }
    let mut terms: Vec<(Vec<u8>, u64)> = found.into_iter().collect();
    terms.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    terms.truncate(MAX_TERMS);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(terms.into_iter().map(|(term, _)| Term::from_field_text(field, &text(term))).collect())
}
