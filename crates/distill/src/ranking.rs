//! Ranking what several ways of searching found: words in prose, words in tool text, meaning, and the
//! words of a session as a whole.
//!
//! A moment's score is a weighted sum of how well its words match and how near its meaning is, each
//! measured against the best found. Half the score of its neighbours is added: an answer often stands
//! beside the question. A session is ranked by its best moments together and by how many of the words
//! it has at all. Recency and the project one stands in only tip the balance between near equals.

use std::collections::HashMap;

/// The share of meaning in a score when both ways take part…
const MEANING: f32 = 0.6;
/// …and what is added to it where nobody used the words.
const MEANING_WITHOUT_WORDS: f32 = 0.35;
/// A session with this share of what all words would give has answered by words.
const STRONG_EVIDENCE: f32 = 0.4;
/// Of the candidates, this share is no nearer than anything else would be: nearness counts from there.
const FAR: f32 = 0.8;
/// What a session with all the words gains, compared with one perfect moment.
const EVIDENCE: f32 = 1.0;
/// How much a session's words lift its moments above those of others.
const LIFT: f32 = 0.3;
/// Where no word is met, only what is this near at least is an answer…
const MIN_NEARNESS: f32 = 0.25;
/// …and not much farther than the nearest.
const MIN_SHARE_OF_NEAREST: f32 = 0.45;
/// What a neighbour's score adds, by its distance in events.
const NEIGHBOURS: [f32; 2] = [0.5, 0.2];
/// How much the first, second, third… best moment of a session counts.
const MOMENT_WEIGHTS: [f32; 5] = [1.0, 0.4, 0.3, 0.2, 0.1];
/// At most so much is added for being from today…
const RECENCY: f32 = 0.06;
/// …and half of that after so many days.
const RECENCY_HALF_DAYS: f32 = 30.0;
/// What being of the project one stands in adds.
const SAME_PROJECT: f32 = 0.10;
const DAY_MS: f32 = 86_400_000.0;

/// A moment some way of searching found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Its session.
    pub session: i64,
    /// Its event; none for the session's card.
    pub seq: Option<u32>,
    /// How well the words match, among prose; 0 if not found that way.
    pub prose: f32,
    /// How well the words match, among tool text and names.
    pub tools: f32,
    /// How near its meaning is; none if it has none or nobody asked.
    pub nearness: Option<f32>,
}

/// How many of the words each session has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// By session.
    pub sessions: HashMap<i64, f32>,
    /// What a session would have with all of them.
    pub attainable: f32,
    /// The share of the words that mean nothing by themselves: names, codes, hashes. For these only
    /// what is written counts.
    pub foreign: f32,
}

impl Evidence {
    fn best(&self) -> f32 {
        self.sessions.values().copied().fold(0.0, f32::max)
    }

    /// From 0, where hardly a word is known, to 1, where some session has most of them.
    fn strength(&self) -> f32 {
        if self.attainable <= 0.0 {
            return 1.0;
        }
        (self.best() / (self.attainable * STRONG_EVIDENCE)).min(1.0)
    }
}

/// What tips the balance between sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Circumstance {
    /// Time since its last activity.
    pub age_ms: Option<i64>,
    /// It is of the project one stands in.
    pub is_same_project: bool,
}

/// A session, ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The session.
    pub session: i64,
    /// Comparable within one ranking.
    pub score: f32,
    /// Its moments, best first: the event (none for the card) and its score.
    pub moments: Vec<(Option<u32>, f32)>,
}

/// Ranks sessions and the moments in them, best first. `evidence` says how many of the words each
/// session has; beyond the `first` so many sessions the order may be rough. `circumstances` answers for
/// each of the sessions it is given, in their order.
pub fn rank(
    candidates: &[Candidate],
    evidence: &Evidence,
    first: usize,
    circumstances: &mut dyn FnMut(&[i64]) -> Vec<Circumstance>,
) -> Vec<Ranked> {
    let (most, strength) = (evidence.best().max(f32::MIN_POSITIVE), evidence.strength());
    let mut sessions: HashMap<i64, Vec<(Option<u32>, f32)>> = HashMap::new();
    let trust = (strength, 1.0 - evidence.foreign);
    for (candidate, score) in candidates.iter().zip(scores(candidates, trust)) {
        if let Some(score) = score {
            sessions.entry(candidate.session).or_default().push((candidate.seq, score));
        }
    }
    let mut ranked: Vec<Ranked> = sessions
        .into_iter()
        .map(|(session, mut moments)| {
            with_neighbours(&mut moments);
            let words = evidence.sessions.get(&session).map_or(0.0, |has| strength * has / most);
            for (_, score) in &mut moments {
                *score *= 1.0 + LIFT * words;
            }
            moments.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
            let pooled: f32 =
                moments.iter().zip(MOMENT_WEIGHTS).map(|((_, score), weight)| score * weight).sum();
            Ranked { session, score: pooled + EVIDENCE * words, moments }
        })
        .collect();
    in_order(&mut ranked);
    // Asking after every session takes time; those far down cannot rise among the first.
    let last = ranked.get(first).map_or(0.0, |ranked| ranked.score);
    let may_rise = |found: &Ranked| found.score * (1.0 + RECENCY + SAME_PROJECT) >= last;
    let rising = ranked.partition_point(may_rise);
    let sessions: Vec<i64> = ranked[..rising].iter().map(|found| found.session).collect();
    for (found, circumstance) in ranked.iter_mut().zip(circumstances(&sessions)) {
        found.score *= favour(circumstance);
    }
    in_order(&mut ranked);
    ranked
}

fn in_order(ranked: &mut [Ranked]) {
    ranked.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| right.session.cmp(&left.session))
    });
}

/// What each candidate scores by itself; nothing if it is no answer.
fn scores(candidates: &[Candidate], (strength, native): (f32, f32)) -> Vec<Option<f32>> {
    let by_words = |found: &Candidate| found.prose.max(found.tools);
    let words = candidates.iter().map(by_words).fold(0.0_f32, f32::max);
    let mut near: Vec<f32> = candidates.iter().filter_map(|found| found.nearness).collect();
    near.sort_by(f32::total_cmp);
    let nearest = near.last().copied().unwrap_or(0.0);
    let far = near.get((near.len() as f32 * FAR) as usize).copied().unwrap_or(0.0);
    // Where all are equally near there is nothing to choose from.
    let far = if nearest > far { far } else { 0.0 };
    let meaning = match (words > 0.0, near.is_empty()) {
        (true, false) => native * (MEANING + MEANING_WITHOUT_WORDS * (1.0 - strength)),
        // What nobody wrote may still be meant, if it means anything.
        (false, false) if native > 0.0 => 1.0,
        _ => 0.0,
    };
    let score = |candidate: &Candidate| {
        let lexical = by_words(candidate) / words.max(f32::MIN_POSITIVE);
        let nearness = candidate.nearness.unwrap_or(0.0);
        let is_near = nearness >= MIN_NEARNESS.max(nearest * MIN_SHARE_OF_NEAREST);
        let semantic = ((nearness - far) / (nearest - far).max(f32::EPSILON)).max(0.0);
        let score = (1.0 - meaning) * lexical + meaning * semantic;
        // Where meaning has no say, being near is no answer.
        (lexical > 0.0 || is_near && meaning > 0.0).then_some(score)
    };
    candidates.iter().map(score).collect()
}

fn with_neighbours(moments: &mut [(Option<u32>, f32)]) {
    let alone: HashMap<u32, f32> =
        moments.iter().filter_map(|(seq, score)| Some(((*seq)?, *score))).collect();
    for (seq, score) in moments.iter_mut() {
        let Some(seq) = *seq else { continue };
        for (distance, weight) in (1..).zip(NEIGHBOURS) {
            let sides = [seq.checked_sub(distance), seq.checked_add(distance)];
            let near = sides.into_iter().flatten().filter_map(|seq| alone.get(&seq));
            *score += weight * near.sum::<f32>();
        }
    }
}

fn favour(circumstance: Circumstance) -> f32 {
    let recency = circumstance.age_ms.map_or(0.0, |age| {
        let days = (age.max(0) as f32) / DAY_MS;
        RECENCY * 0.5_f32.powf(days / RECENCY_HALF_DAYS)
    });
    let project = if circumstance.is_same_project { SAME_PROJECT } else { 0.0 };
    1.0 + recency + project
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(session: i64, seq: u32, prose: f32, nearness: Option<f32>) -> Candidate {
        Candidate { session, seq: Some(seq), prose, tools: 0.0, nearness }
    }

    fn nothing_tips(sessions: &[i64]) -> Vec<Circumstance> {
        vec![Circumstance::default(); sessions.len()]
    }

    fn order(candidates: &[Candidate]) -> Vec<i64> {
        let ranked = rank(candidates, &Evidence::default(), 99, &mut nothing_tips);
        ranked.into_iter().map(|ranked| ranked.session).collect()
    }

    #[test]
    fn words_and_meaning_both_count() {
        let both = found(1, 5, 8.0, Some(0.6));
        let words = found(2, 5, 10.0, Some(0.1));
        let meaning = found(3, 5, 0.0, Some(0.7));
        assert_eq!(order(&[words, meaning, both]), [1, 3, 2]);
        assert_eq!(order(&[found(1, 1, 0.0, Some(0.5)), found(2, 1, 0.0, Some(0.6))]), [2, 1]);
    }

    #[test]
    fn a_neighbour_helps() {
        let alone = found(1, 5, 9.0, None);
        let pair = [found(2, 7, 8.0, None), found(2, 8, 6.0, None)];
        assert_eq!(order(&[alone, pair[0], pair[1]]), [2, 1]);
    }

    #[test]
    fn a_session_with_all_the_words_wins() {
        let one_word = found(1, 1, 9.0, None);
        let many = [found(2, 1, 7.0, None), found(2, 20, 7.0, None)];
        let sessions = HashMap::from([(1, 2.0), (2, 5.0)]);
        let evidence = Evidence { sessions, attainable: 8.0, foreign: 0.0 };
        let ranked = rank(&[one_word, many[0], many[1]], &evidence, 99, &mut nothing_tips);
        assert_eq!(ranked[0].session, 2);
    }

    #[test]
    fn what_is_far_and_has_no_word_is_no_answer() {
        assert_eq!(order(&[found(1, 1, 3.0, Some(0.1)), found(2, 1, 0.0, Some(0.2))]), [1]);
        assert_eq!(order(&[found(1, 1, 0.0, Some(0.9)), found(2, 1, 0.0, Some(0.35))]), [1]);
    }

    #[test]
    fn circumstances_only_tip_the_balance() {
        let old = found(1, 1, 10.0, None);
        let new = |prose| found(2, 1, prose, None);
        let of = |session: &i64| Circumstance {
            age_ms: Some(if *session == 2 { 0 } else { 400 * 86_400_000 }),
            is_same_project: *session == 2,
        };
        let mut today = |sessions: &[i64]| sessions.iter().map(of).collect();
        assert_eq!(rank(&[old, new(9.0)], &Evidence::default(), 99, &mut today)[0].session, 2);
        assert_eq!(rank(&[old, new(8.0)], &Evidence::default(), 99, &mut today)[0].session, 1);
    }

    #[test]
    fn only_of_those_who_may_rise_circumstances_are_asked_and_once() {
        let candidates: Vec<Candidate> =
            (1..=9).map(|at| found(i64::from(at), 1, 10.0 - at as f32 / 2.0, None)).collect();
        let mut asked = Vec::new();
        rank(&candidates, &Evidence::default(), 2, &mut |sessions| {
            asked.push(sessions.to_vec());
            nothing_tips(sessions)
        });
        assert_eq!(asked, [[1, 2, 3, 4, 5]]);
    }

    #[test]
    fn where_no_word_is_of_the_language_only_what_is_written_counts() {
        let candidates = [found(1, 1, 3.0, Some(0.1)), found(2, 1, 0.0, Some(0.9))];
        let evidence = Evidence { foreign: 1.0, ..Evidence::default() };
        let ranked = rank(&candidates, &evidence, 99, &mut nothing_tips);
        assert_eq!(ranked.iter().map(|found| found.session).collect::<Vec<_>>(), [1]);
        assert!(rank(&candidates[1..], &evidence, 99, &mut nothing_tips).is_empty());
    }

    proptest! {
        #[test]
        fn no_session_is_lost_and_order_does_not_matter(
            mut all in prop::collection::vec((0_i64..6, 0_u32..9, 0.1_f32..9.0, 0.0_f32..1.0), 1..30)
        ) {
            all.sort_by_key(|one| (one.0, one.1));
            all.dedup_by_key(|one| (one.0, one.1));
            let candidates: Vec<Candidate> = all
                .iter()
                .map(|(session, seq, prose, near)| found(*session, *seq, *prose, Some(*near)))
                .collect();
            let backwards: Vec<Candidate> = candidates.iter().rev().copied().collect();
            let ranking = order(&candidates);
            prop_assert_eq!(&ranking, &order(&backwards));
            let mut sessions: Vec<i64> = all.iter().map(|one| one.0).collect();
            sessions.dedup();
            prop_assert_eq!(ranking.len(), sessions.len());
        }
    }
}
