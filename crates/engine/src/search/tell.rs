//! The rows and words behind a ranking.

use super::scope::Gate;
use super::{FoundMoment, FoundSession, Scope, SearchOptions};
use crate::SyncError;
use crate::index::card_text;
use backstory_distill::ranking::Ranked;
use backstory_distill::snippet::{Wanted, snippet};
use backstory_model::{EventKind, Session, SessionEvent};
use backstory_store::{Payloads, Vault};
use std::thread;

/// How long a snippet may be, in characters.
const SNIPPET_CHARS: usize = 240;
/// A result comes soon after its call.
const RESULT_WITHIN: u32 = 64;
/// For fewer moments than this no thread is started.
const FEW: usize = 4;
const MOST_THREADS: usize = 4;

pub(super) struct Teller<'a> {
    pub(super) vault: &'a Vault,
    pub(super) options: &'a SearchOptions,
    pub(super) gate: &'a Gate<'a>,
}

/// A moment before its words are looked at.
struct Untold {
    /// Position of its session in the answer.
    session: usize,
    moment: FoundMoment,
    /// Its words, where they are no payload.
    text: Option<String>,
}

impl Teller<'_> {
    /// The best sessions with their moments, and whether there are more.
    pub(super) fn tell(&self, ranked: &[Ranked]) -> Result<(Vec<FoundSession>, bool), SyncError> {
        let (mut told, mut untold) = (Vec::new(), Vec::new());
        let mut more = false;
        for found in ranked {
            // What left since it was indexed is passed over.
            let Some(session) = self.vault.session_by_id(found.session)? else { continue };
            let moments = self.moments(found, &session, told.len())?;
            if moments.is_empty() {
                continue;
            }
            more = told.len() == self.options.limit;
            if more {
                break;
            }
            untold.extend(moments);
            let is_evicted = session.watermarks.evicted_at.is_some();
            let moments = Vec::new();
            told.push(FoundSession { session, score: found.score, moments, is_evicted });
        }
        self.add_snippets(&mut untold);
        for Untold { session, moment, .. } in untold {
            told[session].moments.push(moment);
        }
        Ok((told, more))
    }

    /// Reading payloads takes longest, and needs nothing of the archive but its packs.
    fn add_snippets(&self, untold: &mut [Untold]) {
        let wanted = Wanted::of(&self.options.query);
        let home = self.vault.home();
        let add = |part: &mut [Untold]| {
            let payloads = Payloads::new(home);
            for Untold { moment, text, .. } in part {
                let text = match (text.take(), &moment.event) {
                    (Some(text), _) => text,
                    (None, Some(event)) => {
                        payloads.payload(event).unwrap_or_else(|_| event.summary.clone())
                    }
                    (None, None) => String::new(),
                };
                moment.snippet = snippet(&text, &wanted, SNIPPET_CHARS);
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        if untold.len() < FEW || threads == 1 {
            return add(untold);
        }
        let each = untold.len().div_ceil(threads);
        thread::scope(|scope| {
            let (own, others) = untold.split_at_mut(each);
            for part in others.chunks_mut(each) {
                scope.spawn(|| add(part));
            }
            add(own);
        });
    }

    fn moments(
        &self,
        found: &Ranked,
        session: &Session,
        at: usize,
    ) -> Result<Vec<Untold>, SyncError> {
        let mut moments = Vec::new();
        for (seq, score) in &found.moments {
            if moments.len() == self.options.moments {
                break;
            }
            let mut moment = FoundMoment { score: *score, ..FoundMoment::default() };
            let text = match seq {
                Some(seq) => {
                    let Some(event) = self.event(found.session, session, *seq)? else { continue };
                    (moment.before, moment.after) =
                        self.neighbours(found.session, session, *seq)?;
                    moment.event = Some(event);
                    None
                }
                None => Some(self.card(session)),
            };
            moments.push(Untold { session: at, moment, text });
        }
        Ok(moments)
    }

    /// An event, if it is there and is what was asked for.
    fn event(
        &self,
        id: i64,
        session: &Session,
        seq: u32,
    ) -> Result<Option<SessionEvent>, SyncError> {
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
        if self.gate.asks_for_files() {
            let text = self.vault.payload(&event).unwrap_or_else(|_| event.summary.clone());
            if !self.gate.lets_files(&event.files, &text) {
                return Ok(None);
            }
        }
        Ok(Some(event))
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

    fn card(&self, session: &Session) -> String {
        let mut text = session.title.clone().unwrap_or_default();
        text.push('\n');
        text.push_str(&card_text(self.vault, &session.session_uid));
        text
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
