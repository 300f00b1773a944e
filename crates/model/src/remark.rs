//! Words that say nothing about what is wanted: answers of one word, commands to the agent itself.

/// What a text of the human's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Words that may say what is wanted.
    Words,
    /// Words, but hardly any.
    Short,
    /// A word of assent, refusal or thanks.
    Ack,
    /// A command to the agent itself: `/compact`.
    Command,
    /// No word at all.
    Nothing,
}

impl Remark {
    /// Whether a session can be named after it.
    pub fn can_name(self) -> bool {
        matches!(self, Self::Words | Self::Short)
    }
}

/// Answers of one word.
const ACKS: &[&str] = &[
    "ok",
    "okay",
    "k",
    "yes",
    "yep",
    "no",
    "nope",
    "thanks",
    "thank you",
    "thx",
    "done",
    "收到",
    "好的",
    "好",
    "嗯",
    "可以",
    "继续",
    "不用",
    "不需要",
    "没了",
    "好了",
];

/// The longest name of a command.
const COMMAND_MAX: usize = 64;
/// Fewer letters than these, of scripts that write words and of those that write syllables, are hardly
/// words, unless the text is longer than the last.
const FEW_LETTERS: usize = 6;
const FEW_SYLLABLES: usize = 4;
const FEW_CHARS: usize = 12;

/// Tells what a text of the human's is.
pub fn remark(text: &str) -> Remark {
    let text = text.trim();
    if is_command(text) {
        return Remark::Command;
    }
    if is_ack(text) {
        return Remark::Ack;
    }
    let syllables = text.chars().filter(|c| is_syllable(*c)).take(FEW_SYLLABLES).count();
    let letters = text.chars().filter(|c| c.is_alphanumeric() && !is_syllable(*c));
    let letters = letters.take(FEW_LETTERS).count();
    if syllables + letters == 0 {
        Remark::Nothing
    } else if syllables == FEW_SYLLABLES
        || letters == FEW_LETTERS
        || text.chars().nth(FEW_CHARS - 1).is_some()
    {
        Remark::Words
    } else {
        Remark::Short
    }
}

/// `/name` and nothing or arguments behind it; `/usr/bin` is none.
fn is_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return false };
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let name = &rest[..end];
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-:".contains(c);
    (1..=COMMAND_MAX).contains(&name.len()) && name.chars().all(is_name)
}

fn is_ack(text: &str) -> bool {
    /// Longer than any of them with their punctuation.
    const LONGEST: usize = 40;
    if text.len() > LONGEST {
        return false;
    }
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    ACKS.contains(&bare.as_str())
}

/// Scripts in which a character is a syllable or a word: Chinese, Japanese, Korean.
fn is_syllable(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_told_apart() {
        for (text, wanted) in [
            ("ok", Remark::Ack),
            ("OK!", Remark::Ack),
            ("  Thank you. ", Remark::Ack),
            ("好的。", Remark::Ack),
            ("继续", Remark::Ack),
            ("ok, now fix the login", Remark::Words),
            ("no tests run", Remark::Words),
            ("/compact", Remark::Command),
            ("/review the parser", Remark::Command),
            ("/plugin:do", Remark::Command),
            ("/usr/bin/env is missing", Remark::Words),
            ("/etc/hosts", Remark::Words),
            ("/Users is full", Remark::Words),
            ("/", Remark::Nothing),
            ("", Remark::Nothing),
            ("?!", Remark::Nothing),
            ("fix it", Remark::Short),
            ("why", Remark::Short),
            ("修复登录", Remark::Words),
            ("修复", Remark::Short),
            ("fix login", Remark::Words),
            ("a - b - c - d", Remark::Words),
        ] {
            assert_eq!(remark(text), wanted, "{text}");
        }
    }
}
