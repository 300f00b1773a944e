//! The one tokeniser: what a text is found by. The local index, snippets and the team store cut
//! texts into the same terms, so that they find the same things.
//!
//! A run of letters, digits and `_` is cut at `_` and at camel humps into words that follow each
//! other; such a run, and a file name with its extension, is also a [`TermKind::Whole`]. Paths and
//! other joined things need no whole: their words stand side by side. CJK text, which does not mark
//! words, gives overlapping pairs of characters.

mod fold;
mod humps;
mod starts;
mod stems;
mod stop;

pub use starts::Starts;
pub use stems::{Stems, stem};
pub use stop::is_stop_word;

use fold::is_cjk;

/// Longer runs are hardly words; the beginning is enough to find them.
pub const MAX_TERM_BYTES: usize = 64;
/// From here on a run of mixed case and digits is a token or a hash, not a name.
const MIN_OPAQUE_BYTES: usize = 24;
/// The longest file extension.
const MAX_EXTENSION_BYTES: usize = 5;

/// What kind of term it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A word, or a part of a name.
    Word,
    /// A name or a file name as one, beside its parts.
    Whole,
    /// Two neighbouring characters of a script without blanks.
    Gram,
}

/// One term of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// Lower case, diacritics folded, not stemmed.
    pub text: &'a str,
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Its place among the words; a whole has the place of its first part.
    pub position: u32,
    /// What kind it is.
    pub kind: TermKind,
}

/// Hands every term of a text to `each`, in order.
pub fn for_each(text: &str, each: &mut dyn FnMut(Term<'_>)) {
    let mut cutter = Cutter { text, position: 0, folded: String::new(), each };
    cutter.run();
}

/// Shorter runs are not worth a look in the middle of a long output…
const MIN_NAME_BYTES: usize = 6;
/// …and without capitals, digits or `_` they are but words, unless they are as long as this.
const MIN_PLAIN_NAME_BYTES: usize = 8;

/// Hands the longer runs of a text to `each`, as they are: a cheap look at what nobody reads, enough
/// to find a name by.
pub fn for_each_name(text: &str, each: &mut dyn FnMut(&str)) {
    let bytes = text.as_bytes();
    // Before it there is no part of a run. A run that is long enough reaches the byte looked at; most
    // bytes are never looked at.
    let mut at = 0;
    while let Some(reached) = bytes.get(at + MIN_NAME_BYTES - 1) {
        if !is_word_byte(*reached) {
            at += MIN_NAME_BYTES;
            continue;
        }
        let is_other = |byte: &u8| !is_word_byte(*byte);
        let window = &bytes[at..at + MIN_NAME_BYTES];
        let start = at + window.iter().rposition(is_other).map_or(0, |before| before + 1);
        let rest = &bytes[at + MIN_NAME_BYTES..];
        let end = at + MIN_NAME_BYTES + rest.iter().position(is_other).unwrap_or(rest.len());
        at = end + 1;
        let met = bytes[start..end].iter().fold(0, |met, byte| met | class(*byte));
        let is_plain = met & (CUT | DIGIT) == 0;
        let shortest = if is_plain { MIN_PLAIN_NAME_BYTES } else { MIN_NAME_BYTES };
        if (shortest..=MAX_TERM_BYTES).contains(&(end - start)) {
            each(&text[start..end]);
        }
    }
}

struct Cutter<'t, 'e> {
    text: &'t str,
    position: u32,
    folded: String,
    each: &'e mut dyn FnMut(Term<'_>),
}

impl Cutter<'_, '_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match class(bytes[at]) {
                0 => at += 1,
                WIDE => at = self.other(at),
                _ => at = self.word_run(at),
            }
        }
    }

    /// A character beyond ASCII: part of a word, of a CJK run, or nothing.
    fn other(&mut self, at: usize) -> usize {
        let Some(c) = self.text[at..].chars().next() else { return self.text.len() };
        if is_cjk(c) {
            self.cjk_run(at)
        } else if is_word_char(c) {
            self.word_run(at)
        } else {
            at + c.len_utf8()
        }
    }

    fn word_run(&mut self, start: usize) -> usize {
        let (end, kind) = run_end(self.text, start);
        let run = &self.text[start..end];
        let first = self.position;
        let cuts = match kind {
            Run::Plain => self.plain_run(run, start),
            Run::Ascii => self.ascii_run(run, start),
            Run::Mixed => self.mixed_run(run, start),
        };
        if cuts > 0 {
            self.file_name(start, end, first);
        }
        end
    }

    /// Most runs are one word as it is.
    fn plain_run(&mut self, run: &str, start: usize) -> usize {
        let text = &run[..run.len().min(MAX_TERM_BYTES)];
        let (end, position) = (start + run.len(), self.position);
        (self.each)(Term { text, start, end, position, kind: TermKind::Word });
        self.position += 1;
        1
    }

    /// Emits the parts of an ASCII run and, if there are several, the whole.
    fn ascii_run(&mut self, run: &str, start: usize) -> usize {
        let trimmed = run.trim_matches('_');
        if trimmed.is_empty() {
            return 0;
        }
        let start = start + (run.len() - run.trim_start_matches('_').len());
        let first = self.position;
        if is_opaque(trimmed) {
            self.emit(trimmed, start, first, TermKind::Word);
            self.position += 1;
            return 1;
        }
        let mut parts = 0;
        for (from, to) in humps::parts(trimmed) {
            self.emit(&trimmed[from..to], start + from, self.position, TermKind::Word);
            self.position += 1;
            parts += 1;
        }
        if parts > 1 {
            self.emit(trimmed, start, first, TermKind::Whole);
        }
        parts
    }

    fn mixed_run(&mut self, run: &str, start: usize) -> usize {
        let mut parts = 0;
        let mut from = 0;
        for part in run.split('_') {
            if !part.is_empty() {
                self.emit(part, start + from, self.position, TermKind::Word);
                self.position += 1;
                parts += 1;
            }
            from += part.len() + 1;
        }
        parts
    }

    /// `main.rs` as one, when a short extension follows the run.
    fn file_name(&mut self, start: usize, end: usize, first: u32) {
        let rest = &self.text.as_bytes()[end..];
        if rest.first() != Some(&b'.') || !rest.get(1).is_some_and(u8::is_ascii_alphabetic) {
            return;
        }
        let extension = rest[1..].iter().take_while(|byte| is_word_byte(**byte)).count();
        let after = rest.get(1 + extension);
        if extension > MAX_EXTENSION_BYTES || after.is_some_and(|byte| !byte.is_ascii()) {
            return;
        }
        let name = self.text[start..end + 1 + extension].trim_start_matches('_');
        let start = end + 1 + extension - name.len();
        self.emit(name, start, first, TermKind::Whole);
    }

    /// Overlapping pairs; a lone character stands for itself.
    fn cjk_run(&mut self, start: usize) -> usize {
        let run = &self.text[start..];
        let mut chars = run.char_indices().take_while(|(_, c)| is_cjk(*c)).peekable();
        let mut end = start;
        let mut count = 0;
        while let Some((at, c)) = chars.next() {
            end = start + at + c.len_utf8();
            count += 1;
            let pair = chars.peek().map(|(next, other)| next + other.len_utf8());
            match pair {
                Some(to) => self.emit(&run[at..to], start + at, self.position, TermKind::Gram),
                None if count == 1 => {
                    self.emit(&run[at..at + c.len_utf8()], start, self.position, TermKind::Gram);
                }
                None => {}
            }
            self.position += 1;
        }
        end
    }

    fn emit(&mut self, source: &str, start: usize, position: u32, kind: TermKind) {
        self.folded.clear();
        fold::fold_into(source, &mut self.folded);
        if self.folded.len() > MAX_TERM_BYTES {
            self.folded.truncate(self.folded.floor_char_boundary(MAX_TERM_BYTES));
        }
        if self.folded.is_empty() {
            return;
        }
        let end = start + source.len();
        (self.each)(Term { text: &self.folded, start, end, position, kind });
    }
}

/// What a byte can be: part of a word…
const WORD: u8 = 1;
/// …one that makes a word more than a plain one…
const CUT: u8 = 2;
/// …a digit…
const DIGIT: u8 = 4;
/// …or the beginning of a character beyond ASCII.
const WIDE: u8 = 8;
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        classes[at] = match byte {
            b'a'..=b'z' => WORD,
            b'0'..=b'9' => WORD | DIGIT,
            b'A'..=b'Z' | b'_' => WORD | CUT,
            128.. => WIDE,
            _ => 0,
        };
        at += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

fn is_word_byte(byte: u8) -> bool {
    class(byte) & WORD != 0
}

fn is_word_char(c: char) -> bool {
    (c.is_alphanumeric() && !is_cjk(c)) || c == '_' || fold::is_mark(c)
}

/// What a run of word characters is made of.
enum Run {
    /// Lower case and digits only.
    Plain,
    Ascii,
    Mixed,
}

/// The end of the run of word characters, and what it is made of.
fn run_end(text: &str, start: usize) -> (usize, Run) {
    let bytes = &text.as_bytes()[start..];
    let (mut ascii, mut met) = (0, 0);
    while let Some(byte) = bytes.get(ascii)
        && class(*byte) & WORD != 0
    {
        met |= class(*byte);
        ascii += 1;
    }
    let plain = if met & CUT == 0 { Run::Plain } else { Run::Ascii };
    if bytes.get(ascii).is_none_or(u8::is_ascii) {
        return (start + ascii, plain);
    }
    let rest = &text[start + ascii..];
    let more = rest.find(|c: char| !is_word_char(c)).unwrap_or(rest.len());
    (start + ascii + more, if more == 0 { plain } else { Run::Mixed })
}

/// Hashes, keys and encoded bytes: their humps mean nothing.
fn is_opaque(run: &str) -> bool {
    run.len() >= MIN_OPAQUE_BYTES
        && run.bytes().filter(u8::is_ascii_digit).count() >= 3
        && run.bytes().any(|byte| byte.is_ascii_lowercase())
        && run.bytes().any(|byte| byte.is_ascii_uppercase())
        && !run.contains('_')
}

#[cfg(test)]
mod tests;
