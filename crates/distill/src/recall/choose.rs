//! Which of the relevant things are told: each once, the best first, within the budget.

use super::cue::all_stems;
use super::render::line_bytes;
use super::{Category, Item, MAX_BYTES};
use crate::terms;
use std::collections::{BTreeSet, HashSet};

/// Below this share of the best, a thing is only passably relevant.
const MIN_SHARE_OF_BEST: f32 = 0.45;
/// Things of one session told at most: others have something to say too.
const PER_SESSION: usize = 3;
/// Two texts with this share of their words in common say the same.
const ALIKE: f32 = 0.75;
/// A text with this share of its words in another says no more than that.
const WITHIN: f32 = 0.9;
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
    /// Texts that were told already: who says no more tells nothing.
    pub heard: &'a [String],
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
    let heard: Vec<BTreeSet<String>> = budget.heard.iter().map(|text| words_of(text)).collect();
    let mut room = budget.bytes.min(MAX_BYTES).saturating_sub(line_bytes(None));
    let mut addresses: HashSet<&str> = budget.given.iter().map(String::as_str).collect();
    let mut chosen: Vec<Told<'_>> = Vec::new();
    for candidate in &candidates {
        let item = &candidate.item;
        if chosen.len() == budget.items || item.score < best * MIN_SHARE_OF_BEST {
            break;
        }
        let new = Told { candidate, words: words_of(&item.text) };
        let known = heard.iter().chain(chosen.iter().map(|told| &told.words));
        if addresses.contains(item.address.as_str())
            || is_echo(&new.words, &asked)
            || known.into_iter().any(|known| new.is_known_from(known))
        {
            continue;
        }
        let replaced = chosen.iter().position(|told| new.has_all_of(told));
        let freed = replaced.map_or(0, |place| line_bytes(Some(&chosen[place].candidate.item)));
        let bytes = line_bytes(Some(item));
        let many = chosen.iter().filter(|told| told.candidate.of == candidate.of).count();
        if bytes > room + freed || (replaced.is_none() && many == PER_SESSION) {
            continue;
        }
        room = room + freed - bytes;
        addresses.insert(&item.address);
        match replaced {
            Some(place) => chosen[place] = new,
            None => chosen.push(new),
        }
    }
    chosen.into_iter().map(|told| told.candidate.item.clone()).collect()
}

/// A thing that is told, with its words.
struct Told<'a> {
    candidate: &'a Candidate,
    words: BTreeSet<String>,
}

impl Told<'_> {
    /// True if somebody who knows certain words learns nothing from it. What was asked for stands in what
    /// came of it; anything else says it in a way of its own.
    fn is_known_from(&self, known: &BTreeSet<String>) -> bool {
        is_alike(&self.words, known)
            || (self.candidate.item.category == Category::Prompt && is_within(&self.words, known))
    }

    /// True for what came of a session, beside what was asked for in it.
    fn has_all_of(&self, told: &Self) -> bool {
        self.candidate.item.category == Category::Digest
            && told.candidate.item.category == Category::Prompt
            && told.candidate.of == self.candidate.of
            && is_within(&told.words, &self.words)
    }
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

/// True for a text that has hardly a word beyond another.
fn is_within(text: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    text.intersection(other).count() as f32 >= text.len() as f32 * WITHIN
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
    use super::super::{Source, render};
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

    const ALL: Budget<'_> =
        Budget { items: 6, bytes: MAX_BYTES, given: &[], heard: &[], prompt: "" };

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
    fn what_was_asked_for_is_not_told_beside_what_came_of_it() {
        let request = "2026-03-03: The import of the tea catalogue is broken, please repair it";
        let came = format!("{request}; it succeeded; changed migrations/0007.sql");
        let of_kind = |category: Category, seq: u32, text: &str, score: f32| {
            let mut candidate = candidate("a", seq, text, score);
            candidate.item.category = category;
            candidate
        };
        for (asked, done) in [(2.0, 1.9), (1.9, 2.0)] {
            let both = [
                of_kind(Category::Prompt, 1, request, asked),
                of_kind(Category::Digest, 9, &came, done),
                candidate("b", 2, "the catalogue is written by a nightly job", 1.5),
            ];
            assert_eq!(told(&both, &ALL), ["a/9", "b/2"], "{asked} {done}");
            // Where there is no room for all of it, the request is better than nothing.
            let tight = line_bytes(None) + line_bytes(Some(&both[0].item));
            assert_eq!(told(&both[..2], &Budget { bytes: tight, ..ALL }), ["a/1"]);
            // Who heard before what came of it need not hear the request.
            let heard = [came.clone()];
            assert_eq!(told(&both[..1], &Budget { heard: &heard, ..ALL }), [""; 0]);
        }
        // The same words of another session are another story, and an answer is no request.
        let mut other = of_kind(Category::Digest, 9, &came, 1.9);
        other.of = "c".into();
        let both = [of_kind(Category::Prompt, 1, request, 2.0), other];
        assert_eq!(told(&both, &ALL), ["a/1", "a/9"]);
        let both = [candidate("a", 1, request, 2.0), of_kind(Category::Digest, 9, &came, 1.9)];
        assert_eq!(told(&both, &ALL), ["a/1", "a/9"]);
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
