//! What search asks the archive: which sessions a filter lets through, and the rows behind places.

use crate::clauses::{Clauses, MIDDLE_LIST, SHORT_LIST, filled};
use crate::database::{Row, values};
use crate::{StoreError, Vault, rows};
use backstory_model::{EventKind, Flavor, Outcome, Session, SessionEvent, SessionUid, Timestamp};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Which sessions a search looks at. Within a list any entry holds, an empty list holds always.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionScope {
    /// Of these agents.
    pub flavors: Vec<Flavor>,
    /// Of these repositories, in whatever case.
    pub repos: Vec<String>,
    /// On these branches.
    pub branches: Vec<String>,
    /// With these outcomes.
    pub outcomes: Vec<Outcome>,
    /// Whose id, with or without the agent's name, begins so.
    pub sessions: Vec<String>,
    /// In which a model took part whose name holds this.
    pub models: Vec<String>,
}

/// What tips the balance between sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// When it was last active.
    pub active_at: Option<Timestamp>,
    /// Its project.
    pub project_key: Option<String>,
}

/// A stretch of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch<'a> {
    /// Row id of the session.
    pub session: i64,
    /// Its uid.
    pub uid: &'a SessionUid,
    /// The first seq.
    pub first: u32,
    /// The last seq, included.
    pub last: u32,
}

impl<'a> Stretch<'a> {
    /// One event.
    pub fn one(session: i64, uid: &'a SessionUid, seq: u32) -> Self {
        Self { session, uid, first: seq, last: seq }
    }
}

impl Vault {
    /// The row ids a scope lets through; `None` if it lets everything through.
    pub fn ids_in(&self, scope: &SessionScope) -> Result<Option<HashSet<i64>>, StoreError> {
        if *scope == SessionScope::default() {
            return Ok(None);
        }
        let mut asked = Clauses::new("SELECT id FROM sessions WHERE TRUE");
        asked.add_any("flavor = ?", scope.flavors.iter().map(|flavor| flavor.name()));
        asked.add_any("lower(repo) = lower(?)", &scope.repos);
        asked.add_any("git_branch = ?", &scope.branches);
        asked.add_any("outcome = ?", scope.outcomes.iter().map(|outcome| outcome.name()));
        asked.add_any(
            "substr(session_uid, 1, length(?)) = ?
             OR substr(session_uid, instr(session_uid, ':') + 1, length(?)) = ?",
            &scope.sessions,
        );
        asked.add_any("instr(lower(models), lower(?)) > 0", &scope.models);
        let ids = self.database.all(&asked.sql, &asked.values, |row| row.get(0))?;
        Ok(Some(ids.into_iter().collect()))
    }

    /// The row ids of a project's sessions.
    pub fn ids_of_project(&self, project_key: &str) -> Result<HashSet<i64>, StoreError> {
        let sql = "SELECT id FROM sessions WHERE project_key = ?1";
        let ids = self.database.all(sql, values![project_key], |row| row.get(0))?;
        Ok(ids.into_iter().collect())
    }

    /// Every working directory with its repository and project.
    pub fn places(&self) -> Result<Vec<(String, String, String)>, StoreError> {
        let sql = "SELECT DISTINCT cwd, repo, project_key FROM sessions
            WHERE cwd IS NOT NULL AND repo IS NOT NULL AND project_key IS NOT NULL
            ORDER BY cwd, repo, project_key";
        self.database.all(sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    /// The latest sessions of a project with their row ids, the most recently active first, without
    /// sub-agents.
    pub fn latest_of_project(
        &self,
        project_key: &str,
        limit: usize,
    ) -> Result<Vec<(i64, Session)>, StoreError> {
        let sql = format!(
            "{} WHERE project_key = ?1 AND events > 0 AND forgotten_at IS NULL
                AND parent_session_uid IS NULL
             ORDER BY coalesce(ended_at, started_at, 0) DESC, session_uid LIMIT ?2",
            rows::SESSION_SQL
        );
        self.database.all(&sql, values![project_key, limit as i64], |row| {
            Ok((row.get(rows::ID_COLUMN)?, rows::session(row)?))
        })
    }

    /// Sessions by their row ids, without those that were forgotten.
    pub fn sessions_by_id(&self, ids: &[i64]) -> Result<HashMap<i64, Session>, StoreError> {
        let sql =
            format!("{} WHERE events > 0 AND forgotten_at IS NULL AND id IN (", rows::SESSION_SQL);
        self.by_id(&sql, ids, |row| Ok((row.get(rows::ID_COLUMN)?, rows::session(row)?)))
    }

    /// The last activity and the project of sessions, by their row ids.
    pub fn standings(&self, ids: &[i64]) -> Result<HashMap<i64, Standing>, StoreError> {
        let sql = "SELECT id, coalesce(ended_at, started_at), project_key FROM sessions
            WHERE id IN (";
        self.by_id(sql, ids, |row| {
            let active_at = row.get::<Option<i64>>(1)?.map(Timestamp);
            Ok((row.get(0)?, Standing { active_at, project_key: row.get(2)? }))
        })
    }

    /// One row for each of many ids; `sql` ends where their list begins.
    pub(crate) fn by_id<T>(
        &self,
        sql: &str,
        ids: &[i64],
        mut read: impl FnMut(&dyn Row) -> Result<(i64, T), StoreError>,
    ) -> Result<HashMap<i64, T>, StoreError> {
        let mut found = HashMap::with_capacity(ids.len());
        for ids in ids.chunks(SHORT_LIST) {
            let mut asked = Clauses::new(sql);
            asked.add_list(ids);
            self.database.each(&asked.sql, &asked.values, |row| -> Result<(), StoreError> {
                let (id, row) = read(row)?;
                found.insert(id, row);
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The events of several stretches, by seq; what left is not among them.
    pub fn stretches(&self, wanted: &[Stretch<'_>]) -> Result<Vec<Vec<SessionEvent>>, StoreError> {
        self.stretches_of(wanted, |_| true)
    }

    /// Those of them that are of a wanted kind.
    pub fn stretches_of(
        &self,
        wanted: &[Stretch<'_>],
        wants: impl Fn(EventKind) -> bool,
    ) -> Result<Vec<Vec<SessionEvent>>, StoreError> {
        let mut found: Vec<Vec<SessionEvent>> = Vec::new();
        for wanted in wanted.chunks(MIDDLE_LIST) {
            let before = found.len();
            found.resize_with(before + wanted.len(), Vec::new);
            let asked = asked_for(wanted);
            self.database.each(&asked.sql, &asked.values, |row| -> Result<(), StoreError> {
                if !wants(rows::kind(row)?) {
                    return Ok(());
                }
                let number = row.count(rows::NUMBER_COLUMN)? as usize;
                if let Some(stretch) = wanted.get(number) {
                    found[before + number].push(rows::event(row, stretch.uid)?);
                }
                Ok(())
            })?;
        }
        Ok(found)
    }
}

/// The statement for a list of stretches; it is filled up with such as hold nothing.
fn asked_for<'a>(wanted: &[Stretch<'_>]) -> Clauses<'a> {
    let places: Vec<[i64; 3]> =
        wanted.iter().map(|at| [at.session, at.first.into(), at.last.into()]).collect();
    let mut asked = Clauses::new("WITH wanted (number, id, first, last) AS (VALUES ");
    for (number, place) in filled(&places, &[0, 1, 0]).enumerate() {
        let _ = write!(asked.sql, "{}({number}", if number == 0 { "" } else { ", " });
        for value in place {
            // A server asks for the type of what is in no column.
            asked.add(if number == 0 { ", CAST(? AS BIGINT)" } else { ", ?" }, *value);
        }
        asked.sql.push(')');
    }
    asked.sql.push_str(") ");
    asked.sql.push_str(rows::STRETCHES_SQL);
    asked
}
