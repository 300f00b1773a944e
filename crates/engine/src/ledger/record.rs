//! Taking in what a hub recorded: redacted, each once, with the project and session it belongs to.

use super::clean::redact_recorded;
use crate::{Archive, SyncError};
use backstory_distill::Redactor;
use backstory_model::SessionUid;
use backstory_store::{HubDecision, Recorded, StoreError, SweepLock, Vault, Writer};

/// What taking in did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HubReport {
    /// Decisions new to the archive.
    pub new: u64,
    /// Those that say something else than before.
    pub changed: u64,
    /// Those that were there, word for word.
    pub known: u64,
    /// Those of sessions that were forgotten; they stay out.
    pub forgotten: u64,
}

/// Takes in decisions of a hub: all of them, or none.
pub fn record_hub(archive: &Archive, decisions: Vec<HubDecision>) -> Result<HubReport, SyncError> {
    let home = &archive.home;
    let _lock = SweepLock::acquire(home)?;
    let mut writer = Writer::open(home)?;
    let vault = Vault::open(home)?;
    let redactor = Redactor::new();
    let mut report = HubReport::default();
    for mut recorded in decisions {
        redact_recorded(&redactor, &mut recorded);
        if !settle(&vault, &mut recorded)? {
            report.forgotten += 1;
            continue;
        }
        match writer.record_hub_decision(&recorded)? {
            Recorded::New => report.new += 1,
            Recorded::Changed => report.changed += 1,
            Recorded::Known => report.known += 1,
        }
    }
    writer.commit()?;
    Ok(report)
}

/// Finds session and project of a decision; false if that session may not come back.
fn settle(vault: &Vault, recorded: &mut HubDecision) -> Result<bool, StoreError> {
    let named = recorded.session.clone();
    if let Some(uid) = named.and_then(|name| session(vault, &name).transpose()).transpose()? {
        if vault.session_head(&uid)?.is_some_and(|head| head.is_forgotten) {
            return Ok(false);
        }
        if let Some(session) = vault.session(&uid)? {
            recorded.project = session.project_key.or_else(|| recorded.project.take());
            recorded.repo = session.repo.or_else(|| recorded.repo.take());
        }
        recorded.session = Some(uid.as_str().to_owned());
        return Ok(true);
    }
    if let Some(repo) = &recorded.repo {
        // Several projects of one name: the name is all that is known.
        recorded.project = match vault.projects_called(repo)?.as_slice() {
            [only] => Some(only.clone()),
            _ => Some(repo.clone()),
        };
    }
    Ok(true)
}

/// The session a hub names: by its uid, or by the agent's own id.
fn session(vault: &Vault, name: &str) -> Result<Option<SessionUid>, StoreError> {
    let uid = SessionUid::from_stored(name.to_owned());
    if vault.session_head(&uid)?.is_some() {
        return Ok(Some(uid));
    }
    let found = vault.find_sessions(name, 2)?;
    Ok(found.into_iter().find(|uid| uid.native() == name))
}
