//! What a query wants, ready to be found in texts.

use super::focus::{Beginnings, Focus};
use crate::query::Query;
use crate::terms::{self, Starts, Term, TermKind, is_stop_word, stem};
use rustc_hash::FxHashMap;

/// More hits in one text say nothing more about it.
const MOST_HITS: usize = 20_000;
/// A word of a phrase that is met by itself.
const PHRASE_WORD: f32 = 0.3;

/// What a query wants: folded words, stems, prefixes, phrases.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Words and wholes as they are folded, with the want they meet.
    exact: FxHashMap<String, usize>,
    stems: FxHashMap<String, usize>,
    prefixes: Vec<(String, usize)>,
    phrases: Vec<(Vec<String>, usize)>,
    /// What meeting each want is worth.
    weights: Vec<f32>,
    /// How all of these begin: most words of a text are none of them.
    starts: Starts,
    /// How they begin, if that can be looked for.
    beginnings: Option<Beginnings>,
}

/// A place where a want is met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    /// First byte.
    pub(super) start: usize,
    /// The byte behind the last.
    pub(super) end: usize,
    /// Which want.
    pub(super) want: usize,
    /// What meeting it as it was typed is worth…
    pub(super) weight: f32,
    /// …and whether it stands here in another form.
    pub(super) is_other_form: bool,
}

impl Wanted {
    /// What a query wants to see.
    pub fn of(query: &Query) -> Self {
        let mut wanted = Self::default();
        for word in &query.words {
            let want = wanted.want(1.0);
            wanted.word(&word.text, word.is_prefix, want);
            for (text, is_prefix) in &word.alternatives {
                wanted.word(text, *is_prefix, want);
            }
        }
        for phrase in &query.phrases {
            let words: Vec<String> = cut(phrase)
                .into_iter()
                .filter(|(_, kind)| *kind != TermKind::Whole)
                .map(|(text, _)| text)
                .collect();
            for word in &words {
                let want = wanted.want(PHRASE_WORD);
                wanted.exact.entry(word.clone()).or_insert(want);
            }
            let want = wanted.want(1.0 + words.len() as f32);
            wanted.phrases.push((words, want));
        }
        wanted.drop_stop_words();
        wanted.starts = Starts::of(wanted.all());
        wanted.beginnings = Beginnings::of(wanted.all());
        wanted
    }

    /// Every word, stem and prefix.
    fn all(&self) -> impl Iterator<Item = &str> {
        let words = self.exact.keys().chain(self.stems.keys());
        words.chain(self.prefixes.iter().map(|(prefix, _)| prefix)).map(String::as_str)
    }

    /// False for a text that surely has nothing of what is wanted.
    pub fn may_be_in(&self, text: &str) -> bool {
        self.focus(text) != Focus::Nowhere
    }

    /// Where in a text to look closely.
    pub(super) fn focus(&self, text: &str) -> Focus {
        self.beginnings.as_ref().map_or(Focus::Anywhere, |words| words.focus(text))
    }

    fn want(&mut self, weight: f32) -> usize {
        self.weights.push(weight);
        self.weights.len() - 1
    }

    fn word(&mut self, text: &str, is_prefix: bool, want: usize) {
        let parts = cut(text);
        let has_whole = parts.iter().any(|(_, kind)| *kind == TermKind::Whole);
        let last = parts.len().saturating_sub(1);
        for (at, (text, kind)) in parts.into_iter().enumerate() {
            // The parts of a name meet less of it than the whole; its words may stand anywhere.
            let own = if at == 0 { want } else { self.want(1.0) };
            let is_open = is_prefix && if has_whole { kind == TermKind::Whole } else { at == last };
            if is_open {
                self.prefixes.push((text, own));
                continue;
            }
            if kind == TermKind::Word {
                self.stems.entry(stem(&text)).or_insert(own);
            }
            self.exact.entry(text).or_insert(own);
        }
    }

    /// Words without meaning are shown only where there is nothing else to show.
    fn drop_stop_words(&mut self) {
        if self.prefixes.is_empty() && self.exact.keys().all(|word| is_stop_word(word)) {
            return;
        }
        let dropped: Vec<usize> = self
            .exact
            .iter()
            .filter(|(word, _)| is_stop_word(word))
            .map(|(_, want)| *want)
            .collect();
        self.exact.retain(|word, _| !is_stop_word(word));
        self.stems.retain(|_, want| !dropped.contains(want));
    }

    /// Where a text meets what is wanted, in the order of the text.
    pub(super) fn hits(&self, text: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut trails = vec![Trail::default(); self.phrases.len()];
        terms::for_each(text, &mut |term| {
            if hits.len() >= MOST_HITS {
                return;
            }
            if let Some((want, is_other_form)) = self.meets(&term) {
                let weight = self.weights[want];
                hits.push(Hit { start: term.start, end: term.end, want, weight, is_other_form });
            }
            if term.kind != TermKind::Whole {
                for ((words, want), trail) in self.phrases.iter().zip(&mut trails) {
                    if let Some(start) = trail.step(words, &term) {
                        let (want, weight) = (*want, self.weights[*want]);
                        let end = term.end;
                        hits.push(Hit { start, end, want, weight, is_other_form: false });
                    }
                }
            }
        });
        hits.sort_by_key(|hit| (hit.start, hit.end));
        hits
    }

    /// The want a term meets, and whether in another form than it was typed.
    fn meets(&self, term: &Term<'_>) -> Option<(usize, bool)> {
        if !self.starts.may_have(term.text) {
            return None;
        }
        if let Some(want) = self.exact.get(term.text) {
            return Some((*want, false));
        }
        let is_open = |(prefix, _): &&(String, usize)| term.text.starts_with(prefix.as_str());
        if let Some((_, want)) = self.prefixes.iter().find(is_open) {
            return Some((*want, false));
        }
        if term.kind != TermKind::Word {
            return None;
        }
        self.stems.get(&stem(term.text)).map(|want| (*want, true))
    }
}

/// The terms of a word as they are folded.
fn cut(text: &str) -> Vec<(String, TermKind)> {
    let mut parts = Vec::new();
    terms::for_each(text, &mut |term| parts.push((term.text.to_owned(), term.kind)));
    parts
}

/// The last words of a text, as far as they are the beginning of a phrase.
#[derive(Clone, Debug, Default)]
struct Trail {
    /// Where each of the last words begins, the latest last.
    starts: Vec<usize>,
    last: Vec<String>,
}

impl Trail {
    /// Takes one more word; where the phrase is complete, says where it began.
    fn step(&mut self, phrase: &[String], term: &Term<'_>) -> Option<usize> {
        if phrase.is_empty() {
            return None;
        }
        self.starts.push(term.start);
        self.last.push(term.text.to_owned());
        while !phrase.starts_with(&self.last) {
            self.starts.remove(0);
            self.last.remove(0);
        }
        if self.last.len() < phrase.len() {
            return None;
        }
        let start = self.starts.first().copied();
        self.starts.clear();
        self.last.clear();
        start
    }
}
