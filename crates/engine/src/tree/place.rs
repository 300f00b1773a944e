//! From the words of an address to what is really there.

use super::address::{Address, Place};
use super::files::Found;
use super::history::History;
use super::{Tree, TreeError};
use backstory_model::{Session, SessionUid};
use backstory_store::{LedgerEntry, SessionFilter};
use std::path::PathBuf;

/// Sessions looked at for the beginning of an id.
const CANDIDATES: usize = 50;

/// Something in the tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// The root.
    Root,
    /// What is above it, by the names in it.
    Above(&'static [&'static str]),
    /// All sessions.
    Sessions,
    /// One session.
    Session(Box<Session>),
    /// Its documents.
    Overview(Box<Session>),
    Digest(Box<Session>),
    Transcript(Box<Session>),
    Abstract(Box<Session>),
    /// Its seals; in our words and in OpenViking's.
    Seals(Box<Session>),
    Seal(Box<Session>, u32),
    History(History),
    /// One event.
    Event(Box<Session>, u32),
    /// What was learnt from many sessions, and one piece of it.
    Lores(Lore),
    Lore(Lore, u64),
    /// Decisions, those of one session, and those of hubs.
    AllDecisions,
    Decisions(Box<Session>),
    HubDecisions,
    HubDecision(Box<LedgerEntry>),
    /// A real folder or file.
    Folder(PathBuf),
    File(PathBuf),
}

/// What was learnt from many sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lore {
    /// Errors and what helped.
    Errors,
    /// Whatever happens again and again.
    Patterns,
}

impl Tree {
    /// What is at an address.
    pub(super) fn node(&self, address: &Address) -> Result<Node, TreeError> {
        let missing = || TreeError::NotFound(address.text());
        let path = match &address.place {
            Place::Scopes => return Ok(Node::Above(&["agent", "resources", "user"])),
            Place::Users => return Ok(Node::Above(&[super::address::USER])),
            Place::Agent => return Ok(Node::Above(&["skills"])),
            Place::Empty => return Ok(Node::Above(&[])),
            Place::Path(path) => path,
        };
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] => Ok(Node::Root),
            ["sessions"] => Ok(Node::Sessions),
            ["sessions", rest @ ..] => self.in_session(rest)?.ok_or_else(missing),
            ["errors"] => Ok(Node::Lores(Lore::Errors)),
            ["patterns"] => Ok(Node::Lores(Lore::Patterns)),
            ["errors", name] => Ok(Node::Lore(Lore::Errors, print(name).ok_or_else(missing)?)),
            ["patterns", name] => Ok(Node::Lore(Lore::Patterns, print(name).ok_or_else(missing)?)),
            ["decisions"] => Ok(Node::AllDecisions),
            ["decisions", "hub"] => Ok(Node::HubDecisions),
            ["decisions", "hub", name @ ..] => {
                let found = self.hub_decision(&name.join("/"))?.ok_or_else(missing)?;
                Ok(Node::HubDecision(Box::new(found)))
            }
            ["decisions", rest @ .., last] => {
                let last = last.strip_suffix(".md").unwrap_or(last);
                let name = rest.iter().copied().chain([last]).collect::<Vec<_>>().join("/");
                let session = self.named_session(&name)?.ok_or_else(missing)?;
                Ok(Node::Decisions(Box::new(session)))
            }
            ["memories" | "skills", ..] => match self.files().find(&words)? {
                Some(Found::Folder(path)) => Ok(Node::Folder(path)),
                Some(Found::File(path)) => Ok(Node::File(path)),
                None => Err(missing()),
            },
            _ => Err(missing()),
        }
    }

    /// What is in (or is) a session.
    fn in_session(&self, path: &[&str]) -> Result<Option<Node>, TreeError> {
        if let Some(history) = self.in_history(path)? {
            return Ok(Some(Node::History(history)));
        }
        let Some((session, rest)) = self.session_in(path)? else { return Ok(None) };
        let session = Box::new(session);
        Ok(match rest {
            [] => Some(Node::Session(session)),
            ["overview.md" | ".overview.md"] => Some(Node::Overview(session)),
            ["digest.md"] => Some(Node::Digest(session)),
            ["transcript.md" | "messages.jsonl"] => Some(Node::Transcript(session)),
            [".abstract.md"] => Some(Node::Abstract(session)),
            ["seals"] => Some(Node::Seals(session)),
            ["seals", name] => {
                name.strip_suffix(".md").and_then(number).map(|at| Node::Seal(session, at))
            }
            [seq] => number(seq).map(|seq| Node::Event(session, seq)),
            _ => None,
        })
    }

    /// The session a path begins with, and the rest of the path. A sub-agent's id is two names.
    pub(super) fn session_in<'p>(
        &self,
        path: &'p [&'p str],
    ) -> Result<Option<(Session, &'p [&'p str])>, TreeError> {
        let Some((name, rest)) = path.split_first() else { return Ok(None) };
        let Some(session) = self.named_session(name)? else { return Ok(None) };
        if let Some((own, behind)) = rest.split_first() {
            let uid = SessionUid::from_stored(format!("{}/{own}", session.session_uid));
            if let Some(subagent) = self.stored_session(&uid)? {
                return Ok(Some((subagent, behind)));
            }
        }
        Ok(Some((session, rest)))
    }

    /// A session by its uid, by OpenViking's id for it, by `last` or by the beginning of its id.
    pub fn named_session(&self, name: &str) -> Result<Option<Session>, TreeError> {
        let vault = self.vault()?;
        if name == "last" {
            let newest = SessionFilter { limit: Some(1), ..SessionFilter::default() };
            return Ok(vault.sessions(&newest)?.pop());
        }
        for uid in names(name) {
            if let Some(session) = self.stored_session(&SessionUid::from_stored(uid))? {
                return Ok(Some(session));
            }
        }
        let found = vault.find_sessions(name, CANDIDATES)?;
        if let Some(exact) = found.iter().find(|uid| uid.native() == name) {
            return self.stored_session(exact);
        }
        // The beginning of a session's id begins its sub-agents' ids too; the session is meant.
        let is_below = |uid: &SessionUid, other: &SessionUid| {
            uid.as_str().strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let mut fit = found.iter().filter(|uid| !found.iter().any(|other| is_below(uid, other)));
        match (fit.next(), fit.next()) {
            (None, _) => Ok(None),
            (Some(only), None) => self.stored_session(only),
            (Some(_), Some(_)) => Err(TreeError::Ambiguous(name.to_owned())),
        }
    }

    fn stored_session(&self, uid: &SessionUid) -> Result<Option<Session>, TreeError> {
        Ok(self.vault()?.session(uid)?.filter(|session| session.events > 0))
    }
}

/// What a name may stand for, the likeliest first.
fn names(name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    if let Some(id) = name.strip_prefix("cx-") {
        names.push(format!("codex:{id}"));
    }
    if let Some(id) = name.strip_prefix("cc-") {
        names.push(match id.split_once("__subagent-") {
            Some((parent, own)) => format!("claude:{parent}/{own}"),
            None => format!("claude:{id}"),
        });
    }
    names
}

fn print(name: &str) -> Option<u64> {
    let name = name.strip_suffix(".md").unwrap_or(name);
    if name.len() == 16 { u64::from_str_radix(name, 16).ok() } else { None }
}

pub(super) fn number(name: &str) -> Option<u32> {
    // A sign is no part of a number here.
    name.bytes().all(|byte| byte.is_ascii_digit()).then(|| name.parse().ok()).flatten()
}
