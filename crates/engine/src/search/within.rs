//! Places that may answer a query within some sessions, ranked, for those who tell them in their own way.

use super::gather::{Gathered, Gatherer};
use super::scope::Gate;
use super::{Paths, SearchOptions, Searcher};
use crate::SyncError;
use backstory_distill::ranking::{Circumstance, Ranked, rank};
use backstory_index::WordSeen;
use backstory_model::Timestamp;
use std::collections::{HashMap, HashSet};

/// Places near in meaning that are brought in: a handful is told.
const NEAR: usize = 30;

/// Which sessions are looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Within {
    /// Only these, by row id; none for all.
    pub(crate) only: Option<HashSet<i64>>,
    /// But not these.
    pub(crate) except: HashSet<i64>,
}

/// Places that may answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundPlaces {
    /// The sessions they are in, best first.
    pub(crate) ranked: Vec<Ranked>,
    /// How near in meaning each is, as far as it is known.
    pub(crate) nearness: HashMap<(i64, Option<u32>), f32>,
    /// How rare the words of the query are.
    pub(crate) words: Vec<WordSeen>,
    /// How many there are.
    pub(crate) considered: usize,
}

impl Searcher<'_> {
    /// Finds and ranks places. What is recent is preferred as compared with the rest of what is found, not
    /// with the present: the same archive gives the same order, whenever it is asked.
    pub(crate) fn places(
        &self,
        options: &SearchOptions,
        within: Within,
    ) -> Result<FoundPlaces, SyncError> {
        let gate = Gate::within(within, &options.query.filters);
        let gathering = Gatherer { searcher: self, options, gate: &gate, near: Some(NEAR) };
        let Gathered { candidates, evidence, words } =
            gathering.candidates(&mut Paths::default())?;
        let mut circumstances = |sessions: &[i64]| self.standing_among(options, sessions);
        let ranked = rank(&candidates, &evidence, options.limit, &mut circumstances);
        let nearness = candidates
            .iter()
            .filter_map(|found| Some(((found.session, found.seq), found.nearness?)))
            .collect();
        Ok(FoundPlaces { ranked, nearness, words, considered: candidates.len() })
    }

    fn standing_among(&self, options: &SearchOptions, sessions: &[i64]) -> Vec<Circumstance> {
        let standings = self.vault.standings(sessions).unwrap_or_default();
        let newest = standings.values().filter_map(|standing| standing.active_at).max();
        let newest = newest.unwrap_or(Timestamp(0));
        let of = |session: &i64| {
            let Some(standing) = standings.get(session) else { return Circumstance::default() };
            let project = &standing.project_key;
            Circumstance {
                age_ms: standing.active_at.map(|at| newest.0 - at.0),
                is_same_project: project.is_some() && *project == options.project,
            }
        };
        sessions.iter().map(of).collect()
    }
}
