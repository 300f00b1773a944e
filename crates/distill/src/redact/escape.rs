//! A view of a text with its JSON character escapes undone, and the way back.
//!
//! `\u0073k-ant-…` and `https:\/\/user:…` hide a secret from every literal search. Such texts are
//! scanned a second time as they would be decoded; what is found is mapped back to the bytes it came
//! from. Any number of backslashes counts as one escape, since JSON inside JSON doubles them.

use std::sync::LazyLock;

use memchr::memmem::Finder;

static UNICODE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\u00"));
static SLASH: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\/"));

/// The decoded text and where its bytes come from.
pub(super) struct View {
    pub(super) text: Vec<u8>,
    /// One per escape, in order.
    joints: Vec<Joint>,
}

struct Joint {
    /// Position of the decoded byte in the view.
    view: usize,
    /// Where its escape starts and ends in the source.
    source: (usize, usize),
}

impl View {
    /// The decoded view, or nothing if no escape in `text` could hide a secret.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let first = first_escape(text)?;
        let start = text[..first].iter().rposition(|&byte| byte != b'\\').map_or(0, |at| at + 1);
        let mut view = Self { text: Vec::with_capacity(text.len()), joints: Vec::new() };
        view.text.extend_from_slice(&text[..start]);
        let mut at = start;
        while let Some(ahead) = memchr::memchr(b'\\', &text[at..]) {
            view.text.extend_from_slice(&text[at..at + ahead]);
            at = view.take_backslashes(text, at + ahead);
        }
        view.text.extend_from_slice(&text[at..]);
        Some(view)
    }

    /// Copies or decodes the run of backslashes at `at`; returns where it ends.
    fn take_backslashes(&mut self, text: &[u8], at: usize) -> usize {
        let slashes = text[at..].iter().take_while(|&&byte| byte == b'\\').count();
        let after = at + slashes;
        let Some((byte, length)) = decoded(&text[after..]) else {
            self.text.extend_from_slice(&text[at..after]);
            return after;
        };
        let end = after + length;
        self.joints.push(Joint { view: self.text.len(), source: (at, end) });
        self.text.push(byte);
        end
    }

    /// The source range of a range of the view.
    pub(super) fn source(&self, start: usize, end: usize) -> (usize, usize) {
        (self.source_of(start).0, self.source_of(end.saturating_sub(1)).1)
    }

    /// Source start and end of one byte of the view.
    fn source_of(&self, at: usize) -> (usize, usize) {
        let after = self.joints.partition_point(|joint| joint.view <= at);
        match after.checked_sub(1).map(|index| &self.joints[index]) {
            None => (at, at + 1),
            Some(joint) if joint.view == at => joint.source,
            Some(joint) => {
                let start = joint.source.1 + (at - joint.view - 1);
                (start, start + 1)
            }
        }
    }
}

/// Position of the first escape that stands for a printable ASCII character.
fn first_escape(text: &[u8]) -> Option<usize> {
    let slash = SLASH.find(text);
    let unicode = UNICODE.find_iter(text).find(|&at| decoded(&text[at + 1..]).is_some());
    match (slash, unicode) {
        (Some(slash), Some(unicode)) => Some(slash.min(unicode)),
        (one, other) => one.or(other),
    }
}

/// What follows the backslashes of an escape: the character it stands for and its length.
fn decoded(after: &[u8]) -> Option<(u8, usize)> {
    match after {
        [b'/', ..] => Some((b'/', 1)),
        [b'u', b'0', b'0', high @ b'2'..=b'7', low, ..] => {
            let high = high - b'0';
            let low = (*low as char).to_digit(16)? as u8;
            let byte = high << 4 | low;
            (byte < 0x7f && byte != b'\\').then_some((byte, 5))
        }
        _ => None,
    }
}
