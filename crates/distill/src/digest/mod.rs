//! Fills the digest while the events pass by, and finishes it.
//!
//! The working lists are those of the digest itself, bounded at every step, so that a saved digest
//! is all it takes to go on. What finishing takes away is kept beside it, see [`Rest`].

mod commits;
mod finish;
mod lists;
mod prompts;

pub(crate) use finish::{Rest, finish, reopen};

use crate::beat::{Beat, Status};
use crate::clip;
use backstory_model::{Digest, EventKind, Snippet};
use serde::{Deserialize, Serialize};

const GOAL_MAX: usize = 320;
const ANSWER_MAX: usize = 400;
const SNIPPET_MAX: usize = 240;
/// Decisions that are told; the latest.
const DECISIONS: usize = 3;

/// What the digest itself cannot remember.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Ledger {
    /// Where the last compaction was seen: one of them writes two records.
    #[serde(skip_serializing_if = "Option::is_none")]
    compacted: Option<u32>,
}

impl Ledger {
    /// Takes the next event.
    pub(crate) fn event(&mut self, beat: &Beat<'_>, digest: &mut Digest) {
        let seq = beat.seq();
        if let Some(text) = beat.prompt() {
            digest.prompts += 1;
            prompts::goal(digest, seq, text);
        }
        if let Some(text) = beat.human_words().filter(|_| beat.objection) {
            digest.corrections += 1;
            keep(
                digest,
                2,
                Snippet { seq, why: "correction".into(), text: clip::words(text, SNIPPET_MAX) },
            );
        } else if beat.event.kind == EventKind::HumanIntervention
            && let Some(text) = beat.human_words()
        {
            keep(
                digest,
                1,
                Snippet { seq, why: "intervention".into(), text: clip::words(text, SNIPPET_MAX) },
            );
        }
        match beat.event.kind {
            EventKind::Error => digest.errors += 1,
            EventKind::HumanIntervention => digest.interventions += 1,
            EventKind::Retry => digest.retries += 1,
            EventKind::Compaction => {
                if self.compacted.is_none_or(|last| seq > last + 3) {
                    digest.compactions += 1;
                }
                self.compacted = Some(seq);
            }
            _ => {}
        }
        Self::work(beat, digest);
    }

    fn work(beat: &Beat<'_>, digest: &mut Digest) {
        if beat.is_call() {
            lists::tool(digest, beat.event.tool.as_deref().unwrap_or_default());
            if beat.call.as_ref().is_some_and(|call| call.id == 0) {
                lists::files(digest, beat.seq(), &beat.changed());
            }
            return;
        }
        let Some(call) = beat.answered() else { return };
        if matches!(beat.status, Status::Running | Status::Denied | Status::None) {
            return;
        }
        if call.edit {
            if beat.status == Status::Ok {
                lists::files(digest, beat.seq(), &call.files);
            }
        } else if call.is_test() {
            lists::test(digest, beat, call);
        } else if call.is_shell() {
            lists::command(digest, beat, call);
        }
        if beat.status == Status::Ok {
            commits::note(digest, call, beat.seq(), beat.text);
        }
    }
}

/// Keeps a question and its answer.
pub(crate) fn decision(digest: &mut Digest, seq: u32, told: &str) {
    let text = clip::line(told, SNIPPET_MAX);
    keep(digest, DECISIONS, Snippet { seq, why: "decision".into(), text });
}

/// Keeps the agent's last words as the answer.
pub(crate) fn answer(digest: &mut Digest, seq: u32, text: &str) {
    keep(digest, 1, Snippet { seq, why: "answer".into(), text: clip::words(text, ANSWER_MAX) });
}

/// Keeps a snippet; of its kind only the latest `max`.
fn keep(digest: &mut Digest, max: usize, snippet: Snippet) {
    let same = |known: &&Snippet| known.why == snippet.why;
    if digest.snippets.iter().filter(same).count() >= max {
        let oldest = digest.snippets.iter().filter(same).map(|known| known.seq).min();
        if let Some(at) = digest
            .snippets
            .iter()
            .position(|known| known.why == snippet.why && Some(known.seq) == oldest)
        {
            digest.snippets.remove(at);
        }
    }
    digest.snippets.push(snippet);
}
