//! Where in a long text to look closely. Taking a text apart into words is slow; finding how words
//! begin is fast.

use aho_corasick::AhoCorasick;
use std::ops::Range;

/// Words that lie this close together may be shown together.
const TOGETHER: usize = 256;
/// What is looked at closely, before and behind where the best stretch begins.
const BEFORE: usize = 256;
const BEHIND: usize = 768;
/// Beginnings shorter than this stand everywhere.
const FEWEST_BYTES: usize = 3;

/// How the words of a query begin.
#[derive(Clone, Debug)]
pub(super) struct Beginnings {
    searcher: AhoCorasick,
    count: usize,
    /// Some words cannot be looked for this way.
    is_partial: bool,
}

/// Where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    /// Nothing is known about this text.
    Anywhere,
    /// None of the words is there.
    Nowhere,
    /// Here, if anywhere.
    At(Range<usize>),
}

impl Beginnings {
    /// The beginnings of some words, but for those that are so short that they would be found
    /// everywhere, and those other letters may stand for; none if nothing is left.
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w str>) -> Option<Self> {
        let (mut all, mut is_partial) = (Vec::new(), false);
        for word in words {
            if !word.is_ascii() || word.len() < FEWEST_BYTES {
                is_partial = true;
                continue;
            }
            // An ending may change the last letter of a stem.
            all.push(&word[..(word.len() - 1).max(FEWEST_BYTES)]);
        }
        all.sort_unstable();
        all.dedup();
        let searcher = AhoCorasick::builder().ascii_case_insensitive(true).build(&all).ok()?;
        (!all.is_empty()).then_some(Self { searcher, count: all.len(), is_partial })
    }

    /// The stretch of a text with most of the words.
    pub(super) fn focus(&self, text: &str) -> Focus {
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for found in self.searcher.find_overlapping_iter(text) {
            if begins_word(text.as_bytes(), found.start()) {
                starts.push((found.start(), found.pattern().as_usize()));
            }
        }
        starts.sort_unstable();
        match self.densest(&starts) {
            Some(at) => {
                let from = text.floor_char_boundary(at.saturating_sub(BEFORE));
                // Not in the middle of a word or of an escape sequence.
                let blank = text.as_bytes()[from..at].iter().position(u8::is_ascii_whitespace);
                let from = if from == 0 { 0 } else { from + blank.unwrap_or(0) };
                Focus::At(from..text.ceil_char_boundary((at + BEHIND).min(text.len())))
            }
            // Letters with marks count as those without.
            None if text.is_ascii() && !self.is_partial => Focus::Nowhere,
            None => Focus::Anywhere,
        }
    }

    /// Where the first stretch with most different words begins.
    fn densest(&self, starts: &[(usize, usize)]) -> Option<usize> {
        let mut seen = vec![0_u32; self.count];
        let (mut behind, mut different) = (0, 0);
        let mut best: Option<(usize, usize)> = None;
        for (at, word) in starts {
            while behind < starts.len() && starts[behind].0 - at <= TOGETHER {
                let met = &mut seen[starts[behind].1];
                different += usize::from(*met == 0);
                *met += 1;
                behind += 1;
            }
            if best.is_none_or(|(most, _)| different > most) {
                best = Some((different, *at));
            }
            seen[*word] -= 1;
            different -= usize::from(seen[*word] == 0);
        }
        best.map(|(_, at)| at)
    }
}

/// True if a word, or a part of a name, may begin here.
fn begins_word(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else { return true };
    !before.is_ascii_lowercase() || !text[at].is_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn focus(words: &[&str], text: &str) -> Focus {
        Beginnings::of(words.iter().copied()).unwrap().focus(text)
    }

    #[test]
    fn the_densest_stretch_is_found() {
        let text = format!("{0}busy{0}x = busyTimeout{0}", " hay".repeat(2000));
        let at = text.find("busyT").unwrap();
        let Focus::At(found) = focus(&["busy", "timeout"], &text) else { panic!("not found") };
        assert!(found.contains(&at) && found.len() <= BEFORE + BEHIND, "{at} {found:?}");
        assert_eq!(focus(&["needle"], &text), Focus::Nowhere);
        assert_eq!(focus(&["aybu"], "haybusy"), Focus::Nowhere);
        assert_eq!(focus(&["grosse"], &"Größe ".repeat(9)), Focus::Anywhere);
    }

    #[test]
    fn some_words_may_be_anywhere() {
        assert!(Beginnings::of(["größe", "ab"].into_iter()).is_none());
        assert_eq!(focus(&["ab", "needle"], &"hay ".repeat(9)), Focus::Anywhere);
        assert!(Beginnings::of([].into_iter()).is_none());
    }
}
