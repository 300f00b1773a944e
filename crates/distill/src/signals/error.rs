//! A tool, a turn or a request failed.

use super::{Detector, Signals};
use crate::beat::{Beat, Status};
use crate::facts::Facts;
use crate::fingerprint::fingerprint;
use backstory_model::SignalKind;
use serde::{Deserialize, Serialize};

/// Remembers nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Errors {}

impl Detector for Errors {
    const KIND: SignalKind = SignalKind::Error;

    fn event(&mut self, beat: &Beat<'_>, _: &Facts, out: &mut Signals) {
        let failed = beat.status == Status::Failed || beat.is_api_failure();
        if !failed || is_cancelled(beat.text) {
            return;
        }
        if let Some((_, line)) = beat.error {
            out.note(Self::KIND, fingerprint(line), beat, strip_tags(line));
        } else if let Some(call) = beat.answered().filter(|call| call.is_telling()) {
            // A search without hits exits with 1 as well: only commands that do something count.
            let code =
                beat.event.exit_code.map_or_else(String::new, |code| format!(" with {code}"));
            let what = format!("`{}` failed{code}", call.shown);
            out.note(Self::KIND, fingerprint(&call.family), beat, &what);
        } else if beat.is_api_failure() && !beat.text.trim().is_empty() {
            out.note(Self::KIND, fingerprint(beat.text), beat, beat.text);
        }
    }
}

/// One call of several at once failed; the others say only that.
fn is_cancelled(text: &str) -> bool {
    text.contains("Cancelled: parallel tool call") || text.contains("Sibling tool call errored")
}

fn strip_tags(line: &str) -> &str {
    let line = line.strip_prefix("<tool_use_error>").unwrap_or(line);
    line.strip_suffix("</tool_use_error>").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use crate::script::Script;
    use backstory_model::SignalKind::Error;

    #[test]
    fn the_same_error_counts_up() {
        let mut script = Script::new();
        script.bash("cargo build").fails(101, "error[E0425]: cannot find value `x`\n");
        script.bash("cargo build").fails(101, "error[E0425]: cannot find value `x`\n");
        script.bash("grep x y").fails(1, "");
        script.api_error("API Error: 529 Overloaded");
        let errors = script.signals(Error);
        assert_eq!(errors.len(), 2);
        assert_eq!((errors[0].count, errors[0].seq, errors[0].last_seq), (2, 1, 3));
        assert_eq!(errors[0].what, "error[E0425]: cannot find value `x`");
        assert_eq!(errors[1].what, "API Error: 529 Overloaded");
    }

    #[test]
    fn a_failure_without_words_names_its_command() {
        let mut script = Script::new();
        script.bash("./deploy.sh now").fails(3, "bye\n");
        assert_eq!(script.signals(Error)[0].what, "`./deploy.sh now` failed with 3");
    }
}
