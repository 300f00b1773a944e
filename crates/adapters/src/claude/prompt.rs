//! Tells the human's own words from what the harness, the editor and hooks wrap around them.

use crate::hygiene::{Injected, Own, without_memories};
use std::borrow::Cow;

/// A stretch of a user text that is not the human's prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    /// What it is.
    pub(super) what: What,
    /// Its text.
    pub(super) text: Cow<'t, str>,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Injected text, by its native name.
    Injected(&'static str),
    /// The mark of an interrupt.
    Interrupt,
    /// News of a background task; the same text reaches the log on several ways.
    Notification,
    /// The summary a compacted conversation goes on from.
    Summary,
}

/// A user text, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts<'t> {
    /// The human's own words; empty when there are none.
    pub(super) prompt: Cow<'t, str>,
    /// Everything else.
    pub(super) pieces: Vec<Piece<'t>>,
}

impl Parts<'_> {
    fn into_owned(self) -> Parts<'static> {
        let owned = |piece: Piece<'_>| Piece {
            what: piece.what,
            text: Cow::Owned(piece.text.into_owned()),
        };
        Parts {
            prompt: Cow::Owned(self.prompt.into_owned()),
            pieces: self.pieces.into_iter().map(owned).collect(),
        }
    }
}

/// Tags of injected text.
const TAGS: &[&str] = &[
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "task-notification",
    "teammate-message",
    "user-prompt-submit-hook",
    "session-start-hook",
    "post-tool-use-hook",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "user-memory-input",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
];

/// Whole texts known by how they begin.
const BEGINNINGS: &[(&str, What)] = &[
    ("Caveat: The messages below were generated", What::Injected("local-command-caveat")),
    ("Stop hook feedback:", What::Injected("stop-hook-feedback")),
    ("This session is being continued from a previous conversation", What::Summary),
];

const INTERRUPT: &str = "[Request interrupted by user";

/// Takes a user text apart.
pub(super) fn take_apart(text: &str) -> Parts<'_> {
    let own = without_memories(text);
    let mut parts = match own.words {
        Cow::Borrowed(words) => unwrapped(words),
        Cow::Owned(words) => unwrapped(&words).into_owned(),
    };
    let memories = own.injected.into_iter();
    parts
        .pieces
        .extend(memories.map(|block| Piece { what: What::Injected(block.name), text: block.text }));
    parts
}

/// The human's words in a text whose ends the harness wrote; `None` if it wrote nothing.
pub(crate) fn own_words(text: &str) -> Option<Own<'_>> {
    let parts = unwrapped(text);
    if parts.pieces.is_empty() {
        return None;
    }
    let injected = parts.pieces.into_iter().map(|piece| Injected {
        name: match piece.what {
            What::Injected(name) => name,
            What::Interrupt => "interrupt",
            What::Notification => "task-notification",
            What::Summary => "compact-summary",
        },
        text: piece.text,
    });
    Some(Own { words: parts.prompt, injected: injected.collect() })
}

fn unwrapped(text: &str) -> Parts<'_> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while let Some((piece, after)) = leading(rest) {
        pieces.push(piece);
        rest = after.trim_start();
    }
    let front = pieces.len();
    while let Some((piece, before)) = trailing(rest) {
        pieces.insert(front, piece);
        rest = before.trim_end();
    }
    Parts { prompt: rest.into(), pieces }
}

fn leading(text: &str) -> Option<(Piece<'_>, &str)> {
    if text.starts_with('<') {
        let tag = TAGS.iter().copied().find(|tag| opens(text, tag))?;
        if tag.starts_with("command-") {
            return Some(slash_command(text));
        }
        let end = end_of(text, tag)?;
        return Some((piece(tag, &text[..end]), &text[end..]));
    }
    if text.starts_with(INTERRUPT) {
        let end = text.find(']').map_or(text.len(), |at| at + 1);
        return Some((Piece { what: What::Interrupt, text: text[..end].into() }, &text[end..]));
    }
    let (_, what) = BEGINNINGS.iter().find(|(beginning, _)| text.starts_with(beginning))?;
    Some((Piece { what: *what, text: text.into() }, ""))
}

fn trailing(text: &str) -> Option<(Piece<'_>, &str)> {
    let inner = text.strip_suffix('>')?;
    let tag = TAGS
        .iter()
        .copied()
        .find(|tag| inner.strip_suffix(tag).is_some_and(|before| before.ends_with("</")))?;
    let start = text.rmatch_indices('<').map(|(at, _)| at).find(|at| opens(&text[*at..], tag))?;
    Some((piece(tag, &text[start..]), &text[..start]))
}

fn piece<'t>(tag: &'static str, text: &'t str) -> Piece<'t> {
    let what = if tag == "task-notification" { What::Notification } else { What::Injected(tag) };
    Piece { what, text: text.into() }
}

/// Whether a text begins with the opening tag.
fn opens(text: &str, tag: &str) -> bool {
    text.strip_prefix('<')
        .and_then(|rest| rest.strip_prefix(tag))
        .is_some_and(|rest| rest.starts_with(['>', ' ', '\n', '\t']))
}

/// Where the element a text begins with ends; one nobody closed is none.
fn end_of(text: &str, tag: &str) -> Option<usize> {
    let closing = format!("</{tag}>");
    text.find(&closing).map(|at| at + closing.len())
}

/// The run of command elements at the beginning, as the command line the human typed.
fn slash_command(text: &str) -> (Piece<'_>, &str) {
    let (mut name, mut args) = ("", "");
    let mut rest = text;
    while let Some(tag) = TAGS.iter().find(|tag| tag.starts_with("command-") && opens(rest, tag)) {
        let Some(end) = end_of(rest, tag) else { break };
        let inner = rest[..end].find('>').map_or("", |at| &rest[at + 1..end - tag.len() - 3]);
        match *tag {
            "command-name" => name = inner.trim(),
            "command-args" => args = inner.trim(),
            _ => {}
        }
        rest = rest[end..].trim_start();
    }
    let is_stuck = rest.len() == text.len();
    let line = match (name, args) {
        ("", _) => Cow::Borrowed(text[..text.len() - rest.len()].trim()),
        (name, "") => Cow::Borrowed(name),
        (name, args) => Cow::Owned(format!("{name} {args}")),
    };
    let what = What::Injected("slash-command");
    if is_stuck {
        return (Piece { what, text: text.into() }, "");
    }
    (Piece { what, text: line }, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn taken(text: &str) -> (String, Vec<(What, String)>) {
        let parts = take_apart(text);
        let pieces = parts.pieces.into_iter().map(|piece| (piece.what, piece.text.into_owned()));
        (parts.prompt.into_owned(), pieces.collect())
    }

    #[test]
    fn plain_prompts_are_whole() {
        for text in ["fix <b>this</b>", "<div>why?</div>", "a < b", "", "<system-reminder> open"] {
            assert_eq!(taken(text), (text.to_owned(), vec![]), "{text}");
        }
    }

    #[test]
    fn wrappers_before_and_behind_are_split_off() {
        let text = "<ide_opened_file>open a.rs</ide_opened_file>\nfix it\n\
                    <system-reminder>one</system-reminder>\n<system-reminder>two</system-reminder>";
        assert_eq!(
            taken(text),
            (
                "fix it".to_owned(),
                vec![
                    (
                        What::Injected("ide_opened_file"),
                        "<ide_opened_file>open a.rs</ide_opened_file>".to_owned()
                    ),
                    (
                        What::Injected("system-reminder"),
                        "<system-reminder>one</system-reminder>".to_owned()
                    ),
                    (
                        What::Injected("system-reminder"),
                        "<system-reminder>two</system-reminder>".to_owned()
                    ),
                ]
            )
        );
    }

    #[test]
    fn slash_commands_are_the_line_that_was_typed() {
        let command = "<command-message>x is running</command-message>\n\
                       <command-name>/x</command-name>\n<command-args>a b</command-args>";
        let slash = What::Injected("slash-command");
        assert_eq!(taken(command), (String::new(), vec![(slash, "/x a b".to_owned())]));
        let bare = "<command-name>/clear</command-name>\n<command-args></command-args>";
        assert_eq!(taken(bare), (String::new(), vec![(slash, "/clear".to_owned())]));
        assert_eq!(taken("<command-name>torn").1[0].0, slash);
    }

    #[test]
    fn own_context_is_cut_out_wherever_it_stands() {
        let own = "<backstory-context source=\"recall\">old words</backstory-context>";
        let injected = (What::Injected("backstory-context"), own.to_owned());
        for text in [format!("{own}\nhello"), format!("hello\n{own}")] {
            assert_eq!(taken(&text), ("hello".to_owned(), vec![injected.clone()]));
        }
        let (prompt, pieces) = taken(&format!("hel{own}lo"));
        assert_eq!((prompt.as_str(), pieces), ("hello", vec![injected]));
        let (prompt, pieces) = taken("hello\n<backstory-context source=\"recall\">torn");
        assert_eq!((prompt.as_str(), pieces.len()), ("hello", 1));
        let spoken_of = "what is <backstory-context> for?";
        assert_eq!(taken(spoken_of), (spoken_of.to_owned(), vec![]));
    }

    #[test]
    fn interrupts_and_summaries_are_known() {
        let mark = "[Request interrupted by user for tool use]";
        assert_eq!(taken(mark), (String::new(), vec![(What::Interrupt, mark.to_owned())]));
        assert_eq!(
            taken("This session is being continued from a previous conversation that ran out").1[0]
                .0,
            What::Summary
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_panics(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "<system-reminder>", "</system-reminder>", "<backstory-context ", ">",
                    "</backstory-context>", "<command-name>", "</command-name>", "<command-args>",
                    "word", "ä", "[Request interrupted by user", "]", "<", "</", "\n",
                ]),
                0..12,
            )
        ) {
            let text = parts.concat();
            let parts = take_apart(&text);
            prop_assert!(
                text.trim().is_empty() || !parts.prompt.is_empty() || !parts.pieces.is_empty()
            );
        }
    }
}
