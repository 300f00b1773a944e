//! Words by their stem: "failing", "failed" and "fails" are one.

use frostem::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

/// Words shorter than this have no ending to lose.
const MIN_BYTES: usize = 3;
/// Words remembered before the memory is emptied; a language has fewer that are common.
const REMEMBERED: usize = 1 << 16;

/// The stem of a folded word. Anything but plain letters stays as it is.
pub fn stem(word: &str) -> String {
    if has_stem(word) {
        Stemmer::new(Algorithm::English).stem(word).into()
    } else {
        word.to_owned()
    }
}

fn has_stem(word: &str) -> bool {
    word.len() >= MIN_BYTES && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Stems many words, most of which come again and again.
#[derive(Debug, Default)]
pub struct Stems {
    known: FxHashMap<Box<str>, Option<Box<str>>>,
}

impl Stems {
    /// The stem, if it differs from the word.
    pub fn other(&mut self, word: &str) -> Option<&str> {
        if !has_stem(word) {
            return None;
        }
        if !self.known.contains_key(word) {
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            let stem = stem(word);
            let other = (stem != word).then(|| stem.into_boxed_str());
            self.known.insert(word.into(), other);
        }
        self.known.get(word)?.as_deref()
    }
}
