//! Earlier answers to a similar question: rows of the ledger that may be told.

use super::fixes::is_part_of;
use super::items::day;
use super::look::{Look, Thing};
use crate::ledger::{advice, answer, question};
use crate::project::name_of_key;
use backstory_distill::recall::{Candidate, Category};
use backstory_distill::snippet::snippet;
use backstory_model::{DecisionKind, DecisionState, address};
use backstory_store::{DecisionFilter, LedgerEntry, StoreError};
use std::collections::HashSet;

/// Answers looked at, the latest first.
const LATEST: usize = 300;
/// Characters of the question and of the answer; the rest of the line says when and whether as recommended.
const QUESTION_CHARS: usize = 130;
const ANSWER_CHARS: usize = 70;

impl Look<'_> {
    /// Answers that may be told, each question with its latest. They take the place of what is known of the
    /// same moments otherwise.
    pub(super) fn at_decisions(&self, candidates: &mut Vec<Candidate>) -> Result<(), StoreError> {
        let (mut seen, mut told) = (HashSet::new(), HashSet::new());
        let mut found = Vec::new();
        for entry in self.answered()? {
            let decision = &entry.decision;
            let key = if decision.is_preference_key() {
                decision.question_id.clone()
            } else {
                decision.question.to_lowercase()
            };
            if !self.may_tell_decision(&entry) || !seen.insert(key) {
                continue;
            }
            let Some(candidate) = self.decision(&entry) else { continue };
            if candidate.item.score >= 1.0 {
                told.insert(entry.address());
                let answered = entry.session_uid.as_ref().zip(decision.answer_seq);
                told.extend(answered.map(|(uid, seq)| address(uid, seq)));
            }
            found.push(candidate);
        }
        candidates.retain(|candidate| !told.contains(&candidate.item.address));
        candidates.extend(found);
        Ok(())
    }

    /// What was answered in the project. Hubs may know no more of it than its name.
    fn answered(&self) -> Result<Vec<LedgerEntry>, StoreError> {
        let mut filter = DecisionFilter {
            kinds: vec![DecisionKind::Question],
            state: Some(DecisionState::Answered),
            limit: Some(LATEST),
            ..DecisionFilter::default()
        };
        if self.options.everywhere {
            return self.vault.decisions(&filter);
        }
        let Some(project) = &self.options.project else { return Ok(Vec::new()) };
        filter.projects = vec![project.clone()];
        let mut found = self.vault.decisions(&filter)?;
        if let Some(name) = name_of_key(project) {
            filter.projects = vec![name];
            found.extend(self.vault.decisions(&filter)?);
        }
        Ok(found)
    }

    fn may_tell_decision(&self, entry: &LedgerEntry) -> bool {
        let is_open = entry.session_uid.as_ref().is_none_or(|uid| {
            !is_part_of(uid, self.options.session.as_ref())
                && !self.muted.has_session(uid, entry.project.as_deref())
        });
        is_open && !self.muted.has_address(&entry.address())
    }

    /// A question and its answer on one line; nothing if it has none of the words.
    fn decision(&self, entry: &LedgerEntry) -> Option<Candidate> {
        let decision = &entry.decision;
        let (asked, answered) = (question(decision), answer(decision));
        let labels = decision.options.iter().map(|option| option.label.as_str());
        let about = labels.chain(entry.title.as_deref()).collect::<Vec<_>>().join(" ");
        if ![&asked, &answered, &about].into_iter().any(|text| self.wanted.may_be_in(text)) {
            return None;
        }
        let fit = self.cue.fit(&format!("{asked} {answered}"), &about);
        let asked = snippet(&asked, self.wanted, QUESTION_CHARS).text;
        let answered = snippet(&answered, self.wanted, ANSWER_CHARS).text;
        let advised = advice(decision).map(|advice| format!(" ({advice})")).unwrap_or_default();
        let is_here = entry.project.is_some() && entry.project == self.options.project;
        let place = if is_here { "of this project" } else { "of another project" };
        let address = entry.address();
        Some(self.judged(Thing {
            category: Category::Decision,
            of: entry.session_uid.as_ref().map_or(address.as_str(), |uid| uid.as_str()),
            address: address.clone(),
            text: format!(
                "{}asked \"{asked}\", the user chose: {answered}{advised}",
                day(entry.at)
            ),
            fit,
            nearness: None,
            reason: format!("asked before; {place}"),
        }))
    }
}
