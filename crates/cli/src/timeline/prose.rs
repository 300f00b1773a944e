//! Long text made short: excerpts, wrapping, cutting.

use crate::table::cut;
use crate::untrusted::plain;
use unicode_width::UnicodeWidthStr;

/// A line longer than this tells nothing more on screen.
const MAX_LINE: usize = 400;

/// How much of a text is shown: lines from its beginning and from its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) head: usize,
    pub(crate) tail: usize,
}

/// What people and agents say.
pub(crate) const SPEECH: Excerpt = Excerpt { head: 14, tail: 2 };
/// What tools print: how it ends matters most.
pub(crate) const OUTPUT: Excerpt = Excerpt { head: 2, tail: 3 };
/// What tools print when they fail.
pub(crate) const FAILURE: Excerpt = Excerpt { head: 3, tail: 5 };
/// What agents think.
pub(crate) const THOUGHT: Excerpt = Excerpt { head: 2, tail: 0 };
/// Changes to a file.
pub(crate) const CHANGE: Excerpt = Excerpt { head: 6, tail: 2 };
/// Commands typed.
pub(crate) const COMMAND: Excerpt = Excerpt { head: 3, tail: 0 };

impl Excerpt {
    /// All of it, if asked for.
    pub(crate) fn or_all(self, is_full: bool) -> Self {
        if is_full { Self { head: usize::MAX, tail: 0 } } else { self }
    }

    /// Picks lines; an `Err` stands for the number left out.
    pub(crate) fn pick<T: Clone>(self, lines: &[T]) -> Vec<Result<T, usize>> {
        let kept = self.head.saturating_add(self.tail);
        // Leaving out a single line would save nothing.
        if lines.len() <= kept.saturating_add(1) {
            return lines.iter().cloned().map(Ok).collect();
        }
        let mut picked: Vec<_> = lines[..self.head].iter().cloned().map(Ok).collect();
        picked.push(Err(lines.len() - kept));
        picked.extend(lines[lines.len() - self.tail..].iter().cloned().map(Ok));
        picked
    }
}

/// The lines of a text, harmless, without empty ones at either end.
pub(crate) fn lines(text: &str, is_full: bool) -> Vec<String> {
    let clean = plain(text);
    let mut lines: Vec<String> = clean
        .lines()
        .map(|line| {
            let line = line.trim_end().replace('\t', "    ");
            if is_full { line } else { cut(&line, MAX_LINE) }
        })
        .collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    lines.drain(..blank);
    lines
}

/// Lines that tools put before their output to say what is told elsewhere.
const PREAMBLE: [&str; 8] = [
    "Exit code",
    "Command:",
    "Chunk ID:",
    "Wall time",
    "Process exited",
    "Process running",
    "Original token count:",
    "Total output lines:",
];

/// What a tool printed, without the lines about the run itself.
pub(crate) fn output(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let line = line.trim();
        if line == "Output:" {
            return after;
        }
        if !PREAMBLE.iter().any(|known| line.starts_with(known)) {
            break;
        }
        rest = after;
    }
    rest
}

/// Breaks a line between words; words too long for a line are left alone.
pub(crate) fn wrap(line: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width.filter(|width| line.width() > *width) else {
        return vec![line.to_owned()];
    };
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    let mut wrapped = Vec::new();
    let mut current = indent.clone();
    for word in line.trim_start().split(' ') {
        if current.width() + 1 + word.width() > width && current.len() > indent.len() {
            wrapped.push(std::mem::replace(&mut current, indent.clone()));
        }
        if current.len() > indent.len() {
            current.push(' ');
        }
        current.push_str(word);
    }
    wrapped.push(current);
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_keep_both_ends() {
        let lines: Vec<u32> = (1..=20).collect();
        let picked = Excerpt { head: 2, tail: 1 }.pick(&lines);
        assert_eq!(picked, [Ok(1), Ok(2), Err(17), Ok(20)]);
        assert_eq!(Excerpt { head: 2, tail: 1 }.pick(&lines[..4]).len(), 4);
        assert_eq!(OUTPUT.or_all(true).pick(&lines).len(), 20);
    }

    #[test]
    fn text_becomes_harmless_lines() {
        assert_eq!(lines("\n\na\tb \n\u{1b}[1mc\n\n", false), ["a    b", "c"]);
        assert_eq!(lines(&"x".repeat(1000), false)[0].chars().count(), MAX_LINE);
        assert_eq!(lines(&"x".repeat(1000), true)[0].len(), 1000);
        assert!(lines("  \n ", false).is_empty());
    }

    #[test]
    fn the_preamble_of_output_is_left_out() {
        assert_eq!(output("Exit code 1\nboom\n"), "boom\n");
        assert_eq!(output("Chunk ID: a\nWall time: 1s\nOutput:\nExit code 3\n"), "Exit code 3\n");
        assert_eq!(output("plain\nOutput:\nx"), "plain\nOutput:\nx");
    }

    #[test]
    fn words_are_wrapped_with_their_indent() {
        assert_eq!(wrap("  one two three", Some(9)), ["  one two", "  three"]);
        assert_eq!(wrap("one", None), ["one"]);
        assert_eq!(wrap("unbreakable words", Some(5)), ["unbreakable", "words"]);
    }
}
