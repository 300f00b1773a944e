//! Answers by letter, number or place.

use super::reply_words::{fold, is_dense, is_negative};
use backstory_model::DecisionOption;

/// Which options a text names by their keys.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Keys {
    /// In favour, in order.
    pub(super) chosen: Vec<u16>,
    /// Against.
    pub(super) refused: Vec<u16>,
    /// Where the last one that is chosen ends.
    pub(super) end: usize,
    /// They are offered as alternatives.
    pub(super) either: bool,
}

/// A word, where it stands, and whether a break stands before it.
struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    broken: bool,
}

/// Words after which a letter is a choice.
const CHOOSERS: &[&str] = &[
    "neither",
    "nor",
    "option",
    "choice",
    "answer",
    "variant",
    "variante",
    "plan",
    "solution",
    "with",
    "pick",
    "choose",
    "chose",
    "take",
    "taking",
    "select",
    "prefer",
    "vote",
    "for",
    "want",
    "do",
    "use",
    "say",
    "is",
    "try",
    "go",
    "so",
    "then",
    "ok",
    "okay",
    "yes",
    "to",
    "nehmen",
    "nimm",
    "nehme",
    "für",
    "definitely",
    "rather",
    "probably",
    "maybe",
    "guess",
    "think",
    "number",
    "no",
    "like",
    "lieber",
    "and",
    "or",
    "plus",
    "both",
    "either",
    "ja",
    "also",
];

/// Words that may follow a letter which is a choice.
const FOLLOWERS: &[&str] = &[
    "over",
    "rather",
    "not",
    "except",
    "than",
    "nor",
    "it",
    "please",
    "pls",
    "is",
    "sounds",
    "looks",
    "works",
    "for",
    "then",
    "because",
    "since",
    "but",
    "and",
    "with",
    "as",
    "makes",
    "seems",
    "thanks",
    "thx",
    "definitely",
    "unless",
    "though",
    "or",
    "all",
    "now",
    "first",
    "would",
    "if",
    "so",
    "in",
    "only",
    "plus",
    "bitte",
    "weil",
    "und",
    "oder",
    "aber",
    "too",
    "instead",
    "everywhere",
    "again",
    "of",
    "on",
    "always",
    "both",
    "twice",
];

/// Words before a letter that rule it out.
const REFUSERS: &[&str] = &[
    "neither", "nor", "not", "dont", "no", "never", "without", "except", "over", "than", "against",
    "skip", "drop", "avoid", "beats", "vs", "versus", "unlike", "minus", "nicht", "kein", "keine",
    "statt", "anything", "instead", "不", "别", "ohne",
];

/// Words that may stand between those and the letter.
const BETWEEN: &[&str] = &[
    "außer",
    "of",
    "do",
    "use",
    "take",
    "want",
    "like",
    "go",
    "with",
    "option",
    "the",
    "choose",
    "but",
    "plan",
    "for",
    "convinced",
    "by",
    "a",
    "fond",
];

/// Reads the keys in a text.
pub(super) fn read(text: &str, options: &[DecisionOption]) -> Keys {
    let words = words(text);
    let mut found = Keys::default();
    for (at, word) in words.iter().enumerate() {
        let Some(option) = key(word.text, options) else { continue };
        if !is_choice(text, &words, at, options.len()) {
            continue;
        }
        if is_refused(&words, at) || is_disliked(&words, at) {
            found.refused.push(option);
            continue;
        }
        if is_for_later(&words, at) {
            continue;
        }
        let after_or = at > 0 && matches!(lower(&words, at - 1).as_str(), "or" | "oder");
        found.either |= after_or && !found.chosen.is_empty();
        if !found.chosen.contains(&option) {
            found.chosen.push(option);
        }
        found.end = word.end + usize::from(text[word.end..].starts_with([')', '.', ':']));
    }
    if found.chosen.is_empty() {
        ordinals(&words, options, &mut found);
    }
    if let ([word], true) = (&words[..], found.chosen.is_empty()) {
        run_together(word.text, options, &mut found);
        found.end = text.len();
    }
    found
}

/// `AC` is A and C.
fn run_together(word: &str, options: &[DecisionOption], found: &mut Keys) {
    if !(2..=5).contains(&word.len()) || !word.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return;
    }
    let keys: Option<Vec<u16>> =
        word.char_indices().map(|(at, _)| key(&word[at..=at], options)).collect();
    if let Some(keys) = keys.filter(|keys| keys.is_sorted_by(|a, b| a < b)) {
        found.chosen = keys;
    }
}

/// The option a word is the key of.
fn key(word: &str, options: &[DecisionOption]) -> Option<u16> {
    let own = options.iter().position(|option| option.key.eq_ignore_ascii_case(word));
    let place = || {
        let number: usize = word.parse().ok()?;
        let is_lettered = options.iter().all(|option| option.key.parse::<u8>().is_err());
        (is_lettered && word.len() <= 2).then(|| number.checked_sub(1))?
    };
    own.or_else(place).filter(|at| *at < options.len()).map(|at| at as u16)
}

fn words(text: &str) -> Vec<Word<'_>> {
    let (mut found, mut start, mut broken) = (Vec::new(), None, false);
    let word = |from: usize, to: usize, broken: &mut bool| {
        let broken = std::mem::take(broken);
        Word { text: &text[from..to], start: from, end: to, broken }
    };
    for (at, c) in text.char_indices() {
        let joins = c.is_alphanumeric() && !is_dense(c) || matches!(c, '\'' | '’');
        if joins {
            start.get_or_insert(at);
            continue;
        }
        if let Some(from) = start.take() {
            found.push(word(from, at, &mut broken));
        }
        if is_dense(c) {
            found.push(word(at, at + c.len_utf8(), &mut broken));
        } else if !c.is_whitespace() {
            broken = true;
        }
    }
    if let Some(from) = start {
        found.push(word(from, text.len(), &mut broken));
    }
    found
}

fn lower(words: &[Word<'_>], at: usize) -> String {
    fold(words[at].text)
}

/// True if a key is meant, and not an article, a quantity or a part of a name.
fn is_choice(text: &str, words: &[Word<'_>], at: usize, options: usize) -> bool {
    let word = &words[at];
    let next = words.get(at + 1).filter(|next| !next.broken);
    let before = text[..word.start].chars().next_back();
    let after = text[word.end..].chars().next();
    if before.is_some_and(|c| matches!(c, '-' | '/' | '.' | '_' | '#' | '@' | '$') && at > 0)
        && before != Some('/')
        || matches!(after, Some('-' | '_' | '/' | '%'))
            && text[word.end + 1..].starts_with(|c: char| c.is_alphanumeric())
            && after != Some('/')
    {
        return false;
    }
    // `1.5` and `3:30` are numbers.
    if matches!(after, Some('.' | ':' | ','))
        && text[word.end + 1..].starts_with(|c: char| c.is_ascii_digit())
    {
        return false;
    }
    let closed =
        after == Some(')') && before != Some('(') || before == Some('(') && after == Some(')');
    if words.len() == 1 || closed {
        return true;
    }
    let ends = next.is_none();
    let follows = next.is_none_or(|next| {
        let text = fold(next.text);
        FOLLOWERS.contains(&text.as_str())
            || next.text.chars().any(is_dense)
            || is_key(next.text, options)
    });
    let previous = (at > 0 && !word.broken).then(|| lower(words, at - 1));
    let chosen = previous.as_deref().is_some_and(|text| CHOOSERS.contains(&text));
    let named = previous.as_deref().is_some_and(|text| {
        matches!(text, "option" | "choice" | "answer" | "variant" | "variante" | "plan" | "number")
    });
    let opens = at == 0 || word.broken;
    let is_article = word.text.eq_ignore_ascii_case("a") || word.text.eq_ignore_ascii_case("i");
    if word.text.bytes().all(|byte| byte.is_ascii_digit()) {
        return named || opens && follows || chosen && ends || ends && previous.is_none();
    }
    if word.text.bytes().all(|byte| byte.is_ascii_uppercase()) {
        if is_article && !ends {
            return named || (opens || chosen) && follows && !is_sentence_start(next);
        }
        return ends || named || (opens || chosen) && follows;
    }
    let asked_for = next.is_some_and(|next| {
        matches!(fold(next.text).as_str(), "please" | "pls" | "thanks" | "bitte" | "it" | "then")
    });
    if is_article {
        // No article ends a clause.
        return named || (opens || chosen) && ends || opens && asked_for;
    }
    named || (opens || chosen) && (ends || follows)
}

/// `A is …` may begin with a letter; `A few …` never gets here.
fn is_sentence_start(next: Option<&Word<'_>>) -> bool {
    next.is_some_and(|next| {
        matches!(fold(next.text).as_str(), "first" | "now" | "all" | "only" | "on")
    })
}

fn is_key(word: &str, options: usize) -> bool {
    let mut bytes = word.bytes();
    match (bytes.next(), bytes.next()) {
        (Some(byte), None) => byte.is_ascii_uppercase() && usize::from(byte - b'A') < options,
        _ => false,
    }
}

fn is_refused(words: &[Word<'_>], at: usize) -> bool {
    let mut back = at;
    for _ in 0..3 {
        if back == 0 || words[back].broken {
            return false;
        }
        back -= 1;
        let word = lower(words, back);
        if REFUSERS.contains(&word.as_str()) {
            return true;
        }
        if matches!(word.as_str(), "all" | "everything" | "alles" | "alle") {
            return matches!(lower(words, back + 1).as_str(), "but" | "except" | "außer");
        }
        if !BETWEEN.contains(&word.as_str()) {
            return false;
        }
    }
    false
}

/// True if something is said against the option right behind its key.
fn is_disliked(words: &[Word<'_>], at: usize) -> bool {
    let behind = words[at + 1..].iter().take_while(|word| !word.broken).take(5);
    let mut behind = behind.map(|word| fold(word.text)).take_while(|word| {
        !matches!(
            word.as_str(),
            "but" | "and" | "because" | "since" | "so" | "please" | "then" | "aber" | "und"
        )
    });
    let Some(verb) = behind.next() else { return false };
    let is_verb = matches!(
        verb.as_str(),
        "is" | "was"
            | "would"
            | "looks"
            | "sounds"
            | "seems"
            | "costs"
            | "takes"
            | "wont"
            | "doesnt"
            | "cant"
            | "isnt"
            | "has"
            | "feels"
            | "loses"
            | "breaks"
            | "fails"
            | "ist"
    );
    let rest: Vec<String> = behind.collect();
    let objects = |(n, word): (usize, &String)| {
        is_negative(word)
            || matches!(word.as_str(), "too" | "zu") && n + 1 < rest.len()
            || word == "out"
    };
    is_verb && (is_negative(&verb) || rest.iter().enumerate().any(objects))
}

/// True if the option is put off: `B later`.
fn is_for_later(words: &[Word<'_>], at: usize) -> bool {
    words[at + 1..]
        .iter()
        .take_while(|word| !word.broken)
        .take(3)
        .map(|word| fold(word.text))
        .take_while(|word| word != "and" && word != "but")
        .any(|word| {
            matches!(
                word.as_str(),
                "later" | "eventually" | "someday" | "afterwards" | "später" | "next"
            )
        })
}

const NUMBERS: [&str; 5] = ["one", "two", "three", "four", "five"];

/// `the second one`, `the last`, `the former`.
fn ordinals(words: &[Word<'_>], options: &[DecisionOption], found: &mut Keys) {
    const PLACES: &[(&str, usize)] = &[
        ("first", 0),
        ("1st", 0),
        ("former", 0),
        ("erste", 0),
        ("ersten", 0),
        ("erstes", 0),
        ("second", 1),
        ("2nd", 1),
        ("zweite", 1),
        ("zweiten", 1),
        ("zweites", 1),
        ("latter", 1),
        ("third", 2),
        ("3rd", 2),
        ("dritte", 2),
        ("dritten", 2),
        ("drittes", 2),
        ("fourth", 3),
        ("4th", 3),
        ("vierte", 3),
        ("vierten", 3),
        ("fifth", 4),
        ("5th", 4),
    ];
    for (at, own) in words.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| lower(words, at)).unwrap_or_default();
        let counted = matches!(before.as_str(), "option" | "number" | "choice");
        let word = fold(own.text);
        let place = PLACES.iter().find(|(name, _)| *name == word).map(|(_, place)| *place);
        let place = place.or_else(|| match word.as_str() {
            "last" | "letzte" | "letzten" | "letztere" => options.len().checked_sub(1),
            "middle" | "mittlere" | "mittleren" => Some(1).filter(|_| options.len() == 3),
            word if counted => NUMBERS.iter().position(|number| *number == word),
            _ => None,
        });
        let Some(place) = place.filter(|place| *place < options.len()) else { continue };
        let next = words.get(at + 1).filter(|next| !next.broken);
        let is_named = next.is_some_and(|next| {
            matches!(
                fold(next.text).as_str(),
                "one" | "option" | "choice" | "variant" | "please" | "variante" | "bitte"
            )
        });
        let is_last = next.is_none()
            && (words.len() <= 2 && before != "that"
                || matches!(before.as_str(), "the" | "der" | "die" | "das") && words.len() <= 8);
        if !(counted || is_named || is_last) || is_refused(words, at) {
            continue;
        }
        if !found.chosen.contains(&(place as u16)) {
            found.chosen.push(place as u16);
        }
        found.end = next.map_or(own.end, |next| next.end);
    }
}
