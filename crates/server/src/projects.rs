//! Which project a plugin means, found out anew every minute.

use axum::http::HeaderMap;
use backstory_engine::Peers;
use backstory_store::{StoreError, Vault};
use std::sync::{Mutex, PoisonError};

/// What the plugin takes for the project.
const PEER: &str = "x-openviking-actor-peer";
/// How long what was found out is believed, in milliseconds.
const FRESH_MS: i64 = 60_000;

/// Projects by what plugins call them, and when that was looked up.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    known: Mutex<Option<(i64, Peers)>>,
}

impl Projects {
    /// The `project_key` of what a plugin calls a project.
    pub(crate) fn of(&self, vault: &Vault, peer: &str, now: i64) -> Result<String, StoreError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let peers = match known.take() {
            Some((at, peers)) if (0..FRESH_MS).contains(&(now - at)) => (at, peers),
            _ => (now, Peers::of_archive(vault)?),
        };
        let project = peers.1.project(peer);
        *known = Some(peers);
        Ok(project.key)
    }
}

/// What a plugin calls the project it works in; nothing if it does not say.
pub(crate) fn peer(headers: &HeaderMap) -> Option<String> {
    let peer = headers.get(PEER).and_then(|peer| peer.to_str().ok()).map(str::trim);
    peer.filter(|peer| !peer.is_empty()).map(str::to_owned)
}
