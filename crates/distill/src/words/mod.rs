//! What people and agents mean by the words they end with.

mod agent;
mod human;
mod listen;
mod phrases_agent;
mod phrases_human;
mod phrases_wish;
mod wish;

pub(crate) use agent::{Claims, audible, claims};
pub(crate) use human::{
    Tone, asks_more, confirms, goes_on, is_wish, objects, tone, undoes, verdict,
};
pub(crate) use wish::{Wish, wish};

use listen::plain;

/// The words that carry meaning, sorted: the same for the same saying.
pub(crate) fn key(text: &str) -> String {
    const SMALL: &[&str] = &[
        "the", "a", "an", "please", "pls", "to", "that", "this", "it", "you", "just", "also",
        "and", "so", "ok", "for", "of", "is", "be", "my", "our", "in", "on", "i", "we", "will",
        "should", "but", "any", "all", "your", "with", "as", "are",
    ];
    let text = plain(text).replace("do not", "dont").replace("don't", "dont");
    let mut found: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '\'')))
        .map(|word| word.trim_matches(['.', '-', '\'']))
        .filter(|word| !word.is_empty() && !SMALL.contains(word))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.join(" ")
}
