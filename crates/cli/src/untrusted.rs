//! Text that came out of a log and goes to a terminal: it must not steer it.

use std::borrow::Cow;

/// Removes escape sequences, control characters and direction overrides; keeps `\n` and `\t`.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let stripped = anstream::adapter::strip_str(text).to_string();
    Cow::Owned(stripped.chars().filter(|c| !is_hostile(*c)).collect())
}

/// The same on one line, white space folded.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in plain(text).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

fn is_hostile(c: char) -> bool {
    let is_override = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_override || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_controls_and_overrides_are_gone() {
        assert_eq!(plain("\u{1b}[31mred\u{1b}[0m\u{7}\r\nnext\tcolumn"), "red\nnext\tcolumn");
        assert_eq!(plain("\u{1b}]0;title\u{7}x\u{202e}y"), "xy");
        assert!(matches!(plain("größe 日本"), Cow::Borrowed(_)));
        assert_eq!(one_line("a\n\n b\t c "), "a b c");
    }
}
