//! The least a reader must do: find the conversation in a line and take its text. Borrowed and
//! lazy, so that what is not conversation is skipped by the parser.

use serde::Deserialize;
use sonic_rs::{JsonValueTrait as _, LazyValue};
use std::borrow::Cow;

/// A text that borrows from the line where it can.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<LazyValue<'a>>,
    #[serde(borrow)]
    payload: Option<LazyValue<'a>>,
    #[serde(borrow)]
    params: Option<LazyValue<'a>>,
    #[serde(borrow)]
    timestamp: Option<LazyValue<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<LazyValue<'a>>,
}

/// A content block of Claude, an item of Codex, an update of Grok: what holds text in any of them.
#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    thinking: Option<Text<'a>>,
    #[serde(borrow)]
    input: Option<LazyValue<'a>>,
    #[serde(borrow)]
    content: Option<LazyValue<'a>>,
    #[serde(borrow)]
    summary: Option<LazyValue<'a>>,
    #[serde(borrow)]
    arguments: Option<Text<'a>>,
    #[serde(borrow)]
    output: Option<LazyValue<'a>>,
    #[serde(borrow, rename = "rawInput")]
    raw_input: Option<LazyValue<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    update: Option<Piece<'a>>,
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    items: Vec<LazyValue<'a>>,
}

/// One piece of conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// A number for what it is; the length of its type's name is enough for a floor.
    pub(crate) kind: u8,
    /// Milliseconds since 1970, 0 where the line has no time.
    pub(crate) time: i64,
    /// Bytes of text.
    pub(crate) len: u32,
}

/// Texts and rows taken so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    /// All texts, one after the other.
    pub(crate) text: String,
    /// A row for each.
    pub(crate) rows: Vec<Row>,
}

const ITEMS: [&str; 6] = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
];

impl Taken {
    /// Takes the conversation of a line.
    pub(crate) fn line(&mut self, line: &[u8]) {
        let Ok(parsed) = sonic_rs::from_slice::<Line<'_>>(line) else { return };
        let time = parsed.timestamp.as_ref().map_or(0, millis);
        let kind = parsed.kind.as_ref().map_or("", |kind| &kind.0);
        match kind {
            "user" | "assistant" => {
                let Some(message) = &parsed.message else { return };
                let message = sonic_rs::from_str::<Message<'_>>(message.as_raw_str());
                if let Ok(Message { content: Some(content) }) = message {
                    self.content(&content, time, 1);
                }
            }
            "response_item" => {
                if let Some(payload) = &parsed.payload {
                    self.piece_of(payload.as_raw_str(), time);
                }
            }
            "" => {
                let Some(params) = &parsed.params else { return };
                let params = sonic_rs::from_str::<Params<'_>>(params.as_raw_str());
                if let Ok(Params { update: Some(update) }) = params {
                    self.piece(&update, time);
                }
            }
            // The oldest rollouts have no envelope.
            _ if ITEMS.contains(&kind) => {
                if let Ok(text) = std::str::from_utf8(line) {
                    self.piece_of(text, time);
                }
            }
            _ => {}
        }
    }

    /// Takes the conversation of a whole document.
    pub(crate) fn document(&mut self, bytes: &[u8]) {
        let Ok(document) = sonic_rs::from_slice::<Document<'_>>(bytes) else { return };
        for item in &document.items {
            self.piece_of(item.as_raw_str(), 0);
        }
    }

    fn piece_of(&mut self, json: &str, time: i64) {
        if let Ok(piece) = sonic_rs::from_str::<Piece<'_>>(json) {
            self.piece(&piece, time);
        }
    }

    fn piece(&mut self, piece: &Piece<'_>, time: i64) {
        let kind = piece.kind.as_ref().map_or(2, |kind| kind.0.len() as u8);
        for text in [&piece.text, &piece.thinking, &piece.arguments].into_iter().flatten() {
            self.push(&text.0, time, kind);
        }
        for json in [&piece.input, &piece.raw_input].into_iter().flatten() {
            if json.is_str() {
                self.content(json, time, kind);
            } else {
                self.push(json.as_raw_str(), time, kind);
            }
        }
        for json in [&piece.content, &piece.summary, &piece.output].into_iter().flatten() {
            self.content(json, time, kind);
        }
    }

    /// A string, a list of pieces, or one piece.
    fn content(&mut self, json: &LazyValue<'_>, time: i64, kind: u8) {
        let raw = json.as_raw_str();
        match raw.as_bytes().first() {
            Some(b'"') => {
                if let Ok(text) = sonic_rs::from_str::<Text<'_>>(raw) {
                    self.push(&text.0, time, kind);
                }
            }
            Some(b'[') => {
                if let Ok(pieces) = sonic_rs::from_str::<Vec<Piece<'_>>>(raw) {
                    for piece in &pieces {
                        self.piece(piece, time);
                    }
                }
            }
            Some(b'{') => self.piece_of(raw, time),
            _ => {}
        }
    }

    fn push(&mut self, text: &str, time: i64, kind: u8) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.rows.push(Row { kind, time, len: text.len() as u32 });
        }
    }
}

/// `"2026-08-20T10:00:00.123Z"` or seconds.
fn millis(value: &LazyValue<'_>) -> i64 {
    let raw = value.as_raw_str().as_bytes();
    if raw.first() != Some(&b'"') {
        return value.as_i64().unwrap_or_default() * 1_000;
    }
    let number = |from: usize, to: usize| {
        raw.get(from..to)
            .unwrap_or_default()
            .iter()
            .fold(0_i64, |sum, digit| sum * 10 + i64::from(digit.wrapping_sub(b'0')))
    };
    let (year, month) = (number(1, 5), number(6, 8));
    let shifted = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * shifted.0 + shifted.0 / 4 - shifted.0 / 100
        + shifted.0 / 400
        + (153 * shifted.1 + 2) / 5
        + number(9, 11)
        - 719_469;
    ((days * 24 + number(12, 14)) * 60 + number(15, 17)) * 60_000
        + number(18, 20) * 1_000
        + number(21, 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(line: &str) -> (Vec<String>, i64) {
        let mut taken = Taken::default();
        taken.line(line.as_bytes());
        let mut texts = Vec::new();
        let mut from = 0;
        for row in &taken.rows {
            texts.push(taken.text[from..from + row.len as usize].to_owned());
            from += row.len as usize;
        }
        (texts, taken.rows.first().map_or(0, |row| row.time))
    }

    #[test]
    fn claude_blocks_without_the_copy_beside_them() {
        let (texts, time) = taken(
            r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"a\nb"}]},"toolUseResult":{"stdout":"a\nb"},"timestamp":"1970-01-02T00:00:01.005Z"}"#,
        );
        assert_eq!((texts, time), (vec!["a\nb".to_owned()], 86_401_005));
        let (texts, _) = taken(
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"command":"ls"}}]}}"#,
        );
        assert_eq!(texts, [r#"{"command":"ls"}"#]);
        assert_eq!(taken(r#"{"type":"user","message":{"content":"hi"}}"#).0, ["hi"]);
    }

    #[test]
    fn codex_items_wrapped_and_bare() {
        let item =
            r#"{"type":"function_call","name":"shell","arguments":"{\"a\":1}","call_id":"c"}"#;
        assert_eq!(taken(item).0, [r#"{"a":1}"#]);
        let wrapped = format!(
            r#"{{"timestamp":"2026-01-01T00:00:00.000Z","type":"response_item","payload":{item}}}"#
        );
        assert_eq!(taken(&wrapped), (vec![r#"{"a":1}"#.to_owned()], 1_767_225_600_000));
        assert!(
            taken(r#"{"type":"event_msg","payload":{"type":"agent_message","message":"x"}}"#)
                .0
                .is_empty()
        );
    }

    #[test]
    fn grok_updates() {
        let line = r#"{"timestamp":5,"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"yes"}}}}"#;
        assert_eq!(taken(line), (vec!["yes".to_owned()], 5_000));
    }
}
