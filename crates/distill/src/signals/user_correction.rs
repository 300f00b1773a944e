//! The human corrected the agent.

use super::{Detector, Signals};
use crate::beat::Beat;
use crate::facts::Facts;
use crate::words;
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Remembers nothing of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Corrections {}

impl Detector for Corrections {
    const KIND: SignalKind = SignalKind::UserCorrection;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        if let Some(text) = beat.human_words().filter(|_| beat.objection) {
            out.note(Self::KIND, xxh3_64(words::key(text).as_bytes()), beat, text);
        }
    }
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
            assert!(words::objects(text), "{text}");
        }
        for text in [
            "thanks, works",
            "now add a test",
            "no problem",
            "what does this do?",
            "yes",
            "continue",
        ] {
            assert!(!words::objects(text), "{text}");
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
