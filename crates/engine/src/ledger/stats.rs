//! What the ledger shows over many questions: how often advice is taken, and what is always answered alike.

use super::tell::{answer, question};
use backstory_model::{Decision, DecisionState, Timestamp};
use backstory_store::LedgerEntry;
use std::collections::BTreeMap;

/// The same answer so many times in a row is a preference.
const SAME_ANSWERS: usize = 3;

/// Questions in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Times something was asked.
    pub asked: u64,
    /// Times there was an answer.
    pub answered: u64,
    /// Times nobody answered yet.
    pub open: u64,
    /// Times it was passed over, or the agent stopped.
    pub unanswered: u64,
    /// Answers to questions with a recommendation…
    pub advised: u64,
    /// …and those that took it.
    pub followed: u64,
}

impl Tally {
    fn add(&mut self, decision: &Decision) {
        self.asked += 1;
        match decision.state {
            DecisionState::Answered => self.answered += 1,
            DecisionState::Open => self.open += 1,
            DecisionState::Skipped | DecisionState::Interrupted => self.unanswered += 1,
        }
        if let Some(followed) = decision.followed() {
            self.advised += 1;
            self.followed += u64::from(followed);
        }
    }

    /// The share of advice that was taken.
    pub fn followed_share(&self) -> Option<f64> {
        (self.advised > 0).then(|| self.followed as f64 / self.advised as f64)
    }
}

/// One question, however often it was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Its id.
    pub id: String,
    /// As it was asked last.
    pub question: String,
    /// In numbers.
    pub tally: Tally,
    /// What was answered and how often, the most frequent first.
    pub answers: Vec<(String, u64)>,
    /// When it was asked last.
    pub last: Option<Timestamp>,
}

/// All questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Everything in numbers.
    pub all: Tally,
    /// How long the human took to answer in the median, in milliseconds.
    pub median_latency_ms: Option<i64>,
    /// Every question whose id is one, the most frequent first.
    pub questions: Vec<Question>,
}

/// Counts rows of the ledger, the latest first as they are listed. What was recognised by its shape alone
/// is counted, but is no question of its own: its id changes with its words.
pub fn stats(entries: &[LedgerEntry]) -> Stats {
    let mut stats = Stats::default();
    let mut latencies: Vec<i64> = Vec::new();
    let mut questions: BTreeMap<&str, Question> = BTreeMap::new();
    for entry in entries {
        let decision = &entry.decision;
        stats.all.add(decision);
        latencies.extend(decision.latency_ms());
        if !decision.is_preference_key() || decision.question_id.is_empty() {
            continue;
        }
        let known = questions.entry(&decision.question_id).or_insert_with(|| Question {
            id: decision.question_id.clone(),
            question: question(decision),
            last: entry.at,
            ..Question::default()
        });
        known.tally.add(decision);
        if decision.state == DecisionState::Answered {
            let said = answer(decision);
            match known.answers.iter_mut().find(|(answer, _)| *answer == said) {
                Some((_, times)) => *times += 1,
                None => known.answers.push((said, 1)),
            }
        }
    }
    latencies.sort_unstable();
    stats.median_latency_ms = latencies.get(latencies.len() / 2).copied();
    stats.questions = questions.into_values().collect();
    for question in &mut stats.questions {
        question.answers.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
    }
    stats
        .questions
        .sort_by(|one, other| (other.tally.asked, &one.id).cmp(&(one.tally.asked, &other.id)));
    stats
}

/// A question that is always answered alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The id of the question; where only one project answers it so, with the project behind it.
    pub id: String,
    /// The id of the question alone.
    pub question_id: String,
    /// As it was asked last.
    pub question: String,
    /// What is answered.
    pub answer: String,
    /// How often in a row.
    pub times: usize,
    /// The repository, if the same question is not answered so elsewhere.
    pub repo: Option<String>,
    /// When it was answered last.
    pub last: Option<Timestamp>,
    /// Where, the latest first.
    pub places: Vec<String>,
}

/// What seems to be a preference: the last answers to a question, three at least, are the same; everywhere,
/// or if people answer differently elsewhere, in one project.
pub fn suggestions(entries: &[LedgerEntry]) -> Vec<Suggestion> {
    let mut answered: BTreeMap<&str, Vec<&LedgerEntry>> = BTreeMap::new();
    for entry in entries {
        let decision = &entry.decision;
        let may_be = decision.is_preference_key() && !decision.question_id.is_empty();
        if may_be && decision.state == DecisionState::Answered {
            answered.entry(&decision.question_id).or_default().push(entry);
        }
    }
    let mut found = Vec::new();
    for entries in answered.values_mut() {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.at));
        if let Some(everywhere) = preference(entries, None) {
            found.push(everywhere);
            continue;
        }
        let mut projects: BTreeMap<&str, Vec<&LedgerEntry>> = BTreeMap::new();
        for entry in entries.iter() {
            if let Some(repo) = entry.repo.as_deref() {
                projects.entry(repo).or_default().push(entry);
            }
        }
        found.extend(projects.iter().filter_map(|(repo, of)| preference(of, Some(repo))));
    }
    found.sort_by(|one, other| (other.times, &one.id).cmp(&(one.times, &other.id)));
    found
}

/// The preference that rows of one question, the latest first, come to.
fn preference(entries: &[&LedgerEntry], repo: Option<&str>) -> Option<Suggestion> {
    let latest = entries.first()?;
    let key = answer_key(&latest.decision)?;
    let same = |entry: &&&LedgerEntry| answer_key(&entry.decision).as_ref() == Some(&key);
    let streak: Vec<&&LedgerEntry> = entries.iter().take_while(same).collect();
    if streak.len() < SAME_ANSWERS {
        return None;
    }
    let question_id = latest.decision.question_id.clone();
    Some(Suggestion {
        id: repo.map_or_else(|| question_id.clone(), |repo| format!("{question_id}@{repo}")),
        question_id,
        question: question(&latest.decision),
        answer: answer(&latest.decision),
        times: streak.len(),
        repo: repo.map(str::to_owned),
        last: latest.at,
        places: streak.iter().map(|entry| entry.address()).collect(),
    })
}

/// What makes two answers the same: the labels in any order, and the words beside them.
fn answer_key(decision: &Decision) -> Option<(Vec<String>, String)> {
    let mut labels: Vec<String> = decision.choice().map(str::to_lowercase).collect();
    labels.sort();
    let said = decision.free_text.as_deref().unwrap_or_default();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    (!labels.is_empty() || !said.is_empty()).then_some((labels, said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_model::{DecisionForm, DecisionOption};

    fn row(id: &str, at: i64, repo: &str, chosen: u16) -> LedgerEntry {
        let option = |label: &str| DecisionOption { label: label.into(), ..Default::default() };
        LedgerEntry {
            repo: Some(repo.into()),
            at: Some(Timestamp(at)),
            decision: Decision {
                question_id: id.into(),
                question: format!("{id}?"),
                state: DecisionState::Answered,
                options: vec![option("Yes"), option("No")],
                recommended: Some(0),
                chosen: vec![chosen],
                asked_at: Some(Timestamp(at)),
                answered_at: Some(Timestamp(at + 10 * at)),
                ..Decision::default()
            },
            ..LedgerEntry::default()
        }
    }

    fn ids(entries: &[LedgerEntry]) -> Vec<(String, usize)> {
        suggestions(entries).into_iter().map(|found| (found.id, found.times)).collect()
    }

    #[test]
    fn advice_is_counted() {
        let mut open = row("b", 9, "shop", 0);
        open.decision.state = DecisionState::Open;
        open.decision.answered_at = None;
        // However long they took to pass over it, that was no answer.
        let mut skipped = row("b", 10_000, "shop", 0);
        skipped.decision.state = DecisionState::Skipped;
        let mut interrupted = skipped.clone();
        interrupted.decision.state = DecisionState::Interrupted;
        let counted = stats(&[
            skipped,
            interrupted,
            open,
            row("a", 3, "shop", 0),
            row("a", 2, "shop", 1),
            row("a", 1, "x", 0),
        ]);
        assert_eq!((counted.all.asked, counted.all.answered, counted.all.open), (6, 3, 1));
        assert_eq!((counted.all.advised, counted.all.followed), (3, 2));
        assert_eq!(counted.median_latency_ms, Some(20));
        assert_eq!(counted.questions[0].id, "a");
        assert_eq!(counted.questions[0].answers, [("Yes".into(), 2), ("No".into(), 1)]);
        assert_eq!(counted.questions[1].tally.followed_share(), None);
        assert_eq!(stats(&[]), Stats::default());
    }

    #[test]
    fn three_alike_in_a_row_are_a_preference() {
        let rows = |answers: &[u16]| -> Vec<LedgerEntry> {
            (1..).zip(answers).map(|(at, chosen)| row("a", at, "shop", *chosen)).collect()
        };
        assert_eq!(ids(&rows(&[1, 1])), []);
        assert_eq!(ids(&rows(&[1, 1, 1])), [("a".into(), 3)]);
        // A changed mind is none yet.
        assert_eq!(ids(&rows(&[1, 1, 1, 0])), []);
        assert_eq!(ids(&rows(&[1, 0, 0, 0, 0])), [("a".into(), 4)]);
    }

    #[test]
    fn where_people_differ_it_is_of_one_project() {
        let mut rows: Vec<LedgerEntry> = (1..4).map(|at| row("a", at, "shop", 1)).collect();
        rows.push(row("a", 9, "brew", 0));
        let found = suggestions(&rows);
        assert_eq!((found.len(), found[0].id.as_str()), (1, "a@shop"));
        assert_eq!(found[0].repo.as_deref(), Some("shop"));
    }

    #[test]
    fn what_has_only_the_shape_of_a_question_is_no_preference() {
        let mut rows: Vec<LedgerEntry> = (1..6).map(|at| row("a", at, "shop", 1)).collect();
        for row in &mut rows {
            row.decision.form = DecisionForm::Pattern;
        }
        assert_eq!(ids(&rows), []);
        assert!(stats(&rows).questions.is_empty());
        assert_eq!(stats(&rows).all.advised, 5);
    }
}
