//! The rows behind a ranking, many at a time: where the archive is on a server, every question takes a
//! way there and back.

use super::tell::{Teller, Untold};
use super::{FoundSession, Scope};
use crate::SyncError;
use crate::index::card_text;
use backstory_model::{EventKind, SessionEvent};
use backstory_store::Stretch;
use std::collections::HashMap;

/// A result comes soon after its call.
const RESULT_WITHIN: u32 = 64;
/// Neighbours asked for at once, those included that are not told.
const NEIGHBOURS: usize = 4096;

/// Events by session and seq.
pub(super) type Events = HashMap<(i64, u32), SessionEvent>;

impl Teller<'_> {
    /// The events at some places, as far as they are there; where commands are asked for, with their
    /// exit codes.
    pub(super) fn events_at(&self, places: &[Stretch<'_>]) -> Result<Events, SyncError> {
        let found = self.vault.stretches(places)?;
        let mut events: Vec<(Stretch<'_>, SessionEvent)> = places
            .iter()
            .zip(found)
            .filter_map(|(place, mut events)| Some((*place, events.pop()?)))
            .collect();
        if self.options.scope == Scope::Commands {
            self.add_exits(&mut events)?;
        }
        Ok(events.into_iter().map(|(place, event)| ((place.session, event.seq), event)).collect())
    }

    /// How calls ended that do not know it themselves, as their results tell.
    fn add_exits(&self, events: &mut [(Stretch<'_>, SessionEvent)]) -> Result<(), SyncError> {
        let is_open = |call: &SessionEvent| call.exit_code.is_none() && call.call_id.is_some();
        let mut open: Vec<_> = events.iter_mut().filter(|(_, call)| is_open(call)).collect();
        let mut later = Vec::with_capacity(open.len());
        for (place, call) in &open {
            let (first, last) =
                (call.seq.saturating_add(1), call.seq.saturating_add(RESULT_WITHIN));
            later.push(Stretch { first, last, ..*place });
        }
        for ((_, call), later) in open.iter_mut().zip(self.vault.stretches(&later)?) {
            let mut results = later.iter().filter(|event| event.call_id == call.call_id);
            call.exit_code = results.find_map(|event| event.exit_code);
        }
        Ok(())
    }

    /// Adds what happened right before and right behind the moments.
    pub(super) fn add_neighbours(
        &self,
        told: &[FoundSession],
        untold: &mut [Untold],
    ) -> Result<(), SyncError> {
        let wanted = self.options.context;
        if wanted == 0 {
            return Ok(());
        }
        // Bookkeeping lies between; nobody wants to read it.
        let reach = wanted.saturating_mul(4).saturating_add(8);
        let mut moments: Vec<(Stretch<'_>, u32, &mut Untold)> = untold
            .iter_mut()
            .filter_map(|untold| {
                let seq = untold.moment.event.as_ref()?.seq;
                let around = Stretch {
                    session: untold.id,
                    uid: &told[untold.session].session.session_uid,
                    first: seq.saturating_sub(reach as u32),
                    last: seq.saturating_add(reach as u32),
                };
                Some((around, seq, untold))
            })
            .collect();
        for moments in moments.chunks_mut((NEIGHBOURS / reach).max(1)) {
            let around: Vec<Stretch<'_>> = moments.iter().map(|(around, ..)| *around).collect();
            for ((_, seq, untold), around) in moments.iter_mut().zip(self.vault.stretches(&around)?)
            {
                let (mut before, mut after): (Vec<SessionEvent>, Vec<SessionEvent>) = around
                    .into_iter()
                    .filter(|event| event.seq != *seq && is_told(event))
                    .partition(|event| event.seq < *seq);
                before.drain(..before.len().saturating_sub(wanted));
                after.truncate(wanted);
                (untold.moment.before, untold.moment.after) = (before, after);
            }
        }
        Ok(())
    }

    /// Adds the words of sessions that answered as a whole.
    pub(super) fn add_cards(
        &self,
        told: &[FoundSession],
        untold: &mut [Untold],
    ) -> Result<(), SyncError> {
        let mut cards: Vec<&mut Untold> =
            untold.iter_mut().filter(|untold| untold.moment.event.is_none()).collect();
        let ids: Vec<i64> = cards.iter().map(|card| card.id).collect();
        let digests = self.vault.digests(&ids, &[])?;
        for card in &mut cards {
            let session = &told[card.session].session;
            let account = digests.get(&card.id).map(|(digest, signals)| (digest, &signals[..]));
            let title = session.title.as_deref().unwrap_or_default();
            card.text = Some(format!("{title}\n{}", card_text(session, account)));
        }
        Ok(())
    }
}

fn is_told(event: &SessionEvent) -> bool {
    !matches!(event.kind, EventKind::Lifecycle | EventKind::Completion)
}
