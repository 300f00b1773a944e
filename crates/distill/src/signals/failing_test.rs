//! A test failed and never passed again.

use super::list::at;
use super::{Detector, Signals};
use crate::facts::Facts;
use backstory_model::{Digest, Signal, SignalKind};
use serde::{Deserialize, Serialize};

/// Remembers nothing of its own: the facts know what still fails.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FailingTests {}

impl Detector for FailingTests {
    const KIND: SignalKind = SignalKind::FailingTest;
    const AT_REST: bool = true;

    fn rest(&self, facts: &Facts, _: &Digest, out: &mut Signals) {
        for failing in &facts.failing {
            out.add(Signal {
                kind: Self::KIND,
                fingerprint: failing.name,
                seq: failing.seq,
                last_seq: failing.last,
                ts: at(failing.ts),
                count: failing.count,
                what: failing.what.clone(),
                fix: None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::FailingTest;

    #[test]
    fn only_tests_that_never_passed_again_are_told() {
        let mut script = Script::new();
        script
            .bash("pytest tests/a.py")
            .fails(1, "FAILED tests/a.py::test_x - assert\n1 failed in 1s");
        script.bash("go test ./x").fails(1, "--- FAIL: TestY (0.1s)\nFAIL");
        script.bash("pytest").works("3 passed in 1s");
        let found = script.signals(FailingTest);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "TestY in `go test ./x`");
    }
}
