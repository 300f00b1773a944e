//! Closed stretches of a session as plugins know them: `history/archive_001/`. A posted file counts its own
//! seals, and a commit is answered with their numbers, so they are what is told as long as there is one. The
//! archive's may be fewer: a sweep seals once what was closed twice before it.

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
}

impl From<Seal> for Stretch {
    fn from(seal: Seal) -> Self {
        Self { number: seal.number, overview: sealed(&seal), gist: seal.abstract_text }
    }
}

impl From<pushed::Seal> for Stretch {
    fn from(seal: pushed::Seal) -> Self {
        let (at, why, through) = (moment(Timestamp(seal.at)), seal.reason, seal.through);
        let text = seal.overview.trim_end();
        Self {
            number: seal.number,
            overview: format!("_Sealed {at} ({why}), up to message {through}._\n\n{text}\n"),
            gist: seal.gist,
        }
    }
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
}

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
            [".abstract.md"] => Some(History::Abstract(format!("{}\n", stretch.gist))),
            _ => None,
        })
    }

    /// The closed stretches of the session a path names. One that so far was only posted has a file.
    fn stretches_in(&self, path: &[&str]) -> Result<Option<Vec<Stretch>>, TreeError> {
        if let [name] = path
            && pushed::safe_id(name) == *name
        {
            let posted = pushed::seals(&self.home, name)?;
            if !posted.is_empty() {
                return Ok(Some(posted.into_iter().map(Stretch::from).collect()));
            }
        }
        match self.session_in(path)? {
            Some((session, [])) => Ok(Some(self.stretches(&session.session_uid)?)),
            _ => Ok(None),
        }
    }

    /// The closed stretches of a session.
    pub(super) fn stretches(&self, session: &SessionUid) -> Result<Vec<Stretch>, TreeError> {
        let posted = match pushed::id_of(session) {
            Some(id) => pushed::seals(&self.home, &id)?,
            None => Vec::new(),
        };
        if !posted.is_empty() {
            return Ok(posted.into_iter().map(Stretch::from).collect());
        }
        let archived = self.vault()?.seals_of(session)?;
        Ok(archived.into_iter().map(Stretch::from).collect())
    }
}
