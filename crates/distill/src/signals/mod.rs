//! What is notable in a session: one detector per file, all driven from one list.

mod abandoned_work;
mod context_overflow;
mod destructive_command;
mod error;
mod error_fix;
mod failing_test;
mod human_intervention;
mod idle_gap;
mod instruction;
mod list;
mod permission_denial;
mod retry_loop;
mod slow_command;
mod test_fixed;
mod thrash;
mod toolchain_trouble;
mod user_correction;

pub(crate) use list::Signals;

use crate::beat::Beat;
use crate::facts::Facts;
use backstory_model::{Digest, SignalKind};
use serde::{Deserialize, Serialize};

/// Notices one kind of thing. What it remembers between events is saved with the session.
pub(crate) trait Detector {
    /// What it notices.
    const KIND: SignalKind;

    /// True if it can only speak when the session is at rest, and anew each time.
    const AT_REST: bool = false;

    /// Sees the next event; `facts` are those before it.
    fn event(&mut self, beat: &Beat<'_>, facts: &Facts, out: &mut Signals) {
        let _ = (beat, facts, out);
    }

    /// The event behind which changes still matter to it.
    fn watches_since(&self) -> Option<u32> {
        None
    }

    /// Sees how the session stands.
    fn rest(&self, facts: &Facts, digest: &Digest, out: &mut Signals) {
        let _ = (facts, digest, out);
    }
}

/// One line per detector.
macro_rules! detectors {
    ($($name:ident: $detector:ty,)*) => {
        /// Every detector with what it remembers.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub(crate) struct Detectors {
            $(#[serde(skip_serializing_if = "is_default")] $name: $detector,)*
        }

        impl Detectors {
            /// The kinds noticed.
            #[cfg(test)]
            pub(crate) const KINDS: &[SignalKind] = &[$(<$detector as Detector>::KIND),*];

            /// Shows the next event to all.
            pub(crate) fn event(&mut self, beat: &Beat<'_>, facts: &Facts, out: &mut Signals) {
                $(self.$name.event(beat, facts, out);)*
            }

            /// The event behind which changes still matter to any of them.
            pub(crate) fn watches_since(&self) -> Option<u32> {
                [$(self.$name.watches_since()),*].into_iter().flatten().min()
            }

            /// Asks those that speak only at rest.
            pub(crate) fn rest(&self, facts: &Facts, digest: &Digest, out: &mut Signals) {
                $(self.$name.rest(facts, digest, out);)*
            }

            /// Takes back what was said at rest, before the session goes on.
            pub(crate) fn wake(out: &mut Signals) {
                $(if <$detector as Detector>::AT_REST {
                    out.forget(<$detector as Detector>::KIND);
                })*
            }
        }
    };
}

detectors! {
    error: error::Errors,
    retry_loop: retry_loop::RetryLoops,
    thrash: thrash::Thrash,
    failing_test: failing_test::FailingTests,
    test_fixed: test_fixed::FixedTests,
    human_intervention: human_intervention::Interventions,
    user_correction: user_correction::Corrections,
    permission_denial: permission_denial::Denials,
    instruction: instruction::Instructions,
    context_overflow: context_overflow::Overflows,
    slow_command: slow_command::SlowCommands,
    idle_gap: idle_gap::IdleGaps,
    abandoned_work: abandoned_work::Abandoned,
    destructive_command: destructive_command::Destructions,
    toolchain_trouble: toolchain_trouble::ToolchainTrouble,
    error_fix: error_fix::ErrorFixes,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_detector() {
        assert_eq!(Detectors::KINDS, SignalKind::ALL);
    }
}
