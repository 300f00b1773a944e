//! The vocabulary: several thousand words and identifiers derived from a few hundred stems, drawn
//! with the frequencies of natural text (a few words often, most of them rarely).

use super::rng::Rng;

const VERBS: &str = "accept adjust align allocate append apply archive assert assign attach batch \
bind block bound branch break buffer build cache call capture check claim clean close collapse \
collect commit compact compare compile compress compute configure connect convert copy count crash \
create cut debug decode decrypt defer delete derive detect disable discard dispatch drain drop dump \
emit enable encode encrypt enqueue escape estimate evict exclude execute expand expect expire export \
extend extract fetch filter find finish fix flatten flush fold format forward fuse generate group \
guard handle hash ignore import include index infer inject insert inspect install invoke iterate join \
label launch limit link list load lock log lower map mark mask match measure merge migrate mock move \
normalise notify observe open order pack parse patch pause pin poll pop print probe process profile \
prune publish purge push queue quote raise read rebase record recover redact reduce refactor register \
reject release rename render repair replace replay report request reset resolve restart restore \
resume retry return reverse review revert rewrite rotate route run sample scan schedule score seal \
search seed select send serialise serve set shard share shrink sign skip slice snapshot sort split \
spawn stage start stop store stream strip submit subscribe swap sync tag test throttle tokenise trace \
track transform trim truncate unwrap update upgrade validate verify walk warn watch wrap write yield";

const NOUNS: &str = "account action adapter address agent alert alias anchor api archive argument \
array artifact asset attempt attribute backend backlog balance batch binary block body boundary branch \
bucket budget buffer bug build bundle byte cache callback case cell channel chart check checkpoint child \
chunk class client clock cluster code column command comment commit component config connection console \
constant container context contract cookie copy counter crate credential cron cursor dashboard database \
date deadline deadlock default delta dependency detail device diagram dialect diff digest directory disk \
document domain draft driver edge editor element email endpoint engine entity entry enum environment error \
event example exception export expression failure feature feed field file filter fixture flag flow folder \
footer fork form format frame framework function gateway graph group guard handle handler hash header heap \
helper history hook host icon id image import incident index input instance interface interval invoice issue \
item iterator job journal json key label lane latency layer layout ledger leak length lexer library license \
limit line link linter list lock log loop macro manifest map marker matrix member memory menu merge message \
metadata method metric middleware migration mode model module monitor mount mutex name namespace network node \
notification number object offset operation option order origin output owner package page panel panic parent \
parser partition password patch path pattern payload payment permission phase pipeline plan platform plugin \
pointer policy pool port prefix price priority process product profile progress project prompt property \
protocol provider proxy query queue quota range rate reader reason receipt record region registry release \
replica report repository request resource response result retry review role root route router row rule \
runner runtime sample sandbox scale schedule schema scope score script secret section segment selector sender \
sequence server service session setting shape shard shell signal signature size slot snapshot socket source \
span spec stack stage state statement status step storage store stream string struct style subject subscription \
suffix suite summary switch symbol table tag target task team template tenant terminal test thread threshold \
ticket timeout timer timestamp title token tool topic trace tracker transaction transcript tree trigger tuple \
turn type unit update upload url usage user utility value variable vector version view volume warning watcher \
widget window worker workflow workspace wrapper writer zone";

const ADJECTIVES: &str = "absent active additive anonymous atomic available bad blocking broken cached \
clean cold concurrent consistent corrupt current custom dead default deterministic dirty disabled distinct \
double downstream dry duplicate durable dynamic early eager empty exact existing expensive explicit external \
fast final flaky foreign fresh full generic global greedy hidden idempotent idle implicit incremental inner \
internal invalid large last late lazy legacy linear live local long lossless malformed manual mapped missing \
mutable native nested new next noisy null nullable obsolete old opaque open optional ordered orphaned outer \
parallel partial pending persistent plain primary private public pure quiet random raw readable recent \
recursive redundant relative relevant remote required safe same separate sequential shared short silent \
simple slow small sorted sparse stable stale static strict stuck sub-second synthetic temporary thin tight \
tiny torn transient unbounded unique unknown unused upstream valid verbose visible volatile wide wrong";

const VERB_PREFIXES: [&str; 7] = ["", "re", "pre", "un", "de", "auto-", "over"];
const NOUN_PREFIXES: [&str; 6] = ["", "sub", "meta", "multi-", "super", "pseudo-"];
const LENGTH: usize = 4_096;

/// A list of words and a table that draws from it by frequency.
#[derive(Clone, Debug)]
struct Class {
    words: Vec<Box<str>>,
    by_frequency: Vec<u16>,
}

impl Class {
    /// The earlier a word stands in the list, the more often it is drawn.
    fn new(words: Vec<String>) -> Self {
        let weight = |rank: usize| 1.0 / (rank as f64 + 3.0);
        let total: f64 = (0..words.len()).map(weight).sum();
        let mut by_frequency = Vec::with_capacity(LENGTH);
        let mut reached = 0.0;
        for rank in 0..words.len() {
            reached += weight(rank) / total * LENGTH as f64;
            while (by_frequency.len() as f64) < reached && by_frequency.len() < LENGTH {
                by_frequency.push(rank as u16);
            }
        }
        by_frequency.resize(LENGTH, 0);
        Self { words: words.into_iter().map(Into::into).collect(), by_frequency }
    }

    fn draw(&self, rng: &mut Rng, shift: usize) -> &str {
        // Rare words are drawn evenly from the whole list, so that even the last one occurs.
        let bits = rng.next() as usize;
        let rank = if bits.is_multiple_of(16) {
            (bits >> 4) % self.words.len()
        } else {
            usize::from(self.by_frequency[(bits >> 4) % LENGTH])
        };
        &self.words[(rank + shift) % self.words.len()]
    }
}

/// All words of the corpus.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    verbs: Class,
    verb_forms: Class,
    nouns: Class,
    adjectives: Class,
}

impl Words {
    /// Derives the vocabulary. It is the same for every seed: corpora differ in what they say.
    pub(crate) fn new() -> Self {
        let mut rng = Rng::new(0x0077_6f72_6473, 0);
        let verbs: Vec<&str> = VERBS.split_whitespace().collect();
        let nouns: Vec<&str> = NOUNS.split_whitespace().collect();
        let mut forms = Vec::new();
        let mut stems = Vec::new();
        for prefix in VERB_PREFIXES {
            for verb in &verbs {
                stems.push(format!("{prefix}{verb}"));
                let stem = verb.strip_suffix('e').unwrap_or(verb);
                forms.push(format!("{prefix}{stem}ed"));
                forms.push(format!("{prefix}{stem}ing"));
            }
        }
        let mut things = Vec::new();
        for prefix in NOUN_PREFIXES {
            for noun in &nouns {
                things.push(format!("{prefix}{noun}"));
                things.push(format!("{prefix}{noun}s"));
            }
        }
        let mut agents: Vec<String> = verbs
            .iter()
            .map(|verb| format!("{}er", verb.strip_suffix('e').unwrap_or(verb)))
            .collect();
        things.append(&mut agents);
        Self {
            verbs: Class::new(mostly_plain(stems, verbs.len(), &mut rng)),
            verb_forms: Class::new(mostly_plain(forms, verbs.len() * 2, &mut rng)),
            nouns: Class::new(mostly_plain(things, nouns.len() * 2, &mut rng)),
            adjectives: Class::new(mostly_plain(
                ADJECTIVES.split_whitespace().map(str::to_owned).collect(),
                usize::MAX,
                &mut rng,
            )),
        }
    }

    /// How many distinct words there are.
    #[cfg(test)]
    fn len(&self) -> usize {
        [&self.verbs, &self.verb_forms, &self.nouns, &self.adjectives]
            .iter()
            .map(|class| class.words.len())
            .sum()
    }

    /// A verb in its base form.
    pub(crate) fn verb(&self, rng: &mut Rng) -> &str {
        self.verbs.draw(rng, 0)
    }

    /// An inflected verb.
    pub(crate) fn verb_form(&self, rng: &mut Rng) -> &str {
        self.verb_forms.draw(rng, 0)
    }

    /// A noun; `shift` makes other nouns the frequent ones.
    pub(crate) fn noun(&self, rng: &mut Rng, shift: usize) -> &str {
        self.nouns.draw(rng, shift)
    }

    /// An adjective.
    pub(crate) fn adjective(&self, rng: &mut Rng) -> &str {
        self.adjectives.draw(rng, 0)
    }

    /// A plain noun without prefix, for names.
    pub(crate) fn plain_noun(rng: &mut Rng) -> &'static str {
        static_word(NOUNS, rng)
    }

    /// A plain verb, for names.
    pub(crate) fn plain_verb(rng: &mut Rng) -> &'static str {
        static_word(VERBS, rng)
    }
}

fn static_word(list: &'static str, rng: &mut Rng) -> &'static str {
    // A random place in the list; the word it falls into.
    let at = rng.below(list.len());
    let start = list[..at].rfind(' ').map_or(0, |space| space + 1);
    let end = list[start..].find(' ').map_or(list.len(), |space| start + space);
    let word = &list[start..end];
    if word.is_empty() { "value" } else { word }
}

/// Shuffles, keeping words without prefix ahead of the derived ones.
fn mostly_plain(words: Vec<String>, plain: usize, rng: &mut Rng) -> Vec<String> {
    let mut ranked: Vec<(u64, String)> = words
        .into_iter()
        .enumerate()
        .map(|(at, word)| (if at < plain { rng.next() >> 2 } else { rng.next() >> 1 }, word))
        .collect();
    ranked.sort();
    let mut seen = std::collections::HashSet::new();
    ranked.into_iter().map(|(_, word)| word).filter(|word| seen.insert(word.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_of_words_few_of_them_common() {
        let words = Words::new();
        assert!(words.len() > 5_000, "{}", words.len());
        let mut rng = Rng::new(1, 1);
        let mut counts = std::collections::HashMap::new();
        for _ in 0..20_000 {
            *counts.entry(words.noun(&mut rng, 0).to_owned()).or_insert(0_u32) += 1;
        }
        let mut counts: Vec<u32> = counts.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        assert!(counts.len() > 1_000);
        assert!(counts[0] > 50 * counts[counts.len() / 2], "{:?}", &counts[..5]);
    }
}
