//! What a tool call is: an edit, a test run, a repetition of a failed call, or just a call.

use backstory_model::{EventKey, EventKind};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The class of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallClass {
    /// Changes files.
    Edit,
    /// Runs tests.
    TestRun,
    /// Anything else.
    Other,
}

impl CallClass {
    /// The event kind a first call of this class is stored as.
    pub const fn kind(self) -> EventKind {
        match self {
            Self::Edit => EventKind::Edit,
            Self::TestRun => EventKind::TestRun,
            Self::Other => EventKind::ToolCall,
        }
    }
}

/// Tools that change files, over all agents.
const EDIT_TOOLS: &[&str] = &[
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "apply_patch",
    "search_replace",
    "write",
    "write_file",
    "edit_file",
    "create_file",
    "str_replace_editor",
];

/// Command beginnings that run tests. Matched on word boundaries anywhere in a shell line.
const TEST_COMMANDS: &[&str] = &[
    "pytest",
    "py.test",
    "python -m pytest",
    "python3 -m pytest",
    "python -m unittest",
    "python3 -m unittest",
    "tox",
    "nox",
    "cargo test",
    "cargo nextest",
    "go test",
    "gotestsum",
    "npm test",
    "npm t",
    "npm run test",
    "pnpm test",
    "pnpm run test",
    "yarn test",
    "yarn run test",
    "bun test",
    "bun run test",
    "deno test",
    "node --test",
    "jest",
    "vitest",
    "mocha",
    "playwright test",
    "cypress run",
    "mvn test",
    "mvn verify",
    "gradle test",
    "./gradlew test",
    "make test",
    "make check",
    "ctest",
    "rspec",
    "rake test",
    "rails test",
    "phpunit",
    "dotnet test",
    "swift test",
    "mix test",
    "sbt test",
    "bazel test",
    "just test",
];

/// Classifies a call by its tool name and, for shells, the command line.
pub fn classify_call(tool: &str, command: Option<&str>) -> CallClass {
    if EDIT_TOOLS.contains(&tool) {
        return CallClass::Edit;
    }
    match command {
        Some(command) if command.contains("*** Begin Patch") => CallClass::Edit,
        Some(command) if runs_tests(command) => CallClass::TestRun,
        _ => CallClass::Other,
    }
}

fn runs_tests(command: &str) -> bool {
    // One pass over the words: this is asked of every shell call.
    let bytes = command.as_bytes();
    (0..bytes.len()).any(|at| {
        let begins_word = at == 0 || is_space_or(bytes[at - 1], b"&|;(/'\"`");
        begins_word
            && TEST_COMMANDS.iter().any(|test| {
                bytes[at..].strip_prefix(test.as_bytes()).is_some_and(|rest| {
                    rest.first().is_none_or(|byte| is_space_or(*byte, b"&|;):'\"`"))
                })
            })
    })
}

fn is_space_or(byte: u8, others: &[u8]) -> bool {
    byte.is_ascii_whitespace() || others.contains(&byte)
}

/// Remembers calls that failed lately, to recognise their repetition. Kept in the reader's state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RetryTracker {
    pending: VecDeque<(u64, u64)>,
    failed: VecDeque<u64>,
}

impl RetryTracker {
    /// How many calls are remembered.
    const WINDOW: usize = 16;

    /// Notes a call and tells its kind: [`EventKind::Retry`] if the same call failed lately.
    pub fn call(&mut self, call_id: &str, tool: &str, input: &[u8], class: CallClass) -> EventKind {
        let what = EventKey::of_parts(&[tool.as_bytes(), input]).0;
        push(&mut self.pending, (EventKey::of(call_id).0, what));
        if self.failed.contains(&what) { EventKind::Retry } else { class.kind() }
    }

    /// Notes how a call ended.
    pub fn result(&mut self, call_id: &str, failed: bool) {
        let id = EventKey::of(call_id).0;
        let Some(at) = self.pending.iter().position(|(pending, _)| *pending == id) else {
            return;
        };
        let Some((_, what)) = self.pending.remove(at) else { return };
        self.failed.retain(|known| *known != what);
        if failed {
            push(&mut self.failed, what);
        }
    }
}

fn push<T>(window: &mut VecDeque<T>, item: T) {
    if window.len() == RetryTracker::WINDOW {
        window.pop_front();
    }
    window.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_running_tests_are_test_runs() {
        for command in ["cargo test -p x", "cd a && pytest -q", "npx vitest run", "(make test)"] {
            assert_eq!(classify_call("Bash", Some(command)), CallClass::TestRun, "{command}");
        }
        for command in ["cat pytest.ini", "ls tests", "git log --grep='latest'", "npm run tests-ui"]
        {
            assert_eq!(classify_call("Bash", Some(command)), CallClass::Other, "{command}");
        }
    }

    #[test]
    fn edits_are_known_by_tool_or_patch() {
        assert_eq!(classify_call("Edit", None), CallClass::Edit);
        assert_eq!(
            classify_call("shell", Some("apply_patch <<X\n*** Begin Patch")),
            CallClass::Edit
        );
    }

    #[test]
    fn the_same_call_after_its_failure_is_a_retry() {
        let mut tracker = RetryTracker::default();
        assert_eq!(tracker.call("1", "Bash", b"ls", CallClass::Other), EventKind::ToolCall);
        tracker.result("1", true);
        assert_eq!(tracker.call("2", "Bash", b"pwd", CallClass::Other), EventKind::ToolCall);
        assert_eq!(tracker.call("3", "Bash", b"ls", CallClass::Other), EventKind::Retry);
        tracker.result("3", false);
        assert_eq!(tracker.call("4", "Bash", b"ls", CallClass::Other), EventKind::ToolCall);
    }
}
