//! The context overflowed or was compacted.

use super::{Detector, Signals};
use crate::beat::Beat;
use crate::clip;
use crate::facts::Facts;
use backstory_model::{EventKind, SignalKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Where the last compaction was seen: one of them writes two records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Overflows(u32);

const TOO_LONG: &[&str] = &[
    "prompt is too long",
    "context length",
    "context window",
    "maximum context",
    "context_length_exceeded",
    "input is too long",
    "ran out of room",
];

impl Detector for Overflows {
    const KIND: SignalKind = SignalKind::ContextOverflow;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        if beat.event.kind == EventKind::Compaction {
            let seq = beat.seq();
            if self.0 == 0 || seq > self.0 + 3 {
                out.note(Self::KIND, xxh3_64(b"compaction"), beat, "the context was compacted");
            }
            self.0 = seq.max(1);
        } else if beat.is_api_failure() {
            let start = clip::head(beat.text, 2000).to_ascii_lowercase();
            if TOO_LONG.iter().any(|words| start.contains(words)) {
                out.note(Self::KIND, xxh3_64(b"too long"), beat, beat.text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::ContextOverflow;

    #[test]
    fn compactions_and_overlong_prompts_are_told_apart() {
        let mut script = Script::new();
        script.user("go on");
        script.compaction();
        script.compaction();
        script.api_error("API Error: prompt is too long: 210000 tokens");
        let found = script.signals(ContextOverflow);
        assert_eq!(found.iter().map(|signal| signal.count).collect::<Vec<_>>(), [1, 1]);
    }
}
