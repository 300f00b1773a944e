//! How a session is named wherever several are listed.

use crate::ui::{BAD, DIM, GOOD, WARN};
use crate::untrusted::one_line;
use anstyle::Style;
use backstory_model::{Outcome, Session};

/// Repository and branch, or the folder.
pub(crate) fn place(session: &Session) -> String {
    let place = match (&session.repo, &session.git_branch) {
        (Some(repo), Some(branch)) => format!("{repo}@{branch}"),
        (Some(repo), None) => repo.clone(),
        (None, _) => session.cwd.clone().unwrap_or_default(),
    };
    one_line(&place)
}

/// The title, or what a sub-agent is called.
pub(crate) fn title(session: &Session) -> String {
    let title = session.title.as_deref().or(session.lineage.agent_name.as_deref());
    title.map(one_line).unwrap_or_default()
}

/// What a human or the budget decided about the raw events.
pub(crate) fn mark(session: &Session) -> &'static str {
    match (session.watermarks.pinned_at, session.watermarks.evicted_at) {
        (Some(_), _) => "⚑ ",
        (None, Some(_)) => "◌ ",
        (None, None) => "",
    }
}

/// How it ended, and how that looks.
pub(crate) fn outcome(outcome: Outcome) -> (Style, &'static str) {
    match outcome {
        Outcome::Success => (GOOD, outcome.name()),
        Outcome::Fail => (BAD, outcome.name()),
        Outcome::Abandoned => (WARN, outcome.name()),
        Outcome::Unknown => (DIM, "–"),
    }
}
