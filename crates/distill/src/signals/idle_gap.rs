//! Nothing happened for a long time within the session.

use super::slow_command::span;
use super::{Detector, Signals};
use crate::beat::Beat;
use crate::facts::Facts;
use backstory_model::{EventKind, SignalKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// When something last happened, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct IdleGaps(Option<i64>);

const HOUR_MS: u64 = 3_600_000;

impl Detector for IdleGaps {
    const KIND: SignalKind = SignalKind::IdleGap;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        let Some(ts) = beat.event.ts.filter(|_| beat.event.kind != EventKind::Lifecycle) else {
            return;
        };
        let gap = self.0.and_then(|last| u64::try_from(ts.0.checked_sub(last)?).ok()).unwrap_or(0);
        self.0 = Some(self.0.map_or(ts.0, |last| last.max(ts.0)));
        let size: &[u8] = match gap / HOUR_MS {
            0 => return,
            1..8 => b"hours",
            8..24 => b"a night",
            _ => b"days",
        };
        out.note(Self::KIND, xxh3_64(size), beat, &format!("idle for {}", span(gap)));
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::IdleGap;

    #[test]
    fn long_pauses_are_noticed() {
        let mut script = Script::new();
        script.user("begin");
        script.wait_ms(50 * 60_000);
        script.says("ok");
        script.wait_ms(3 * 3_600_000);
        script.user("back");
        let found = script.signals(IdleGap);
        assert_eq!(found.iter().map(|s| s.what.as_str()).collect::<Vec<_>>(), ["idle for 3 h"]);
    }
}
