//! What people mean by the words they end with.

use super::listen::{behind_last, has_any, has_any_unnegated, phrases, plain, starts_any};
use super::phrases_human::{
    ACCEPTS, ASKS_MORE, BAD_SIGNS, CONFIRMS, CONTINUES, CONTRASTS, COURTESY, DECLINES, GIVES_UP,
    GOOD_SIGNS, HAPPY, MOCKS, NOT_OBJECTING, OBJECTS, ORDERS, OTHER_DAYS, RESUMES, UNDOES, UNHAPPY,
    WAITS,
};
use crate::clip;
use serde::{Deserialize, Serialize};

/// How the human speaks of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tone {
    /// Says nothing about it.
    #[default]
    Neutral,
    /// Is content.
    Happy,
    /// Is not.
    Unhappy,
    /// Lets the matter drop.
    GivesUp,
    /// Will look at it some other time.
    Waits,
    /// Nods; it depends on what was said before.
    Nods,
    /// Wants no more than there is.
    Declines,
    /// Is polite about a failure.
    Courteous,
}

/// How much of a message is listened to.
const LISTEN: usize = 600;

/// The human's tone, by phrases that leave no doubt.
pub(crate) fn tone(text: &str) -> Tone {
    // A long message is a task or a paste; only its opening is an answer to the work.
    let text = heard(text);
    let text = text.as_str();
    if has_any(text, GIVES_UP) {
        Tone::GivesUp
    } else if has_any(text, UNHAPPY) {
        Tone::Unhappy
    } else if has_any_unnegated(text, HAPPY) {
        Tone::Happy
    } else {
        Tone::Neutral
    }
}

fn heard(text: &str) -> String {
    plain(clip::head(text, if text.len() > 800 { 160 } else { LISTEN }))
}

/// The verdict in an answer to finished work, by everything that hints at one.
pub(crate) fn verdict(text: &str) -> Tone {
    let text = heard(text);
    let whole = text.as_str();
    let puts_off = has_any(whole, RESUMES) && has_any(whole, OTHER_DAYS);
    if puts_off || has_any(whole, GIVES_UP) {
        return Tone::GivesUp;
    }
    if has_any(whole, COURTESY) {
        return Tone::Courteous;
    }
    if starts_any(whole, DECLINES) {
        return Tone::Declines;
    }
    if is_nod(whole) {
        return Tone::Nods;
    }
    // What comes after a "but" is what matters.
    let point = behind_last(whole, CONTRASTS);
    let (first, last) = point.map_or(("", whole), |at| whole.split_at(at));
    let praised = has_any_unnegated(whole, HAPPY) || has_any(whole, GOOD_SIGNS);
    let blamed = has_any(whole, UNHAPPY) || has_any(last, BAD_SIGNS);
    if matches!(whole.trim_end_matches(['.', '…']), "hm" | "hmm" | "hmmm") {
        return Tone::Waits;
    }
    if has_any(whole, MOCKS) || whole.ends_with("??") {
        return Tone::Unhappy;
    }
    if has_any(whole, WAITS) {
        return if praised && !blamed { Tone::Happy } else { Tone::Waits };
    }
    if has_any(whole, UNHAPPY) && !has_any_unnegated(last, HAPPY) {
        return Tone::Unhappy;
    }
    let objects = starts_any(whole, OBJECTS) && !starts_any(whole, NOT_OBJECTING);
    let orders = is_order(whole);
    let good = has_any_unnegated(last, HAPPY) || has_any(last, GOOD_SIGNS);
    let bad = has_any(last, BAD_SIGNS);
    let asks_more = whole.ends_with(['?', '？']) && has_any(whole, ASKS_MORE);
    match (good, bad) {
        // Praise for what was, and a new wish.
        (true, false) if asks_more => Tone::Neutral,
        (true, false) => Tone::Happy,
        // Praise in front of a "but", or beside damage, is not meant.
        (_, true) if praised || !first.is_empty() => Tone::Unhappy,
        _ if objects => Tone::Unhappy,
        (false, true) if !orders => Tone::Unhappy,
        _ if praised && !first.is_empty() => Tone::Unhappy,
        _ if praised => Tone::Happy,
        _ => Tone::Neutral,
    }
}

/// True if a message is a wish or a question rather than a remark.
pub(crate) fn is_wish(text: &str) -> bool {
    let text = heard(text);
    is_order(&text) || text.ends_with(['?', '？'])
}

fn is_order(text: &str) -> bool {
    starts_any(text, ORDERS)
        || has_any(
            text,
            "can you|could you|please|pls|plz|let's|bitte|kannst du|por favor|puedes|peux-tu|请|帮我|ください|して|now add|also add",
        )
        || text.ends_with('?') && !starts_any(text, "why|warum|wieso|por qué|pourquoi")
}

/// True for words that only say to go on with what was wished before.
pub(crate) fn goes_on(text: &str) -> bool {
    let text = heard(text);
    text.len() < 60 && starts_any(&text, CONTINUES) || is_nod(&text)
}

fn is_nod(text: &str) -> bool {
    let mut rest = text.trim_matches(|c: char| !c.is_alphanumeric() && c < '\u{2000}');
    let mut nodded = false;
    while !rest.is_empty() {
        let found = phrases(ACCEPTS)
            .filter(|phrase| starts_any(rest, phrase))
            .max_by_key(|phrase| phrase.len());
        let Some(found) = found else { return false };
        nodded = true;
        rest = rest[found.len()..].trim_start_matches(|c: char| {
            !c.is_alphanumeric() && c < '\u{2000}' || c == '\u{fe0f}'
        });
        rest = rest.trim_start_matches(['，', '。', '、', '！']);
    }
    nodded
}

/// True if the human says that it works, as opposed to mere thanks.
pub(crate) fn confirms(text: &str) -> bool {
    has_any_unnegated(&heard(text), CONFIRMS)
}

/// True if the human wants the work taken back.
pub(crate) fn undoes(text: &str) -> bool {
    has_any(&heard(text), UNDOES)
}

/// True for words that object to what the agent did.
pub(crate) fn objects(text: &str) -> bool {
    if tone(text) == Tone::Unhappy {
        return true;
    }
    if text.len() > 1500 {
        return false;
    }
    let text = plain(clip::head(text, LISTEN));
    !starts_any(&text, NOT_OBJECTING) && starts_any(&text, OBJECTS)
}

/// True if content words come with a new wish: the praise is for what was, not for the end.
pub(crate) fn asks_more(text: &str) -> bool {
    let text = heard(text);
    text.contains(['?', '？'])
        || [
            " now ",
            "can you",
            "could you",
            "please ",
            "next",
            "let's",
            "lets ",
            "also ",
            " but ",
            "then ",
            "and add",
            "go ahead",
            "merge it",
            "commit",
            "push",
            "jetzt ",
            "ahora ",
            "maintenant",
            "接下来",
            "次は",
        ]
        .iter()
        .any(|phrase| text.contains(phrase))
}
