//! Texts that plugins push: cleaned before they are stored, since no version of theirs does it whole.

use super::metadata::without_metadata;
use super::{Remark, own_words, remark};
use backstory_model::Role;

/// How many characters of a pushed text are kept, unless somebody says otherwise.
pub const PUSHED_MAX_CHARS: usize = 24_000;

/// What stands for the rest of a text that was too long.
pub const PUSHED_TRUNCATED: &str = "…\n[truncated]";
/// How often a text is looked at.
const LOOKS: usize = 4;
/// How texts begin that a plugin wrote about itself.
const OWN_REMARK: &str = "[openviking-memory]";

/// A pushed text as it is to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// What is left of it; empty if nothing is.
    pub text: String,
    /// What it is. What tools and agents say is always words.
    pub remark: Remark,
    /// What was taken out, whole.
    pub injected: Vec<String>,
}

impl Pushed {
    /// Whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// Cleans a text somebody pushed as said by `role`. Texts of tools are kept as they are, up to the
/// length.
pub fn pushed(role: Role, text: &str, max_chars: usize) -> Pushed {
    let text = text.replace('\0', "");
    if role == Role::Tool {
        return Pushed { text: cut(text, max_chars), remark: Remark::Words, injected: Vec::new() };
    }
    let mut injected = Vec::new();
    let mut words = text;
    // What a gateway adds may stand before or behind what an agent does.
    for _ in 0..LOOKS {
        let own = own_words(&words);
        injected.extend(own.injected.into_iter().map(|block| block.text.into_owned()));
        let plain = without_metadata(&own.words).into_owned();
        if plain == words {
            break;
        }
        words = plain;
    }
    let words = cut(collapsed(&words), max_chars);
    if words.starts_with(OWN_REMARK) {
        injected.push(words);
        return Pushed { text: String::new(), remark: Remark::Nothing, injected };
    }
    let remark = match role {
        Role::User => remark(&words),
        _ => Remark::Words,
    };
    Pushed { text: words, remark, injected }
}

/// The text with no more than one empty line between two others, and none around.
fn collapsed(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.trim().lines() {
        let line = line.trim_end_matches('\r');
        empty = if line.trim().is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            if !kept.is_empty() {
                kept.push('\n');
            }
            kept.push_str(if empty == 0 { line } else { "" });
        }
    }
    kept
}

fn cut(mut text: String, max_chars: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(max_chars) {
        text.truncate(at);
        text.push_str(PUSHED_TRUNCATED);
    }
    text
}
