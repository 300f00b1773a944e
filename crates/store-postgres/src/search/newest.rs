//! The newest passages that have every word.

use super::asked::{facts, phrase_anywhere, refused};
use super::lexemes::{lexeme, quoted};
use super::reader::Session;
use super::terms::Known;
use backstory_index::{Hit, IndexError, Lexical, Place, TextField, WantedWord};
use std::collections::HashSet;

/// Passages read at once, and how often more are read.
const PAGE: usize = 2_000;
const MAX_PAGES: usize = 20;

pub(super) fn newest(
    session: &mut Session,
    passages: u64,
    search: &Lexical<'_>,
) -> Result<Vec<Hit>, IndexError> {
    let mut known = Known::of(session, passages, search.wanted)?;
    known.choose_beginnings()?;
    let words = search.wanted.words.iter().filter(|word| !word.is_empty());
    let mut all: Vec<String> = Vec::new();
    for word in words {
        let any = lexemes_of(word, &known);
        if any.is_empty() {
            return Ok(Vec::new());
        }
        all.push(format!("({})", any.join("|")));
    }
    all.extend(search.wanted.phrases.iter().map(phrase_anywhere));
    let query = all.join("&");
    let refused = refused(search.wanted).unwrap_or_default();
    let mut sql = "SELECT place, ts, kind, exit, tool FROM search_passages
        WHERE (ts, place) < ($1, $2) AND ($3::text IS NOT NULL AND $4::text IS NOT NULL)"
        .to_owned();
    if !query.is_empty() {
        sql.push_str(" AND terms @@ $3::text::tsquery");
    }
    if !refused.is_empty() {
        sql.push_str(" AND NOT terms @@ $4::text::tsquery");
    }
    sql.push_str(" ORDER BY ts DESC, place DESC LIMIT $5");
    let mut after = (i64::MAX, i64::MAX);
    let (mut hits, mut seen) = (Vec::new(), HashSet::new());
    for _ in 0..MAX_PAGES {
        let page = PAGE as i64;
        let rows = session.rows(&sql, &[&after.0, &after.1, &query, &refused, &page])?;
        for row in &rows {
            let place = Place(row.get::<_, i64>(0) as u64);
            let facts = facts(row, 1);
            after = (facts.ts.0, row.get(0));
            let is_accepted = search.accept.is_none_or(|accept| accept(place, &facts));
            if is_accepted && seen.insert(place) {
                hits.push(Hit { place, score: 0.0, facts });
            }
        }
        if hits.len() >= search.limit || rows.len() < PAGE {
            break;
        }
    }
    hits.truncate(search.limit);
    Ok(hits)
}

/// Everything a word may be, as queries.
fn lexemes_of(word: &WantedWord, known: &Known) -> Vec<String> {
    let mut any = Vec::new();
    for field in
        [TextField::Title, TextField::Prompt, TextField::Prose, TextField::Tool, TextField::Names]
    {
        let terms: Vec<&String> = match field {
            TextField::Names => word.words.iter().chain(&word.names).collect(),
            TextField::Tool => word.words.iter().collect(),
            TextField::Title | TextField::Prompt | TextField::Prose => word.stems.iter().collect(),
        };
        let beginnings = word.prefixes.iter().flat_map(|start| known.beginning_with(field, start));
        for term in terms.into_iter().chain(beginnings) {
            if known.count(field, term) > 0 {
                any.push(quoted(&lexeme(field, term)));
            }
        }
    }
    any
}
