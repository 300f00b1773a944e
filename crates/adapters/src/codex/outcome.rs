//! How a tool call ended, read from the text the model was shown.

use super::wire::{Maybe, Text, read};
use serde::{Deserialize, Serialize};

/// How a call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// Exit code of a command.
    pub(super) exit_code: Option<i32>,
    /// How long it ran.
    pub(super) duration_ms: Option<u64>,
    /// True when it is known to have failed without an exit code saying so.
    pub(super) failed: bool,
}

impl Outcome {
    /// True when the call did not succeed.
    pub(super) fn is_failure(self) -> bool {
        self.failed || self.exit_code.is_some_and(|code| code != 0)
    }

    /// Completes what the text says with what a mirror record said.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            exit_code: self.exit_code.or(other.exit_code),
            duration_ms: other.duration_ms.or(self.duration_ms),
            failed: self.failed || other.failed,
        }
    }
}

/// Beginnings of outputs that report a failure of the call itself.
const FAILURES: &[&str] = &[
    "error:",
    "err:",
    "failed in sandbox",
    "execution error:",
    "apply_patch verification failed",
    "exec_command failed",
    "write_stdin failed",
    "failed to parse function arguments",
    "unsupported call:",
    "unsupported custom tool call:",
    "aborted by user",
    "Script failed",
    "tool call error:",
];

/// Lines of a header before the output begins.
const HEADER_LINES: usize = 10;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wrapped<'a> {
    #[serde(borrow)]
    output: Option<Text<'a>>,
    metadata: Option<Metadata>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    exit_code: Maybe<i64>,
    duration_seconds: Option<f64>,
}

/// The output inside the oldest form, `{"output":"…","metadata":{…}}`, and how the call ended. Other
/// writers of this form put the members the other way round; there the metadata must say how the call
/// ended, as a tool's own document may begin alike.
pub(super) fn unwrap_json(text: &str) -> Option<(Text<'_>, Outcome)> {
    let first = text.strip_prefix('{')?.trim_start();
    let is_output_first = first.starts_with("\"output\"");
    if !is_output_first && !first.starts_with("\"metadata\"") {
        return None;
    }
    let wrapped: Wrapped<'_> = read(text)?;
    let metadata = wrapped.metadata?;
    let outcome = Outcome {
        exit_code: metadata.exit_code.0.map(|code| code as i32),
        duration_ms: metadata.duration_seconds.map(millis),
        failed: false,
    };
    (is_output_first || outcome.exit_code.is_some()).then_some((wrapped.output?, outcome))
}

/// Reads the header of an output: `Process exited with code N`, `Exit code: N`, `Wall time: …`.
pub(super) fn of_text(text: &str) -> Outcome {
    let mut outcome = Outcome {
        failed: FAILURES.iter().any(|failure| text.starts_with(failure)),
        ..Outcome::default()
    };
    for line in text.lines().take(HEADER_LINES) {
        if line == "Output:" {
            break;
        }
        let code =
            line.strip_prefix("Process exited with code ").or(line.strip_prefix("Exit code: "));
        if let Some(code) = code {
            outcome.exit_code = code.trim().parse().ok();
        } else if let Some(wall) = line.strip_prefix("Wall time") {
            let seconds = wall.trim_start_matches(':').split_whitespace().next();
            outcome.duration_ms = seconds.and_then(|text| text.parse().ok()).map(millis);
        }
    }
    outcome
}

/// Whether an output tells that its call failed; `None` if it does not say.
pub(crate) fn has_failed(text: &str) -> Option<bool> {
    let outcome = unwrap_json(text).map_or_else(|| of_text(text), |(_, outcome)| outcome);
    (outcome.is_failure() || outcome.exit_code.is_some()).then(|| outcome.is_failure())
}

fn millis(seconds: f64) -> u64 {
    (seconds * 1000.0).round().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_generations_give_the_exit_code() {
        let unified = "Chunk ID: ab12cd\nWall time: 1.2500 seconds\nProcess exited with code 2\nOriginal token count: 9\nOutput:\nProcess exited with code 7";
        assert_eq!(
            of_text(unified),
            Outcome { exit_code: Some(2), duration_ms: Some(1250), failed: false }
        );
        assert_eq!(of_text("Exit code: 0\nWall time: 3 seconds\nOutput:\nok").exit_code, Some(0));
        let wrapped = r#"{"output":"a\nb","metadata":{"exit_code":1,"duration_seconds":0.5}}"#;
        let (text, outcome) = unwrap_json(wrapped).unwrap();
        assert_eq!(&*text, "a\nb");
        assert_eq!(outcome.exit_code, Some(1));
        assert_eq!(outcome.duration_ms, Some(500));
    }

    #[test]
    fn the_order_of_the_wrapper_does_not_matter() {
        for wrapped in [
            r#"{"metadata":{"exit_code":1,"duration_seconds":0.1},"output":"text"}"#,
            r#"{ "output": "text", "metadata": {"exit_code": 1, "duration_seconds": 0.1} }"#,
        ] {
            let (text, outcome) = unwrap_json(wrapped).unwrap();
            assert_eq!(&*text, "text");
            assert_eq!((outcome.exit_code, outcome.duration_ms), (Some(1), Some(100)));
        }
        assert!(unwrap_json(r#"{"metadata":{"name":"web"},"output":"text"}"#).is_none());
        assert!(unwrap_json(r#"{"metadata":["web"],"output":"text"}"#).is_none());
    }

    #[test]
    fn a_running_process_has_no_exit_code_and_plain_text_no_outcome() {
        assert_eq!(of_text("Process running with session ID 4\nOutput:\n").exit_code, None);
        assert_eq!(of_text("hello"), Outcome::default());
        assert!(of_text("apply_patch verification failed: no such hunk").is_failure());
        assert!(unwrap_json(r#"{"output":"no metadata"}"#).is_none());
    }
}
