//! Tells generated strings from words, names and versions.

/// What a string is made of.
pub(super) struct Makeup {
    pub(super) length: usize,
    pub(super) digits: usize,
    pub(super) lowers: usize,
    pub(super) uppers: usize,
    /// Printable bytes other than letters, digits and `_ - . / + =`.
    pub(super) symbols: usize,
    /// How often the class (lower, upper, digit) changes, separators left out.
    pub(super) switches: usize,
    pub(super) distinct: usize,
    /// The longest run of one and the same byte.
    pub(super) longest_repeat: usize,
    /// Neighbouring letters, and how many of these pairs are frequent in English.
    pairs: usize,
    common_pairs: usize,
}

/// The pairs that make up about half of all English text and of the names in code; of random letters
/// they are a tenth.
const COMMON_PAIRS: &[u8] = b"thheineranreonatenndtiesorteofedisitalarsttontngsehaasouio\
levecomederiroicneearacelichllbemasiomurecctutkeeyettalael";

/// For each first letter the set of second letters.
const COMMON: [u32; 26] = {
    let mut table = [0; 26];
    let mut at = 0;
    while at + 1 < COMMON_PAIRS.len() {
        table[(COMMON_PAIRS[at] - b'a') as usize] |= 1 << (COMMON_PAIRS[at + 1] - b'a');
        at += 2;
    }
    table
};

fn is_common(first: u8, second: u8) -> bool {
    let (first, second) = (first.to_ascii_lowercase() - b'a', second.to_ascii_lowercase() - b'a');
    COMMON[first as usize] >> second & 1 == 1
}

impl Makeup {
    /// Counts the bytes of `value`.
    pub(super) fn of(value: &[u8]) -> Self {
        let mut makeup = Self {
            length: value.len(),
            digits: 0,
            lowers: 0,
            uppers: 0,
            symbols: 0,
            switches: 0,
            distinct: 0,
            longest_repeat: 0,
            pairs: 0,
            common_pairs: 0,
        };
        let mut seen = [false; 256];
        let (mut last_class, mut last_byte, mut repeat) = (0u8, None, 0);
        for &byte in value {
            let class = match byte {
                b'a'..=b'z' => 1,
                b'A'..=b'Z' => 2,
                b'0'..=b'9' => 3,
                _ => 0,
            };
            makeup.lowers += usize::from(class == 1);
            makeup.uppers += usize::from(class == 2);
            makeup.digits += usize::from(class == 3);
            let separator = matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=');
            makeup.symbols += usize::from(class == 0 && !separator);
            makeup.switches += usize::from(class != 0 && last_class != 0 && class != last_class);
            last_class = if class == 0 { last_class } else { class };
            repeat = if last_byte == Some(byte) { repeat + 1 } else { 1 };
            makeup.longest_repeat = makeup.longest_repeat.max(repeat);
            if let Some(last) = last_byte
                .filter(|last: &u8| last.is_ascii_alphabetic() && byte.is_ascii_alphabetic())
            {
                makeup.pairs += 1;
                makeup.common_pairs += usize::from(is_common(last, byte));
            }
            last_byte = Some(byte);
            makeup.distinct += usize::from(!seen[byte as usize]);
            seen[byte as usize] = true;
        }
        makeup
    }

    pub(super) fn letters(&self) -> usize {
        self.lowers + self.uppers
    }

    /// Generated beyond reasonable doubt: long enough, and the classes alternate as chance has it.
    ///
    /// A name switches class once per word; base62, base32 and hex switch every second to fourth byte.
    pub(super) fn random(&self) -> bool {
        let enough = self.length >= 16 && self.distinct >= 8 && !self.repetitive();
        let mixed = self.digits >= 2 && self.letters() >= 2 && self.switches * 5 >= self.length;
        // Names in camel case switch as often but have few capitals.
        let balanced = self.uppers * 3 >= self.letters() && self.lowers * 3 >= self.letters();
        let alphabetic = self.length >= 20 && balanced && self.switches * 3 >= self.length;
        enough && (mixed || alphabetic || self.unpronounceable())
    }

    /// Letters of both cases and digits in no order, though fewer changes than chance usually makes.
    pub(super) fn mixed(&self) -> bool {
        self.length >= 20
            && self.uppers >= 2
            && self.lowers >= 2
            && self.digits >= 1
            && self.switches >= 6
            && !self.repetitive()
    }

    /// Letters of both cases or with digits that make no words.
    fn unpronounceable(&self) -> bool {
        let various =
            self.uppers >= 2 && self.lowers >= 2 || self.digits >= 2 && self.letters() >= 2;
        various && self.switches >= 4 && self.pairs >= 8 && self.common_pairs * 4 < self.pairs
    }

    /// Too short to be sure, yet no word: `a1b2c3d4`, `tok4Xz9`.
    pub(super) fn jumbled(&self) -> bool {
        self.length >= 8
            && self.distinct >= 6
            && self.digits >= 2
            && self.letters() >= 2
            && self.switches >= 3
            && self.switches * 5 >= self.length
            && !self.repetitive()
    }

    /// Random, and in upper case, lower case and digits: no hash in hex, no identifier.
    pub(super) fn dense(&self) -> bool {
        self.random()
            && self.length >= 20
            && self.uppers >= 2
            && self.lowers >= 2
            && (self.digits >= 2 || self.length >= 32)
    }

    /// Filler such as `xxxxxxxx` or `0000`. Chance repeats a character of a long key too, but between
    /// many others.
    pub(super) fn repetitive(&self) -> bool {
        let by_chance = self.distinct >= 10 && self.longest_repeat * 4 <= self.length;
        self.longest_repeat >= 6 && !by_chance || self.longest_repeat * 3 > self.length.max(9)
    }
}

/// Whether `value` has the form of a UUID.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, &byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether `value` is hex of a usual length and no filler. Hex of few letters looks like no other
/// generated string, so this is for places where a key is all that can stand.
pub(super) fn is_hex_key(value: &[u8]) -> bool {
    let makeup = Makeup::of(value);
    is_digest(value) && makeup.distinct >= 8 && !makeup.repetitive()
}

/// Whether `value` spells a lower-case word the way people do: in one case, or with a capital. In
/// `xfAKe` it stands by chance.
pub(super) fn spells(value: &[u8], word: &str) -> bool {
    value.windows(word.len()).any(|part| {
        let is_plain = |part: &[u8]| !part.iter().any(u8::is_ascii_uppercase);
        let is_loud = |part: &[u8]| !part.iter().any(u8::is_ascii_lowercase);
        part.eq_ignore_ascii_case(word.as_bytes())
            && (is_plain(part) || is_loud(part) || is_plain(&part[1..]))
    })
}

/// Whether `value` is hex of the length of a usual digest or commit.
pub(super) fn is_digest(value: &[u8]) -> bool {
    matches!(value.len(), 32 | 40 | 56 | 64 | 96 | 128) && value.iter().all(u8::is_ascii_hexdigit)
}
