//! Trouble with dependencies or the toolchain.

use super::{Detector, Signals};
use crate::beat::Beat;
use crate::facts::Facts;
use crate::fingerprint::fingerprint;
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};

/// Remembers nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToolchainTrouble {}

/// Words, in lower case, that only missing or quarrelling tools and dependencies are told with.
const SIGNS: &[&str] = &[
    "command not found",
    "not recognized as an internal",
    "no module named",
    "cannot find module",
    "can't find module",
    "module not found",
    "cannot find package",
    "no required module provides",
    "missing go.sum entry",
    "unresolved import",
    "can't find crate",
    "no matching package",
    "no matching version",
    "no matching distribution",
    "could not find a version",
    "failed to select a version",
    "unable to resolve dependency",
    "eresolve",
    "unmet peer",
    "conflicting peer dependency",
    "version conflict",
    "resolution impossible",
    "resolutionimpossible",
    "no solution found when resolving",
    "lock file",
    "lockfile",
    "frozen-lockfile",
    "undefined reference to",
    "linker `",
    "linking with `",
    "ld: library not found",
    "ld: symbol(s) not found",
    "cannot find -l",
    "library not loaded",
    "cannot open shared object",
    "unsupported engine",
    "requires rustc",
    "requires python",
    "requires go",
    "requires node",
    "toolchain",
    "is not installed",
    "executable file not found",
    "glibc",
    "unsupported class file major version",
    "could not determine java version",
    "could not load library",
    "pkg-config",
    "xcrun: error",
    "no such command",
    "no installed version",
    "importerror",
    "externally-managed-environment",
];

impl Detector for ToolchainTrouble {
    const KIND: SignalKind = SignalKind::ToolchainTrouble;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        if !beat.status.is_failure() || beat.answered().is_some_and(|call| !call.is_shell()) {
            return;
        }
        if let Some((_, line)) = beat.error
            && is_trouble(line)
        {
            out.note(Self::KIND, fingerprint(line), beat, line);
        }
    }
}

/// True for an error about what is installed rather than what was written.
pub(super) fn is_trouble(line: &str) -> bool {
    let lower = line.to_lowercase();
    SIGNS.iter().any(|sign| lower.contains(sign))
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::ToolchainTrouble;

    #[test]
    fn missing_tools_are_told_from_wrong_code() {
        let mut script = Script::new();
        script.bash("python a.py").fails(1, "ModuleNotFoundError: No module named 'yaml'");
        script.bash("cargo build").fails(101, "error[E0308]: mismatched types");
        script.bash("foo").fails(127, "bash: foo: command not found");
        script.bash("npm ci").fails(1, "npm ERR! code ERESOLVE\nnpm ERR! x");
        let found = script.signals(ToolchainTrouble);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].what, "ModuleNotFoundError: No module named 'yaml'");
    }
}
