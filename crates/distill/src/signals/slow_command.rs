//! A command took long.

use super::{Detector, Signals};
use crate::beat::{Beat, Status};
use crate::call::Call;
use crate::facts::Facts;
use crate::shell::Rank;
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Remembers nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SlowCommands {}

const SLOW_MS: u64 = 60_000;
/// Above this a gap between call and result is more likely a closed laptop than a command.
const BELIEVABLE_MS: u64 = 30 * 60_000;

impl Detector for SlowCommands {
    const KIND: SignalKind = SignalKind::SlowCommand;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        // Without the agent's own measure the time may be the human's, who had to allow the call.
        let measured = beat.event.duration_ms.is_some();
        let telling = |call: &&Call| {
            if measured { call.is_telling() } else { call.rank >= Rank::Build as u8 }
        };
        let Some(call) = beat.answered().filter(|call| call.is_shell()).filter(telling) else {
            return;
        };
        if beat.status == Status::Denied {
            return;
        }
        let between = || {
            let ms = u64::try_from(beat.event.ts?.0.checked_sub(call.ts?)?).ok()?;
            (ms <= BELIEVABLE_MS).then_some(ms)
        };
        let Some(ms) = beat.event.duration_ms.or_else(between).filter(|ms| *ms >= SLOW_MS) else {
            return;
        };
        let fingerprint = xxh3_64(format!("{} {:x}", call.family, call.args).as_bytes());
        out.note(Self::KIND, fingerprint, beat, &format!("`{}` took {}", call.shown, span(ms)));
    }
}

/// A span of time as people say it.
pub(super) fn span(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::SlowCommand;

    #[test]
    fn slow_commands_are_told_with_their_time() {
        let mut script = Script::new();
        script.bash("cargo build --release");
        script.wait_ms(200_000);
        script.works("done");
        script.bash("cat x");
        script.wait_ms(200_000);
        script.works("done");
        let found = script.signals(SlowCommand);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "`cargo build --release` took 3 min");
    }
}
