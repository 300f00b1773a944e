//! What is already known of other sessions, asked by readers that meet copied history.

use backstory_model::{EventKey, SessionUid};

/// Knowledge of stored sessions. Forks and resumes copy the history of another session into a new
/// file; a reader that recognises the copy leaves it to its first owner.
pub trait Ancestry {
    /// The session that first stored a chain-opening event ([`crate::EventDraft::opens_chain`])
    /// with this key.
    fn owner_of_root(&mut self, key: EventKey) -> Option<SessionUid>;

    /// Whether a session is stored, or will be later in this sweep.
    fn has_session(&mut self, session: &SessionUid) -> bool;

    /// Whether a session already has an event.
    fn has_event(&mut self, session: &SessionUid, key: EventKey) -> bool;

    /// Stored sessions that began as a copy of this one: a fork may itself be forked, and then holds
    /// what neither the first owner nor the newest copy owns.
    fn forks_of(&mut self, session: &SessionUid) -> Vec<SessionUid> {
        let _ = session;
        Vec::new()
    }
}

/// Knows nothing: every file is read as if it were the only one.
#[derive(Debug, Default)]
pub struct NoAncestry;

impl Ancestry for NoAncestry {
    fn owner_of_root(&mut self, _key: EventKey) -> Option<SessionUid> {
        None
    }

    fn has_session(&mut self, _session: &SessionUid) -> bool {
        false
    }

    fn has_event(&mut self, _session: &SessionUid, _key: EventKey) -> bool {
        false
    }
}
