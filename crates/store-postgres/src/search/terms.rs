//! How frequent words are: the counts a query asks for, read once.

use super::lexemes::{dense, lexeme};
use super::reader::Session;
use backstory_index::{
    IndexError, MAX_PREFIX_TERMS, Phrase, TextField, Wanted, WantedWord, most_frequent,
};
use std::collections::{BTreeSet, HashMap};

const FIELDS: [TextField; 5] =
    [TextField::Title, TextField::Prompt, TextField::Prose, TextField::Tool, TextField::Names];
/// Terms with a beginning that are looked at.
const MAX_SCANNED: i64 = 1_000;

/// What is known of the words of a query.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// All passages.
    pub(super) passages: u64,
    counts: HashMap<String, u64>,
    /// Passages with a word in any field of words.
    words: HashMap<String, u64>,
    /// Terms of a field that begin with something.
    beginnings: HashMap<(TextField, String), Vec<String>>,
}

impl Known {
    /// Reads what a query asks for.
    pub(super) fn of(
        session: &mut Session,
        passages: u64,
        wanted: &Wanted,
    ) -> Result<Self, IndexError> {
        let mut known = Self { passages, ..Self::default() };
        let mut texts = BTreeSet::new();
        let phrases: Vec<&Phrase> = wanted.phrases.iter().chain(&wanted.without).collect();
        let words = &wanted.words;
        let of_words =
            words.iter().flat_map(|word| word.stems.iter().chain(&word.words).chain(&word.names));
        let of_phrases = phrases.iter().flat_map(|phrase| phrase.stems.iter().chain(&phrase.words));
        texts.extend(of_words.chain(of_phrases).cloned());
        for start in words.iter().flat_map(|word| &word.prefixes) {
            for (field, found) in beginning_with(session, start)? {
                texts.extend(found.iter().map(|(term, _)| term.clone()));
                known.begin(field, start, found);
            }
        }
        known.read(session, &texts)?;
        Ok(known)
    }

    fn begin(&mut self, field: TextField, start: &str, found: Vec<(String, u64)>) {
        for (term, count) in &found {
            self.counts.insert(lexeme(field, term), *count);
        }
        let terms = found.into_iter().map(|(term, _)| term).collect();
        self.beginnings.insert((field, start.to_owned()), terms);
    }

    fn read(&mut self, session: &mut Session, texts: &BTreeSet<String>) -> Result<(), IndexError> {
        let mut lexemes = Vec::new();
        for text in texts {
            for field in FIELDS {
                let lexeme = lexeme(field, text);
                lexemes.push(dense(&lexeme));
                lexemes.push(lexeme);
            }
        }
        let sql = "SELECT term, passages FROM search_terms WHERE term = ANY($1)";
        for row in session.rows(sql, &[&lexemes])? {
            self.counts.insert(row.get(0), row.get::<_, i64>(1).max(0) as u64);
        }
        Ok(())
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
        self.counts.get(&lexeme(field, term)).copied().unwrap_or(0)
    }

    /// Passages with a lexeme.
    pub(super) fn count_of(&self, lexeme: &str) -> u64 {
        self.counts.get(lexeme).copied().unwrap_or(0)
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

/// Terms of a field, and how many passages have each.
type Counted = (TextField, Vec<(String, u64)>);

/// For every field, the most frequent terms with a beginning.
fn beginning_with(session: &mut Session, start: &str) -> Result<Vec<Counted>, IndexError> {
    let from: Vec<String> = FIELDS.iter().map(|field| lexeme(*field, start)).collect();
    let to: Vec<String> = from.iter().map(|from| format!("{from}{}", char::MAX)).collect();
    let sql = "SELECT CAST(q.i AS INTEGER), t.term, t.passages
        FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS q (first, last, i)
        CROSS JOIN LATERAL (
            SELECT * FROM (
                SELECT term, passages FROM search_terms
                WHERE term >= q.first AND term < q.last ORDER BY term LIMIT $3) seen
            ORDER BY passages DESC, term LIMIT $4) t";
    let most = MAX_PREFIX_TERMS as i64;
    let mut found: Vec<Counted> = FIELDS.iter().map(|field| (*field, Vec::new())).collect();
    for row in session.rows(sql, &[&from, &to, &MAX_SCANNED, &most])? {
        let term = row.get::<_, &str>(1).chars().skip(1).collect();
        let passages = row.get::<_, i64>(2).max(0) as u64;
        found[row.get::<_, i32>(0) as usize - 1].1.push((term, passages));
    }
    Ok(found)
}
