//! The rows and words behind a ranking.

use super::scope::Gate;
use super::{FoundMoment, FoundSession, Scope, SearchOptions};
use crate::SyncError;
use crate::index::card_text;
use backstory_distill::ranking::Ranked;
use backstory_distill::snippet::{Wanted, snippet};
use backstory_model::{EventKind, Session, SessionEvent};
use backstory_store::Vault;

/// How long a snippet may be, in characters.
const SNIPPET_CHARS: usize = 240;
/// A result comes soon after its call.
const RESULT_WITHIN: u32 = 64;

pub(super) struct Teller<'a> {
    pub(super) vault: &'a Vault,
    pub(super) options: &'a SearchOptions,
    pub(super) gate: &'a Gate<'a>,
}

impl Teller<'_> {
    /// The best sessions with their moments, and whether there are more.
    pub(super) fn tell(&self, ranked: &[Ranked]) -> Result<(Vec<FoundSession>, bool), SyncError> {
        let wanted = Wanted::of(&self.options.query);
        let mut told = Vec::new();
        for found in ranked {
            // What left since it was indexed is passed over.
            let Some(session) = self.vault.session_by_id(found.session)? else { continue };
            let moments = self.moments(found, &session, &wanted)?;
            if moments.is_empty() {
                continue;
            }
            if told.len() == self.options.limit {
                return Ok((told, true));
            }
            let is_evicted = session.watermarks.evicted_at.is_some();
            told.push(FoundSession { session, score: found.score, moments, is_evicted });
        }
        Ok((told, false))
    }

    fn moments(
        &self,
        found: &Ranked,
        session: &Session,
        wanted: &Wanted,
    ) -> Result<Vec<FoundMoment>, SyncError> {
        let mut moments = Vec::new();
        for (seq, score) in &found.moments {
            if moments.len() == self.options.moments {
                break;
            }
            let moment = match seq {
                Some(seq) => self.event(found.session, session, *seq, wanted)?,
                None => Some(self.card(session, wanted)),
            };
            moments.extend(moment.map(|moment| FoundMoment { score: *score, ..moment }));
        }
        Ok(moments)
    }

    fn event(
        &self,
        id: i64,
        session: &Session,
        seq: u32,
        wanted: &Wanted,
    ) -> Result<Option<FoundMoment>, SyncError> {
        let uid = &session.session_uid;
        let Some(mut event) = self.vault.event_at(id, uid, seq)? else { return Ok(None) };
        if self.options.scope == Scope::Commands {
            event.exit_code = match event.exit_code {
                Some(code) => Some(code),
                None => self.exit_of(id, &event)?,
            };
            if event.exit_code.is_none() || !self.gate.lets_exit(event.exit_code) {
                return Ok(None);
            }
        }
        let text = self.vault.payload(&event).unwrap_or_else(|_| event.summary.clone());
        if !self.gate.lets_files(&event.files, &text) {
            return Ok(None);
        }
        let (before, after) = self.neighbours(id, session, seq)?;
        let snippet = snippet(&text, wanted, SNIPPET_CHARS);
        Ok(Some(FoundMoment { event: Some(event), score: 0.0, snippet, before, after }))
    }

    /// How a call ended, as its result tells.
    fn exit_of(&self, id: i64, call: &SessionEvent) -> Result<Option<i32>, SyncError> {
        let Some(call_id) = &call.call_id else { return Ok(None) };
        let (from, to) = (call.seq + 1, call.seq.saturating_add(RESULT_WITHIN));
        let later = self.vault.events_between(id, &call.session_uid, from, to)?;
        Ok(later
            .iter()
            .filter(|event| event.call_id.as_ref() == Some(call_id))
            .find_map(|event| event.exit_code))
    }

    fn card(&self, session: &Session, wanted: &Wanted) -> FoundMoment {
        let mut text = session.title.clone().unwrap_or_default();
        text.push('\n');
        text.push_str(&card_text(self.vault, &session.session_uid));
        let snippet = snippet(&text, wanted, SNIPPET_CHARS);
        let (before, after) = (Vec::new(), Vec::new());
        FoundMoment { event: None, score: 0.0, snippet, before, after }
    }

    fn neighbours(
        &self,
        id: i64,
        session: &Session,
        seq: u32,
    ) -> Result<(Vec<SessionEvent>, Vec<SessionEvent>), SyncError> {
        let wanted = self.options.context;
        if wanted == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        // Bookkeeping lies between; nobody wants to read it.
        let reach = (wanted as u32).saturating_mul(4).saturating_add(8);
        let uid = &session.session_uid;
        let around = self.vault.events_between(
            id,
            uid,
            seq.saturating_sub(reach),
            seq.saturating_add(reach),
        )?;
        let told = |event: &SessionEvent| {
            !matches!(event.kind, EventKind::Lifecycle | EventKind::Completion)
        };
        let (mut before, mut after): (Vec<SessionEvent>, Vec<SessionEvent>) = around
            .into_iter()
            .filter(|event| event.seq != seq && told(event))
            .partition(|event| event.seq < seq);
        before.drain(..before.len().saturating_sub(wanted));
        after.truncate(wanted);
        Ok((before, after))
    }
}
