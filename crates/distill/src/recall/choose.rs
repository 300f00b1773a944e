//! Which of the relevant things are told: each once, the best first, within the budget.

use super::cue::all_stems;
use super::render::line_bytes;
use super::{Item, MAX_BYTES};
use crate::terms;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Below this share of the best, a thing is only passably relevant.
const MIN_SHARE_OF_BEST: f32 = 0.45;
/// Things of one session told at most: others have something to say too.
const PER_SESSION: usize = 3;
/// Two texts with this share of their words in common say the same.
const ALIKE: f32 = 0.75;
/// Words of a prompt that say no more than the prompt asks.
const ECHO: f32 = 0.85;

/// A thing that may be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The thing.
    pub item: Item,
    /// What it is a part of, e.g. its session.
    pub of: String,
}

/// How much may be told.
#[derive(Clone, Debug)]
pub struct Budget<'a> {
    /// At most so many things.
    pub items: usize,
    /// In a block of at most so many bytes.
    pub bytes: usize,
    /// Addresses that were told already.
    pub given: &'a [String],
    /// What was asked: who only repeats it tells nothing.
    pub prompt: &'a str,
}

/// Chooses what is told, in the order it is told in. The order of the candidates does not matter.
pub fn choose(mut candidates: Vec<Candidate>, budget: &Budget<'_>) -> Vec<Item> {
    candidates.retain(|candidate| candidate.item.score >= 1.0);
    candidates.sort_by(|one, other| {
        let by_score = other.item.score.total_cmp(&one.item.score);
        let names =
            |candidate: &Candidate| (candidate.item.category, candidate.item.address.clone());
        by_score.then_with(|| names(one).cmp(&names(other)))
    });
    let best = candidates.first().map_or(0.0, |candidate| candidate.item.score);
    let asked = all_stems(budget.prompt);
    let mut room = budget.bytes.min(MAX_BYTES).saturating_sub(line_bytes(None));
    let mut chosen: Vec<Item> = Vec::new();
    let mut addresses: HashSet<&str> = budget.given.iter().map(String::as_str).collect();
    let mut told: Vec<BTreeSet<String>> = Vec::new();
    let mut per_session: HashMap<&str, usize> = HashMap::new();
    for Candidate { item, of } in &candidates {
        if chosen.len() == budget.items || item.score < best * MIN_SHARE_OF_BEST {
            break;
        }
        let stems = words_of(&item.text);
        let many = per_session.get(of.as_str()).copied().unwrap_or(0);
        let bytes = line_bytes(Some(item));
        if many == PER_SESSION
            || bytes > room
            || addresses.contains(item.address.as_str())
            || told.iter().any(|other| is_alike(&stems, other))
            || is_echo(&stems, &asked)
        {
            continue;
        }
        room -= bytes;
        addresses.insert(&item.address);
        *per_session.entry(of).or_default() += 1;
        told.push(stems);
        chosen.push(item.clone());
    }
    chosen
}

/// Stems, and the numbers beside them: `port 80` and `port 81` do not say the same.
fn words_of(text: &str) -> BTreeSet<String> {
    // The day in front of it says nothing about what it says.
    let text = match text.get(..12) {
        Some(day) if day.ends_with(": ") && day.starts_with("20") => &text[12..],
        _ => text,
    };
    let mut words = all_stems(text);
    terms::for_each(text, &mut |term| {
        if term.text.bytes().any(|byte| byte.is_ascii_digit()) {
            words.insert(format!("#{}", term.text));
        }
    });
    words
}

fn is_alike(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let shared = one.intersection(other).count() as f32;
    let all = one.union(other).count() as f32;
    all == 0.0 || shared / all >= ALIKE
}

/// True for a text that has hardly a word beyond what was asked.
fn is_echo(text: &BTreeSet<String>, asked: &BTreeSet<String>) -> bool {
    let words = text.iter().filter(|word| !word.starts_with('#'));
    let (mut all, mut known) = (0, 0);
    for word in words {
        all += 1;
        known += usize::from(asked.contains(word));
    }
    all == 0 || known as f32 / all as f32 >= ECHO
}

#[cfg(test)]
mod tests {
    use super::super::{Category, Source, render};
    use super::*;
    use proptest::prelude::*;

    fn candidate(of: &str, seq: u32, text: &str, score: f32) -> Candidate {
        let address = format!("backstory://{of}/{seq}");
        let (category, why) = (Category::Answer, String::new());
        let item = Item { category, address, text: text.into(), score, why, tokens: 0 };
        Candidate { item, of: of.into() }
    }

    fn told(candidates: &[Candidate], budget: &Budget<'_>) -> Vec<String> {
        let items = choose(candidates.to_vec(), budget);
        items.into_iter().map(|item| item.address[12..].to_owned()).collect()
    }

    const ALL: Budget<'_> = Budget { items: 6, bytes: MAX_BYTES, given: &[], prompt: "" };

    #[test]
    fn the_best_come_first_and_the_irrelevant_not_at_all() {
        let candidates = [
            candidate("a", 1, "the port is 7411", 1.2),
            candidate("b", 1, "heron serves staging", 1.6),
            candidate("c", 1, "nothing to do with it", 0.9),
        ];
        assert_eq!(told(&candidates, &ALL), ["b/1", "a/1"]);
        assert_eq!(told(&[], &ALL), [""; 0]);
        let far = [candidate("a", 1, "one thing", 5.0), candidate("b", 1, "another", 2.0)];
        assert_eq!(told(&far, &ALL), ["a/1"]);
    }

    #[test]
    fn nothing_is_told_twice() {
        let candidates = [
            candidate("a", 1, "Deploys go through heron-7, port 7411.", 2.0),
            candidate("b", 4, "deploys go through heron-7 port 7411", 1.9),
            candidate("b", 5, "deploys go through heron-7 port 7412", 1.8),
            candidate("a", 1, "the same place in other words", 1.7),
        ];
        assert_eq!(told(&candidates, &ALL), ["a/1", "b/5"]);
        let given = ["backstory://a/1".to_owned()];
        let again = Budget { given: &given, ..ALL };
        assert_eq!(told(&candidates, &again), ["b/4", "b/5"]);
    }

    #[test]
    fn who_only_repeats_the_question_tells_nothing() {
        let candidates = [
            candidate("a", 1, "Which port does heron use?", 3.0),
            candidate("a", 2, "heron uses port 7411 since March", 2.0),
        ];
        let budget = Budget { prompt: "which port does the heron use", ..ALL };
        assert_eq!(told(&candidates, &budget), ["a/2"]);
        let dated = [candidate("a", 1, "2026-03-02: Which port does heron use?", 3.0)];
        assert_eq!(told(&dated, &budget), [""; 0]);
    }

    #[test]
    fn one_session_does_not_take_all_the_room() {
        let words = ["alpha", "beta", "gamma", "delta", "epsilon"];
        let many: Vec<Candidate> =
            words.iter().zip(1..).map(|(word, seq)| candidate("a", seq, word, 2.0)).collect();
        assert_eq!(told(&many, &ALL).len(), PER_SESSION);
        assert_eq!(told(&many, &Budget { items: 2, ..ALL }), ["a/1", "a/2"]);
    }

    proptest! {
        #[test]
        fn a_block_keeps_its_budget_whatever_the_order(
            mut texts in prop::collection::vec(("\\PC{0,260}", 0.5_f32..3.0), 0..30),
            bytes in 0_usize..12_000,
        ) {
            let all = |texts: &[(String, f32)]| -> Vec<Candidate> {
                texts.iter().map(|(text, score)| {
                    let seq = text.len() as u32 * 1000 + text.chars().map(|c| c as u32 % 7).sum::<u32>();
                    candidate(&text.chars().take(3).collect::<String>(), seq, text, *score)
                }).collect()
            };
            texts.sort_by(|one, other| one.partial_cmp(other).unwrap());
            texts.dedup_by(|one, other| one.0 == other.0);
            let budget = Budget { bytes, ..ALL };
            let items = choose(all(&texts), &budget);
            let block = render(&items, Source::Prompt);
            prop_assert!(block.len() <= bytes.min(MAX_BYTES));
            texts.reverse();
            prop_assert_eq!(block, render(&choose(all(&texts), &budget), Source::Prompt));
        }
    }
}
