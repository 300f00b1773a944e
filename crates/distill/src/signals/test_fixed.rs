//! A failing test was made to pass.

use super::list::at;
use super::{Detector, Signals};
use crate::beat::Beat;
use crate::facts::Facts;
use backstory_model::{Fix, Signal, SignalKind};
use serde::{Deserialize, Serialize};

/// Remembers nothing of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FixedTests {}

impl Detector for FixedTests {
    const KIND: SignalKind = SignalKind::TestFixed;

    fn event(&mut self, beat: &Beat<'_>, facts: &Facts, out: &mut Signals) {
        let Some((call, true)) = beat.test_verdict() else { return };
        for failing in &facts.failing {
            // A test that passes although nothing changed was not fixed.
            let since = facts.changes_since(failing.last);
            let edit = since.iter().rfind(|change| change.what.starts_with("edit "));
            let Some(change) = edit.or(since.last()) else { continue };
            if call.covers(&failing.family, failing.args) {
                out.add(Signal {
                    kind: Self::KIND,
                    fingerprint: failing.name,
                    seq: failing.seq,
                    last_seq: beat.seq(),
                    ts: at(failing.ts),
                    count: failing.count,
                    what: failing.what.clone(),
                    fix: Some(Fix {
                        seq: beat.seq(),
                        what: change.what.clone(),
                        tried: String::new(),
                    }),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::TestFixed;

    #[test]
    fn a_test_is_fixed_by_a_change() {
        let mut script = Script::new();
        script
            .bash("cargo test a")
            .fails(101, "test a ... FAILED\ntest result: FAILED. 0 passed; 1 failed");
        script.edit("/p/src/a.rs", "let x = 1;", "let x = 2;").works("ok");
        script.bash("cargo test").works("test result: ok. 1 passed; 0 failed");
        let found = script.signals(TestFixed);
        assert_eq!(found[0].fix.as_ref().unwrap().what, "edit a.rs: let x = 2;");
    }

    #[test]
    fn a_flaky_test_is_not_fixed() {
        let mut script = Script::new();
        script.bash("cargo test").fails(101, "test result: FAILED. 0 passed; 1 failed");
        script.bash("cargo test").works("test result: ok. 1 passed; 0 failed");
        assert!(script.signals(TestFixed).is_empty());
    }
}
