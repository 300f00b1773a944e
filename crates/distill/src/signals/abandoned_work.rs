//! Work was left in the middle.

use super::{Detector, Signals};
use crate::facts::Facts;
use backstory_model::{Digest, Outcome, Signal, SignalKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Remembers nothing: the digest says how the session stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Abandoned {}

impl Detector for Abandoned {
    const KIND: SignalKind = SignalKind::AbandonedWork;
    const AT_REST: bool = true;

    fn rest(&self, _: &Facts, digest: &Digest, out: &mut Signals) {
        let began = !digest.files.is_empty() || digest.tools.iter().any(|(_, calls)| *calls > 0);
        if digest.judgement.outcome != Outcome::Abandoned || !began {
            return;
        }
        let Some((seq, why)) = digest.judgement.evidence.first() else { return };
        let goal = digest.goal.as_ref().map_or("", |goal| goal.text.as_str());
        out.add(Signal {
            kind: Self::KIND,
            fingerprint: xxh3_64(goal.to_lowercase().as_bytes()),
            seq: *seq,
            last_seq: *seq,
            ts: None,
            count: 1,
            what: if goal.is_empty() { why.clone() } else { format!("{why}: {goal}") },
            fix: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::AbandonedWork;

    #[test]
    fn an_interrupted_end_leaves_work_behind() {
        let mut script = Script::new();
        script.user("rewrite the parser");
        script.edit("/p/a.rs", "a", "b").works("ok");
        script.bash("cargo test");
        script.interrupt();
        assert!(script.signals(AbandonedWork)[0].what.ends_with("rewrite the parser"));
        script.user("go on");
        script.bash("cargo test").works("test result: ok. 3 passed; 0 failed");
        script.says("All tests pass now; the parser is rewritten.");
        assert!(script.signals(AbandonedWork).is_empty());
    }
}
