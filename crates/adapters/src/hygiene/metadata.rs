//! What gateways put before the words they pass on: who sent them, when, in which channel.

use std::borrow::Cow;

/// Names of which three in one fenced block make it an account of the conversation.
const KEYS: [&str; 16] = [
    "session_id",
    "sessionid",
    "sessionkey",
    "conversation_id",
    "conversationid",
    "channel",
    "sender",
    "user_id",
    "userid",
    "agent_id",
    "agentid",
    "timestamp",
    "timezone",
    "cwd",
    "model",
    "permission_mode",
];
const KEYS_ENOUGH: usize = 3;
const FENCE: &str = "```";

/// Takes out accounts of the conversation and the stamps before the words.
pub(super) fn without_metadata(text: &str) -> Cow<'_, str> {
    let mut rest = Cow::Borrowed(text);
    if text.contains(FENCE) {
        rest = Cow::Owned(without_accounts(text));
    }
    let words = without_stamps(&rest).len();
    match rest {
        Cow::Borrowed(text) => Cow::Borrowed(&text[text.len() - words..]),
        Cow::Owned(mut text) => {
            text.drain(..text.len() - words);
            Cow::Owned(text)
        }
    }
}

fn without_accounts(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while at < lines.len() {
        let is_titled = is_title(lines[at]);
        let open = at + usize::from(is_titled);
        let fence = lines.get(open).filter(|line| line.trim_start().starts_with(FENCE));
        let close = fence.and_then(|_| {
            let closing = |line: &&str| line.trim() == FENCE;
            lines[open + 1..].iter().position(closing).map(|len| open + 1 + len)
        });
        match close {
            Some(close) if is_titled || is_account(&lines[open + 1..close]) => at = close + 1,
            // A fenced block is kept whole: its end is no beginning of another.
            Some(close) => {
                kept.extend(lines[at..=close].iter().copied());
                at = close + 1;
            }
            None => {
                kept.push_str(lines[at]);
                at += 1;
            }
        }
    }
    kept
}

/// `Sender (…):`, `Conversation info (…):`
fn is_title(line: &str) -> bool {
    let line = line.trim();
    let is_named = ["Sender (", "Conversation info", "Conversation metadata"]
        .iter()
        .any(|title| line.starts_with(title));
    is_named && line.ends_with(':')
}

fn is_account(lines: &[&str]) -> bool {
    let body = lines.concat().to_lowercase();
    KEYS.iter().filter(|key| names(&body, key)).take(KEYS_ENOUGH).count() == KEYS_ENOUGH
}

/// Whether a name stands in a text with a value behind it.
fn names(body: &str, key: &str) -> bool {
    body.match_indices(key).any(|(at, _)| {
        let is_whole = !body[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let after = body[at + key.len()..].trim_start_matches(['"', '\'', ' ']);
        is_whole && after.starts_with([':', '='])
    })
}

/// `[2026-05-01 10:00 UTC] `, `1748765432 `
fn without_stamps(mut text: &str) -> &str {
    loop {
        let trimmed = text.trim_start();
        let Some(rest) = without_date(trimmed).or_else(|| without_epoch(trimmed)) else {
            return text;
        };
        text = rest.trim_start();
    }
}

fn without_date(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?;
    let (stamp, rest) = inner.split_once(']')?;
    let date = stamp.as_bytes().get(..10)?;
    let is_date = date.iter().enumerate().all(|(at, byte)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    (is_date && !stamp.contains('\n')).then_some(rest)
}

fn without_epoch(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    ((10..=13).contains(&digits) && rest.starts_with([' ', '\n', '\t'])).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_and_stamps_are_taken_off() {
        for (text, wanted) in [
            ("[2026-05-01 10:00 UTC] [2026-05-01] fix it", "fix it"),
            ("1748765432123 fix it", "fix it"),
            ("Sender (untrusted metadata):\n```json\n{\"name\":\"x\"}\n```\nfix it", "fix it"),
            ("Conversation info (x):\n```\na\n```\n\n[2026-05-01] fix it", "fix it"),
            ("do\n```json\n{\"channel\": 1, \"Sender\": 2, \"cwd\": 3}\n```\nfix", "do\nfix"),
        ] {
            assert_eq!(without_metadata(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_people_paste_stays() {
        for text in [
            "[link](http://x) look",
            "[2026] was a year",
            "12345 apples",
            "17487654321234 too long",
            "```json\n{\"channel\": 1, \"model\": 2}\n```\nwhy?",
            "```\nremodel: a\nthe sender said: b\ncwd stays\n```",
            "Sender (x):\nno fence",
            "```\nopen cwd: 1 model: 2 channel: 3",
        ] {
            assert_eq!(without_metadata(text), text);
        }
    }
}
