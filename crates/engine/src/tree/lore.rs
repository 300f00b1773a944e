//! What was learnt from many sessions: errors and what helped, patterns.

use super::address::Address;
use super::place::Lore;
use super::text::{one_line, plural};
use super::{Tree, TreeError, session};
use backstory_distill::lookup::{Match, lookup};
use backstory_distill::patterns::{Pattern, patterns};
use backstory_model::{SignalKind, Timestamp, address};
use backstory_store::SignalFilter;
use std::fmt::Write;

/// Longer lines are cut.
const MAX_LINE: usize = 240;

/// Which patterns.
#[derive(Clone, Debug, Default)]
pub struct PatternChoice {
    /// Of these kinds; none means all that tell something.
    pub kinds: Vec<SignalKind>,
    /// Only of this repository.
    pub repo: Option<String>,
    /// Only noticed at or after.
    pub since: Option<Timestamp>,
    /// Only what shows in at least so many sessions.
    pub min_sessions: u32,
}

impl Lore {
    /// What it is made of.
    pub(super) fn kinds(self) -> Vec<SignalKind> {
        match self {
            Self::Errors => {
                vec![SignalKind::Error, SignalKind::ErrorFix, SignalKind::ToolchainTrouble]
            }
            // Everybody sleeps: that is no pattern.
            Self::Patterns => {
                SignalKind::ALL.into_iter().filter(|kind| *kind != SignalKind::IdleGap).collect()
            }
        }
    }
}

impl Tree {
    /// What happens again and again, the most widespread first.
    pub fn patterns(&self, choice: &PatternChoice) -> Result<Vec<Pattern>, TreeError> {
        let mut kinds = choice.kinds.clone();
        if kinds.is_empty() {
            kinds = Lore::Patterns.kinds();
        }
        // An error and its fix are one pattern.
        if kinds.contains(&SignalKind::Error) && !kinds.contains(&SignalKind::ErrorFix) {
            kinds.push(SignalKind::ErrorFix);
        }
        let filter = SignalFilter {
            kinds,
            repo: choice.repo.clone(),
            since: choice.since,
            ..SignalFilter::default()
        };
        let mut found = patterns(&self.vault()?.signals(&filter)?, self.now);
        found.retain(|pattern| pattern.sessions >= choice.min_sessions);
        Ok(found)
    }

    /// What is known of an error, which may be a whole output with the message in it: in one repository, or
    /// in all of them.
    pub fn known_errors(
        &self,
        message: &str,
        repo: Option<String>,
    ) -> Result<Vec<Match>, TreeError> {
        let filter = SignalFilter { kinds: Lore::Errors.kinds(), repo, ..SignalFilter::default() };
        Ok(lookup(message, &patterns(&self.vault()?.signals(&filter)?, self.now)))
    }

    /// One error or pattern.
    pub(super) fn lore(
        &self,
        asked: &Address,
        lore: Lore,
        fingerprint: u64,
    ) -> Result<String, TreeError> {
        let filter = SignalFilter {
            kinds: lore.kinds(),
            fingerprint: Some(fingerprint),
            ..SignalFilter::default()
        };
        let found = patterns(&self.vault()?.signals(&filter)?, self.now);
        if found.is_empty() {
            return Err(TreeError::NotFound(asked.text()));
        }
        Ok(found.iter().map(tell_pattern).collect::<Vec<_>>().join("\n"))
    }
}

/// The name of a pattern's file.
pub(super) fn file_name(pattern: &Pattern) -> String {
    format!("{:016x}.md", pattern.fingerprint)
}

/// A pattern on one line.
pub(super) fn about(pattern: &Pattern) -> String {
    let helped = if pattern.fix.is_some() { " · a fix is known" } else { "" };
    format!(
        "{} · {} · {}{helped}",
        one_line(&pattern.what, MAX_LINE),
        pattern.kind.name(),
        plural(pattern.sessions.into(), "session")
    )
}

/// A pattern with what is known to help and where it shows.
pub fn tell_pattern(pattern: &Pattern) -> String {
    let mut text = format!("# {}\n\n", one_line(&pattern.what, MAX_LINE));
    let _ = writeln!(
        text,
        "- {} · {} · {} · {}",
        pattern.kind.name(),
        plural(pattern.count, "time"),
        plural(pattern.sessions.into(), "session"),
        pattern.trend.name()
    );
    if let (Some(first), Some(last)) = (pattern.first, pattern.last) {
        let _ = writeln!(text, "- from {} to {}", session::day(first), session::day(last));
    }
    if !pattern.repos.is_empty() {
        let _ = writeln!(text, "- in {}", one_line(&pattern.repos.join(", "), MAX_LINE));
    }
    if let Some(known) = &pattern.fix {
        for attempt in known.fix.tried.lines() {
            let _ = writeln!(text, "- tried in vain: {}", one_line(attempt, MAX_LINE));
        }
        let place = address(&known.session_uid, known.fix.seq);
        let _ = writeln!(text, "- what helped: {} ({place})", one_line(&known.fix.what, MAX_LINE));
    }
    for place in &pattern.evidence {
        let _ = writeln!(text, "- seen: {}", address(&place.session_uid, place.seq));
    }
    text
}
