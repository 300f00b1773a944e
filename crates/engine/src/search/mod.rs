//! Finds moments of sessions: gathers candidates by words and by meaning, ranks them, tells the best.

mod fetch;
mod gather;
mod scope;
mod tell;
mod within;

pub(crate) use within::{FoundPlaces, Within};

use crate::SyncError;
use backstory_distill::query::Query;
use backstory_distill::ranking::{Circumstance, Ranked, rank};
use backstory_distill::snippet::Snippet;
pub use backstory_index::Stay;
use backstory_index::{IndexError, Reader, Shelf};
use backstory_model::{Session, SessionEvent, Timestamp};
use backstory_store::Vault;
use std::collections::HashMap;
use std::sync::Arc;

/// What to look for, and how.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// What was asked.
    pub query: Query,
    /// At most so many sessions.
    pub limit: usize,
    /// At most so many moments of each.
    pub moments: usize,
    /// Neighbours told on either side of a moment.
    pub context: usize,
    /// What comes first.
    pub sort: Sort,
    /// Which ways take part.
    pub mode: Mode,
    /// What is looked at.
    pub scope: Scope,
    /// The `project_key` of where the user stands: its sessions are preferred, within bounds.
    pub project: Option<String>,
}

/// What comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The best match.
    #[default]
    Score,
    /// The latest.
    Time,
}

/// Which ways take part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Words and meaning together.
    #[default]
    Fused,
    /// Words only.
    Lexical,
    /// Meaning only.
    Semantic,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    #[default]
    Everything,
    /// Only calls that ran a command, with their exit codes.
    Commands,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchAnswer {
    /// Sessions with their moments, in the order asked for.
    pub sessions: Vec<FoundSession>,
    /// Which ways took part.
    pub paths: Paths,
    /// There are more sessions than the limit.
    pub more: bool,
}

/// Which ways took part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// Words.
    pub lexical: bool,
    /// Meaning.
    pub semantic: bool,
    /// Why one did not, or what is not covered yet, and what to do about it.
    pub notes: Vec<String>,
}

/// A session that holds an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSession {
    /// The session.
    pub session: Session,
    /// How well it matches; comparable within one answer only.
    pub score: f32,
    /// Its best moments.
    pub moments: Vec<FoundMoment>,
    /// Its raw events have left.
    pub is_evicted: bool,
}

/// A moment that answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundMoment {
    /// The event; `None` where the session's digest or title answered.
    pub event: Option<SessionEvent>,
    /// How well it matches.
    pub score: f32,
    /// The part of its content that matches.
    pub snippet: Snippet,
    /// What happened right before.
    pub before: Vec<SessionEvent>,
    /// What happened right behind.
    pub after: Vec<SessionEvent>,
}

/// An archive and its index, open for many searches.
#[derive(Debug)]
pub struct Searcher<'a> {
    vault: &'a Vault,
    index: OpenedIndex,
    behind: u64,
    /// One question may use several processors. Where many are asked at once, each has its own.
    side_by_side: bool,
}

/// Searches once.
pub fn search(
    vault: &Vault,
    index: &dyn Shelf,
    options: &SearchOptions,
    now: Timestamp,
) -> Result<SearchAnswer, SyncError> {
    Searcher::open(vault, index)?.search(options, now)
}

/// An index that is open, for any thread.
pub type OpenedIndex = Arc<dyn Reader>;

/// Opens an index for many searches.
pub fn open_index(index: &dyn Shelf, stay: Stay) -> Result<OpenedIndex, SyncError> {
    match index.reader(stay) {
        Ok(index) => Ok(index.into()),
        Err(IndexError::Missing(_)) => Err(SyncError::NoIndex),
        Err(error) => Err(error.into()),
    }
}

impl<'a> Searcher<'a> {
    /// Opens the index of an archive.
    pub fn open(vault: &'a Vault, index: &dyn Shelf) -> Result<Self, SyncError> {
        let alone = Self::on(vault, open_index(index, Stay::Short)?)?;
        Ok(Self { side_by_side: true, ..alone })
    }

    /// The same on an index that is open already, for one of many questions.
    pub fn on(vault: &'a Vault, index: OpenedIndex) -> Result<Self, SyncError> {
        let behind = vault.index_debt_count()?;
        Ok(Self { vault, index, behind, side_by_side: false })
    }

    /// Finds the moments that answer a query best.
    pub fn search(
        &self,
        options: &SearchOptions,
        now: Timestamp,
    ) -> Result<SearchAnswer, SyncError> {
        let gate = scope::Gate::new(self.vault, &options.query.filters, options.scope)?;
        let mut paths = self.paths();
        let gathered = gather::Gatherer { searcher: self, options, gate: &gate, near: None };
        let ranked = if options.sort == Sort::Time || gather::has_no_words(&options.query) {
            paths.lexical = true;
            gathered.newest()?
        } else {
            let gather::Gathered { candidates, evidence, .. } = gathered.candidates(&mut paths)?;
            let mut circumstances = |sessions: &[i64]| self.circumstances(options, sessions, now);
            rank(&candidates, &evidence, options.limit, &mut circumstances)
        };
        let teller = tell::Teller { vault: self.vault, options, gate: &gate };
        let (sessions, more) = teller.tell(&ranked)?;
        Ok(SearchAnswer { sessions, paths, more })
    }

    fn paths(&self) -> Paths {
        let mut notes = Vec::new();
        if self.behind > 0 {
            notes.push(format!(
                "{} sessions are not fully indexed yet: run `backstory index`",
                self.behind
            ));
        }
        if !self.index.missing_vectors().is_empty() {
            notes.push(
                "vectors of the search index are missing: run `backstory index --rebuild`".into(),
            );
        }
        Paths { notes, ..Paths::default() }
    }

    /// What tips the balance for each of some sessions.
    fn circumstances(
        &self,
        options: &SearchOptions,
        sessions: &[i64],
        now: Timestamp,
    ) -> Vec<Circumstance> {
        // Without a row nothing tips; the error shows when the session is told.
        let standings = self.vault.standings(sessions).unwrap_or_default();
        let of = |session: &i64| {
            let Some(standing) = standings.get(session) else { return Circumstance::default() };
            let project = &standing.project_key;
            Circumstance {
                age_ms: standing.active_at.map(|at| now.0 - at.0),
                is_same_project: project.is_some() && *project == options.project,
            }
        };
        sessions.iter().map(of).collect()
    }
}

/// A ranking that keeps the order it was given in.
fn in_order(places: impl IntoIterator<Item = (i64, Option<u32>)>) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = Vec::new();
    let mut at: HashMap<i64, usize> = HashMap::new();
    for (session, seq) in places {
        let slot = *at.entry(session).or_insert_with(|| {
            ranked.push(Ranked { session, score: 0.0, moments: Vec::new() });
            ranked.len() - 1
        });
        ranked[slot].moments.push((seq, 0.0));
    }
    ranked
}
