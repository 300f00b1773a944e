//! The counted lists of a digest, each bounded: the least telling entry makes room.

use crate::beat::Beat;
use crate::call::Call;
use crate::clip;
use backstory_model::{ChangedFile, CommandUse, Digest, TestUse};

const TOOLS: usize = 12;
const FILES: usize = 16;
const COMMANDS: usize = 10;
const TESTS: usize = 5;
const TOOL_MAX: usize = 40;
const COMMAND_MAX: usize = 100;

/// Counts a call of a tool.
pub(super) fn tool(digest: &mut Digest, name: &str) {
    let name = clip::line(name, TOOL_MAX);
    if let Some(known) = digest.tools.iter_mut().find(|(known, _)| *known == name) {
        known.1 += 1;
        return;
    }
    if digest.tools.len() == TOOLS {
        remove_least(&mut digest.tools, |(name, calls)| (*calls, name.clone()));
    }
    digest.tools.push((name, 1));
}

/// Counts changed files.
pub(super) fn files(digest: &mut Digest, seq: u32, changes: &[(String, u32, u32)]) {
    for (path, added, removed) in changes {
        if let Some(known) = digest.files.iter_mut().find(|known| known.path == *path) {
            known.edits += 1;
            known.added = known.added.saturating_add(*added);
            known.removed = known.removed.saturating_add(*removed);
            known.seq = seq;
            continue;
        }
        if digest.files.len() == FILES {
            remove_least(&mut digest.files, |file| {
                (file.edits, file.added.saturating_add(file.removed), file.seq, file.path.clone())
            });
            digest.more_files += 1;
        }
        let file =
            ChangedFile { path: path.clone(), edits: 1, added: *added, removed: *removed, seq };
        digest.files.push(file);
    }
}

/// Counts a run of a command; a mere look around is only counted.
pub(super) fn command(digest: &mut Digest, beat: &Beat<'_>, call: &Call) {
    if !call.is_telling() || call.shown.is_empty() {
        digest.more_commands += 1;
        return;
    }
    let name = clip::line(&call.shown, COMMAND_MAX);
    let failed = u32::from(beat.status.is_failure());
    if let Some(known) = digest.commands.iter_mut().find(|known| known.command == name) {
        known.runs += 1;
        known.failures += failed;
        known.seq = beat.seq();
        return;
    }
    if digest.commands.len() == COMMANDS
        && let Some(gone) = remove_least(&mut digest.commands, |command| {
            (command.failures, command.runs, command.seq, command.command.clone())
        })
    {
        digest.more_commands += gone.runs;
    }
    digest.commands.push(CommandUse { command: name, runs: 1, failures: failed, seq: beat.seq() });
}

/// Counts a test run.
pub(super) fn test(digest: &mut Digest, beat: &Beat<'_>, call: &Call) {
    let name = clip::line(&call.shown, COMMAND_MAX);
    let result = beat.test.as_ref();
    let passed = result.and_then(|result| result.passed);
    let line = result.and_then(|result| result.line.clone());
    let failed = u32::from(passed == Some(false));
    if let Some(known) = digest.tests.iter_mut().find(|known| known.command == name) {
        known.runs += 1;
        known.failures += failed;
        known.passed = passed;
        known.result = line;
        known.seq = beat.seq();
        return;
    }
    if digest.tests.len() == TESTS {
        remove_least(&mut digest.tests, |test| (test.seq, test.command.clone()));
    }
    let seq = beat.seq();
    digest.tests.push(TestUse {
        command: name,
        runs: 1,
        failures: failed,
        passed,
        result: line,
        seq,
    });
}

fn remove_least<T, K: Ord>(list: &mut Vec<T>, key: impl Fn(&T) -> K) -> Option<T> {
    let at = (0..list.len()).min_by_key(|at| key(&list[*at]))?;
    Some(list.remove(at))
}

#[cfg(test)]
mod tests {
    use crate::script::Script;

    #[test]
    fn the_busiest_stay_and_the_rest_is_counted() {
        let mut script = Script::new();
        for file in 0..40 {
            script.edit(&format!("/p/f{file}.rs"), "a", "b\nc").works("ok");
            script.edit("/p/main.rs", "a", "b").works("ok");
            script.bash(&format!("./run{file}.sh")).works("");
            script.bash("ls").works("");
        }
        let digest = script.distill().digest;
        assert_eq!((digest.files[0].path.as_str(), digest.files[0].edits), ("main.rs", 40));
        assert_eq!((digest.files.len(), digest.more_files), (16, 25));
        assert_eq!((digest.commands.len(), digest.more_commands), (10, 30 + 40));
    }

    #[test]
    fn failed_edits_change_nothing() {
        let mut script = Script::new();
        script.edit("/p/a.rs", "a", "b").fails(1, "String to replace not found");
        assert!(script.distill().digest.files.is_empty());
    }

    #[test]
    fn tests_carry_their_last_result() {
        let mut script = Script::new();
        script.bash("cargo test -p a 2>&1 | tail").works("test result: FAILED. 1 passed; 1 failed");
        script.bash("cargo test -p a").works("test result: ok. 2 passed; 0 failed");
        let test = &script.distill().digest.tests[0];
        assert_eq!((test.runs, test.failures, test.passed), (2, 1, Some(true)));
        assert_eq!(test.result.as_deref(), Some("2 passed, 0 failed"));
    }
}
