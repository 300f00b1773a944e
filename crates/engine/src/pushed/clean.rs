//! What of a posted message is kept: the human's and the agent's own words, secrets redacted, tool
//! texts of bearable size.

use super::{Incoming, tokens};
use backstory_adapters::pushed::{Message, Part};
use backstory_distill::Redactor;
use backstory_model::{EventKey, Timestamp};

/// A posted tool text longer than this is kept in its head and tail.
pub const TOOL_CHARS: usize = 20_000;

/// Blocks other tools and we ourselves put into a conversation, by their tag.
const INJECTED_TAGS: &[&str] = &[
    "backstory-context",
    "openviking-context",
    "relevant-memory",
    "relevant-memories",
    "claude-mem-context",
    "system-reminder",
];
/// Texts of the harness, known by how they begin.
const INJECTED_BEGINNINGS: &[&str] = &[
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "OpenViking memory digest:",
    "OpenViking session archive digest:",
    "Backstory memory digest:",
    "[openviking-memory]",
];

/// Makes what is stored of a posted message; nothing if nothing of it is anybody's own.
pub(super) fn clean(
    posted: &Incoming,
    tool_chars: usize,
    redactor: &Redactor,
    now: Timestamp,
) -> Option<Message> {
    let redact = |text: &str| redactor.redact(text).into_owned();
    let kept = |part: &Part| {
        let text = part.text.as_deref().and_then(|text| own_words(text));
        let part = Part {
            text: text.as_deref().map(redact),
            tool_id: part.tool_id.clone(),
            tool: part.tool.as_deref().map(redact),
            status: part.status.clone(),
            input: part.input.as_deref().map(|input| redact(&shortened(input, tool_chars))),
            output: part.output.as_deref().map(|output| redact(&shortened(output, tool_chars))),
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
    [&part.text, &part.input, &part.output].into_iter().filter_map(|text| text.as_deref())
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

/// A text without what was put into it; nothing if nothing else is there.
fn own_words(text: &str) -> Option<String> {
    let mut own = text.replace('\0', "");
    for tag in INJECTED_TAGS {
        own = without_blocks(&own, tag);
    }
    let own = own.trim();
    let is_injected = INJECTED_BEGINNINGS.iter().any(|beginning| own.starts_with(beginning));
    (!own.is_empty() && !is_injected).then(|| own.to_owned())
}

/// Takes out every `<tag …>…</tag>` that begins a line.
fn without_blocks(text: &str, tag: &str) -> String {
    let (opening, closing) = (format!("<{tag}"), format!("</{tag}>"));
    let mut own = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(&opening) {
        let behind = &rest[start + opening.len()..];
        let is_tag = behind.starts_with(['>', ' ', '\n', '\t', '/']);
        let begins_line = rest[..start].trim_end_matches([' ', '\t']).ends_with('\n')
            || (own.is_empty() && rest[..start].trim().is_empty());
        match behind.find(&closing) {
            Some(end) if is_tag && begins_line => {
                own.push_str(&rest[..start]);
                rest = &behind[end + closing.len()..];
            }
            _ => {
                own.push_str(&rest[..start + opening.len()]);
                rest = behind;
            }
        }
    }
    own.push_str(rest);
    own
}

/// Head and tail of a text that is too long.
fn shortened(text: &str, most: usize) -> String {
    let chars = text.chars().count();
    if chars <= most {
        return text.to_owned();
    }
    let tail = most / 4;
    let place = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(place, _)| place);
    let (head, rest) = (place(most - tail), place(chars - tail));
    format!("{}\n[… {} characters left out …]\n{}", &text[..head], chars - most, &text[rest..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn injected_blocks_are_nobodys_words() {
        for (text, own) in [
            ("fix it", Some("fix it")),
            ("<openviking-context source=\"startup\">\nx\n</openviking-context>\nfix it", Some("fix it")),
            ("<backstory-context>\nx\n</backstory-context>", None),
            ("<environment_context>\n<cwd>/w</cwd>", None),
            ("why does <system-reminder>x</system-reminder> show?", Some("why does <system-reminder>x</system-reminder> show?")),
            ("<relevant-memories>never closed", Some("<relevant-memories>never closed")),
            ("  \n", None),
        ] {
            assert_eq!(own_words(text).as_deref(), own, "{text}");
        }
    }

    #[test]
    fn long_tool_texts_keep_head_and_tail() {
        let text = format!("{}{}", "ä".repeat(100), "b".repeat(100));
        let short = shortened(&text, 40);
        assert!(short.starts_with(&"ä".repeat(30)) && short.ends_with(&"b".repeat(10)));
        assert!(short.contains("160 characters left out"));
        assert_eq!(shortened("abc", 3), "abc");
    }

    #[test]
    fn secrets_are_gone_and_identity_is_stable() {
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        let posted = Incoming {
            role: "user".into(),
            parts: vec![Part { text: Some(format!("token {secret}")), ..Part::default() }],
            ..Incoming::default()
        };
        let (redactor, now) = (Redactor::new(), Timestamp(5));
        let message = clean(&posted, TOOL_CHARS, &redactor, now).unwrap();
        assert!(!message.parts[0].text.as_deref().unwrap().contains(secret));
        assert_eq!((message.at, message.told, message.sure), (5, false, false));
        assert_eq!(clean(&posted, TOOL_CHARS, &redactor, Timestamp(9)).unwrap().key, message.key);
    }
}
