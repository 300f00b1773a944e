//! What is looked for, in terms of the index.

use backstory_distill::terms::{self, TermKind};

/// A query for the full text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Ranked by how many are met.
    pub words: Vec<WantedWord>,
    /// Each must occur.
    pub phrases: Vec<Phrase>,
    /// None may occur.
    pub without: Vec<Phrase>,
}

/// Words that follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// As prose is stored.
    pub stems: Vec<String>,
    /// As tool text is stored.
    pub words: Vec<String>,
}

/// One word looked for: any of its terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedWord {
    /// Stems of the word, or of the parts of a name.
    pub stems: Vec<String>,
    /// The same as written.
    pub words: Vec<String>,
    /// Names as one.
    pub names: Vec<String>,
    /// Beginnings of words.
    pub prefixes: Vec<String>,
    /// True if it says nothing by itself.
    pub is_stop_word: bool,
}

impl Phrase {
    fn of(text: &str) -> Self {
        let mut phrase = Self::default();
        terms::for_each(text, &mut |term| {
            let stem = match term.kind {
                TermKind::Word => terms::stem(term.text),
                TermKind::Gram => term.text.to_owned(),
                TermKind::Whole => return,
            };
            phrase.stems.push(stem);
            phrase.words.push(term.text.to_owned());
        });
        phrase
    }

    fn known(text: &str) -> Option<Self> {
        Some(Self::of(text)).filter(|phrase| !phrase.words.is_empty())
    }
}

impl WantedWord {
    /// The terms of a word as typed.
    pub fn of(text: &str, is_prefix: bool) -> Self {
        let Phrase { stems, words } = Phrase::of(text);
        let mut word = Self { stems, words, ..Self::default() };
        terms::for_each(text, &mut |term| {
            if term.kind == TermKind::Whole {
                word.names.push(term.text.to_owned());
            }
        });
        if is_prefix {
            // What is typed of a name before its beginning still counts as a word.
            word.prefixes.extend(word.words.pop());
            word.stems.pop();
            word.names.clear();
        }
        word.is_stop_word = word.prefixes.is_empty()
            && matches!(word.words.as_slice(), [only] if terms::is_stop_word(only));
        word
    }

    /// Takes in the terms of an alternative.
    pub fn or(&mut self, other: Self) {
        self.stems.extend(other.stems);
        self.words.extend(other.words);
        self.names.extend(other.names);
        self.prefixes.extend(other.prefixes);
        self.is_stop_word &= other.is_stop_word;
    }

    /// True if nothing of it can be looked up.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.names.is_empty() && self.prefixes.is_empty()
    }
}

impl Wanted {
    /// Adds a phrase that must occur.
    pub fn require(&mut self, text: &str) {
        self.phrases.extend(Phrase::known(text));
    }

    /// Adds a word or phrase that must not occur.
    pub fn refuse(&mut self, text: &str) {
        self.without.extend(Phrase::known(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_its_stem_and_itself() {
        let word = WantedWord::of("failing", false);
        assert_eq!((word.stems[0].as_str(), word.words[0].as_str()), ("fail", "failing"));
        let name = WantedWord::of("load_pack.rs", false);
        assert_eq!(name.words, ["load", "pack", "rs"]);
        assert_eq!(name.names, ["load_pack", "load_pack.rs"]);
        assert!(WantedWord::of("the", false).is_stop_word);
    }

    #[test]
    fn a_beginning_is_not_stemmed() {
        let word = WantedWord::of("configurati", true);
        assert_eq!(word.prefixes, ["configurati"]);
        assert!(word.stems.is_empty() && word.words.is_empty() && !word.is_empty());
    }
}
