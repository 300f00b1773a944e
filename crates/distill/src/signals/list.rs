//! The signals of one session: each thing once, each kind bounded.

use crate::beat::Beat;
use crate::clip;
use backstory_model::{Fix, Signal, SignalKind, Timestamp};

/// Bytes of a signal's words.
const WHAT_MAX: usize = 200;
/// Bytes of what fixed an error, and of what did not.
const FIX_MAX: usize = 300;

/// The growing list.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    list: Vec<Signal>,
}

/// How many different signals of a kind one session keeps.
const fn cap(kind: SignalKind) -> usize {
    match kind {
        SignalKind::Error | SignalKind::ErrorFix => 8,
        SignalKind::Instruction | SignalKind::UserCorrection => 6,
        SignalKind::ToolchainTrouble | SignalKind::DestructiveCommand => 5,
        SignalKind::ContextOverflow | SignalKind::AbandonedWork => 2,
        SignalKind::RetryLoop
        | SignalKind::Thrash
        | SignalKind::FailingTest
        | SignalKind::TestFixed
        | SignalKind::HumanIntervention
        | SignalKind::PermissionDenial
        | SignalKind::SlowCommand
        | SignalKind::IdleGap => 3,
    }
}

impl Signals {
    /// Goes on with known signals.
    pub(crate) fn resume(list: Vec<Signal>) -> Self {
        Self { list }
    }

    /// Notes a thing; the same thing again counts up.
    pub(crate) fn note(&mut self, kind: SignalKind, fingerprint: u64, beat: &Beat<'_>, what: &str) {
        self.add(Signal {
            kind,
            fingerprint,
            seq: beat.event.seq,
            last_seq: beat.event.seq,
            ts: beat.event.ts,
            count: 1,
            what: what.to_owned(),
            fix: None,
        });
    }

    /// Notes a thing that began earlier, or that was resolved.
    pub(crate) fn add(&mut self, mut signal: Signal) {
        let same = |known: &&mut Signal| {
            known.kind == signal.kind && known.fingerprint == signal.fingerprint
        };
        if let Some(known) = self.list.iter_mut().find(same) {
            known.count = known.count.saturating_add(signal.count);
            known.last_seq = known.last_seq.max(signal.last_seq);
            if signal.fix.is_some() {
                known.fix = signal.fix.as_ref().map(bounded);
            }
            return;
        }
        if self.list.iter().filter(|known| known.kind == signal.kind).count() >= cap(signal.kind) {
            return;
        }
        signal.what = clip::line(&signal.what, WHAT_MAX);
        signal.fix = signal.fix.as_ref().map(bounded);
        self.list.push(signal);
    }

    /// Drops everything of a kind.
    pub(crate) fn forget(&mut self, kind: SignalKind) {
        self.list.retain(|known| known.kind != kind);
    }

    /// All, in the order they were first seen.
    pub(crate) fn finish(mut self) -> Vec<Signal> {
        self.list.sort_by_key(|signal| (signal.seq, signal.kind, signal.fingerprint));
        self.list
    }
}

/// When a stored number of milliseconds was.
pub(crate) fn at(ts: Option<i64>) -> Option<Timestamp> {
    ts.map(Timestamp)
}

fn bounded(fix: &Fix) -> Fix {
    Fix {
        seq: fix.seq,
        what: clip::line(&fix.what, FIX_MAX),
        tried: clip::words(&fix.tried, FIX_MAX),
    }
}
