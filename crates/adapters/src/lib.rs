//! Agent logs → records. Pure bytes in, records out: no IO, no store, no clock, no environment.
//!
//! An agent is one folder here ([`Adapter`]: where its logs lie, which files are its own, a
//! [`Reader`] that maps each line) and one line in [`all`]. Readers are resumable: what they must
//! remember between two reads of a growing file goes through [`Reader::save`].

mod ancestry;
mod batch;
mod classify;
mod claude;
mod codex;
mod grok;
pub mod hooks;
pub mod hygiene;
mod json;
mod mend;
pub mod pushed;
mod roots;
mod source;
mod unescape;
pub mod versions;

pub use ancestry::{Ancestry, NoAncestry};
pub use batch::{
    Batch, EventDraft, Located, Record, SessionIx, SessionPatch, Span, TitleRank, UsageDraft,
    UsageMerge,
};
pub use classify::{CallClass, RetryTracker, classify_call};
pub use json::is_complete;
pub use mend::mended;
pub use roots::{Base, RootSpec};
pub use source::{Claim, Form};

use backstory_model::{Flavor, SessionUid};
use std::path::Path;

/// Facts about an agent, as data.
#[derive(Debug)]
pub struct AgentSpec {
    /// The agent family.
    pub flavor: Flavor,
    /// Its name as people write it.
    pub label: &'static str,
    /// Where its logs lie.
    pub roots: RootSpec,
}

/// One agent's logs.
pub trait Adapter: Sync {
    /// Facts about the agent.
    fn spec(&self) -> &'static AgentSpec;

    /// Whether a file is a log of this agent, judged by its path below a root alone. Credential
    /// files and other agents' files are never claimed.
    fn claim(&self, path: &Path) -> Option<Claim>;

    /// A reader for one claimed file, positioned at its beginning.
    fn reader(&self, path: &Path, claim: &Claim) -> Box<dyn Reader>;
}

/// Maps one log file, record by record.
pub trait Reader: Send {
    /// Sees the first bytes of the file (up to [`HEAD_BYTES`]) before the first record, to find the
    /// session id and the dialect. Called once, only when reading starts at the beginning.
    fn begin(&mut self, head: &[u8]);

    /// Maps one line (without its newline), or the whole file for [`Form::Document`].
    /// Must never panic, whatever the bytes are.
    fn record(&mut self, bytes: &[u8], ancestry: &mut dyn Ancestry, out: &mut Batch);

    /// What a later read of appended lines needs; small.
    fn save(&self) -> Vec<u8>;

    /// Takes up a saved state; `false` if it cannot be used, then the file is read from its start.
    fn restore(&mut self, saved: &[u8]) -> bool;
}

/// How much of a file [`Reader::begin`] is shown.
pub const HEAD_BYTES: usize = 256 * 1024;

/// Every agent whose logs are read.
pub fn all() -> &'static [&'static dyn Adapter] {
    &[&claude::Claude, &codex::Codex, &grok::Grok]
}

/// The adapter of one flavor; for agents whose logs are not read, that of what their plugins post.
pub fn of(flavor: Flavor) -> Option<&'static dyn Adapter> {
    let mut known = all().iter().copied().chain([pushed::others()]);
    known.find(|adapter| adapter.spec().flavor == flavor)
}

/// The name of the agent behind a session, as people write it.
pub fn label(session: &SessionUid) -> &'static str {
    match session.flavor().filter(|flavor| *flavor != Flavor::Pushed).and_then(of) {
        Some(adapter) => adapter.spec().label,
        None => pushed::harness(session.native()),
    }
}
