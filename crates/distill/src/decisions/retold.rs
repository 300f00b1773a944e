//! Briefs that tell of a decision instead of asking for one: records, quotations, choices already made.

use backstory_model::DecisionOption;

/// How an agent says that nothing is to be decided any more.
const DECIDED: &str = "you chose|you picked|you decided|you went with|you answered|we decided|\
    we chose|we picked|we went with|we settled on|was decided|were decided|been decided|\
    was chosen|were chosen|been chosen|already decided|auto-decided|i went with|i've gone with|\
    i chose|i have chosen|i've chosen|i picked|i've picked|i decided|i've decided|\
    i have decided|nothing to decide|no decision needed|no answer needed|for the record|\
    they took|they chose|they decided|they picked|they went with|they settled|is settled|\
    was settled|been settled|entschieden:|wurde entschieden|ist entschieden|\
    haben wir entschieden|已决定|我选择了|已经选择";

/// The same, where it follows the options; before them it may speak of other things.
const DONE: &str = "i take |i took |i choose |i pick |i'm going with|i am going with|i'm taking|\
    i settled on|i built|i did that|i opted|we took|was taken|ich nehme |ich habe mich|\
    i'll take |i'll go with|i will go with|i will take|i'll use |i'll pick|i used|i implemented|\
    i selected|i made the call|i'm proceeding with|i am proceeding with|i've taken|i have taken|\
    i've settled|i assumed|i've assumed|decided against|has been answered|your answer was|\
    as you decided|as you chose|as decided|ich habe b genommen";

/// What makes such words a condition.
const OPEN: &str = "unless|if you|if i hear|if there is no|if nothing|without an answer|\
    until you|would you|otherwise|by default|wenn du|should i|shall i";

/// How the line of a record begins that says what was decided.
const VERDICTS: &str = "decided|decision:|decision made|chosen:|outcome:|resolved|resolution:|\
    status:|answer:|answered:|result:|verdict:|entscheidung:|chose:|picked:|selected:|\
    considered were|considered:";

/// What a line says that introduces the words of others, an example or a record.
const INTRODUCTIONS: &str = " says| said| reads| contains| wrote| quote|for example|example:|\
    e.g.|like this|looks like|looked like|template:|recap|so far|were asked|was asked|\
    they asked|had to decide|was decided|were decided|we decided|in the document|in the file|\
    from the file|from the document|from the notes|from the minutes|from the log|wrote down|\
    written to|the draft|the adr|the entry|for the docs|into the docs|zum beispiel|beispiel|\
    steht:| wiki|.md|i wrote|i have written|i would send|i'd send|would send them|a draft|\
    draft:|sent to|went to|from yesterday|earlier|back then|minutes|transcript|i put this|\
    colleague|they were|their brief|retold|in short, it was|it was:|was:|quoted|verbatim|\
    as it stands in|taken from|copied from|historical|for reference|reference:|archive|\
    old decision|past decision|previous decision|what we decided|what was decided";

/// How the title of a record ends, or an option that was taken.
const CLOSED: &str = "(decided|(resolved|(done|(closed|(answered|(accepted|[decided|[resolved|\
    [closed|[done|(chosen|(selected|(taken|(picked|(your choice|← chosen|<- chosen|✓ chosen|\
    ✅ chosen|← your choice|← selected|— chosen|- chosen";

fn has(text: &str, phrases: &str) -> bool {
    phrases.split('|').any(|phrase| text.contains(phrase))
}

/// True if a line introduces what is not asked here and now.
pub(super) fn introduces(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.ends_with([':', '：']) && has(&lower, INTRODUCTIONS)
}

/// True if a title says that it is settled.
pub(super) fn is_closed(title: &str) -> bool {
    let lower = title.to_lowercase();
    has(&lower, CLOSED) || ["✅", "✔", "✓"].iter().any(|mark| lower.ends_with(mark))
}

/// True if an option is marked as the one that was taken.
pub(super) fn is_taken(option: &DecisionOption) -> bool {
    has(&option.label.to_lowercase(), CLOSED) || has(&option.description.to_lowercase(), CLOSED)
}

/// True if a line says what was decided; `behind` the options more is said of them.
pub(super) fn settles(line: &str, behind: bool) -> bool {
    is_verdict(line) || is_decided(line, DECIDED) || behind && is_decided(line, DONE)
}

fn is_verdict(line: &str) -> bool {
    let lower = line.to_lowercase();
    let is_pending = ["open", "pending", "waiting", "undecided", "needs"];
    VERDICTS.split('|').any(|verdict| lower.starts_with(verdict))
        && !lower.contains('?')
        && !lower.contains(" or ")
        && !is_pending.iter().any(|word| lower.contains(word))
}

fn is_decided(line: &str, phrases: &str) -> bool {
    let lower = line.to_lowercase().replace('’', "'");
    has(&lower, phrases) && !has(&lower, OPEN) && !lower.ends_with('?')
}
