//! What of a posted message is kept: the human's and the agent's own words, secrets redacted, tool
//! texts of bearable size.

use super::{Incoming, Limits, tokens};
use backstory_adapters::hygiene::pushed;
use backstory_adapters::pushed::{Message, Part};
use backstory_distill::Redactor;
use backstory_model::{EventKey, Role, Timestamp};

/// A posted tool text longer than this is kept in its head and tail.
pub const TOOL_CHARS: usize = 20_000;

/// Makes what is stored of a posted message; nothing if nothing of it is anybody's own.
pub(super) fn clean(
    posted: &Incoming,
    limits: &Limits,
    redactor: &Redactor,
    now: Timestamp,
) -> Option<Message> {
    // A secret that was cut in two is recognised by nobody: what is shortened has none any more.
    let redact = |text: &str| redactor.redact(text).into_owned();
    let short = |text: &str| shortened(redact(text), limits.tool_chars);
    let role = if posted.role == "user" { Role::User } else { Role::Assistant };
    let kept = |part: &Part| {
        let text = part.text.as_deref().map(|text| pushed(role, &redact(text), limits.text_chars));
        let part = Part {
            text: text.filter(|text| !text.is_empty()).map(|text| text.text),
            tool_id: part.tool_id.clone(),
            tool: part.tool.as_deref().map(redact),
            status: part.status.clone(),
            input: part.input.as_deref().map(short),
            output: part.output.as_deref().map(short),
            duration_ms: part.duration_ms,
        };
        (part.text.is_some() || part.is_tool()).then_some(part)
    };
    let parts: Vec<Part> = posted.parts.iter().filter_map(kept).collect();
    if parts.is_empty() {
        return None;
    }
    let (key, sure) = identity(&posted.role, &parts);
    let length = parts.iter().flat_map(texts).map(tokens::estimate).fold(0, u32::saturating_add);
    Some(Message {
        id: String::new(),
        role: posted.role.clone(),
        at: posted.at.unwrap_or(now).0,
        peer: posted.peer.clone(),
        key,
        sure,
        told: posted.at.is_some(),
        tokens: length,
        parts,
    })
}

fn texts(part: &Part) -> impl Iterator<Item = &str> {
    [&part.text, &part.input, &part.output].into_iter().filter_map(Option::as_deref)
}

/// Characters of a message, as far as they make a repetition improbable.
pub(super) fn weight(message: &Message) -> usize {
    message.parts.iter().flat_map(texts).map(str::len).sum()
}

/// Who says what, and whether that holds the id of a tool call.
fn identity(role: &str, parts: &[Part]) -> (u64, bool) {
    let mut pieces: Vec<&[u8]> = vec![role.as_bytes()];
    for part in parts {
        let fields = [&part.tool_id, &part.status, &part.text, &part.input, &part.output];
        pieces.extend(fields.map(|field| field.as_deref().unwrap_or_default().as_bytes()));
    }
    let sure = parts.iter().any(|part| part.tool_id.as_deref().is_some_and(|id| !id.is_empty()));
    (EventKey::of_parts(&pieces).0, sure)
}

/// Head and tail of a text that is too long.
fn shortened(text: String, most: usize) -> String {
    let chars = text.chars().count();
    if chars <= most {
        return text;
    }
    let tail = most / 4;
    let place = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(place, _)| place);
    let (head, rest) = (place(most - tail), place(chars - tail));
    format!("{}\n[… {} characters left out …]\n{}", &text[..head], chars - most, &text[rest..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(role: &str, text: &str) -> Option<Message> {
        let part = Part { text: Some(text.to_owned()), ..Part::default() };
        let posted = Incoming { role: role.into(), parts: vec![part], ..Incoming::default() };
        clean(&posted, &Limits::default(), &Redactor::new(), Timestamp(5))
    }

    #[test]
    fn injected_blocks_are_nobodys_words() {
        let block = "<openviking-context source=\"startup\">\nx\n</openviking-context>";
        assert_eq!(kept("user", block), None);
        let mixed = kept("user", &format!("{block}\nfix the parser")).unwrap();
        assert_eq!(mixed.parts[0].text.as_deref(), Some("fix the parser"));
        assert_eq!(kept("user", "fix the parser").unwrap().key, mixed.key);
        assert_eq!(kept("assistant", " \n"), None);
    }

    #[test]
    fn long_tool_texts_keep_head_and_tail() {
        let text = format!("{}{}", "ä".repeat(100), "b".repeat(100));
        let short = shortened(text, 40);
        assert!(short.starts_with(&"ä".repeat(30)) && short.ends_with(&"b".repeat(10)));
        assert!(short.contains("160 characters left out"));
        assert_eq!(shortened("abc".into(), 3), "abc");
    }

    #[test]
    fn no_part_of_a_secret_is_left_where_a_text_is_cut() {
        let limits = Limits::default();
        let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj".repeat(12);
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----");
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        for secret in [pem.as_str(), token] {
            let half = secret.len() / 2;
            // Across the end of the head, the beginning of the tail, and the end of a message.
            let tail = limits.tool_chars / 4;
            for before in [limits.tool_chars - tail - half, 60_000, limits.text_chars - half] {
                let filler = "word \n".repeat(before / 6) + &" ".repeat(before % 6);
                let behind = "word \n".repeat((tail - half) / 6) + &" ".repeat((tail - half) % 6);
                let long = format!("{filler}{secret}{behind}");
                let part = Part {
                    text: Some(long.clone()),
                    tool: Some("shell".into()),
                    input: Some(long.clone()),
                    output: Some(long),
                    ..Part::default()
                };
                let posted =
                    Incoming { role: "user".into(), parts: vec![part], ..Incoming::default() };
                let kept = clean(&posted, &limits, &Redactor::new(), Timestamp(5)).unwrap();
                let core = &secret[half - 8..half];
                let after = &secret[half..half + 8];
                for text in texts(&kept.parts[0]) {
                    assert!(!text.contains(core) && !text.contains(after), "{before}");
                }
            }
        }
    }

    #[test]
    fn secrets_are_gone_and_who_speaks_counts() {
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        let message = kept("user", &format!("the token is {secret}")).unwrap();
        assert!(!message.parts[0].text.as_deref().unwrap().contains(secret));
        assert_eq!((message.at, message.told, message.sure), (5, false, false));
        assert_ne!(kept("assistant", &format!("the token is {secret}")).unwrap().key, message.key);
    }
}
