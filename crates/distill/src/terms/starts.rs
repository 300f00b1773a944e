//! How words begin: enough to tell most words of a text from those looked for, without their stems.

/// Stems shorter than this may be all that is left of a word whose second letter belongs to its ending.
const MIN_BYTES: usize = 3;

/// How some words or stems begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Starts {
    /// First letters of the short ones, sorted.
    short: Vec<u8>,
    /// First two letters of the others, sorted.
    pairs: Vec<[u8; 2]>,
}

impl Starts {
    /// Those of folded words, stems or beginnings of words.
    pub fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut starts = Self::default();
        for word in words {
            if word.len() < MIN_BYTES {
                starts.short.extend(word.as_bytes().first());
            } else {
                starts.pairs.extend(pair(word));
            }
        }
        starts.short.sort_unstable();
        starts.short.dedup();
        starts.pairs.sort_unstable();
        starts.pairs.dedup();
        starts
    }

    /// False for a folded word that surely is none of them, and has the stem of none of them.
    pub fn may_have(&self, word: &str) -> bool {
        pair(word).is_some_and(|pair| {
            self.pairs.binary_search(&pair).is_ok() || self.short.binary_search(&pair[0]).is_ok()
        })
    }
}

/// The first two letters. No ending changes them, but for the `y` of "dying", whose stem is "die".
fn pair(word: &str) -> Option<[u8; 2]> {
    let (first, rest) = word.as_bytes().split_first()?;
    let second = rest.first().copied().unwrap_or_default();
    Some([*first, if second == b'y' { b'i' } else { second }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::stem;
    use proptest::prelude::*;

    #[test]
    fn most_words_are_told_from_those_looked_for() {
        let starts = Starts::of(["deploy", "die", "go"].into_iter());
        for word in ["deploying", "dying", "goes", "gone", "dish"] {
            assert!(starts.may_have(word), "{word}");
        }
        for word in ["", "d", "dog", "port", "east"] {
            assert!(!starts.may_have(word), "{word}");
        }
    }

    proptest! {
        #[test]
        fn a_word_is_never_missed(word in "[a-z]{1,12}(ing|ed|s|ies|ied|ly|ness|y)?|\\PC{1,5}") {
            let stem = stem(&word);
            prop_assert!(Starts::of([stem.as_str()].into_iter()).may_have(&word), "{word} {stem}");
            prop_assert!(Starts::of([word.as_str()].into_iter()).may_have(&word));
        }
    }
}
