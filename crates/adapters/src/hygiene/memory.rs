//! What memory tools, Backstory among them, put into a conversation: blocks that are cut out wherever
//! they stand, so that what was recalled is never taken for what was said.

use super::{Injected, Own};
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// The elements recalled memories are wrapped in, our own first.
const ELEMENTS: [&str; 10] = [
    "backstory-context",
    "openviking-context",
    "relevant-memory",
    "relevant-memories",
    "claude-mem-context",
    "supermemory-context",
    "supermemory-containers",
    "hindsight_memories",
    "hindsight_context",
    "memory-context",
];

/// The lines digests begin with where the wrapper around them is lost.
const HEADINGS: &[&str] = &[
    "Backstory memory digest:",
    "Backstory session archive digest:",
    "OpenViking memory digest:",
    "OpenViking session archive digest:",
];
/// How the line begins that closes such a digest.
const HINTS: &[&str] =
    &["More detail: use the backstory MCP", "More detail: use the OpenViking MCP"];
const DIGEST: &str = "memory-digest";

/// The longest opening tag.
const TAG_MAX: usize = 300;
/// How often a text is looked over: what is cut out may bring together what was apart.
const LOOKS: usize = 8;

/// Takes out the blocks of memory tools. A text without any is given back as it is, one with some
/// without the white space around it. A tag that is only spoken of is none: one that nobody closes, in
/// the middle of a line, or one in quotes.
pub fn without_memories(text: &str) -> Own<'_> {
    let mut own = Own { words: Cow::Borrowed(text), injected: Vec::new() };
    for look in 0..LOOKS {
        let Some((words, cut)) = cut(&own.words) else { break };
        let cut = cut.into_iter().map(|(name, range)| {
            // Ranges are of the text as it was before this look.
            let text = match &own.words {
                Cow::Borrowed(whole) if look == 0 => Cow::Borrowed(&whole[range]),
                whole => Cow::Owned(whole[range].to_owned()),
            };
            Injected { name, text }
        });
        let cut: Vec<_> = cut.collect();
        own.injected.extend(cut);
        own.words = Cow::Owned(words.trim().to_owned());
    }
    own
}

type Cuts = Vec<(&'static str, std::ops::Range<usize>)>;

/// One look over a text: what is left, and what was cut out.
fn cut(text: &str) -> Option<(String, Cuts)> {
    let (kept, cuts) = cut_elements(text).unwrap_or_default();
    if !cuts.is_empty() {
        return Some((kept, cuts));
    }
    cut_digests(text)
}

fn cut_elements(text: &str) -> Option<(String, Cuts)> {
    let bytes = text.as_bytes();
    let mut cuts = Cuts::new();
    let mut kept = String::new();
    let mut is_never_closed = [false; ELEMENTS.len()];
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        let start = at + found;
        at = start + 1;
        let Some(tag) = opening(&text[start..]) else { continue };
        kept.push_str(&text[copied..start]);
        copied = start;
        let body = start + tag.len;
        let closed = if is_never_closed[tag.element] {
            None
        } else {
            closing(&text[body..], ELEMENTS[tag.element]).map(|len| body + len)
        };
        is_never_closed[tag.element] |= closed.is_none();
        let Some(end) = tag.end(&kept, &text[body..], body, closed) else { continue };
        cuts.push((ELEMENTS[tag.element], start..end));
        if may_join(&kept) {
            kept.push('\n');
        }
        (copied, at) = (end, end);
    }
    if cuts.is_empty() {
        return None;
    }
    kept.push_str(&text[copied..]);
    Some((kept, cuts))
}

/// An opening tag.
struct Tag {
    /// Which element it opens.
    element: usize,
    /// Its length.
    len: usize,
    has_attributes: bool,
    closes_itself: bool,
}

impl Tag {
    /// Where the block ends that this tag opens behind `kept`; `None` if it is only spoken of.
    fn end(&self, kept: &str, body: &str, start: usize, closed: Option<usize>) -> Option<usize> {
        let line = kept.trim_end_matches([' ', '\t']);
        let begins_line = line.is_empty() || line.ends_with('\n');
        let quote = kept.chars().next_back().filter(|c| matches!(c, '`' | '"' | '\''));
        if quote.is_some() && body.chars().next() == quote {
            return None;
        }
        if self.closes_itself {
            return Some(start);
        }
        if let Some(closed) = closed {
            let is_block = begins_line || self.has_attributes || !body.starts_with([' ', '`']);
            return is_block.then_some(closed);
        }
        // What nobody closed was cut off by whoever keeps texts short.
        let rest = body.lines().next().unwrap_or_default();
        let is_torn = begins_line && (self.has_attributes || rest.trim().is_empty());
        is_torn.then_some(start + body.len())
    }
}

fn opening(text: &str) -> Option<Tag> {
    let name = text.get(1..)?;
    let element = ELEMENTS.iter().position(|known| {
        name.get(..known.len()).is_some_and(|name| name.eq_ignore_ascii_case(known))
            && name[known.len()..].starts_with(['>', ' ', '\t', '/'])
    })?;
    let head = &text[..text.floor_char_boundary(TAG_MAX)];
    let rest = &head[1 + ELEMENTS[element].len()..];
    let close = rest.find(['>', '<', '\n'])?;
    if rest.as_bytes()[close] != b'>' {
        return None;
    }
    Some(Tag {
        element,
        len: head.len() - rest.len() + close + 1,
        has_attributes: rest[..close].contains('='),
        closes_itself: rest[..close].ends_with('/'),
    })
}

/// Where an element ends, its closing tag included.
fn closing(body: &str, name: &str) -> Option<usize> {
    memmem::find_iter(body.as_bytes(), b"</").find_map(|at| {
        let rest = &body[at + 2..];
        let is_name = rest.get(..name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name));
        (is_name && rest[name.len()..].starts_with('>')).then_some(at + 3 + name.len())
    })
}

/// Whether a text ends inside what could become a tag with what follows.
fn may_join(kept: &str) -> bool {
    let tail = &kept[kept.floor_char_boundary(kept.len().saturating_sub(TAG_MAX))..];
    tail.rfind(['<', '>', '\n']).is_some_and(|at| tail.as_bytes()[at] == b'<')
}

/// What a line is to a digest without its wrapper.
#[derive(Clone, Copy, PartialEq)]
enum Line {
    Heading,
    Hint,
    Item,
    Other,
}

fn line(text: &str) -> Line {
    let text = text.trim_end();
    if HEADINGS.contains(&text) {
        Line::Heading
    } else if HINTS.iter().any(|hint| text.starts_with(hint)) {
        Line::Hint
    } else if text.starts_with(['-', '*', '•']) || text.starts_with("  ") {
        Line::Item
    } else {
        Line::Other
    }
}

/// Cuts digests out: from a heading to the hint that closes it, else as far as its list goes.
fn cut_digests(text: &str) -> Option<(String, Cuts)> {
    let has = |part: &str| memmem::find(text.as_bytes(), part.as_bytes()).is_some();
    if !has(" digest:") && !has("More detail: use the ") {
        return None;
    }
    let mut places = Vec::new();
    let mut at = 0;
    for piece in text.split_inclusive('\n') {
        places.push((line(piece), at..at + piece.len()));
        at += piece.len();
    }
    let mut cuts = Cuts::new();
    let mut kept = String::new();
    let mut rest = &places[..];
    while let [(what, range), after @ ..] = rest {
        let lines = match what {
            Line::Heading => 1 + digest_len(after),
            Line::Hint => 1,
            Line::Item | Line::Other => {
                kept.push_str(&text[range.clone()]);
                rest = after;
                continue;
            }
        };
        cuts.push((DIGEST, range.start..rest[lines - 1].1.end));
        rest = &rest[lines..];
    }
    (!cuts.is_empty()).then_some((kept, cuts))
}

/// How many lines below a heading are its digest.
fn digest_len(after: &[(Line, std::ops::Range<usize>)]) -> usize {
    let end = after.iter().position(|(what, _)| matches!(what, Line::Hint | Line::Heading));
    match end {
        Some(end) if after[end].0 == Line::Hint => end + 1,
        _ => after.iter().take_while(|(what, _)| *what == Line::Item).count(),
    }
}
