//! Queries of eight classes, made of words the archive really holds.

use backstory_distill::passages::{Voice, voice};
use backstory_distill::terms::{self, TermKind, is_stop_word};
use backstory_store::{SessionFilter, Vault};
use std::collections::HashMap;
use std::io;

/// Sessions sampled for words, spread over the whole archive.
const SAMPLED_SESSIONS: usize = 300;
/// Events taken of each.
const SAMPLED_EVENTS: usize = 40;
/// A word in so many of a thousand sampled texts is common…
const COMMON_PER_MILLE: usize = 80;
/// …and one in so many is neither common nor rare.
const MID_PER_MILLE: std::ops::Range<usize> = 2..12;
const PROMPT_WORDS: usize = 30;

/// The queries of one class.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Its name.
    pub(crate) name: &'static str,
    /// The queries.
    pub(crate) queries: Vec<String>,
}

/// Makes `each` queries of every class.
pub(crate) fn make(vault: &Vault, needles: &[String], each: usize) -> io::Result<Vec<Class>> {
    let texts = sample(vault)?;
    let words = counted(&texts);
    let per_mille = |count: usize| count * 1000 / texts.len().max(1);
    let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<&String> {
        words.iter().filter(|(_, count)| wanted(*count)).map(|(word, _)| word).collect()
    };
    let common = of(&|count| per_mille(count) >= COMMON_PER_MILLE);
    let mid = of(&|count| MID_PER_MILLE.contains(&per_mille(count)));
    let any = of(&|count| count > 1);
    let pick = |list: &[&String], at: usize| {
        list.get(at * 7919 % list.len().max(1)).map_or_else(String::new, |word| (*word).clone())
    };
    let joined = |list: &[&String], at: usize, count: usize| {
        let chosen: Vec<String> = (0..count).map(|nth| pick(list, at * 31 + nth * 17)).collect();
        chosen.join(" ")
    };
    let spans = |count: usize| -> Vec<String> {
        let long: Vec<Vec<&str>> = texts
            .iter()
            .filter(|(voice, _)| *voice != Voice::Tool)
            .map(|(_, text)| text.split_whitespace().collect())
            .filter(|words: &Vec<&str>| words.len() > count + 4)
            .collect();
        let span = |at: usize| {
            let words = &long[at * 104_729 % long.len()];
            let from = at * 13 % (words.len() - count);
            words[from..from + count].join(" ").replace('"', "")
        };
        if long.is_empty() { Vec::new() } else { (0..each).map(span).collect() }
    };
    let made = |make: &dyn Fn(usize) -> String| (0..each).map(make).collect::<Vec<String>>();
    Ok(vec![
        Class { name: "needle", queries: needles.iter().cycle().take(each).cloned().collect() },
        Class { name: "mid", queries: made(&|at| pick(&mid, at)) },
        Class { name: "common word", queries: made(&|at| pick(&common, at)) },
        Class { name: "two words", queries: made(&|at| joined(&any, at, 2)) },
        Class { name: "three words", queries: made(&|at| joined(&any, at, 3)) },
        Class {
            name: "phrase",
            queries: spans(3).into_iter().map(|span| format!("\"{span}\"")).collect(),
        },
        Class {
            name: "prefix",
            queries: made(&|at| format!("{}*", pick(&any, at).chars().take(4).collect::<String>())),
        },
        Class { name: "30-word prompt", queries: spans(PROMPT_WORDS) },
    ])
}

fn sample(vault: &Vault) -> io::Result<Vec<(Voice, String)>> {
    let sessions = vault
        .sessions(&SessionFilter { with_subagents: true, ..SessionFilter::default() })
        .map_err(io::Error::other)?;
    let step = (sessions.len() / SAMPLED_SESSIONS).max(1);
    let mut texts = Vec::new();
    for session in sessions.iter().step_by(step) {
        let events = vault.events(&session.session_uid).map_err(io::Error::other)?;
        let told: Vec<_> =
            events.iter().filter_map(|event| Some((voice(event.kind)?, event))).collect();
        for (voice, event) in told.iter().step_by((told.len() / SAMPLED_EVENTS).max(1)) {
            texts.push((*voice, vault.payload(event).map_err(io::Error::other)?));
        }
    }
    Ok(texts)
}

/// Words with the number of texts they are in, the most frequent first.
fn counted(texts: &[(Voice, String)]) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    for (at, (_, text)) in texts.iter().enumerate() {
        terms::for_each(text, &mut |term| {
            let is_plain = term.kind == TermKind::Word && term.text.len() > 3;
            if is_plain && !is_stop_word(term.text) {
                let (count, last) = counts.entry(term.text.to_owned()).or_insert((0, usize::MAX));
                if *last != at {
                    (*count, *last) = (*count + 1, at);
                }
            }
        });
    }
    let mut words: Vec<(String, usize)> =
        counts.into_iter().map(|(word, (count, _))| (word, count)).collect();
    words.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    words
}
