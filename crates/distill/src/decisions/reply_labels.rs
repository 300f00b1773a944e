//! Answers by label: in full, in part, or by the words that tell one option from the others.

use super::reply_keys;
use super::reply_phrases::{requests, wonders};
use super::reply_words::{
    clauses, contains, fold, is_faint, is_filler, is_negative, is_positive, is_same, position,
    sentences, tokens,
};
use crate::clip;
use backstory_model::DecisionOption;
use std::collections::{HashMap, HashSet};

/// What a label that stands there in full counts; parts of it count less.
pub(super) const FULL: i32 = 10;
const PART: i32 = 8;
const FAVOUR: i32 = 3;
/// Bytes of a line that may name an option.
const LINE: usize = 2000;

/// An option as it is looked for.
struct Wanted {
    /// The label.
    full: String,
    /// The label without what stands in parentheses.
    short: String,
    /// Words no other label has.
    own: Vec<String>,
    /// Words of its explanation that stand nowhere else.
    told: Vec<String>,
}

/// What a text says for and against each option.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Weights {
    /// By option: how much speaks for it, less than nothing if it is refused.
    pub(super) by_option: Vec<i32>,
    /// Several are named together.
    pub(super) together: bool,
}

impl Weights {
    /// The option most is said for, if one stands out.
    pub(super) fn best(&self) -> Option<(u16, i32)> {
        let best = self.by_option.iter().copied().max().filter(|weight| *weight > 0)?;
        let mut same = (0..self.by_option.len()).filter(|at| self.by_option[*at] == best);
        match (same.next(), same.next()) {
            (Some(at), None) => Some((at as u16, best)),
            _ => None,
        }
    }

    /// The options named in full.
    pub(super) fn strong(&self) -> Vec<u16> {
        let strong = |at: &usize| self.by_option[*at] >= PART;
        (0..self.by_option.len()).filter(strong).map(|at| at as u16).collect()
    }

    /// The only option that is left when the refused ones are gone.
    pub(super) fn left(&self) -> Option<u16> {
        let refused = self.by_option.iter().filter(|weight| **weight < 0).count();
        let mut left = (0..self.by_option.len()).filter(|at| self.by_option[*at] >= 0);
        match (refused, left.next(), left.next()) {
            (1.., Some(at), None) => Some(at as u16),
            _ => None,
        }
    }
}

/// Weighs the options by a human's words.
pub(super) fn weigh(text: &str, options: &[DecisionOption]) -> Weights {
    let wanted = wanted(options);
    let mut weights = Weights { by_option: vec![0; options.len()], together: false };
    for (sentence, asks) in sentences(text) {
        let folded = fold(sentence);
        if asks && wonders(&folded) && !requests(&folded) {
            continue;
        }
        for clause in clauses(sentence) {
            let folded = fold(clause);
            let strengths = strengths(&folded, &wanted);
            let named = strengths.iter().filter(|strength| **strength >= PART).count();
            weights.together |= named > 1
                && (contains(&folded, "and")
                    || contains(&folded, "und")
                    || clause.contains(['+', '&']));
            for (at, strength) in
                strengths.iter().enumerate().filter(|(_, strength)| **strength > 0)
            {
                weights.by_option[at] += signed(*strength, &folded, &wanted[at]);
            }
        }
    }
    let named = weights.strong().len();
    weights.together |= named > 1 && contains(&fold(text), "both");
    weights
}

fn wanted(options: &[DecisionOption]) -> Vec<Wanted> {
    let words = |text: fn(&DecisionOption) -> &str| -> Vec<Vec<String>> {
        options.iter().map(|option| tokens(&fold(text(option)))).collect()
    };
    let (labels, explained) = (words(|option| &option.label), words(|option| &option.description));
    let (in_labels, in_explanations) = (holders(&labels), holders(&explained));
    let is_own = |token: &&String| !is_filler(token) && in_labels.get(token.as_str()) == Some(&1);
    let is_told = |token: &&String| {
        in_explanations.get(token.as_str()) == Some(&1)
            && !in_labels.contains_key(token.as_str())
            && !is_filler(token)
            && !is_faint(token)
    };
    let each = options.iter().zip(labels.iter().zip(&explained));
    each.map(|(option, (label, explained))| {
        let bare = option.label.split(['(', '（', '[']).next().unwrap_or_default();
        Wanted {
            full: fold(&option.label),
            short: fold(bare),
            own: label.iter().filter(is_own).cloned().collect(),
            told: explained.iter().filter(is_told).cloned().collect(),
        }
    })
    .collect()
}

/// In how many of some texts each of their words stands.
fn holders(texts: &[Vec<String>]) -> HashMap<&str, usize> {
    let mut holders = HashMap::new();
    for words in texts {
        let words: HashSet<&str> = words.iter().map(String::as_str).collect();
        for word in words {
            *holders.entry(word).or_default() += 1;
        }
    }
    holders
}

/// How strongly a clause speaks of each option.
fn strengths(clause: &str, wanted: &[Wanted]) -> Vec<i32> {
    let said = tokens(clause);
    let core: Vec<&str> =
        clause.split(' ').skip_while(|word| is_filler(word) || is_opening(word)).collect();
    let core = core.join(" ");
    let core = core.trim();
    let squash = clause.replace(' ', "");
    let within = |one: &Wanted| core.len() >= 3 && contains(&one.full, core) && !is_filler(core);
    let holders = wanted.iter().filter(|one| within(one)).count();
    let found: Vec<i32> = wanted
        .iter()
        .map(|one| {
            if is_named(clause, &one.full) {
                return FULL + one.full.split(' ').count() as i32;
            }
            if one.short.len() >= 2 && is_named(clause, &one.short) {
                return FULL;
            }
            if holders == 1 && within(one) {
                return PART;
            }
            if squashed(&one.full).is_some_and(|label| squash.contains(&label)) {
                return PART + 1;
            }
            let is_hit = |token: &&String| said.iter().any(|word| is_same(word, token));
            let hits: Vec<&String> = one.own.iter().filter(is_hit).collect();
            if hits.len() > 1 && hits.len() == one.own.len() {
                return PART;
            }
            let weight = |token: &&String| if is_faint(token) { 1 } else { 2 };
            let by_label = hits.iter().map(weight).sum::<i32>().min(6);
            let telling = said.iter().filter(|word| !is_filler(word) && !is_faint(word)).count();
            let told = one.told.iter().filter(is_hit).count();
            let by_explanation = i32::from(told > 1 || told == 1 && telling <= 3);
            by_label.max(by_explanation)
        })
        .collect();
    // A label within a longer one that is named, too, is not meant.
    let is_inner = |at: usize| {
        found.iter().enumerate().any(|(other, strength)| {
            *strength >= FULL
                && *strength > found[at]
                && contains(&wanted[other].full, &wanted[at].full)
        })
    };
    let kept = (0..found.len()).map(|at| if is_inner(at) { 0 } else { found[at] });
    kept.collect()
}

/// A label without the spaces in it, if it is long enough to be known like that.
fn squashed(label: &str) -> Option<String> {
    Some(label.replace(' ', "")).filter(|label| label.len() >= 5)
}

/// `yes` and `no` are labels only where an answer begins.
fn is_named(clause: &str, label: &str) -> bool {
    if matches!(label, "yes" | "no" | "ja" | "nein") {
        return clause == label
            || clause
                .strip_prefix(label)
                .is_some_and(|rest| rest.starts_with(' ') && rest.split(' ').count() <= 4);
    }
    contains(clause, label)
}

fn is_opening(word: &str) -> bool {
    matches!(
        word,
        "still"
            | "im"
            | "hmm"
            | "hm"
            | "stay"
            | "actually"
            | "definitely"
            | "clearly"
            | "rather"
            | "lieber"
            | "nehmen"
            | "we"
            | "were"
            | "going"
            | "choose"
            | "pick"
            | "because"
            | "but"
    )
}

/// The strength of a clause as it is meant: in favour, or against.
fn signed(strength: i32, clause: &str, option: &Wanted) -> i32 {
    let label = [&option.full, &option.short].into_iter().find(|label| contains(clause, label));
    let own: Vec<&str> = option.full.split(' ').collect();
    let place = label.and_then(|label| position(clause, label));
    let place = place.or_else(|| {
        let hit = clause.split(' ').find(|word| {
            tokens(word).iter().any(|token| option.own.iter().any(|own| is_same(token, own)))
        })?;
        position(clause, hit)
    });
    let before = place.map_or("", |at| &clause[..at]).trim_end();
    if is_set_aside(before) {
        return -strength;
    }
    let others = clause.split(' ').filter(|word| !own.contains(word));
    let (mut against, mut favour) = (false, false);
    for word in others {
        against |= is_negative(word);
        favour |= is_positive(word);
    }
    let after = place.map_or("", |at| &clause[at..]);
    let after =
        label.and_then(|label| after.strip_prefix(label.as_str())).unwrap_or(after).trim_start();
    against |= contains(after, "too") && !after.ends_with("too");
    favour |= ["it is", "then", "please"].iter().any(|end| after.ends_with(end));
    // What follows such a word is refused, not what stands before it.
    let contrast = ["not ", "over ", "instead of ", "rather than ", "and not ", "without "]
        .iter()
        .any(|word| after.starts_with(word))
        && !before.split(' ').any(is_negative);
    match (against && !contrast, favour) {
        (true, _) => -strength,
        (false, true) => strength + FAVOUR,
        (false, false) => strength,
    }
}

/// True if the words right before an option rule it out.
fn is_set_aside(before: &str) -> bool {
    const ENDS: &[&str] = &[
        "not",
        "no",
        "dont",
        "never",
        "without",
        "over",
        "than",
        "instead of",
        "rather than",
        "anything but",
        "everything but",
        "all but",
        "alles außer",
        "except",
        "against",
        "avoid",
        "skip",
        "drop",
        "not the",
        "no more",
        "statt",
        "nicht",
        "kein",
        "keine",
        "keinen",
        "not use",
        "dont use",
        "dont want",
        "not want",
        "dont like",
        "not a",
        "dont take",
        "not with",
        "but not",
        "instead of the",
        "rather than the",
        "over the",
        "than the",
        "not on",
        "away from",
        "rid of",
    ];
    ENDS.iter().any(|end| {
        before == *end || before.strip_suffix(end).is_some_and(|rest| rest.ends_with(' '))
    })
}

/// Which option a line names, by key or label.
pub(super) fn named(line: &str, options: &[DecisionOption]) -> Option<u16> {
    let line = clip::head(line, LINE);
    let head = line.split([';', '\n']).next().unwrap_or(line);
    let reason = ["because", "since", "weil", "da ", "as ", " — ", " – "]
        .iter()
        .filter_map(|word| head.find(word).filter(|at| *at > 0))
        .min();
    let head = reason.map_or(head, |at| &head[..at]);
    let first = head.split([',', '.', '，', '。']).next().unwrap_or(head);
    for text in [first, head, line] {
        let keys = reply_keys::read(text, options);
        if let [at] = keys.chosen[..] {
            return Some(at);
        }
        if let Some((at, _)) = weigh(text, options).best() {
            return Some(at);
        }
    }
    None
}
