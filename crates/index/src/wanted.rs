//! What is looked for, in terms of the index.

use backstory_distill::terms::{self, TermKind};

/// A query for the full text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Ranked by how many are met.
    pub words: Vec<WantedWord>,
    /// Each must occur: stems that follow each other.
    pub phrases: Vec<Vec<String>>,
    /// None may occur.
    pub without: Vec<Vec<String>>,
}

/// One word looked for: any of its terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedWord {
    /// Stems of the word, or of the parts of a name.
    pub stems: Vec<String>,
    /// The word as written and names as one.
    pub names: Vec<String>,
    /// Beginnings of words.
    pub prefixes: Vec<String>,
    /// True if it says nothing by itself.
    pub is_stop_word: bool,
}

impl WantedWord {
    /// The terms of a word as typed.
    pub fn of(text: &str, is_prefix: bool) -> Self {
        let mut word = Self::default();
        let mut last = None;
        terms::for_each(text, &mut |term| {
            let stem = if term.kind == TermKind::Word {
                terms::stem(term.text)
            } else {
                term.text.to_owned()
            };
            match term.kind {
                TermKind::Whole => word.names.push(term.text.to_owned()),
                TermKind::Word | TermKind::Gram => {
                    if stem != term.text {
                        word.names.push(term.text.to_owned());
                    }
                    word.stems.push(stem);
                    last = Some(term.text.to_owned());
                }
            }
        });
        word.is_stop_word = matches!(&last, Some(only) if word.stems.len() == 1
            && terms::is_stop_word(only));
        if let (true, Some(last)) = (is_prefix, last) {
            word.prefixes.push(last);
            word.stems.pop();
            word.names.clear();
            word.is_stop_word = false;
        }
        word
    }

    /// Takes in the terms of an alternative.
    pub fn or(&mut self, other: Self) {
        self.stems.extend(other.stems);
        self.names.extend(other.names);
        self.prefixes.extend(other.prefixes);
        self.is_stop_word &= other.is_stop_word;
    }

    /// True if nothing of it can be looked up.
    pub fn is_empty(&self) -> bool {
        self.stems.is_empty() && self.names.is_empty() && self.prefixes.is_empty()
    }
}

/// The stems of a phrase, in order.
pub(crate) fn phrase(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    terms::for_each(text, &mut |term| match term.kind {
        TermKind::Word => stems.push(terms::stem(term.text)),
        TermKind::Gram => stems.push(term.text.to_owned()),
        TermKind::Whole => {}
    });
    stems
}

impl Wanted {
    /// Adds a phrase that must occur.
    pub fn require(&mut self, text: &str) {
        self.phrases.extend(Some(phrase(text)).filter(|stems| !stems.is_empty()));
    }

    /// Adds a word or phrase that must not occur.
    pub fn refuse(&mut self, text: &str) {
        self.without.extend(Some(phrase(text)).filter(|stems| !stems.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_its_stem_and_itself() {
        let word = WantedWord::of("failing", false);
        assert_eq!((word.stems, word.names), (vec!["fail".into()], vec!["failing".to_owned()]));
        let name = WantedWord::of("load_pack.rs", false);
        assert_eq!(name.stems, ["load", "pack", "rs"]);
        assert_eq!(name.names, ["load_pack", "load_pack.rs"]);
        assert!(WantedWord::of("the", false).is_stop_word);
    }

    #[test]
    fn a_beginning_is_not_stemmed() {
        let word = WantedWord::of("configurati", true);
        assert_eq!(word.prefixes, ["configurati"]);
        assert!(word.stems.is_empty() && word.names.is_empty());
    }
}
