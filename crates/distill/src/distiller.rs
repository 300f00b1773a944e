//! A session's events go in one by one; a digest, signals and decisions come out.
//!
//! A session that grows later is carried on from what was saved, so that its earlier events are
//! never needed again.

use crate::decisions::{MARKER, Rows, Waiting};
use crate::digest::{self, Ledger, Rest};
use crate::facts::Facts;
use crate::moment::Moment;
use crate::outcome::Trail;
use crate::signals::{Detectors, Signals};
use backstory_model::{Decision, Digest, Session, Signal};
use serde::{Deserialize, Serialize};

/// Version of the rules; a digest made with older ones is made anew while its events exist.
pub const DIGEST_VERSION: u32 = 2;

/// Folds a session.
#[derive(Debug)]
pub struct Distiller {
    digest: Digest,
    signals: Signals,
    decisions: Rows,
    marker: String,
    open: Open,
}

/// What is still undecided between two events; bounded and small.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Open {
    facts: Facts,
    trail: Trail,
    ledger: Ledger,
    detectors: Detectors,
    waiting: Waiting,
    rest: Rest,
}

/// What comes out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distilled {
    /// The account of the session.
    pub digest: Digest,
    /// What was noticed.
    pub signals: Vec<Signal>,
    /// What the human was asked, and what they said.
    pub decisions: Vec<Decision>,
    /// What [`Distiller::resume`] needs to go on.
    pub state: Vec<u8>,
}

impl Default for Distiller {
    fn default() -> Self {
        Self {
            digest: Digest::default(),
            signals: Signals::default(),
            decisions: Rows::default(),
            marker: MARKER.to_owned(),
            open: Open::default(),
        }
    }
}

impl Distiller {
    /// Begins with the first event.
    pub fn new() -> Self {
        Self::default()
    }

    /// Knows questions by another marker than [`MARKER`]; it is no part of what is saved.
    #[must_use]
    pub fn with_marker(mut self, marker: &str) -> Self {
        marker.clone_into(&mut self.marker);
        self
    }

    /// Goes on where an earlier run stopped; nothing if it was made by other rules.
    pub fn resume(saved: Distilled) -> Option<Self> {
        if saved.digest.version != DIGEST_VERSION {
            return None;
        }
        let mut open: Open = serde_json::from_slice(&saved.state).ok()?;
        let mut signals = Signals::resume(saved.signals);
        Detectors::wake(&mut signals);
        let digest = digest::reopen(saved.digest, std::mem::take(&mut open.rest));
        let decisions = Rows::resume(saved.decisions);
        Some(Self { digest, signals, decisions, open, ..Self::default() })
    }

    /// Takes the next event, in the order of its seq.
    pub fn event(&mut self, moment: Moment<'_>) {
        let Open { facts, trail, ledger, detectors, waiting, .. } = &mut self.open;
        let beat = facts.observe(moment);
        detectors.event(&beat, facts, &mut self.signals);
        ledger.event(&beat, &mut self.digest);
        for told in waiting.event(&beat, &self.marker, &mut self.decisions) {
            digest::decision(&mut self.digest, beat.seq(), &told);
        }
        trail.event(&beat);
        facts.settle(beat);
    }

    /// The account so far; `session` is the row as it stands now.
    pub fn finish(mut self, session: &Session) -> Distilled {
        let Open { facts, trail, detectors, .. } = &mut self.open;
        if let Some((seq, words)) = trail.rest() {
            digest::answer(&mut self.digest, seq, &words);
        }
        facts.prune(detectors.watches_since());
        self.digest.version = DIGEST_VERSION;
        if session.lineage.parent_session_uid.is_some() {
            // Whoever a sub-agent asks is no human.
            self.decisions = Rows::default();
        }
        self.digest.decisions = self.decisions.questions();
        let (digest, rest) = digest::finish(self.digest, trail, facts, session);
        detectors.rest(facts, &digest, &mut self.signals);
        self.open.rest = rest;
        let state = serde_json::to_vec(&self.open).unwrap_or_default();
        let decisions = self.decisions.finish();
        Distilled { digest, signals: self.signals.finish(), decisions, state }
    }
}
