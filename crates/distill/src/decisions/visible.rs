//! The lines of a message an agent says itself: no code fences, no quotes, no comments.

use super::identity;

/// A line, and what stands in it without the marks of Markdown.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Without marks for headings, lists and bold.
    pub(super) clean: String,
    /// White space before it.
    pub(super) indent: usize,
    /// It is a heading.
    pub(super) heading: bool,
    /// It is an item of a list.
    pub(super) item: bool,
    /// The marker in it.
    pub(super) marker: Option<String>,
    /// The marker stands within the words.
    pub(super) midway: bool,
}

impl Line {
    pub(super) fn is_blank(&self) -> bool {
        self.clean.is_empty()
    }
}

/// The visible lines of a message.
pub(super) fn lines(message: &str, marker: &str) -> Vec<Line> {
    let (mut lines, mut fence, mut comment) = (Vec::new(), None, false);
    for raw in message.lines() {
        let text = raw.trim();
        if let Some(mark) = fence {
            if is_fence(text) == Some(mark) {
                fence = None;
            }
            continue;
        }
        if comment {
            comment = !text.contains("-->");
            continue;
        }
        fence = is_fence(text.trim_start_matches(['-', '*', ' ']));
        comment = text.starts_with("<!--") && !text.contains("-->");
        if fence.is_some() || comment || text.starts_with('>') || text.starts_with("<!--") {
            // What follows is not said together with what came before.
            lines.push(Line::default());
            continue;
        }
        lines.push(line(raw, marker));
    }
    lines
}

/// The character a fence is made of.
fn is_fence(text: &str) -> Option<char> {
    ['`', '~'].into_iter().find(|mark| text.chars().take_while(|c| c == mark).count() >= 3)
}

fn line(raw: &str, marker: &str) -> Line {
    let indent = raw.len() - raw.trim_start().len();
    let mut text = raw.trim();
    let heading = text.starts_with('#');
    text = text.trim_start_matches('#').trim_start();
    let item = ["- ", "* ", "+ ", "• "].iter().any(|bullet| text.starts_with(bullet));
    if item {
        text = text.trim_start_matches(['-', '*', '+', '•']).trim_start();
    }
    let bare = without_bold(text);
    let bare = bare.trim().trim_matches('*').trim();
    let (id, plain) = outside_code(bare, |text| identity::marked(text, marker));
    let midway = id.is_some() && is_midway(bare, marker);
    let clean = plain.trim().to_owned();
    let heading = heading || text.starts_with("**") && text.trim_end().ends_with("**");
    Line { clean, indent, heading, item, marker: id, midway }
}

/// True if words stand on both sides of the marker.
fn is_midway(text: &str, marker: &str) -> bool {
    let Some((before, rest)) = text.split_once(&format!("<{marker}:")) else { return false };
    let after = rest.split_once('>').map_or("", |(_, after)| after);
    let is_words = |text: &str| text.chars().any(char::is_alphanumeric);
    is_words(before) && is_words(after)
}

/// Bold marks taken out, but not out of code.
fn without_bold(text: &str) -> String {
    text.split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 0 { part.replace("**", "") } else { part.to_owned() })
        .collect::<Vec<_>>()
        .join("`")
}

/// Reads and replaces what stands outside of code spans.
fn outside_code(
    text: &str,
    mut read: impl FnMut(&str) -> (Option<String>, String),
) -> (Option<String>, String) {
    let mut found = None;
    let count = text.split('`').count();
    let parts: Vec<String> = text
        .split('`')
        .enumerate()
        .map(|(at, part)| {
            // A mark without its partner opens nothing.
            if at % 2 == 1 && at + 1 < count {
                return part.to_owned();
            }
            let (id, plain) = read(part);
            found = found.take().or(id);
            plain
        })
        .collect();
    (found, parts.join("`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(message: &str) -> Vec<String> {
        lines(message, "qid")
            .into_iter()
            .filter(|line| !line.is_blank())
            .map(|line| line.clean)
            .collect()
    }

    #[test]
    fn what_is_quoted_or_fenced_is_not_said() {
        let text = "a\n```rs\nb\n```\n> c\n~~~\nd\n```\n~~~\n<!-- e\nf -->\n- ```\n  g\n  ```\nh";
        assert_eq!(shown(text), ["a", "h"]);
        assert_eq!(shown("x\n```\nnever closed"), ["x"]);
    }

    #[test]
    fn marks_are_taken_off() {
        assert_eq!(shown("## **D1 — x**"), ["D1 — x"]);
        assert_eq!(shown("- **A)** use `a**b`"), ["A) use `a**b`"]);
        assert_eq!(shown("*really*"), ["really"]);
    }

    #[test]
    fn markers_in_code_are_none() {
        let marker = |text: &str| lines(text, "qid").remove(0).marker;
        assert_eq!(marker("x <qid:a-b>"), Some("a-b".into()));
        assert_eq!(marker("x `<qid:a-b>` y"), None);
        assert!(lines("see <qid:a> here", "qid")[0].midway);
        assert!(!lines("see <qid:a>", "qid")[0].midway);
    }
}
