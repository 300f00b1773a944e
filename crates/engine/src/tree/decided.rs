//! Decisions in the tree: what the human was asked, by session, and what hubs recorded.

use super::listing::{Entry, Here};
use super::text::{one_line, plain};
use super::{Tree, TreeError, session};
use crate::ledger;
use backstory_model::{DecisionForm, Session, SessionUid};
use backstory_store::{DecisionFilter, LedgerEntry};
use std::collections::HashMap;
use std::fmt::Write;

/// Rows of the ledger that are listed, the latest first.
const LATEST: usize = 5_000;
/// Longer lines are cut.
const MAX_LINE: usize = 240;
const HUB: &str = "hub";

impl Tree {
    /// Rows of the ledger, the latest first; none while nothing has been taken in.
    pub fn decisions(&self, filter: &DecisionFilter) -> Result<Vec<LedgerEntry>, TreeError> {
        let Some(vault) = &self.vault else { return Ok(Vec::new()) };
        Ok(vault.decisions(filter)?)
    }

    /// A file for every session in which something was asked, and a folder of what hubs recorded.
    pub(super) fn decision_files(&self, here: &Here<'_>) -> Result<Vec<Entry>, TreeError> {
        let latest = DecisionFilter { limit: Some(LATEST), ..DecisionFilter::default() };
        let mut sessions: Vec<(SessionUid, Option<String>, usize)> = Vec::new();
        let mut known: HashMap<SessionUid, usize> = HashMap::new();
        let mut of_hubs = false;
        for entry in self.decisions(&latest)? {
            let Some(uid) = entry.session_uid else {
                of_hubs = true;
                continue;
            };
            if let Some(at) = known.get(&uid) {
                sessions[*at].2 += 1;
            } else {
                known.insert(uid.clone(), sessions.len());
                sessions.push((uid, entry.title, 1));
            }
        }
        let file = |(uid, title, many): (SessionUid, Option<String>, usize)| {
            let title = one_line(&title.unwrap_or_default(), MAX_LINE);
            here.file(&format!("{uid}.md"), &format!("{title} · {many}"))
        };
        let hubs = of_hubs.then(|| here.folder(HUB, Some("what was decided elsewhere")));
        Ok(sessions.into_iter().map(file).chain(hubs).collect())
    }

    /// What hubs recorded, a file each.
    pub(super) fn hub_decision_files(&self, here: &Here<'_>) -> Result<Vec<Entry>, TreeError> {
        let recorded = DecisionFilter {
            form: Some(DecisionForm::Hub),
            limit: Some(LATEST),
            ..DecisionFilter::default()
        };
        let file = |entry: LedgerEntry| {
            let about = one_line(&ledger::question(&entry.decision), MAX_LINE);
            entry.origin.map(|origin| here.file(&origin, &about))
        };
        Ok(self.decisions(&recorded)?.into_iter().filter_map(file).collect())
    }

    /// What a hub recorded under a name.
    pub(super) fn hub_decision(&self, name: &str) -> Result<Option<LedgerEntry>, TreeError> {
        let wanted = DecisionFilter { origin: Some(name.to_owned()), ..DecisionFilter::default() };
        Ok(self.decisions(&wanted)?.pop())
    }

    /// What was asked in one session, in the order of the session.
    pub(super) fn decisions_of(&self, session: &Session) -> Result<String, TreeError> {
        let of_session = DecisionFilter {
            session: Some(session.session_uid.clone()),
            ..DecisionFilter::default()
        };
        let mut asked = self.decisions(&of_session)?;
        asked.sort_by_key(|entry| (entry.decision.seq, entry.decision.part));
        let mut text = format!("# Decisions: {}\n\n", session::about(session));
        if asked.is_empty() {
            text.push_str("Nothing was put to the human.\n");
        }
        for entry in &asked {
            let _ = writeln!(text, "{}", tell_decision(entry));
        }
        Ok(text)
    }
}

/// A decision in a few lines: question, answer, what was offered, where it is.
pub fn tell_decision(entry: &LedgerEntry) -> String {
    let decision = &entry.decision;
    let when = entry.at.map(|at| format!("{} · ", session::day(at))).unwrap_or_default();
    let repo = entry.repo.as_deref().map(|repo| format!("{} · ", one_line(repo, MAX_LINE)));
    let advice =
        ledger::advice(decision).map(|advice| format!(" ({})", one_line(&advice, MAX_LINE)));
    let mut text = format!(
        "- {when}{}{}\n  → {}{}\n",
        repo.unwrap_or_default(),
        one_line(&ledger::question(decision), 2 * MAX_LINE),
        one_line(&ledger::answer(decision), 2 * MAX_LINE),
        advice.unwrap_or_default()
    );
    if !decision.options.is_empty() {
        let offered = decision.options.iter().zip(0..).map(|(option, at)| {
            let advised = if decision.recommended == Some(at) { " (recommended)" } else { "" };
            format!("{}{advised}", one_line(&option.label, MAX_LINE))
        });
        let _ = writeln!(text, "  offered: {}", offered.collect::<Vec<_>>().join(" | "));
    }
    for line in plain(entry.rationale.as_deref().unwrap_or_default()).lines().take(1) {
        let _ = writeln!(text, "  because: {}", one_line(line, 2 * MAX_LINE));
    }
    let _ = writeln!(text, "  {} · {}", entry.address(), one_line(&decision.question_id, MAX_LINE));
    text
}
