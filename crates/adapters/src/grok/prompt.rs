//! The human's own words, taken out of what the harness wraps around them.

use crate::hygiene::{Injected, Own, without_memories};
use std::borrow::Cow;

/// Elements the harness puts into a prompt.
const INJECTED: &[&str] = &[
    "system-reminder",
    "system_reminder",
    "user_info",
    "environment_context",
    "project_instructions",
    "project_layout",
    "git_status",
    "task-notification",
    "task_completed",
    "subagent_completed",
    "background_tasks",
    "hook_context",
    "attached_files",
    "open_and_recently_viewed_files",
];

/// The element the harness begins its account of the machine with.
const PREAMBLE: &str = "user_info";

const QUERY_OPEN: &str = "<user_query>";
const QUERY_CLOSE: &str = "</user_query>";

/// A prompt, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// What the human wrote; empty where the harness wrote it all.
    pub(super) words: Cow<'a, str>,
    /// What was put around it, in order, and then what memory tools put into it.
    pub(super) injected: Vec<Cow<'a, str>>,
}

impl<'a> Parts<'a> {
    /// Takes a prompt apart.
    pub(super) fn of(text: &'a str) -> Self {
        let own = without_memories(text);
        let mut parts = match own.words {
            Cow::Borrowed(words) => Self::unwrapped(words),
            Cow::Owned(words) => Parts::unwrapped(&words).into_owned(),
        };
        parts.injected.extend(own.injected.into_iter().map(|block| block.text));
        parts
    }

    fn into_owned(self) -> Parts<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Parts { words: owned(self.words), injected: self.injected.into_iter().map(owned).collect() }
    }

    fn unwrapped(text: &'a str) -> Self {
        let (before, words, after) = match text.split_once(QUERY_OPEN) {
            Some((before, rest)) => {
                let (words, after) = rest.split_once(QUERY_CLOSE).unwrap_or((rest, ""));
                (before.trim(), words.trim(), after.trim())
            }
            // What follows is the harness's too: rules and skills, in elements of any name.
            None if opens(text.trim_start(), PREAMBLE) => (text.trim(), "", ""),
            None => ("", text.trim(), ""),
        };
        let head = leading_elements(words);
        let (words, inner_before) = (words[head..].trim_start(), words[..head].trim_end());
        let tail = words.len() - trailing_elements(words);
        let (words, inner_after) = (words[..tail].trim_end(), words[tail..].trim_start());
        let around = [before, inner_before, inner_after, after].into_iter();
        let injected = around.filter(|text| !text.is_empty()).map(Cow::Borrowed).collect();
        Self { words: Cow::Borrowed(words), injected }
    }
}

/// The human's words in a text the harness wrapped up; `None` if it did not.
pub(crate) fn own_words(text: &str) -> Option<Own<'_>> {
    let text = text.trim();
    // The element of a query is spoken of where the text does not begin with one.
    if !text.starts_with('<') && text.contains(QUERY_OPEN) {
        return None;
    }
    let parts = Parts::unwrapped(text);
    if parts.words.len() == text.len() {
        return None;
    }
    let injected = parts.injected.into_iter();
    let injected = injected.map(|text| Injected { name: "injected_context", text }).collect();
    Some(Own { words: parts.words, injected })
}

/// Length of the injected elements a text begins with.
fn leading_elements(text: &str) -> usize {
    let mut rest = text;
    while let Some(shorter) = without_leading_element(rest.trim_start()) {
        rest = shorter;
    }
    text.len() - rest.len()
}

/// Length of the injected elements a text ends with.
fn trailing_elements(text: &str) -> usize {
    let mut rest = text;
    while let Some(shorter) = without_trailing_element(rest.trim_end()) {
        rest = shorter;
    }
    text.len() - rest.len()
}

fn without_leading_element(text: &str) -> Option<&str> {
    let name = INJECTED.iter().find(|name| opens(text, name))?;
    let close = format!("</{name}>");
    // An element that is never closed reaches to the end.
    Some(text.find(&close).map_or("", |at| &text[at + close.len()..]))
}

fn without_trailing_element(text: &str) -> Option<&str> {
    let text = text.strip_suffix('>')?;
    let at = text.rfind("</")?;
    let name = INJECTED.iter().find(|name| **name == &text[at + 2..])?;
    let open = format!("<{name}");
    let start = text[..at].rmatch_indices(&open).find(|(at, _)| opens(&text[*at..], name));
    start.map(|(at, _)| &text[..at])
}

/// Whether the text begins with the opening tag of an element.
fn opens(text: &str, name: &str) -> bool {
    text.strip_prefix('<')
        .and_then(|text| text.strip_prefix(name))
        .is_some_and(|rest| rest.starts_with(['>', ' ', '\n']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, Vec<String>) {
        let parts = Parts::of(text);
        (parts.words.into_owned(), parts.injected.into_iter().map(Cow::into_owned).collect())
    }

    fn told(words: &str, injected: &[&str]) -> (String, Vec<String>) {
        (words.to_owned(), injected.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn the_wrapper_is_taken_off() {
        assert_eq!(parts("<user_query>\nfix it\n</user_query>"), told("fix it", &[]));
        assert_eq!(parts("plain words"), told("plain words", &[]));
        assert_eq!(parts("<user_query>torn"), told("torn", &[]));
    }

    #[test]
    fn injected_elements_are_set_apart() {
        assert_eq!(
            parts("<system-reminder>a</system-reminder>\n<user_query>do</user_query> tail"),
            told("do", &["<system-reminder>a</system-reminder>", "tail"])
        );
        assert_eq!(
            parts("<user_info>x</user_info>\n<git_status>y</git_status>"),
            told("", &["<user_info>x</user_info>\n<git_status>y</git_status>"])
        );
        assert_eq!(
            parts("<user_info>x</user_info>\n<rules>\nbe brief\n</rules>"),
            told("", &["<user_info>x</user_info>\n<rules>\nbe brief\n</rules>"])
        );
        assert_eq!(
            parts("<user_info>x</user_info>\n<user_query>do</user_query>"),
            told("do", &["<user_info>x</user_info>"])
        );
        assert_eq!(
            parts("do this\n<backstory-context source=\"m\">old</backstory-context>"),
            told("do this", &["<backstory-context source=\"m\">old</backstory-context>"])
        );
        assert_eq!(
            parts("<system-reminder>never closed"),
            told("", &["<system-reminder>never closed"])
        );
    }

    #[test]
    fn markup_of_the_human_stays() {
        for text in
            ["<div>why?</div>", "<user_infox>a</user_infox>", "a < b > c", "</git_status>", "<"]
        {
            assert_eq!(parts(text), told(text, &[]));
        }
    }
}
