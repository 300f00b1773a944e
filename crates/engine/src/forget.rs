//! Forgetting sessions: chosen by the human, with all that hangs below them.

use crate::index::keep_in_step;
use crate::{Archive, SyncError, live, pushed};
use backstory_model::{Seal, Session, SessionUid, Timestamp};
use backstory_store::{Forgotten, Home, SessionFilter, StoreError, SweepLock, Vault, Writer};
use std::collections::BTreeSet;

/// What to forget. Several conditions must all hold.
#[derive(Clone, Debug, Default)]
pub struct ForgetChoice {
    /// These sessions; none means all that fit the rest.
    pub sessions: Vec<SessionUid>,
    /// Only of this repository.
    pub repo: Option<String>,
    /// Only active at or after.
    pub since: Option<Timestamp>,
    /// Only where this text stands, in whatever case.
    pub matching: Option<String>,
}

/// A session that was (or would be) forgotten.
#[derive(Clone, Debug)]
pub struct ForgottenSession {
    /// As it was.
    pub session: Session,
    /// What went with it.
    pub gone: Forgotten,
}

/// Finds what a choice names, sub-agents included, the latest first.
pub fn find_to_forget(home: &Home, choice: &ForgetChoice) -> Result<Vec<Session>, SyncError> {
    let vault = Vault::open(home)?;
    let filter = SessionFilter {
        repo: choice.repo.clone(),
        since: choice.since,
        with_subagents: true,
        ..SessionFilter::default()
    };
    let needle = choice.matching.as_deref().map(str::to_lowercase);
    let mut chosen = BTreeSet::new();
    for session in vault.sessions(&filter)? {
        let uid = &session.session_uid;
        if !choice.sessions.is_empty() && !choice.sessions.contains(uid) {
            continue;
        }
        if let Some(needle) = &needle
            && !holds(&vault, &session, needle)?
        {
            continue;
        }
        chosen.insert(uid.clone());
    }
    // A sub-agent tells what its parent did.
    let all = SessionFilter { with_subagents: true, ..SessionFilter::default() };
    let all = vault.sessions(&all)?;
    loop {
        let before = chosen.len();
        for session in &all {
            let parent = session.lineage.parent_session_uid.as_ref();
            if parent.is_some_and(|parent| chosen.contains(parent)) {
                chosen.insert(session.session_uid.clone());
            }
        }
        if chosen.len() == before {
            break;
        }
    }
    Ok(all.into_iter().filter(|session| chosen.contains(&session.session_uid)).collect())
}

/// Forgets sessions and gives their room back.
pub fn forget(
    archive: &Archive,
    sessions: &[Session],
    now: Timestamp,
) -> Result<Vec<ForgottenSession>, SyncError> {
    let home = &archive.home;
    home.expect_archive()?;
    let _lock = SweepLock::acquire(home)?;
    let mut writer = Writer::open(home)?;
    let vault = Vault::open(home)?;
    let mut receipt = Vec::with_capacity(sessions.len());
    for session in sessions {
        let Some(head) = vault.session_head(&session.session_uid)? else { continue };
        let gone = writer.forget(head.id, now)?;
        live::forget(home, &session.session_uid).map_err(StoreError::from)?;
        pushed::remove(home, &session.session_uid).map_err(StoreError::from)?;
        receipt.push(ForgottenSession { session: session.clone(), gone });
    }
    let indexed = keep_in_step(&mut writer, archive, &mut |_, _| ())?;
    writer.reclaim()?;
    let gone: Vec<SessionUid> =
        receipt.iter().map(|gone| gone.session.session_uid.clone()).collect();
    crate::recall::erase(home, &gone).map_err(StoreError::from)?;
    if let Some(reason) = indexed.failure {
        return Err(SyncError::StillIndexed(reason));
    }
    Ok(receipt)
}

/// Keeps a session from eviction, or no longer.
pub fn pin(home: &Home, uid: &SessionUid, at: Option<Timestamp>) -> Result<(), SyncError> {
    let _lock = SweepLock::acquire(home)?;
    Ok(Writer::open(home)?.pin(uid, at)?)
}

/// True if a lower-case text stands anywhere in what is kept of a session.
fn holds(vault: &Vault, session: &Session, needle: &str) -> Result<bool, StoreError> {
    let has = |text: &str| text.to_lowercase().contains(needle);
    if session.title.as_deref().is_some_and(has) {
        return Ok(true);
    }
    if let Some(account) = vault.account(&session.session_uid)?
        && has(&account.text())
    {
        return Ok(true);
    }
    let sealed = |seal: &Seal| has(&seal.abstract_text) || has(&seal.overview);
    if vault.seals_of(&session.session_uid)?.iter().any(sealed) {
        return Ok(true);
    }
    let mut found = false;
    vault.for_each_text(&session.session_uid, |text| found = found || has(text))?;
    Ok(found)
}
