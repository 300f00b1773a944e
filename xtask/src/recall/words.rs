//! Whether a question and a text have words in common, for questions that must not.

use std::collections::BTreeSet;

/// Words that say nothing of what a passage is about.
const STOP: &str = "a an the this that these those there here it its itself i me my we us our you \
    your he she him her they them their theirs who whom whose which what when where why how is am \
    are was were be been being do does did done doing have has had having can could should would \
    will shall may might must not no nor never ever and or but if then else than so because as \
    while until of in on at to from for with without by about into onto out up down off over under \
    again through during before after above below between against across per via too very just \
    only own same both each all any some more most other another few such once still yet also \
    instead every one s t d ll ve re don didn doesn isn wasn aren weren won couldn shouldn wouldn";

/// The content words of a question, without their endings, that are in a text.
pub fn shared_words(question: &str, text: &str) -> Vec<String> {
    let said = content_words(text);
    let asked = content_words(question);
    asked.into_iter().filter(|word| said.iter().any(|one| is_shared(word, one))).collect()
}

fn content_words(text: &str) -> BTreeSet<String> {
    let stop: BTreeSet<&str> = STOP.split_whitespace().collect();
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !stop.contains(word))
        .map(stem)
        .collect()
}

/// A word without its endings: coarser than a search engine's stemmer, so that the comparison is
/// the stricter of the two.
fn stem(word: &str) -> String {
    const ENDINGS: [&str; 24] = [
        "ations", "ation", "ements", "ement", "nesses", "ness", "ities", "ity", "ings", "ing",
        "ions", "ion", "ments", "ment", "ers", "er", "ies", "ied", "ed", "ly", "es", "s", "y", "e",
    ];
    let mut stem = word;
    for _ in 0..2 {
        let cut = ENDINGS
            .iter()
            .find_map(|ending| stem.strip_suffix(ending).filter(|rest| rest.chars().count() >= 3));
        stem = cut.unwrap_or(stem);
    }
    let mut stem = stem.to_owned();
    let last = stem.chars().last();
    let doubled = stem.len() > 3 && stem.chars().rev().nth(1) == last;
    if doubled && last.is_some_and(|c| !"aeiouls0123456789".contains(c)) {
        stem.pop();
    }
    stem
}

/// Equal stems, or a long beginning in common (`decide`, `decision`).
fn is_shared(one: &str, other: &str) -> bool {
    let head = |word: &str| word.chars().take(6).collect::<String>();
    one == other || (one.len() >= 6 && other.len() >= 6 && head(one) == head(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_do_not_hide_a_word() {
        for (one, other) in [
            ("caching", "cached"),
            ("queries", "query"),
            ("runner", "running"),
            ("decision", "decisions"),
            ("retries", "retry"),
            ("slower", "slow"),
            ("configuration", "configure"),
            ("deployment", "deploys"),
            ("timed", "times"),
            ("rehearsal", "rehearsed"),
        ] {
            assert_eq!(shared_words(one, other), [stem(one)], "{one} {other}");
        }
        assert!(shared_words("cache", "quick").is_empty());
    }

    #[test]
    fn stop_words_are_not_shared() {
        assert!(shared_words("why did we do it?", "Why did we do it?").is_empty());
        assert_eq!(shared_words("why did we cache it?", "Why did it cache?"), ["cach"]);
    }
}
