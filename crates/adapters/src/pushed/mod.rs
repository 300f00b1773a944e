//! Sessions that a plugin posted to our server, message by message: one append-only file each.
//!
//! The shape of a line is ours and stands here, beside its reader; `engine::pushed` writes it. A file
//! is named after the id the plugin chose, and that id tells whose session it is.

mod line;
mod names;
mod reader;

pub use line::{IMAGE, Line, Message, Opening, Part, Policy, Seal};
pub use names::{ROLE, any_uid_of, file_name, folder_name, harness, id_of, safe_id, uid_of};

use crate::{Adapter, AgentSpec, Claim, Form, Reader, RootSpec};
use backstory_model::Flavor;
use std::path::Path;

/// What was posted of one agent's sessions.
struct Pushed {
    spec: fn() -> &'static AgentSpec,
}

static CLAUDE: Pushed = Pushed { spec: || crate::claude::Claude.spec() };
static CODEX: Pushed = Pushed { spec: || crate::codex::Codex.spec() };
static OTHERS: Pushed = Pushed { spec: || &OTHER_AGENTS };

/// Agents whose logs are not read: there is no folder to look for them in.
static OTHER_AGENTS: AgentSpec = AgentSpec {
    flavor: Flavor::Pushed,
    label: names::OTHER_AGENT,
    roots: RootSpec { env: "", bases: &[], folders: &[] },
};

/// Who reads a file of posted messages; nobody if it is none.
pub fn adapter_for(path: &Path) -> Option<&'static dyn Adapter> {
    let id = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    match names::any_uid_of(id).flavor()? {
        Flavor::Claude => Some(&CLAUDE),
        Flavor::Codex => Some(&CODEX),
        Flavor::Grok | Flavor::Pushed => Some(others()),
    }
}

/// What was posted by plugins of agents whose logs are not read.
pub(crate) fn others() -> &'static dyn Adapter {
    &OTHERS
}

/// A reader of posted messages, whoever's they are.
pub fn reader(path: &Path) -> Box<dyn Reader> {
    Box::new(reader::PushedReader::new(path))
}

impl Adapter for Pushed {
    fn spec(&self) -> &'static AgentSpec {
        (self.spec)()
    }

    fn claim(&self, path: &Path) -> Option<Claim> {
        let is_journal = path.extension().is_some_and(|ending| ending == "jsonl");
        // No transcript: a session of which nothing but noise was posted is no alarm.
        is_journal
            .then(|| Claim { is_transcript: false, ..Claim::transcript(Form::Lines, names::ROLE) })
    }

    fn reader(&self, path: &Path, _claim: &Claim) -> Box<dyn Reader> {
        reader(path)
    }
}
