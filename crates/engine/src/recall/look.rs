//! Turns what a search found, and what is written down, into things that may be told.

use super::fixes::{fix_text, is_part_of};
use super::items::{cut, day, digest_text, why};
use super::memories::memories;
use super::whose::retain_own;
use super::{Muted, RecallItem, RecallOptions};
use crate::search::FoundPlaces;
use backstory_distill::recall::{Candidate, Category, Cue, Fit, ITEM_CHARS, UnitsMet, tokens};
use backstory_distill::snippet::{Wanted, snippet};
use backstory_model::{
    Digest, EventKind, Session, SessionEvent, Signal, SignalKind, Timestamp, address,
};
use backstory_store::{StoreError, Stretch, Vault};
use std::collections::HashMap;

/// Sessions looked at, the best first.
pub(super) const SESSIONS: usize = 8;
/// Moments of each of the first…
pub(super) const MOMENTS: usize = 4;
const FIRST: usize = 3;
/// …and of each of the others: few things are told in all, and every moment costs its words.
const MOMENTS_OF_OTHERS: usize = 2;
/// Prompts whose answers are looked up.
const ANSWERED: usize = 5;
/// An answer comes within so many events.
const ANSWER_WITHIN: u32 = 80;
/// Room for the day in front of a snippet.
const SNIPPET_CHARS: usize = ITEM_CHARS - 14;
/// An answer is a little less certain to fit than the question that does.
const ANSWER_SHARE: f32 = 0.97;

/// Signals that say something to others.
const TOLD: [SignalKind; 4] = [
    SignalKind::ErrorFix,
    SignalKind::TestFixed,
    SignalKind::Instruction,
    SignalKind::UserCorrection,
];

/// What a question is worth beside its answer.
const ANSWERED_SHARE: f32 = 0.6;

/// What looks at the things found.
pub(super) struct Look<'a> {
    pub(super) vault: &'a Vault,
    pub(super) options: &'a RecallOptions,
    pub(super) muted: &'a Muted,
    pub(super) cue: &'a Cue,
    /// What the prompt wants to see in texts.
    pub(super) wanted: &'a Wanted,
}

/// A session that was found.
struct Found {
    id: i64,
    session: Session,
    /// Which of the prompt's words its title has.
    title: UnitsMet,
}

/// A thing before it is judged.
pub(super) struct Thing<'a> {
    pub(super) category: Category,
    pub(super) address: String,
    pub(super) of: &'a str,
    pub(super) text: String,
    pub(super) fit: Fit,
    pub(super) nearness: Option<f32>,
    pub(super) reason: String,
}

impl Look<'_> {
    /// Everything that may be told of sessions.
    pub(super) fn at_sessions(&self, places: &FoundPlaces) -> Result<Vec<Candidate>, StoreError> {
        let top = &places.ranked[..places.ranked.len().min(SESSIONS)];
        let ids: Vec<i64> = top.iter().map(|ranked| ranked.session).collect();
        let mut rows = self.vault.sessions_by_id(&ids)?;
        rows.retain(|_, session| self.may_tell(session));
        let found: Vec<Found> = ids
            .iter()
            .filter_map(|id| {
                let session = rows.remove(id)?;
                let title = self.cue.units_in(session.title.as_deref().unwrap_or_default());
                Some(Found { id: *id, session, title })
            })
            .collect();
        let mut candidates = self.moments(&found, places)?;
        let ids: Vec<i64> = found.iter().map(|found| found.id).collect();
        let accounts = self.vault.digests(&ids, &TOLD)?;
        for found in &found {
            let Some((digest, signals)) = accounts.get(&found.id) else { continue };
            let nearness = places.nearness.get(&(found.id, None)).copied();
            candidates.extend(self.digest(found, digest, nearness));
            candidates.extend(self.said(found, digest));
            candidates.extend(signals.iter().filter_map(|signal| self.signal(found, signal)));
        }
        candidates.retain(|candidate| !self.muted.has_address(&candidate.item.address));
        Ok(candidates)
    }

    /// Everything that was written down, for all or for the project.
    pub(super) fn at_memories(&self) -> Result<Vec<Candidate>, StoreError> {
        let mut candidates = Vec::new();
        let mut written = memories(self.vault.home());
        retain_own(self.vault, self.options, &mut written)?;
        for memory in written {
            if self.muted.has_address(&memory.address) {
                continue;
            }
            let shown = snippet(&memory.text, self.wanted, ITEM_CHARS).text;
            let fit = self.cue.fit(&shown, &memory.name);
            candidates.push(self.judged(Thing {
                category: Category::Memory,
                of: &memory.address.clone(),
                address: memory.address,
                text: shown,
                fit,
                nearness: None,
                reason: "written down".into(),
            }));
        }
        Ok(candidates)
    }

    fn may_tell(&self, session: &Session) -> bool {
        let (uid, asking) = (&session.session_uid, self.options.session.as_ref());
        let parent = session.lineage.parent_session_uid.as_ref();
        !is_part_of(uid, asking)
            && (asking.is_none() || parent != asking)
            && !self.muted.has_session(uid, session.project_key.as_deref())
            && parent.is_none_or(|parent| !self.muted.has_session(parent, None))
    }

    /// The moments that were found, and the answers to prompts among them.
    fn moments(&self, found: &[Found], places: &FoundPlaces) -> Result<Vec<Candidate>, StoreError> {
        let by_id: HashMap<i64, &Found> = found.iter().map(|found| (found.id, found)).collect();
        let mut stretches = Vec::new();
        for (rank, ranked) in places.ranked.iter().take(SESSIONS).enumerate() {
            let Some(found) = by_id.get(&ranked.session) else { continue };
            let most = if rank < FIRST { MOMENTS } else { MOMENTS_OF_OTHERS };
            let seqs = ranked.moments.iter().filter_map(|(seq, _)| *seq).take(most);
            let uid = &found.session.session_uid;
            stretches.extend(seqs.map(|seq| Stretch::one(found.id, uid, seq)));
        }
        let events = self.vault.stretches(&stretches)?;
        let mut candidates = Vec::new();
        let mut prompts: Vec<(Stretch<'_>, f32)> = Vec::new();
        for (at, event) in stretches.iter().zip(&events) {
            // What left since it was indexed is passed over.
            let (Some(found), Some(event)) = (by_id.get(&at.session), event.first()) else {
                continue;
            };
            let Some(category) = category(event) else { continue };
            let nearness = places.nearness.get(&(at.session, Some(event.seq))).copied();
            let candidate = self.moment(found, event, category, nearness);
            if category == Category::Prompt && candidate.item.score >= 1.0 {
                prompts.push((*at, candidate.item.score));
            }
            candidates.push(candidate);
        }
        prompts.sort_by(|one, other| other.1.total_cmp(&one.1));
        prompts.truncate(ANSWERED);
        for (question, answer) in self.answers(&by_id, &prompts)? {
            let asked = |candidate: &&mut Candidate| candidate.item.address == question;
            // Who is told the answer need not be told the question.
            if let Some(asked) =
                candidates.iter_mut().find(asked).filter(|asked| is_question(asked))
            {
                asked.item.score *= ANSWERED_SHARE;
            }
            candidates.push(answer);
        }
        Ok(candidates)
    }

    fn moment(
        &self,
        found: &Found,
        event: &SessionEvent,
        category: Category,
        nearness: Option<f32>,
    ) -> Candidate {
        let shown = self.shown(event);
        let fit = self.cue.fit_beside(&shown, &found.title);
        self.judged(Thing {
            category,
            address: address(&found.session.session_uid, event.seq),
            of: found.session.session_uid.as_str(),
            text: format!("{}{shown}", day(event.ts)),
            fit,
            nearness,
            reason: self.whereabouts(&found.session),
        })
    }

    /// What the agent answered in the end to prompts that fit, with the addresses of the prompts.
    fn answers(
        &self,
        by_id: &HashMap<i64, &Found>,
        prompts: &[(Stretch<'_>, f32)],
    ) -> Result<Vec<(String, Candidate)>, StoreError> {
        let behind: Vec<Stretch<'_>> = prompts
            .iter()
            .map(|(at, _)| Stretch {
                first: at.first.saturating_add(1),
                last: at.first.saturating_add(ANSWER_WITHIN),
                ..*at
            })
            .collect();
        let mut candidates = Vec::new();
        let said = |kind| matches!(kind, EventKind::UserMsg | EventKind::AssistantMsg);
        let said = self.vault.stretches_of(&behind, said)?;
        for ((at, score), events) in prompts.iter().zip(said) {
            let turn = events.iter().take_while(|event| event.kind != EventKind::UserMsg);
            let answer = turn.filter(|event| event.kind == EventKind::AssistantMsg).last();
            let (Some(found), Some(answer)) = (by_id.get(&at.session), answer) else { continue };
            let mut candidate = self.moment(found, answer, Category::Answer, None);
            let by_question = score * ANSWER_SHARE;
            let question = address(&found.session.session_uid, at.first);
            if candidate.item.score < by_question {
                candidate.item.score = by_question;
                candidate.item.why =
                    why(&[format!("it answers {question}"), self.whereabouts(&found.session)]);
            }
            candidates.push((question, candidate));
        }
        Ok(candidates)
    }

    fn shown(&self, event: &SessionEvent) -> String {
        let text = self.vault.payload(event).unwrap_or_else(|_| event.summary.clone());
        snippet(&text, self.wanted, SNIPPET_CHARS).text
    }

    /// What came of a session.
    fn digest(&self, found: &Found, digest: &Digest, nearness: Option<f32>) -> Option<Candidate> {
        let text = digest_text(&found.session, digest)?;
        let goal = digest.goal.as_ref().map_or("", |goal| goal.text.as_str());
        let fit = self.cue.fit(&text, goal);
        let uid = &found.session.session_uid;
        Some(self.judged(Thing {
            category: Category::Digest,
            address: format!("backstory://{uid}"),
            of: uid.as_str(),
            text,
            fit,
            nearness,
            reason: self.whereabouts(&found.session),
        }))
    }

    /// Corrections and decisions a digest keeps in the words they were said in.
    fn said(&self, found: &Found, digest: &Digest) -> Vec<Candidate> {
        let said = |kept: &backstory_model::Snippet| {
            let category = match kept.why.as_str() {
                "correction" => Category::Correction,
                "decision" => Category::Decision,
                _ => return None,
            };
            self.words(found, category, kept.seq, &kept.text, found.session.ended_at)
        };
        digest.snippets.iter().filter_map(said).collect()
    }

    /// Fixes, and what the user said about how things are done.
    fn signal(&self, found: &Found, signal: &Signal) -> Option<Candidate> {
        let uid = &found.session.session_uid;
        match (signal.kind, &signal.fix) {
            (SignalKind::ErrorFix | SignalKind::TestFixed, Some(fix)) => {
                if !self.may_fit(found, Category::Fix, &[&signal.what, &fix.what, &fix.tried]) {
                    return None;
                }
                let text = fix_text(&signal.what, &fix.what, &fix.tried, signal.ts);
                let fit = self.cue.fit_beside(&text, &found.title);
                Some(self.judged(Thing {
                    category: Category::Fix,
                    address: address(uid, fix.seq),
                    of: uid.as_str(),
                    text,
                    fit,
                    nearness: None,
                    reason: self.whereabouts(&found.session),
                }))
            }
            (SignalKind::Instruction | SignalKind::UserCorrection, _) => {
                self.words(found, Category::Correction, signal.seq, &signal.what, signal.ts)
            }
            _ => None,
        }
    }

    /// False for texts that are never told, whatever is shown of them. A long session has hundreds.
    fn may_fit(&self, found: &Found, category: Category, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.wanted.may_be_in(text))
            && self.cue.bound(texts, &found.title) * worth(category) >= 1.0
    }

    fn words(
        &self,
        found: &Found,
        category: Category,
        seq: u32,
        words: &str,
        at: Option<Timestamp>,
    ) -> Option<Candidate> {
        if !self.may_fit(found, category, &[words]) {
            return None;
        }
        let shown = snippet(words, self.wanted, SNIPPET_CHARS).text;
        let fit = self.cue.fit_beside(&shown, &found.title);
        Some(self.judged(Thing {
            category,
            address: address(&found.session.session_uid, seq),
            of: found.session.session_uid.as_str(),
            text: format!("{}{shown}", day(at)),
            fit,
            nearness: None,
            reason: self.whereabouts(&found.session),
        }))
    }

    pub(super) fn judged(&self, thing: Thing<'_>) -> Candidate {
        let score = self.cue.relevance(&thing.fit, thing.nearness) * worth(thing.category);
        let met = match thing.fit.met.as_slice() {
            [] => String::new(),
            met => format!("{} of {} words: {}", met.len(), self.cue.len(), met.join(", ")),
        };
        let near = thing.nearness.map_or_else(String::new, |near| format!("nearness {near:.2}"));
        let text = cut(&thing.text);
        let item = RecallItem {
            category: thing.category,
            address: thing.address,
            tokens: tokens(&text),
            text,
            score,
            why: why(&[met, near, thing.reason]),
        };
        Candidate { item, of: thing.of.to_owned() }
    }

    fn whereabouts(&self, session: &Session) -> String {
        let is_here = session.project_key.is_some() && session.project_key == self.options.project;
        if is_here { "of this project".into() } else { "of another project".into() }
    }
}

fn is_question(candidate: &Candidate) -> bool {
    candidate.item.text.contains(['?', '？'])
}

/// What kind of thing an event is; nothing if it is not told.
fn category(event: &SessionEvent) -> Option<Category> {
    match event.kind {
        EventKind::UserMsg | EventKind::HumanIntervention => Some(Category::Prompt),
        EventKind::AssistantMsg => Some(Category::Answer),
        EventKind::Decision => Some(Category::Decision),
        EventKind::ToolCall | EventKind::TestRun | EventKind::Edit | EventKind::Retry => {
            Some(Category::Command)
        }
        EventKind::ToolResult | EventKind::Error => Some(Category::Output),
        // Nobody decided on what was merely thought, and bookkeeping says nothing.
        EventKind::Thinking
        | EventKind::Lifecycle
        | EventKind::Completion
        | EventKind::Compaction => None,
    }
}

/// How much a kind of thing is worth. Less of what was said in passing is needed than of what a tool
/// printed, and less still of what somebody wrote down or settled.
fn worth(category: Category) -> f32 {
    match category {
        Category::Memory | Category::Fix => 1.35,
        Category::Correction | Category::Decision => 1.2,
        Category::Answer => 1.1,
        Category::Digest | Category::Overview => 1.05,
        Category::Prompt => 1.0,
        Category::Command => 0.95,
        Category::Output => 0.85,
    }
}
