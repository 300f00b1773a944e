//! How people say yes, no, later and something else; and words as they are compared.

/// Sentences of a text, each with whether it asks.
pub(super) fn sentences(text: &str) -> Vec<(&str, bool)> {
    let (mut found, mut start) = (Vec::new(), 0);
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (n, (at, c)) in chars.iter().enumerate() {
        let next = chars.get(n + 1).map_or(' ', |(_, next)| *next);
        let ends = match c {
            '\n' | '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' | ';' => next.is_whitespace(),
            _ => false,
        };
        if ends {
            let end = at + c.len_utf8();
            push(&mut found, &text[start..end], matches!(c, '?' | '？'));
            start = end;
        }
    }
    let rest = &text[start..];
    push(&mut found, rest, rest.trim_end().ends_with(['?', '？']));
    found
}

fn push<'a>(found: &mut Vec<(&'a str, bool)>, text: &'a str, asks: bool) {
    let text = text.trim();
    if text.chars().any(|c| c.is_alphanumeric() || !c.is_ascii()) {
        found.push((text, asks));
    }
}

/// Clauses of a sentence: what stands between commas and before reasons.
pub(super) fn clauses(sentence: &str) -> Vec<&str> {
    const JOINTS: &[&str] =
        &[" but ", " because ", " since ", " although ", " aber ", " weil ", " denn ", " while "];
    let mut found = Vec::new();
    for part in sentence.split([',', ';', '—', '，', '、', '(', ')']) {
        let mut rest = part;
        while let Some(at) = JOINTS.iter().filter_map(|joint| find_lower(rest, joint)).min() {
            if is_exclusion(&rest[..at]) {
                break;
            }
            found.push(&rest[..at]);
            // The joint itself opens the next clause.
            rest = &rest[at + 1..];
        }
        found.push(rest);
    }
    found.into_iter().map(str::trim).filter(|clause| !clause.is_empty()).collect()
}

/// `anything but` belongs to what follows.
fn is_exclusion(clause: &str) -> bool {
    let folded = fold(clause);
    ["anything", "everything", "all", "nothing", "alles"].iter().any(|word| {
        folded == *word || folded.strip_suffix(word).is_some_and(|rest| rest.ends_with(' '))
    })
}

fn find_lower(text: &str, what: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    lower.find(what)
}

/// Small letters and digits; everything else is one space.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\'' | '’' | '`') {
            continue;
        }
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') && !out.is_empty() {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// True if folded words stand in a folded text as whole words.
pub(super) fn contains(text: &str, words: &str) -> bool {
    position(text, words).is_some()
}

/// Where they stand.
pub(super) fn position(text: &str, words: &str) -> Option<usize> {
    if words.is_empty() {
        return None;
    }
    let loose = words.chars().any(is_dense);
    let mut from = 0;
    while let Some(at) = text[from..].find(words).map(|at| from + at) {
        let end = at + words.len();
        let opens = at == 0 || text[..at].ends_with(' ');
        let closes = end == text.len() || text[end..].starts_with(' ');
        if loose || opens && closes {
            return Some(at);
        }
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Scripts that put no spaces between words.
pub(super) fn is_dense(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2ffff)
}

/// Words as they are compared: stems, and pairs of characters where there are no spaces.
pub(super) fn tokens(folded: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in folded.split(' ') {
        let dense: Vec<char> = word.chars().filter(|c| is_dense(*c)).collect();
        found.extend(dense.windows(2).map(|pair| pair.iter().collect::<String>()));
        if dense.is_empty() && !word.is_empty() {
            found.push(stem(word).to_owned());
        }
    }
    found
}

fn stem(word: &str) -> &str {
    if let Some(number) = NUMBERS.iter().position(|number| *number == word) {
        return DIGITS[number];
    }
    if !word.is_ascii() || word.ends_with("ss") || is_filler(word) {
        return word;
    }
    let bare = ["ing", "ed", "es", "s", "e", "y"]
        .iter()
        .find_map(|end| word.strip_suffix(end).filter(|rest| rest.len() >= 3))
        .unwrap_or(word);
    SYNONYMS.iter().find(|group| group.contains(&bare)).map_or(bare, |group| group[0])
}

const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];
const DIGITS: [&str; 12] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];

/// Stems that mean the same in an answer.
const SYNONYMS: &[&[&str]] = &[
    &["remov", "delet", "kill", "eras", "purg", "rid", "discard", "throw", "trash"],
    &["keep", "leav", "stay", "retain", "preserv", "remain"],
    &["fast", "quick", "speed", "rapid"],
    &["larg", "big", "huge"],
    &["small", "little", "tin"],
    &["everybod", "everyon"],
    &["immediat", "right away", "instant"],
    &["mail", "email", "emails"],
    &["imag", "pictur", "photo"],
    &["begin", "start", "began"],
    &["stop", "halt", "abort"],
    &["show", "display"],
    &["hid", "conceal", "invisibl"],
    &["merg", "combin", "join", "unif"],
    &["split", "separat"],
    &["forbid", "block", "reject", "refus", "den"],
    &["allow", "permit"],
    &["automatic", "automaticall", "auto"],
    &["manual", "manuall", "hand"],
    &["month", "monthl"],
    &["week", "weekl"],
    &["year", "yearl", "annual", "annuall"],
    &["buy", "purchas"],
    &["fix", "repair", "mend"],
    &["rewrit", "rewrot"],
    &["warn", "warning"],
];

/// Words that tell options apart from nothing.
pub(super) fn is_filler(word: &str) -> bool {
    const FILLERS: &str = " a an the it its is are be to of in on at for from with and or as by we \
        i you me us our your my this that these those there here do does did go use take lets let \
        us just please pls thanks thx ok okay yes yeah yep sure fine well so then want would \
        like prefer id will ill think maybe probably option choice ones also too \
        into over out up off using der die das ein eine und oder mit für wir ich es ist bitte dann \
        nehmen lieber den dem zu auf im when while until what which who how was has have been \
        they them their he she up plus ";
    word.len() == 1 && word.is_ascii() && !word.starts_with(|c: char| c.is_ascii_digit())
        || contains(FILLERS, word)
}

/// Words that tell options apart, but are said for many reasons.
pub(super) fn is_faint(word: &str) -> bool {
    const FAINT: &str = " now not no none new old all any some one 1 only more most every each keep mak \
        mad make good better best first last next time thing way work need still get set both ";
    contains(FAINT, word)
}

/// True if two stems are the same word, small slips allowed.
pub(super) fn is_same(said: &str, wanted: &str) -> bool {
    if said == wanted {
        return true;
    }
    let (short, long) = if said.len() < wanted.len() { (said, wanted) } else { (wanted, said) };
    if short.len() < 5 || !said.is_ascii() || !wanted.is_ascii() {
        return false;
    }
    long.starts_with(short)
        || long.len() - short.len() <= 1 && slips(short.as_bytes(), long.as_bytes()) <= 1
}

/// Letters that differ, are missing or swapped; more than one counts as many.
fn slips(short: &[u8], long: &[u8]) -> usize {
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[same..], &long[same..]);
    if short == long {
        return 0;
    }
    let replaced = short.len() == long.len() && short.get(1..) == long.get(1..);
    let missing = short.len() + 1 == long.len() && Some(short) == long.get(1..);
    let swapped = short.len() == long.len()
        && short.len() >= 2
        && (short[0], short[1]) == (long[1], long[0])
        && short[2..] == long[2..];
    if replaced || missing || swapped { 1 } else { 2 }
}

/// Words of objection in a clause.
pub(super) fn is_negative(word: &str) -> bool {
    const OBJECTIONS: &str = " not dont doesnt didnt isnt wont cant cannot couldnt shouldnt wouldnt \
        never no without against avoid avoiding hate hates dislike lose loses losing lost fail fails \
        failed failing problem problems trouble overkill expensive slow slower slowest bad worse \
        worst broken broke bitten tired risky wrong painful pain nightmare nicht kein keine nie \
        niemals ohne schlecht teuer langsam except neither nor drop forget skip instead rather \
        useless ugly dead ";
    contains(OBJECTIONS, word)
}

/// Words of favour in a clause.
pub(super) fn is_positive(word: &str) -> bool {
    const FAVOURS: &str = " go take use pick choose want prefer lets do yes then please like best \
        better definitely obviously nehmen lieber nimm bitte ja gerne keep vote sounds works \
        enough good great love ";
    contains(FAVOURS, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_into_sentences_and_clauses() {
        let found = sentences("B. half of it. Why? v1.2 it is");
        let texts: Vec<_> = found.iter().map(|(text, asks)| (*text, *asks)).collect();
        assert_eq!(
            texts,
            [("B.", false), ("half of it.", false), ("Why?", true), ("v1.2 it is", false)]
        );
        assert_eq!(clauses("a, b but c because d"), ["a", "b", "but c", "because d"]);
    }

    #[test]
    fn words_are_the_same_in_other_spellings() {
        for (said, wanted, same) in [
            ("postgre", "postgres", true),
            ("postgress", "postgres", true),
            ("sqlitte", "sqlite", true),
            ("rabitmq", "rabbitmq", true),
            ("websokcets", "websockets", true),
            ("redis", "rediss", true),
            ("house", "mouse", true),
            ("red", "bed", false),
            ("queue", "quote", false),
        ] {
            assert_eq!(is_same(said, wanted), same, "{said}");
        }
        assert_eq!(tokens("deleting three emails"), ["remov", "3", "mail"]);
    }

    #[test]
    fn folding_keeps_words_apart() {
        assert_eq!(fold("Don't use  `a-b`!"), "dont use a b");
        assert!(contains("the red car", "red car"));
        assert!(!contains("hundred cars", "red car"));
        assert!(contains("90日でお願いします", "90日"));
        assert_eq!(tokens("按用户"), ["按用", "用户"]);
    }
}
