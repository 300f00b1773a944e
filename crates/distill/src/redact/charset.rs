//! Byte classes as bit masks, and a run scanner that never walks the same run twice.

/// A set of bytes: the union of the class bits below.
pub(super) type Set = u16;

pub(super) const LOWER: Set = 1;
pub(super) const UPPER: Set = 1 << 1;
pub(super) const DIGIT: Set = 1 << 2;
pub(super) const HEX_LETTER: Set = 1 << 3;
pub(super) const UNDERSCORE: Set = 1 << 4;
pub(super) const DASH: Set = 1 << 5;
pub(super) const DOT: Set = 1 << 6;
/// `+`, `/` and `=`: what base64 has beyond letters and digits.
pub(super) const BASE64_EXTRA: Set = 1 << 7;
/// Ends an unquoted value in code, YAML, a query string or a command line.
pub(super) const STOP: Set = 1 << 8;
/// Whitespace and control bytes.
pub(super) const SPACE: Set = 1 << 9;
/// Quotes and the backslash: ends even the loosest unquoted value.
pub(super) const QUOTE: Set = 1 << 10;
/// Everything else that is printable ASCII, and all bytes of non-ASCII characters.
pub(super) const OTHER: Set = 1 << 11;
pub(super) const TILDE: Set = 1 << 12;

pub(super) const ALPHA: Set = LOWER | UPPER;
pub(super) const ALNUM: Set = ALPHA | DIGIT;
pub(super) const HEX: Set = DIGIT | HEX_LETTER;
pub(super) const WORD: Set = ALNUM | UNDERSCORE;
pub(super) const WORD_DASH: Set = WORD | DASH;
pub(super) const UPPER_DIGIT: Set = UPPER | DIGIT;
pub(super) const BASE64: Set = ALNUM | BASE64_EXTRA;
/// The widest set a token may use: base64 in both alphabets and dots.
pub(super) const TOKEN: Set = WORD_DASH | DOT | BASE64_EXTRA | TILDE;
/// An unquoted value in code, YAML, a query string or prose.
pub(super) const BARE: Set = TOKEN | OTHER;
/// An unquoted value of an environment line: only white space and quotes end it.
pub(super) const LOOSE: Set = BARE | STOP;

const TABLE: [Set; 256] = build();

const fn build() -> [Set; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = classify(byte as u8);
        byte += 1;
    }
    table
}

const fn classify(byte: u8) -> Set {
    match byte {
        b'a'..=b'f' => LOWER | HEX_LETTER,
        b'g'..=b'z' => LOWER,
        b'A'..=b'Z' => UPPER,
        b'0'..=b'9' => DIGIT,
        b'_' => UNDERSCORE,
        b'-' => DASH,
        b'.' => DOT,
        b'~' => TILDE,
        b'+' | b'/' | b'=' => BASE64_EXTRA,
        b',' | b';' | b'&' | b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|' => STOP,
        0..=b' ' | 0x7f => SPACE,
        b'"' | b'\'' | b'`' | b'\\' => QUOTE,
        _ => OTHER,
    }
}

/// Whether `byte` belongs to `set`.
pub(super) const fn is(byte: u8, set: Set) -> bool {
    TABLE[byte as usize] & set != 0
}

/// The union of the classes of all bytes.
pub(super) fn classes(bytes: &[u8]) -> Set {
    bytes.iter().fold(0, |all, &byte| all | TABLE[byte as usize])
}

/// Remembers the last run found per set, so that many candidates inside one long run cost one walk.
#[derive(Default)]
pub(super) struct Runs {
    seen: Vec<(Set, usize, usize)>,
}

impl Runs {
    /// The first position at or after `from` whose byte is not in `set`.
    pub(super) fn end(&mut self, text: &[u8], from: usize, set: Set) -> usize {
        let slot = self.seen.iter_mut().find(|(of, _, _)| *of == set);
        if let Some((_, start, end)) = &slot
            && (*start..*end).contains(&from)
        {
            return *end;
        }
        let tail = text.get(from..).unwrap_or_default();
        let end = from + tail.iter().position(|&byte| !is(byte, set)).unwrap_or(tail.len());
        match slot {
            Some(slot) => *slot = (set, from, end),
            None => self.seen.push((set, from, end)),
        }
        end
    }
}
