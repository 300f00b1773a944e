//! An instruction of the human that may come again in other sessions.

use super::{Detector, Signals};
use crate::beat::Beat;
use crate::clip;
use crate::facts::Facts;
use crate::words;
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Remembers nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Instructions {}

/// How much of a prompt is read, and how many instructions are taken from it.
const READ: usize = 4000;
const PER_PROMPT: usize = 3;

/// Beginnings that make a sentence a rule.
const RULES: &[&str] = &[
    "always ",
    "never ",
    "don't ",
    "dont ",
    "do not ",
    "make sure ",
    "be sure ",
    "ensure ",
    "remember to ",
    "remember that ",
    "prefer ",
    "avoid ",
    "only use ",
    "use only ",
    "from now on",
    "you must ",
    "you should always ",
    "you should never ",
    "must not ",
    "no need to ",
    "in this repo",
    "in this project",
    "for this repo",
    "for this project",
    "we use ",
    "we don't ",
    "we never ",
    "we always ",
    "i prefer ",
    "i want you to always ",
    "keep in mind ",
    "whenever you ",
    "every time you ",
    "before you commit",
    "before committing",
    "stop using ",
    "stop adding ",
    "stop writing ",
    "immer ",
    "niemals ",
    "bitte immer ",
    "bitte nie ",
    "siempre ",
    "nunca ",
    "toujours ",
    "ne jamais ",
];

impl Detector for Instructions {
    const KIND: SignalKind = SignalKind::Instruction;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        // A sub-agent's prompts are an agent's words.
        let Some(text) = beat.human_words().filter(|_| !beat.event.is_sidechain) else { return };
        let text = clip::head(text, READ);
        let mut taken = 0;
        for sentence in sentences(text) {
            if taken < PER_PROMPT && is_rule(sentence) {
                out.note(Self::KIND, xxh3_64(words::key(sentence).as_bytes()), beat, sentence);
                taken += 1;
            }
        }
    }
}

/// True for a sentence that says how things are to be done, short enough to be said again.
fn is_rule(sentence: &str) -> bool {
    let count = sentence.split_whitespace().count();
    if !(3..=30).contains(&count) || sentence.ends_with('?') {
        return false;
    }
    let lower = sentence.to_lowercase().replace('’', "'");
    let mut rest = lower.as_str();
    for lead in
        ["important:", "note:", "please ", "pls ", "and ", "also ", "but ", "so ", "ok, ", "just "]
    {
        rest = rest.strip_prefix(lead).unwrap_or(rest).trim_start();
    }
    if [
        "don't worry",
        "don't you",
        "do not worry",
        "don't know",
        "don't think",
        "don't see",
        "never mind",
        "don't understand",
        "don't have",
    ]
    .iter()
    .any(|saying| rest.starts_with(saying))
    {
        return false;
    }
    RULES.iter().any(|rule| rest.starts_with(rule))
        || lower.contains(" instead of ") && (rest.starts_with("use ") || rest.starts_with("run "))
        || lower.contains(" from now on")
        || rest.starts_with("use ") && count <= 6
}

/// Sentences and list items, without their marks; code blocks are left out.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines()
        .filter(move |line| {
            let line = line.trim_start();
            let fence = line.starts_with("```");
            in_code ^= fence;
            !fence && !in_code && !line.starts_with(['<', '>', '|', '{'])
        })
        .flat_map(split_line)
        .map(|sentence| sentence.trim().trim_start_matches(['-', '*', '•', '#', ' ']).trim())
}

/// Cuts behind `.`, `!`, `?` and `;` where white space follows: `a.rs` is no end.
fn split_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, mark) in line.match_indices(['.', '!', '?', ';']) {
        let end = at + mark.len();
        if line[end..].starts_with(char::is_whitespace) {
            found.push(&line[from..end]);
            from = end;
        }
    }
    found.push(&line[from..]);
    found
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::Instruction;

    #[test]
    fn the_same_saying_has_the_same_fingerprint() {
        let print = |text: &str| {
            let mut script = Script::new();
            script.user(text);
            script.signals(Instruction).first().map(|signal| signal.fingerprint)
        };
        assert!(print("Always use uv!").is_some());
        assert_eq!(print("Always use uv!"), print("fix the parser. please always use `uv`."));
        assert_eq!(print("don't commit the changes"), print("Do not commit changes."));
        assert_ne!(print("always use uv"), print("always use pip"));
    }

    #[test]
    fn tasks_and_questions_are_no_rules() {
        let mut script = Script::new();
        script.user("add a login page. does it always use uv?\nDon't worry about a.rs.\n```\nnever do x y\n```");
        script.user("never mind that one");
        assert!(script.signals(Instruction).is_empty());
    }
}
