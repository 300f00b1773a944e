//! Texts into the terms they are stored under.

use backstory_distill::terms::{self, Stems, TermKind};
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

/// Cuts texts into terms; remembers stems.
#[derive(Debug, Default)]
pub(crate) struct Analyst {
    stems: Stems,
    seen: FxHashSet<u64>,
}

/// The terms of one document, blanks between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    /// Words in order: stems in prose, as written in tool text.
    pub(crate) words: String,
    /// Identifiers, file names, and words of prose as written where the stem differs.
    pub(crate) names: String,
}

impl Terms {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.names.clear();
    }
}

impl Analyst {
    /// Adds what a person or a model said.
    pub(crate) fn add_prose(&mut self, text: &str, out: &mut Terms) {
        terms::for_each(text, &mut |term| match term.kind {
            TermKind::Whole => push(&mut out.names, term.text),
            TermKind::Gram => push(&mut out.words, term.text),
            TermKind::Word => match self.stems.other(term.text) {
                Some(stem) => {
                    push(&mut out.words, stem);
                    push(&mut out.names, term.text);
                }
                None => push(&mut out.words, term.text),
            },
        });
    }

    /// Adds what a tool was told or answered. It is searched by what stands there: nobody remembers
    /// an error message by the stems of its words.
    pub(crate) fn add_tool(text: &str, out: &mut Terms) {
        terms::for_each(text, &mut |term| match term.kind {
            TermKind::Whole => push(&mut out.names, term.text),
            TermKind::Word | TermKind::Gram => push(&mut out.words, term.text),
        });
    }

    /// Adds the names in a text once each, without their place: enough to find it by.
    pub(crate) fn add_names(&mut self, text: &str, out: &mut Terms) {
        self.seen.clear();
        terms::for_each_name(text, &mut |name| {
            if self.seen.insert(xxh3_64(name.as_bytes())) {
                let from = out.names.len();
                push(&mut out.names, name);
                out.names[from..].make_ascii_lowercase();
            }
        });
    }
}

fn push(out: &mut String, term: &str) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(term);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_stems_and_exact_names() {
        let mut terms = Terms::default();
        Analyst::default().add_prose("Caching in `load_pack.rs` failed", &mut terms);
        assert_eq!(terms.words, "cach in load pack rs fail");
        assert_eq!(terms.names, "caching load_pack load_pack.rs failed");
    }

    #[test]
    fn tool_text_is_what_stands_there() {
        let mut terms = Terms::default();
        Analyst::add_tool("error: linking with `cc` failed: exit_code 1", &mut terms);
        assert_eq!(terms.words, "error linking with cc failed exit code 1");
        assert_eq!(terms.names, "exit_code");
    }

    #[test]
    fn names_come_once() {
        let mut terms = Terms::default();
        Analyst::default().add_names("a load_PACK of load_PACK and x7f3a9", &mut terms);
        assert_eq!(terms.names, "load_pack x7f3a9");
    }
}
