//! Codex CLI logs ("rollouts"): four dialects, mapped line by line.
//!
//! - `paths`: which files are rollouts; `wire`: the shapes Codex writes; `table`: every record
//!   type known and what becomes of it.
//! - `reader`: finds the dialect of a line and hands it on; `items`, `messages`, `tools`, `events`,
//!   `turn_items` map what it holds; `tokens` counts.
//! - `thread`: what is remembered between lines; `turns` (keys and mirrors), `calls` (tool calls
//!   waiting for their answer, `secrets` those whose answers are not for keeping) and `lineage` (history copied from another thread) are its parts.

mod calls;
mod events;
mod images;
mod injected;
mod items;
mod lineage;
mod messages;
mod meta;
pub(crate) mod outcome;
mod paths;
mod reader;
mod secrets;
mod table;
mod thread;
mod tokens;
mod tools;
mod turn_items;
mod turns;
mod values;
mod wire;

pub(crate) use injected::own_words;

use crate::{Adapter, AgentSpec, Base, Claim, Reader, RootSpec};
use backstory_model::Flavor;
use std::path::Path;

/// The Codex CLI.
pub(crate) struct Codex;

static SPEC: AgentSpec = AgentSpec {
    flavor: Flavor::Codex,
    label: "Codex CLI",
    roots: RootSpec {
        env: "CODEX_HOME",
        bases: &[Base::Home(".codex")],
        folders: &["sessions", "archived_sessions"],
    },
};

impl Adapter for Codex {
    fn spec(&self) -> &'static AgentSpec {
        &SPEC
    }

    fn claim(&self, path: &Path) -> Option<Claim> {
        paths::claim(path)
    }

    fn reader(&self, path: &Path, claim: &Claim) -> Box<dyn Reader> {
        Box::new(reader::RolloutReader::new(paths::thread_id(path), claim.form))
    }
}
