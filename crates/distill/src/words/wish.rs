//! What kind of thing people ask for.

use super::listen::{has_any, phrases, plain, starts_any};
use super::phrases_wish::{ALLOWS_RED, ASKS, GREETINGS, HANDS_OFF, TELLS};
use crate::clip;
use serde::{Deserialize, Serialize};

/// What would fulfil a wish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Wish {
    /// There is none.
    #[default]
    Nothing,
    /// Something has to be different.
    Work,
    /// Something has to be different, and a failing check belongs to it.
    RedWork,
    /// Words.
    Words,
}

/// How much of a wish is read.
const LISTEN: usize = 600;

/// The kind of wish a prompt holds.
pub(crate) fn wish(text: &str) -> Wish {
    let text = plain(clip::head(text.trim(), LISTEN));
    let bare = text.trim_end_matches(['!', '.', '?', ' ', '。', '！', '？', ',', '🙂', '👋']);
    if bare.is_empty() || phrases(GREETINGS).any(|greeting| greeting == bare) {
        return Wish::Nothing;
    }
    let hands_off = has_any(&text, HANDS_OFF);
    let asks = starts_any(&text, ASKS) || text.ends_with(['?', '？']) && !has_any(&text, DOING);
    if hands_off
        || asks
        || has_any(&text, TELLS) && !has_any(&text, "fix|behebe|arregla|corrige|修复")
    {
        Wish::Words
    } else if has_any(&text, ALLOWS_RED) {
        Wish::RedWork
    } else {
        Wish::Work
    }
}

/// Questions that are orders.
const DOING: &str = "can you|could you|would you|will you|please|kannst du|könntest du|puedes|\
    podrías|peux-tu|pourrais-tu|pouvez-vous|能不能|可以帮|してくれ|してもらえ";
