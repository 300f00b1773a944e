//! The rows and words behind a ranking.

use super::fetch::Events;
use super::scope::Gate;
use super::{FoundMoment, FoundSession, Scope, SearchOptions};
use crate::SyncError;
use backstory_distill::ranking::Ranked;
use backstory_distill::snippet::{Wanted, snippet};
use backstory_model::{Session, SessionEvent};
use backstory_store::{Payloads, Stretch, Vault};
use std::thread;

/// How long a snippet may be, in characters.
const SNIPPET_CHARS: usize = 240;
/// Sessions looked at together.
const MOST_SESSIONS: usize = 64;
/// Moments of a session looked at together once its best were passed over.
const NEXT_MOMENTS: usize = 32;
/// For fewer moments than this no thread is started.
const FEW: usize = 4;
const MOST_THREADS: usize = 4;

/// A ranked moment: its event, if it is one, and its score.
type Moment = (Option<u32>, f32);

pub(super) struct Teller<'a> {
    pub(super) vault: &'a Vault,
    pub(super) options: &'a SearchOptions,
    pub(super) gate: &'a Gate<'a>,
}

/// A moment before its words are looked at.
pub(super) struct Untold {
    /// Position of its session in the answer.
    pub(super) session: usize,
    /// Row id of its session.
    pub(super) id: i64,
    pub(super) moment: FoundMoment,
    /// Its words, where they are no payload.
    pub(super) text: Option<String>,
}

impl Teller<'_> {
    /// The best sessions with their moments, and whether there are more.
    pub(super) fn tell(&self, ranked: &[Ranked]) -> Result<(Vec<FoundSession>, bool), SyncError> {
        let (mut told, mut untold) = (Vec::new(), Vec::new());
        // One more than wanted tells whether there are more.
        let mut at_once = self.options.limit.saturating_add(1).min(MOST_SESSIONS);
        let (mut rest, mut more) = (ranked, false);
        while !rest.is_empty() && !more {
            let (next, others) = rest.split_at(at_once.min(rest.len()));
            more = self.tell_some(next, &mut told, &mut untold)?;
            // Where some were passed over, more will be.
            (rest, at_once) = (others, (at_once * 2).min(MOST_SESSIONS));
        }
        self.add_neighbours(&told, &mut untold)?;
        self.add_cards(&told, &mut untold)?;
        self.add_snippets(&mut untold);
        for Untold { session, moment, .. } in untold {
            told[session].moments.push(moment);
        }
        Ok((told, more))
    }

    /// Tells sessions until the limit is reached; true if there is one beyond it.
    fn tell_some(
        &self,
        ranked: &[Ranked],
        told: &mut Vec<FoundSession>,
        untold: &mut Vec<Untold>,
    ) -> Result<bool, SyncError> {
        let ids: Vec<i64> = ranked.iter().map(|found| found.session).collect();
        let mut sessions = self.vault.sessions_by_id(&ids)?;
        let mut places = Vec::new();
        for found in ranked {
            // What left since it was indexed is passed over.
            let Some(session) = sessions.get(&found.session) else { continue };
            let (first, _) = self.first(found);
            places.extend(places_of(found.session, session, first));
        }
        let mut events = self.events_at(&places)?;
        for found in ranked {
            let Some(session) = sessions.remove(&found.session) else { continue };
            let moments = self.moments(found, &session, told.len(), &mut events)?;
            if moments.is_empty() {
                continue;
            }
            if told.len() == self.options.limit {
                return Ok(true);
            }
            untold.extend(moments);
            let is_evicted = session.watermarks.evicted_at.is_some();
            let moments = Vec::new();
            told.push(FoundSession { session, score: found.score, moments, is_evicted });
        }
        Ok(false)
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

    /// The moments of a session that are looked at together with those of others, and the rest.
    fn first<'r>(&self, found: &'r Ranked) -> (&'r [Moment], &'r [Moment]) {
        let wanted = self.options.moments;
        // Where only the row can tell, most will be passed over.
        let first = if self.gate.must_look() { wanted.max(NEXT_MOMENTS) } else { wanted };
        found.moments.split_at(first.min(found.moments.len()))
    }

    /// The best moments of a session that are there and are what was asked for.
    fn moments(
        &self,
        found: &Ranked,
        session: &Session,
        at: usize,
        events: &mut Events,
    ) -> Result<Vec<Untold>, SyncError> {
        let mut moments = Vec::new();
        let (first, others) = self.first(found);
        for (number, part) in std::iter::once(first).chain(others.chunks(NEXT_MOMENTS)).enumerate()
        {
            if moments.len() == self.options.moments {
                break;
            }
            if number > 0 {
                let places: Vec<_> = places_of(found.session, session, part).collect();
                events.extend(self.events_at(&places)?);
            }
            for (seq, score) in part {
                if moments.len() == self.options.moments {
                    break;
                }
                let event = match seq {
                    Some(seq) => {
                        let event = events.get(&(found.session, *seq));
                        let Some(event) = event.filter(|event| self.is_wanted(event)) else {
                            continue;
                        };
                        Some(event.clone())
                    }
                    None => None,
                };
                let moment = FoundMoment { event, score: *score, ..FoundMoment::default() };
                moments.push(Untold { session: at, id: found.session, moment, text: None });
            }
        }
        Ok(moments)
    }

    /// Whether an event is what was asked for, as far as only its row can tell.
    fn is_wanted(&self, event: &SessionEvent) -> bool {
        if self.options.scope == Scope::Commands
            && (event.exit_code.is_none() || !self.gate.lets_exit(event.exit_code))
        {
            return false;
        }
        if self.gate.asks_for_files() {
            let text = self.vault.payload(event).unwrap_or_else(|_| event.summary.clone());
            return self.gate.lets_files(&event.files, &text);
        }
        true
    }
}

/// Where moments of a session are, as far as they are events.
fn places_of<'a>(
    id: i64,
    session: &'a Session,
    moments: &'a [Moment],
) -> impl Iterator<Item = Stretch<'a>> {
    let seqs = moments.iter().filter_map(|(seq, _)| *seq);
    seqs.map(move |seq| Stretch::one(id, &session.session_uid, seq))
}
