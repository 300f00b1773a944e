//! Sessions that a plugin posted to our server, message by message: one append-only file each.
//!
//! The shape of a line is ours and stands here, beside its reader; `engine::pushed` writes it. A file
//! is named after the id the plugin chose, and that id tells whose session it is.

mod line;
mod names;
mod reader;

pub use line::{Line, Message, Opening, Part, Policy, Seal};
pub use names::{ROLE, any_uid_of, file_name, folder_name, id_of, safe_id, uid_of};

use crate::{Adapter, AgentSpec, Claim, Form, Reader};
use std::path::Path;

/// What was posted of one agent's sessions.
struct Pushed {
    agent: &'static dyn Adapter,
}

static CLAUDE: Pushed = Pushed { agent: &crate::claude::Claude };
static CODEX: Pushed = Pushed { agent: &crate::codex::Codex };

/// Who reads a file of posted messages; nobody if its name tells of no agent known here.
pub fn adapter_for(path: &Path) -> Option<&'static dyn Adapter> {
    let name = path.file_name()?.to_str()?;
    match names::agent_prefix(name)? {
        names::CLAUDE => Some(&CLAUDE),
        _ => Some(&CODEX),
    }
}

/// A reader of posted messages, whoever's they are.
pub fn reader(path: &Path) -> Box<dyn Reader> {
    Box::new(reader::PushedReader::new(path))
}

impl Adapter for Pushed {
    fn spec(&self) -> &'static AgentSpec {
        self.agent.spec()
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
