//! A part of a text that is written piece by piece, and where the next part begins.

/// Which part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What is counted.
    pub unit: Unit,
    /// How many of them are passed over.
    pub offset: usize,
    /// At most so many are told.
    pub limit: usize,
}

/// What offsets and limits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Characters.
    Chars,
    /// Lines.
    Lines,
}

impl Part {
    /// All of it.
    pub const WHOLE: Self = Self { unit: Unit::Chars, offset: 0, limit: usize::MAX };

    /// So many characters behind so many others.
    pub const fn chars(offset: usize, limit: usize) -> Self {
        Self { unit: Unit::Chars, offset, limit }
    }

    /// So many lines behind so many others.
    pub const fn lines(offset: usize, limit: usize) -> Self {
        Self { unit: Unit::Lines, offset, limit }
    }
}

/// A part of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The part.
    pub text: String,
    /// The offset of what follows; nothing at the end of the text.
    pub next: Option<usize>,
}

/// Takes a text piece by piece and keeps one part of it.
#[derive(Debug)]
pub(super) struct Window {
    part: Part,
    /// Units met so far.
    met: usize,
    kept: String,
    has_more: bool,
}

impl Window {
    pub(super) fn new(part: Part) -> Self {
        Self { part, met: 0, kept: String::new(), has_more: false }
    }

    /// True once nothing that follows would be kept, and something does follow.
    pub(super) fn is_full(&self) -> bool {
        self.has_more
    }

    /// Takes the next piece.
    pub(super) fn push(&mut self, piece: &str) {
        if self.has_more {
            return;
        }
        let end = self.part.offset.saturating_add(self.part.limit);
        for c in piece.chars() {
            if self.met >= end {
                self.has_more = true;
                return;
            }
            if self.met >= self.part.offset {
                self.kept.push(c);
            }
            if self.part.unit == Unit::Chars || c == '\n' {
                self.met += 1;
            }
        }
    }

    pub(super) fn finish(self) -> Reading {
        let end = self.part.offset.saturating_add(self.part.limit);
        Reading { text: self.kept, next: self.has_more.then_some(end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, part: Part) -> Reading {
        let mut window = Window::new(part);
        // In pieces, as documents are written.
        let middle = text.floor_char_boundary(text.len() / 2);
        window.push(&text[..middle]);
        window.push(&text[middle..]);
        window.finish()
    }

    #[test]
    fn lines_and_characters_are_counted() {
        let told = |text: &str, next| Reading { text: text.into(), next };
        assert_eq!(read("a\nb\nc\n", Part::lines(1, 1)), told("b\n", Some(2)));
        assert_eq!(read("a\nb\nc\n", Part::lines(1, 2)), told("b\nc\n", None));
        assert_eq!(read("äöü", Part::chars(1, 1)), told("ö", Some(2)));
        assert_eq!(read("äöü", Part::chars(9, 1)), told("", None));
        assert_eq!(read("x", Part::chars(0, 0)), told("", Some(0)));
        assert_eq!(read("", Part::WHOLE), told("", None));
    }

    proptest! {
        #[test]
        fn the_parts_together_are_the_text(text in "[aü\n]{0,60}", limit in 1_usize..9, lines: bool) {
            let (mut all, mut offset) = (String::new(), 0);
            loop {
                let unit = if lines { Unit::Lines } else { Unit::Chars };
                let reading = read(&text, Part { unit, offset, limit });
                all.push_str(&reading.text);
                match reading.next {
                    Some(next) => { prop_assert!(next > offset); offset = next; }
                    None => break,
                }
            }
            prop_assert_eq!(all, text);
        }
    }
}
