//! The human corrected the agent.

use super::{Detector, Signals};
use crate::beat::Beat;
use crate::facts::Facts;
use crate::words::{self, Tone};
use backstory_model::{EventKind, SignalKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Whether the agent did anything that could be corrected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Corrections(bool);

impl Detector for Corrections {
    const KIND: SignalKind = SignalKind::UserCorrection;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        if beat.is_call() || beat.event.kind == EventKind::AssistantMsg {
            self.0 = true;
        }
        if let Some(text) = beat.human_words().filter(|_| self.0)
            && is_correction(text)
        {
            out.note(Self::KIND, xxh3_64(words::key(text).as_bytes()), beat, text);
        }
    }
}

/// True for words that object to what the agent did.
pub(crate) fn is_correction(text: &str) -> bool {
    words::tone(text) == Tone::Unhappy || words::objects(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    #[test]
    fn objections_are_corrections() {
        for text in [
            "no, use the other table",
            "that's wrong, the limit is 10",
            "I said only the tests",
            "you forgot the changelog",
            "it still doesn't compile",
            "why did you delete the file?",
            "undo that",
            "Actually, keep the old name",
            "this is not what I asked for",
            "nein, das ist falsch",
        ] {
            assert!(is_correction(text), "{text}");
        }
        for text in [
            "thanks, works",
            "now add a test",
            "no problem",
            "what does this do?",
            "yes",
            "continue",
        ] {
            assert!(!is_correction(text), "{text}");
        }
    }

    #[test]
    fn the_first_prompt_corrects_nobody() {
        let mut script = Script::new();
        script.user("this is broken, fix it");
        script.says("done");
        script.user("no, the other one");
        assert_eq!(script.signals(SignalKind::UserCorrection).len(), 1);
    }
}
