//! One tree over everything that is kept: sessions with their digests and transcripts, what was learnt
//! from them, and memories as files. It is read by address, `backstory://…` or `viking://…`; only
//! memories can be written.
//!
//! ```text
//! sessions/<uid>/overview.md   what it was about and came to, in short
//!               /digest.md     what is kept of it when its raw events are gone
//!               /transcript.md everything said and done
//!               /<seq>         one event, in full; also <uid>/<seq> without sessions/
//!               /seals/001.md  its overview as of each seal
//!               /history/archive_001/  the same as OpenViking has it, with the messages of each stretch, also of
//!                              what was only posted so far
//! errors/<fingerprint>.md      an error met before and what helped
//! patterns/<fingerprint>.md    what happens again and again
//! decisions/<uid>.md           what the human was asked in a session, and answered
//!          /hub/<name>         a decision a hub recorded
//! memories/…                   Markdown files of the home
//!         /resources/…         copies of documents
//! skills/…                     those of them that are skills
//! ```

mod account;
mod address;
mod below;
mod decided;
mod event;
mod files;
mod glob;
mod grep;
mod history;
mod listing;
mod lore;
mod messages;
mod place;
mod recollect;
mod session;
mod skills;
#[cfg(test)]
mod tests;
mod text;
mod transcript;
mod window;

pub use below::{Below, is_below};
pub use decided::tell_decision;
pub use files::WriteMode;
pub(crate) use files::{DOCUMENTS, Files};
pub use grep::{GrepOptions, Grepped, Hit};
pub use listing::{Entry, Walked};
pub use lore::{PatternChoice, tell_pattern};
pub(crate) use recollect::path_to_change;
pub use recollect::{Memory, Note};
pub use skills::Skill;
pub use window::{Part, Reading, Unit};

use address::Address;
use backstory_model::{Session, Timestamp};
use backstory_store::{Home, StoreError, Vault};
use history::History;
use place::Node;
use std::cell::OnceCell;
use window::Window;

/// Why the tree does not do what it is asked. Whoever asked can read it and ask otherwise.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// An address that cannot be understood.
    #[error("{address:?} is no address here: {reason}")]
    Address {
        /// As it was given.
        address: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Nothing is there.
    #[error("nothing is at {0}")]
    NotFound(String),
    /// The beginning of an id fits several sessions.
    #[error("{0:?} is the beginning of several sessions: give more of the id")]
    Ambiguous(String),
    /// A folder was to be read.
    #[error("{0} is a folder: list it, or read a file in it")]
    IsFolder(String),
    /// A file was to be listed.
    #[error("{0} is a file: read it")]
    IsFile(String),
    /// What cannot be written.
    #[error("{address} cannot be changed here: {instead}")]
    ReadOnly {
        /// The address.
        address: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// A change that would not do what was meant.
    #[error("{0}")]
    Refused(String),
    /// The archive does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of the home cannot be used.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The tree of one archive, as of now.
#[derive(Debug)]
pub struct Tree {
    home: Home,
    /// Nothing while nothing has been taken in.
    vault: Option<Vault>,
    now: Timestamp,
    sessions: OnceCell<Vec<Session>>,
}

impl Tree {
    /// Opens the tree. Without an archive there are memories alone.
    pub fn open(home: &Home, now: Timestamp) -> Result<Self, StoreError> {
        let vault = match Vault::open(home) {
            Ok(vault) => Some(vault),
            Err(StoreError::Missing(_)) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { home: home.clone(), vault, now, sessions: OnceCell::new() })
    }

    /// The archive, once something has been taken in.
    pub fn vault(&self) -> Result<&Vault, StoreError> {
        self.vault.as_ref().ok_or_else(|| StoreError::Missing(self.home.engine().name()))
    }

    /// A part of what stands at an address.
    pub fn read(&self, address: &str, part: Part) -> Result<Reading, TreeError> {
        let address = Address::parse(address)?;
        let mut window = Window::new(part);
        match self.node(&address)? {
            Node::Transcript(session) => self.tell_transcript(&session, &mut window)?,
            Node::History(History::Messages(of)) => self.tell_messages(&of, &mut window)?,
            node => window.push(&self.document(&address, node)?),
        }
        Ok(window.finish())
    }

    /// A document that is short enough to be made at once.
    fn document(&self, address: &Address, node: Node) -> Result<String, TreeError> {
        match node {
            // A session is read by what it came to.
            Node::Session(session) | Node::Overview(session) => self.overview(&session),
            Node::Digest(session) => self.digest(&session),
            Node::Abstract(session) => Ok(format!("{}\n", session::about(&session))),
            Node::Seal(session, number) => {
                Ok(session::sealed(&self.seal(address, &session, number)?))
            }
            Node::History(History::Abstract(text) | History::Overview(text)) => Ok(text),
            Node::Event(session, seq) => self.event(address, &session, seq),
            Node::Lore(lore, fingerprint) => self.lore(address, lore, fingerprint),
            Node::Decisions(session) => self.decisions_of(&session),
            Node::HubDecision(entry) => Ok(tell_decision(&entry)),
            Node::File(path) => Ok(Files::read(&path)?),
            Node::Transcript(session) => {
                let mut window = Window::new(Part::WHOLE);
                self.tell_transcript(&session, &mut window)?;
                Ok(window.finish().text)
            }
            _ => Err(TreeError::IsFolder(address.text())),
        }
    }

    /// Every session, the most recently active first, sub-agents included.
    fn sessions(&self) -> Result<&[Session], TreeError> {
        if let Some(known) = self.sessions.get() {
            return Ok(known);
        }
        let all = match &self.vault {
            Some(vault) => vault.sessions(&backstory_store::SessionFilter {
                with_subagents: true,
                ..backstory_store::SessionFilter::default()
            })?,
            None => Vec::new(),
        };
        Ok(self.sessions.get_or_init(|| all))
    }

    fn files(&self) -> Files {
        Files::new(self.home.dir())
    }
}
