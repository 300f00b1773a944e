//! Closed stretches of a session as plugins know them: `history/archive_001/`. A posted file counts its own
//! seals, and a commit is answered with their numbers, so they are what is told as long as there is one. The
//! archive's may be fewer: a sweep seals once what was closed twice before it.

use super::messages::{self, Messages};
use super::session::{moment, sealed};
use super::{Tree, TreeError};
use crate::pushed;
use backstory_model::{Seal, SessionUid, Timestamp};

/// A closed stretch.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    pub(super) number: u32,
    /// One line.
    pub(super) gist: String,
    /// The account of everything up to its end.
    pub(super) overview: String,
    /// What was said and done since the one before it.
    messages: Messages,
}

/// The stretches of a posted file.
fn posted(id: &str, seals: Vec<pushed::Seal>) -> Vec<Stretch> {
    let mut behind = 0;
    let stretch = |seal: pushed::Seal| {
        let (at, why, through) = (moment(Timestamp(seal.at)), seal.reason, seal.through);
        let text = seal.overview.trim_end();
        let before = std::mem::replace(&mut behind, through);
        Stretch {
            number: seal.number,
            overview: format!("_Sealed {at} ({why}), up to message {through}._\n\n{text}\n"),
            gist: seal.gist,
            messages: Messages::Posted { id: id.to_owned(), behind: before, through },
        }
    };
    seals.into_iter().map(stretch).collect()
}

/// The stretches of a session in the archive.
fn archived(session: &SessionUid, seals: Vec<Seal>) -> Vec<Stretch> {
    let mut next = 0;
    let stretch = |seal: Seal| {
        let first = std::mem::replace(&mut next, seal.last_seq.saturating_add(1));
        let (session, last) = (session.clone(), seal.last_seq);
        Stretch {
            number: seal.number,
            overview: sealed(&seal),
            gist: seal.abstract_text,
            messages: Messages::Archived { session, first, last },
        }
    };
    seals.into_iter().map(stretch).collect()
}

/// What is below `history`.
#[derive(Clone, Debug)]
pub(super) enum History {
    /// The folder itself.
    All(Vec<Stretch>),
    /// One stretch.
    Archive,
    /// What one came to, in a line and at length.
    Abstract(String),
    Overview(String),
    /// What was said and done in one.
    Messages(Messages),
}

/// What is in the folder of a stretch.
pub(super) const IN_ARCHIVE: [(&str, &str); 3] =
    [(".abstract.md", ""), (".overview.md", ""), (messages::NAME, "what was said and done in it")];

impl Tree {
    /// What is below the history of the session a path begins with; nothing if the path leads elsewhere, or
    /// nowhere.
    pub(super) fn in_history(&self, path: &[&str]) -> Result<Option<History>, TreeError> {
        let Some(at) = path.iter().position(|name| *name == "history") else { return Ok(None) };
        let (session, below) = (&path[..at], &path[at + 1..]);
        let Some(stretches) = self.stretches_in(session)? else { return Ok(None) };
        let [name, rest @ ..] = below else { return Ok(Some(History::All(stretches))) };
        let number = name.strip_prefix("archive_").and_then(super::place::number);
        let mut found = stretches.into_iter().filter(|stretch| Some(stretch.number) == number);
        let Some(stretch) = found.next() else { return Ok(None) };
        Ok(match rest {
            [] => Some(History::Archive),
            ["overview.md" | ".overview.md"] => Some(History::Overview(stretch.overview)),
            [messages::NAME] => Some(History::Messages(stretch.messages)),
            [".abstract.md"] => Some(History::Abstract(format!("{}\n", stretch.gist))),
            _ => None,
        })
    }

    /// The closed stretches of the session a path names. One that so far was only posted has a file.
    fn stretches_in(&self, path: &[&str]) -> Result<Option<Vec<Stretch>>, TreeError> {
        if let [name] = path
            && pushed::safe_id(name) == *name
        {
            let seals = pushed::seals(&self.home, name)?;
            if !seals.is_empty() {
                return Ok(Some(posted(name, seals)));
            }
        }
        match self.session_in(path)? {
            Some((session, [])) => Ok(Some(self.stretches(&session.session_uid)?)),
            _ => Ok(None),
        }
    }

    /// The closed stretches of a session.
    pub(super) fn stretches(&self, session: &SessionUid) -> Result<Vec<Stretch>, TreeError> {
        if let Some(id) = pushed::id_of(session) {
            let seals = pushed::seals(&self.home, &id)?;
            if !seals.is_empty() {
                return Ok(posted(&id, seals));
            }
        }
        Ok(archived(session, self.vault()?.seals_of(session)?))
    }
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
