//! What is told at a prompt, in the fewer words a model found for it before.
//!
//! A hook only looks whether there are such words, and leaves a question if there are none: asking a model
//! takes longer than an agent may be kept waiting. Whoever answers questions ([`answer_asked`]) runs behind
//! the agent's back, and what it found is there the next time.

mod profile;
mod shelf;
mod work;

pub use profile::{Profile, detect, is_known_to_fail};
pub use work::{Answered, Headless, answer_asked};

pub(super) use shelf::{erase, expire};

use super::{Occasion, Recall, RecallItem, RecallOptions};
use backstory_distill::Redactor;
use backstory_distill::recall::compress::addresses_in;
use backstory_distill::recall::{Cue, Source, line_bytes, render_lines};
use backstory_store::Home;
use serde::{Deserialize, Serialize};
use shelf::{Asked, AskedItem, Shelf};
use std::io;
use xxhash_rust::xxh3::xxh3_128;

/// So much of a prompt is shown to a model, in bytes.
const PROMPT_BYTES: usize = 4_000;
/// So much of it is looked through for secrets.
const LOOK_BYTES: usize = 1 << 20;

/// How what is told may be put into fewer words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compress {
    /// In at most so many lines.
    pub bullets: usize,
    /// Blocks shorter than this, in characters, are left as they are.
    pub min_chars: usize,
    /// Whether to ask for words that are not there yet.
    pub asks: bool,
}

/// Other words for what is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wording {
    /// Who found them: the agent and its model.
    pub by: String,
    /// The lines, each with the addresses it is from.
    pub lines: Vec<String>,
}

/// Puts what was found into fewer words if there are any; else says under which name to ask for them.
pub(super) fn reword(home: &Home, found: Recall, cue: &Cue, compress: Compress) -> Recall {
    if found.text.chars().count() < compress.min_chars.max(1) {
        return found;
    }
    let key = key(&found.items, cue, compress.bullets);
    match Shelf::of(home).said(&key) {
        Some(said) if said.wording.lines.is_empty() => found,
        Some(said) => worded(found, said.wording),
        None => Recall { compressible: compress.asks.then_some(key), ..found },
    }
}

/// The same, told in these words. What they leave out was not told.
pub(super) fn worded(found: Recall, wording: Wording) -> Recall {
    let named: Vec<&str> = wording.lines.iter().flat_map(|line| addresses_in(line)).collect();
    let is_named = |item: &&RecallItem| named.contains(&item.address.as_str());
    let items: Vec<RecallItem> = found.items.iter().filter(is_named).cloned().collect();
    if items.is_empty() {
        return found;
    }
    let text = render_lines(&wording.lines, Source::Prompt);
    Recall { items, text, wording: Some(wording), ..found }
}

/// Leaves the question for fewer words.
pub(super) fn ask(
    home: &Home,
    key: &str,
    occasion: &Occasion<'_>,
    options: &RecallOptions,
    found: &Recall,
) -> io::Result<()> {
    let (Some(agent), Some(compress)) = (occasion.session.flavor(), options.compress) else {
        return Ok(());
    };
    let item = |item: &RecallItem| AskedItem {
        category: item.category.name().to_owned(),
        address: item.address.clone(),
        text: item.text.clone(),
    };
    Shelf::of(home).ask(
        key,
        &Asked {
            at: occasion.at,
            agent: agent.name().to_owned(),
            prompt: without_secrets(&options.prompt),
            bullets: compress.bullets,
            bytes: found.items.iter().map(|item| line_bytes(Some(item))).sum(),
            items: found.items.iter().map(item).collect(),
        },
    )
}

/// The beginning of a prompt, without secrets. These are looked for in more of it: the half of one that is cut
/// through would not be recognised.
fn without_secrets(prompt: &str) -> String {
    let looked_at = &prompt[..prompt.floor_char_boundary(LOOK_BYTES.min(prompt.len()))];
    let mut head = Redactor::shared().redact(looked_at).into_owned();
    head.truncate(head.floor_char_boundary(PROMPT_BYTES.min(head.len())));
    head
}

/// The same for the same things, asked for with the same telling words.
fn key(items: &[RecallItem], cue: &Cue, bullets: usize) -> String {
    let mut words: Vec<String> =
        cue.query().words.into_iter().map(|word| word.text.to_lowercase()).collect();
    words.sort();
    let told: Vec<(&str, &str, &str)> = items
        .iter()
        .map(|item| (item.category.name(), item.address.as_str(), item.text.as_str()))
        .collect();
    let whole = format!("{words:?} {told:?} {bullets}");
    format!("{:032x}", xxh3_128(whole.as_bytes()))
}

#[cfg(test)]
mod tests;
