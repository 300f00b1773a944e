//! Texts into the terms they are stored under.

use backstory_distill::terms::{self, Stems, TermKind};
use xxhash_rust::xxh3::xxh3_64;

/// Cuts texts into terms; remembers stems.
#[derive(Debug, Default)]
pub(crate) struct Analyst {
    stems: Stems,
    seen: Seen,
}

/// Which names a session had already in the depths of its outputs. It forgets one where two share a
/// place, which costs a repetition and no more.
#[derive(Debug)]
struct Seen {
    session: u32,
    slots: Vec<(u32, u32)>,
}

impl Default for Seen {
    fn default() -> Self {
        Self { session: 1, slots: vec![(0, 0); 1 << 14] }
    }
}

impl Seen {
    fn insert(&mut self, name: &str) -> bool {
        let hash = xxh3_64(name.as_bytes());
        let at = hash as usize % self.slots.len();
        let name = ((hash >> 32) as u32, self.session);
        std::mem::replace(&mut self.slots[at], name) != name
    }
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

    /// Begins another session.
    pub(crate) fn begin_session(&mut self) {
        self.seen.session = self.seen.session.wrapping_add(1);
    }

    /// Adds the names in a text, each only where a session has it first and without its place: an
    /// agent reads the same code again and again, and the first time is enough to find it by.
    pub(crate) fn add_names(&mut self, text: &str, out: &mut Terms) {
        terms::for_each_name(text, &mut |name| {
            if self.seen.insert(name) {
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
    fn names_come_once_in_a_session() {
        let mut analyst = Analyst::default();
        let mut names_of = |text: &str, is_new: bool| {
            let mut terms = Terms::default();
            if is_new {
                analyst.begin_session();
            }
            analyst.add_names(text, &mut terms);
            terms.names
        };
        let text = "a load_PACK of load_PACK and x7f3a9";
        assert_eq!(names_of(text, true), "load_pack x7f3a9");
        assert_eq!(names_of("x7f3a9 and y7f3a9", false), "y7f3a9");
        assert_eq!(names_of(text, true), "load_pack x7f3a9");
    }
}
