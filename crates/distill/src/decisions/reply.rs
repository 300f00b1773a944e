//! What a human's next words make of the briefs that wait for them.

use super::reply_keys;
use super::reply_labels::{self, FULL};
use super::reply_phrases::{
    agrees, defers, is_thumb, puts_off, requests, skips, steers, turns_away, wonders, yes_or_no,
};
use super::reply_words::{contains, fold, is_filler, sentences, tokens};
use crate::clip;
use backstory_model::{Decision, DecisionOption, DecisionState};
use std::borrow::Cow;

/// Bytes of a reply that are listened to: people answer first or last, and paste the rest.
const FIRST: usize = 4000;
const LAST: usize = 1000;

/// What of a reply is listened to.
pub(super) fn heard(words: &str) -> Cow<'_, str> {
    clip::ends(words, FIRST, LAST)
}

/// What the words come to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply {
    /// Options, perhaps under a condition; how certain this is, in percent.
    Chosen(Vec<u16>, Option<String>, u8),
    /// Words of their own; whether they are marked as such.
    Free(String, bool),
    /// No answer, and none to come.
    Skipped,
    /// No answer yet.
    Later,
}

/// Applies a reply to its question.
pub(super) fn settle(decision: &mut Decision, reply: &Reply) {
    let certain = |sure: u8| (u32::from(decision.confidence) * u32::from(sure) / 100) as u8;
    match reply {
        Reply::Chosen(chosen, condition, sure) => {
            decision.confidence = certain(*sure);
            decision.chosen.clone_from(chosen);
            decision.free_text.clone_from(condition);
            decision.state = DecisionState::Answered;
        }
        Reply::Free(words, is_marked) => {
            decision.confidence = certain(if *is_marked { 97 } else { 70 });
            decision.free_text = Some(words.clone());
            decision.state = DecisionState::Answered;
        }
        Reply::Skipped => {
            decision.confidence = certain(85);
            decision.state = DecisionState::Skipped;
        }
        Reply::Later => {}
    }
}

/// Reads a reply to a single question.
pub(super) fn read(words: &str, asked: &Decision) -> Reply {
    let text = words.trim().trim_matches(['"', '“', '”', '*']).trim();
    let folded = fold(text);
    if folded.is_empty() && !is_thumb(text) || is_command(text) {
        return Reply::Later;
    }
    if let Some(other) = other(text) {
        return if skips(&fold(other)) {
            Reply::Skipped
        } else {
            Reply::Free(other.to_owned(), true)
        };
    }
    if asked.options.is_empty() {
        return open_reply(text, &folded);
    }
    if is_thumb(text) {
        return asked.recommended.map_or(Reply::Later, |at| Reply::Chosen(vec![at], None, 92));
    }
    by_key(text, asked)
        .or_else(|| by_meaning(text, &folded, asked))
        .unwrap_or_else(|| otherwise(text, &folded, asked))
}

/// `/compact` and the like speak to the harness.
fn is_command(text: &str) -> bool {
    text.starts_with('/') && !text.contains(char::is_whitespace) && !text[1..].contains('/')
}

/// An answer in words of their own, announced as such.
fn other(text: &str) -> Option<&str> {
    const OPENINGS: &[&str] = &[
        "other",
        "something else",
        "none of the above",
        "none of these",
        "none of them",
        "none of those",
        "custom",
        "own answer",
        "my own",
        "anders",
        "etwas anderes",
        "sonstiges",
        "其他",
        "その他",
        "autre",
        "otro",
    ];
    let lower = text.to_lowercase();
    let opening = OPENINGS.iter().find(|opening| lower.starts_with(**opening))?;
    let rest = text.get(opening.len()..)?;
    let rest = rest.trim_start().strip_prefix([':', '：', '-', '—', '–', ',', '=', '.', ';'])?;
    let rest = rest.trim();
    (!rest.is_empty()).then_some(rest)
}

/// A reply to a question without options.
fn open_reply(text: &str, folded: &str) -> Reply {
    if turns_away(folded) || skips(folded) {
        Reply::Skipped
    } else if puts_off(folded) || only_asks(text) {
        Reply::Later
    } else {
        Reply::Free(text.to_owned(), true)
    }
}

/// True if words neither answer nor refuse to: they ask back, or put the answer off.
pub(super) fn delays(words: &str) -> bool {
    is_command(words.trim()) || puts_off(&fold(words)) || only_asks(words)
}

/// True if the human asks back and says nothing else.
pub(super) fn only_asks(text: &str) -> bool {
    let sentences = sentences(text);
    let asks = sentences.iter().any(|(sentence, asks)| *asks && wonders(&fold(sentence)));
    let says = sentences.iter().any(|(sentence, asks)| !asks && !is_small_talk(&fold(sentence)));
    asks && !says
}

fn is_small_talk(folded: &str) -> bool {
    agrees(folded) == Some("")
        || folded.split(' ').count() <= 3
        || [
            "good question",
            "interesting",
            "not sure",
            "i see",
            "thanks",
            "hm",
            "before i decide",
            "one question",
        ]
        .iter()
        .any(|words| folded.starts_with(words))
}

/// A letter, a number or a place.
pub(super) fn by_key(text: &str, asked: &Decision) -> Option<Reply> {
    let mut chosen: Vec<u16> = Vec::new();
    let (mut refused, mut rest) = (Vec::new(), text);
    let mut either = false;
    let mut end = 0;
    for (sentence, asks) in sentences(text) {
        let start = end + text[end..].find(sentence).unwrap_or(0);
        end = start + sentence.len();
        let folded = fold(sentence);
        if asks && wonders(&folded) && !requests(&folded) && folded.len() > 1 {
            continue;
        }
        let keys = reply_keys::read(sentence, &asked.options);
        either |= keys.either;
        refused.extend(keys.refused);
        if !keys.chosen.is_empty() && chosen.is_empty() {
            chosen = keys.chosen;
            rest = &text[start + keys.end..];
        }
    }
    chosen.retain(|at| !refused.contains(at));
    if chosen.is_empty() {
        let left: Vec<u16> =
            (0..asked.options.len() as u16).filter(|at| !refused.contains(at)).collect();
        return match (refused.is_empty(), &left[..]) {
            (false, [at]) => Some(Reply::Chosen(vec![*at], None, 85)),
            (false, _) if is_exclusive(text) => Some(Reply::Chosen(left, None, 85)),
            _ => None,
        };
    }
    if either {
        return None;
    }
    if chosen.len() > 1 && is_corrected(text) {
        chosen.drain(..chosen.len() - 1);
    }
    if let [only] = chosen[..]
        && is_other(&asked.options[usize::from(only)])
    {
        let words = rest.trim_start_matches([')', ':', '.', ',', '-', '—', ' ']).trim();
        if !words.is_empty() {
            return Some(Reply::Free(words.to_owned(), true));
        }
    }
    // What is ruled out besides is no condition.
    let condition =
        condition(rest).filter(|words| refused.is_empty() || words.split(' ').count() > 4);
    Some(Reply::Chosen(chosen, condition, 100))
}

/// `all but C`.
fn is_exclusive(text: &str) -> bool {
    let folded = fold(text);
    ["all but", "all except", "everything but", "everything except", "alles außer", "alle außer"]
        .iter()
        .any(|words| contains(&folded, words))
}

/// `B, no wait, C`.
fn is_corrected(text: &str) -> bool {
    let folded = fold(text);
    [
        "no wait",
        "wait no",
        "make that",
        "i mean",
        "scratch that",
        "sorry",
        "correction",
        "no actually",
        "actually no",
    ]
    .iter()
    .any(|words| contains(&folded, words))
}

fn is_other(option: &DecisionOption) -> bool {
    let label = fold(&option.label);
    ["other", "something else", "none of the above", "none of these", "sonstiges", "andere"]
        .iter()
        .any(|word| label == *word || label.starts_with(&format!("{word} ")))
}

/// The condition behind an answer, in the human's words.
pub(super) fn condition(rest: &str) -> Option<String> {
    const OPENINGS: &[&str] = &[
        "but",
        "except",
        "however",
        "unless",
        "only if",
        "as long as",
        "provided",
        "on condition",
        "if",
        "only for",
        "aber",
        "außer",
        "nur wenn",
        "sofern",
        "solange",
        "but only",
        "just not",
        "though",
        "without",
        "ohne",
        "minus",
    ];
    let rest = rest.trim_start_matches([')', '.', ',', ';', ':', '-', '—', '–', '!', ' ']);
    let folded = fold(rest);
    let opens = |text: &str| {
        OPENINGS
            .iter()
            .any(|word| text.strip_prefix(word).is_some_and(|more| more.starts_with(' ')))
    };
    if opens(&folded) {
        return Some(rest.trim().to_owned());
    }
    // The condition may come behind what is chosen.
    for mark in [
        ", but ",
        " but ",
        ", except ",
        " except ",
        ", unless ",
        " unless ",
        " as long as ",
        ", provided ",
        ", aber ",
        ", only if ",
        " on condition ",
    ] {
        let lower = rest.to_ascii_lowercase();
        if let Some(at) = lower.find(mark) {
            let skip = mark.len() - mark.trim_start_matches([',', ' ']).len();
            return Some(rest[at + skip..].trim().to_owned());
        }
    }
    None
}

/// A label, a part of one, or consent.
fn by_meaning(text: &str, folded: &str, asked: &Decision) -> Option<Reply> {
    let recommended = asked.recommended;
    if defers(folded)
        && !only_asks(text)
        && let Some(at) = recommended
    {
        return Some(Reply::Chosen(vec![at], condition(text), 95));
    }
    if puts_off(folded) && !turns_away(folded) && !names_label(folded, asked) {
        return Some(Reply::Later);
    }
    if skips(folded) && !names_label(folded, asked) {
        return Some(Reply::Skipped);
    }
    if let Some(at) = the_other(folded, asked).or_else(|| by_yes_or_no(folded, asked)) {
        return Some(Reply::Chosen(vec![at], condition(text), 90));
    }
    let agreed = agrees(folded);
    let afterthought = agreed.is_some_and(|rest| {
        rest.is_empty()
            || [
                "and",
                "but",
                "also",
                "then",
                "please",
                "thanks",
                "thank you",
                "und",
                "aber",
                "do it",
                "go ahead",
                "sounds good",
                "lets do that",
                "lets do it",
                "that",
                "i agree",
                "as",
                "always",
                "makes sense",
            ]
            .iter()
            .any(|word| {
                rest == *word || rest.strip_prefix(word).is_some_and(|more| more.starts_with(' '))
            })
    });
    let weights = reply_labels::weigh(text, &asked.options);
    let strong = weights.strong();
    if weights.together && strong.len() > 1 {
        return Some(Reply::Chosen(strong, condition(text), 90));
    }
    let best = weights.best();
    if let Some((at, weight)) =
        best.filter(|(_, weight)| *weight >= FULL || !(agreed.is_some() && afterthought))
    {
        let sure = if weight >= FULL { 97 } else { 80 };
        return Some(Reply::Chosen(
            vec![at],
            condition(behind_label(text, &asked.options[usize::from(at)])),
            sure,
        ));
    }
    if (is_thumb(text) || agreed.is_some())
        && !only_asks(text)
        && let Some(at) = recommended
        && best.is_none()
    {
        let rest = if afterthought || is_thumb(text) { condition(text) } else { None };
        return Some(Reply::Chosen(vec![at], rest, 92));
    }
    if is_all(folded) {
        return Some(Reply::Chosen((0..asked.options.len() as u16).collect(), None, 85));
    }
    if best.is_none() && is_exclusive(text) && weights.by_option.iter().any(|weight| *weight < 0) {
        let left = (0..asked.options.len()).filter(|at| weights.by_option[*at] >= 0);
        return Some(Reply::Chosen(left.map(|at| at as u16).collect(), None, 82));
    }
    weights.left().filter(|_| best.is_none()).map(|at| Reply::Chosen(vec![at], None, 82))
}

/// The option that is not recommended, where there are two.
fn the_other(folded: &str, asked: &Decision) -> Option<u16> {
    let recommended = asked.recommended.filter(|_| asked.options.len() == 2)?;
    let is_meant = [
        "the other one",
        "the other option",
        "the other way",
        "other one please",
        "die andere",
        "das andere",
    ]
    .iter()
    .any(|words| contains(folded, words))
        || folded == "other one"
        || folded == "other";
    is_meant.then_some(1 - recommended)
}

/// The option that begins with yes or no, for an answer that does.
fn by_yes_or_no(folded: &str, asked: &Decision) -> Option<u16> {
    let said = yes_or_no(folded)?;
    let fits = |at: &usize| yes_or_no(&fold(&asked.options[*at].label)) == Some(said);
    let mut fitting = (0..asked.options.len()).filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(at), None) => Some(at as u16),
        _ => None,
    }
}

/// What stands behind a label in a text, or all of it.
fn behind_label<'a>(text: &'a str, option: &DecisionOption) -> &'a str {
    let lower = text.to_ascii_lowercase();
    let label = option.label.to_ascii_lowercase();
    lower.find(&label).and_then(|at| text.get(at + label.len()..)).unwrap_or(text)
}

/// True if a label begins like the answer, so that `skip` is one of the options.
fn names_label(folded: &str, asked: &Decision) -> bool {
    asked.options.iter().any(|option| {
        let label = fold(&option.label);
        let first = label.split(' ').next().unwrap_or_default();
        !label.is_empty()
            && (contains(folded, &label)
                || folded.split(' ').next() == Some(first) && !is_filler(first))
    })
}

fn is_all(folded: &str) -> bool {
    [
        "both",
        "all",
        "all of them",
        "all of it",
        "everything",
        "both please",
        "do both",
        "lets do both",
        "all three",
        "beides",
        "beide",
        "alle",
        "all of the above",
        "both of them",
        "we want both",
        "i want both",
    ]
    .contains(&folded)
}

/// Words that fit no option: an answer of their own, a question, or another subject.
fn otherwise(text: &str, folded: &str, asked: &Decision) -> Reply {
    if turns_away(folded) || requests(folded) && !is_related(folded, asked) {
        return Reply::Skipped;
    }
    if only_asks(text) {
        return Reply::Later;
    }
    let asks = sentences(text).iter().any(|(sentence, asks)| *asks && wonders(&fold(sentence)));
    if asks && !steers(folded) {
        return Reply::Later;
    }
    if steers(folded) || is_related(folded, asked) || agrees(folded).is_some() {
        Reply::Free(text.to_owned(), false)
    } else {
        Reply::Skipped
    }
}

/// True if words speak of what was asked.
fn is_related(folded: &str, asked: &Decision) -> bool {
    let mut about = fold(&asked.question);
    for option in &asked.options {
        about.push(' ');
        about.push_str(&fold(&option.label));
        about.push(' ');
        about.push_str(&fold(&option.description));
    }
    let about = tokens(&about);
    tokens(folded).iter().any(|token| {
        (token.len() >= 3 || !token.is_ascii()) && !is_filler(token) && about.contains(token)
    })
}
