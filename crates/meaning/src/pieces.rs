//! Words → pieces of the vocabulary: the longest that fits, then the longest that continues it.

use crate::table::Table;
use crate::words::{LONGEST_WORD, for_each_part, is_noise};

/// The spelling of a piece that continues a word begins with this.
const CONTINUES: &[u8] = b"##";
const EMPTY: u32 = u32::MAX;

/// Finds a piece by its spelling.
#[derive(Debug)]
pub(crate) struct PieceIndex {
    /// Open addressing, a power of two, at most half full.
    slots: Vec<Slot>,
    longest: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The upper half of the hash: nearly every wrong slot is passed without looking at its spelling.
    tag: u32,
    piece: u32,
}

/// A hash that grows byte by byte, so that all beginnings of a word are hashed in one pass.
#[derive(Clone, Copy)]
struct Rolling(u64);

impl Rolling {
    const START: Self = Self(0x9e37_79b9_7f4a_7c15);

    fn with(self, byte: u8) -> Self {
        let mixed = (self.0 ^ u64::from(byte)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        Self(mixed ^ (mixed >> 29))
    }

    fn over(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |hash, byte| hash.with(*byte))
    }

    fn tag(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

impl PieceIndex {
    pub(crate) fn new(table: &Table<'_>) -> Self {
        let size = (table.len() * 2).next_power_of_two();
        let mut index =
            Self { slots: vec![Slot { tag: 0, piece: EMPTY }; size.max(2)], longest: 0 };
        for piece in 0..table.len() as u32 {
            let spelling = table.spelling(piece);
            let hash = Rolling::START.over(spelling);
            index.longest = index.longest.max(spelling.len());
            let mut at = index.first(hash);
            while index.slots[at].piece != EMPTY {
                at = (at + 1) & (index.slots.len() - 1);
            }
            index.slots[at] = Slot { tag: hash.tag(), piece };
        }
        index
    }

    fn first(&self, hash: Rolling) -> usize {
        hash.0 as usize & (self.slots.len() - 1)
    }

    fn find(&self, table: &Table<'_>, hash: Rolling, prefix: &[u8], rest: &[u8]) -> Option<u32> {
        let mut at = self.first(hash);
        loop {
            let slot = self.slots[at];
            if slot.piece == EMPTY {
                return None;
            }
            if slot.tag == hash.tag()
                && table.spelling(slot.piece).strip_prefix(prefix) == Some(rest)
            {
                return Some(slot.piece);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Appends the pieces of a lower-case word; none if a part of it is not in the vocabulary.
    fn split(&self, table: &Table<'_>, word: &[u8], out: &mut Vec<u32>) {
        let before = out.len();
        let mut hashes = [Rolling::START; LONGEST_WORD];
        let mut from = 0;
        while from < word.len() {
            let prefix = if from == 0 { &[] } else { CONTINUES };
            let mut hash = Rolling::START.over(prefix);
            let most = self.longest.min(word.len() - from).min(hashes.len());
            for (byte, slot) in word[from..].iter().zip(&mut hashes[..most]) {
                hash = hash.with(*byte);
                *slot = hash;
            }
            let longest = hashes[..most].iter().enumerate().rev().find_map(|(last, hash)| {
                let to = from + last + 1;
                self.find(table, *hash, prefix, &word[from..to]).map(|piece| (piece, to))
            });
            let Some((piece, to)) = longest else {
                out.truncate(before);
                return;
            };
            out.push(piece);
            from = to;
        }
    }

    pub(crate) fn whole(&self, table: &Table<'_>, word: &[u8]) -> Option<u32> {
        self.find(table, Rolling::START.over(word), &[], word)
    }
}

/// Appends the pieces of a word as `for_each_word` finds it.
pub(crate) fn pieces_of(table: &Table<'_>, word: &[u8], out: &mut Vec<u32>) {
    if is_noise(word) {
        return;
    }
    let index = table.index();
    let mut letters = [0; LONGEST_WORD];
    let Some(lower) = letters.get_mut(..word.len()) else { return };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    // YouTube and iPhone are words, whatever their capitals say.
    if let Some(piece) = index.whole(table, lower) {
        out.push(piece);
        return;
    }
    for_each_part(word, |part| index.split(table, &lower[part], out));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::for_each_word;

    fn pieces(text: &str) -> String {
        let table = Table::shipped().unwrap();
        let mut all = Vec::new();
        for_each_word(text, |word| pieces_of(table, word, &mut all));
        let spelt = |piece: &u32| String::from_utf8(table.spelling(*piece).to_vec()).unwrap();
        all.iter().map(spelt).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sentences_become_the_pieces_of_the_model() {
        for (text, expected) in [
            (
                "The quick brown fox jumps over the lazy dog.",
                "the quick brown fox jumps over the lazy dog",
            ),
            ("unaffable", "una ##ffa ##ble"),
            ("She was embarrassed; he wasn't!", "she was embarrassed he wasn t"),
            ("Café in São Paulo", "cafe in sao paulo"),
            ("tokenization of embeddings", "token ##ization of em ##bed ##ding ##s"),
            ("HELLO World 2016", "hello world 2016"),
            ("parseHttpHeader()", "par ##se http header"),
            ("user_profile_id", "user profile id"),
            ("on YouTube, iPhone", "on youtube iphone"),
            ("東京 and 北", "東 京 and 北"),
            ("", ""),
            ("commit 76031e2cf04fe905fa1bb5b41c7782ab33f57d54 fixed it", "commit fixed it"),
            ("order 12345678 of 42", "order of 42"),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_with_an_unknown_part_is_left_out() {
        assert_eq!(pieces("known \u{10330}\u{10331} words"), "known words");
    }

    #[test]
    fn every_piece_is_found_by_its_spelling() {
        let table = Table::shipped().unwrap();
        for piece in 0..table.len() as u32 {
            assert_eq!(table.index().whole(table, table.spelling(piece)), Some(piece));
        }
    }
}
