//! What plugins posted, as sources of the sweep. A session that was posted and whose log is found is one
//! session, and its log is the truth: what was posted is not read beside it, and leaves when it comes.

use super::discover::{Found, stat_of};
use super::intake::Intake;
use super::plan::Task;
use crate::{Peers, pushed};
use backstory_adapters::pushed::{ROLE, adapter_for, uid_of};
use backstory_model::SessionUid;
use backstory_store::{Home, SessionDelta, StoreError, Vault, path_key};
use std::collections::HashSet;
use std::path::Path;
use walkdir::WalkDir;

/// Every file of posted messages.
pub(super) fn files(home: &Home) -> impl Iterator<Item = Found> {
    let files = WalkDir::new(pushed::folder(home)).min_depth(2).max_depth(2).follow_links(false);
    files.into_iter().filter_map(Result::ok).filter_map(|entry| {
        let adapter = adapter_for(entry.path()).filter(|_| entry.file_type().is_file())?;
        Some(Found {
            flavor: adapter.spec().flavor,
            adapter,
            path_key: path_key(entry.path()),
            claim: adapter.claim(entry.path())?,
            stat: stat_of(&entry.metadata().ok()?),
            path: entry.into_path(),
        })
    })
}

/// True for a file of posted messages.
pub(super) fn is_posted(task: &Task) -> bool {
    task.file.claim.role == ROLE
}

/// Which sessions have a log, and which were only posted.
pub(crate) struct Posted<'a> {
    vault: &'a Vault,
    /// Sessions without a log.
    only: HashSet<i64>,
    /// Sessions whose log was met in this sweep.
    logged: HashSet<SessionUid>,
    /// What plugins call the projects of the archive, once one was called something.
    peers: Option<Peers>,
}

impl<'a> Posted<'a> {
    pub(crate) fn new(vault: &'a Vault) -> Result<Self, StoreError> {
        Ok(Self { vault, only: vault.only_from(ROLE)?, logged: HashSet::new(), peers: None })
    }

    /// Notes the log of a session; true if what was posted of it has to leave.
    pub(super) fn log_of(&mut self, uid: &SessionUid, session_id: i64) -> bool {
        self.logged.insert(uid.clone());
        self.only.remove(&session_id)
    }

    /// True if the session of a file of posted messages has a log. Logs are read first.
    pub(super) fn has_log(&self, path: &Path) -> Result<bool, StoreError> {
        let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let Some(uid) = uid_of(id) else { return Ok(false) };
        Ok(self.logged.contains(&uid) || self.vault.has_log(&uid)?)
    }
}

impl Intake<'_> {
    /// Repository, project and domain, from what a plugin calls the project.
    pub(super) fn locate_by_peer(
        &mut self,
        peer: &str,
        uid: &SessionUid,
        delta: &mut SessionDelta,
    ) -> Result<(), StoreError> {
        if self.book.open(uid)?.has_cwd {
            return Ok(());
        }
        let peers = match self.posted.peers.take() {
            Some(peers) => peers,
            None => Peers::of_archive(self.posted.vault)?,
        };
        let project = self.posted.peers.insert(peers).project(peer);
        delta.domain = self.options.domains.get(&project.repo).cloned();
        (delta.repo, delta.project_key) = (Some(project.repo), Some(project.key));
        Ok(())
    }
}
