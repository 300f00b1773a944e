//! Grok CLI logs.

use crate::{Adapter, AgentSpec, Base, Claim, Reader, RootSpec};
use backstory_model::Flavor;
use std::path::Path;

pub(crate) struct Grok;

static SPEC: AgentSpec = AgentSpec {
    flavor: Flavor::Grok,
    label: "Grok CLI",
    roots: RootSpec { env: "X", bases: &[Base::Home(".grok")], folders: &["sessions"] },
};

impl Adapter for Grok {
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
