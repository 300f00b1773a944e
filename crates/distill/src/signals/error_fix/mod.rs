//! An error, what was tried in vain, and what made it go away.
//!
//! Silence is better than a wrong pair: the same check must later succeed, something must have
//! changed in between, and that change is what is named.

mod cause;

use super::list::at;
use super::{Detector, Signals};
use crate::beat::{Beat, Status};
use crate::call::Call;
use crate::clip;
use crate::facts::Facts;
use crate::fingerprint::{Telling, fingerprint};
use backstory_model::{Fix, Signal, SignalKind};
use cause::{About, about, describe, is_outside, is_same_call};
use serde::{Deserialize, Serialize};

const OPEN: usize = 3;
const TRIED: usize = 3;
/// An error whose check is not repeated for so many events was left alone, not fixed.
const FORGET_AFTER: u32 = 300;
/// A misused command is corrected at once or not at all.
const MISUSE_WITHIN: u32 = 12;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OpenError {
    fingerprint: u64,
    about: About,
    family: String,
    args: u64,
    /// The failed command.
    command: String,
    what: String,
    seq: u32,
    last: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ts: Option<i64>,
    count: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tried: Vec<String>,
    /// The change after which this error was not seen, though the check still failed otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gone: Option<String>,
}

/// Errors nobody has fixed yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ErrorFixes(Vec<OpenError>);

impl Detector for ErrorFixes {
    const KIND: SignalKind = SignalKind::ErrorFix;

    fn event(&mut self, beat: &Beat<'_>, facts: &Facts, out: &mut Signals) {
        let Some(call) =
            beat.answered().filter(|call| call.is_shell() && !call.edit && call.is_telling())
        else {
            return;
        };
        let seq = beat.seq();
        self.0.retain(|open| {
            let patience = if open.about == About::Misuse { MISUSE_WITHIN } else { FORGET_AFTER };
            seq - open.last.min(seq) <= patience
        });
        match beat.status {
            Status::Ok if beat.test_verdict().is_none_or(|(_, passed)| passed) => {
                self.succeeded(beat, call, facts, out);
            }
            Status::Failed | Status::SoftFailed => self.failed(beat, call, facts),
            _ => {}
        }
    }

    fn watches_since(&self) -> Option<u32> {
        self.0.iter().map(|open| open.last).min()
    }
}

impl OpenError {
    /// True if a call repeats the check that failed.
    fn is_checked_by(&self, call: &Call) -> bool {
        match self.about {
            About::Code => {
                call.covers(&self.family, self.args)
                    || call.family == self.family
                        && (call.family == "git commit" || self.names_test_of(call))
            }
            About::Tools | About::Place => call.family == self.family,
            About::Misuse => call.family == self.family && is_same_call(&self.command, call),
        }
    }

    /// True if the call runs just what the error names, e.g. the one failing test.
    fn names_test_of(&self, call: &Call) -> bool {
        call.is_test()
            && crate::shell::words(&call.shown)
                .iter()
                .any(|word| word.len() > 5 && !word.starts_with('-') && self.what.contains(word))
    }
}

impl ErrorFixes {
    fn failed(&mut self, beat: &Beat<'_>, call: &Call, facts: &Facts) {
        let Some((telling, line)) = beat.error else { return };
        let seq = beat.seq();
        let print = fingerprint(line);
        for open in self.0.iter_mut().filter(|open| call.covers(&open.family, open.args)) {
            let change = describe(open, facts.changes_since(open.last), call);
            if open.fingerprint == print {
                // Back again, or still there: what was done did not help.
                if let Some(vain) = open.gone.take().or(change)
                    && open.tried.len() < TRIED
                    && !open.tried.contains(&vain)
                {
                    open.tried.push(clip::line(&vain, 120));
                }
                open.last = seq;
                open.count += 1;
            } else if open.gone.is_none() && change.is_some() {
                open.gone = change;
                open.last = seq;
            }
        }
        let known = self.0.iter().any(|open| open.fingerprint == print);
        if known || telling < Telling::Clear || is_outside(line) {
            return;
        }
        if self.0.len() == OPEN {
            self.0.remove(0);
        }
        self.0.push(OpenError {
            fingerprint: print,
            about: about(line, &call.family),
            family: call.family.clone(),
            args: call.args,
            command: call.shown.clone(),
            what: clip::line(line, 160),
            seq,
            last: seq,
            ts: beat.event.ts.map(|ts| ts.0),
            count: 1,
            tried: Vec::new(),
            gone: None,
        });
    }

    fn succeeded(&mut self, beat: &Beat<'_>, call: &Call, facts: &Facts, out: &mut Signals) {
        self.0.retain(|open| {
            if !open.is_checked_by(call) {
                return true;
            }
            let gone = open.gone.clone();
            if let Some(what) =
                gone.or_else(|| describe(open, facts.changes_since(open.last), call))
            {
                out.add(Signal {
                    kind: Self::KIND,
                    fingerprint: open.fingerprint,
                    seq: open.seq,
                    last_seq: beat.seq(),
                    ts: at(open.ts),
                    count: open.count,
                    what: open.what.clone(),
                    fix: Some(Fix { seq: beat.seq(), what, tried: open.tried.join("\n") }),
                });
            }
            false
        });
    }
}

#[cfg(test)]
mod tests;
