//! The newest passages that have every word.

use super::asked::{Candidate, facts_of, fetch, mark};
use super::facts::{self, Fact};
use super::lists::{Sought, anywhere, refused};
use super::reader::Session;
use super::rows::FIELDS;
use super::segments::Segment;
use super::terms::Known;
use backstory_index::{Hit, IndexError, Lexical, TextField, WantedWord};
use std::collections::HashSet;

/// Up to so many passages are all looked at; of more, the newest rows of facts are read until enough of
/// what is in them is found.
const FEW: usize = 20_000;
/// Rows of facts read at once.
const PAGE: i64 = 256;

pub(super) fn newest(
    session: &mut Session,
    segments: &[Segment],
    search: &Lexical<'_>,
) -> Result<Vec<Hit>, IndexError> {
    let Some(matching) = matching(session, segments, search)? else { return Ok(Vec::new()) };
    let count: usize =
        matching.iter().map(|marks| marks.iter().filter(|mark| **mark).count()).sum();
    if count > FEW {
        return newest_rows(session, segments, search, &matching);
    }
    let candidates = |(segment, marks): (u32, &Vec<bool>)| -> Vec<Candidate> {
        let marked = (0_u32..).zip(marks).filter(|(_, mark)| **mark);
        marked.map(|(passage, _)| Candidate { score: 0.0, segment, passage }).collect()
    };
    let all: Vec<Candidate> = (0_u32..).zip(&matching).flat_map(candidates).collect();
    let mut hits = Vec::new();
    for fact in facts_of(session, segments, &all)? {
        hits.extend(accepted(search, fact));
    }
    Ok(in_order(hits, search.limit))
}

fn accepted(search: &Lexical<'_>, Fact { place, facts }: Fact) -> Option<Hit> {
    let is_accepted = search.accept.is_none_or(|accept| accept.lets(place, || facts));
    is_accepted.then_some(Hit { place, score: 0.0, facts })
}

/// The newest first, each place once.
fn in_order(mut hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    hits.sort_by_key(|hit| std::cmp::Reverse((hit.facts.ts, hit.place)));
    let mut seen = HashSet::new();
    hits.retain(|hit| seen.insert(hit.place));
    hits.truncate(limit);
    hits
}

/// For every segment, who has every word and nothing that is refused; none if nobody can.
fn matching(
    session: &mut Session,
    segments: &[Segment],
    search: &Lexical<'_>,
) -> Result<Option<Vec<Vec<bool>>>, IndexError> {
    let wanted = search.wanted;
    let mut known = Known::of(session, segments, wanted)?;
    known.choose_beginnings()?;
    let mut musts = Vec::new();
    for word in wanted.words.iter().filter(|word| !word.is_empty()) {
        let any = forms_of(word, &known);
        if any.is_empty() {
            return Ok(None);
        }
        musts.push(any);
    }
    musts.extend(wanted.phrases.iter().map(anywhere));
    let refused = refused(wanted);
    fetch(&mut known, session, segments, musts.iter().flatten().chain(&refused))?;
    let of_segment = |(at, segment): (usize, &Segment)| {
        let mut matching = vec![true; segment.passages as usize];
        for must in &musts {
            let mut met = vec![false; matching.len()];
            mark(must, &known, at, &mut met);
            matching.iter_mut().zip(met).for_each(|(matching, met)| *matching &= met);
        }
        let mut out = vec![false; matching.len()];
        mark(&refused, &known, at, &mut out);
        for gone in &segment.gone {
            out.get_mut(*gone as usize).into_iter().for_each(|out| *out = true);
        }
        matching.iter_mut().zip(out).for_each(|(matching, out)| *matching &= !out);
        matching
    };
    Ok(Some(segments.iter().enumerate().map(of_segment).collect()))
}

/// Everything a word may be.
fn forms_of(word: &WantedWord, known: &Known) -> Vec<Sought> {
    let mut any = Vec::new();
    for field in FIELDS {
        let terms: Vec<&String> = match field {
            TextField::Names => word.words.iter().chain(&word.names).collect(),
            TextField::Tool => word.words.iter().collect(),
            TextField::Title | TextField::Prompt | TextField::Prose => word.stems.iter().collect(),
        };
        let beginnings = word.prefixes.iter().flat_map(|start| known.beginning_with(field, start));
        for term in terms.into_iter().chain(beginnings) {
            if known.count(field, term) > 0 {
                any.push(Sought::term(field, term));
            }
        }
    }
    any
}

/// Goes through the rows of facts, those with the newest passage first.
fn newest_rows(
    session: &mut Session,
    segments: &[Segment],
    search: &Lexical<'_>,
    matching: &[Vec<bool>],
) -> Result<Vec<Hit>, IndexError> {
    let sql = "SELECT newest, segment, number, facts FROM search_facts
        WHERE (newest, segment, number) < ($1, $2, $3)
        ORDER BY newest DESC, segment DESC, number DESC LIMIT $4";
    let mut after = (i64::MAX, i64::MAX, i32::MAX);
    let mut hits = Vec::new();
    loop {
        let rows = session.rows(sql, &[&after.0, &after.1, &after.2, &PAGE])?;
        for row in &rows {
            after = (row.get(0), row.get(1), row.get(2));
            let found = segments.binary_search_by_key(&after.1, |segment| segment.number);
            let Ok(segment) = found else { continue };
            let first = after.2 as u32 * facts::PER_ROW;
            for (passage, fact) in (first..).zip(facts::read(row.get(3))) {
                if matching[segment].get(passage as usize) == Some(&true) {
                    hits.extend(accepted(search, fact));
                }
            }
        }
        hits = in_order(hits, search.limit);
        // Whatever is in the rows to come is no newer than the last row's newest.
        let is_enough =
            hits.len() == search.limit && hits.last().is_some_and(|hit| hit.facts.ts.0 > after.0);
        if is_enough || (rows.len() as i64) < PAGE {
            return Ok(hits);
        }
    }
}
