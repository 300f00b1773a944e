//! Text out of logs as it is handed on: harmless, and short where it is only told in passing.

use std::borrow::Cow;

/// Without escape sequences, control characters and direction overrides; keeps `\n` and `\t`.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            match chars.next() {
                Some('[') => {
                    // Its parameters end with a letter.
                    while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {}
                }
                Some(']') => {
                    while let Some(c) = chars.next_if(|c| *c != '\n') {
                        if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                _ => {}
            }
        } else if !is_hostile(c) {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn is_hostile(c: char) -> bool {
    let is_override = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_override || (c.is_control() && !matches!(c, '\n' | '\t'))
}

/// On one line, white space folded, at most so many characters.
pub(super) fn one_line(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in plain(text).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars + 1 >= max_chars {
                line.push('…');
                return line;
            }
            line.push(c);
            chars += 1;
        }
    }
    line
}

/// `1 time`, `2 times`.
pub(super) fn plural(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// How much of a text is told in passing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Excerpt {
    /// Characters from its beginning.
    pub(super) head: usize,
    /// Characters from its end.
    pub(super) tail: usize,
}

impl Excerpt {
    /// The beginning and the end, and how many characters were left out between them.
    pub(super) fn of(self, text: &str) -> (&str, usize, &str) {
        let chars = text.chars().count();
        // A note in place of a few words would save nothing.
        if chars <= self.head + self.tail + 100 {
            return (text, 0, "");
        }
        let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
        let left_out = chars - self.head - self.tail;
        (&text[..byte(self.head)], left_out, &text[byte(chars - self.tail)..])
    }
}

/// Text in a fence that nothing in it ends.
pub(super) fn fenced(text: &str) -> String {
    let longest = text
        .lines()
        .map(|line| line.trim_start().chars().take_while(|c| *c == '`').count())
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_controls_and_overrides_are_gone() {
        assert_eq!(plain("\u{1b}[31mred\u{1b}[0m\u{7}\r\nnext\tcolumn"), "red\nnext\tcolumn");
        assert_eq!(plain("\u{1b}]0;title\u{7}x\u{202e}y"), "xy");
        assert_eq!(plain("\u{1b}]8;;http://x\u{1b}\\link"), "link");
        assert_eq!(plain("cut \u{1b}["), "cut ");
        assert!(matches!(plain("größe 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_are_cut_between_characters() {
        assert_eq!(one_line("a\n\n b\t c ", 10), "a b c");
        assert_eq!(one_line(&"ä".repeat(50), 10).chars().count(), 10);
    }

    #[test]
    fn excerpts_keep_both_ends_and_count_the_rest() {
        let text = "ü".repeat(500);
        let (head, left_out, tail) = Excerpt { head: 30, tail: 20 }.of(&text);
        assert_eq!((head.chars().count(), left_out, tail.chars().count()), (30, 450, 20));
        assert_eq!(Excerpt { head: 30, tail: 20 }.of("short"), ("short", 0, ""));
    }

    #[test]
    fn a_fence_is_longer_than_any_in_it() {
        assert_eq!(fenced("a\n````\nb\n"), "`````\na\n````\nb\n`````\n");
    }
}
