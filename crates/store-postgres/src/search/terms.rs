//! The words of a query: how many passages have each, and the lists that say which.

use super::reader::Session;
use super::remembered::{Beginning, Long};
use super::rows::{At, FIELDS, Listed, Terms, slot};
use super::segments::Segment;
use backstory_index::{
    IndexError, MAX_PREFIX_TERMS, Phrase, TextField, Wanted, WantedWord, most_frequent,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Blocks looked through for terms with a beginning, in each segment.
const MAX_BLOCKS: i64 = 6;

/// A list of a term in one segment.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The segment's place among all.
    pub(super) segment: usize,
    pub(super) passages: u32,
    pub(super) postings: Arc<[u8]>,
    pub(super) positions: Arc<[u8]>,
    /// The list's number, if it lies by itself and was not read yet.
    pub(super) elsewhere: Option<i32>,
}

impl Part {
    fn of(segment: usize, listed: Listed<'_>) -> Self {
        let Listed { passages, at } = listed;
        let (postings, positions, elsewhere) = match at {
            At::Here(postings, positions) => (postings.into(), positions.into(), None),
            At::There(number) => (Arc::default(), Arc::default(), Some(number)),
        };
        Self { segment, passages, postings, positions, elsewhere }
    }

    /// Takes what was read of it.
    fn take(&mut self, (postings, positions): Long) {
        (self.postings, self.positions) = (postings, positions);
        self.elsewhere = None;
    }

    /// What it takes in memory.
    fn bytes(&self) -> usize {
        self.postings.len() + self.positions.len() + size_of::<Self>()
    }
}

/// What is known of the words of a query.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// All passages.
    pub(super) passages: u64,
    /// By field and term.
    lists: FxHashMap<(usize, String), Vec<Part>>,
    /// Passages with a word in any field of words.
    words: HashMap<String, u64>,
    /// Terms of a field that begin with something.
    beginnings: HashMap<(TextField, String), Vec<String>>,
}

impl Known {
    /// Reads what a query asks for.
    pub(super) fn of(
        session: &mut Session,
        segments: &[Segment],
        wanted: &Wanted,
    ) -> Result<Self, IndexError> {
        let passages = segments.iter().map(|segment| u64::from(segment.passages)).sum();
        let mut known = Self { passages, ..Self::default() };
        let mut texts = BTreeSet::new();
        let phrases: Vec<&Phrase> = wanted.phrases.iter().chain(&wanted.without).collect();
        let words = &wanted.words;
        let of_words =
            words.iter().flat_map(|word| word.stems.iter().chain(&word.words).chain(&word.names));
        let of_phrases = phrases.iter().flat_map(|phrase| phrase.stems.iter().chain(&phrase.words));
        texts.extend(of_words.chain(of_phrases).filter(|text| !text.is_empty()).cloned());
        for start in words.iter().flat_map(|word| &word.prefixes) {
            for (field, found) in beginning_with(session, segments, start)?.iter() {
                texts.extend(found.iter().cloned());
                known.beginnings.insert((*field, start.clone()), found.clone());
            }
        }
        let has_phrases = phrases.iter().any(|phrase| phrase.words.len() > 1);
        known.read(session, segments, &texts, has_phrases)?;
        Ok(known)
    }

    fn read(
        &mut self,
        session: &mut Session,
        segments: &[Segment],
        texts: &BTreeSet<String>,
        with_positions: bool,
    ) -> Result<(), IndexError> {
        let mut unknown: Vec<&String> = Vec::new();
        for text in texts {
            let key = (text.clone(), with_positions);
            match session.remembered(|memory| memory.terms.get(&key).cloned()).flatten() {
                Some(lists) => self.add(text, &lists),
                None => unknown.push(text),
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        let positions = if with_positions { "positions" } else { "''::bytea" };
        let sql = format!(
            "SELECT CAST(q.i AS INTEGER), CAST(s.i AS INTEGER), b.terms, b.positions
             FROM unnest($1::bytea[]) WITH ORDINALITY AS q (term, i)
             CROSS JOIN unnest($2::bigint[]) WITH ORDINALITY AS s (segment, i)
             CROSS JOIN LATERAL (
                 SELECT terms, {positions} AS positions FROM search_blocks
                 WHERE segment = s.segment AND first <= q.term ORDER BY first DESC LIMIT 1) b"
        );
        let terms: Vec<&[u8]> = unknown.iter().map(|text| text.as_bytes()).collect();
        let numbers: Vec<i64> = segments.iter().map(|segment| segment.number).collect();
        let mut read: Vec<Vec<(usize, Part)>> = vec![Vec::new(); unknown.len()];
        for row in session.rows(&sql, &[&terms, &numbers])? {
            let number = row.get::<_, i32>(0) as usize - 1;
            let text = unknown[number];
            let segment = row.get::<_, i32>(1) as usize - 1;
            let mut terms = Terms::of(row.get(2), row.get(3));
            let found = terms.find(|term| term.text >= text.as_bytes());
            for term in found.iter().filter(|term| term.text == text.as_bytes()) {
                for (at, listed) in term.lists.iter().enumerate() {
                    let Some(listed) = listed else { continue };
                    read[number].push((at, Part::of(segment, *listed)));
                }
            }
        }
        for (text, lists) in unknown.into_iter().zip(read) {
            self.add(text, &lists);
            let bytes = lists.iter().map(|(_, part)| part.bytes()).sum::<usize>() + text.len();
            session.remembered(|memory| {
                memory.make_room(bytes);
                memory.terms.insert((text.clone(), with_positions), Arc::new(lists));
            });
        }
        Ok(())
    }

    fn add(&mut self, text: &str, lists: &[(usize, Part)]) {
        for (at, part) in lists {
            self.lists.entry((*at, text.to_owned())).or_default().push(part.clone());
        }
    }

    /// Reads those of some lists that lie by themselves.
    pub(super) fn fetch(
        &mut self,
        session: &mut Session,
        segments: &[Segment],
        terms: &BTreeSet<(usize, String)>,
        with_positions: bool,
    ) -> Result<(), IndexError> {
        let (mut numbers, mut lists, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for term in terms {
            for (at, part) in self.lists.get_mut(term).into_iter().flatten().enumerate() {
                let Some(number) = part.elsewhere else { continue };
                let key = (segments[part.segment].number, number, with_positions);
                let known = session.remembered(|memory| memory.lists.get(&key).cloned());
                if let Some(long) = known.flatten() {
                    part.take(long);
                } else {
                    numbers.push(key.0);
                    lists.push(number);
                    parts.push((term, at));
                }
            }
        }
        if parts.is_empty() {
            return Ok(());
        }
        let positions = if with_positions { "positions" } else { "''::bytea" };
        let sql = format!(
            "SELECT CAST(q.i AS INTEGER), l.postings, l.positions
             FROM unnest($1::bigint[], $2::integer[]) WITH ORDINALITY AS q (segment, number, i)
             CROSS JOIN LATERAL (
                 SELECT postings, {positions} AS positions FROM search_lists
                 WHERE segment = q.segment AND number = q.number) l"
        );
        for row in session.rows(&sql, &[&numbers, &lists])? {
            let number = row.get::<_, i32>(0) as usize - 1;
            let (term, at) = parts[number];
            let long: Long = (row.get::<_, &[u8]>(1).into(), row.get::<_, &[u8]>(2).into());
            session.remembered(|memory| {
                memory.make_room(long.0.len() + long.1.len());
                let key = (numbers[number], lists[number], with_positions);
                memory.lists.insert(key, long.clone());
            });
            if let Some(part) = self.lists.get_mut(term).and_then(|parts| parts.get_mut(at)) {
                part.take(long);
            }
        }
        Ok(())
    }

    /// The lists of a term in a field.
    pub(super) fn lists(&self, field: TextField, term: &str) -> &[Part] {
        self.lists.get(&(slot(field), term.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Keeps of the terms with a beginning the most frequent. Comes after whole words were counted: what
    /// is known of a word then holds for it as the end of a beginning too.
    pub(super) fn choose_beginnings(&mut self) -> Result<(), IndexError> {
        for ((field, start), found) in std::mem::take(&mut self.beginnings) {
            let seen = |term: String| {
                let count = self.count(field, &term);
                (term, count)
            };
            let seen = found.into_iter().map(seen).collect();
            let chosen = most_frequent(seen, &mut |term| Ok(self.documents_of(field, term)))?;
            self.beginnings.insert((field, start), chosen);
        }
        Ok(())
    }

    /// Passages with a term in a field.
    pub(super) fn count(&self, field: TextField, term: &str) -> u64 {
        self.lists(field, term).iter().map(|part| u64::from(part.passages)).sum()
    }

    /// Terms of a field that begin with something.
    pub(super) fn beginning_with(&self, field: TextField, start: &str) -> &[String] {
        self.beginnings.get(&(field, start.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Passages with a word: its stem in prose, or the word as it is written in tool text.
    pub(super) fn documents_with(&mut self, stem: &str, written: &str) -> u64 {
        if let Some(count) = self.words.get(stem) {
            return *count;
        }
        let of = |field: &TextField| {
            self.count(*field, if *field == TextField::Tool { written } else { stem })
        };
        let count = TextField::OF_WORDS.iter().map(of).sum::<u64>().min(self.passages);
        self.words.insert(stem.to_owned(), count);
        self.words.insert(written.to_owned(), count);
        count
    }

    /// In how many passages a term of a field counts as being.
    pub(super) fn documents_of(&mut self, field: TextField, term: &str) -> u64 {
        if field == TextField::Names {
            return self.count(field, term);
        }
        self.documents_with(term, term)
    }

    /// About how many passages have a word; of a name, its most frequent part.
    pub(super) fn documents_with_any(&mut self, word: &WantedWord) -> u64 {
        let mut most = 0;
        for (stem, written) in word.stems.iter().zip(&word.words) {
            most = most.max(self.documents_with(stem, written));
        }
        if most == 0 {
            // In the depths of a long output only names are known.
            let names = word.words.iter().chain(&word.names);
            most = names.map(|name| self.count(TextField::Names, name)).max().unwrap_or(0);
        }
        most
    }
}

/// For every field, the most frequent terms with a beginning.
fn beginning_with(
    session: &mut Session,
    segments: &[Segment],
    start: &str,
) -> Result<Beginning, IndexError> {
    if let Some(known) =
        session.remembered(|memory| memory.beginnings.get(start).cloned()).flatten()
    {
        return Ok(known);
    }
    let numbers: Vec<i64> = segments.iter().map(|segment| segment.number).collect();
    // No text has this byte.
    let (first, behind) = (start.as_bytes(), [start.as_bytes(), &[0xff]].concat());
    let sql = "SELECT b.terms FROM unnest($1::bigint[]) s (segment) CROSS JOIN LATERAL (
            (SELECT terms FROM search_blocks
             WHERE segment = s.segment AND first <= $2 ORDER BY first DESC LIMIT 1)
            UNION ALL
            (SELECT terms FROM search_blocks
             WHERE segment = s.segment AND first > $2 AND first < $3 ORDER BY first LIMIT $4)) b";
    let mut found: [FxHashMap<String, u64>; FIELDS.len()] = Default::default();
    for row in session.rows(sql, &[&numbers, &first, &behind, &MAX_BLOCKS])? {
        let terms = Terms::of(row.get(0), &[]);
        for term in terms.filter(|term| term.text.starts_with(first)) {
            let Ok(text) = str::from_utf8(term.text) else { continue };
            for (listed, found) in term.lists.iter().zip(&mut found) {
                if let Some(listed) = listed {
                    *found.entry(text.to_owned()).or_default() += u64::from(listed.passages);
                }
            }
        }
    }
    let most_frequent = |found: FxHashMap<String, u64>| {
        let mut all: Vec<(String, u64)> = found.into_iter().collect();
        all.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        all.into_iter().take(MAX_PREFIX_TERMS).map(|(term, _)| term).collect()
    };
    let found: Beginning = Arc::new(FIELDS.into_iter().zip(found.map(most_frequent)).collect());
    session.remembered(|memory| {
        memory.make_room(FIELDS.len() * MAX_PREFIX_TERMS * 40);
        memory.beginnings.insert(start.to_owned(), Arc::clone(&found));
    });
    Ok(found)
}
