//! Phrases of people who answer: yes, as you like, later, no matter, something else. All in small letters,
//! without marks, as they are folded.

use super::reply_words::{contains, is_dense};

/// The agent is to decide.
const DEFERRING: &str = "you decide|you choose|you pick|your call|your choice|up to you|\
    whatever you think|whatever you prefer|whatever you want|whichever you|as you think|\
    as you like|as you say|as you suggest|as suggested|as proposed|as you propose|\
    what you suggest|your suggestion|your suggestions|your proposal|i trust you|\
    trust your judgement|trust your judgment|dealers choice|do what you think|entscheide du|\
    entscheid du|deine entscheidung|wie du meinst|wie vorgeschlagen|default is fine|the default|\
    你决定|你来定|听你的|任せます|お任せ|おまかせ|on te suit|comme tu veux|dont care|dont mind|no preference|\
    doesnt matter|makes no difference|either is fine|either one is fine|either works|\
    either way is fine|any of them|any is fine|both are fine|both fine|whatever works|your pick|\
    go with whatever|surprise me|egal|mir egal|ist mir gleich|wie du willst|was du willst|\
    your best judgement|your best judgment|use your judgement|use your judgment|\
    use the recommended|como prefieras|peu importe|都可以|随便|どちらでも";

/// Beginnings of words for what is recommended.
const RECOMMENDING: &str =
    "recommend|empf|recomend|recommand|raccomand|consigl|推荐|推薦|推奨|おすすめ|建议";

/// A plain yes.
const AGREEING: &str = "yes|y|ye|yep|yup|yeah|yea|ok|okay|k|kk|sure|sure thing|agreed|agree|\
    i agree|go ahead|go for it|go|do it|do that|lets do it|lets do that|sounds good|\
    sounds right|sounds great|sounds fine|looks good|looks right|lgtm|perfect|great|good|fine|\
    fine with me|fine by me|makes sense|that makes sense|that works|works for me|proceed|\
    continue|carry on|approved|approve|confirmed|correct|right|exactly|absolutely|definitely|\
    of course|please do|yes please|make it so|ship it|all good|good idea|good call|1|ja|jo|\
    jawohl|klar|passt|gerne|ja bitte|einverstanden|mach das|machen wir|mach mal|genau|gut|\
    in ordnung|oui|d accord|si|sí|vale|claro|да|好|好的|可以|行|是|同意|没问题|はい|お願いします|それで|いいですね|네|응|좋아요|\
    why not|hell yes|sounds like a plan|sounds like it|sounds reasonable|i like it|like it|\
    love it|do so|please go ahead|be my guest|fair enough|no objections|no objection|fine then|\
    alright|all right|will do|so be it|amen|yes sir|aye|roger|affirmative|ok fine|ok great|oki|\
    mach|mach so|so machen wir es|so machen wirs|von mir aus|meinetwegen|stimmt|richtig|bien|\
    parfait|perfecto|de acuerdo|entendu|ok pour moi|хорошо|давай|согласен|对|嗯|没错|そうしてください|了解|いいよ";

/// How an answer is put off.
const PUTTING_OFF: &str = "let me think|let me sleep|let me check|let me ask|let me look|\
    let me see|let me come back|let me discuss|let me get back|i need to think|i have to think|\
    i need to ask|i have to ask|i need to check|i have to check|ill think|i will think|ill ask|\
    i will ask|ill check|ill get back|ill come back|ill tell you|ill let you know|\
    i dont know yet|not sure yet|give me a|one moment|one sec|hold on|hang on|wait a|brb|moment|\
    we have to discuss|we need to discuss|muss ich|ich überlege|lass mich|ich muss|让我想想|我想想|\
    考えさせて|少し考え|later|not now|nicht jetzt|später|tomorrow|morgen|ask me later|ask me again|\
    ask me tomorrow|ask again|remind me|in a minute|in a bit|after lunch|well see|we will see|\
    dunno|no idea|i dont know|i have no idea|not sure|im not sure|hmm not sure|need to think|\
    need more time|i need time|i need more time|not yet|wait|just a moment|just a sec|a moment|\
    pause|let us think|we should discuss|i want to discuss|id like to discuss|ill decide|\
    i will decide|ill answer|i will answer|bin mir nicht sicher|weiß nicht|keine ahnung|等等|等一下|\
    稍等|之后再说|後で|ちょっと待って";

/// The same, wherever it is said.
const PUT_OFF: &str = "think about it|sleep on it|get back to you|decide tomorrow|decide later|\
    tell you tomorrow|tell you later|let you know|考えます|need to think|have to think|\
    think it over|think this over|mull it over|sleep over it|come back to this|come back to it|\
    come back to that|back to you|answer later|answer tomorrow|decide this later|\
    decide that later|decide on that later|discuss it with|discuss this with|ask the team|\
    talk to the team|check with|ask my|darüber nachdenken|überlege es mir|überlegen|melde mich|\
    想一想|考虑一下|相談";

/// How a question is passed over.
const SKIPPING: &str = "skip|lets skip|well skip|we can skip|pass|next|next question|never mind|\
    nevermind|nvm|forget it|forget about|forget that|drop it|drop that|drop the|ignore that|\
    ignore it|ignore the question|leave it|leave that|not important|dont bother|stop|cancel|\
    abort|no decision|no answer|rather not say|lets move on|move on|lets not|überspring|\
    überspringen|vergiss es|lass es|lass gut sein|跳过|算了|スキップ|やめ|lets drop|we drop|lets forget|\
    lets leave|we leave it|lets cancel|scrap|scrap it|scrap that|scratch that|no need|\
    not needed|none of your business|not relevant|irrelevant|skip d|i wont answer|i wont say|\
    i dont want to|i do not want to|no comment|laissons tomber|laisse tomber|déjà fait|olvídalo|\
    забудь|пропусти|不用了|不需要|飛ばして|いらない";

/// The same, at the end of what is said.
const SKIPPED: &str = "drop it|drop this|drop that|drop the idea|drop the whole thing|forget it|\
    forget the whole thing|skip it|skip this|skip this one|skip that|skip that one|\
    skip the question|leave it|leave it be|leave it alone|leave it as it is|never mind|\
    nevermind|not needed any more|not needed anymore|no longer needed|dont need it any more|\
    dont need it anymore|dont need this any more|dont need that any more|move on|lass es|\
    not doing it|not doing that|not doing this|cancel it|cancel this";

/// How people come to speak of something else.
const TURNING_AWAY: &str = "look at that first|look at this first|fix that first|fix this first|\
    do that first|do this first|first look at|first fix|before that|something else|\
    different topic|other topic|unrelated|wrong repository|wrong repo|wrong window|\
    wrong project|wrong branch|wrong terminal|wrong tab|by the way|btw|is down|are down|\
    is on fire|urgent|emergency|more important|changed my mind|change of plans|change of plan|\
    we dont need|i dont need|not needed|no longer|look into that first|first we need|\
    first you need|first please|can you first|but first|more urgent|drop everything|\
    stop what you|instead look at|instead fix|another thing|another question|other question|\
    one more thing|new task|different question|different problem|forget this|youre in the wrong|\
    not what i asked|thats not what i asked|not what i wanted|i meant the other|wrong file|\
    wrong folder|wrong directory|production is down|prod is down|site is down|zuerst|erst mal|\
    etwas anderes";

/// How words begin that say what is to be done.
const STEERING: &str = "use|lets use|lets go|lets do|lets keep|lets make|lets take|we use|\
    we want|we need|i want|i need|id like|id rather|i would|i prefer|keep|make it|neither|none|\
    both|instead|rather|just|only|combine|mix|how about|what about|better|it should|they should|\
    should be|must|always|never|depends|as before|as now|whatever|nimm|wir nehmen|lieber|weder|\
    beides|do both|do neither|no|nope|nein|actually|something|a mix|half|start with|begin with|\
    depends on|if";

/// How questions begin that are none.
const PROPOSING: &str = "can we|could we|shall we|should we|can you do|could you do|why dont we|\
    how about|can i have|can we have|lets";

/// Who asks the agent to do something, in the form of a question…
const REQUESTING: &str = "can you|could you|would you|will you|can u|kannst du|könntest du|please";
/// …which may be to explain.
const EXPLAINING: &str = "explain|tell|elaborate|clarify|describe|compare|remind|say|show me the \
    difference|expand|list|summarise|summarize|give me|walk me|erklär|sag";

/// How work on a plan is begun…
const STARTING: &str = "implement|start|begin|execute|build|run|do|follow|apply|lets|lets go|get going|\
    get started|carry out|leg los|los|fang an|setz|umsetzen|mach|开始|执行|始めて|進めて";
/// …which may be all that is said, or what is begun.
const STARTED: &str = "|it|that|this|the plan|this plan|that plan|your plan|as planned|as proposed|\
    implementing|coding|building|working|now|right away|please|step|phase|with step|with phase|\
    with the first|at step|at the top|go|start|begin|do it|do that|do this|es um|den plan|吧|ください";

/// Words that begin like a no and are none.
const UNOPPOSED: &str =
    "no problem|no problems|no worries|no issues|no concerns|not bad|kein problem";

/// How a plan is refused.
const OBJECTING: &str = "not|dont|do not|never|reject|rejected|i reject|disagree|i disagree|i dont|\
    i do not|thats not|that is not|this is not|thats wrong|that is wrong|wrong approach|too|\
    start over|start again|start from scratch|back to the drawing board|revise|rework|rethink|\
    replan|rewrite the plan|change the plan|change of plan|nicht|so nicht|auf keinen fall|falsch|不要|不行|だめ";

/// The rest of a text behind the longest of some beginnings.
fn behind<'a>(folded: &'a str, openings: &str) -> Option<&'a str> {
    openings
        .split('|')
        .filter(|opening| {
            let dense = opening.chars().any(is_dense);
            let rest = folded.strip_prefix(*opening);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') || dense)
        })
        .max_by_key(|opening| opening.len())
        .map(|opening| folded[opening.len()..].trim_start())
}

fn has_any(folded: &str, phrases: &str) -> bool {
    phrases.split('|').any(|phrase| contains(folded, phrase))
}

/// True if the human leaves it to the agent, or follows its recommendation by name.
pub(super) fn defers(folded: &str) -> bool {
    let by_name = RECOMMENDING.split('|').any(|stem| {
        folded.split(' ').any(|word| word.starts_with(stem))
            || stem.chars().any(is_dense) && folded.contains(stem)
    });
    let denied = folded.split(' ').any(|word| {
        matches!(word, "not" | "against" | "disagree" | "unlike" | "nicht" | "ignore" | "despite")
    });
    by_name && !denied && !folded.split(' ').any(|word| word == "dont")
        || has_any(folded, DEFERRING)
}

/// What follows a plain yes.
pub(super) fn agrees(folded: &str) -> Option<&str> {
    behind(folded, AGREEING).filter(|_| folded != "1")
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
    let folded = agrees(folded).filter(|rest| !rest.is_empty()).unwrap_or(folded);
    let folded = behind(folded, "hm|hmm|mh|uh|um|well|good question|sorry").unwrap_or(folded);
    behind(folded, PUTTING_OFF).is_some() || has_any(folded, PUT_OFF)
}

/// True if the human does not want to say.
pub(super) fn skips(folded: &str) -> bool {
    behind(folded, SKIPPING).is_some()
        || SKIPPED.split('|').any(|end| {
            folded == end || folded.strip_suffix(end).is_some_and(|rest| rest.ends_with(' '))
        })
}

/// True if the human plainly goes on with something else.
pub(super) fn turns_away(folded: &str) -> bool {
    has_any(folded, TURNING_AWAY)
}

/// True if the words steer: they say what is to be done with what was asked.
pub(super) fn steers(folded: &str) -> bool {
    behind(folded, STEERING).is_some()
}

/// True if a sentence with a question mark asks something, and does not propose it.
pub(super) fn wonders(folded: &str) -> bool {
    behind(folded, PROPOSING).is_none()
}

/// True if a question is a request for work, and not for an explanation.
pub(super) fn requests(folded: &str) -> bool {
    let folded = agrees(folded).filter(|rest| !rest.is_empty()).unwrap_or(folded);
    behind(folded, REQUESTING)
        .is_some_and(|what| !what.is_empty() && behind(what, EXPLAINING).is_none())
}

/// True if the words begin what a plan says.
pub(super) fn starts(folded: &str) -> bool {
    behind(folded, STARTING).is_some_and(|what| behind(what, STARTED).is_some())
}

/// What follows a yes, or words that only look like a no.
pub(super) fn approves(folded: &str) -> Option<&str> {
    agrees(folded).or_else(|| behind(folded, UNOPPOSED))
}

/// True if the words refuse what was put up. What follows a plain yes is a condition at most.
pub(super) fn objects(folded: &str) -> bool {
    let is_no = |words: &str| yes_or_no(words) == Some(false) || behind(words, OBJECTING).is_some();
    match approves(folded) {
        Some(rest) => yes_or_no(folded) != Some(true) && is_no(rest),
        None => is_no(folded),
    }
}

/// Yes or no, at the beginning of an answer.
pub(super) fn yes_or_no(folded: &str) -> Option<bool> {
    match folded.split(' ').next()? {
        "yes" | "yep" | "yup" | "yeah" | "yea" | "ja" | "jo" | "sure" | "oui" | "si" | "sí"
        | "да" => Some(true),
        "no" | "nope" | "nah" | "nein" | "nee" | "non" | "нет" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::reply_words::fold;
    use super::*;

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
        assert!(requests(&fold("can you fix the typo?")));
        assert!(!requests(&fold("can you explain B?")));
    }
}
