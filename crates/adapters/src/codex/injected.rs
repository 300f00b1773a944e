//! Telling the human's words from what the harness puts into the conversation.

use crate::hygiene::{Injected, Own, without_memories};
use std::borrow::Cow;

/// Markers of injected texts, longest prefixes first where one begins another. The second column
/// is the native name the event carries.
const MARKERS: &[(&str, &str)] = &[
    ("# AGENTS.md instructions", "agents_md"),
    ("<user_instructions>", "user_instructions"),
    ("<environment_context>", "environment_context"),
    ("<skill>", "skill"),
    ("<user_shell_command>", "user_shell_command"),
    ("<turn_aborted>", "turn_aborted"),
    ("<subagent_notification>", "subagent_notification"),
    ("<codex_internal_context", "codex_internal_context"),
    ("<goal_context", "goal_context"),
    ("<recommended_plugins", "recommended_plugins"),
    ("<hook_prompt", "hook_prompt"),
    ("<user_action>", "user_action"),
    (
        "Another language model started to solve this problem and produced a summary",
        "compaction_summary",
    ),
];

/// The marker of a user-role text the harness or a memory tool wrote; `None` for the human's words.
pub(super) fn marker(text: &str) -> Option<&'static str> {
    memory(text).or_else(|| harness(text))
}

/// The name of the memories a text consists of.
pub(super) fn memory(text: &str) -> Option<&'static str> {
    let own = without_memories(text);
    own.injected.first().filter(|_| own.words.is_empty()).map(|block| block.name)
}

fn harness(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    MARKERS.iter().find(|(prefix, _)| text.starts_with(prefix)).map(|(_, name)| *name)
}

/// How the instructions end that begin with `# AGENTS.md instructions`.
const INSTRUCTIONS_END: &str = "</INSTRUCTIONS>";

/// The human's words in a text whose beginning the harness wrote; `None` if it wrote nothing.
pub(crate) fn own_words(text: &str) -> Option<Own<'_>> {
    let text = text.trim();
    let (name, end) = match harness(text) {
        Some(name) => (name, harness_len(text).unwrap_or(0)),
        None => ("ide_context", text.len() - split_ide(text).1.len()),
    };
    if end == 0 {
        return None;
    }
    let (block, words) = text.split_at(end);
    let injected = vec![Injected { name, text: Cow::Borrowed(block.trim()) }];
    Some(Own { words: Cow::Borrowed(words.trim()), injected })
}

/// How far the block goes that a text begins with. One that nothing closes goes to the end, unless it
/// is a tag somebody speaks of.
fn harness_len(text: &str) -> Option<usize> {
    let Some(rest) = text.strip_prefix('<') else {
        return Some(
            text.find(INSTRUCTIONS_END).map_or(text.len(), |at| at + INSTRUCTIONS_END.len()),
        );
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
    let closing = format!("</{name}>");
    match text.find(&closing) {
        Some(at) => Some(at + closing.len()),
        None => text.lines().next().is_some_and(|line| line.ends_with('>')).then_some(text.len()),
    }
}

/// The name a developer- or system-role text is kept under: its own tag, else the role.
pub(super) fn developer_marker<'t>(text: &'t str, role: &'t str) -> &'t str {
    if let Some(known) = marker(text) {
        return known;
    }
    let Some(rest) = text.trim_start().strip_prefix('<') else { return role };
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
    match end {
        Some(end) if end > 0 => &rest[..end],
        _ => role,
    }
}

/// What `content_item_kinds` says of a part: its kind when the harness wrote it.
pub(super) fn harness_kind(kind: &str) -> Option<&str> {
    (!kind.is_empty() && !kind.starts_with("user.")).then_some(kind)
}

/// Heading under which editors put the request after the context they add.
const IDE_REQUEST: &str = "## My request for Codex:";

/// Splits an editor's prompt into the context it added and the request itself.
pub(super) fn split_ide(text: &str) -> (Option<&str>, &str) {
    if !text.trim_start().starts_with('#') {
        return (None, text);
    }
    match text.find(IDE_REQUEST) {
        Some(at) => (Some(&text[..at]), &text[at + IDE_REQUEST.len()..]),
        None => (None, text),
    }
}

/// The working directory an `<environment_context>` names.
pub(super) fn environment_cwd(text: &str) -> Option<&str> {
    let tagged = text
        .split_once("<cwd>")
        .and_then(|(_, rest)| rest.split_once("</cwd>"))
        .map(|(cwd, _)| cwd);
    let listed =
        || text.split_once("Current working directory:").and_then(|(_, rest)| rest.lines().next());
    tagged.or_else(listed).map(str::trim).filter(|cwd| !cwd.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn injected_texts_are_recognised() {
        for (prefix, name) in MARKERS {
            assert_eq!(marker(&format!("\n{prefix} x")), Some(*name));
        }
        let own = "<backstory-context source=\"recall\">\nx\n</backstory-context>";
        assert_eq!(marker(own), Some("backstory-context"));
        assert_eq!(marker(&format!("{own}\nfix it")), None);
        assert_eq!(marker("<div> is broken"), None);
        assert_eq!(developer_marker("<permissions instructions>\nx", "developer"), "permissions");
        assert_eq!(developer_marker("Be brief.", "developer"), "developer");
        assert_eq!(developer_marker("< 3", "developer"), "developer");
    }

    #[test]
    fn editors_context_is_cut_off() {
        let text = "# Context from my IDE setup:\n\n## Open tabs: a.rs\n\n## My request for Codex:\nfix it\n";
        let (context, request) = split_ide(text);
        assert_eq!(request.trim(), "fix it");
        assert!(context.unwrap().contains("a.rs"));
        assert_eq!(
            split_ide("say ## My request for Codex: now"),
            (None, "say ## My request for Codex: now")
        );
    }

    #[test]
    fn both_environment_forms_name_the_directory() {
        assert_eq!(environment_cwd("<environment_context>\n  <cwd>/w/a</cwd>"), Some("/w/a"));
        assert_eq!(environment_cwd("x\nCurrent working directory: /w/b\ny"), Some("/w/b"));
        assert_eq!(environment_cwd("none"), None);
    }
}
