//! Claude Code logs: `projects/<slug>/<session>.jsonl`, sub-agents and side files beside them.
//!
//! The transcript is a log of content blocks, one line each, mixed with a great deal of
//! bookkeeping. Every line is read once into lazy fields (`wire`); what a record is decides how
//! deep it is read further (`map` and the files by record type).

mod assistant;
mod attachment;
mod bookkeeping;
mod lenient;
mod map;
mod paths;
mod prompt;
mod reader;
mod results;
mod sidecar;
mod state;
mod system;
mod text;
mod user;
mod wire;

pub(crate) use prompt::own_words;

use crate::{Adapter, AgentSpec, Base, Claim, Reader, RootSpec};
use backstory_model::Flavor;
use std::path::Path;

pub(crate) struct Claude;

static SPEC: AgentSpec = AgentSpec {
    flavor: Flavor::Claude,
    label: "Claude Code",
    roots: RootSpec {
        env: "CLAUDE_CONFIG_DIR",
        bases: &[Base::XdgConfig("claude"), Base::Home(".claude")],
        folders: &["projects"],
    },
};

impl Adapter for Claude {
    fn spec(&self) -> &'static AgentSpec {
        &SPEC
    }

    fn claim(&self, path: &Path) -> Option<Claim> {
        paths::claim(path)
    }

    fn reader(&self, path: &Path, claim: &Claim) -> Box<dyn Reader> {
        match claim.role {
            paths::META => Box::new(sidecar::MetaReader::new(path)),
            paths::OVERFLOW => Box::new(sidecar::OverflowReader::new(path)),
            role => Box::new(reader::TranscriptReader::new(path, role == paths::SUBAGENT)),
        }
    }
}
