//! One event, understood: which call it makes or answers, and how that went.

use crate::call::Call;
use crate::clip;
use crate::edits::FileChange;
use crate::fingerprint::Telling;
use crate::test_result::TestResult;
use backstory_model::{EventKind, Role, SessionEvent};

/// Bytes of a path.
const PATH_MAX: usize = 140;

/// How a call went, as far as this event tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Status {
    /// Not a result.
    #[default]
    None,
    /// It worked.
    Ok,
    /// It failed; the harness says so.
    Failed,
    /// It failed by its own words, though a filter swallowed the exit code.
    SoftFailed,
    /// It goes on in the background.
    Running,
    /// It never ran: somebody said no.
    Denied,
}

impl Status {
    /// True if the call failed, by whoever's word.
    pub(crate) fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::SoftFailed)
    }
}

/// One event with what is known about it.
#[derive(Debug)]
pub(crate) struct Beat<'a> {
    /// The row.
    pub event: &'a SessionEvent,
    /// Its full content.
    pub text: &'a str,
    /// The call it makes, or the call it answers.
    pub call: Option<Call>,
    /// The whole shell line, for a call.
    pub command: Option<String>,
    /// How the answered call went.
    pub status: Status,
    /// What a test run says.
    pub test: Option<TestResult>,
    /// The telling line of a failure.
    pub error: Option<(Telling, &'a str)>,
    /// What a call changes.
    pub changes: Vec<FileChange>,
    /// The human objects to what the agent did.
    pub objection: bool,
}

impl<'a> Beat<'a> {
    /// The event's place.
    pub(crate) fn seq(&self) -> u32 {
        self.event.seq
    }

    /// The human's own words, said between turns.
    pub(crate) fn prompt(&self) -> Option<&'a str> {
        (self.event.kind == EventKind::UserMsg && self.event.role == Role::User)
            .then_some(self.text.trim())
            .filter(|text| !text.is_empty())
    }

    /// Words of the human, said between turns or into one.
    pub(crate) fn human_words(&self) -> Option<&'a str> {
        let interjected = self.event.kind == EventKind::HumanIntervention
            && self.event.role == Role::User
            && !is_interrupt(self.text);
        if interjected { Some(self.text.trim()) } else { self.prompt() }
    }

    /// True if the human stopped the agent.
    pub(crate) fn is_interrupt(&self) -> bool {
        self.event.kind == EventKind::HumanIntervention
            && self.event.role == Role::User
            && is_interrupt(self.text)
    }

    /// True if a turn or a request failed, as opposed to a tool.
    pub(crate) fn is_api_failure(&self) -> bool {
        self.event.kind == EventKind::Error && self.event.role != Role::Tool
    }

    /// True if this event makes a call.
    pub(crate) fn is_call(&self) -> bool {
        self.event.kind.is_call()
    }

    /// The files a call changes: path, lines added, lines removed.
    pub(crate) fn changed(&self) -> Vec<(String, u32, u32)> {
        let short = |change: &FileChange| {
            (clip::path(&change.path, PATH_MAX), change.added, change.removed)
        };
        self.changes.iter().map(short).collect()
    }

    /// The call this event answers.
    pub(crate) fn answered(&self) -> Option<&Call> {
        self.call.as_ref().filter(|_| !self.is_call())
    }

    /// The test run this event ends, and whether it passed.
    pub(crate) fn test_verdict(&self) -> Option<(&Call, bool)> {
        let call = self.answered().filter(|call| call.is_test())?;
        let passed = self.test.as_ref()?.passed?;
        Some((call, passed))
    }
}

fn is_interrupt(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || text.starts_with("[Request interrupted")
        || matches!(text, "interrupted" | "aborted" | "cancelled" | "canceled" | "replaced")
        || text.starts_with("turn_aborted")
}
