//! The same call was repeated although it kept failing.

use super::{Detector, Signals};
use crate::beat::{Beat, Status};
use crate::facts::Facts;
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

const REMEMBERED: usize = 4;
/// Failures that make a loop when nothing was changed in between, and in any case.
const BLIND: u32 = 3;
const STUBBORN: u32 = 5;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32, u32)", into = "(u32, u32, u32, u32)")]
struct Failed {
    key: u32,
    last: u32,
    times: u32,
    /// Repetitions with nothing changed in between.
    blind: u32,
}

impl From<(u32, u32, u32, u32)> for Failed {
    fn from((key, last, times, blind): (u32, u32, u32, u32)) -> Self {
        Self { key, last, times, blind }
    }
}

impl From<Failed> for (u32, u32, u32, u32) {
    fn from(failed: Failed) -> Self {
        (failed.key, failed.last, failed.times, failed.blind)
    }
}

/// Calls that failed and have not worked since.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RetryLoops(Vec<Failed>);

impl Detector for RetryLoops {
    const KIND: SignalKind = SignalKind::RetryLoop;

    fn event(&mut self, beat: &Beat<'_>, facts: &Facts, out: &mut Signals) {
        let Some(call) = beat.answered() else { return };
        if self.0.is_empty() && beat.status != Status::Failed {
            return;
        }
        let key =
            xxh3_64(format!("{} {} {:x}", call.tool, call.family, call.args).as_bytes()) as u32;
        match beat.status {
            Status::Ok => self.0.retain(|failed| failed.key != key),
            Status::Failed => {
                let seq = beat.seq();
                let Some(failed) = self.0.iter_mut().find(|failed| failed.key == key) else {
                    if self.0.len() == REMEMBERED {
                        self.0.remove(0);
                    }
                    self.0.push(Failed { key, last: seq, times: 1, blind: 1 });
                    return;
                };
                let changed = !facts.changes_since(failed.last).is_empty();
                failed.blind = if changed { 1 } else { failed.blind + 1 };
                failed.times += 1;
                failed.last = seq;
                if failed.blind >= BLIND || failed.times >= STUBBORN {
                    let fingerprint = xxh3_64(format!("{}{}", call.tool, call.family).as_bytes());
                    let what = format!("{} failed {} times", call.name(), failed.times);
                    out.note(Self::KIND, fingerprint, beat, &what);
                }
            }
            _ => {}
        }
    }

    fn watches_since(&self) -> Option<u32> {
        self.0.iter().map(|failed| failed.last).min()
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::RetryLoop;

    #[test]
    fn three_failures_with_nothing_changed_are_a_loop() {
        let mut script = Script::new();
        for _ in 0..3 {
            script.bash("npm publish").fails(1, "npm ERR! code E401");
        }
        assert_eq!(script.signals(RetryLoop)[0].what, "npm publish failed 3 times");
    }

    #[test]
    fn work_in_between_is_no_loop() {
        let mut script = Script::new();
        for round in 0..3 {
            script.bash("cargo test").fails(101, "error: x");
            script.edit("a.rs", "old", &format!("new {round}")).works("ok");
        }
        assert!(script.signals(RetryLoop).is_empty());
    }
}
