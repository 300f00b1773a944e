//! Codex CLI logs.

use crate::{Adapter, AgentSpec, Base, Claim, Reader, RootSpec};
use backstory_model::Flavor;
use std::path::Path;

pub(crate) struct Codex;

static SPEC: AgentSpec = AgentSpec {
    flavor: Flavor::Codex,
    label: "Codex CLI",
    roots: RootSpec { env: "X", bases: &[Base::Home(".codex")], folders: &["sessions"] },
};

impl Adapter for Codex {
    fn spec(&self) -> &'static AgentSpec {
        &SPEC
    }

    fn claim(&self, _path: &Path) -> Option<Claim> {
        None
    }

    fn reader(&self, _path: &Path, _claim: &Claim) -> Box<dyn Reader> {
        unimplemented!()
    }
}
