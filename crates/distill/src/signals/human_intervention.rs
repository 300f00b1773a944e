//! The human interrupted or steered a running turn.

use super::{Detector, Signals};
use crate::beat::Beat;
use crate::facts::Facts;
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Remembers nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Interventions {}

impl Detector for Interventions {
    const KIND: SignalKind = SignalKind::HumanIntervention;

    fn event(&mut self, beat: &Beat<'_>, facts: &Facts, out: &mut Signals) {
        if beat.is_interrupt() {
            let during = facts
                .unanswered()
                .map_or_else(String::new, |call| format!(" during {}", call.name()));
            out.note(Self::KIND, xxh3_64(b"interrupt"), beat, &format!("interrupted{during}"));
        } else if beat.prompt().is_none()
            && let Some(words) = beat.human_words()
        {
            let lower = words.to_lowercase();
            out.note(Self::KIND, xxh3_64(lower.as_bytes()), beat, words);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::HumanIntervention;

    #[test]
    fn interrupts_count_up_and_words_are_kept() {
        let mut script = Script::new();
        script.bash("sleep 100");
        script.interrupt();
        script.interrupt();
        script.interjects("use the other file");
        let found = script.signals(HumanIntervention);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].what.as_str(), found[0].count), ("interrupted during sleep 100", 2));
        assert_eq!(found[1].what, "use the other file");
    }
}
