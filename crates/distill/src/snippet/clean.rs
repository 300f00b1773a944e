//! Text out of a log, fit for any reader: it must not steer a terminal.

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
/// No title or link is longer; an opening that nothing closes must not swallow the text.
const LONGEST_STRING: usize = 2048;

/// The text on one line: escape sequences, control characters and direction marks are gone, and
/// white space is folded.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut rest = text;
    let mut gap = false;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        rest = match c {
            ESCAPE => after_escape(behind),
            '\u{9b}' => after_parameters(behind),
            '\u{9d}' | '\u{90}' | '\u{9e}' | '\u{9f}' | '\u{98}' => after_string(behind),
            _ => behind,
        };
        if c.is_whitespace() {
            gap = true;
        } else if !c.is_control() && !is_direction_mark(c) {
            if gap && !line.is_empty() {
                line.push(' ');
            }
            gap = false;
            line.push(c);
        }
    }
    line
}

fn is_direction_mark(c: char) -> bool {
    matches!(c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}'
        | '\u{feff}')
}

/// What follows an escape sequence, given what follows its first character.
fn after_escape(text: &str) -> &str {
    match text.chars().next() {
        Some('[') => after_parameters(&text[1..]),
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(&text[1..]),
        Some(' '..='/') => {
            let rest = text.trim_start_matches(|c| matches!(c, ' '..='/'));
            rest.strip_prefix(|c| matches!(c, '0'..='~')).unwrap_or(rest)
        }
        Some('0'..='~') => &text[1..],
        _ => text,
    }
}

/// `31m`, `2K`, `?25h`: parameters, then one character that says what they are for.
fn after_parameters(text: &str) -> &str {
    let rest = text.trim_start_matches(|c| matches!(c, ' '..='?'));
    rest.strip_prefix(|c| matches!(c, '@'..='~')).unwrap_or(rest)
}

/// A title, a link: up to a bell or an escape with a backslash.
fn after_string(text: &str) -> &str {
    let bound = text.floor_char_boundary(LONGEST_STRING.min(text.len()));
    let line = text[..bound].split('\n').next().unwrap_or_default();
    match line.find([BELL, ESCAPE, '\u{9c}']) {
        Some(end) => {
            let rest = &text[end..];
            let rest = rest.strip_prefix("\u{1b}\\").or_else(|| rest.strip_prefix(BELL));
            rest.unwrap_or(&text[end..])
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn nothing_that_steers_a_terminal_survives() {
        for (text, clean) in [
            ("\u{1b}[31mred\u{1b}[0m\u{7}\r\nnext\tcolumn", "red next column"),
            ("\u{1b}]0;title\u{7}x\u{202e}y\u{200f}z", "xyz"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\ after", "link after"),
            ("\u{9b}31mred\u{9d}0;title\u{7}!", "red!"),
            ("\u{1b}(Bplain\u{1b}7\u{1b}=", "plain"),
            ("\u{1b}]0;never closed\nnext", "0;never closed next"),
            ("a\u{0}b\u{8}c\u{7f}d", "abcd"),
            ("  größe\u{3000}日本 \n", "größe 日本"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
            ("", ""),
        ] {
            assert_eq!(one_line(text), clean, "{text:?}");
        }
    }
}
