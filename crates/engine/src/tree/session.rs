//! One session in the tree: what it is in a line, its overview, its seals.

use super::account;
use super::address::Address;
use super::text::{one_line, plural};
use super::{Tree, TreeError};
use backstory_distill::overview::{OVERVIEW_MAX_CHARS, overview};
use backstory_model::{Outcome, Seal, Session, SessionUid, Timestamp};
use std::fmt::Write;

/// Longer titles and places are cut.
const MAX_LINE: usize = 160;

/// The address of a document of a session.
pub(super) fn document(uid: &SessionUid, name: &str) -> String {
    format!("backstory://sessions/{uid}/{name}")
}

/// `2026-11-14`, in UTC, so that it is the same wherever it is read.
pub(super) fn day(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

/// `2026-11-14 21:59:30Z`.
pub(super) fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{}Z", text.get(..19).unwrap_or(&text).replace('T', " "))
}

/// The title, or the best stand-in for one.
pub(super) fn title(session: &Session) -> String {
    let title = session.title.as_deref().or(session.lineage.agent_name.as_deref());
    let title = title.map(|title| one_line(title, MAX_LINE)).unwrap_or_default();
    if title.is_empty() { "untitled session".into() } else { title }
}

/// Repository and branch, or the folder.
fn place(session: &Session) -> Option<String> {
    let place = match (&session.repo, &session.git_branch) {
        (Some(repo), Some(branch)) => format!("{repo}@{branch}"),
        (Some(repo), None) => repo.clone(),
        (None, _) => session.cwd.clone()?,
    };
    Some(one_line(&place, MAX_LINE))
}

/// A session on one line.
pub(super) fn about(session: &Session) -> String {
    let parts = [
        Some(title(session)),
        place(session),
        session.ended_at.or(session.started_at).map(day),
        (session.outcome != Outcome::Unknown).then(|| session.outcome.name().to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The title and what is known of a session besides its events.
pub(super) fn header(session: &Session) -> String {
    let mut text = format!("# {}\n\n- session: {}\n", title(session), session.session_uid);
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let _ = writeln!(text, "- {name}: {value}");
        }
    };
    let models = session.models.join(", ");
    let version = session.cli_version.as_deref().unwrap_or_default();
    add("agent", Some(one_line(&format!("{} {version} {models}", session.flavor), MAX_LINE)));
    add("project", place(session));
    add("folder", session.cwd.as_deref().map(|cwd| one_line(cwd, MAX_LINE)));
    add("when", when(session));
    let (turns, events) = (u64::from(session.cost.turns), u64::from(session.events));
    add("work", Some(format!("{}, {}", plural(turns, "turn"), plural(events, "event"))));
    if session.outcome != Outcome::Unknown {
        let reason = session.outcome_reason.as_deref().map(|why| one_line(why, MAX_LINE));
        let reason = reason.map(|why| format!(" ({why})")).unwrap_or_default();
        add("outcome", Some(format!("{}{reason}", session.outcome.name())));
    }
    add("task", session.task_ref.clone());
    let lineage = &session.lineage;
    for (name, other) in [
        ("sub-agent of", &lineage.parent_session_uid),
        ("forked from", &lineage.forked_from_uid),
        ("continues", &lineage.continues_uid),
    ] {
        add(name, other.as_ref().map(|uid| document(uid, "overview.md")));
    }
    if let Some(left) = session.watermarks.evicted_at {
        add("archive", Some(format!("raw events left {}; the digest is kept", day(left))));
    }
    text
}

fn when(session: &Session) -> Option<String> {
    let started = moment(session.started_at?);
    match session.ended_at.map(moment) {
        Some(ended) if ended != started => Some(format!("{started} to {ended}")),
        _ => Some(started),
    }
}

impl Tree {
    /// What a session was about and came to so far.
    pub(super) fn overview(&self, session: &Session) -> Result<String, TreeError> {
        let uid = &session.session_uid;
        let mut text = header(session);
        if let Some(account) = self.vault()?.account(uid)? {
            let (digest, signals) = (&account.digest, &account.signals);
            let told = overview(session, digest, signals, OVERVIEW_MAX_CHARS).text;
            let _ = write!(text, "\n{}\n", told.trim_end());
        }
        text.push_str("\n## More\n\n");
        for (name, tells) in [
            ("digest.md", "all that is kept of it"),
            ("transcript.md", "everything said and done, in order"),
        ] {
            let _ = writeln!(text, "- {}: {tells}", document(uid, name));
        }
        Ok(text)
    }

    /// All that is kept of a session.
    pub(super) fn digest(&self, session: &Session) -> Result<String, TreeError> {
        let uid = &session.session_uid;
        let mut text = header(session);
        match self.vault()?.account(uid)? {
            Some(account) => text.push_str(&account::whole(uid, &account)),
            None => text.push_str("\nIt is not distilled yet: the next sync does that.\n"),
        }
        Ok(text)
    }

    /// The overview as of a seal.
    pub(super) fn seal(
        &self,
        address: &Address,
        session: &Session,
        number: u32,
    ) -> Result<Seal, TreeError> {
        let found = self.vault()?.seal(&session.session_uid, number)?;
        found.ok_or_else(|| TreeError::NotFound(address.text()))
    }
}

/// An overview as of a seal, with when and why it was made.
pub(super) fn sealed(seal: &Seal) -> String {
    let (at, why) = (moment(seal.sealed_at), seal.reason.name());
    format!(
        "_Sealed {at} ({why}), up to event {}._\n\n{}\n",
        seal.last_seq,
        seal.overview.trim_end()
    )
}
