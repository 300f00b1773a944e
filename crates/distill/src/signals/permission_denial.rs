//! The human, or a rule, denied a tool call.

use super::{Detector, Signals};
use crate::beat::{Beat, Status};
use crate::clip;
use crate::facts::Facts;
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Remembers nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Denials {}

/// How harnesses say that a rule forbade a call.
const REFUSALS: &[&str] = &[
    "requested permissions to",
    "haven't granted it yet",
    "permission to use",
    "has been denied",
    "denied by the user",
    "rejected by user",
    "rejected due to unacceptable risk",
    "requires approval",
    "blocked by hook",
    "hook blocked",
    "denied by policy",
    "operation was rejected",
];

impl Detector for Denials {
    const KIND: SignalKind = SignalKind::PermissionDenial;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        let denied = match beat.status {
            Status::Denied => true,
            Status::Failed => is_refusal(beat.text),
            _ => false,
        };
        if !denied {
            return;
        }
        let tool = beat.event.tool.as_deref().unwrap_or("call");
        let (family, name) = beat
            .answered()
            .map_or((tool, tool.to_owned()), |call| (call.family.as_str(), call.name()));
        let fingerprint = xxh3_64(format!("{tool} {family}").as_bytes());
        out.note(Self::KIND, fingerprint, beat, &format!("denied: {name}"));
    }
}

fn is_refusal(text: &str) -> bool {
    let start = clip::head(text, 600);
    REFUSALS.iter().any(|refusal| start.contains(refusal))
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::PermissionDenial;

    #[test]
    fn denials_name_the_call() {
        let mut script = Script::new();
        script.bash("git push origin main").denied();
        script.bash("git push -f").fails(1, "This command requires approval");
        script.bash("cat /root/x").fails(1, "cat: /root/x: Permission denied");
        let found = script.signals(PermissionDenial);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].what.as_str(), found[0].count), ("denied: git push origin main", 2));
    }
}
