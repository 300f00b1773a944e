//! The state of one pass over one text, shared by all matchers.

use super::charset::{self, Runs, Set};
use super::placeholder::{self, Origin};

/// How sure a matcher is of the kind; among overlapping spans the higher one names the secret.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Certainty {
    /// A key name and a plausible value.
    Assigned,
    /// A place that holds nothing but credentials: a header, a URL's user part, a flag.
    Placed,
    /// The secret's own form.
    Shaped,
}

/// One secret found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
    pub(super) certainty: Certainty,
    pub(super) origin: Origin,
}

/// One pass over one text.
pub(super) struct Scan<'t> {
    pub(super) text: &'t [u8],
    pub(super) spans: Vec<Span>,
    /// Candidates before this position lie inside something already settled.
    pub(super) settled: usize,
    /// Cookie headers before this position are read.
    pub(super) cookies_read: usize,
    /// The end of the last key judged: several anchors can lie in one key.
    pub(super) last_key_end: usize,
    runs: Runs,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            spans: Vec::new(),
            settled: 0,
            cookies_read: 0,
            last_key_end: 0,
            runs: Runs::default(),
        }
    }

    /// The byte at `at`, or 0 outside the text.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// The byte before `at`, or 0 at the start.
    pub(super) fn before(&self, at: usize) -> u8 {
        if at == 0 { 0 } else { self.byte(at - 1) }
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t [u8] {
        self.text.get(start..end.min(self.text.len())).unwrap_or_default()
    }

    /// The text from `at` on.
    pub(super) fn tail(&self, at: usize) -> &'t [u8] {
        self.text.get(at..).unwrap_or_default()
    }

    /// At most `limit` bytes before `at`.
    pub(super) fn lookback(&self, at: usize, limit: usize) -> &'t [u8] {
        self.slice(at.saturating_sub(limit), at)
    }

    /// End of the run of `set` that starts at `from`.
    pub(super) fn run_end(&mut self, from: usize, set: Set) -> usize {
        self.runs.end(self.text, from, set)
    }

    /// First position at or after `from` that is no blank.
    pub(super) fn skip_blanks(&self, from: usize) -> usize {
        let blanks = self.tail(from).iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        from + blanks.count()
    }

    pub(super) fn starts_with(&self, at: usize, literal: &str) -> bool {
        self.tail(at).starts_with(literal.as_bytes())
    }

    pub(super) fn starts_with_ignoring_case(&self, at: usize, literal: &str) -> bool {
        self.slice(at, at + literal.len()).eq_ignore_ascii_case(literal.as_bytes())
    }

    /// Whether a word can start at `at`: the byte before is no letter or digit, or belongs to an
    /// escape sequence (`\n`, `\u003d`, `%3D`) that stands for something else.
    pub(super) fn word_starts(&self, at: usize) -> bool {
        let before = self.before(at);
        if !charset::is(before, charset::ALNUM) {
            return true;
        }
        let back = self.lookback(at, 6);
        match back {
            [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
            [b'\\', b'u', hex @ ..] if hex.len() == 4 => hex.iter().all(u8::is_ascii_hexdigit),
            [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
            // ANSI colours: ESC [ 3 1 m
            [.., b'0'..=b'9', b'm'] => back.contains(&b'['),
            _ => false,
        }
    }

    /// Records a secret.
    pub(super) fn push(
        &mut self,
        (start, end): (usize, usize),
        kind: &'static str,
        certainty: Certainty,
        origin: Origin,
    ) {
        if start < end && !self.touches_placeholder(start, end) {
            self.spans.push(Span { start, end, kind, certainty, origin });
        }
        if certainty == Certainty::Shaped {
            self.settled = self.settled.max(end);
        }
    }

    /// Whether the range holds a placeholder or starts inside one.
    fn touches_placeholder(&self, start: usize, end: usize) -> bool {
        let from = start.saturating_sub(placeholder::LONGEST);
        let mut opens = memchr::memmem::find_iter(self.slice(from, end), placeholder::OPEN);
        opens.any(|open| {
            let open = from + open;
            open >= start
                || placeholder::length_at(self.tail(open))
                    .is_some_and(|length| open + length > start)
        })
    }

    /// Records a generated secret known by its form.
    pub(super) fn push_shaped(&mut self, span: (usize, usize), kind: &'static str) {
        self.push(span, kind, Certainty::Shaped, Origin::Machine);
    }
}
