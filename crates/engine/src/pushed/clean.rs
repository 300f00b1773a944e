//! What of a posted message is kept: the human's and the agent's own words, secrets redacted, tool
//! texts of bearable size.

use super::{Incoming, Limits, tokens};
use backstory_adapters::hygiene::pushed;
use backstory_adapters::pushed::{Message, Part};
use backstory_distill::Redactor;
use backstory_model::{EventKey, Role, Timestamp};
use serde_json::{Map, Value};

/// A posted tool text longer than this is kept in its head and tail.
pub const TOOL_CHARS: usize = 20_000;
/// The longest name that is kept whole.
const NAME_CHARS: usize = 1024;
/// What is kept of a policy. The last is known to the plugins alone.
const POLICY: [&str; 7] = [
    "pending_token_threshold",
    "message_count_threshold",
    "keep_recent_count",
    "keep",
    "idle_timeout_seconds",
    "idle_timeout",
    "min_commit_interval_seconds",
];

/// Makes what is stored of a posted message; nothing if nothing of it is anybody's own.
pub(super) fn clean(
    posted: &Incoming,
    limits: &Limits,
    redactor: &Redactor,
    now: Timestamp,
) -> Option<Message> {
    // A secret that was cut in two is recognised by nobody: what is shortened has none any more.
    let redact = |text: &str| redactor.redact(text).into_owned();
    let name = |text: &String| bounded(redact(text));
    let short = |text: &str| shortened(redact(text), limits.tool_chars);
    let role = if posted.role == "user" { Role::User } else { Role::Assistant };
    let kept = |part: &Part| {
        let text = part.text.as_deref().map(|text| pushed(role, &redact(text), limits.text_chars));
        let part = Part {
            text: text.filter(|text| !text.is_empty()).map(|text| text.text),
            tool_id: part.tool_id.as_ref().map(name),
            tool: part.tool.as_ref().map(name),
            status: part.status.as_ref().map(name),
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
        peer: posted.peer.as_ref().map(name),
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

/// A name of bearable length. One that was too long is the same wherever it occurs, and no other is.
fn bounded(name: String) -> String {
    match name.char_indices().nth(NAME_CHARS) {
        None => name,
        Some((end, _)) => {
            format!("{}…{:016x}", &name[..end], EventKey::of_parts(&[name.as_bytes()]).0)
        }
    }
}

/// What is stored of a policy, as JSON: what is known of it, as far as it can be no secret.
pub(super) fn policy(json: &str) -> String {
    let kept = match serde_json::from_str(json) {
        Ok(Value::Null) => Value::Null,
        Ok(Value::Object(mut fields)) => {
            fields.retain(|name, value| {
                POLICY.contains(&name.as_str())
                    && matches!(value, Value::Number(_) | Value::Bool(_) | Value::Null)
            });
            Value::Object(fields)
        }
        _ => Value::Object(Map::new()),
    };
    kept.to_string()
}

#[cfg(test)]
mod tests {
    use super::super::Unasked;
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

    fn named(name: &str) -> Message {
        let name = || Some(name.to_owned());
        let part = Part { tool_id: name(), tool: name(), status: name(), ..Part::default() };
        let posted = Incoming {
            role: "user".into(),
            parts: vec![part],
            peer: name(),
            ..Incoming::default()
        };
        clean(&posted, &Limits::default(), Redactor::shared(), Timestamp(5)).unwrap()
    }

    fn names(message: &Message) -> [&str; 4] {
        let part = &message.parts[0];
        [&part.tool_id, &part.tool, &part.status, &message.peer]
            .map(|name| name.as_deref().unwrap_or_default())
    }

    #[test]
    fn ordinary_names_stay_as_they_are() {
        let pair = format!("call_1aZ9|fc_{}", "68d2f0a94c71b3e5".repeat(12));
        for name in [
            "c1",
            "completed",
            "toolu_01A09q90qw90lq917835lq9",
            "call_8Tnq2HvYxK3mWbZ0aLr5PdEj",
            "chatcmpl-tool-3f9c1e0b7a5d4c2e8f6a1b0c9d8e7f60",
            "call_00_kJ8sZ2nWq1xT6vRb4yLm7pHd",
            "6e1c9d52-7a41-4a0e-9d5e-2b0f3c8d7e11",
            "-home-ada-src-shop-api-key-service",
            "-Users-x-Dev-token_store",
            "github.com-ada-shop",
            "https://github.com/ada/shop.git",
            "größe",
            &pair,
        ] {
            assert_eq!(names(&named(name)), [name; 4]);
        }
    }

    #[test]
    fn names_hold_no_secrets_and_end_somewhere() {
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        let call = named(secret);
        for name in names(&call) {
            assert!(name.contains("REDACTED") && !name.contains(secret), "{name}");
        }
        assert_eq!(names(&named(secret)), names(&call));
        let long = |end: &str| format!("{}{end}", "ä b".repeat(50_000));
        let (one, same, other) = (named(&long("1")), named(&long("1")), named(&long("2")));
        assert!(names(&one).iter().all(|name| name.chars().count() < NAME_CHARS + 20));
        assert_eq!(names(&one), names(&same));
        assert_ne!(names(&one), names(&other));
        // Across the place where it is cut.
        let cut = named(&format!("{} {secret}", "x".repeat(NAME_CHARS - 20)));
        assert!(names(&cut).iter().all(|name| !name.contains("ghp_")));
    }

    #[test]
    fn what_is_known_of_a_policy_is_kept() {
        let fields: Vec<String> =
            POLICY.iter().enumerate().map(|(at, name)| format!("\"{name}\":{}", at + 1)).collect();
        let all = format!("{{{}}}", fields.join(","));
        let read = |json: &str| serde_json::from_str::<Value>(json).unwrap();
        assert_eq!(read(&policy(&all)), read(&all));
        assert_eq!(Unasked::of(Some(&policy(&all))), Unasked::of(Some(&all)));
        for (said, kept) in [
            ("null", "null"),
            ("{\"keep\":true,\"idle_timeout\":null}", "{\"keep\":true,\"idle_timeout\":null}"),
            ("{\"keep\":\"ghp_x\",\"idle_timeout\":[1],\"note\":3}", "{}"),
            ("[1]", "{}"),
            ("no JSON", "{}"),
        ] {
            assert_eq!(read(&policy(said)), read(kept), "{said}");
        }
    }
}
