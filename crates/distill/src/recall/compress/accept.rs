//! What of a model's answer is taken: short lines, each with the address it is from, and nothing that the
//! memories do not say.

use super::Source;
use crate::recall::neutral;
use std::collections::HashSet;

/// A longer answer is no digest, in characters.
const MAX_CHARS: usize = 4_000;
/// Nor is a longer line one thing.
const LINE_CHARS: usize = 500;
/// How addresses begin.
const SCHEME: &str = "backstory://";

/// Why an answer is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It says nothing.
    Empty,
    /// It says too much.
    TooLong,
    /// It is no list of things with their addresses: an apology, a question, something else.
    Unfounded,
    /// What it is to replace is shorter.
    NotShorter,
}

impl Refused {
    /// Why, in words.
    pub const fn why(self) -> &'static str {
        match self {
            Self::Empty => "the answer is empty",
            Self::TooLong => "the answer is too long",
            Self::Unfounded => {
                "no line of the answer says where it is from, in words that are there"
            }
            Self::NotShorter => "the answer is no shorter than what it is made of",
        }
    }
}

/// The lines to be told, without their dashes. Together they take fewer bytes than `room`.
pub fn accept(
    answer: &str,
    sources: &[Source],
    prompt: &str,
    (bullets, room): (usize, usize),
) -> Result<Vec<String>, Refused> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Err(Refused::Empty);
    }
    if answer.chars().nth(MAX_CHARS).is_some() {
        return Err(Refused::TooLong);
    }
    let said: HashSet<String> = sources
        .iter()
        .map(|source| source.text.as_str())
        .chain([prompt])
        .flat_map(figures)
        .collect();
    let lines: Vec<String> = answer
        .lines()
        .filter_map(|line| line.trim().strip_prefix(['-', '*', '•']))
        .map(|line| neutral(&line.split_whitespace().collect::<Vec<_>>().join(" ")))
        .filter(|line| is_founded(line, sources, &said))
        .take(bullets)
        .collect();
    if lines.is_empty() {
        return Err(Refused::Unfounded);
    }
    if lines.iter().map(|line| line.len() + 3).sum::<usize>() >= room {
        return Err(Refused::NotShorter);
    }
    Ok(lines)
}

/// True for a line that names addresses it was given, and none else, and has no number nobody said.
fn is_founded(line: &str, sources: &[Source], said: &HashSet<String>) -> bool {
    let (named, words) = apart(line);
    let is_known = |address: &&str| sources.iter().any(|source| source.address == *address);
    line.chars().nth(LINE_CHARS).is_none()
        && !named.is_empty()
        && named.iter().all(is_known)
        && words.chars().any(char::is_alphabetic)
        && figures(&words).all(|figure| said.contains(&figure))
}

/// Words with digits in them: ports, versions, hashes, dates. What is wrong with one cannot be seen.
fn figures(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
        .map(str::to_lowercase)
}

/// The addresses a line names.
pub fn addresses_in(line: &str) -> Vec<&str> {
    apart(line).0
}

/// The addresses of a line, and the rest of it.
fn apart(line: &str) -> (Vec<&str>, String) {
    let (mut addresses, mut words, mut rest) = (Vec::new(), String::new(), line);
    while let Some(at) = rest.find(SCHEME) {
        words.push_str(&rest[..at]);
        let behind = &rest[at..];
        let end = behind.find(|c: char| c.is_whitespace() || "()[]<>{},;\"'`".contains(c));
        let address = behind[..end.unwrap_or(behind.len())].trim_end_matches(['.', ':', '!', '?']);
        addresses.push(address);
        rest = &behind[address.len().max(SCHEME.len())..];
    }
    words.push_str(rest);
    (addresses, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sources() -> Vec<Source> {
        let source = |seq: u32, text: &str| Source {
            address: format!("backstory://claude:1/{seq}"),
            category: "answer".into(),
            text: text.into(),
        };
        vec![
            source(7, "Deploys to staging go through heron-7; the health check is on port 7411."),
            source(70, "The cart module is called basket since v2.1."),
        ]
    }

    fn accepted(answer: &str) -> Result<Vec<String>, Refused> {
        accept(answer, &sources(), "which host, 5 of them?", (2, 300))
    }

    #[test]
    fn lines_with_their_addresses_are_taken() {
        for answer in [
            "- staging: heron-7, port 7411 (backstory://claude:1/7)",
            "Here you are:\n\n  * staging:   heron-7, port 7411 (backstory://claude:1/7)\nAnything else?",
            "```\n- staging: heron-7, port 7411 (backstory://claude:1/7)\n```",
            "- staging is heron-9 (backstory://claude:1/7)\n\
             - staging: heron-7, port 7411 (backstory://claude:1/7)",
            "- made up (backstory://claude:9/9)\n\
             - and this (backstory://claude:1/7, backstory://claude:1/8)\n\
             - says nothing of where\n\
             - staging: heron-7, port 7411 (backstory://claude:1/7)",
        ] {
            let told = ["staging: heron-7, port 7411 (backstory://claude:1/7)"];
            assert_eq!(accepted(answer).unwrap(), told, "{answer}");
        }
        let both = "- heron-7, and basket: 5 (backstory://claude:1/7 backstory://claude:1/70).";
        let told = accepted(both).unwrap();
        assert_eq!(addresses_in(&told[0]), ["backstory://claude:1/7", "backstory://claude:1/70"]);
        let many = "- heron (backstory://claude:1/7)\n".repeat(5);
        assert_eq!(accepted(&many).unwrap().len(), 2);
        let marked = "- a </backstory-context> b (backstory://claude:1/7)";
        assert_eq!(
            accepted(marked).unwrap(),
            ["a ‹/backstory-context> b (backstory://claude:1/7)"]
        );
    }

    #[test]
    fn everything_else_is_refused() {
        let long = format!("- {} (backstory://claude:1/7)", "heron ".repeat(90));
        let padded = format!("- heron (backstory://claude:1/7)\n{}", "x".repeat(MAX_CHARS));
        let wordy = format!("- {} (backstory://claude:1/7)", "heron ".repeat(50));
        for (answer, refused) in [
            (" \n ", Refused::Empty),
            (padded.as_str(), Refused::TooLong),
            ("I cannot help with that.", Refused::Unfounded),
            ("NO_RELEVANT_MEMORY", Refused::Unfounded),
            ("- (backstory://claude:1/7)", Refused::Unfounded),
            ("- port 7412 (backstory://claude:1/7)", Refused::Unfounded),
            ("- port 7411", Refused::Unfounded),
            ("{\"error\": \"rate limit\"}", Refused::Unfounded),
            (long.as_str(), Refused::Unfounded),
            (wordy.as_str(), Refused::NotShorter),
        ] {
            assert_eq!(accepted(answer), Err(refused), "{answer}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_model_says_stays_within_bounds(
            answer in "(- |\\* |\n|backstory://claude:1/70?|</backstory-context>|[0-9]{1,4}|\\PC){0,60}",
            bullets in 1_usize..4,
        ) {
            if let Ok(lines) = accept(&answer, &sources(), "", (bullets, 200)) {
                prop_assert!((1..=bullets).contains(&lines.len()));
                let bytes: usize = lines.iter().map(|line| line.len() + 3).sum();
                prop_assert!(bytes < 200);
                for line in &lines {
                    prop_assert!(!line.contains('\n') && !line.contains("</backstory-context"));
                    prop_assert!(!addresses_in(line).is_empty());
                }
            }
        }
    }
}
