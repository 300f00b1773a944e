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
    ["anything", "everything", "all", "nothing", "alles"]
        .iter()
        .any(|word| folded == *word || folded.strip_suffix(word).is_some_and(|rest| rest.ends_with(' ')))
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
    if !word.is_ascii() || word.len() < 4 || word.ends_with("ss") {
        return word;
    }
    ["ing", "ed", "es", "s", "e", "y"]
        .iter()
        .find_map(|end| word.strip_suffix(end).filter(|rest| rest.len() >= 3))
        .unwrap_or(word)
}

/// Words that tell options apart from nothing.
pub(super) fn is_filler(word: &str) -> bool {
    const FILLERS: &str = " a an the it its is are be to of in on at for from with and or as by we \
        i you me us our your my this that these those there here do does did go use take lets let \
        us just please pls thanks thx ok okay yes yeah yep sure fine well so then now want would \
        like prefer id i'd will ill well think maybe probably option choice one ones only also too \
        all any some no not none more most than into over out up off new old every each use using \
        make made keep kept der die das ein eine und oder mit für wir ich es ist bitte dann nehmen \
        lieber den dem zu auf im when while until what which who how ";
    word.len() == 1 && word.is_ascii() || contains(FILLERS, word)
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

/// The rest of a text behind one of some beginnings, which are folded.
fn behind<'a>(folded: &'a str, openings: &[&str]) -> Option<&'a str> {
    openings
        .iter()
        .filter(|opening| {
            let dense = opening.chars().any(is_dense);
            folded.strip_prefix(**opening).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(' ') || dense
            })
        })
        .max_by_key(|opening| opening.len())
        .map(|opening| folded[opening.len()..].trim_start())
}

/// True if the human leaves it to the agent, or follows its recommendation by name.
pub(super) fn defers(folded: &str) -> bool {
    const WORDS: &[&str] = &[
        "you decide",
        "you choose",
        "you pick",
        "your call",
        "your choice",
        "up to you",
        "whatever you think",
        "whatever you prefer",
        "whatever you want",
        "whichever you",
        "as you think",
        "as you like",
        "as you say",
        "as you suggest",
        "as suggested",
        "as proposed",
        "as you propose",
        "what you suggest",
        "your suggestion",
        "your suggestions",
        "your proposal",
        "i trust you",
        "trust your judgement",
        "trust your judgment",
        "dealers choice",
        "do what you think",
        "entscheide du",
        "entscheid du",
        "deine entscheidung",
        "wie du meinst",
        "wie vorgeschlagen",
        "default is fine",
        "the default",
        "你决定",
        "你来定",
        "听你的",
        "任せます",
        "お任せ",
        "おまかせ",
        "on te suit",
        "comme tu veux",
    ];
    const STEMS: &[&str] =
        &["recommend", "empf", "recomend", "recommand", "raccomand", "consigl", "推荐", "推薦", "推奨", "おすすめ", "建议"];
    let by_name = STEMS.iter().any(|stem| {
        folded.split(' ').any(|word| word.starts_with(stem))
            || stem.chars().any(is_dense) && folded.contains(stem)
    });
    let denied = folded.split(' ').any(|word| {
        matches!(word, "not" | "dont" | "against" | "disagree" | "unlike" | "nicht" | "ignore")
    });
    !denied && (by_name || WORDS.iter().any(|words| contains(folded, words)))
}

/// What follows a plain yes.
pub(super) fn agrees(folded: &str) -> Option<&str> {
    const WORDS: &[&str] = &[
        "yes", "y", "ye", "yep", "yup", "yeah", "yea", "ok", "okay", "k", "kk", "sure", "sure thing",
        "agreed", "agree", "i agree", "go ahead", "go for it", "go", "do it", "do that", "lets do it",
        "lets do that", "sounds good", "sounds right", "sounds great", "sounds fine", "looks good",
        "looks right", "lgtm", "perfect", "great", "good", "fine", "fine with me", "fine by me",
        "makes sense", "that makes sense", "that works", "works for me", "proceed", "continue",
        "carry on", "approved", "approve", "confirmed", "correct", "right", "exactly", "absolutely",
        "definitely", "of course", "please do", "yes please", "make it so", "ship it", "all good",
        "good idea", "good call", "1", "ja", "jo", "jawohl", "klar", "passt", "gerne", "ja bitte",
        "einverstanden", "mach das", "machen wir", "mach mal", "genau", "gut", "in ordnung", "oui",
        "d accord", "si", "sí", "vale", "claro", "да", "好", "好的", "可以", "行", "是", "同意", "没问题",
        "はい", "お願いします", "それで", "いいですね", "네", "응", "좋아요",
    ];
    if folded == "1" {
        return None;
    }
    behind(folded, WORDS)
}

/// True if a text consists of signs of agreement alone.
pub(super) fn is_thumb(text: &str) -> bool {
    let mut some = false;
    let only = text.chars().filter(|c| !c.is_whitespace()).all(|c| {
        some = true;
        matches!(c, '👍' | '✅' | '👌' | '✔' | '🙏' | '💯' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
    });
    some && only || text.trim() == "+1"
}

/// True if the human puts the answer off.
pub(super) fn puts_off(folded: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "let me think",
        "let me sleep",
        "let me check",
        "let me ask",
        "let me look",
        "let me see",
        "let me come back",
        "let me discuss",
        "let me get back",
        "i need to think",
        "i have to think",
        "i need to ask",
        "i have to ask",
        "i need to check",
        "i have to check",
        "ill think",
        "i will think",
        "ill ask",
        "i will ask",
        "ill check",
        "ill get back",
        "ill come back",
        "ill tell you",
        "ill let you know",
        "i dont know yet",
        "not sure yet",
        "give me a",
        "one moment",
        "one sec",
        "hold on",
        "hang on",
        "wait a",
        "brb",
        "moment",
        "we have to discuss",
        "we need to discuss",
        "muss ich",
        "ich überlege",
        "lass mich",
        "ich muss",
        "让我想想",
        "我想想",
        "考えさせて",
        "少し考え",
    ];
    const ANYWHERE: &[&str] =
        &["think about it", "sleep on it", "get back to you", "decide tomorrow", "decide later", "tell you tomorrow", "tell you later", "let you know", "考えます"];
    let folded = agrees(folded).filter(|rest| !rest.is_empty()).unwrap_or(folded);
    let folded = behind(folded, &["hm", "hmm", "mh", "uh", "good question"]).unwrap_or(folded);
    behind(folded, OPENINGS).is_some() || ANYWHERE.iter().any(|words| contains(folded, words))
}

/// True if the human does not want to say.
pub(super) fn skips(folded: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "skip",
        "lets skip",
        "well skip",
        "we can skip",
        "pass",
        "next",
        "next question",
        "never mind",
        "nevermind",
        "nvm",
        "forget it",
        "forget about",
        "forget that",
        "drop it",
        "drop that",
        "drop the",
        "ignore that",
        "ignore it",
        "ignore the question",
        "leave it",
        "leave that",
        "not now",
        "not important",
        "doesnt matter",
        "no matter",
        "dont bother",
        "dont care",
        "i dont care",
        "stop",
        "cancel",
        "abort",
        "no decision",
        "no answer",
        "rather not say",
        "lets move on",
        "move on",
        "lets not",
        "later",
        "egal",
        "überspring",
        "überspringen",
        "vergiss es",
        "lass es",
        "lass gut sein",
        "nicht jetzt",
        "跳过",
        "算了",
        "スキップ",
        "やめ",
    ];
    const ENDINGS: &[&str] = &[
        "drop it",
        "drop this",
        "drop that",
        "drop the idea",
        "drop the whole thing",
        "forget it",
        "forget the whole thing",
        "skip it",
        "skip this",
        "skip this one",
        "skip that",
        "skip that one",
        "skip the question",
        "leave it",
        "leave it be",
        "leave it alone",
        "leave it as it is",
        "never mind",
        "nevermind",
        "not needed any more",
        "not needed anymore",
        "no longer needed",
        "dont need it any more",
        "dont need it anymore",
        "dont need this any more",
        "dont need that any more",
        "move on",
        "lass es",
        "not doing it",
        "not doing that",
        "not doing this",
        "cancel it",
        "cancel this",
    ];
    behind(folded, OPENINGS).is_some()
        || ENDINGS.iter().any(|end| {
            folded == *end || folded.strip_suffix(end).is_some_and(|rest| rest.ends_with(' '))
        })
}

/// True if the human plainly goes on with something else.
pub(super) fn turns_away(folded: &str) -> bool {
    const WORDS: &[&str] = &[
        "look at that first",
        "look at this first",
        "fix that first",
        "fix this first",
        "do that first",
        "do this first",
        "first look at",
        "first fix",
        "before that",
        "something else",
        "different topic",
        "other topic",
        "unrelated",
        "wrong repository",
        "wrong repo",
        "wrong window",
        "wrong project",
        "wrong branch",
        "wrong terminal",
        "wrong tab",
        "by the way",
        "btw",
        "is down",
        "are down",
        "is on fire",
        "urgent",
        "emergency",
        "more important",
        "changed my mind",
        "change of plans",
        "change of plan",
        "we dont need",
        "i dont need",
        "not needed",
        "no longer",
    ];
    WORDS.iter().any(|words| contains(folded, words))
}

/// True if the words steer: they say what is to be done with what was asked.
pub(super) fn steers(folded: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "use", "lets use", "lets go", "lets do", "lets keep", "lets make", "lets take", "we use",
        "we want", "we need", "i want", "i need", "id like", "id rather", "i would", "i prefer", "keep",
        "make it", "neither", "none", "both", "instead", "rather", "just", "only", "combine",
        "mix", "how about", "what about", "better", "it should", "they should", "should be", "must",
        "always", "never", "depends", "as before", "as now", "whatever", "nimm", "wir nehmen",
        "lieber", "weder", "beides", "do both", "do neither", "no", "nope", "nein", "actually",
        "something", "a mix", "half", "start with", "begin with", "depends on", "if",
    ];
    behind(folded, OPENINGS).is_some()
}

/// True if a sentence that ends with a question mark asks for something to be explained.
pub(super) fn wonders(folded: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "can we", "could we", "shall we", "should we", "can you do", "could you do", "why dont we",
        "how about", "what about", "can i have", "can we have", "lets",
    ];
    behind(folded, OPENINGS).is_none()
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
    fn folding_keeps_words_apart() {
        assert_eq!(fold("Don't use  `a-b`!"), "dont use a b");
        assert!(contains("the red car", "red car"));
        assert!(!contains("hundred cars", "red car"));
        assert!(contains("90日でお願いします", "90日"));
        assert_eq!(tokens("按用户"), ["按用", "用户"]);
    }

    #[test]
    fn phrases_are_recognised_by_their_words() {
        assert!(defers(&fold("go with your recommendation")));
        assert!(!defers(&fold("not what you recommend")));
        assert_eq!(agrees(&fold("yes please")), Some(""));
        assert_eq!(agrees(&fold("okay, but later")), Some("but later"));
        assert_eq!(agrees("yesterday"), None);
        assert!(is_thumb("👍") && !is_thumb(""));
        assert!(puts_off(&fold("hm, let me think about it")));
        assert!(skips(&fold("let's skip this one")) && skips(&fold("neither, drop it")));
    }
}
