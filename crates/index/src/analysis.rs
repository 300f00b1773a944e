//! Texts into the terms they are stored under.

use backstory_distill::terms::{self, Stems, TermKind};
use std::collections::HashSet;
use xxhash_rust::xxh3::xxh3_64;

/// Cuts texts into terms; remembers stems.
#[derive(Debug, Default)]
pub(crate) struct Analyst {
    stems: Stems,
    seen: HashSet<u64>,
}

/// The terms of one document, blanks between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    /// Stems, in order.
    pub(crate) words: String,
    /// Identifiers, file names, and words as written where the stem differs.
    pub(crate) names: String,
}

impl Analyst {
    /// Adds a text in full.
    pub(crate) fn add(&mut self, text: &str, out: &mut Terms) {
        terms::for_each(text, &mut |term| match term.kind {
            TermKind::Whole => push(&mut out.names, term.text),
            TermKind::Gram => push(&mut out.words, term.text),
            TermKind::Word => match self.stems.other(term.text) {
                Some(stem) => {
                    push(&mut out.words, stem);
                    push(&mut out.names, term.text);
                }
                None => push(&mut out.words, term.text),
            },
        });
    }

    /// Adds each word of a text once, without its place: enough to find it by.
    pub(crate) fn add_vocabulary(&mut self, text: &str, out: &mut Terms) {
        self.seen.clear();
        terms::for_each(text, &mut |term| {
            if self.seen.insert(xxh3_64(term.text.as_bytes())) {
                push(&mut out.names, term.text);
                if term.kind == TermKind::Word
                    && let Some(stem) = self.stems.other(term.text)
                    && self.seen.insert(xxh3_64(stem.as_bytes()))
                {
                    push(&mut out.names, stem);
                }
            }
        });
    }
}

fn push(out: &mut String, term: &str) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(term);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stems_and_names_are_exact() {
        let mut terms = Terms::default();
        Analyst::default().add("Caching in `load_pack.rs` failed", &mut terms);
        assert_eq!(terms.words, "cach in load pack rs fail");
        assert_eq!(terms.names, "caching load_pack load_pack.rs failed");
    }

    #[test]
    fn a_vocabulary_has_each_word_once() {
        let mut terms = Terms::default();
        Analyst::default().add_vocabulary("failing test, Test failed", &mut terms);
        assert_eq!(terms.names, "failing fail test failed");
        assert!(terms.words.is_empty());
    }
}
