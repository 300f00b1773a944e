//! Claude Code logs.

use crate::{Adapter, AgentSpec, Base, Claim, Reader, RootSpec};
use backstory_model::Flavor;
use std::path::Path;

pub(crate) struct Claude;

static SPEC: AgentSpec = AgentSpec {
    flavor: Flavor::Claude,
    label: "Claude Code",
    roots: RootSpec { env: "X", bases: &[Base::Home(".claude")], folders: &["sessions"] },
};

impl Adapter for Claude {
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
