//! The wrappers of every agent, for texts of which nobody says whose they are.

use super::{Injected, Own, without_memories};
use crate::{claude, codex, grok};
use std::borrow::Cow;

/// How often a text is taken apart: a wrapper of one agent may stand in that of another.
const LOOKS: usize = 8;

/// The human's own words in a text of any agent: without memories, wrappers, accounts of the machine
/// and instructions. A text that has none of these is given back as it is.
pub fn own_words(text: &str) -> Own<'_> {
    let mut own = without_memories(text);
    for _ in 0..LOOKS {
        let Some((words, more)) = taken_apart(&own.words) else { break };
        own.injected.extend(more);
        own.words = Cow::Owned(words);
    }
    own
}

/// What is left of a text and what was taken out, if anything was.
fn taken_apart(text: &str) -> Option<(String, Vec<Injected<'static>>)> {
    if text.trim().is_empty() {
        return None;
    }
    let found = codex::own_words(text)
        .or_else(|| claude::own_words(text))
        .or_else(|| grok::own_words(text))
        .or_else(|| {
            let own = without_memories(text);
            (!own.injected.is_empty()).then_some(own)
        })?;
    // Every look takes something away, so that there is a last one.
    (found.words.len() < text.len()).then(|| {
        let injected = found.injected.into_iter().map(Injected::into_owned).collect();
        (found.words.into_owned(), injected)
    })
}
