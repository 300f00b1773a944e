//! What of an event is searched: prose in passages, tool text by its telling parts.

use aho_corasick::{AhoCorasick, MatchKind};
use backstory_model::EventKind;
use serde::de::{
    Deserialize, DeserializeSeed as _, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::fmt;
use std::sync::LazyLock;

/// Longer messages are cut into passages of about this many bytes (some 200 words): a hit then
/// points at the place, and length does not drown it.
const PASSAGE_BYTES: usize = 1200;
/// A tool text up to this length is indexed in full.
const TOOL_BYTES: usize = 500;
/// Of longer ones: the beginning, the end, and lines that tell of errors.
const HEAD_BYTES: usize = 200;
const TAIL_BYTES: usize = 100;
const ERROR_BYTES: usize = 200;
/// What is told of a long line.
const ERROR_LINE_BYTES: usize = 200;
/// What makes a line of a long output worth keeping.
const ERROR_WORDS: [&str; 19] = [
    "error",
    "Error",
    "ERROR",
    "fail",
    "Fail",
    "FAIL",
    "panic",
    "Panic",
    "PANIC",
    "xception",
    "EXCEPTION",
    "fatal",
    "Fatal",
    "FATAL",
    "denied",
    "not found",
    "Not Found",
    "NOT FOUND",
    "Traceback",
];

/// Who speaks in an event, as far as search tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// The human.
    Prompt,
    /// The agent's words and thoughts.
    Prose,
    /// Calls and outputs of tools.
    Tool,
}

/// Whose words an event holds; none for bookkeeping, which nobody looks for.
pub fn voice(kind: EventKind) -> Option<Voice> {
    match kind {
        EventKind::UserMsg | EventKind::HumanIntervention => Some(Voice::Prompt),
        EventKind::AssistantMsg
        | EventKind::Thinking
        | EventKind::Decision
        | EventKind::Compaction => Some(Voice::Prose),
        EventKind::ToolCall
        | EventKind::ToolResult
        | EventKind::Error
        | EventKind::TestRun
        | EventKind::Edit
        | EventKind::Retry => Some(Voice::Tool),
        EventKind::Lifecycle | EventKind::Completion => None,
    }
}

/// Cuts prose into passages, at the end of a paragraph, line, sentence or word.
pub fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let cut = cut_at(rest);
        let (passage, after) = rest.split_at(cut);
        rest = after.trim_start();
        Some(passage.trim_end())
    })
}

fn cut_at(text: &str) -> usize {
    // A short tail belongs to the passage before it.
    if text.len() <= PASSAGE_BYTES + PASSAGE_BYTES / 4 {
        return text.len();
    }
    let end = text.floor_char_boundary(PASSAGE_BYTES);
    let from = text.floor_char_boundary(PASSAGE_BYTES / 2);
    let last = |mark: &str| text[from..end].rfind(mark).map(|at| from + at + mark.len());
    last("\n\n").or_else(|| last("\n")).or_else(|| last(". ")).or_else(|| last(" ")).unwrap_or(end)
}

/// A tool's text: what is searched as text, and what only by its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolText<'a> {
    /// Indexed in full.
    pub told: Vec<&'a str>,
    /// The middle of a long text; see [`crate::terms::for_each_name`].
    pub rest: &'a str,
}

/// Divides a tool's text.
pub fn tool(text: &str) -> ToolText<'_> {
    if text.len() <= TOOL_BYTES {
        return ToolText { told: vec![text], rest: "" };
    }
    let head = line_end(text, HEAD_BYTES);
    let tail = text.ceil_char_boundary(text.len() - TAIL_BYTES).max(head);
    let middle = &text[head..tail];
    let mut told = vec![&text[..head]];
    let mut room = ERROR_BYTES;
    let mut told_to = 0;
    for place in error_places(middle) {
        if place < told_to {
            continue;
        }
        let line = line_around(middle, place);
        told_to = line.end;
        let line = &middle[line];
        if line.len() > room {
            break;
        }
        room -= line.len();
        told.push(line);
    }
    told.push(&text[tail..]);
    ToolText { told, rest: middle }
}

/// Where the line ends that reaches beyond `bytes`, unless it is endless.
fn line_end(text: &str, bytes: usize) -> usize {
    let at = text.floor_char_boundary(bytes);
    let more = text[at..].find('\n').filter(|more| *more < ERROR_LINE_BYTES);
    at + more.unwrap_or(0)
}

/// Where words of errors stand. In the cases they are written in: that is several times faster than
/// looking at every letter in both.
fn error_places(text: &str) -> impl Iterator<Item = usize> {
    static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        // Of this kind of match there is a vectorised search.
        AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(ERROR_WORDS).ok()
    });
    WORDS.iter().flat_map(move |words| words.find_iter(text)).map(|word| word.start())
}

/// The line a place is in, or the part of it that is near.
fn line_around(text: &str, at: usize) -> std::ops::Range<usize> {
    let from = text.floor_char_boundary(at.saturating_sub(ERROR_LINE_BYTES / 2));
    let to = text.ceil_char_boundary((at + ERROR_LINE_BYTES / 2).min(text.len()));
    let start = text[from..at].rfind('\n').map_or(from, |end| from + end + 1);
    let end = text[at..to].find('\n').map_or(to, |end| at + end);
    start..end
}

/// The strings in a tool's JSON input, one per line; any other text as it is.
pub fn spoken<'a>(text: &'a str, out: &'a mut String) -> &'a str {
    if !text.starts_with(['{', '[']) {
        return text;
    }
    out.clear();
    let mut reader = serde_json::Deserializer::from_str(text);
    let is_json = (Strings { out }).deserialize(&mut reader).is_ok() && reader.end().is_ok();
    if is_json { out } else { text }
}

/// Collects every string value below it.
struct Strings<'a> {
    out: &'a mut String,
}

impl<'de> serde::de::DeserializeSeed<'de> for Strings<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strings<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(text);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Strings { out: self.out })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_key::<Skipped>()?.is_some() {
            entries.next_value_seed(Strings { out: self.out })?;
        }
        Ok(())
    }
}

/// A key nobody searches for.
struct Skipped;

impl<'de> Deserialize<'de> for Skipped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_ignored_any(IgnoredAny).map(|_| Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(text: &str) -> String {
        spoken(text, &mut String::new()).to_owned()
    }

    #[test]
    fn a_call_is_told_by_its_values() {
        assert_eq!(
            said(r#"{"command":"cargo test\ncargo run","limit":3,"more":[{"path":"a/b"},null]}"#),
            "cargo test\ncargo run\na/b"
        );
        assert_eq!(said("{not json"), "{not json");
        assert_eq!(said("[1] plain"), "[1] plain");
    }

    #[test]
    fn long_outputs_keep_head_tail_and_errors() {
        let mut text = String::from("begin\n");
        for line in 0..400 {
            text.push_str("a line of a long and boring output with number_");
            text.push_str(&line.to_string());
            text.push('\n');
            if line == 200 {
                text.push_str("Error: the needle broke\n");
            }
        }
        text.push_str("the end");
        let cut = tool(&text);
        let told = cut.told.join("\n");
        assert!(told.starts_with("begin") && told.ends_with("the end"));
        assert!(told.contains("the needle broke") && told.len() < TOOL_BYTES);
        assert!(cut.rest.contains("number_150"));
    }

    proptest! {
        #[test]
        fn no_word_of_prose_is_lost(words in prop::collection::vec("[a-zé]{1,30}", 0..400)) {
            let text = words.join(" ");
            let passages: Vec<&str> = prose(&text).collect();
            prop_assert_eq!(passages.join(" "), text.as_str());
            prop_assert!(passages.iter().all(|passage| passage.len() <= PASSAGE_BYTES * 5 / 4));
        }

        #[test]
        fn no_byte_of_a_tool_text_is_lost(text in "[a-zé\n ]{800,2200}") {
            let cut = tool(&text);
            let (first, last) = (cut.told[0], cut.told[cut.told.len() - 1]);
            let whole = if cut.told.len() == 1 {
                first.to_owned()
            } else {
                format!("{first}{}{last}", cut.rest)
            };
            prop_assert_eq!(whole, text);
        }
    }
}
