//! `pushed/`: sessions that a plugin posts message by message, one append-only file each.
//!
//! What is acknowledged has been written; posting it again adds nothing. The sweep reads the files as it
//! reads an agent's logs, so that a posted session is found, distilled and recalled like any other. A
//! stretch is sealed at once, with an account of everything up to it, and without a model.

mod account;
mod beside;
mod clean;
mod copies;
mod file;
mod journal;
mod owed;
mod replay;
mod silent;
mod tokens;
mod unasked;

pub use backstory_adapters::pushed::{
    IMAGE, Message, Part, Seal, any_uid_of, id_of, safe_id, uid_of,
};
pub use clean::TOOL_CHARS;
pub use copies::{PostedFile, posted};
pub(crate) use copies::{bytes, leaving, leaving_with, remove as remove_copies};
pub use journal::{Journal, Limits};
pub use owed::owed;
pub(crate) use silent::seal_silent;
pub use silent::silent;
pub use tokens::estimate;
pub use unasked::{Idle, Unasked};

use backstory_adapters::pushed::{file_name, folder_name};
use backstory_model::{SessionUid, Timestamp};
use backstory_store::Home;
use std::io::{self, ErrorKind};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;

/// A message as it was posted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// `user` or `assistant`.
    pub role: String,
    /// What it consists of.
    pub parts: Vec<Part>,
    /// What the plugin takes for the project.
    pub peer: Option<String>,
    /// When it happened, if the plugin says so.
    pub at: Option<Timestamp>,
}

/// A session as its counts stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The id it is kept under.
    pub id: String,
    /// When it was first heard of.
    pub created_at: i64,
    /// When its last message happened.
    pub last_at: i64,
    /// All its messages.
    pub messages: u64,
    /// Those that are not sealed.
    pub open_messages: u64,
    /// Tokens the next seal would close.
    pub pending_tokens: u64,
    /// Tokens of all its messages.
    pub tokens: u64,
    /// How often it was sealed.
    pub seals: u32,
    /// What the plugin wants done by itself, as JSON.
    pub policy: Option<String>,
}

/// What came of posting messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    /// The session behind it.
    pub standing: Standing,
    /// Messages that were new.
    pub added: u64,
    /// Messages that were stored before.
    pub repeated: u64,
    /// Messages that held nothing but injected context.
    pub empty: u64,
}

/// What came of sealing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// A stretch was closed.
    Done(Box<Seal>, Standing),
    /// There was nothing to close: `no_messages` or `all_within_keep_window`.
    Skipped(&'static str, Standing),
}

/// What an agent needs to take a session up again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// The session.
    pub standing: Standing,
    /// Its seals, the first first.
    pub seals: Vec<Seal>,
    /// The messages behind the last one.
    pub messages: Vec<Message>,
}

/// Why a session could not be written to or read.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The disk says no.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No session can have this id.
    #[error("{0:?} is no session id")]
    Id(String),
}

impl PushError {
    /// True if there is no room left.
    pub fn is_disk_full(&self) -> bool {
        let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge];
        matches!(self, Self::Io(error) if full.contains(&error.kind()))
    }
}

/// The folder of all pushed sessions.
pub fn folder(home: &Home) -> PathBuf {
    home.dir().join("pushed")
}

/// Where a session lies.
pub(crate) fn place(home: &Home, id: &str) -> PathBuf {
    folder(home).join(folder_name(id)).join(file_name(id))
}

/// The seals of a session as its file has them, the first first; none without a file.
pub(crate) fn seals(home: &Home, id: &str) -> io::Result<Vec<Seal>> {
    account::seals(&place(home, id))
}

/// Hands the messages of a session's file with these numbers, from 0, to `each` until it has enough.
pub(crate) fn for_each_message(
    home: &Home,
    id: &str,
    numbers: Range<u64>,
    each: impl FnMut(Message) -> ControlFlow<()>,
) -> io::Result<()> {
    account::for_each_message(&place(home, id), numbers, each)
}

/// Removes what was posted of a session; true if there was something.
pub(crate) fn remove(home: &Home, session: &SessionUid) -> io::Result<bool> {
    let id = id_of(session).unwrap_or_else(|| session.native().to_owned());
    match fs_err::remove_file(place(home, &id)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
