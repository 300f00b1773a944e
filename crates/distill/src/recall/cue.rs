//! What of a prompt is worth looking for, and how well a text fits it.

use crate::clip;
use crate::query::{Query, Word};
use crate::terms::{self, Starts, Term, TermKind, is_stop_word};
use std::collections::{BTreeSet, HashMap};

/// A shorter prompt asks for nothing.
const MIN_CHARS: usize = 3;
/// Of a longer prompt the beginning and the end are looked at: between them something was pasted.
const HEAD_BYTES: usize = 1_500;
const TAIL_BYTES: usize = 500;
/// More words make the search slower and hardly better…
const MAX_WORDS: usize = 24;
/// …and names are worth more than other words.
const MAX_NAMES: usize = 12;
/// The share of a prompt's words, by weight, that one text must have: between these, the less the more
/// words there are.
const MOST_REQUIRED: f32 = 0.6;
const LEAST_REQUIRED: f32 = 0.24;
/// From so many words on, one alone is not enough.
const FEW_WORDS: usize = 3;
/// Nearness counts from here on: this near is anything written about software.
const FAR: f32 = 0.45;
/// What the nearest possible adds.
const NEARNESS: f32 = 1.6;
/// Without a single word in common, only what is this near fits.
const NEAR_WITHOUT_WORDS: f32 = 0.72;

/// Words of people who greet, agree, thank or wave through; they name nothing. Sorted.
const CHATTER: &[&str] = &[
    "ack",
    "afternoon",
    "ahead",
    "alright",
    "amazing",
    "anyway",
    "approve",
    "approved",
    "awesome",
    "bye",
    "carry",
    "cheers",
    "come",
    "confirm",
    "confirmed",
    "continue",
    "cool",
    "correct",
    "definitely",
    "done",
    "evening",
    "everything",
    "exactly",
    "excellent",
    "feel",
    "fine",
    "first",
    "give",
    "go",
    "goes",
    "going",
    "gonna",
    "good",
    "goodbye",
    "got",
    "great",
    "greetings",
    "guess",
    "hallo",
    "hello",
    "help",
    "hey",
    "hi",
    "hmm",
    "howdy",
    "indeed",
    "keep",
    "kindly",
    "know",
    "lets",
    "lgtm",
    "like",
    "ll",
    "look",
    "looks",
    "lot",
    "make",
    "makes",
    "maybe",
    "mean",
    "morning",
    "much",
    "nah",
    "need",
    "never",
    "nevermind",
    "next",
    "nice",
    "nope",
    "oh",
    "ok",
    "okay",
    "okey",
    "perfect",
    "pls",
    "proceed",
    "really",
    "resume",
    "right",
    "sorry",
    "sounds",
    "start",
    "still",
    "stop",
    "stuff",
    "sure",
    "tell",
    "thank",
    "thanks",
    "thing",
    "things",
    "think",
    "thx",
    "today",
    "totally",
    "try",
    "ty",
    "understood",
    "undo",
    "wait",
    "want",
    "way",
    "welcome",
    "well",
    "wonderful",
    "work",
    "works",
    "world",
    "wow",
    "ya",
    "yea",
    "yeah",
    "yep",
    "yes",
    "yo",
    "yup",
];

/// A word of the prompt as the index knows it.
#[derive(Clone, Debug, PartialEq)]
struct Unit {
    stem: String,
    /// As it was typed.
    word: String,
    weight: f32,
}

/// What of a prompt is worth looking for.
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    words: Vec<String>,
    units: Vec<Unit>,
    /// How the stems of the units begin.
    starts: Starts,
}

/// How well a text fits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fit {
    /// The share of the prompt's words it has, rare ones counting more.
    pub coverage: f32,
    /// Those words, in the order of the prompt.
    pub met: Vec<String>,
}

/// Which words of a cue a text has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitsMet(Vec<bool>);

impl Cue {
    /// What a prompt asks for; nothing if it greets, agrees or gives the agent a command of its own.
    pub fn of(prompt: &str) -> Option<Self> {
        let prompt = prompt.trim();
        if prompt.chars().take(MIN_CHARS).count() < MIN_CHARS || is_slash_command(prompt) {
            return None;
        }
        let head = clip::head(prompt, HEAD_BYTES);
        let tail = clip::tail(&prompt[head.len()..], TAIL_BYTES);
        let mut seen = BTreeSet::new();
        let mut words: Vec<(String, bool)> = Vec::new();
        for typed in head.split_whitespace().chain(tail.split_whitespace()) {
            let typed = typed.trim_matches(|c: char| !c.is_alphanumeric());
            let typed = typed.strip_suffix("'s").unwrap_or(typed);
            if typed.len() <= 4 * terms::MAX_TERM_BYTES
                && says_something(typed)
                && seen.insert(typed.to_lowercase())
            {
                words.push((typed.to_owned(), is_name(typed)));
            }
        }
        let words = worth_most(words);
        let mut units: Vec<Unit> = Vec::new();
        for word in &words {
            let stems = stems_of(word);
            let weight = 1.0 / stems.len().max(1) as f32;
            for stem in stems {
                if !units.iter().any(|unit| unit.stem == stem) {
                    units.push(Unit { stem, word: word.clone(), weight });
                }
            }
        }
        let starts = Starts::of(units.iter().map(|unit| unit.stem.as_str()));
        (!units.is_empty()).then_some(Self { words, units, starts })
    }

    /// The same as a query: nothing in it is a filter or must hold.
    pub fn query(&self) -> Query {
        let word = |text: &String| Word { text: text.clone(), ..Word::default() };
        Query { words: self.words.iter().map(word).collect(), ..Query::default() }
    }

    /// Gives every word the weight of its rarity. What is written nowhere weighs as much as the rarest
    /// that is.
    pub fn weigh(&mut self, rarities: &[(&str, f32, bool)]) {
        let known: HashMap<&str, f32> =
            rarities.iter().map(|(stem, rarity, _)| (*stem, *rarity)).collect();
        let most = rarities.iter().filter(|(_, _, is_known)| *is_known);
        let most = most.map(|(_, rarity, _)| *rarity).fold(0.0_f32, f32::max);
        for unit in &mut self.units {
            if let Some(rarity) = known.get(unit.stem.as_str()) {
                let bound = if most > 0.0 { most } else { 1.0 };
                unit.weight *= rarity.min(bound).max(f32::MIN_POSITIVE);
            }
        }
    }

    /// What a text is worth at most, of which any part may be told.
    pub fn bound(&self, parts: &[&str], beside: &UnitsMet) -> f32 {
        self.relevance(&self.fit_beside(&parts.join(" "), beside), None)
    }

    /// How well a text fits; words only in `beside`, such as the title above it, count half.
    pub fn fit(&self, text: &str, beside: &str) -> Fit {
        self.fit_beside(text, &self.units_in(beside))
    }

    /// The same beside a text that was looked through before.
    pub fn fit_beside(&self, text: &str, beside: &UnitsMet) -> Fit {
        let (UnitsMet(own), UnitsMet(others)) = (&self.units_in(text), beside);
        let (mut all, mut has) = (0.0, 0.0);
        let mut met: Vec<String> = Vec::new();
        for (at, unit) in self.units.iter().enumerate() {
            all += unit.weight;
            if own[at] {
                has += unit.weight;
                if !met.contains(&unit.word) {
                    met.push(unit.word.clone());
                }
            } else if others[at] {
                has += unit.weight / 2.0;
            }
        }
        Fit { coverage: if all > 0.0 { has / all } else { 0.0 }, met }
    }

    /// Which of the units a text has.
    pub fn units_in(&self, text: &str) -> UnitsMet {
        let mut has = vec![false; self.units.len()];
        terms::for_each(text, &mut |term| {
            // Most words of a text begin as none of these do, and need no stem.
            if term.kind == TermKind::Whole || !self.starts.may_have(term.text) {
                return;
            }
            if let Some(stem) = stem_of(&term) {
                let met = self.units.iter().zip(&mut has).filter(|(unit, _)| unit.stem == stem);
                met.for_each(|(_, has)| *has = true);
            }
        });
        UnitsMet(has)
    }

    /// How relevant a text is that fits so well and is so near in meaning: from 1 on it is.
    pub fn relevance(&self, fit: &Fit, nearness: Option<f32>) -> f32 {
        let near = nearness.unwrap_or(0.0);
        let meaning = (near - FAR).max(0.0) / (1.0 - FAR) * NEARNESS;
        let is_enough = fit.met.len() >= if self.words.len() < FEW_WORDS { 1 } else { 2 };
        if is_enough {
            return fit.coverage / self.required() + meaning;
        }
        // One word of many says little, unless the meaning says the rest.
        let enough_by_meaning = near >= NEAR_WITHOUT_WORDS;
        let words = (fit.coverage / self.required()).min(0.9);
        if enough_by_meaning { (words + meaning).max(1.0) } else { words.min(0.9) }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Never: a cue has a word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The share that is required. Where one word weighs more than all others together, it is as if it
    /// stood alone.
    fn required(&self) -> f32 {
        let sum: f32 = self.units.iter().map(|unit| unit.weight).sum();
        let squares: f32 = self.units.iter().map(|unit| unit.weight * unit.weight).sum();
        let many = if squares > 0.0 { sum * sum / squares } else { 1.0 };
        (1.0 / many.sqrt()).clamp(LEAST_REQUIRED, MOST_REQUIRED)
    }
}

/// `/compact`, `/model opus`: meant for the agent's own command line. `/home/x` is a path.
fn is_slash_command(prompt: &str) -> bool {
    let Some(rest) = prompt.strip_prefix('/') else { return false };
    let name = rest.split_whitespace().next().unwrap_or_default();
    name.starts_with(|c: char| c.is_alphabetic()) && !name.contains(['/', '.'])
}

/// True unless every part of it is a small word, a lone letter or chatter.
fn says_something(typed: &str) -> bool {
    let mut says = false;
    terms::for_each(typed, &mut |term| {
        says |= match term.kind {
            TermKind::Word => {
                !is_stop_word(term.text)
                    && term.text.chars().nth(1).is_some()
                    && CHATTER.binary_search(&term.text).is_err()
            }
            TermKind::Gram => true,
            TermKind::Whole => false,
        };
    });
    says
}

/// A name of something: written as no word of the language is.
fn is_name(typed: &str) -> bool {
    let mut inside = typed.chars().skip(1);
    inside.any(|c| c.is_ascii_digit() || c.is_uppercase() || matches!(c, '_' | '.' | '/' | ':'))
}

/// As many words as are looked for, in their order: names before others.
fn worth_most(words: Vec<(String, bool)>) -> Vec<String> {
    let names = words.iter().filter(|(_, is_name)| *is_name).count().min(MAX_NAMES);
    let (mut names, mut others) = (names, MAX_WORDS - names);
    let mut take = |is_name: bool| {
        let room = if is_name { &mut names } else { &mut others };
        let has_room = *room > 0;
        *room = room.saturating_sub(1);
        has_room
    };
    words.into_iter().filter(|(_, is_name)| take(*is_name)).map(|(word, _)| word).collect()
}

fn stems_of(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    terms::for_each(text, &mut |term| {
        if let Some(stem) = stem_of(&term).filter(|stem| !stems.contains(stem)) {
            stems.push(stem);
        }
    });
    stems
}

/// What the index knows a term by; nothing of what it passes over.
fn stem_of(term: &Term<'_>) -> Option<String> {
    match term.kind {
        TermKind::Word if is_stop_word(term.text) => None,
        TermKind::Word => Some(terms::stem(term.text)),
        TermKind::Gram => Some(term.text.to_owned()),
        TermKind::Whole => None,
    }
}

/// Every stem of a text.
pub(super) fn all_stems(text: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    terms::for_each(text, &mut |term| stems.extend(stem_of(&term)));
    stems
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_talk_and_commands_ask_for_nothing() {
        assert!(CHATTER.is_sorted());
        for prompt in [
            "",
            "ok",
            "  hi ",
            "Hello there!",
            "thanks a lot",
            "Yes, please go ahead",
            "/compact",
            "/model opus",
            "y",
            "continue",
            "👍👍👍",
            "looks good to me",
            "...",
            "no, stop",
            "Great! Now do it again.",
            "sounds good, let's keep going",
        ] {
            assert_eq!(Cue::of(prompt), None, "{prompt:?}");
        }
        for prompt in ["/src/main.rs is broken", "deploy", "why 502?", "茶壶在哪里", "fix it"]
        {
            assert!(Cue::of(prompt).is_some(), "{prompt:?}");
        }
    }

    #[test]
    fn words_are_taken_as_they_were_typed_once() {
        let cue = Cue::of("How do we deploy `load_pack.rs` to staging? Deploy the STAGING host's");
        let words: Vec<String> =
            cue.unwrap().query().words.into_iter().map(|word| word.text).collect();
        assert_eq!(words, ["deploy", "load_pack.rs", "staging", "host"]);
    }

    #[test]
    fn names_come_before_what_was_pasted_around_them() {
        let filler: Vec<String> = ('a'..='z').map(|c| format!("{c}{c}word")).collect();
        let cue = Cue::of(&format!("{} in heron_7.toml", filler.join(" "))).unwrap();
        assert_eq!(cue.len(), MAX_WORDS);
        assert_eq!(cue.words.last().map(String::as_str), Some("heron_7.toml"));
    }

    #[test]
    fn a_rare_word_counts_more_than_common_ones() {
        let mut cue = Cue::of("which port does the flumox daemon use").unwrap();
        let rarities = [("port", 1.0), ("flumox", 6.0), ("daemon", 2.0), ("use", 0.2)];
        cue.weigh(&rarities.map(|(stem, rarity)| (stem, rarity, true)));
        let score = |text: &str| cue.relevance(&cue.fit(text, ""), None);
        assert!(score("the flumox daemon listens on port 7411") >= 1.0);
        assert!(score("use another port for the tests") < 1.0);
        assert!(score("nothing at all") < 0.1);
        assert_eq!(cue.fit("flumox daemons", "").met, ["flumox", "daemon"]);
    }

    #[test]
    fn what_nobody_wrote_weighs_as_the_rarest() {
        let mut cue = Cue::of("zyzzyva teapot").unwrap();
        cue.weigh(&[("zyzzyva", 9.0, false), ("teapot", 3.0, true)]);
        assert!((cue.fit("a teapot", "").coverage - 0.5).abs() < 1e-6);
        assert!((cue.fit("a pot", "teapot").coverage - 0.25).abs() < 1e-6);
    }

    #[test]
    fn meaning_helps_but_does_not_replace_words() {
        let cue = Cue::of("how do people sign in on the website these days").unwrap();
        let none = cue.fit("authentication happens through the portal", "");
        assert!(cue.relevance(&none, Some(0.5)) < 1.0);
        assert!(cue.relevance(&none, Some(0.8)) >= 1.0);
    }

    proptest! {
        #[test]
        fn a_cue_never_panics_and_fits_itself(prompt in "\\PC{0,300}") {
            if let Some(cue) = Cue::of(&prompt) {
                prop_assert!(cue.len() <= MAX_WORDS && !cue.is_empty());
                let words: Vec<String> = cue.words.clone();
                let fit = cue.fit(&words.join(" "), "");
                prop_assert!((fit.coverage - 1.0).abs() < 1e-3, "{:?} {:?}", cue, fit);
                prop_assert!(cue.relevance(&fit, None) >= 1.0);
            }
        }
    }
}
