//! Grok CLI logs: a folder per session whose `updates.jsonl` is the authoritative, append-only log.
//!
//! `events.jsonl` adds turn and permission bookkeeping, the small JSON files complete what is known
//! about the session, and `chat_history.jsonl` (rewritten in place, without times) speaks only where
//! there is no `updates.jsonl`.

mod chat;
mod events;
mod keys;
mod paths;
mod prompt;
mod reader;
mod sidecar;
mod stamp;
mod state;
mod tools;
mod updates;
mod usage;
mod vendor;
mod wire;

pub(crate) use prompt::own_words;
pub(crate) use tools::reached;

use crate::{Adapter, AgentSpec, Base, Claim, Reader, RootSpec};
use backstory_model::Flavor;
use std::path::Path;

pub(crate) struct Grok;

static SPEC: AgentSpec = AgentSpec {
    flavor: Flavor::Grok,
    label: "Grok CLI",
    roots: RootSpec { env: "GROK_HOME", bases: &[Base::Home(".grok")], folders: &["sessions"] },
};

impl Adapter for Grok {
    fn spec(&self) -> &'static AgentSpec {
        &SPEC
    }

    fn claim(&self, path: &Path) -> Option<Claim> {
        paths::claim(path)
    }

    fn reader(&self, path: &Path, claim: &Claim) -> Box<dyn Reader> {
        match paths::Role::of(claim.role) {
            paths::Role::Document(document) => {
                Box::new(sidecar::DocumentReader::new(document, path))
            }
            paths::Role::Log(dialect) => Box::new(reader::LogReader::new(dialect, path)),
        }
    }
}
