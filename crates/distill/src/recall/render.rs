//! The block of text an agent is handed, between marks by which it is recognised and left out when the
//! session is read back.

use super::Item;
use crate::clip;

const OPENING: &str = "<backstory-context source=\"";
const CLOSING: &str = "</backstory-context>";
const HEADING: &str = "Backstory memory digest:";
const MORE: &str = "More detail: use the backstory MCP tools read and search with these addresses.";
/// The longest opening mark.
const OPENING_BYTES: usize = 80;

/// Marks of what tools put into a conversation. In a text they would end our block, or make the text look
/// like another's.
const MARKS: &[&str] = &[
    "backstory-context",
    "openviking-context",
    "relevant-memory",
    "relevant-memories",
    "claude-mem-context",
    "system-reminder",
    "environment_context",
    "user_instructions",
    "user-prompt-submit-hook",
    "hook_context",
    "command-name",
    "command-message",
    "local-command-stdout",
];

/// When a block is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// When a session begins.
    Start,
    /// At a prompt.
    Prompt,
    /// When a tool failed.
    Error,
    /// When a session goes on, or its context was compacted.
    Resume,
}

impl Source {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "session-start",
            Self::Prompt => "auto-recall",
            Self::Error => "error-recall",
            Self::Resume => "session-resume",
        }
    }

    const fn format(self) -> &'static str {
        match self {
            Self::Start | Self::Prompt | Self::Error => "digest",
            Self::Resume => "archive-digest",
        }
    }

    fn opening(self) -> String {
        format!("{OPENING}{}\" format=\"{}\">", self.name(), self.format())
    }
}

/// The block for some things; nothing for none.
pub fn render(items: &[Item], source: Source) -> String {
    frame(&items.iter().map(line).collect::<String>(), source)
}

/// The block for things that were put into other words, a line each.
pub fn render_lines(lines: &[String], source: Source) -> String {
    let lines = lines.iter().map(|line| format!("- {}\n", clip::line(&neutral(line), usize::MAX)));
    frame(&lines.collect::<String>(), source)
}

fn frame(lines: &str, source: Source) -> String {
    if lines.is_empty() {
        return String::new();
    }
    format!("{}\n{HEADING}\n{lines}{MORE}\n{CLOSING}", source.opening())
}

/// The block for the state a session was left in, cut to so many characters.
pub fn render_overview(overview: &str, address: &str, max_chars: usize) -> String {
    let overview = neutral(overview.trim());
    if overview.is_empty() {
        return String::new();
    }
    let cut = overview.char_indices().nth(max_chars).map(|(at, _)| at);
    let (shown, rest) = match cut {
        Some(at) => {
            let at = overview[..at].rfind('\n').filter(|line| line * 2 > at).unwrap_or(at);
            (overview[..at].trim_end(), "\n…")
        }
        None => (overview.as_str(), ""),
    };
    format!(
        "{}\nBackstory session overview ({address}):\n{shown}{rest}\n{MORE}\n{CLOSING}",
        Source::Resume.opening()
    )
}

/// Bytes a thing takes in a block; of none, the bytes around all of them.
pub fn line_bytes(item: Option<&Item>) -> usize {
    match item {
        Some(item) => line(item).len(),
        None => OPENING_BYTES + HEADING.len() + MORE.len() + CLOSING.len() + 3,
    }
}

fn line(item: &Item) -> String {
    let text = clip::line(&neutral(&item.text), usize::MAX);
    format!("- [{}] {text} ({})\n", item.category.name(), item.address)
}

/// A text in which no mark is left that tools put around what they add to a conversation.
pub fn neutral(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        clean.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        clean.push(if is_mark(behind) { '‹' } else { '<' });
        rest = behind;
    }
    clean.push_str(rest);
    clean
}

fn is_mark(behind: &str) -> bool {
    let name = behind.trim_start().strip_prefix('/').unwrap_or(behind).trim_start();
    MARKS
        .iter()
        .any(|mark| name.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark)))
}

#[cfg(test)]
mod tests {
    use super::super::Category;
    use super::*;
    use proptest::prelude::*;

    fn item(text: &str) -> Item {
        Item {
            category: Category::Fix,
            address: "backstory://claude:1/7".into(),
            text: text.into(),
            score: 1.0,
            why: String::new(),
            tokens: 0,
        }
    }

    #[test]
    fn a_block_is_what_the_documentation_says() {
        assert_eq!(
            render(&[item("cargo add serde\nhelped")], Source::Prompt),
            "<backstory-context source=\"auto-recall\" format=\"digest\">\n\
             Backstory memory digest:\n\
             - [fix] cargo add serde helped (backstory://claude:1/7)\n\
             More detail: use the backstory MCP tools read and search with these addresses.\n\
             </backstory-context>"
        );
        assert_eq!(render(&[], Source::Error), "");
        assert!(render(&[item("x")], Source::Error).contains("source=\"error-recall\""));
        assert!(render(&[item("x")], Source::Start).contains("source=\"session-start\""));
        for source in [Source::Start, Source::Prompt, Source::Error, Source::Resume] {
            assert!(source.opening().len() <= OPENING_BYTES);
        }
    }

    #[test]
    fn other_words_stand_in_the_same_frame() {
        let lines = ["add serde\n</backstory-context> (backstory://claude:1/7)".to_owned()];
        assert_eq!(
            render_lines(&lines, Source::Prompt),
            "<backstory-context source=\"auto-recall\" format=\"digest\">\n\
             Backstory memory digest:\n\
             - add serde ‹/backstory-context> (backstory://claude:1/7)\n\
             More detail: use the backstory MCP tools read and search with these addresses.\n\
             </backstory-context>"
        );
        assert_eq!(render_lines(&[], Source::Prompt), "");
    }

    #[test]
    fn an_overview_is_cut_at_a_line() {
        let overview = "# Session Title\nTeapots\n\n# Current State\nboiling";
        let block = render_overview(overview, "backstory://claude:1", 6000);
        assert!(block.starts_with(
            "<backstory-context source=\"session-resume\" format=\"archive-digest\">\n\
             Backstory session overview (backstory://claude:1):\n# Session Title\nTeapots\n"
        ));
        let cut = render_overview(overview, "backstory://claude:1", 30);
        assert!(cut.contains("Teapots\n…\nMore detail") && !cut.contains("boiling"), "{cut}");
        assert_eq!(render_overview(" \n", "backstory://claude:1", 30), "");
    }

    #[test]
    fn marks_are_taken_apart_and_code_is_left_alone() {
        for (text, clean) in [
            ("a </backstory-context> b", "a ‹/backstory-context> b"),
            ("<Backstory-Context source=\"x\">", "‹Backstory-Context source=\"x\">"),
            ("< / openviking-context>", "‹ / openviking-context>"),
            ("<relevant-memories>", "‹relevant-memories>"),
            ("Vec<String> << 2 <T>", "Vec<String> << 2 <T>"),
            ("<", "<"),
        ] {
            assert_eq!(neutral(text), clean);
        }
    }

    proptest! {
        #[test]
        fn only_our_own_marks_are_in_a_block(text in "(\\PC|</?backstory-context ?>?|\n|<){0,40}") {
            let block = render(&[item(&text)], Source::Prompt);
            prop_assert_eq!(block.matches("<backstory-context").count(), 1);
            prop_assert_eq!(block.matches(CLOSING).count(), 1);
            prop_assert_eq!(block.lines().count(), 5);
            let clean = neutral(&text);
            prop_assert_eq!(neutral(&clean), clean.clone());
        }
    }
}
